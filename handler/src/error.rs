//! The one error of this crate: what a caller can do about it, and one line that says what, where and what to do.
//!
//! Principal types: [`ErrorKind`] (coarse, one per reaction of a caller) and [`HandlerError`] (kind, message, source).
//! It does not print: the doors decide how an error is shown.

use std::fmt;

use crate::statement::Position;

/// What a caller can do about an error. A kind exists only where the reaction differs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ErrorKind {
    /// The statement, a property or a value is wrong: change it.
    Invalid,
    /// The named thing does not exist.
    NotFound,
    /// The named thing exists already.
    AlreadyExists,
    /// The session lacks the right: ask for it.
    Unauthorized,
    /// Well formed, but not offered.
    Unsupported,
    /// Try again later or elsewhere (a lock, a closed store).
    Unavailable,
    /// Stored bytes contradict their own format: run `check`.
    Corrupt,
    /// A limit was reached: memory, disk, size of a value.
    Resource,
    /// A fault of this program: report it.
    Internal,
}

impl ErrorKind {
    /// The word of the outer interface (`error: KIND: ...`).
    pub fn as_str(self) -> &'static str {
        match self {
            ErrorKind::Invalid => "invalid",
            ErrorKind::NotFound => "not_found",
            ErrorKind::AlreadyExists => "already_exists",
            ErrorKind::Unauthorized => "unauthorized",
            ErrorKind::Unsupported => "unsupported",
            ErrorKind::Unavailable => "unavailable",
            ErrorKind::Corrupt => "corrupt",
            ErrorKind::Resource => "resource",
            ErrorKind::Internal => "internal",
        }
    }
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// An error of the handler. `Display` gives the message alone; the kind is shown by the doors.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct HandlerError {
    /// What a caller can do.
    pub kind: ErrorKind,
    /// What, where, what to do; one line.
    pub message: String,
    /// What lies below, if anything.
    #[source]
    pub source: Option<Box<dyn std::error::Error + Send + Sync>>,
    /// Where in the statement, if that is known.
    pub position: Option<Position>,
}

impl HandlerError {
    /// An error without a source.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        HandlerError { kind, message: message.into(), source: None, position: None }
    }

    /// The statement, a property or a value is wrong.
    pub fn invalid(message: impl Into<String>) -> Self {
        HandlerError::new(ErrorKind::Invalid, message)
    }

    /// Well formed, but not offered.
    pub fn unsupported(message: impl Into<String>) -> Self {
        HandlerError::new(ErrorKind::Unsupported, message)
    }

    /// Stored bytes contradict their own format.
    pub fn corrupt(message: impl Into<String>) -> Self {
        HandlerError::new(ErrorKind::Corrupt, message)
    }

    /// A fault of this program.
    pub fn internal(message: impl Into<String>) -> Self {
        HandlerError::new(ErrorKind::Internal, message)
    }

    /// The same error with the place in the statement.
    #[must_use]
    pub fn at(mut self, position: Position) -> Self {
        self.position = Some(position);
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
pub type Result<T, E = HandlerError> = std::result::Result<T, E>;

#[cfg(test)]
mod tests {
    use super::*;
    use std::error::Error as _;

    #[test]
    fn display_is_the_message_and_the_source_is_kept() {
        let error = HandlerError::invalid("the key is NULL").with_source(std::fmt::Error);
        assert_eq!(error.to_string(), "the key is NULL");
        assert_eq!(error.kind, ErrorKind::Invalid);
        assert!(error.source().is_some());
    }

    #[test]
    fn kinds_print_the_words_of_the_interface() {
        assert_eq!(ErrorKind::NotFound.to_string(), "not_found");
        assert_eq!(ErrorKind::AlreadyExists.to_string(), "already_exists");
        assert_eq!(HandlerError::internal("x").kind.as_str(), "internal");
    }
}
