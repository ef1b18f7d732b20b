//! [`LoadError`]: why a file could not be loaded, and where in it.

use std::fmt;
use std::io;

use arrow::error::ArrowError;

use crate::error::{ErrorKind, HandlerError};

/// Why a file could not be loaded.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// A file could not be opened.
    #[error("cannot open {file}: {source}")]
    Open {
        /// The file's name as it was given.
        file: String,
        /// What the system said.
        source: io::Error,
    },
    /// A file could not be read to its end.
    #[error("cannot read {file}: {source}")]
    Read {
        /// The file's name as it was given.
        file: String,
        /// What the system, or the decompressor, said.
        source: io::Error,
    },
    /// A file does not have the form that was asked for, or does not fit the table.
    #[error("{file}: {message}")]
    Format {
        /// The file's name as it was given.
        file: String,
        /// What is wrong and what to do.
        message: String,
    },
    /// A row does not fit the table.
    #[error("{0}")]
    Row(Box<BadRow>),
    /// The file of rejected rows could not be written.
    #[error("cannot write the rejected rows to {file}: {source}")]
    Reject {
        /// The file's name as it was given.
        file: String,
        /// What the system said.
        source: io::Error,
    },
    /// A batch could not be put together: a fault of this program.
    #[error("cannot build a batch of rows: {0}")]
    Batch(#[from] ArrowError),
}

impl LoadError {
    /// Whether the input is not there.
    pub fn is_not_found(&self) -> bool {
        matches!(self, Self::Open { source, .. } if source.kind() == io::ErrorKind::NotFound)
    }
}

impl From<LoadError> for HandlerError {
    fn from(error: LoadError) -> Self {
        let kind = match &error {
            LoadError::Open { .. } if error.is_not_found() => ErrorKind::NotFound,
            LoadError::Open { .. } | LoadError::Read { .. } | LoadError::Reject { .. } => {
                ErrorKind::Unavailable
            }
            LoadError::Format { .. } | LoadError::Row(_) => ErrorKind::Invalid,
            LoadError::Batch(_) => ErrorKind::Internal,
        };
        HandlerError::new(kind, error.to_string()).with_source(error)
    }
}

impl From<BadRow> for LoadError {
    fn from(row: BadRow) -> Self {
        Self::Row(Box::new(row))
    }
}

/// A row that does not fit the table, named so that it can be found and mended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadRow {
    /// The file's name as it was given.
    pub file: String,
    /// The line that the row starts on, from 1; for formats without lines the number of the row, from 1.
    pub line: u64,
    /// The column that the value was for; `None` where the row as a whole is wrong.
    pub column: Option<String>,
    /// The value's text, cut to an excerpt.
    pub text: Option<String>,
    /// What is wrong: the wanted type, the rule that is broken.
    pub reason: String,
}

impl BadRow {
    /// The longest excerpt of a value that a message shows, in characters.
    const EXCERPT: usize = 60;

    /// A value's text as messages show it.
    pub(super) fn excerpt(text: &str) -> String {
        match text.char_indices().nth(Self::EXCERPT) {
            Some((cut, _)) => format!("{}...", text.get(..cut).unwrap_or(text)),
            None => text.to_owned(),
        }
    }
}

impl fmt::Display for BadRow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: ", self.file, self.line)?;
        if let Some(column) = &self.column {
            write!(f, "column {column}: ")?;
        }
        if let Some(text) = &self.text {
            write!(f, "'{}' ", text.escape_debug())?;
        }
        write!(f, "{}; mend the row, or let a reject file take such rows (--reject FILE)", self.reason)
    }
}

/// What is wrong with one value, before it is known whose it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct BadField {
    pub(super) column: Option<String>,
    pub(super) text: Option<String>,
    pub(super) reason: String,
}

impl BadField {
    pub(super) fn row(reason: impl Into<String>) -> Self {
        Self { column: None, text: None, reason: reason.into() }
    }

    pub(super) fn at(self, file: &str, line: u64) -> BadRow {
        BadRow { file: file.to_owned(), line, column: self.column, text: self.text, reason: self.reason }
    }
}
