//! Byte strings in small blocks, each compressed alone.

use std::ops::Range;

use super::{Header, end_of};
use crate::Result;
use crate::columnar::field::{damaged, slice, tail};
use crate::columnar::integers::{IntegerSpace, Integers};
use crate::columnar::rows::no_such_row;
use crate::columnar::scratch::{OpenBlock, Opening, Scratch};

/// Byte strings, a power of two of them to a block. A block is LZ4 where that is shorter than its bytes themselves.
#[derive(Debug, Clone, Copy)]
pub(super) struct Blocks<'a> {
    lengths: Integers<'a>,
    /// The end of each block's stored bytes in `data`, u32 LE.
    ends: &'a [[u8; 4]],
    data: &'a [u8],
    /// log2 of the rows in a block.
    shift: u8,
    /// Which opening of a segment this belongs to.
    opening: Opening,
    offset: usize,
}

/// The most that one byte of LZ4 stands for.
const LZ4_LIMIT: usize = 255;
/// Blocks of up to 256 rows.
pub(in crate::columnar) const MAX_SHIFT: u8 = 8;

impl<'a> Blocks<'a> {
    /// The header's small fields are log2 of the rows in a block, and bits of lengths; its places are the least length, and where
    /// the lengths and the blocks' ends are (the blocks follow).
    pub(super) fn open(
        segment: &'a [u8],
        offset: usize,
        header: &Header,
        rows: usize,
        opening: Opening,
    ) -> Result<Self> {
        let item = "byte strings";
        let [shift, bits, zero] = header.small;
        let [least, lengths_at, blocks_at, zeros @ ..] = header.places;
        if shift > MAX_SHIFT || bits > 32 || zero != 0 || zeros != [0, 0] {
            return Err(damaged(item, offset));
        }
        let (lengths_at, blocks_at) = (lengths_at as usize, blocks_at as usize);
        let top = u64::from(u32::MAX - least);
        let space = IntegerSpace { width: 4, base: u128::from(least), step: 1, top };
        let lengths = Integers::of_parts(segment, lengths_at, rows, bits, space)?;
        let blocks = rows.div_ceil(1 << shift);
        let ends_len = blocks.checked_mul(4).ok_or(damaged(item, offset))?;
        let (ends, _) = slice(segment, blocks_at, ends_len, item)?.as_chunks();
        let data = tail(segment, blocks_at + ends_len, item)?;
        let data_len = ends.last().map_or(0, |end| u32::from_le_bytes(*end) as usize);
        let data = data.get(..data_len).ok_or(damaged(item, blocks_at))?;
        Ok(Self { lengths, ends, data, shift, opening, offset: blocks_at })
    }

