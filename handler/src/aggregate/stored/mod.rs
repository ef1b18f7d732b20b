//! Rows of a segment, added up as they are kept: no arrays are made of them.
//!
//! Numbers are taken from the packed integers of the columns, with the bounds that these have; groups are told by the codes
//! of dictionaries and packed integers, one look-up of a group for each that occurs in a segment. Where a segment keeps
//! a column in another way, its rows go through record batches like any others.

mod keys;
mod numbers;
mod rows;
#[cfg(test)]
mod tests;

use ostracon_segment::Segment;
use ostracon_tablets::SegmentHits;

use self::keys::LocalGroups;
use self::numbers::StoredNumbers;
use self::rows::Rows;
use super::batch::PartialStates;
use super::kernel::{Block, Column, GroupIds, Refusal, Values};
use crate::error::Result;
use crate::rows::{RowDecoder, StoredColumn};

type Read<T> = std::result::Result<T, ostracon_segment::Error>;

/// What is asked of a column of the scan's output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Asked {
    /// Nothing but its place in the output.
    Nothing,
    /// Which rows have a value.
    Presence,
    Numbers,
}

/// Memory that is kept from segment to segment.
#[derive(Debug, Default)]
pub(super) struct StoredBuffers {
    /// The group of each row within the segment.
    ids: Vec<u16>,
    /// The groups of the whole.
    groups: Vec<u32>,
    columns: Vec<ColumnBuffer>,
    packed: Packed,
}

#[derive(Debug, Default)]
struct ColumnBuffer {
    values: Vec<i64>,
    present: Vec<u8>,
}

/// Unpacked integers.
#[derive(Debug, Default)]
struct Packed {
    bytes: Vec<u8>,
    shorts: Vec<u16>,
    words: Vec<u32>,
    longs: Vec<u64>,
}

/// A column of the scan's output in the segment.
enum Taken<'s> {
    Nothing,
    Presence(StoredColumn<'s>),
    Numbers(StoredColumn<'s>, StoredNumbers<'s>),
}

impl PartialStates {
    /// Adds rows of a segment; `None`, and nothing done, if they have to go through a record batch. The inner error is as
    /// that of [`add`](Self::add).
    ///
    /// # Errors
    /// The segment is damaged.
    pub(super) fn add_hits(
        &mut self,
        decoder: &RowDecoder,
        hits: &SegmentHits<'_>,
    ) -> Result<Option<std::result::Result<(), Refusal>>> {
        if !self.spec.texts.is_empty() || !decoder.reads_by_column() {
            return Ok(None);
        }
        let segment = hits.segment();
        let grouped = !self.spec.groups.is_empty();
        let Some(rows) = Rows::of(hits.rows(), grouped) else { return Ok(None) };
        let mut taken = Vec::with_capacity(self.asked.len());
        for (column, asked) in self.asked.iter().enumerate() {
            match Taken::of(decoder, column, *asked, segment) {
                Some(column) => taken.push(column),
                None => return Ok(None),
            }
        }
        let Some(local) = LocalGroups::of(decoder, &self.spec.groups, segment) else { return Ok(None) };
        let mut buffers = std::mem::take(&mut self.stored);
        let added = self.add_stored(&local, &taken, rows, &mut buffers);
        self.stored = buffers;
        added.map(Some).map_err(|source| hits.damaged(source).into())
    }

    fn add_stored(
        &mut self,
        local: &LocalGroups<'_>,
        taken: &[Taken<'_>],
        rows: Rows<'_>,
        buffers: &mut StoredBuffers,
    ) -> Read<std::result::Result<(), Refusal>> {
        let StoredBuffers { ids, groups, columns, packed } = buffers;
        let one_group = self.spec.groups.is_empty();
        if one_group {
            groups.clear();
            groups.push(0);
        } else {
            local.ids(&rows, packed, ids)?;
            if let Err(refusal) = local.number(ids, &mut self.groups, groups)? {
                return Ok(Err(refusal));
            }
        }
        self.tally.reserve_groups(self.groups.len());
        columns.resize_with(taken.len(), ColumnBuffer::default);
        for (at, part) in rows.blocks() {
            for (column, buffer) in taken.iter().zip(&mut *columns) {
                column.read(&part, packed, buffer)?;
            }
            let read: Vec<Column<'_>> =
                taken.iter().zip(&*columns).map(|(column, buffer)| column.column(buffer)).collect();
            let ids = if one_group {
                GroupIds::One
            } else {
                GroupIds::Each(ids.get(at..at + part.len()).unwrap_or_default())
            };
            let block = Block { rows: part.len(), columns: &read, ids, groups };
            if let Err(refusal) = self.tally.add(&block) {
                return Ok(Err(refusal));
            }
        }
        Ok(Ok(()))
    }
}

impl<'s> Taken<'s> {
    fn of(decoder: &RowDecoder, column: usize, asked: Asked, segment: &'s Segment<'s>) -> Option<Self> {
        if asked == Asked::Nothing {
            return Some(Self::Nothing);
        }
        let stored = decoder.stored(column, segment)?;
        Some(match asked {
            Asked::Numbers => Self::Numbers(stored, StoredNumbers::of(&stored)?),
            _ => Self::Presence(stored.is_clean().then_some(stored)?),
        })
    }

    /// Reads what is asked of some rows.
    fn read(&self, rows: &Rows<'_>, packed: &mut Packed, buffer: &mut ColumnBuffer) -> Read<()> {
        let (Self::Presence(stored) | Self::Numbers(stored, _)) = self else { return Ok(()) };
        rows.present(stored, &mut buffer.present)?;
        match self {
            Self::Numbers(_, numbers) => numbers.read(rows, packed, &mut buffer.values),
            _ => Ok(()),
        }
    }

    /// What was read, as a column of a block.
    fn column<'b>(&self, buffer: &'b ColumnBuffer) -> Column<'b> {
        let present = (!buffer.present.is_empty()).then_some(buffer.present.as_slice());
        match self {
            Self::Nothing => Column::EMPTY,
            Self::Presence(_) => Column { present, ..Column::EMPTY },
            Self::Numbers(_, numbers) => {
                Column { values: Values::Narrow(&buffer.values), bounds: numbers.bounds(), present }
            }
        }
    }
}
