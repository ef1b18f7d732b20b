use crate::source::{SourceId, Span};

/// Every text that a script was made of, and the way back from a [`Span`] to what the user wrote.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SourceMap {
    files: Vec<File>,
    sources: Vec<Source>,
}

/// A file as it was read.
#[derive(Debug, Clone, PartialEq, Eq)]
struct File {
    name: String,
    text: String,
}

/// A text as it is parsed: a file after substitution, or the body of a macro at one call.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Source {
    file: usize,
    text: String,
    segments: Vec<Segment>,
    called: Option<CallSite>,
}

/// From `at` in the text that is parsed to `origin` in the file. The first segment of a source begins at 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Segment {
    /// The first byte of the text that is parsed.
    pub at: u32,
    /// The byte of the file that it comes from.
    pub origin: u32,
    /// Whether all of the segment comes from that one byte: the value of a parameter stands for its `$`.
    pub replaced: bool,
}

/// Why a source is part of a script.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallSite {
    /// `macro 'm'`, `import of 'f.pig'`.
    pub what: String,
    /// The call or the IMPORT.
    pub at: Span,
}

/// A place in a file, for people.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Position<'a> {
    /// The name of the file.
    pub file: &'a str,
    /// Counted from 1.
    pub line: usize,
    /// In characters, counted from 1.
    pub column: usize,
    /// The line as the user wrote it, without its end.
    pub source_line: &'a str,
}

impl SourceMap {
    /// No text yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A file that is parsed as it stands.
    pub fn add_file(&mut self, name: impl Into<String>, text: impl Into<String>) -> SourceId {
        let text = text.into();
        let whole = vec![Segment { at: 0, origin: 0, replaced: false }];
        self.add_substituted(name, text.clone(), text, whole, None)
    }

    /// A file that is parsed as `text`, after substitution.
    pub fn add_substituted(
        &mut self,
        name: impl Into<String>,
        original: impl Into<String>,
        text: impl Into<String>,
        segments: Vec<Segment>,
        called: Option<CallSite>,
    ) -> SourceId {
        self.files.push(File { name: name.into(), text: original.into() });
        self.push(Source { file: self.files.len() - 1, text: text.into(), segments, called })
    }

    /// A text made of a part of `of`, the body of a macro: `segments` lead to bytes of `of`, and from there on to its file.
    pub fn add_derived(
        &mut self,
        of: SourceId,
        text: impl Into<String>,
        segments: &[Segment],
        called: CallSite,
    ) -> SourceId {
        let mut through = Vec::with_capacity(segments.len());
        let text = text.into();
        let Some(parent) = self.source(of) else {
            return self.add_substituted("", text.clone(), text, segments.to_vec(), Some(called));
        };
        for (number, segment) in segments.iter().enumerate() {
            let end = segments.get(number + 1).map_or(text.len(), |next| next.at as usize);
            parent.compose(*segment, end - (segment.at as usize).min(end), &mut through);
        }
        let file = parent.file;
        self.push(Source { file, text, segments: through, called: Some(called) })
    }

    fn push(&mut self, source: Source) -> SourceId {
        self.sources.push(source);
        SourceId(u32::try_from(self.sources.len() - 1).unwrap_or(u32::MAX))
    }

    /// Takes back the text that was added last, if it is `id`.
    pub(crate) fn pop(&mut self, id: SourceId) {
        if self.sources.len() == id.0 as usize + 1 {
            self.sources.pop();
        }
    }

    fn source(&self, id: SourceId) -> Option<&Source> {
        self.sources.get(id.0 as usize)
    }

    /// The text that is parsed; empty for an id of another map.
    #[must_use]
    pub fn text(&self, id: SourceId) -> &str {
        self.source(id).map_or("", |source| &source.text)
    }

    /// The part of the text that is parsed.
    #[must_use]
    pub fn slice(&self, span: Span) -> &str {
        self.text(span.source).get(span.start as usize..span.end as usize).unwrap_or("")
    }

    /// Whether the byte was put in for a parameter or an argument.
    #[must_use]
    pub fn is_replaced(&self, source: SourceId, offset: u32) -> bool {
        self.source(source).and_then(|source| source.segment(offset)).is_some_and(|segment| segment.replaced)
    }

    /// The name of the file that a source comes from.
    #[must_use]
    pub fn file_name(&self, id: SourceId) -> &str {
        self.source(id).and_then(|source| self.files.get(source.file)).map_or("", |file| &file.name)
    }

    /// Where the span begins in what the user wrote.
    #[must_use]
    pub fn position(&self, span: Span) -> Position<'_> {
        let nowhere = Position { file: "", line: 1, column: 1, source_line: "" };
        let Some(source) = self.source(span.source) else { return nowhere };
        let Some(file) = self.files.get(source.file) else { return nowhere };
        let mut offset = (source.origin(span.start) as usize).min(file.text.len());
        while !file.text.is_char_boundary(offset) {
            offset -= 1;
        }
        let before = &file.text[..offset];
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        let line_end = file.text[offset..].find('\n').map_or(file.text.len(), |at| offset + at);
        Position {
            file: &file.name,
            line: before.matches('\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
            source_line: file.text[line_start..line_end].trim_end_matches('\r'),
        }
    }

    /// The calls and imports that led to a source, the nearest first.
    #[must_use]
    pub fn back_trace(&self, id: SourceId) -> Vec<&CallSite> {
        let mut trace = Vec::new();
        let mut at = self.source(id).and_then(|source| source.called.as_ref());
        while let Some(call) = at {
            trace.push(call);
            // A source is called from one that was there before it, so this ends.
            at = self.source(call.at.source).and_then(|source| source.called.as_ref());
        }
        trace
    }
}

impl Source {
    fn segment(&self, offset: u32) -> Option<&Segment> {
        let behind = self.segments.partition_point(|segment| segment.at <= offset);
        self.segments.get(behind.checked_sub(1)?)
    }

    fn origin(&self, offset: u32) -> u32 {
        match self.segment(offset) {
            Some(segment) if segment.replaced => segment.origin,
            Some(segment) => segment.origin + (offset - segment.at),
            None => offset,
        }
    }

    /// A segment into this source becomes segments into the file.
    fn compose(&self, segment: Segment, length: usize, into: &mut Vec<Segment>) {
        if segment.replaced {
            into.push(Segment { origin: self.origin(segment.origin), ..segment });
            return;
        }
        let end = segment.origin.saturating_add(u32::try_from(length).unwrap_or(u32::MAX));
        let mut first = true;
        let from = self.segments.partition_point(|own| own.at <= segment.origin).saturating_sub(1);
        for own in self.segments.iter().skip(from).take_while(|own| own.at < end || own.at == segment.origin)
        {
            let start = own.at.max(segment.origin);
            if own.at >= segment.origin || first {
                // What a parameter put into the body of a macro is written by the macro's author: not replaced here.
                let origin = if own.replaced { own.origin } else { own.origin + (start - own.at) };
                into.push(Segment { at: segment.at + (start - segment.origin), origin, replaced: false });
            }
            first = false;
        }
    }
}
