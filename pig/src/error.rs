//! [`PigError`]: why a script ends early.

use std::sync::Arc;

use arrow::error::ArrowError;
use datafusion::error::DataFusionError;
use ostracon_piglatin::source::Span;

/// What a caller can do about an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PigErrorKind {
    /// The script or its input is wrong: change it.
    Invalid,
    /// A file or table is not there.
    NotFound,
    /// What is to be written is there already.
    AlreadyExists,
    /// Pig has it, Ostracon has not.
    Unsupported,
    /// Try again later or elsewhere: a closed pipe, a locked store.
    Unavailable,
    /// A limit was reached: memory, disk.
    Resource,
    /// Stored bytes contradict their own format.
    Corrupt,
    /// A fault of this program.
    Internal,
}

impl PigErrorKind {
    /// The word of the outer interface (`error: KIND: ...`).
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Invalid => "invalid",
            Self::NotFound => "not_found",
            Self::AlreadyExists => "already_exists",
            Self::Unsupported => "unsupported",
            Self::Unavailable => "unavailable",
            Self::Resource => "resource",
            Self::Corrupt => "corrupt",
            Self::Internal => "internal",
        }
    }
}

/// Why a script ends early: one line that says what, where and what to do.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct PigError {
    /// What a caller can do.
    pub kind: PigErrorKind,
    /// What, where, what to do; one line.
    pub message: String,
    /// Where in the script, if that is known.
    pub span: Option<Span>,
    /// What lies below, if anything.
    #[source]
    pub source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

impl PigError {
    /// An error without a place.
    pub fn new(kind: PigErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), span: None, source: None }
    }

    /// The script or its input is wrong.
    pub fn invalid(message: impl Into<String>) -> Self {
        Self::new(PigErrorKind::Invalid, message)
    }

    /// A fault of this program.
    pub fn internal(message: impl Into<String>) -> Self {
        Self::new(PigErrorKind::Internal, message)
    }

    /// The same error with its place, if it has none yet.
    #[must_use]
    pub fn at(mut self, span: Span) -> Self {
        self.span.get_or_insert(span);
        self
    }

    /// The same error with what lies below it.
    #[must_use]
    pub fn with_source(mut self, source: impl std::error::Error + Send + Sync + 'static) -> Self {
        self.source = Some(Box::new(source));
        self
    }
}

/// Results of this crate.
pub type Result<T, E = PigError> = std::result::Result<T, E>;

/// That a result cannot be written where it was to go.
pub(crate) fn unwritable(error: std::io::Error) -> PigError {
    PigError::new(PigErrorKind::Unavailable, format!("the result cannot be written: {error}"))
        .with_source(error)
}

/// An error of a plan: ours where it only went through DataFusion, else by what DataFusion says of it.
pub fn from_datafusion(error: DataFusionError) -> PigError {
    let root = match error {
        DataFusionError::Context(_, inner) | DataFusionError::Diagnostic(_, inner) => {
            return from_datafusion(*inner);
        }
        DataFusionError::Shared(inner) => match Arc::try_unwrap(inner) {
            Ok(inner) => return from_datafusion(inner),
            Err(inner) => DataFusionError::Execution(inner.to_string()),
        },
        DataFusionError::ArrowError(inner, trace) => match *inner {
            ArrowError::ExternalError(inner) => DataFusionError::External(inner),
            inner => DataFusionError::ArrowError(Box::new(inner), trace),
        },
        other => other,
    };
    match root {
        DataFusionError::External(inner) => match inner.downcast::<PigError>() {
            Ok(error) => *error,
            Err(inner) => match inner.downcast::<DataFusionError>() {
                Ok(inner) => from_datafusion(*inner),
                Err(inner) => PigError::invalid(inner.to_string()).below(inner),
            },
        },
        DataFusionError::Execution(text) | DataFusionError::Plan(text) => PigError::invalid(text),
        DataFusionError::ResourcesExhausted(text) => PigError::new(PigErrorKind::Resource, text),
        DataFusionError::IoError(error) => {
            PigError::new(PigErrorKind::Unavailable, error.to_string()).with_source(error)
        }
        other => PigError::internal(other.to_string()).with_source(other),
    }
}

impl PigError {
    fn below(mut self, source: Box<dyn std::error::Error + Send + Sync>) -> Self {
        self.source = Some(source);
        self
    }
}
