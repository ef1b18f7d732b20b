//! Keeping map families out of the columns.

use super::pending::Pending;
use crate::FragmentWriter;
use crate::columnar::column::time_of;

/// Up to so many columns, all are kept, however rare.
const FEW_COLUMNS: usize = 64;
/// Of more than so many, the rare ones are not.
const MANY_COLUMNS: usize = 256;
/// A column is rare if fewer than one in so many rows has a cell.
const RARE: usize = 16;

impl Pending {
    /// Makes fragments of the rows that have cells in rare columns, if such columns are many: a column costs every reader its
    /// header, a place a row and a bit a row.
    pub(super) fn demote_rare(&mut self) {
        let rows = self.rows();
        let (columns, cells) = self
            .columns
            .iter()
            .filter(|column| column.len() > 0)
            .fold((0, 0), |(columns, cells), column| (columns + 1, cells + column.len()));
        let on_average_rare = cells * RARE < columns * rows;
        if columns > MANY_COLUMNS || columns > FEW_COLUMNS && on_average_rare {
            self.demote(rows, rows.div_ceil(RARE));
        }
    }

    /// Makes fragments of the rows with cells in columns that fewer than `least` rows have.
    fn demote(&mut self, rows: usize, least: usize) {
        let mut demoted = vec![false; rows];
        for column in self.columns.iter().filter(|column| column.len() < least) {
            for (row, demoted) in demoted.iter_mut().enumerate() {
                *demoted |= column.value(row).is_some();
            }
        }
        let is_demoted = |row: usize| demoted.get(row).copied().unwrap_or(false);
        let old_rows = std::mem::take(&mut self.fragment_rows);
        let old_offsets = std::mem::take(&mut self.fragment_offsets);
        let old_bytes = std::mem::take(&mut self.fragment_bytes);
        let ends = old_offsets.windows(2).filter_map(|pair| pair.first_chunk());
        let mut old = old_rows.into_iter().zip(ends).peekable();
        for row in 0..rows {
            if is_demoted(row) {
                let fragment = self.fragment_of(row);
                self.fragment_rows.push(row as u64);
                self.append_fragment(&fragment);
            } else if let Some((_, &[start, end])) = old.next_if(|(old_row, _)| *old_row == row as u64) {
                self.fragment_rows.push(row as u64);
                self.append_fragment(old_bytes.get(start as usize..end as usize).unwrap_or_default());
            }
        }
        self.columns.iter_mut().for_each(|column| column.leave_out(is_demoted));
    }

    /// A row of columns as a fragment.
    fn fragment_of(&self, row: usize) -> Vec<u8> {
        let shared_time = self.times.get(row).copied().unwrap_or_default();
        let shared_label = self.label_codes.get(row).copied().unwrap_or_default();
        let mut fragment = Vec::new();
        let common_time = time_of(u128::from(shared_time));
        let mut writer = FragmentWriter::new(&mut fragment, common_time, self.labels.get(shared_label));
        for column in self.sorted.iter().filter_map(|index| self.columns.get(*index)) {
            let Some(value) = column.value(row) else { continue };
            let own = column.own(row);
            let time = own.map_or(shared_time, |own| own.time);
            let label = self.labels.get(own.map_or(shared_label, |own| own.label));
            writer.put(&column.family, &column.qualifier, label, time_of(u128::from(time)), value);
        }
        fragment
    }
}
