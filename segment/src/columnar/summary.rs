//! What is known of a segment without reading it.

use ostracon_data::compare_columns;

use super::field::damaged;
use crate::varint::{self, BadVarint};
use crate::{Error, Result};

/// What a segment's directory entry says of it: enough to prove that no row of it is wanted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SegmentSummary {
    /// How many rows there are.
    pub rows: u32,
    /// The first row id; empty if there is no row.
    pub first_row: Vec<u8>,
    /// The last row id.
    pub last_row: Vec<u8>,
    /// How many rows are kept as fragments. What is said of columns does not speak of their cells.
    pub fragments: u32,
    /// The distinct labels of all cells, those in fragments too; ascending.
    pub labels: Vec<Vec<u8>>,
    /// The least timestamp of all cells, those in fragments too, in milliseconds; `i64::MAX` if there is no cell.
    pub oldest: i64,
    /// The greatest; `i64::MIN` if there is no cell.
    pub newest: i64,
    /// The columns, by family and qualifier.
    pub columns: Vec<ColumnSummary>,
    /// The bytes of each [`Section`](super::Section), the first one's first.
    pub sections: Vec<u32>,
}

/// What is known of a column of a segment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ColumnSummary {
    /// The column family.
    pub family: Vec<u8>,
    /// The column qualifier.
    pub qualifier: Vec<u8>,
    /// How many rows have no cell in the column, those kept as fragments among them.
    pub absent: u32,
    /// The length of every value in bytes, if it is the same.
    pub width: Option<u32>,
    /// Whether every value is valid UTF-8.
    pub utf8: bool,
    /// No value is less.
    pub min: Bound,
    /// Which section it lies in; 0: in the segment itself.
    pub section: u16,
    /// No value is greater; `None`: not known, as a long value of 0xFF bytes has no short bound.
    pub max: Option<Bound>,
}

/// A bound of byte strings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bound {
    /// The bound.
    pub bytes: Vec<u8>,
    /// Whether some value is the bound. Long ones are cut, so that they are only beyond every value.
    pub attained: bool,
}

/// Longer bounds are cut to this.
const LONGEST_BOUND: usize = 32;
const VERSION: u8 = 1;

impl Bound {
    /// A lower bound of values whose least is `value`.
    pub(super) fn below(value: &[u8]) -> Self {
        let kept = value.get(..LONGEST_BOUND).unwrap_or(value);
        Self { bytes: kept.to_vec(), attained: kept.len() == value.len() }
    }

    /// An upper bound of values whose greatest is `value`.
    pub(super) fn above(value: &[u8]) -> Option<Self> {
        match value.get(..LONGEST_BOUND) {
            Some(kept) if kept.len() < value.len() => {
                ostracon_data::prefix_end(kept).map(|bytes| Self { bytes, attained: false })
            }
            _ => Some(Self { bytes: value.to_vec(), attained: true }),
        }
    }
}

impl SegmentSummary {
    /// The column of that name, if any row has it.
    pub fn column(&self, family: &[u8], qualifier: &[u8]) -> Option<&ColumnSummary> {
        let wanted = (family, qualifier);
        let found = self
            .columns
            .binary_search_by(|column| compare_columns((&column.family, &column.qualifier), wanted));
        found.ok().and_then(|index| self.columns.get(index))
    }

    /// Cuts what a writer appended into the segment (first) and its sections.
    pub fn parts<'b>(&self, bytes: &'b [u8]) -> impl Iterator<Item = &'b [u8]> {
        let sections: usize = self.sections.iter().map(|length| *length as usize).sum();
        let (segment, mut rest) =
            bytes.split_at_checked(bytes.len().saturating_sub(sections)).unwrap_or((bytes, b""));
        let lengths = self.sections.clone();
        std::iter::once(segment).chain(lengths.into_iter().map(move |length| {
            let (section, after) = rest.split_at_checked(length as usize).unwrap_or((rest, b""));
            rest = after;
            section
        }))
    }

    /// Appends the summary's bytes at rest to `out`.
    pub fn to_bytes(&self, out: &mut Vec<u8>) {
        out.push(VERSION);
        varint::put(out, u64::from(self.rows));
        varint::put_bytes(out, &self.first_row);
        varint::put_bytes(out, &self.last_row);
        varint::put(out, u64::from(self.fragments));
        varint::put(out, self.labels.len() as u64);
        self.labels.iter().for_each(|label| varint::put_bytes(out, label));
        varint::put_signed(out, self.oldest);
        varint::put_signed(out, self.newest);
        varint::put(out, self.columns.len() as u64);
        self.columns.iter().for_each(|column| column.put(out));
        varint::put(out, self.sections.len() as u64);
        self.sections.iter().for_each(|bytes| varint::put(out, u64::from(*bytes)));
    }

    /// Reads what [`to_bytes`](Self::to_bytes) wrote.
    ///
    /// # Errors
    /// The version is unknown, or the bytes are damaged.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let mut reader = Reader { bytes, offset: 0 };
        let version = reader.byte()?;
        if version != VERSION {
            return Err(Error::UnknownSegmentVersion {
                what: "segment summary",
                found: version,
                known: VERSION,
            });
        }
        let summary = Self {
            rows: reader.short()?,
            first_row: reader.byte_string()?,
            last_row: reader.byte_string()?,
            fragments: reader.short()?,
            labels: reader.list(Reader::byte_string)?,
            oldest: varint::unfold(reader.number()?),
            newest: varint::unfold(reader.number()?),
            columns: reader.list(ColumnSummary::read)?,
            sections: reader.list(Reader::short)?,
        };
        let sections = summary.sections.len();
        if reader.offset < bytes.len()
            || summary.columns.iter().any(|column| usize::from(column.section) > sections)
        {
            return Err(reader.bad());
        }
        Ok(summary)
    }
}

