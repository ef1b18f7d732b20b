//! The row ids of a segment, ascending.

mod front_coded;
mod words;

use std::ops::Range;

pub(super) use self::front_coded::{FrontCoded, GROUP, HEADER as FRONT_CODED_HEADER};
use self::words::Words;
use super::integers::Integers;
use crate::{Error, Result};

/// Row ids as they are kept.
#[derive(Debug, Clone)]
pub(super) enum RowIds<'a> {
    /// Of fixed width, each cut into integers.
    Words(Words<'a>),
    /// Of any length, each without what it shares with the one before.
    Bytes(FrontCoded<'a>),
}

impl<'a> RowIds<'a> {
    pub(super) fn open(segment: &'a [u8], offset: usize, rows: usize, words: u8) -> Result<Self> {
        match words {
            0 => FrontCoded::open(segment, offset, rows).map(Self::Bytes),
            _ => Words::open(segment, offset, rows, words).map(Self::Words),
        }
    }

    pub(super) fn words(&self) -> Option<&[Integers<'a>]> {
        if let Self::Words(words) = self { Some(words.list()) } else { None }
    }

    /// Sets `out` to the id of a row.
    pub(super) fn get(&self, row: usize, out: &mut Vec<u8>) -> Result<()> {
        match self {
            Self::Words(words) => words.get(row, out),
            Self::Bytes(bytes) => bytes.get(row, out),
        }
    }

    /// Shows `visit` the ids of rows that are there.
    pub(super) fn for_each(&self, rows: Range<usize>, visit: impl FnMut(usize, &[u8])) -> Result<()> {
        match self {
            Self::Words(words) => words.for_each(rows, visit),
            Self::Bytes(bytes) => bytes.for_each(rows, visit),
        }
    }

    /// The first row whose id is not below `wanted`; the number of rows if all are.
    pub(super) fn lower_bound(&self, wanted: &[u8]) -> Result<usize> {
        match self {
            Self::Words(words) => words.lower_bound(wanted),
            Self::Bytes(bytes) => bytes.lower_bound(wanted),
        }
    }

    /// As [`lower_bound`](Self::lower_bound), found sooner near the row `from`. Ids of any length are read a group at a
    /// time, so that there being near saves nothing.
    pub(super) fn lower_bound_near(&self, from: usize, wanted: &[u8]) -> Result<usize> {
        match self {
            Self::Words(words) => words.lower_bound_near(from, wanted),
            Self::Bytes(bytes) => bytes.lower_bound(wanted),
        }
    }
}

/// The first of `low..high` that is not below; some place if the rows do not ascend, which only damaged ones do.
fn partition_point(
    mut low: usize,
    mut high: usize,
    mut below: impl FnMut(usize) -> Result<bool>,
) -> Result<usize> {
    while low < high {
        let middle = low + (high - low) / 2;
        if below(middle)? { low = middle + 1 } else { high = middle }
    }
    Ok(low)
}

/// The error of a row that is not there.
pub(super) fn no_such_row(row: usize, rows: usize) -> Error {
    Error::RowsOutOfRange { start: row, end: row.saturating_add(1), room: 1, rows }
}
