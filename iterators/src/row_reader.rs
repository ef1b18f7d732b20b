//! [`RowReader`]: a row of an iterator, held whole.
//!
//! For iterators and scans that must know a row before they hand any of it out. It reads cells in key order and lays
//! them out for predicates and decoders in the order of a [`RowBuffer`]: newest first within a column, whatever the
//! labels are. Its memory is kept from row to row.

use std::cmp::Reverse;

use ostracon_data::{Key, PartialKey, RowBuffer, Value};

use crate::error::BytesText;
use crate::{Error, Result, SortedKeyValueIterator};

/// Reads rows off an iterator.
#[derive(Debug, Default)]
pub struct RowReader {
    /// The first `len` are the row's; the others wait for reuse.
    cells: Vec<(Key, Value)>,
    len: usize,
    max_bytes: Option<usize>,
    /// Positions of a column's cells, while they are sorted.
    order: Vec<usize>,
}

impl RowReader {
    /// A reader that refuses rows of more than `max_bytes` bytes of keys and values.
    pub fn new(max_bytes: Option<usize>) -> Self {
        Self { max_bytes, ..Self::default() }
    }

    /// The limit it was made with.
    pub fn max_bytes(&self) -> Option<usize> {
        self.max_bytes
    }

    /// Reads the row at the source's top and leaves the source at the next row. False if there is no top.
    pub fn read(&mut self, source: &mut dyn SortedKeyValueIterator) -> Result<bool> {
        self.len = 0;
        let mut size = 0_usize;
        while let (Some(key), Some(value)) = (source.top_key(), source.top_value()) {
            if self.cells().first().is_some_and(|(first, _)| first.row != key.row) {
                break;
            }
            size = size.saturating_add(key.byte_len()).saturating_add(value.len());
            if let Some(limit) = self.max_bytes.filter(|limit| size > *limit) {
                return Err(Error::RowTooLarge { row: BytesText(&key.row).to_string(), limit });
            }
            match self.cells.get_mut(self.len) {
                Some((old_key, old_value)) => {
                    old_key.clone_from(key);
                    old_value.0.clear();
                    old_value.0.extend_from_slice(value);
                }
                None => self.cells.push((key.clone(), Value::from(value))),
            }
            self.len += 1;
            source.next()?;
        }
        Ok(self.len > 0)
    }

    /// Forgets the row.
    pub fn clear(&mut self) {
        self.len = 0;
    }

    /// The row's cells in key order.
    pub fn cells(&self) -> &[(Key, Value)] {
        self.cells.get(..self.len).unwrap_or_default()
    }

    /// Fills `row` with the row id and its cells, the newest of each column first; delete markers are left out.
    ///
    /// Cells of one column and timestamp under several labels come in the order of their labels.
    pub fn fill(&mut self, row: &mut RowBuffer) {
        row.clear();
        let Self { cells, len, order, .. } = self;
        let cells = cells.get(..*len).unwrap_or_default();
        if let Some((first, _)) = cells.first() {
            row.set_row(&first.row);
        }
        for column in cells.chunk_by(|(a, _), (b, _)| a.agrees(b, PartialKey::RowFamilyQualifier)) {
            order.clear();
            order.extend((0..column.len()).filter(|at| column.get(*at).is_some_and(|(key, _)| !key.deleted)));
            order.sort_by_key(|at| Reverse(column.get(*at).map(|(key, _)| key.timestamp)));
            for (key, value) in order.iter().filter_map(|at| column.get(*at)) {
                row.push_cell(&key.family, &key.qualifier, &key.visibility, key.timestamp, value.as_bytes());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ColumnFamilies, SortedMapIterator};
    use ostracon_data::Range;

    fn source(cells: &[(Key, &str)]) -> SortedMapIterator {
        let mut source = SortedMapIterator::new(cells.iter().map(|(key, value)| (key.clone(), *value)));
        source.seek(&Range::all(), &ColumnFamilies::all()).unwrap();
        source
    }

    #[test]
    fn rows_are_read_one_by_one_newest_first() {
        let mut source = source(&[
            (Key::new("a", "f", "q", "", 5), "old"),
            (Key::new("a", "f", "q", "A", 9), "new"),
            (Key::new("a", "f", "q", "A", 1), "oldest"),
            (Key { deleted: true, ..Key::new("a", "f", "q", "B", 99) }, ""),
            (Key::new("a", "g", "q", "", 1), "other"),
            (Key::new("b", "f", "q", "", 1), "next"),
        ]);
        let mut reader = RowReader::new(None);
        let mut row = RowBuffer::new();
        assert!(reader.read(&mut source).unwrap());
        assert_eq!(reader.cells().len(), 5);
        reader.fill(&mut row);
        let values: Vec<&[u8]> = row.cells().map(|cell| cell.value).collect();
        assert_eq!(values, [&b"new"[..], b"old", b"oldest", b"other"]);
        assert_eq!(row.row(), b"a");
        assert!(reader.read(&mut source).unwrap());
        reader.fill(&mut row);
        assert_eq!((row.row(), row.len()), (&b"b"[..], 1));
        assert!(!reader.read(&mut source).unwrap() && reader.cells().is_empty());
    }

    #[test]
    fn rows_over_the_limit_are_refused() {
        let mut source = source(&[(Key::new("a", "f", "q", "", 5), "12345")]);
        assert!(RowReader::new(Some(8)).read(&mut source.clone()).is_ok());
        assert!(matches!(
            RowReader::new(Some(7)).read(&mut source),
            Err(Error::RowTooLarge { limit: 7, .. })
        ));
    }
}
