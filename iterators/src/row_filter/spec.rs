//! What a row filter is told: [`Operand`]s, a [`RowPredicate`] on them, and what to do about bad values.
//!
//! All of it is data: it can be compared, printed for EXPLAIN, and carried to another process by whoever owns a
//! wire form. [`RowFilter`](crate::RowFilter) is compiled from it.

use ostracon_compare::{Encoding, KeyPart, PrimitiveType};

use super::RowPredicate;

/// Where an operand's bytes come from.
#[derive(Debug, Clone, PartialEq)]
pub enum OperandSource {
    /// The whole row id.
    Row,
    /// One part of a composite row id written by a [`KeyLexicoder`](ostracon_compare::KeyLexicoder). The
    /// operand's type is the part's and its encoding is [`Encoding::Native`].
    RowPart {
        /// All parts of the row id.
        parts: Vec<KeyPart>,
        /// Which part, from 0.
        index: usize,
    },
    /// One field of a delimited text row id. The fields are what lies between the delimiters, which are found
    /// from left to right; a row with too few fields gives NULL.
    RowField {
        /// The delimiter, not empty.
        delimiter: Vec<u8>,
        /// Which field, from 0.
        index: usize,
    },
    /// The newest cell of a column; NULL if the row has none.
    Cell {
        /// The column family.
        family: Vec<u8>,
        /// The column qualifier.
        qualifier: Vec<u8>,
    },
}

/// One value of a row that the predicate looks at.
#[derive(Debug, Clone, PartialEq)]
pub struct Operand {
    /// The column's name, for messages and EXPLAIN.
    pub name: String,
    /// Where the bytes come from.
    pub source: OperandSource,
    /// The type of the value.
    pub ty: PrimitiveType,
    /// How the value is stored.
    pub encoding: Encoding,
    /// Bytes that stand for NULL (Hive's `\N`), where the column has such a convention.
    pub null_sequence: Option<Vec<u8>>,
}

/// What becomes of a row whose bytes are not a value of the operand's type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum OnBadValue {
    /// The scan fails, naming column, row and bytes. So that this does not depend on the order of evaluation,
    /// every operand of the filter is checked on every row.
    #[default]
    Error,
    /// The value is NULL.
    Null,
    /// The row does not match, whichever operand of the filter is bad.
    SkipRow,
}

/// A row filter as data; its `Display` is SQL-like text for EXPLAIN.
///
/// Every operand is looked up and checked, also one that the predicate does not use: with
/// [`OnBadValue::SkipRow`] a caller lists all columns that a row is judged by.
#[derive(Debug, Clone, PartialEq)]
pub struct RowFilterSpec {
    /// The values that the predicate refers to by index.
    pub operands: Vec<Operand>,
    /// The predicate; a row matches where it is TRUE.
    pub predicate: RowPredicate,
    /// What becomes of rows with bad values.
    pub on_bad_value: OnBadValue,
}

impl RowFilterSpec {
    /// The columns (family, qualifier) that the filter must be given, repetitions included, whatever else is projected.
    pub fn columns(&self) -> impl Iterator<Item = (&[u8], &[u8])> {
        self.operands.iter().filter_map(|operand| match &operand.source {
            OperandSource::Cell { family, qualifier } => Some((family.as_slice(), qualifier.as_slice())),
            _ => None,
        })
    }
}
