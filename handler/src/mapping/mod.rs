//! The column mapping: which cell, key part or pseudo-column stands behind each SQL column.
//!
//! Principal types: the text of `columns.mapping` and the declared columns go in at [`ColumnMapping::parse`];
//! out comes one [`ColumnTarget`] a column, or a [`MappingError`] with the byte where the text is wrong.
//!
//! The grammar is Hive's, made strict. Entries are separated by commas and trimmed:
//!
//! | Entry | Means |
//! |---|---|
//! | `:rowid` | the row id (any case, at most once; `:key` is the same) |
//! | `:timestamp` | time of the newest visible cell: a BIGINT of milliseconds, or a TIMESTAMP |
//! | `:visibility` | the label of the row's visible cells |
//! | `family:qualifier` | one cell; the first unescaped colon separates |
//! | `family:prefix*` | a MAP column of the cells whose qualifier has the prefix |
//! | `...#s`, `#b`, `#n` (or `#string`, `#binary`, `#native`) | text, big-endian bytes, order-preserving bytes |
//! | `...*#k:v` | the same for the keys and values of a map |
//!
//! `\:` `\#` `\*` `\,` and `\\` stand for the bare characters. A cell has one column: the same cell twice, and a
//! map prefix over another entry's cells, are refused.
//!
//! It does not decide how rows are made of values: that is [`crate::definition`]'s and [`crate::rows`]' business.

mod fit;
mod parse;

use std::fmt;

use arrow::datatypes::DataType;
use ostracon_compare::Encoding;

use crate::error::HandlerError;

/// What stands behind a column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ColumnTarget {
    /// The row id, or a part of it.
    RowId {
        /// How the value becomes bytes.
        encoding: Encoding,
    },
    /// One cell of the row.
    Cell {
        /// The cell's column family.
        family: Vec<u8>,
        /// The cell's column qualifier.
        qualifier: Vec<u8>,
        /// How the value becomes bytes.
        encoding: Encoding,
    },
    /// All cells of a family whose qualifier has a prefix.
    Map {
        /// The column family.
        family: Vec<u8>,
        /// What the qualifiers start with; the rest is the map's key.
        prefix: Vec<u8>,
        /// How a key becomes the rest of a qualifier.
        key_encoding: Encoding,
        /// How a value becomes a cell's bytes.
        value_encoding: Encoding,
    },
    /// The time of the newest visible cell.
    Timestamp,
    /// The label that the visible cells share.
    Visibility,
}

/// One target a column, in the order of the columns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ColumnMapping {
    targets: Vec<ColumnTarget>,
}

/// What is wrong with a mapping, and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("columns.mapping, position {}: {message}", position + 1)]
pub struct MappingError {
    /// What is wrong and what to do.
    pub message: String,
    /// The byte of the mapping text, from 0; shown from 1.
    pub position: usize,
}

impl From<MappingError> for HandlerError {
    fn from(error: MappingError) -> Self {
        HandlerError::invalid(error.to_string()).with_source(error)
    }
}

impl ColumnMapping {
    /// Reads a mapping for the given columns. `default_storage` is the encoding of entries without a suffix.
    ///
    /// # Errors
    /// The first fault from the left, with its position: syntax, number of entries, types that do not fit their
    /// entry, and cells that two entries would share.
    pub fn parse(
        text: &str,
        columns: &[(String, DataType)],
        default_storage: Encoding,
    ) -> Result<Self, MappingError> {
        let entries = parse::entries(text, default_storage)?;
        fit::check(text, &entries, columns)?;
        Ok(ColumnMapping { targets: entries.into_iter().map(|entry| entry.target).collect() })
    }

    /// One target a column.
    pub fn targets(&self) -> &[ColumnTarget] {
        &self.targets
    }

    /// The column that is the row id, if one is.
    pub fn row_id(&self) -> Option<usize> {
        self.targets.iter().position(|target| matches!(target, ColumnTarget::RowId { .. }))
    }

    /// The targets, owned.
    pub fn into_targets(self) -> Vec<ColumnTarget> {
        self.targets
    }
}

/// The one-letter code of an encoding in a mapping.
fn encoding_code(encoding: Encoding) -> &'static str {
    match encoding {
        Encoding::String => "s",
        Encoding::Binary => "b",
        Encoding::Native => "n",
    }
}

/// A name with everything escaped that the grammar uses.
struct Escaped<'a>(&'a [u8]);

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for c in String::from_utf8_lossy(self.0).chars() {
            if matches!(c, '\\' | ':' | '#' | '*' | ',') {
                f.write_str("\\")?;
            }
            write!(f, "{c}")?;
        }
        Ok(())
    }
}

/// The entry in the mapping's grammar, its encodings always spelt out.
impl fmt::Display for ColumnTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ColumnTarget::RowId { encoding } => write!(f, ":rowid#{}", encoding_code(*encoding)),
            ColumnTarget::Cell { family, qualifier, encoding } => {
                write!(f, "{}:{}#{}", Escaped(family), Escaped(qualifier), encoding_code(*encoding))
            }
            ColumnTarget::Map { family, prefix, key_encoding, value_encoding } => write!(
                f,
                "{}:{}*#{}:{}",
                Escaped(family),
                Escaped(prefix),
                encoding_code(*key_encoding),
                encoding_code(*value_encoding)
            ),
            ColumnTarget::Timestamp => f.write_str(":timestamp"),
            ColumnTarget::Visibility => f.write_str(":visibility"),
        }
    }
}

/// The mapping text: reading it back gives the same mapping, whatever the default storage.
impl fmt::Display for ColumnMapping {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, target) in self.targets.iter().enumerate() {
            if i > 0 {
                f.write_str(",")?;
            }
            write!(f, "{target}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
