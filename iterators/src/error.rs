//! Errors of the iterator algebra.
//!
//! One enum, [`Error`]: iterators over a real store wrap the store's own error in [`Error::Source`], everything
//! else arises here. Bytes in messages are shown by [`BytesText`], which keeps them printable and short.

use std::fmt;

use ostracon_compare::BadValue;

/// The result of an iterator operation.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What can go wrong in the iterator algebra. Each message says what, where, and what to do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A stored value is not a value of its column's type. The data (or the mapping) is wrong, not the query.
    #[error(
        "column \"{column}\" of row {row}: {reason}; correct the cell or the column's type or encoding, or set on.bad.value to null or skip_row"
    )]
    BadValue {
        /// The column, as the user named it.
        column: String,
        /// The row's bytes, printable.
        row: String,
        /// What the bytes were and what was wanted.
        reason: BadValue,
    },
    /// A row filter that cannot be run: a defect of whoever built it, never of the data.
    #[error("invalid row filter: {0}")]
    InvalidFilter(String),
    /// An iterator class that the registry does not hold.
    #[error("unknown iterator class \"{class}\"; known classes are {known}")]
    UnknownIterator {
        /// The class that was asked for.
        class: String,
        /// The registry's classes, comma separated.
        known: String,
    },
    /// An iterator option that is unknown, missing, or has a value that cannot be used.
    #[error("option \"{option}\" of iterator class {class}: {reason}")]
    InvalidOption {
        /// The iterator's simple class name.
        class: String,
        /// The option's name.
        option: String,
        /// What is wrong and what is allowed.
        reason: String,
    },
    /// An iterator setting that cannot be used: its name, its priority, or a clash with another one.
    #[error("iterator setting \"{name}\": {reason}")]
    InvalidSetting {
        /// The setting's name.
        name: String,
        /// What is wrong and what is allowed.
        reason: String,
    },
    /// A row is larger than an iterator that must hold it whole is allowed to buffer.
    #[error(
        "row {row} takes more than {limit} bytes; raise maxBufferSize of the iterator or narrow the columns"
    )]
    RowTooLarge {
        /// The row's bytes, printable.
        row: String,
        /// The limit in bytes.
        limit: usize,
    },
    /// A version of a cell is no value of the combiner's type.
    #[error("the cell {cell} cannot be combined: {reason}; delete it, or set the combiner's option lossy")]
    NotCombined {
        /// The cell's key, printable.
        cell: String,
        /// What the bytes were and what was wanted.
        reason: String,
    },
    /// Bytes that should be an encoded row are not.
    #[error("corrupt encoded row at byte {offset}: {reason}")]
    CorruptRow {
        /// Where in the bytes the reading stopped.
        offset: usize,
        /// What was wanted there.
        reason: String,
    },
    /// An iterator was called outside of its contract.
    #[error("iterator used outside of its contract: {0}")]
    Misuse(&'static str),
    /// The source of the cells failed; the scan's answer is incomplete and must be given up.
    #[error("{0}")]
    Source(#[source] Box<dyn std::error::Error + Send + Sync>),
}

impl Error {
    /// Wraps the error of a store below the iterators.
    pub fn source(error: impl std::error::Error + Send + Sync + 'static) -> Self {
        Error::Source(Box::new(error))
    }
}

/// Bytes as text for messages and EXPLAIN: printable ASCII as it is, the rest as `\xHH`, at most
/// [`BytesText::LIMIT`] bytes and then an ellipsis with the full length.
pub struct BytesText<'a>(pub &'a [u8]);

impl BytesText<'_> {
    /// How many bytes are shown before the ellipsis.
    pub const LIMIT: usize = 64;
}

impl fmt::Display for BytesText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("\"")?;
        for &byte in self.0.iter().take(Self::LIMIT) {
            match byte {
                b'"' | b'\\' => write!(f, "\\{}", byte as char)?,
                0x20..=0x7e => write!(f, "{}", byte as char)?,
                _ => write!(f, "\\x{byte:02x}")?,
            }
        }
        f.write_str("\"")?;
        if self.0.len() > Self::LIMIT {
            write!(f, "... ({} bytes)", self.0.len())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_printable_and_bounded() {
        assert_eq!(BytesText(b"a\"b\\\x00\xff").to_string(), r#""a\"b\\\x00\xff""#);
        let long = BytesText(&[b'a'; 100]).to_string();
        assert!(long.ends_with("\"... (100 bytes)"), "{long}");
        assert_eq!(long.matches('a').count(), BytesText::LIMIT);
    }
}
