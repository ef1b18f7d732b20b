//! [`SegmentRows`]: record batches as columns of segments, without touching a cell.

use std::sync::Arc;

use datafusion::arrow::array::RecordBatch;
use ostracon_data::ROW_MARKER_FAMILY;
use ostracon_segment::{ColumnInput, ValidityInput, ValuesInput};
use ostracon_tablets::Statement;

use super::cells::{CellValues, byte_offsets};
use super::key::RowIds;
use super::layout::{BulkLayout, Cell};
use crate::error::Result;

/// Bytes of the values of a segment's rows that end it, however few rows there are.
const SEGMENT_BYTES: usize = 1 << 20;

/// Rows that wait to become a segment.
#[derive(Debug)]
pub(super) struct SegmentRows {
    layout: Arc<BulkLayout>,
    segment_rows: usize,
    ids: Option<RowIds>,
    cells: Vec<CellValues>,
    /// Bytes of ids and values.
    bytes: usize,
    has_written: bool,
}

impl SegmentRows {
    pub(super) fn new(layout: Arc<BulkLayout>, segment_rows: usize) -> Self {
        let cells = layout.cells.iter().filter_map(|cell| CellValues::new(cell.ty, cell.encoding)).collect();
        Self { layout, segment_rows: segment_rows.max(1), ids: None, cells, bytes: 0, has_written: false }
    }

    pub(super) fn layout(&self) -> &BulkLayout {
        &self.layout
    }

    /// The ids of the rows that wait.
    pub(super) fn ids(&self) -> Option<&RowIds> {
        self.ids.as_ref().filter(|ids| ids.len() > 0)
    }

    /// Whether a segment has been written.
    pub(super) fn has_written(&self) -> bool {
        self.has_written
    }

    fn len(&self) -> usize {
        self.ids.as_ref().map_or(0, RowIds::len)
    }

    /// Takes the last row back.
    pub(super) fn pop(&mut self) {
        let len = self.len().saturating_sub(1);
        if let Some(ids) = &mut self.ids {
            ids.truncate(len);
        }
        self.cells.iter_mut().for_each(|cells| cells.truncate(len));
    }

    /// Forgets all rows.
    pub(super) fn clear(&mut self) {
        self.ids = None;
        self.cells.iter_mut().for_each(CellValues::clear);
        self.bytes = 0;
    }

    /// Takes rows, each id above the one before; what makes a whole segment is written. The last row is never written
    /// yet.
    pub(super) fn push(
        &mut self,
        batch: &RecordBatch,
        ids: &RowIds,
        statement: &mut Statement,
    ) -> Result<()> {
        let mut rows = 0..ids.len();
        while !rows.is_empty() {
            if self.len() >= self.segment_rows || self.bytes >= SEGMENT_BYTES {
                self.flush(statement)?;
            }
            let sizes = Sizes::of(batch, ids, &self.layout.cells, rows.start);
            let most = rows.len().min(self.segment_rows - self.len());
            let count = sizes.fitting(most, SEGMENT_BYTES.saturating_sub(self.bytes));
            let taken = rows.start..rows.start + count;
            self.bytes += sizes.bytes(count);
            self.ids.get_or_insert_with(|| ids.empty()).extend_from(ids, taken.clone())?;
            for (cells, cell) in self.cells.iter_mut().zip(&self.layout.cells) {
                if let Some(array) = batch.columns().get(cell.column) {
                    cells.extend(array, taken.clone())?;
                }
            }
            rows.start = taken.end;
        }
        Ok(())
    }

    /// Writes the rows that wait.
    pub(super) fn flush(&mut self, statement: &mut Statement) -> Result<()> {
        if let Some(ids) = self.ids.as_ref().filter(|ids| ids.len() > 0) {
            let names = self.cells.iter().zip(&self.layout.cells);
            let mut columns: Vec<ColumnInput<'_>> =
                names.map(|(cells, cell)| cells.input(&cell.family, &cell.qualifier)).collect();
            let markers = rows_without_cells(&columns, ids.len());
            if let Some(bits) = &markers {
                columns.push(ColumnInput {
                    family: ROW_MARKER_FAMILY,
                    qualifier: b"",
                    values: ValuesInput::Constant(b""),
                    valid: Some(ValidityInput { bits, offset: 0 }),
                });
            }
            ids.with_input(|rows| statement.write_segment(&rows, &self.layout.label, &columns))?;
            self.has_written = true;
        }
        let empty = self.ids.as_ref().map(RowIds::empty);
        self.clear();
        self.ids = empty;
        Ok(())
    }
}

/// A bit for each row that has no cell, if there is one.
fn rows_without_cells(columns: &[ColumnInput<'_>], rows: usize) -> Option<Vec<u8>> {
    let mut present = vec![0; rows.div_ceil(8)];
    for column in columns {
        let valid = column.valid?;
        present.iter_mut().zip(valid.bits).for_each(|(present, bits)| *present |= bits);
    }
    let absent: Vec<u8> = present.into_iter().map(|present: u8| !present).collect();
    (0..rows).any(|row| absent.get(row / 8).is_some_and(|byte| byte >> (row % 8) & 1 == 1)).then_some(absent)
}

/// Bytes of rows from one on.
struct Sizes<'a> {
    each: usize,
    /// Offsets of values that have no fixed width, from the first row on.
    offsets: Vec<&'a [i32]>,
}

impl<'a> Sizes<'a> {
    fn of(batch: &'a RecordBatch, ids: &'a RowIds, cells: &[Cell], first: usize) -> Self {
        let mut each = ids.width().unwrap_or(0);
        let mut offsets: Vec<&[i32]> = ids.offsets().into_iter().collect();
        for cell in cells {
            each += cell.ty.width().unwrap_or(0);
            offsets.extend(batch.columns().get(cell.column).and_then(byte_offsets));
        }
        let offsets = offsets.into_iter().map(|all| all.get(first..).unwrap_or_default()).collect();
        Self { each, offsets }
    }

    /// Bytes of the first rows.
    fn bytes(&self, rows: usize) -> usize {
        let variable = self.offsets.iter().map(|offsets| match (offsets.first(), offsets.get(rows)) {
            (Some(first), Some(end)) => usize::try_from(end - first).unwrap_or(0),
            _ => 0,
        });
        rows * self.each + variable.sum::<usize>()
    }

    /// How many of the first `most` rows have at most so many bytes; at least one.
    fn fitting(&self, most: usize, bytes: usize) -> usize {
        if self.bytes(most) <= bytes {
            return most;
        }
        let (mut low, mut high) = (1, most);
        while low + 1 < high {
            let middle = low + (high - low) / 2;
            if self.bytes(middle) <= bytes { low = middle } else { high = middle }
        }
        low
    }
}
