//! The cells of one column while rows are pushed.

use crate::columnar::encode::OwnedCells;
use crate::columnar::input::{ColumnInput, ValidityInput, ValuesInput};

/// A cell's timestamp, as the integer that is kept, and the code of its label.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stamp {
    pub(super) time: u64,
    pub(super) label: u64,
}

/// Cells of one column in row order, as bulk encoding takes them.
#[derive(Debug, Default)]
pub(super) struct ColumnCells {
    pub(super) family: Vec<u8>,
    pub(super) qualifier: Vec<u8>,
    /// Where the values of the rows up to the last cell's start, and its end; nothing if there is no cell.
    offsets: Vec<i32>,
    data: Vec<u8>,
    /// A bit for each of these rows; nothing while every one of them has a cell.
    bits: Vec<u8>,
    cells: usize,
    /// The rows whose cell does not have the row's stamp, with its own.
    own: Vec<(usize, Stamp)>,
}

impl ColumnCells {
    pub(super) fn new(family: &[u8], qualifier: &[u8]) -> Self {
        Self { family: family.to_vec(), qualifier: qualifier.to_vec(), ..Self::default() }
    }

    pub(super) fn name(&self) -> (&[u8], &[u8]) {
        (&self.family, &self.qualifier)
    }

    /// How many rows have a cell.
    pub(super) fn len(&self) -> usize {
        self.cells
    }

    /// Rows up to the last cell's.
    fn rows(&self) -> usize {
        self.offsets.len().saturating_sub(1)
    }

    /// Forgets the cells, keeps name and memory.
    pub(super) fn clear(&mut self) {
        self.offsets.clear();
        self.data.clear();
        self.bits.clear();
        self.cells = 0;
        self.own.clear();
    }

    /// Appends the cell of a row after those that have one.
    pub(super) fn push(&mut self, row: usize, value: &[u8]) {
        let rows = self.rows();
        if self.offsets.is_empty() {
            self.offsets.push(0);
        }
        if row > rows {
            self.start_bits();
        }
        // The writer keeps values below 2 GiB.
        self.offsets.resize(row + 1, self.data.len() as i32);
        self.data.extend_from_slice(value);
        self.offsets.push(self.data.len() as i32);
        if row > rows || !self.bits.is_empty() {
            self.bits.resize(row / 8 + 1, 0);
            if let Some(byte) = self.bits.last_mut() {
                *byte |= 1 << (row % 8);
            }
        }
        self.cells += 1;
    }

    /// Sets the bits of the rows so far, before one comes that has no cell.
    fn start_bits(&mut self) {
        let rows = self.rows();
        if self.bits.is_empty() {
            self.bits.resize(rows.div_ceil(8), 0xFF);
            if let Some(last) = self.bits.last_mut().filter(|_| !rows.is_multiple_of(8)) {
                *last = (1 << (rows % 8)) - 1;
            }
        }
    }

    /// Says that the cell of a row does not have the row's stamp.
    pub(super) fn set_own(&mut self, row: usize, stamp: Stamp) {
        self.own.push((row, stamp));
    }

    /// Takes the cell of `row`, the last one, back.
    pub(super) fn pop(&mut self, row: usize) {
        self.offsets.pop();
        self.data.truncate(self.offsets.last().map_or(0, |end| *end as usize));
        if let Some(byte) = self.bits.get_mut(row / 8) {
            *byte &= !(1 << (row % 8));
        }
        self.cells -= 1;
    }

    /// The value of a row, if it has a cell.
    pub(super) fn value(&self, row: usize) -> Option<&[u8]> {
        let has = self.bits.is_empty() || crate::columnar::validity::is_set(&self.bits, row);
        let (start, end) = (self.offsets.get(row)?, self.offsets.get(row + 1)?);
        self.data.get(*start as usize..*end as usize).filter(|_| has)
    }

    /// The stamp of a row's cell, if it is not the row's.
    pub(super) fn own(&self, row: usize) -> Option<Stamp> {
        let place = self.own.binary_search_by_key(&row, |(row, _)| *row).ok()?;
        self.own.get(place).map(|(_, stamp)| *stamp)
    }

    /// Leaves out the cells of the rows for which `leave` holds.
    pub(super) fn leave_out(&mut self, leave: impl Fn(usize) -> bool) {
        let kept = std::mem::take(self);
        *self = Self::new(&kept.family, &kept.qualifier);
        for row in (0..kept.rows()).filter(|row| !leave(*row)) {
            if let Some(value) = kept.value(row) {
                self.push(row, value);
            }
        }
        self.own = kept.own;
        self.own.retain(|(row, _)| !leave(*row));
    }

    /// Makes a place for each of `rows` rows, those after the last cell too.
    pub(super) fn complete(&mut self, rows: usize) {
        if self.rows() < rows {
            self.start_bits();
        }
        if !self.bits.is_empty() {
            self.bits.resize(rows.div_ceil(8), 0);
        }
        self.offsets.resize(rows + 1, self.data.len() as i32);
    }

    /// The cells' times and label codes, one a row, if some are not those of the rows.
    pub(super) fn stamps(&self, row_times: &[u64], row_labels: &[u64]) -> OwnStamps {
        let list = |rows: &[u64], own: fn(&Stamp) -> u64| {
            let mut list: Option<Vec<u64>> = None;
            for (row, stamp) in &self.own {
                if rows.get(*row).is_some_and(|shared| *shared != own(stamp)) {
                    let list = list.get_or_insert_with(|| rows.to_vec());
                    if let Some(place) = list.get_mut(*row) {
                        *place = own(stamp);
                    }
                }
            }
            list
        };
        OwnStamps {
            times: list(row_times, |stamp| stamp.time),
            labels: list(row_labels, |stamp| stamp.label),
        }
    }

    /// The completed column.
    pub(super) fn input<'s>(&'s self, stamps: &'s OwnStamps) -> OwnedCells<'s> {
        let valid = (!self.bits.is_empty()).then_some(ValidityInput { bits: &self.bits, offset: 0 });
        let values = ValuesInput::Bytes { offsets: &self.offsets, data: &self.data };
        OwnedCells {
            column: ColumnInput { family: &self.family, qualifier: &self.qualifier, values, valid },
            times: stamps.times.as_deref(),
            label_codes: stamps.labels.as_deref(),
        }
    }
}

/// What the cells of a column do not share with their rows.
#[derive(Debug)]
pub(super) struct OwnStamps {
    times: Option<Vec<u64>>,
    labels: Option<Vec<u64>>,
}
