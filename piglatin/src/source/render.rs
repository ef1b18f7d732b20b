use std::fmt::Write as _;

use crate::source::{Diagnostic, DiagnosticKind, SourceMap};

impl DiagnosticKind {
    /// The word behind `error:`; warnings have none.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Invalid => "invalid",
            Self::NotFound => "not_found",
            Self::AlreadyExists => "already_exists",
            Self::Unsupported => "unsupported",
            Self::Warning => "warning",
        }
    }
}

impl SourceMap {
    /// A diagnostic for people: what, where, the line with a caret, and how it came to be read.
    #[must_use]
    pub fn render(&self, diagnostic: &Diagnostic) -> String {
        let mut text = match diagnostic.kind {
            DiagnosticKind::Warning => format!("warning: {}", diagnostic.message),
            kind => format!("error: {}: {}", kind.word(), diagnostic.message),
        };
        if let Some(help) = &diagnostic.help {
            let _ = write!(text, ", {help}");
        }
        let place = self.position(diagnostic.span);
        let _ = write!(text, "\n{}:{}:{}", place.file, place.line, place.column);
        // Tabs stay tabs, so that the caret stands under its letter whatever their width.
        let indent: String = place
            .source_line
            .chars()
            .take(place.column - 1)
            .map(|c| if c == '\t' { '\t' } else { ' ' })
            .collect();
        let _ = write!(text, "\n  {}\n  {indent}^", place.source_line);
        for call in self.back_trace(diagnostic.span.source) {
            let from = self.position(call.at);
            let _ = write!(text, "\n  in {} at {}:{}:{}", call.what, from.file, from.line, from.column);
        }
        text
    }
}
