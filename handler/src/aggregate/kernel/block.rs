//! [`Block`]: rows to be added up, column by column.

use super::interval::Interval;

/// The whole numbers of a column, one a row.
#[derive(Debug, Clone, Copy)]
pub enum Values<'a> {
    /// Numbers of 64 bits.
    Narrow(&'a [i64]),
    /// Numbers of 128 bits.
    Wide(&'a [i128]),
}

/// A column of a block. A row without a value has some number within the bounds.
#[derive(Debug, Clone, Copy)]
pub struct Column<'a> {
    /// The numbers; nothing for a column of which only `present` matters.
    pub values: Values<'a>,
    /// All numbers are in it.
    pub bounds: Interval,
    /// 1 where a row has a value, else 0; `None`: all have one.
    pub present: Option<&'a [u8]>,
}

impl Column<'_> {
    /// A column that has a value in every row, of which nobody asks which.
    pub const EMPTY: Self =
        Self { values: Values::Narrow(&[]), bounds: Interval { low: 0, high: 0 }, present: None };
}

/// The group of each row: a number below `groups`, or `groups` itself for a row that is not to be counted.
#[derive(Debug, Clone, Copy)]
pub enum GroupIds<'a> {
    /// All rows are counted, in one group.
    One,
    /// By row.
    Each(&'a [u16]),
}

/// Rows to be added up.
#[derive(Debug, Clone, Copy)]
pub struct Block<'a> {
    /// How many rows every column has.
    pub rows: usize,
    /// The columns that the program names, by position.
    pub columns: &'a [Column<'a>],
    /// The rows' groups.
    pub ids: GroupIds<'a>,
    /// For each group of this block, which group of the whole it is.
    pub groups: &'a [u32],
}
