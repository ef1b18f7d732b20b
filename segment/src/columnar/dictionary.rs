//! Columns of few distinct values.

use std::ops::Range;

use ostracon_data::{RowRange, RowRanges};

use super::field::{Fields, damaged, slice, tail};
use super::integers::{IntegerSpace, Integers};
use crate::packing;
use crate::{Error, Result};

/// Distinct byte strings in ascending order, and for each row the number of its own, its *code*.
///
/// So the order of codes is the order of values. Absent rows have some code too.
#[derive(Debug, Clone, Copy)]
pub struct Dictionary<'a> {
    /// The end of each entry in `data`, u32 LE.
    ends: &'a [[u8; 4]],
    data: &'a [u8],
    codes: Integers<'a>,
    width: Option<u32>,
    offset: usize,
}

/// Bytes of the header: width u32 | entries u32 | ends at u32 | data u32 | codes' bits u8 | 0 u24 | codes at u32.
pub(super) const HEADER: usize = 24;
/// The width of entries of several lengths.
pub(super) const ANY_WIDTH: u32 = u32::MAX;

impl<'a> Dictionary<'a> {
    pub(super) fn open(segment: &'a [u8], offset: usize, rows: usize) -> Result<Self> {
        let item = "dictionary";
        let mut fields = Fields::at(segment, offset, HEADER, item)?;
        let width = Some(fields.u32()?).filter(|width| *width != ANY_WIDTH);
        let (entries, ends_at, data_len) = (fields.place()?, fields.place()?, fields.place()?);
        let bits = fields.u8()?;
        fields.zeros::<3>()?;
        let codes_at = fields.place()?;
        let top = (entries as u64).checked_sub(1).ok_or(damaged(item, offset))?;
        if packing::bits_for(top) > bits || bits > 32 {
            return Err(damaged(item, offset));
        }
        let ends_len = entries.checked_mul(4).ok_or(damaged(item, offset))?;
        let (ends, _) = slice(segment, ends_at, ends_len, item)?.as_chunks();
        let data = tail(segment, ends_at + ends_len, item)?.get(..data_len).ok_or(damaged(item, ends_at))?;
        let space = IntegerSpace { width: 4, base: 0, step: 1, top };
        let codes = Integers::of_parts(segment, codes_at, rows, bits, space)?;
        Ok(Self { ends, data, codes, width, offset })
    }

    /// How many entries there are; at least one.
    pub fn entries(&self) -> usize {
        self.ends.len()
    }

    /// The entry of a code.
    ///
    /// # Errors
    /// There is no such entry.
    #[inline]
    pub fn entry(&self, code: usize) -> Result<&'a [u8]> {
        let end = self.ends.get(code).map(|end| u32::from_le_bytes(*end) as usize);
        let start = match code.checked_sub(1) {
            Some(before) => self.ends.get(before).map_or(0, |end| u32::from_le_bytes(*end) as usize),
            None => 0,
        };
        end.and_then(|end| self.data.get(start..end)).ok_or(damaged("dictionary entry", self.offset))
    }

    /// Shows `visit` the entries in order.
    ///
    /// # Errors
    /// The dictionary is damaged, or `visit` fails.
    pub fn for_each_entry<E: From<Error>>(
        &self,
        mut visit: impl FnMut(usize, &'a [u8]) -> std::result::Result<(), E>,
    ) -> std::result::Result<(), E> {
        (0..self.entries()).try_for_each(|code| visit(code, self.entry(code)?))
    }

    /// The rows' codes: integers with base 0 and step 1.
    pub fn codes(&self) -> &Integers<'a> {
        &self.codes
    }

    /// The value of a row.
    ///
    /// # Errors
    /// There is no such row, or its code has no entry.
    #[inline]
    pub fn value(&self, row: usize) -> Result<&'a [u8]> {
        self.entry(self.codes.get(row)? as usize)
    }

    /// The length of every entry in bytes, if it is the same.
    pub fn width(&self) -> Option<usize> {
        self.width.map(|width| width as usize)
    }

    /// Sets `mask` to 1 for those of `rows` whose value is wanted, to 0 for the others; absent rows get either.
    ///
    /// # Errors
    /// There are no such rows, the mask has another length, or the dictionary is damaged.
    pub fn contains(&self, wanted: &RowRanges, rows: Range<usize>, mask: &mut [u8]) -> Result<()> {
        super::integers::check_rows(self.codes.len(), &rows, mask.len())?;
        let RowRanges::Set(ranges) = wanted else {
            mask.fill(1);
            return Ok(());
        };
        let mut table = vec![0; self.entries()];
        for range in ranges {
            let held = self.codes_of(range)?;
            if let Some(held) = table.get_mut(held) {
                held.fill(1);
            }
        }
        self.where_entry(&table, rows, mask)
    }

    /// Sets `mask` to the table's entry for each row's code: how the answers of a test that was run once per entry, 0 or 1
    /// each, become a mask of rows.
    ///
    /// # Errors
    /// There are no such rows, or the mask has another length.
    pub fn where_entry(&self, table: &[u8], rows: Range<usize>, mask: &mut [u8]) -> Result<()> {
        super::integers::check_rows(self.codes.len(), &rows, mask.len())?;
        if table.iter().all(|held| *held == 0) {
            mask.fill(0);
            return Ok(());
        }
        if table.len() == self.entries() && table.iter().all(|held| *held == 1) {
            mask.fill(1);
            return Ok(());
        }
        let codes = &self.codes;
        packing::in_table(codes.packed(), codes.bits(), codes.len(), rows, table, mask)
            .map_err(|problem| codes.refused(problem))
    }

    /// The codes whose entries lie in a range.
    fn codes_of(&self, range: &RowRange) -> Result<Range<usize>> {
        let start = self.first_not_below(&range.start)?;
        let end = match &range.end {
            Some(end) => self.first_not_below(end)?,
            None => self.entries(),
        };
        Ok(start..end.max(start))
    }

    fn first_not_below(&self, bytes: &[u8]) -> Result<usize> {
        let (mut low, mut high) = (0, self.entries());
        while low < high {
            let middle = low + (high - low) / 2;
            if self.entry(middle)? < bytes { low = middle + 1 } else { high = middle }
        }
        Ok(low)
    }
}
