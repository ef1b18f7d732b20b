//! Where in which text something stands.

mod diagnostic;
mod map;
mod render;
mod suggest;

pub use diagnostic::{Diagnostic, DiagnosticKind};
pub use map::{CallSite, Position, Segment, SourceMap};
pub use suggest::did_you_mean;

/// One text that was read: the script, an imported file, or the body of a macro at one call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SourceId(pub u32);

/// A stretch of a source, in bytes of the text *after* substitution of parameters.
///
/// A source map leads from here to the file, line and column that the user wrote.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Span {
    /// The text.
    pub source: SourceId,
    /// The first byte.
    pub start: u32,
    /// The byte after the last one.
    pub end: u32,
}

impl Span {
    /// The shortest stretch that holds both. They must be of one source; of two, the first is given back.
    #[must_use]
    pub fn to(self, other: Self) -> Self {
        if self.source != other.source {
            return self;
        }
        Self { source: self.source, start: self.start.min(other.start), end: self.end.max(other.end) }
    }
}
