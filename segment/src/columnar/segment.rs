//! Reading a segment.

use std::ops::Range;

use ostracon_data::{CellRef, compare_columns};

use super::byte_strings::ByteStrings;
use super::column::{self, Column, time_of};
use super::field::{Fields, damaged, slice, tail};
use super::integers::{IntegerSpace, Integers, check_rows};
use super::rows::{RowIds, no_such_row};
use super::scratch::{Opening, Scratch};
use super::section::{self, Section};
use super::{HEADER, VERSION};
use crate::{Error, Result};

/// A segment, opened: rows in ascending order, each with its cells by column or as a row fragment.
///
/// Opening reads headers only and checks every place that they name; the bytes themselves are checked by
/// [`verify`](Self::verify), once after they were read from a disk. Of bytes that are not verified, answers may be wrong, but nothing
/// panics.
#[derive(Debug, Clone)]
pub struct Segment<'a> {
    bytes: &'a [u8],
    opening: Opening,
    rows: usize,
    ids: RowIds<'a>,
    columns: Vec<Column<'a>>,
    times: Integers<'a>,
    label_codes: Integers<'a>,
    labels: Labels<'a>,
    fragments: Option<Fragments<'a>>,
}

#[derive(Debug, Clone, Copy)]
struct Labels<'a> {
    ends: &'a [[u8; 4]],
    data: &'a [u8],
    offset: usize,
}

/// The rows that are kept as fragments.
#[derive(Debug, Clone, Copy)]
struct Fragments<'a> {
    /// Their rows, ascending.
    rows: Integers<'a>,
    bytes: ByteStrings<'a>,
}

impl<'a> Segment<'a> {
    /// Opens the bytes of a segment, all of them.
    ///
    /// # Errors
    /// The version is unknown, or a header is damaged.
    pub fn open(bytes: &'a [u8]) -> Result<Self> {
        let version = bytes.first().copied().ok_or(damaged("version", 0))?;
        if version != VERSION {
            return Err(Error::UnknownSegmentVersion { what: "segment", found: version, known: VERSION });
        }
        let mut fields = Fields::at(bytes, 0, HEADER, "header")?;
        fields.u8()?;
        let words = fields.u8()?;
        fields.zeros::<2>()?;
        fields.u32()?;
        let (length, rows, column_count) = (fields.place()?, fields.place()?, fields.place()?);
        let (label_count, labels_at, ids_at) = (fields.place()?, fields.place()?, fields.place()?);
        let (times_at, label_codes_at) = (fields.place()?, fields.place()?);
        let (fragment_count, fragments_at) = (fields.place()?, fields.place()?);
        if length != bytes.len() || fragment_count > rows {
            return Err(damaged("header", 0));
        }
        let opening = Opening::next();
        // The table has to be there before memory is taken for its columns.
        slice(bytes, HEADER, column_count.saturating_mul(column::ENTRY), "column table")?;
        let mut columns = Vec::with_capacity(column_count);
        for index in 0..column_count {
            columns.push(Column::open(bytes, HEADER + index * column::ENTRY, rows, opening)?);
        }
        let fragments = match fragment_count {
            0 => None,
            count => Some(Fragments::open(bytes, fragments_at, count, rows, opening)?),
        };
        Ok(Self {
            bytes,
            opening,
            rows,
            ids: RowIds::open(bytes, ids_at, rows, words)?,
            columns,
            times: Integers::open(bytes, times_at, rows)?,
            label_codes: Integers::open(bytes, label_codes_at, rows)?,
            labels: Labels::open(bytes, labels_at, label_count)?,
            fragments,
        })
    }

    /// Compares the checksum with the bytes.
    ///
    /// # Errors
    /// They differ: the bytes are not those that were written.
    pub fn verify(&self) -> Result<()> {
        section::verify(self.bytes)
    }

