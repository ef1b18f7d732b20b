//! The values of one column.

use std::ops::Range;

use ostracon_data::RowRanges;

use super::byte_strings::ByteStrings;
use super::dictionary::Dictionary;
use super::field::{Fields, damaged, slice};
use super::integers::{Integers, check_rows};
use super::scratch::{Opening, Scratch};
use super::validity;
use crate::{Error, Result};

/// One value or none for each row of a segment.
///
/// Every row has a slot, also without a value: what is found there then means nothing.
#[derive(Debug, Clone, Copy)]
pub struct Chunk<'a> {
    rows: usize,
    absent: usize,
    utf8: bool,
    /// A bit a row, if any is absent.
    validity: Option<&'a [u8]>,
    values: Values<'a>,
}

/// How the values of a chunk are kept.
#[derive(Debug, Clone, Copy)]
pub enum Values<'a> {
    /// All have one width of 1 to 16 bytes: as integers.
    Integers(Integers<'a>),
    /// Few distinct ones.
    Dictionary(Dictionary<'a>),
    /// Any others.
    Bytes(ByteStrings<'a>),
}

/// Bytes of the header: kind u8 | flags u8 | 0 u16 | absent u32 | validity at u32 | the kind's header.
pub(super) const HEADER: usize = 12 + super::integers::HEADER;
/// Where the kind's header starts in it.
pub(super) const KIND_HEADER: usize = 12;
pub(super) const INTEGERS: u8 = 0;
pub(super) const DICTIONARY: u8 = 1;
pub(super) const BYTES: u8 = 2;
/// Flag: every value is UTF-8.
pub(super) const UTF8: u8 = 1;

impl<'a> Chunk<'a> {
    pub(super) fn open(segment: &'a [u8], offset: usize, rows: usize, opening: Opening) -> Result<Self> {
        let item = "chunk";
        let mut fields = Fields::at(segment, offset, HEADER, item)?;
        let (kind, flags) = (fields.u8()?, fields.u8()?);
        fields.zeros::<2>()?;
        let (absent, validity_at) = (fields.place()?, fields.place()?);
        if flags & !UTF8 != 0 || absent > rows {
            return Err(damaged(item, offset));
        }
        let validity = match absent {
            0 => None,
            _ => Some(slice(segment, validity_at, rows.div_ceil(8), "validity")?),
        };
        let inner = offset + KIND_HEADER;
        let values = match kind {
            INTEGERS => Values::Integers(Integers::open(segment, inner, rows)?),
            DICTIONARY => Values::Dictionary(Dictionary::open(segment, inner, rows)?),
            BYTES => Values::Bytes(ByteStrings::open(segment, inner, rows, opening)?),
            _ => return Err(damaged(item, offset)),
        };
        Ok(Self { rows, absent, utf8: flags & UTF8 != 0, validity, values })
    }

    /// How many rows there are, with or without a value.
    pub fn len(&self) -> usize {
        self.rows
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.rows == 0
    }

    /// How many rows have no value.
    pub fn absent(&self) -> usize {
        self.absent
    }

    /// Whether every value is valid UTF-8.
    pub fn is_utf8(&self) -> bool {
        self.utf8
    }

    /// The length of every value in bytes, if it is known to be the same.
    pub fn width(&self) -> Option<usize> {
        match &self.values {
            Values::Integers(integers) => Some(integers.width()),
            Values::Dictionary(dictionary) => dictionary.width(),
            Values::Bytes(strings) => strings.width(),
        }
    }

    /// The values as they are kept.
    pub fn values(&self) -> &Values<'a> {
        &self.values
    }

    /// The integers, if the values are kept so.
    pub fn integers(&self) -> Option<&Integers<'a>> {
        if let Values::Integers(integers) = &self.values { Some(integers) } else { None }
    }

    /// The dictionary, if the values are kept so.
    pub fn dictionary(&self) -> Option<&Dictionary<'a>> {
        if let Values::Dictionary(dictionary) = &self.values { Some(dictionary) } else { None }
    }

    /// Which rows have a value, a bit each, the least significant first (Arrow's layout); `None`: all.
    pub fn validity(&self) -> Option<&'a [u8]> {
        self.validity
    }

    /// Whether a row has a value.
    #[inline]
    pub fn is_present(&self, row: usize) -> bool {
        row < self.rows && self.validity.is_none_or(|bits| validity::is_set(bits, row))
    }

    /// Sets `mask` to 1 for those of `rows` that have a value, to 0 for the others.
    ///
    /// # Errors
    /// There are no such rows, or the mask has another length.
    pub fn present(&self, rows: Range<usize>, mask: &mut [u8]) -> Result<()> {
        check_rows(self.rows, &rows, mask.len())?;
        match self.validity {
            Some(bits) => validity::expand(bits, rows.start, mask),
            None => mask.fill(1),
        }
        Ok(())
    }

    /// Sets `mask` to 1 for those of `rows` that have a value and whose value is wanted, to 0 for the others.
    ///
    /// Rows are what [`RowRanges`] is made for, but it is an algebra of byte strings: here they are values.
    ///
    /// # Errors
    /// There are no such rows, the mask has another length, or the chunk is damaged.
    pub fn contains(
        &self,
        wanted: &RowRanges,
        rows: Range<usize>,
        scratch: &mut Scratch,
        mask: &mut [u8],
    ) -> Result<()> {
        check_rows(self.rows, &rows, mask.len())?;
        match &self.values {
            _ if wanted.is_all() => return self.present(rows, mask),
            Values::Integers(integers) => integers.contains(wanted, rows.clone(), mask)?,
            Values::Dictionary(dictionary) => dictionary.contains(wanted, rows.clone(), mask)?,
            Values::Bytes(strings) => {
                let mut places = mask.iter_mut();
                strings.for_each(rows.clone(), scratch, |_, value| {
                    if let Some(held) = places.next() {
                        *held = u8::from(wanted.contains(value));
                    }
                })?;
            }
        }
        if let Some(bits) = self.validity {
            validity::and(bits, rows.start, mask);
        }
        Ok(())
    }

    /// The value of a row, if it has one.
    ///
    /// # Errors
    /// There is no such row, or the chunk is damaged.
    pub fn value<'s>(&self, row: usize, scratch: &'s mut Scratch) -> Result<Option<&'s [u8]>>
    where
        'a: 's,
    {
        if row >= self.rows {
            return Err(Error::RowsOutOfRange {
                start: row,
                end: row.saturating_add(1),
                room: 1,
                rows: self.rows,
            });
        }
        if !self.is_present(row) {
            return Ok(None);
        }
        match &self.values {
            Values::Integers(integers) => {
                scratch.integer = integers.value(row)?.to_be_bytes();
                Ok(Some(scratch.integer.get(16 - integers.width()..).unwrap_or_default()))
            }
            Values::Dictionary(dictionary) => dictionary.value(row).map(Some),
            Values::Bytes(strings) => strings.value(row, scratch).map(Some),
        }
    }

    /// Shows `visit` the values of the rows `hits`, each with its place among the hits; `None` where there is none.
    ///
    /// Blocks of text are opened once each if the hits ascend.
    ///
    /// # Errors
    /// There is no such row, or the chunk is damaged.
    pub fn bytes_at(
        &self,
        hits: &[u32],
        scratch: &mut Scratch,
        mut visit: impl FnMut(usize, Option<&[u8]>),
    ) -> Result<()> {
        let held = |place: usize| hits.get(place).is_some_and(|hit| self.is_present(*hit as usize));
        match &self.values {
            Values::Bytes(strings) => {
                strings.at(hits, scratch, |place, value| visit(place, held(place).then_some(value)))
            }
            _ => hits.iter().enumerate().try_for_each(|(place, hit)| {
                visit(place, self.value(*hit as usize, scratch)?);
                Ok(())
            }),
        }
    }
}
