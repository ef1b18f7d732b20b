//! Columns of a segment that are kept apart from it.

use super::column::{self, Column};
use super::field::{Fields, damaged, slice};
use super::segment::Segment;
use super::{CHECKSUM, VERSION, checksum};
use crate::{Error, Result};

/// Bytes before the column table: version u8 | 0 u8 | number u16 | checksum, length, rows, columns: u32 each.
pub(super) const HEADER: usize = 20;

/// One locality group of a segment, opened: the segment's columns that belong to it. It joins the segment by
/// [`Segment::join`](super::Segment::join).
///
/// As with a segment, opening checks headers, and [`verify`](Self::verify) the bytes.
#[derive(Debug, Clone)]
pub struct Section<'a> {
    bytes: &'a [u8],
    number: u16,
    columns: Vec<Column<'a>>,
}

impl<'a> Section<'a> {
    /// Opens the bytes, all of them, of a section of the segment.
    ///
    /// # Errors
    /// The version is unknown, a header is damaged, or the section has another number of rows.
    pub fn open(bytes: &'a [u8], segment: &Segment<'_>) -> Result<Self> {
        let version = bytes.first().copied().ok_or(damaged("version", 0))?;
        if version != VERSION {
            return Err(Error::UnknownSegmentVersion { what: "section", found: version, known: VERSION });
        }
        let mut fields = Fields::at(bytes, 0, HEADER, "header of a section")?;
        fields.u8()?;
        fields.zeros::<1>()?;
        let number = fields.u16()?;
        fields.u32()?;
        let (length, rows, column_count) = (fields.place()?, fields.place()?, fields.place()?);
        if length != bytes.len() || rows != segment.rows() {
            return Err(damaged("header of a section", 0));
        }
        let opening = segment.opening().section(number);
        // The table has to be there before memory is taken for its columns.
        slice(bytes, HEADER, column_count.saturating_mul(column::ENTRY), "column table")?;
        let mut columns = Vec::with_capacity(column_count);
        for index in 0..column_count {
            columns.push(Column::open(bytes, HEADER + index * column::ENTRY, rows, opening)?);
        }
        Ok(Self { bytes, number, columns })
    }

    /// Compares the checksum with the bytes.
    ///
    /// # Errors
    /// They differ: the bytes are not those that were written.
    pub fn verify(&self) -> Result<()> {
        verify(self.bytes)
    }

    /// Which section of its segment it is; the first is 1.
    pub fn number(&self) -> u16 {
        self.number
    }

    pub(super) fn into_columns(self) -> Vec<Column<'a>> {
        self.columns
    }
}

/// Compares the checksum of a segment or section with its bytes.
pub(super) fn verify(bytes: &[u8]) -> Result<()> {
    let stored = bytes.get(CHECKSUM).and_then(|bytes| bytes.first_chunk());
    let stored = u32::from_le_bytes(*stored.ok_or(damaged("checksum", CHECKSUM.start))?);
    let computed = checksum(bytes);
    if stored == computed { Ok(()) } else { Err(Error::Checksum { stored, computed }) }
}
