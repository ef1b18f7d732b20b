//! The row ids of a segment, ascending.

use super::field::{Fields, damaged, slice, tail};
use super::integers::{self, IntegerSpace, Integers, least_not_below};
use crate::{Error, Result};

/// Row ids as they are kept.
#[derive(Debug, Clone)]
pub(super) enum RowIds<'a> {
    /// Of fixed width, each cut into integers.
    Words(Vec<Integers<'a>>),
    /// Of any length.
    Bytes(RowBytes<'a>),
}

/// What all row ids start with, and their rests one after the other.
#[derive(Debug, Clone, Copy)]
pub(super) struct RowBytes<'a> {
    prefix: &'a [u8],
    ends: Integers<'a>,
    data: &'a [u8],
    offset: usize,
}

/// Bytes of the header of row ids as bytes:
/// prefix length u32 | data length u32 | ends' bits u8 | 0 u24 | ends at u32; the prefix and the data follow.
pub(super) const BYTES_HEADER: usize = 16;

impl<'a> RowIds<'a> {
    pub(super) fn open(segment: &'a [u8], offset: usize, rows: usize, words: u8) -> Result<Self> {
        if words > 0 {
            let headers = (0..usize::from(words)).map(|word| offset + word * integers::HEADER);
            let words = headers.map(|at| Integers::open(segment, at, rows));
            return words.collect::<Result<_>>().map(Self::Words);
        }
        let item = "row ids";
        let mut fields = Fields::at(segment, offset, BYTES_HEADER, item)?;
        let (prefix_len, data_len, bits) = (fields.place()?, fields.place()?, fields.u8()?);
        fields.zeros::<3>()?;
        let ends_at = fields.place()?;
        if bits > 32 {
            return Err(damaged(item, offset));
        }
        let space = IntegerSpace { width: 4, base: 0, step: 1, top: u64::from(u32::MAX) };
        let ends = Integers::of_parts(segment, ends_at, rows, bits, space)?;
        let prefix = slice(segment, offset + BYTES_HEADER, prefix_len, item)?;
        let data = tail(segment, offset + BYTES_HEADER + prefix_len, item)?;
        let data = data.get(..data_len).ok_or(damaged(item, offset))?;
        Ok(Self::Bytes(RowBytes { prefix, ends, data, offset }))
    }

    /// Appends the id of a row to `out`.
    pub(super) fn append(&self, row: usize, out: &mut Vec<u8>) -> Result<()> {
        match self {
            Self::Words(words) => words.iter().try_for_each(|word| {
                let value = word.value(row)?.to_be_bytes();
                out.extend_from_slice(value.get(16 - word.width()..).unwrap_or_default());
                Ok(())
            }),
            Self::Bytes(bytes) => {
                let rest = bytes.rest(row)?;
                out.extend_from_slice(bytes.prefix);
                out.extend_from_slice(rest);
                Ok(())
            }
        }
    }

    /// The first row whose id is not below `wanted`; the number of rows if all are.
    pub(super) fn lower_bound(&self, wanted: &[u8], rows: usize) -> Result<usize> {
        match self {
            Self::Words(words) => lower_bound_of_words(words, wanted, rows),
            Self::Bytes(bytes) => bytes.lower_bound(wanted, rows),
        }
    }
}

impl<'a> RowBytes<'a> {
    fn rest(&self, row: usize) -> Result<&'a [u8]> {
        let end = self.ends.get(row)? as usize;
        let start = match row.checked_sub(1) {
            Some(before) => self.ends.get(before)? as usize,
            None => 0,
        };
        self.data.get(start..end).ok_or(damaged("row id", self.offset))
    }

    fn lower_bound(&self, wanted: &[u8], rows: usize) -> Result<usize> {
        let Some(wanted) = wanted.strip_prefix(self.prefix) else {
            return Ok(if wanted < self.prefix { 0 } else { rows });
        };
        partition_point(rows, |row| Ok(self.rest(row)? < wanted))
    }
}

fn lower_bound_of_words(words: &[Integers<'_>], wanted: &[u8], rows: usize) -> Result<usize> {
    let (mut low, mut high) = (0, rows);
    let mut rest = wanted;
    for (index, word) in words.iter().enumerate() {
        let last = index + 1 == words.len();
        // All of the rest for the last word, so that longer ids fall behind it; only its own bytes for the others.
        let part = if last { rest } else { rest.get(..word.width()).unwrap_or(rest) };
        let Some(bound) = least_not_below(part, word.width()) else { return Ok(high) };
        low = partition_point_in(low, high, |row| Ok(word.value(row)? < bound))?;
        if last {
            return Ok(low);
        }
        high = partition_point_in(low, high, |row| Ok(word.value(row)? <= bound))?;
        rest = rest.get(word.width()..).unwrap_or_default();
    }
    Ok(low)
}

fn partition_point(rows: usize, below: impl FnMut(usize) -> Result<bool>) -> Result<usize> {
    partition_point_in(0, rows, below)
}

/// The first of `low..high` that is not below; ascending rows give the right one, any others some.
fn partition_point_in(
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
