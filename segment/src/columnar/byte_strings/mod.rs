//! Columns of many distinct byte strings.

mod blocks;
mod coded;

use std::ops::Range;

use self::blocks::Blocks;
use self::coded::Coded;
use super::field::{Fields, damaged};
use super::integers::check_rows;
use super::rows::no_such_row;
use super::scratch::{Opening, Scratch};
use crate::{Error, Result};

/// Byte strings, compressed. Absent rows have the empty one.
#[derive(Debug, Clone, Copy)]
pub struct ByteStrings<'a> {
    rows: usize,
    width: Option<u32>,
    codec: Codec<'a>,
}

/// How they are compressed.
#[derive(Debug, Clone, Copy)]
enum Codec<'a> {
    /// Many in a block, by LZ4.
    Blocks(Blocks<'a>),
    /// One by one, by FSST.
    Coded(Coded<'a>),
}

/// Bytes of the header: codec u8 | the codec's 3 u8 | width u32 | the codec's 5 u32.
pub(super) const HEADER: usize = 28;
pub(super) const LZ4: u8 = 1;
pub(super) const FSST: u8 = 2;
/// The width of strings of several lengths.
pub(super) const ANY_WIDTH: u32 = u32::MAX;
pub(super) use blocks::MAX_SHIFT;
pub(super) use coded::GROUP;

/// The header of byte strings.
#[derive(Debug, Clone, Copy)]
pub(super) struct Header {
    pub(super) codec: u8,
    pub(super) small: [u8; 3],
    pub(super) width: Option<u32>,
    pub(super) places: [u32; 5],
}

impl Header {
    fn read(segment: &[u8], offset: usize) -> Result<Self> {
        let mut fields = Fields::at(segment, offset, HEADER, "byte strings")?;
        let codec = fields.u8()?;
        let small = [fields.u8()?, fields.u8()?, fields.u8()?];
        let width = Some(fields.u32()?).filter(|width| *width != ANY_WIDTH);
        let places = [fields.u32()?, fields.u32()?, fields.u32()?, fields.u32()?, fields.u32()?];
        Ok(Self { codec, small, width, places })
    }

    pub(super) fn bytes(&self) -> [u8; HEADER] {
        let mut header = [0; HEADER];
        let fields = std::iter::once(self.codec)
            .chain(self.small)
            .chain(self.width.unwrap_or(ANY_WIDTH).to_le_bytes())
            .chain(self.places.into_iter().flat_map(u32::to_le_bytes));
        header.iter_mut().zip(fields).for_each(|(byte, field)| *byte = field);
        header
    }
}

impl<'a> ByteStrings<'a> {
    pub(super) fn open(segment: &'a [u8], offset: usize, rows: usize, opening: Opening) -> Result<Self> {
        let header = Header::read(segment, offset)?;
        let codec = match header.codec {
            LZ4 => Codec::Blocks(Blocks::open(segment, offset, &header, rows, opening)?),
            FSST => Codec::Coded(Coded::open(segment, offset, &header, rows)?),
            _ => return Err(damaged("byte strings", offset)),
        };
        Ok(Self { rows, width: header.width, codec })
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.rows
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.rows == 0
    }

    /// The length of every value in bytes, if it is the same.
    pub fn width(&self) -> Option<usize> {
        self.width.map(|width| width as usize)
    }

    /// The bytes of a row.
    ///
    /// # Errors
    /// There is no such row, or what it is read from is damaged.
    pub fn value<'s>(&self, row: usize, scratch: &'s mut Scratch) -> Result<&'s [u8]>
    where
        'a: 's,
    {
        if row >= self.rows {
            return Err(no_such_row(row, self.rows));
        }
        match &self.codec {
            Codec::Blocks(blocks) => blocks.value(row, scratch),
            Codec::Coded(coded) => coded.value(row, scratch),
        }
    }

    /// Shows `visit` the bytes of the rows `hits` with their place among the hits.
    ///
    /// What neighbouring rows share is opened once if the hits ascend.
    ///
    /// # Errors
    /// There is no such row, or what it is read from is damaged; `visit` may have seen some then.
    pub fn at(&self, hits: &[u32], scratch: &mut Scratch, visit: impl FnMut(usize, &[u8])) -> Result<()> {
        if let Some(&row) = hits.iter().max()
            && row as usize >= self.rows
        {
            return Err(no_such_row(row as usize, self.rows));
        }
        match &self.codec {
            Codec::Blocks(blocks) => blocks.at(hits, scratch, visit),
            Codec::Coded(coded) => coded.at(hits, scratch, visit),
        }
    }

    /// Shows `visit` the bytes of `rows` in order, with the row.
    ///
    /// # Errors
    /// There are no such rows, or what they are read from is damaged.
    pub fn for_each(
        &self,
        rows: Range<usize>,
        scratch: &mut Scratch,
        visit: impl FnMut(usize, &[u8]),
    ) -> Result<()> {
        check_rows(self.rows, &rows, rows.len())?;
        match &self.codec {
            Codec::Blocks(blocks) => blocks.for_each(rows, scratch, visit),
            Codec::Coded(coded) => coded.for_each(rows, scratch, visit),
        }
    }

    /// Appends the bytes of `rows` to `data` and their ends in it to `ends`: Arrow's layout, if `ends` starts with one 0.
    ///
    /// # Errors
    /// There are no such rows, what they are read from is damaged, or `data` would grow beyond 2 GiB.
    pub fn append(
        &self,
        rows: Range<usize>,
        scratch: &mut Scratch,
        ends: &mut Vec<i32>,
        data: &mut Vec<u8>,
    ) -> Result<()> {
        check_rows(self.rows, &rows, rows.len())?;
        match &self.codec {
            Codec::Blocks(blocks) => blocks.append(rows, scratch, ends, data),
            Codec::Coded(coded) => coded.append(rows, scratch, ends, data),
        }
    }
}

/// The end of a value in a batch, as Arrow keeps it.
fn end_of(data_len: usize) -> Result<i32> {
    i32::try_from(data_len).map_err(|_| Error::TooMuchAtOnce { bytes: data_len })
}
