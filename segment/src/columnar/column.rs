//! One column of a segment.

use std::cmp::Ordering;

use ostracon_data::compare_columns;

use super::chunk::{self, Chunk};
use super::field::{Fields, slice};
use super::integers::Integers;
use super::scratch::Opening;
use crate::Result;

/// The cells of one family and qualifier: at most one in a row.
#[derive(Debug, Clone, Copy)]
pub struct Column<'a> {
    family: &'a [u8],
    qualifier: &'a [u8],
    chunk: Chunk<'a>,
    times: Option<Integers<'a>>,
    labels: Option<Integers<'a>>,
}

/// Bytes of a column's entry: name at u32 | family length u32 | qualifier length u32 | times at u32 (0: those of the rows) |
/// labels at u32 (0: those of the rows) | the chunk's header.
pub(super) const ENTRY: usize = CHUNK + chunk::HEADER;
/// Where the chunk's header starts in it.
pub(super) const CHUNK: usize = 20;

impl<'a> Column<'a> {
    pub(super) fn open(segment: &'a [u8], offset: usize, rows: usize, opening: Opening) -> Result<Self> {
        let mut fields = Fields::at(segment, offset, CHUNK, "column")?;
        let (name_at, family_len, qualifier_len) = (fields.place()?, fields.place()?, fields.place()?);
        let (times_at, labels_at) = (fields.place()?, fields.place()?);
        let own = |at: usize| (at != 0).then(|| Integers::open(segment, at, rows)).transpose();
        let family = slice(segment, name_at, family_len, "family")?;
        let qualifier = slice(segment, name_at.saturating_add(family_len), qualifier_len, "qualifier")?;
        let chunk = Chunk::open(segment, offset + CHUNK, rows, opening)?;
        Ok(Self { family, qualifier, chunk, times: own(times_at)?, labels: own(labels_at)? })
    }

    /// The column family.
    pub fn family(&self) -> &'a [u8] {
        self.family
    }

    /// The column qualifier.
    pub fn qualifier(&self) -> &'a [u8] {
        self.qualifier
    }

    /// Family and qualifier.
    pub(super) fn name(&self) -> (&'a [u8], &'a [u8]) {
        (self.family, self.qualifier)
    }

    /// The cells' values.
    pub fn chunk(&self) -> &Chunk<'a> {
        &self.chunk
    }

    /// The cells' timestamps where they are not those of the rows; read them with [`time_of`].
    pub fn times(&self) -> Option<&Integers<'a>> {
        self.times.as_ref()
    }

    /// The cells' labels where they are not those of the rows: each row's place in [`Segment::labels`](super::Segment::labels).
    pub fn label_codes(&self) -> Option<&Integers<'a>> {
        self.labels.as_ref()
    }
}

/// The order of columns in a segment.
pub(super) fn compare(a: &Column<'_>, b: &Column<'_>) -> Ordering {
    compare_columns(a.name(), b.name())
}

/// A timestamp, in milliseconds, as the integer that it is kept as: the order is the same.
pub(super) fn integer_of(time: i64) -> u64 {
    time as u64 ^ 1 << 63
}

/// The timestamp, in milliseconds, of an integer of [`Segment::times`](super::Segment::times) or [`Column::times`].
pub fn time_of(integer: u128) -> i64 {
    (integer as u64 ^ 1 << 63) as i64
}
