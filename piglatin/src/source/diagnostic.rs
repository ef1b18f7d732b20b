use crate::source::Span;

/// One thing that is wrong with a script, or doubtful.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// What sort of fault.
    pub kind: DiagnosticKind,
    /// What, in one line: names and types as the script has them.
    pub message: String,
    /// The operator or the first letter of the name that is at fault.
    pub span: Span,
    /// What to do: "did you mean 'age'?"
    pub help: Option<String>,
}

/// The sorts of [`Diagnostic`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DiagnosticKind {
    /// The script is wrong.
    Invalid,
    /// It names what is not there: a file, a table.
    NotFound,
    /// It writes what is there already.
    AlreadyExists,
    /// Pig has it, Ostracon has not.
    Unsupported,
    /// Allowed, but perhaps not meant; nothing stops for it.
    Warning,
}

impl Diagnostic {
    /// A fault of the script.
    pub fn invalid(message: impl Into<String>, span: Span) -> Self {
        Self { kind: DiagnosticKind::Invalid, message: message.into(), span, help: None }
    }

    /// The same with advice.
    #[must_use]
    pub fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}
