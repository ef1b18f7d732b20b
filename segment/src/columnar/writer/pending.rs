//! The rows of a segment to be.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use ostracon_data::CellRef;

use super::cells::{ColumnCells, OwnStamps, Stamp};
use super::labels::{Labels, same};
use crate::columnar::column::{integer_of, time_of};
use crate::columnar::encode::{Buffers, FragmentsInput, OwnedCells, SegmentInput, encode};
use crate::columnar::input::RowsInput;
use crate::columnar::summary::SegmentSummary;
use crate::columnar::{LocalityGroups, MAX_ROWS, RowLayout};
use crate::{Error, FragmentReader, FragmentWriter, Result, UpdateRef};

/// The rows pushed so far, by column. Memory is kept from segment to segment.
#[derive(Debug, Default)]
pub(super) struct Pending {
    row_offsets: Vec<i32>,
    row_data: Vec<u8>,
    /// The stamp that most cells of a row have; rows without cells in columns take their neighbour's, which packs best.
    pub(super) times: Vec<u64>,
    pub(super) label_codes: Vec<u64>,
    /// Whether some row has cells in columns.
    has_cells: bool,
    pub(super) labels: Labels,
    /// In the order in which they came up.
    pub(super) columns: Vec<ColumnCells>,
    /// Their places in that list, by name.
    pub(super) sorted: Vec<usize>,
    /// The rows kept as fragments, ascending, where the bytes of each start, and the end.
    pub(super) fragment_rows: Vec<u64>,
    pub(super) fragment_offsets: Vec<u32>,
    pub(super) fragment_bytes: Vec<u8>,
    fragment_labels: BTreeSet<Vec<u8>>,
    /// Of all cells.
    times_seen: Option<(i64, i64)>,
    byte_len: usize,
    values_len: usize,
    problem: Option<Error>,
    /// The columns of the row that is being pushed, and the stamps of its cells.
    touched: Vec<(usize, Stamp)>,
}

/// Rows that would bring more columns than this are kept as fragments: opening a segment reads a header a column.
const MAX_COLUMNS: usize = 1024;
/// The values of a segment's columns take less than this, in bytes.
const MAX_VALUES: usize = 1 << 30;

impl Pending {
    pub(super) fn rows(&self) -> usize {
        self.times.len()
    }

    pub(super) fn byte_len(&self) -> usize {
        self.byte_len
    }

    pub(super) fn fragment(&mut self, row: &[u8], fragment: &[u8]) {
        self.start_row(row);
        self.push_fragment(fragment);
    }