    /// Adds the columns of one of its sections.
    ///
    /// # Errors
    /// It is not one of this segment: it has columns that are here already.
    pub fn join(&mut self, section: Section<'a>) -> Result<()> {
        self.columns.extend(section.into_columns());
        self.columns.sort_by(|a, b| column::compare(a, b));
        let twice = |pair: &[Column<'a>]| matches!(pair, [a, b] if column::compare(a, b).is_eq());
        if self.columns.windows(2).any(twice) {
            return Err(damaged("columns of a section", 0));
        }
        Ok(())
    }

    pub(super) fn opening(&self) -> Opening {
        self.opening
    }

    /// How many rows there are.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The words of the row ids, if they are kept so: a row's id is its words in big-endian order, each of its width.
    pub fn row_words(&self) -> Option<&[Integers<'a>]> {
        self.ids.words()
    }

    /// Sets `out` to the id of a row.
    ///
    /// # Errors
    /// There is no such row, or the segment is damaged.
    pub fn row_into(&self, row: usize, out: &mut Vec<u8>) -> Result<()> {
        self.ids.get(row, out)
    }

    /// Shows `visit` the ids of `rows` in order.
    ///
    /// # Errors
    /// There are no such rows, or the segment is damaged; `visit` may have seen some ids then.
    pub fn for_each_row(&self, rows: Range<usize>, visit: impl FnMut(usize, &[u8])) -> Result<()> {
        check_rows(self.rows, &rows, rows.len())?;
        self.ids.for_each(rows, visit)
    }

    /// The first row whose id is not below `wanted`; [`rows`](Self::rows) if all are.
    ///
    /// # Errors
    /// The segment is damaged.
    pub fn lower_bound(&self, wanted: &[u8]) -> Result<usize> {
        self.ids.lower_bound(wanted)
    }

    /// As [`lower_bound`](Self::lower_bound), found sooner if it is near the row `from`, on either side.
    ///
    /// # Errors
    /// The segment is damaged.
    pub fn lower_bound_near(&self, from: usize, wanted: &[u8]) -> Result<usize> {
        self.ids.lower_bound_near(from, wanted)
    }

    /// The columns, by family and qualifier: those that lie in the segment itself and in the sections that have joined.
    pub fn columns(&self) -> &[Column<'a>] {
        &self.columns
    }

    /// The column of that name, if any row has it and its section has joined.
    pub fn column(&self, family: &[u8], qualifier: &[u8]) -> Option<&Column<'a>> {
        let wanted = (family, qualifier);
        let found = self.columns.binary_search_by(|column| compare_columns(column.name(), wanted));
        found.ok().and_then(|index| self.columns.get(index))
    }

