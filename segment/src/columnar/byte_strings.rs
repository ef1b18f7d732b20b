//! Columns of many distinct byte strings: small blocks, each compressed alone.

use std::ops::Range;

use super::field::{Fields, damaged, slice, tail};
use super::integers::{IntegerSpace, Integers, check_rows};
use super::scratch::{OpenBlock, Scratch};
use crate::{Error, Result};

/// Byte strings, a power of two of them to a block. Absent rows have the empty one.
#[derive(Debug, Clone, Copy)]
pub struct ByteStrings<'a> {
    lengths: Integers<'a>,
    /// The end of each block's stored bytes in `data`, u32 LE.
    ends: &'a [[u8; 4]],
    data: &'a [u8],
    /// log2 of the rows in a block.
    shift: u8,
    /// Which opening of a segment this belongs to.
    opening: u64,
    offset: usize,
}

/// Bytes of the header: codec u8 | shift u8 | lengths' bits u8 | 0 u8 | least length u32 | lengths at u32 | blocks at u32.
pub(super) const HEADER: usize = 16;
/// The codec of blocks that are LZ4 where that is shorter than the bytes themselves, and those bytes otherwise.
pub(super) const LZ4: u8 = 1;
/// The most that one byte of LZ4 stands for.
const LZ4_LIMIT: usize = 255;
/// Blocks of up to 256 rows.
pub(super) const MAX_SHIFT: u8 = 8;

impl<'a> ByteStrings<'a> {
    pub(super) fn open(segment: &'a [u8], offset: usize, rows: usize, opening: u64) -> Result<Self> {
        let item = "byte strings";
        let mut fields = Fields::at(segment, offset, HEADER, item)?;
        let (codec, shift, bits) = (fields.u8()?, fields.u8()?, fields.u8()?);
        fields.zeros::<1>()?;
        let (least, lengths_at, blocks_at) = (fields.u32()?, fields.place()?, fields.place()?);
        if codec != LZ4 || shift > MAX_SHIFT || bits > 32 {
            return Err(damaged(item, offset));
        }
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

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.lengths.len()
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.lengths.is_empty()
    }

    /// The length of every row's bytes, if it is the same; absent rows count with 0.
    pub fn width(&self) -> Option<usize> {
        (self.lengths.bits() == 0).then(|| self.lengths.base() as usize)
    }

    /// The bytes of a row.
    ///
    /// # Errors
    /// There is no such row, or its block is damaged.
    pub fn value<'s>(&self, row: usize, scratch: &'s mut Scratch) -> Result<&'s [u8]>
    where
        'a: 's,
    {
        let Range { start, .. } = self.rows_of(row >> self.shift);
        let found = self.block(row >> self.shift, scratch)?.value(row - start);
        found.ok_or(Error::RowsOutOfRange {
            start: row,
            end: row.saturating_add(1),
            room: 1,
            rows: self.len(),
        })
    }

    /// Shows `visit` the bytes of the rows `hits` with their place among the hits; each block is opened once if the hits
    /// ascend.
    ///
    /// # Errors
    /// There is no such row, or a block is damaged.
    pub fn at(&self, hits: &[u32], scratch: &mut Scratch, mut visit: impl FnMut(usize, &[u8])) -> Result<()> {
        let mut place = 0;
        for same_block in hits.chunk_by(|a, b| a >> self.shift == b >> self.shift) {
            let Some(&first) = same_block.first() else { continue };
            let index = first as usize >> self.shift;
            let start = self.rows_of(index).start;
            let block = self.block(index, scratch)?;
            for &hit in same_block {
                let row = hit as usize;
                let value = block.value(row - start).ok_or(Error::RowsOutOfRange {
                    start: row,
                    end: row + 1,
                    room: 1,
                    rows: self.len(),
                })?;
                visit(place, value);
                place += 1;
            }
        }
        Ok(())
    }

    /// Shows `visit` the bytes of `rows` in order, with the row.
    ///
    /// # Errors
    /// There are no such rows, or a block is damaged.
    pub fn for_each(
        &self,
        rows: Range<usize>,
        scratch: &mut Scratch,
        mut visit: impl FnMut(usize, &[u8]),
    ) -> Result<()> {
        check_rows(self.len(), &rows, rows.len())?;
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

    /// Appends the bytes of `rows` to `data` and their ends in it to `ends`: Arrow's layout, if `ends` starts with one 0.
    ///
    /// # Errors
    /// There are no such rows, a block is damaged, or `data` would grow beyond 2 GiB.
    pub fn append(
        &self,
        rows: Range<usize>,
        scratch: &mut Scratch,
        ends: &mut Vec<i32>,
        data: &mut Vec<u8>,
    ) -> Result<()> {
        let mut fits = true;
        self.for_each(rows, scratch, |_, value| {
            data.extend_from_slice(value);
            let end = i32::try_from(data.len());
            fits &= end.is_ok();
            ends.push(end.unwrap_or(i32::MAX));
        })?;
        if fits { Ok(()) } else { Err(Error::TooMuchAtOnce { bytes: data.len() }) }
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
        let end = end.ok_or(Error::RowsOutOfRange {
            start: index << self.shift,
            end: 0,
            room: 1,
            rows: self.len(),
        })?;
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
