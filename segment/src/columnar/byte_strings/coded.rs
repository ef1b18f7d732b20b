//! Byte strings compressed one by one.

use std::ops::Range;

use super::{Header, end_of};
use crate::Result;
use crate::columnar::field::{damaged, slice, tail};
use crate::columnar::integers::{IntegerSpace, Integers};
use crate::columnar::scratch::Scratch;
use crate::fsst::Symbols;

/// Codes one string after the other, and where they are: the end of each group of [`GROUP`] rows, and each row's length.
#[derive(Debug, Clone, Copy)]
pub(super) struct Coded<'a> {
    symbols: Symbols<'a>,
    codes: &'a [u8],
    lengths: Integers<'a>,
    group_ends: Integers<'a>,
    offset: usize,
}

/// Finding a row adds up to so many lengths.
pub(in crate::columnar) const GROUP: usize = 16;

impl<'a> Coded<'a> {
    /// The header's small fields are symbols, bits of lengths, bits of ends; its places are the least length, and where the lengths,
    /// the ends and the symbols are (the codes follow), and the length of the codes.
    pub(super) fn open(segment: &'a [u8], offset: usize, header: &Header, rows: usize) -> Result<Self> {
        let item = "compressed strings";
        let [count, length_bits, end_bits] = header.small;
        let [least, lengths_at, ends_at, symbols_at, codes_len] = header.places;
        if length_bits > 32 || end_bits > 32 {
            return Err(damaged(item, offset));
        }
        let integers = |at: u32, rows, bits, base: u32| {
            let space =
                IntegerSpace { width: 4, base: u128::from(base), step: 1, top: u64::from(u32::MAX - base) };
            Integers::of_parts(segment, at as usize, rows, bits, space)
        };
        let lengths = integers(lengths_at, rows, length_bits, least)?;
        let group_ends = integers(ends_at, rows.div_ceil(GROUP), end_bits, 0)?;
        let table_len = Symbols::byte_len(count);
        let table = slice(segment, symbols_at as usize, table_len, item)?;
        let symbols = Symbols::new(table, count).ok_or(damaged(item, offset))?;
        let codes = tail(segment, symbols_at as usize + table_len, item)?;
        let codes = codes.get(..codes_len as usize).ok_or(damaged(item, offset))?;
        Ok(Self { symbols, codes, lengths, group_ends, offset })
    }

    fn bad(&self) -> crate::Error {
        damaged("compressed strings", self.offset)
    }

    fn group_start(&self, row: usize) -> Result<usize> {
        match (row / GROUP).checked_sub(1) {
            Some(before) => self.group_ends.get(before).map(|end| end as usize),
            None => Ok(0),
        }
    }

    fn length(&self, row: usize) -> Result<usize> {
        Ok((self.lengths.get(row)?.wrapping_add(self.lengths.base() as u64)) as usize)
    }

    /// Where the codes of a row start.
    fn start(&self, row: usize) -> Result<usize> {
        let mut start = self.group_start(row)?;
        for before in row / GROUP * GROUP..row {
            start = start.saturating_add(self.length(before)?);
        }
        Ok(start)
    }

    fn codes_of(&self, start: usize, length: usize) -> Result<&'a [u8]> {
        self.codes.get(start..start.saturating_add(length)).ok_or(self.bad())
    }

    pub(super) fn value<'s>(&self, row: usize, scratch: &'s mut Scratch) -> Result<&'s [u8]>
    where
        'a: 's,
    {
        let codes = self.codes_of(self.start(row)?, self.length(row)?)?;
        self.decode(codes, &mut scratch.value)
    }

    fn decode<'s>(&self, codes: &[u8], room: &'s mut Vec<u8>) -> Result<&'s [u8]> {
        let needed = Symbols::room_for(codes.len());
        if room.len() < needed {
            room.resize(needed, 0);
        }
        let length = self.symbols.decode(codes, room).ok_or(self.bad())?;
        room.get(..length).ok_or(self.bad())
    }

    pub(super) fn at(
        &self,
        hits: &[u32],
        scratch: &mut Scratch,
        mut visit: impl FnMut(usize, &[u8]),
    ) -> Result<()> {
        // Rows that follow each other closely continue where the one before ended.
        let (mut next, mut start) = (usize::MAX, 0);
        for (place, &hit) in hits.iter().enumerate() {
            let row = hit as usize;
            if row < next || row - next >= GROUP {
                start = self.start(row)?;
            } else {
                for between in next..row {
                    start = start.saturating_add(self.length(between)?);
                }
            }
            let length = self.length(row)?;
            visit(place, self.decode(self.codes_of(start, length)?, &mut scratch.value)?);
            (next, start) = (row + 1, start + length);
        }
        Ok(())
    }

    /// Shows `visit` the codes of rows that are there.
    fn for_each_code(
        &self,
        rows: Range<usize>,
        lengths: &mut Vec<u32>,
        mut visit: impl FnMut(usize, &[u8]) -> Result<()>,
    ) -> Result<()> {
        if rows.is_empty() {
            return Ok(());
        }
        lengths.clear();
        self.lengths.unpack_u32(rows.clone(), lengths)?;
        let least = self.lengths.base() as usize;
        let mut start = self.start(rows.start)?;
        for (row, &length) in rows.zip(lengths.iter()) {
            let codes = self.codes_of(start, least.saturating_add(length as usize))?;
            start += codes.len();
            visit(row, codes)?;
        }
        Ok(())
    }

    pub(super) fn for_each(
        &self,
        rows: Range<usize>,
        scratch: &mut Scratch,
        mut visit: impl FnMut(usize, &[u8]),
    ) -> Result<()> {
        let Scratch { value, lengths, .. } = scratch;
        self.for_each_code(rows, lengths, |row, codes| {
            visit(row, self.decode(codes, value)?);
            Ok(())
        })
    }

    pub(super) fn append(
        &self,
        rows: Range<usize>,
        scratch: &mut Scratch,
        ends: &mut Vec<i32>,
        data: &mut Vec<u8>,
    ) -> Result<()> {
        /// So much room is made at once.
        const ROOM: usize = 1 << 14;
        let mut end = data.len();
        let appended = self.for_each_code(rows, &mut scratch.lengths, |_, codes| {
            let needed = Symbols::room_for(codes.len());
            if data.len() - end < needed {
                data.resize(end + needed + ROOM, 0);
            }
            let room = data.get_mut(end..).unwrap_or_default();
            end += self.symbols.decode(codes, room).ok_or(self.bad())?;
            ends.push(end_of(end)?);
            Ok(())
        });
        data.truncate(end);
        appended
    }
}