    /// The rows' timestamps: those of all cells of columns that have none of their own. Read them with [`time_of`].
    pub fn times(&self) -> &Integers<'a> {
        &self.times
    }

    /// The rows' labels, those of all cells of columns that have none of their own: values are places in
    /// [`labels`](Self::labels).
    pub fn label_codes(&self) -> &Integers<'a> {
        &self.label_codes
    }

    /// The distinct labels of the columns' cells.
    pub fn labels(&self) -> impl ExactSizeIterator<Item = Result<&'a [u8]>> {
        let labels = self.labels;
        (0..labels.ends.len()).map(move |code| labels.get(code))
    }

    /// The label of a code, a value of [`label_codes`](Self::label_codes) or [`Column::label_codes`].
    ///
    /// # Errors
    /// There is no label of that code.
    pub fn label(&self, code: u128) -> Result<&'a [u8]> {
        self.labels.get(usize::try_from(code).unwrap_or(usize::MAX))
    }

    /// How many rows are kept as fragments.
    pub fn fragments(&self) -> usize {
        self.fragments.map_or(0, |fragments| fragments.rows.len())
    }

    /// The rows of a range that are kept as fragments. They have no cells in the columns.
    ///
    /// # Errors
    /// The segment is damaged.
    pub fn fragment_rows(&self, rows: Range<usize>) -> Result<impl Iterator<Item = Result<usize>>> {
        let places = match self.fragments {
            Some(fragments) => fragments.place(rows.start)?..fragments.place(rows.end)?,
            None => 0..0,
        };
        let fragments = self.fragments;
        Ok(places.filter_map(move |place| {
            fragments.map(|fragments| fragments.rows.get(place).map(|row| row as usize))
        }))
    }

    /// The bytes of the fragment that a row is kept as; `None` if its cells are in the columns.
    ///
    /// # Errors
    /// The segment is damaged.
    pub fn fragment<'s>(&self, row: usize, scratch: &'s mut Scratch) -> Result<Option<&'s [u8]>>
    where
        'a: 's,
    {
        let Some(fragments) = self.fragments else { return Ok(None) };
        let place = fragments.place(row)?;
        if place >= fragments.rows.len() || fragments.rows.get(place)? != row as u64 {
            return Ok(None);
        }
        fragments.bytes.value(place, scratch).map(Some)
    }

    /// Shows `visit` the cells that a row has in the columns, by family and qualifier.
    ///
    /// # Errors
    /// There is no such row, or the segment is damaged; `visit` may have seen some cells then.
    pub fn for_each_cell(
        &self,
        row: usize,
        scratch: &mut Scratch,
        mut visit: impl FnMut(CellRef<'_>),
    ) -> Result<()> {
        if row >= self.rows {
            return Err(no_such_row(row, self.rows));
        }
        let row_time = time_of(self.times.value(row)?);
        // A segment without cells in columns has no labels.
        let mut row_label = None;
        for column in &self.columns {
            let Some(value) = column.chunk().value(row, scratch)? else { continue };
            let timestamp = match column.times() {
                Some(times) => time_of(times.value(row)?),
                None => row_time,
            };
            let visibility = match column.label_codes() {
                Some(codes) => self.label(codes.value(row)?)?,
                None => match row_label {
                    Some(label) => label,
                    None => *row_label.insert(self.label(self.label_codes.value(row)?)?),
                },
            };
            visit(CellRef {
                family: column.family(),
                qualifier: column.qualifier(),
                visibility,
                timestamp,
                value,
            });
        }
        Ok(())
    }
}

impl<'a> Labels<'a> {
    fn open(segment: &'a [u8], offset: usize, count: usize) -> Result<Self> {
        let item = "labels";
        let ends_len = count.checked_mul(4).ok_or(damaged(item, offset))?;
        let (ends, _) = slice(segment, offset, ends_len, item)?.as_chunks();
        Ok(Self { ends, data: tail(segment, offset + ends_len, item)?, offset })
    }

    fn get(&self, code: usize) -> Result<&'a [u8]> {
        let end_of = |code: usize| self.ends.get(code).map(|end| u32::from_le_bytes(*end) as usize);
        let start = code.checked_sub(1).and_then(end_of).unwrap_or(0);
        end_of(code).and_then(|end| self.data.get(start..end)).ok_or(damaged("label", self.offset))
    }
}

/// Bytes of the header of fragments: rows' bits u8 | 0 u24 | rows at u32 | the header of the byte strings.
pub(super) const FRAGMENTS_HEADER: usize = 8 + super::byte_strings::HEADER;

impl<'a> Fragments<'a> {
    fn open(segment: &'a [u8], offset: usize, count: usize, rows: usize, opening: Opening) -> Result<Self> {
        let item = "fragments";
        let mut fields = Fields::at(segment, offset, FRAGMENTS_HEADER, item)?;
        let bits = fields.u8()?;
        fields.zeros::<3>()?;
        let rows_at = fields.place()?;
        if bits > 32 {
            return Err(damaged(item, offset));
        }
        let space = IntegerSpace { width: 4, base: 0, step: 1, top: rows as u64 };
        let rows = Integers::of_parts(segment, rows_at, count, bits, space)?;
        let bytes = ByteStrings::open(segment, offset + 8, count, opening)?;
        Ok(Self { rows, bytes })
    }

    /// The first fragment whose row is not below `row`.
    fn place(&self, row: usize) -> Result<usize> {
        let (mut low, mut high) = (0, self.rows.len());
        while low < high {
            let middle = low + (high - low) / 2;
            if self.rows.get(middle)? < row as u64 { low = middle + 1 } else { high = middle }
        }
        Ok(low)
    }
}
