//! [`Splitter`]: where records and fields begin and end in the text of a CSV file, by PostgreSQL's rules.
//!
//! A quote may open and close anywhere in a field; inside quotes everything but the quote (and its escape) is text, line
//! ends too. Lines end in LF, CRLF or, when the first line of the file does, in CR.
//!
//! The text is looked at 64 bytes at a time: a mask has a bit for each byte that could mean something, and only those are
//! taken up one by one. Nothing is copied; [`FieldSpan`] says how the text of a field lies in that of the file.

/// The characters that shape a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Marks {
    pub(super) delimiter: u8,
    pub(super) quote: u8,
    /// Takes the special meaning of a quote or of itself inside quotes; usually the quote.
    pub(super) escape: u8,
}

/// Why a text cannot be cut into records, and the line where the fault begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Shape {
    pub(super) line: u64,
    pub(super) reason: &'static str,
}

/// How the text of a field is to be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FieldForm {
    /// As it stands, without any quote.
    Plain,
    /// Between a quote at its start and one at its end.
    Quoted,
    /// Quotes and escapes stand somewhere in it.
    Mixed,
}

/// A field in the text that was split.
#[derive(Debug, Clone, Copy)]
pub(super) struct FieldSpan {
    start: u32,
    /// The end, and the form in the two highest bits.
    end: u32,
}

/// The longest text that is split at once: positions leave two bits free.
pub(super) const LONGEST_TEXT: usize = 1 << 30;

impl FieldSpan {
    const FORM: u32 = 30;

    fn new(start: usize, end: usize, form: FieldForm) -> Self {
        let narrow = |at: usize| u32::try_from(at).unwrap_or(u32::MAX) & ((1 << Self::FORM) - 1);
        Self { start: narrow(start), end: narrow(end) | (form as u32) << Self::FORM }
    }

    /// The field's text with its quotes, and how it is to be read.
    #[inline]
    pub(super) fn of<'t>(&self, text: &'t [u8]) -> (&'t [u8], FieldForm) {
        let end = self.end & ((1 << Self::FORM) - 1);
        let form = match self.end >> Self::FORM {
            0 => FieldForm::Plain,
            1 => FieldForm::Quoted,
            _ => FieldForm::Mixed,
        };
        // Widening: a `usize` has 32 bits at least.
        (text.get(self.start as usize..end as usize).unwrap_or_default(), form)
    }
}

/// A record in the text that was split.
#[derive(Debug, Clone, Copy)]
pub(super) struct RecordSpan {
    pub(super) start: usize,
    /// Without the line end.
    pub(super) end: usize,
    /// The line that the record starts on, from 1.
    pub(super) line: u64,
    /// The number of the fields up to its last one.
    pub(super) fields_end: usize,
}

/// Records and their fields, one after the other.
#[derive(Debug, Default)]
pub(super) struct Spans {
    pub(super) records: Vec<RecordSpan>,
    pub(super) fields: Vec<FieldSpan>,
}

impl Spans {
    pub(super) fn clear(&mut self) {
        self.records.clear();
        self.fields.clear();
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LineEnd {
    Unknown,
    Feed,
    Return,
}

/// Splits one text after the other.
#[derive(Debug)]
pub(super) struct Splitter {
    marks: Marks,
    /// The line of the next record, from 1.
    line: u64,
    line_end: LineEnd,
    /// Leave out lines without any character.
    pub(super) skip_blank: bool,
}

/// What a byte that could mean something did.
enum Step {
    /// The record goes on.
    On,
    /// The record is whole; the next one starts here.
    Record { next: usize },
    /// The text ends before it is clear what the byte means.
    Unclear,
    /// Here the file is not CSV.
    Fault(&'static str),
}

/// The record under way.
struct Record<'t> {
    text: &'t [u8],
    ended: bool,
    start: usize,
    /// Lines that began inside of its quotes.
    inner_lines: u64,
    field_start: usize,
    form: FieldForm,
    in_quotes: bool,
    /// Where a quote closed last.
    closed: usize,
    /// Bytes before it have been looked at.
    next: usize,
}

impl Record<'_> {
    #[inline]
    fn start_at(&mut self, start: usize) {
        (self.start, self.next, self.inner_lines) = (start, start, 0);
        self.start_field(start);
    }

    #[inline]
    fn start_field(&mut self, start: usize) {
        (self.field_start, self.form) = (start, FieldForm::Plain);
    }

    #[inline]
    fn field(&self, end: usize) -> FieldSpan {
        let form = match self.form {
            FieldForm::Quoted if self.closed + 1 != end => FieldForm::Mixed,
            form => form,
        };
        FieldSpan::new(self.field_start, end, form)
    }
}

impl Splitter {
    pub(super) fn new(marks: Marks) -> Self {
        Self { marks, line: 1, line_end: LineEnd::Unknown, skip_blank: false }
    }

    /// A fault of the record that comes next.
    pub(super) fn fault(&self, reason: &'static str) -> Shape {
        Shape { line: self.line, reason }
    }

