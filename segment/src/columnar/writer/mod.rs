//! Writing segments row by row.

mod builder;

use std::collections::BTreeSet;

use ostracon_data::CellRef;

use self::builder::{ColumnBuilder, Labels, Majority};
use super::column::integer_of;
use super::encode::{Buffers, FragmentsInput, OwnedCells, SegmentInput, encode};
use super::input::RowsInput;
use super::summary::SegmentSummary;
use super::{MAX_ROWS, RowLayout};
use crate::{Error, FragmentReader, FragmentWriter, Result, UpdateRef};

/// Collects rows and writes them as one segment.
///
/// ```
/// use ostracon_data::CellRef;
/// use ostracon_segment::{RowLayout, Scratch, Segment, SegmentWriter};
///
/// let mut writer = SegmentWriter::new(RowLayout::bytes());
/// for (row, name) in [("r1", "Ada"), ("r2", "Alan")] {
///     let cell = CellRef { family: b"person", qualifier: b"name", visibility: b"", timestamp: 1, value: name.as_bytes() };
///     writer.row(row.as_bytes(), [cell].into_iter());
/// }
/// let mut bytes = Vec::new();
/// let summary = writer.finish(&mut bytes)?;
/// assert_eq!((summary.rows, summary.last_row.as_slice()), (2, &b"r2"[..]));
///
/// let segment = Segment::open(&bytes)?;
/// segment.verify()?;
/// let row = segment.lower_bound(b"r1a")?;
/// let mut seen = Vec::new();
/// segment.for_each_cell(row, &mut Scratch::new(), |cell| seen.push(cell.value.to_vec()))?;
/// assert_eq!(seen, [b"Alan"]);
/// # Ok::<(), ostracon_segment::Error>(())
/// ```
#[derive(Debug)]
pub struct SegmentWriter {
    layout: RowLayout,
    pending: Pending,
    buffers: Buffers,
}

/// The rows pushed so far.
#[derive(Debug, Default)]
struct Pending {
    row_ends: Vec<i32>,
    row_data: Vec<u8>,
    times: Vec<u64>,
    label_codes: Vec<u64>,
    /// Whether some row has cells in columns.
    has_cells: bool,
    labels: Labels,
    /// In the order in which they came up.
    columns: Vec<ColumnBuilder>,
    /// Their places, by name.
    sorted: Vec<usize>,
    fragment_rows: Vec<u64>,
    fragment_offsets: Vec<u32>,
    fragment_bytes: Vec<u8>,
    fragment_labels: BTreeSet<Vec<u8>>,
    oldest: Option<i64>,
    newest: Option<i64>,
    byte_len: usize,
    problem: Option<Error>,
    /// The columns of the row that is being pushed.
    touched: Vec<usize>,
}

/// A segment with more columns would be slow to open; rows that bring more are kept as fragments.
const MAX_COLUMNS: usize = 1024;
/// The columns of a segment hold less than this, in bytes.
const MAX_VALUES: usize = 1 << 30;

impl SegmentWriter {
    /// A writer of a table whose row ids have that layout.
    pub fn new(layout: RowLayout) -> Self {
        Self { layout, pending: Pending::default(), buffers: Buffers::default() }
    }

    /// Appends a row. Rows come in ascending order, cells by family and qualifier, the newest of each first.
    ///
    /// A row with several cells in a column, or with too many columns that other rows lack, is kept as a fragment. What a segment
    /// cannot hold is reported by [`finish`](Self::finish).
    pub fn row<'c>(&mut self, row: &[u8], cells: impl Iterator<Item = CellRef<'c>>) {
        self.pending.row(row, cells);
    }

    /// Appends a row that is kept as this row fragment.
    pub fn fragment(&mut self, row: &[u8], fragment: &[u8]) {
        self.pending.start_row(row);
        self.pending.push_fragment(fragment);
    }

    /// How many rows have been pushed since the last segment.
    pub fn rows(&self) -> usize {
        self.pending.times.len()
    }

    /// The bytes of row ids, values and fragments that have been pushed since the last segment.
    pub fn byte_len(&self) -> usize {
        self.pending.byte_len
    }

    /// Appends the segment to `out` and starts the next one.
    ///
    /// # Errors
    /// The rows did not ascend strictly, were more than [`MAX_ROWS`], a fragment was damaged, or the segment would be larger than
    /// 4 GiB. `out` is as before then, and the rows are gone all the same.
    pub fn finish(&mut self, out: &mut Vec<u8>) -> Result<SegmentSummary> {
        let pending = std::mem::take(&mut self.pending);
        pending.encode(&self.layout, &mut self.buffers, out)
    }
}