    pub(super) fn row<'c>(&mut self, row: &[u8], mut cells: impl Iterator<Item = CellRef<'c>>) {
        self.start_row(row);
        let row = self.rows() - 1;
        self.touched.clear();
        let mut from = 0;
        while let Some(cell) = cells.next() {
            let fits = self.values_len + cell.value.len() <= MAX_VALUES;
            let place = if fits { self.place(from, &cell) } else { None };
            let index = place.and_then(|place| self.sorted.get(place)).copied();
            let Some(column) = index.and_then(|index| self.columns.get_mut(index)) else {
                return self.demote_last(cell, cells);
            };
            column.push(row, cell.value);
            let stamp = Stamp { time: integer_of(cell.timestamp), label: self.labels.code(cell.visibility) };
            self.touched.push((index.unwrap_or(0), stamp));
            self.values_len += cell.value.len();
            self.byte_len += cell.value.len();
            from = place.map_or(0, |place| place + 1);
        }
        self.stamp_row(row);
    }

    fn start_row(&mut self, row: &[u8]) {
        let start = self.row_offsets.iter().rev().nth(1).map_or(0, |start| *start as usize);
        if self.rows() > 0 && self.row_data.get(start..).is_none_or(|last| last >= row) {
            self.refuse("rows are not in ascending order");
        }
        if self.rows() >= MAX_ROWS {
            self.refuse("it would have too many rows");
        }
        if self.row_offsets.is_empty() {
            self.row_offsets.push(0);
        }
        self.row_data.extend_from_slice(row);
        match i32::try_from(self.row_data.len()) {
            Ok(end) => self.row_offsets.push(end),
            Err(_) => self.refuse("row ids are larger than 2 GiB"),
        }
        self.byte_len += row.len();
        self.times.push(self.times.last().copied().unwrap_or_default());
        self.label_codes.push(self.label_codes.last().copied().unwrap_or_default());
    }

    fn refuse(&mut self, what: &'static str) {
        let row = self.rows();
        self.problem.get_or_insert(Error::Unencodable { what, row });
    }

    /// The place among the sorted columns, from `from` on, of a cell's column; makes it if it is new. `None` if the cell comes
    /// out of order, is a second one of its column, or there are too many columns.
    fn place(&mut self, from: usize, cell: &CellRef<'_>) -> Option<usize> {
        let wanted = (cell.family, cell.qualifier);
        let next = self.sorted.get(from).and_then(|index| self.columns.get(*index));
        // Rows mostly have their columns alike.
        if next.is_some_and(|next| same(&next.qualifier, cell.qualifier) && same(&next.family, cell.family)) {
            return Some(from);
        }
        let found = self.sorted.binary_search_by(|index| {
            self.columns.get(*index).map_or(Ordering::Less, |column| column.name().cmp(&wanted))
        });
        match found {
            Ok(place) => (place >= from).then_some(place),
            Err(place) if place >= from && self.columns.len() < MAX_COLUMNS => {
                self.sorted.insert(place, self.columns.len());
                self.columns.push(ColumnCells::new(cell.family, cell.qualifier));
                Some(place)
            }
            Err(_) => None,
        }
    }

    /// Chooses the stamp of the row that has been pushed, and notes the cells that have another.
    fn stamp_row(&mut self, row: usize) {
        let Some(time) = majority(self.touched.iter().map(|(_, stamp)| stamp.time)) else { return };
        let label = majority(self.touched.iter().map(|(_, stamp)| stamp.label)).unwrap_or_default();
        let shared = Stamp { time, label };
        for (index, stamp) in &self.touched {
            see(&mut self.times_seen, time_of(u128::from(stamp.time)));
            if *stamp != shared
                && let Some(column) = self.columns.get_mut(*index)
            {
                column.set_own(row, *stamp);
            }
        }
        let from = if self.has_cells { row } else { 0 };
        self.has_cells = true;
        self.times.iter_mut().skip(from).for_each(|last| *last = time);
        self.label_codes.iter_mut().skip(from).for_each(|last| *last = label);
    }

    /// Makes a fragment of the row that is being pushed.
    fn demote_last<'c>(&mut self, misfit: CellRef<'c>, rest: impl Iterator<Item = CellRef<'c>>) {
        let row = self.rows() - 1;
        let mut fragment = Vec::new();
        let (time, label) = match self.touched.first() {
            Some((_, stamp)) => (time_of(u128::from(stamp.time)), self.labels.get(stamp.label)),
            None => (misfit.timestamp, misfit.visibility),
        };
        let mut writer = FragmentWriter::new(&mut fragment, time, label);
        for (index, stamp) in &self.touched {
            let Some(column) = self.columns.get_mut(*index) else { continue };
            if let Some(value) = column.value(row) {
                let time = time_of(u128::from(stamp.time));
                writer.put(&column.family, &column.qualifier, self.labels.get(stamp.label), time, value);
                self.values_len -= value.len();
                self.byte_len -= value.len();
            }
            column.pop(row);
        }
        for cell in std::iter::once(misfit).chain(rest) {
            writer.put(cell.family, cell.qualifier, cell.visibility, cell.timestamp, cell.value);
        }
        self.push_fragment(&fragment);
    }

    fn push_fragment(&mut self, fragment: &[u8]) {
        self.fragment_rows.push(self.rows().saturating_sub(1) as u64);
        self.append_fragment(fragment);
        self.byte_len += fragment.len();
        if let Err(problem) = self.note(fragment) {
            self.problem.get_or_insert(problem);
        }
    }

    /// Appends the bytes of a fragment, whose row the list has already.
    pub(super) fn append_fragment(&mut self, fragment: &[u8]) {
        if self.fragment_offsets.is_empty() {
            self.fragment_offsets.push(0);
        }
        self.fragment_bytes.extend_from_slice(fragment);
        match u32::try_from(self.fragment_bytes.len()) {
            Ok(end) => self.fragment_offsets.push(end),
            Err(_) => self.refuse("fragments are larger than 4 GiB"),
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
            see(&mut self.times_seen, time);
        }
        Ok(())
    }

    pub(super) fn encode(
        &mut self,
        layout: &RowLayout,
        groups: &LocalityGroups,
        buffers: &mut Buffers,
        out: &mut Vec<u8>,
    ) -> Result<SegmentSummary> {
        self.demote_rare();
        if let Some(problem) = &self.problem {
            return Err(problem.clone());
        }
        let rows = self.rows();
        self.columns.iter_mut().for_each(|column| column.complete(rows));
        let sorted = || self.sorted.iter().filter_map(|index| self.columns.get(*index));
        let columns: Vec<&ColumnCells> = sorted().filter(|column| column.len() > 0).collect();
        let stamps: Vec<OwnStamps> =
            columns.iter().map(|column| column.stamps(&self.times, &self.label_codes)).collect();
        let columns: Vec<OwnedCells<'_>> =
            columns.iter().zip(&stamps).map(|(column, stamps)| column.input(stamps)).collect();
        let labels = self.labels.list();
        let input = SegmentInput {
            rows: RowsInput::Bytes {
                offsets: if rows == 0 { &[0] } else { &self.row_offsets },
                data: &self.row_data,
                layout,
            },
            count: rows,
            times: &self.times,
            labels: &labels,
            label_codes: &self.label_codes,
            columns: &columns,
            groups,
            fragments: FragmentsInput {
                rows: &self.fragment_rows,
                offsets: &self.fragment_offsets,
                bytes: &self.fragment_bytes,
            },
        };
        let summary = encode(&input, buffers, out)?;
        let mut all_labels = std::mem::take(&mut self.fragment_labels);
        all_labels.extend(labels.iter().map(|label| label.to_vec()));
        let (oldest, newest) = self.times_seen.unwrap_or((i64::MAX, i64::MIN));
        Ok(SegmentSummary { labels: all_labels.into_iter().collect(), oldest, newest, ..summary })
    }

    /// Forgets the rows, keeps the memory of columns that they had.
    pub(super) fn clear(&mut self) {
        let mut columns = std::mem::take(&mut self.columns);
        columns.retain(|column| column.len() > 0);
        columns.sort_by(|a, b| a.name().cmp(&b.name()));
        columns.iter_mut().for_each(ColumnCells::clear);
        *self = Self { sorted: (0..columns.len()).collect(), columns, ..self.emptied() };
    }

    fn emptied(&mut self) -> Self {
        fn keep<T>(list: &mut Vec<T>) -> Vec<T> {
            list.clear();
            std::mem::take(list)
        }
        self.labels.clear();
        Self {
            row_offsets: keep(&mut self.row_offsets),
            row_data: keep(&mut self.row_data),
            times: keep(&mut self.times),
            label_codes: keep(&mut self.label_codes),
            labels: std::mem::take(&mut self.labels),
            fragment_rows: keep(&mut self.fragment_rows),
            fragment_offsets: keep(&mut self.fragment_offsets),
            fragment_bytes: keep(&mut self.fragment_bytes),
            touched: keep(&mut self.touched),
            ..Self::default()
        }
    }
}

fn see(seen: &mut Option<(i64, i64)>, time: i64) {
    let (oldest, newest) = seen.unwrap_or((time, time));
    *seen = Some((oldest.min(time), newest.max(time)));
}

/// A value that more than half of them are, if there is one; else some of them. `None` of none.
fn majority(values: impl Iterator<Item = u64>) -> Option<u64> {
    let (mut candidate, mut lead) = (None, 0usize);
    for value in values {
        if lead == 0 {
            candidate = Some(value);
        }
        if candidate == Some(value) { lead += 1 } else { lead -= 1 }
    }
    candidate
}