    /// Appends at most `most` records from the start of `text` to `spans`; gives where the next one starts. A record that
    /// may go on behind `text` is left for the next call, unless the file has `ended`. A fault is told of when the records
    /// before it have been taken.
    ///
    /// `text` has at most [`LONGEST_TEXT`] bytes.
    pub(super) fn split(
        &mut self,
        text: &[u8],
        ended: bool,
        most: usize,
        spans: &mut Spans,
    ) -> Result<usize, Shape> {
        let before = spans.records.len();
        let mut record = Record {
            text,
            ended,
            start: 0,
            inner_lines: 0,
            field_start: 0,
            form: FieldForm::Plain,
            in_quotes: false,
            closed: 0,
            next: 0,
        };
        let fault = self.take_records(&mut record, most, spans);
        let whole = spans.records.last().map_or(0, |last| last.fields_end);
        spans.fields.truncate(whole);
        match fault {
            Some(reason) if spans.records.len() == before => Err(self.fault(reason)),
            _ => Ok(record.start),
        }
    }

    fn take_records(
        &mut self,
        record: &mut Record<'_>,
        most: usize,
        spans: &mut Spans,
    ) -> Option<&'static str> {
        let (text, marks) = (record.text, self.marks);
        let mut left = most;
        for (index, chunk) in text.chunks(CHUNK).enumerate() {
            let mut mask = mask(chunk, marks);
            while mask != 0 {
                let at = index * CHUNK + mask.trailing_zeros() as usize;
                mask &= mask - 1;
                if at < record.next {
                    continue;
                }
                let byte = text.get(at).copied().unwrap_or_default();
                if !record.in_quotes && byte == marks.delimiter {
                    spans.fields.push(record.field(at));
                    record.start_field(at + 1);
                    continue;
                }
                let step = match record.in_quotes {
                    true => self.quoted(record, at, byte),
                    false => self.plain(record, at, byte),
                };
                match step {
                    Step::On => {}
                    Step::Unclear => return None,
                    Step::Fault(reason) => return Some(reason),
                    Step::Record { next } => {
                        left -= usize::from(self.end_record(record, at, next, spans));
                        if left == 0 {
                            return None;
                        }
                    }
                }
            }
        }
        if !record.ended || record.start == text.len() {
            return None;
        }
        if record.in_quotes {
            return Some("a quoted field is not closed before the end of the file");
        }
        self.end_record(record, text.len(), text.len(), spans);
        None
    }

    /// Ends the record before `end`; gives whether it counts.
    #[inline]
    fn end_record(&mut self, record: &mut Record<'_>, end: usize, next: usize, spans: &mut Spans) -> bool {
        let counts = !self.skip_blank || end > record.start;
        if counts {
            spans.fields.push(record.field(end));
            let (start, line, fields_end) = (record.start, self.line, spans.fields.len());
            spans.records.push(RecordSpan { start, end, line, fields_end });
        }
        self.line += record.inner_lines + 1;
        record.start_at(next);
        counts
    }

    /// A quote or the end of a line outside of quotes.
    #[inline]
    fn plain(&mut self, record: &mut Record<'_>, at: usize, byte: u8) -> Step {
        if byte == self.marks.quote {
            record.in_quotes = true;
            record.form = if at == record.field_start { FieldForm::Quoted } else { FieldForm::Mixed };
            return Step::On;
        }
        match byte {
            b'\n' if self.line_end != LineEnd::Return => {
                self.line_end = LineEnd::Feed;
                Step::Record { next: at + 1 }
            }
            b'\r' => match record.text.get(at + 1) {
                None if !record.ended => Step::Unclear,
                Some(b'\n') => {
                    self.line_end = LineEnd::Feed;
                    Step::Record { next: at + 2 }
                }
                Some(_) if self.line_end == LineEnd::Feed => {
                    Step::Fault("a carriage return stands alone outside quotes; quote the field")
                }
                after => {
                    self.line_end = if after.is_some() { LineEnd::Return } else { self.line_end };
                    Step::Record { next: at + 1 }
                }
            },
            _ => Step::On,
        }
    }

    /// A byte inside of quotes.
    #[inline]
    fn quoted(&self, record: &mut Record<'_>, at: usize, byte: u8) -> Step {
        let Marks { quote, escape, .. } = self.marks;
        if byte == escape {
            let after = record.text.get(at + 1);
            if after.is_none() && !record.ended {
                return Step::Unclear;
            }
            if after.is_some_and(|after| *after == quote || *after == escape) {
                (record.form, record.next) = (FieldForm::Mixed, at + 2);
                return Step::On;
            }
            if escape != quote {
                // It stands for itself, and what follows it too.
                record.inner_lines += u64::from(after == Some(&b'\n'));
                record.next = at + 2;
                return Step::On;
            }
        }
        if byte == quote {
            (record.in_quotes, record.closed) = (false, at);
        } else {
            let ends_line = byte == b'\n' || (byte == b'\r' && self.line_end == LineEnd::Return);
            record.inner_lines += u64::from(ends_line);
        }
        Step::On
    }
}

/// Bytes that are looked at together.
const CHUNK: usize = 64;

/// A bit for each byte of at most 64 that is a mark or ends a line, the first byte's lowest.
#[inline]
fn mask(chunk: &[u8], marks: Marks) -> u64 {
    let mut flags = [0; CHUNK];
    for (flag, byte) in flags.iter_mut().zip(chunk) {
        let byte = *byte;
        *flag = u8::from(byte == marks.delimiter)
            | u8::from(byte == marks.quote)
            | u8::from(byte == marks.escape)
            | u8::from(byte == b'\n')
            | u8::from(byte == b'\r');
    }
    let (eights, _) = flags.as_chunks::<8>();
    eights.iter().rev().fold(0, |mask, eight| {
        // The product gathers the lowest bits of the eight bytes in the highest one.
        let gathered = u64::from_le_bytes(*eight).wrapping_mul(0x0102_0408_1020_4080) >> 56;
        mask << 8 | gathered
    })
}