impl Pending {
    fn start_row(&mut self, row: &[u8]) {
        let start = self.row_ends.iter().rev().nth(1).map_or(0, |start| *start as usize);
        let last = self.row_data.get(start..).unwrap_or_default();
        if !self.times.is_empty() && last >= row {
            self.refuse("rows are not in ascending order");
        }
        if self.row_ends.is_empty() {
            self.row_ends.push(0);
        }
        self.row_data.extend_from_slice(row);
        match i32::try_from(self.row_data.len()) {
            Ok(end) => self.row_ends.push(end),
            Err(_) => self.refuse("row ids are larger than 2 GiB"),
        }
        if self.times.len() >= MAX_ROWS {
            self.refuse("it would have too many rows");
        }
        self.byte_len += row.len();
        // Rows without cells in columns take their neighbour's: that packs best.
        self.times.push(self.times.last().copied().unwrap_or_default());
        self.label_codes.push(self.label_codes.last().copied().unwrap_or_default());
    }

    fn refuse(&mut self, what: &'static str) {
        let row = self.times.len();
        self.problem.get_or_insert(Error::Unencodable { what, row });
    }

    fn row<'c>(&mut self, row: &[u8], mut cells: impl Iterator<Item = CellRef<'c>>) {
        self.start_row(row);
        let row = self.times.len() - 1;
        self.touched.clear();
        let (mut time, mut label) = (Majority::default(), Majority::default());
        let mut from = 0;
        let mut misfit = None;
        for cell in cells.by_ref() {
            let place = match self.place(from, &cell) {
                Some(place) if self.values_len() + cell.value.len() <= MAX_VALUES => place,
                _ => {
                    misfit = Some(cell);
                    break;
                }
            };
            from = place + 1;
            let Some(&index) = self.sorted.get(place) else { break };
            let code = self.labels.code(cell.visibility);
            let Some(column) = self.columns.get_mut(index) else { break };
            column.push(row, &cell, code);
            self.touched.push(index);
            time.count(integer_of(cell.timestamp));
            label.count(code);
            self.byte_len += cell.value.len();
        }
        if let Some(misfit) = misfit {
            self.demote(misfit, cells);
            return;
        }
        if let (Some(time), Some(label)) = (time.value(), label.value()) {
            let from = if self.has_cells { row } else { 0 };
            self.has_cells = true;
            self.times.iter_mut().skip(from).for_each(|last| *last = time);
            self.label_codes.iter_mut().skip(from).for_each(|last| *last = label);
        }
        for &index in &self.touched {
            if let Some(time) = self.columns.get(index).and_then(ColumnBuilder::last_time) {
                self.oldest = Some(self.oldest.map_or(time, |oldest| oldest.min(time)));
                self.newest = Some(self.newest.map_or(time, |newest| newest.max(time)));
            }
        }
    }

    fn values_len(&self) -> usize {
        self.byte_len - self.row_data.len() - self.fragment_bytes.len()
    }

    /// The place among the sorted columns, from `from` on, of a cell's column; makes it if it is new. `None` if the cell comes out
    /// of order, is a second one of its column, or there are too many columns.
    fn place(&mut self, from: usize, cell: &CellRef<'_>) -> Option<usize> {
        let wanted = (cell.family, cell.qualifier);
        let name = |columns: &[ColumnBuilder], sorted: &[usize], place: usize| {
            let column = columns.get(*sorted.get(place)?)?;
            Some(column.name().cmp(&wanted))
        };
        if name(&self.columns, &self.sorted, from) == Some(std::cmp::Ordering::Equal) {
            return Some(from);
        }
        let found = self.sorted.binary_search_by(|&index| {
            self.columns.get(index).map_or(std::cmp::Ordering::Less, |column| column.name().cmp(&wanted))
        });
        match found {
            Ok(place) => (place >= from).then_some(place),
            Err(place) if place >= from && self.columns.len() < MAX_COLUMNS => {
                self.sorted.insert(place, self.columns.len());
                self.columns.push(ColumnBuilder::new(cell.family, cell.qualifier));
                Some(place)
            }
            Err(_) => None,
        }
    }

    /// Makes a fragment of the row that is being pushed.
    fn demote<'c>(&mut self, misfit: CellRef<'c>, rest: impl Iterator<Item = CellRef<'c>>) {
        let mut fragment = Vec::new();
        let first = self.touched.first().and_then(|&index| self.columns.get(index));
        let (time, label) = match first.and_then(|column| column.last_cell(&self.labels)) {
            Some(cell) => (cell.timestamp, cell.visibility.to_vec()),
            None => (misfit.timestamp, misfit.visibility.to_vec()),
        };
        let mut writer = FragmentWriter::new(&mut fragment, time, &label);
        for index in std::mem::take(&mut self.touched) {
            let Some(column) = self.columns.get_mut(index) else { continue };
            if let Some(cell) = column.last_cell(&self.labels) {
                writer.put(cell.family, cell.qualifier, cell.visibility, cell.timestamp, cell.value);
                self.byte_len -= cell.value.len();
            }
            column.pop();
        }
        for cell in std::iter::once(misfit).chain(rest) {
            writer.put(cell.family, cell.qualifier, cell.visibility, cell.timestamp, cell.value);
        }
        self.push_fragment(&fragment);
    }

    fn push_fragment(&mut self, fragment: &[u8]) {
        self.fragment_rows.push(self.times.len().saturating_sub(1) as u64);
        if self.fragment_offsets.is_empty() {
            self.fragment_offsets.push(0);
        }
        self.fragment_bytes.extend_from_slice(fragment);
        match u32::try_from(self.fragment_bytes.len()) {
            Ok(end) => self.fragment_offsets.push(end),
            Err(_) => self.refuse("fragments are larger than 4 GiB"),
        }
        self.byte_len += fragment.len();
        if let Err(problem) = self.note(fragment) {
            self.problem.get_or_insert(problem);
        }
    }

    /// Notes the labels and times of a fragment.
    fn note(&mut self, fragment: &[u8]) -> Result<()> {
        for update in FragmentReader::new(fragment)? {
            let (label, time) = match update? {
                UpdateRef::Put { visibility, timestamp, .. }
                | UpdateRef::Delete { visibility, timestamp, .. } => (visibility, timestamp),
                UpdateRef::Erase { .. } => continue,
            };
            if !self.fragment_labels.contains(label) {
                self.fragment_labels.insert(label.to_vec());
            }
            self.oldest = Some(self.oldest.map_or(time, |oldest| oldest.min(time)));
            self.newest = Some(self.newest.map_or(time, |newest| newest.max(time)));
        }
        Ok(())
    }

    fn encode(self, layout: &RowLayout, buffers: &mut Buffers, out: &mut Vec<u8>) -> Result<SegmentSummary> {
        if let Some(problem) = self.problem {
            return Err(problem);
        }
        let rows = self.times.len();
        let expanded: Vec<_> = self
            .sorted
            .iter()
            .filter_map(|&index| self.columns.get(index))
            .filter(|column| !column.is_empty())
            .map(|column| column.expand(rows, &self.times, &self.label_codes))
            .collect();
        let columns: Vec<OwnedCells<'_>> = expanded.iter().map(|expanded| expanded.cells()).collect();
        let labels = self.labels.list();
        let offsets = if rows == 0 { &[0] } else { self.row_ends.as_slice() };
        let input = SegmentInput {
            rows: RowsInput::Bytes { offsets, data: &self.row_data, layout },
            count: rows,
            times: if rows == 0 { &[] } else { &self.times },
            labels: &labels,
            label_codes: if rows == 0 { &[] } else { &self.label_codes },
            columns: &columns,
            fragments: FragmentsInput {
                rows: &self.fragment_rows,
                offsets: &self.fragment_offsets,
                bytes: &self.fragment_bytes,
            },
        };
        let summary = encode(&input, buffers, out)?;
        let mut all_labels = self.fragment_labels;
        all_labels.extend(labels.iter().map(|label| label.to_vec()));
        Ok(SegmentSummary {
            labels: all_labels.into_iter().collect(),
            oldest: self.oldest.unwrap_or(i64::MAX),
            newest: self.newest.unwrap_or(i64::MIN),
            ..summary
        })
    }
}
