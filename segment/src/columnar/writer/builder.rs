//! The cells of one column while rows are pushed.

use ostracon_data::CellRef;

use crate::columnar::column::{integer_of, time_of};
use crate::columnar::encode::OwnedCells;
use crate::columnar::input::{ColumnInput, ValidityInput, ValuesInput};

/// Cells of one column, in row order; rows without one take no room.
#[derive(Debug)]
pub(super) struct ColumnBuilder {
    family: Vec<u8>,
    qualifier: Vec<u8>,
    rows: Vec<u32>,
    ends: Vec<usize>,
    data: Vec<u8>,
    times: Vec<u64>,
    label_codes: Vec<u64>,
}

impl ColumnBuilder {
    pub(super) fn new(family: &[u8], qualifier: &[u8]) -> Self {
        Self {
            family: family.to_vec(),
            qualifier: qualifier.to_vec(),
            rows: Vec::new(),
            ends: Vec::new(),
            data: Vec::new(),
            times: Vec::new(),
            label_codes: Vec::new(),
        }
    }

    pub(super) fn name(&self) -> (&[u8], &[u8]) {
        (&self.family, &self.qualifier)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    pub(super) fn push(&mut self, row: usize, cell: &CellRef<'_>, label_code: u64) {
        // Rows are fewer than `MAX_ROWS`.
        self.rows.push(row as u32);
        self.data.extend_from_slice(cell.value);
        self.ends.push(self.data.len());
        self.times.push(integer_of(cell.timestamp));
        self.label_codes.push(label_code);
    }

    pub(super) fn last_time(&self) -> Option<i64> {
        self.times.last().map(|time| time_of(u128::from(*time)))
    }

    pub(super) fn last_cell<'s>(&'s self, labels: &'s Labels) -> Option<CellRef<'s>> {
        Some(CellRef {
            family: &self.family,
            qualifier: &self.qualifier,
            visibility: labels.get(*self.label_codes.last()?),
            timestamp: self.last_time()?,
            value: self.data.get(self.start_of_last()..)?,
        })
    }

    fn start_of_last(&self) -> usize {
        self.ends.iter().rev().nth(1).copied().unwrap_or(0)
    }

    /// Takes the last cell back.
    pub(super) fn pop(&mut self) {
        self.data.truncate(self.start_of_last());
        self.rows.pop();
        self.ends.pop();
        self.times.pop();
        self.label_codes.pop();
    }

    /// The column with a place for each of `rows` rows.
    pub(super) fn expand(&self, rows: usize, row_times: &[u64], row_labels: &[u64]) -> ExpandedColumn<'_> {
        let mut offsets = Vec::with_capacity(rows + 1);
        offsets.push(0);
        let mut bits = vec![0u8; rows.div_ceil(8)];
        let (mut times, mut label_codes) = (row_times.to_vec(), row_labels.to_vec());
        let cells = self.rows.iter().zip(&self.ends).zip(self.times.iter().zip(&self.label_codes));
        for ((&row, &end), (&time, &label)) in cells {
            let (row, before) = (row as usize, offsets.last().copied().unwrap_or(0));
            offsets.resize(row + 1, before);
            // The writer keeps a segment's values below 2 GiB.
            offsets.push(end as i32);
            if let Some(byte) = bits.get_mut(row / 8) {
                *byte |= 1 << (row % 8);
            }
            if let (Some(own_time), Some(own_label)) = (times.get_mut(row), label_codes.get_mut(row)) {
                *own_time = time;
                *own_label = label;
            }
        }
        offsets.resize(rows + 1, offsets.last().copied().unwrap_or(0));
        ExpandedColumn {
            builder: self,
            offsets,
            bits: (self.rows.len() < rows).then_some(bits),
            times: (times != row_times).then_some(times),
            label_codes: (label_codes != row_labels).then_some(label_codes),
        }
    }
}

/// A column with a place for each row.
#[derive(Debug)]
pub(super) struct ExpandedColumn<'b> {
    builder: &'b ColumnBuilder,
    offsets: Vec<i32>,
    bits: Option<Vec<u8>>,
    times: Option<Vec<u64>>,
    label_codes: Option<Vec<u64>>,
}

impl ExpandedColumn<'_> {
    pub(super) fn cells(&self) -> OwnedCells<'_> {
        OwnedCells {
            column: ColumnInput {
                family: &self.builder.family,
                qualifier: &self.builder.qualifier,
                values: ValuesInput::Bytes { offsets: &self.offsets, data: &self.builder.data },
                valid: self.bits.as_deref().map(|bits| ValidityInput { bits, offset: 0 }),
            },
            times: self.times.as_deref(),
            label_codes: self.label_codes.as_deref(),
        }
    }
}

/// The distinct labels seen, in the order in which they came up.
#[derive(Debug, Default)]
pub(super) struct Labels {
    list: Vec<Vec<u8>>,
    last: usize,
}

impl Labels {
    pub(super) fn code(&mut self, label: &[u8]) -> u64 {
        // Neighbours mostly have the same label, and a segment few of them.
        if self.list.get(self.last).is_none_or(|known| known != label) {
            self.last = self.list.iter().position(|known| known == label).unwrap_or_else(|| {
                self.list.push(label.to_vec());
                self.list.len() - 1
            });
        }
        self.last as u64
    }

    pub(super) fn get(&self, code: u64) -> &[u8] {
        self.list.get(code as usize).map_or(&[], Vec::as_slice)
    }

    pub(super) fn list(&self) -> Vec<&[u8]> {
        self.list.iter().map(Vec::as_slice).collect()
    }
}

/// A value that more than half of those counted have, if there is one; else any of them.
#[derive(Debug, Default)]
pub(super) struct Majority {
    candidate: Option<u64>,
    lead: usize,
}

impl Majority {
    pub(super) fn count(&mut self, value: u64) {
        if self.lead == 0 {
            self.candidate = Some(value);
        }
        if self.candidate == Some(value) { self.lead += 1 } else { self.lead -= 1 }
    }

    /// `None` if nothing was counted.
    pub(super) fn value(&self) -> Option<u64> {
        self.candidate
    }
}