    pub(super) fn value<'s>(&self, row: usize, scratch: &'s mut Scratch) -> Result<&'s [u8]>
    where
        'a: 's,
    {
        let Range { start, .. } = self.rows_of(row >> self.shift);
        let found = self.block(row >> self.shift, scratch)?.value(row - start);
        found.ok_or(no_such_row(row, self.len()))
    }

    fn len(&self) -> usize {
        self.lengths.len()
    }

    pub(super) fn at(
        &self,
        hits: &[u32],
        scratch: &mut Scratch,
        mut visit: impl FnMut(usize, &[u8]),
    ) -> Result<()> {
        let mut place = 0;
        for same_block in hits.chunk_by(|a, b| a >> self.shift == b >> self.shift) {
            let Some(&first) = same_block.first() else { continue };
            let index = first as usize >> self.shift;
            let start = self.rows_of(index).start;
            let block = self.block(index, scratch)?;
            for &hit in same_block {
                let row = hit as usize;
                visit(place, block.value(row - start).ok_or(no_such_row(row, self.len()))?);
                place += 1;
            }
        }
        Ok(())
    }

    pub(super) fn for_each(
        &self,
        rows: Range<usize>,
        scratch: &mut Scratch,
        mut visit: impl FnMut(usize, &[u8]),
    ) -> Result<()> {
        let mut row = rows.start;
        while row < rows.end {
            let index = row >> self.shift;
            let held = self.rows_of(index);
            let block = self.block(index, scratch)?;
            for row in row..held.end.min(rows.end) {
                visit(row, block.value(row - held.start).ok_or(damaged("block", self.offset))?);
            }
            row = held.end;
        }
        Ok(())
    }

    pub(super) fn append(
        &self,
        rows: Range<usize>,
        scratch: &mut Scratch,
        ends: &mut Vec<i32>,
        data: &mut Vec<u8>,
    ) -> Result<()> {
        let mut row = rows.start;
        while row < rows.end {
            let index = row >> self.shift;
            let held = self.rows_of(index);
            let block = self.block(index, scratch)?;
            let upto = held.end.min(rows.end);
            let (first, last) = (row - held.start, upto - held.start);
            let start =
                first.checked_sub(1).and_then(|before| block.ends.get(before)).map_or(0, |end| *end as usize);
            let bytes = block.data.get(start..).unwrap_or_default();
            let before = data.len();
            let here = block.ends.get(first..last).unwrap_or_default();
            let length = here.last().map_or(0, |end| *end as usize - start);
            data.extend_from_slice(bytes.get(..length).ok_or(damaged("block", self.offset))?);
            end_of(data.len())?;
            // None is greater than the last one, which has been checked.
            ends.extend(here.iter().map(|end| (before + *end as usize - start) as i32));
            row = held.end;
        }
        Ok(())
    }

    fn rows_of(&self, block: usize) -> Range<usize> {
        let start = block << self.shift;
        start..(start + (1 << self.shift)).min(self.len())
    }

    /// The block, opened unless it was the last one opened here.
    fn block<'s>(&self, index: usize, scratch: &'s mut Scratch) -> Result<Block<'s>>
    where
        'a: 's,
    {
        let open = scratch.block_of(self.opening, self.offset);
        if open.index != Some(index) {
            open.index = None;
            self.open_block(index, open)?;
            open.index = Some(index);
        }
        let data = match open.stored.clone() {
            Some(stored) => self.data.get(stored).unwrap_or_default(),
            None => open.data.as_slice(),
        };
        Ok(Block { data, ends: &open.ends })
    }

    fn open_block(&self, index: usize, open: &mut OpenBlock) -> Result<()> {
        let bad = || damaged("block", self.offset);
        let end = self.ends.get(index).map(|end| u32::from_le_bytes(*end) as usize);
        let end = end.ok_or_else(bad)?;
        let before = index.checked_sub(1).and_then(|before| self.ends.get(before));
        let start = before.map_or(0, |end| u32::from_le_bytes(*end) as usize);
        let stored = self.data.get(start..end).ok_or_else(bad)?;
        open.ends.clear();
        self.lengths.unpack_u32(self.rows_of(index), &mut open.ends)?;
        let (least, mut total) = (self.lengths.base() as u64, 0u64);
        for end in &mut open.ends {
            total += least + u64::from(*end);
            // Blocks of 4 GiB or more are not written, and refused below.
            *end = total as u32;
        }
        let total =
            usize::try_from(total).ok().filter(|total| u32::try_from(*total).is_ok()).ok_or_else(bad)?;
        if stored.len() == total {
            open.stored = Some(start..end);
            return Ok(());
        }
        if total > stored.len().saturating_mul(LZ4_LIMIT) {
            return Err(bad());
        }
        open.stored = None;
        open.data.clear();
        open.data.resize(total, 0);
        match lz4_flex::block::decompress_into(stored, &mut open.data) {
            Ok(length) if length == total => Ok(()),
            _ => Err(bad()),
        }
    }
}

/// The bytes of an open block.
#[derive(Debug, Clone, Copy)]
struct Block<'s> {
    data: &'s [u8],
    /// The end of each row's bytes.
    ends: &'s [u32],
}

impl<'s> Block<'s> {
    #[inline]
    fn value(&self, index: usize) -> Option<&'s [u8]> {
        let end = *self.ends.get(index)? as usize;
        let start = match index.checked_sub(1) {
            Some(before) => *self.ends.get(before)? as usize,
            None => 0,
        };
        self.data.get(start..end)
    }
}