/// Flags of a column: every value is UTF-8; has a width; the lower bound is attained; has an upper bound; it is attained;
/// lies in a section.
const UTF8: u8 = 1;
const WIDTH: u8 = 1 << 1;
const MIN_ATTAINED: u8 = 1 << 2;
const MAX: u8 = 1 << 3;
const MAX_ATTAINED: u8 = 1 << 4;
const SECTION: u8 = 1 << 5;

impl ColumnSummary {
    fn put(&self, out: &mut Vec<u8>) {
        let flag = |set: bool, flag: u8| if set { flag } else { 0 };
        let max_attained = self.max.as_ref().is_some_and(|max| max.attained);
        out.push(
            flag(self.utf8, UTF8)
                | flag(self.width.is_some(), WIDTH)
                | flag(self.min.attained, MIN_ATTAINED)
                | flag(self.max.is_some(), MAX)
                | flag(max_attained, MAX_ATTAINED)
                | flag(self.section > 0, SECTION),
        );
        varint::put_bytes(out, &self.family);
        varint::put_bytes(out, &self.qualifier);
        varint::put(out, u64::from(self.absent));
        if let Some(width) = self.width {
            varint::put(out, u64::from(width));
        }
        varint::put_bytes(out, &self.min.bytes);
        if let Some(max) = &self.max {
            varint::put_bytes(out, &max.bytes);
        }
        if self.section > 0 {
            varint::put(out, u64::from(self.section));
        }
    }

    fn read(reader: &mut Reader<'_>) -> Result<Self> {
        let flags = reader.byte()?;
        let has = |flag: u8| flags & flag != 0;
        let known = UTF8 | WIDTH | MIN_ATTAINED | MAX | MAX_ATTAINED | SECTION;
        if flags & !known != 0 || has(MAX_ATTAINED) && !has(MAX) {
            return Err(reader.bad());
        }
        Ok(Self {
            family: reader.byte_string()?,
            qualifier: reader.byte_string()?,
            absent: reader.short()?,
            width: has(WIDTH).then(|| reader.short()).transpose()?,
            utf8: has(UTF8),
            min: Bound { bytes: reader.byte_string()?, attained: has(MIN_ATTAINED) },
            max: has(MAX)
                .then(|| Ok(Bound { bytes: reader.byte_string()?, attained: has(MAX_ATTAINED) }))
                .transpose()?,
            section: if has(SECTION) { reader.section()? } else { 0 },
        })
    }
}

struct Reader<'a> {
    bytes: &'a [u8],
    offset: usize,
}

impl<'a> Reader<'a> {
    fn bad(&self) -> Error {
        damaged("summary", self.offset)
    }

    fn byte(&mut self) -> Result<u8> {
        let byte = *self.bytes.get(self.offset).ok_or(self.bad())?;
        self.offset += 1;
        Ok(byte)
    }

    fn number(&mut self) -> Result<u64> {
        let read = varint::get(self.bytes.get(self.offset..).unwrap_or_default());
        let (number, width) = read.map_err(|_: BadVarint| self.bad())?;
        self.offset += width;
        Ok(number)
    }

    fn short(&mut self) -> Result<u32> {
        u32::try_from(self.number()?).map_err(|_| self.bad())
    }

    fn section(&mut self) -> Result<u16> {
        u16::try_from(self.number()?).ok().filter(|number| *number > 0).ok_or(self.bad())
    }

    fn byte_string(&mut self) -> Result<Vec<u8>> {
        let length = usize::try_from(self.number()?).map_err(|_| self.bad())?;
        let end = self.offset.checked_add(length).ok_or(self.bad())?;
        let found = self.bytes.get(self.offset..end).ok_or(self.bad())?;
        self.offset = end;
        Ok(found.to_vec())
    }

    /// Takes memory for what is there, not for what is promised.
    fn list<T>(&mut self, mut item: impl FnMut(&mut Self) -> Result<T>) -> Result<Vec<T>> {
        let count = self.number()?;
        let mut items = Vec::new();
        for _ in 0..count {
            items.push(item(self)?);
        }
        Ok(items)
    }
}
