//! [`WholeRowIterator`]: each row as one pair.
//!
//! The key is the bare row, the value its cells in the form of [`encode_row`](crate::encode_row). Scans that read
//! several tablets at once, or stop anywhere, then still see rows whole. Where Accumulo hands out part of a row if a
//! range begins or ends within it, this iterator goes by the pair's key: a row is in range, with all its cells, if
//! its bare key is.

use ostracon_data::{Key, PartialKey, Range, Value};

use crate::error::BytesText;
use crate::row_encoding::encode_row;
use crate::sorted_key_value_iterator::no_top;
use crate::{ColumnFamilies, Error, Result, SortedKeyValueIterator};

/// An iterator that encodes each row of its source into one value.
pub struct WholeRowIterator {
    source: Box<dyn SortedKeyValueIterator>,
    max_buffer_size: Option<usize>,
    range: Range,
    cells: Vec<(Key, Value)>,
    key: Key,
    value: Vec<u8>,
    has_top: bool,
}

impl WholeRowIterator {
    /// Encodes the rows of `source`; a row of more than `max_buffer_size` bytes is an error.
    pub fn new(source: Box<dyn SortedKeyValueIterator>, max_buffer_size: Option<usize>) -> Self {
        Self {
            source,
            max_buffer_size,
            range: Range::all(),
            cells: Vec::new(),
            key: Key::default(),
            value: Vec::new(),
            has_top: false,
        }
    }

    fn encode_next(&mut self) -> Result<()> {
        self.cells.clear();
        let Some(first) = self.source.top_key() else { return Ok(()) };
        self.key = bare_row(&first.row);
        if self.range.after_end(&self.key) {
            return Ok(());
        }
        let mut size = 0_usize;
        while let (Some(key), Some(value)) = (self.source.top_key(), self.source.top_value()) {
            if key.row != self.key.row {
                break;
            }
            size = size.saturating_add(key.byte_len()).saturating_add(value.len());
            if let Some(limit) = self.max_buffer_size.filter(|limit| size > *limit) {
                return Err(Error::RowTooLarge { row: BytesText(&key.row).to_string(), limit });
            }
            self.cells.push((key.clone(), Value::from(value)));
            self.source.next()?;
        }
        self.value.clear();
        encode_row(&self.cells, &mut self.value)?;
        self.has_top = true;
        Ok(())
    }
}

impl SortedKeyValueIterator for WholeRowIterator {
    fn seek(&mut self, range: &Range, families: &ColumnFamilies) -> Result<()> {
        self.has_top = false;
        self.range = range.clone();
        self.source.seek(&whole_rows(range), families)?;
        self.encode_next()
    }

    fn has_top(&self) -> bool {
        self.has_top
    }

    fn top_key(&self) -> Option<&Key> {
        if self.has_top { Some(&self.key) } else { None }
    }

    fn top_value(&self) -> Option<&[u8]> {
        if self.has_top { Some(&self.value) } else { None }
    }

    fn next(&mut self) -> Result<()> {
        if !self.has_top {
            return Err(no_top());
        }
        self.has_top = false;
        self.encode_next()
    }

    fn deep_copy(&self) -> Result<Box<dyn SortedKeyValueIterator>> {
        Ok(Box::new(Self::new(self.source.deep_copy()?, self.max_buffer_size)))
    }
}

/// The key of a row as a whole.
fn bare_row(row: &[u8]) -> Key {
    Key::new(row, "", "", "", i64::MAX)
}

/// The cells of the rows whose bare key is in the range.
fn whole_rows(range: &Range) -> Range {
    let start = range.start().map(|start| {
        // The bare key of the start's own row, if that is in range, else the next row.
        if range.before_start(&bare_row(&start.row)) {
            start.following(PartialKey::Row)
        } else {
            Key::first_of_row(start.row.clone())
        }
    });
    let end = range.end().map(|end| {
        if range.after_end(&bare_row(&end.row)) {
            Key::first_of_row(end.row.clone())
        } else {
            end.following(PartialKey::Row)
        }
    });
    Range::new(start, true, end, false)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{SortedMapIterator, decode_row};

    fn source() -> Box<dyn SortedKeyValueIterator> {
        Box::new(SortedMapIterator::new([
            (Key::new("a", "", "", "", i64::MAX), "1"),
            (Key::new("a", "f", "q", "", 5), "2"),
            (Key::new("b", "f", "q", "L", 5), "3"),
            (Key::new("c", "f", "q", "", 5), "4"),
        ]))
    }

    fn rows(range: &Range) -> Vec<(String, usize)> {
        let mut iterator = WholeRowIterator::new(source(), None);
        iterator.seek(range, &ColumnFamilies::all()).unwrap();
        let mut rows = Vec::new();
        while let Some(key) = iterator.top_key() {
            let cells = decode_row(&key.row, iterator.top_value().unwrap()).unwrap();
            rows.push((String::from_utf8(key.row.clone()).unwrap(), cells.len()));
            iterator.next().unwrap();
        }
        rows
    }

    #[test]
    fn an_exclusive_bare_start_means_the_next_row() {
        let all = [("a".to_owned(), 2), ("b".to_owned(), 1), ("c".to_owned(), 1)];
        assert_eq!(rows(&Range::all()), all);
        for (index, row) in ["a", "b", "c"].into_iter().enumerate() {
            let bare = bare_row(row.as_bytes());
            assert_eq!(rows(&Range::all().continuing_after(&bare)), all[index + 1..]);
            assert_eq!(rows(&Range::new(Some(bare.clone()), true, None, true)), all[index..]);
            assert_eq!(rows(&Range::new(None, true, Some(bare.clone()), true)), all[..=index]);
            assert_eq!(rows(&Range::new(None, true, Some(bare), false)), all[..index]);
        }
        assert_eq!(rows(&Range::rows(Some(b"a"), false, Some(b"b"), true)), all[1..2]);
        let mid_row = Key::new("a", "f", "q", "", 5);
        assert_eq!(rows(&Range::new(Some(mid_row.clone()), true, None, true)), all[1..]);
        assert_eq!(rows(&Range::new(None, true, Some(mid_row), false)), all[..1]);
    }

    #[test]
    fn a_row_over_the_limit_is_an_error_that_a_seek_heals() {
        let mut iterator = WholeRowIterator::new(source(), Some(4));
        let error = iterator.seek(&Range::all(), &ColumnFamilies::all()).unwrap_err().to_string();
        assert!(error.contains("row \"a\" takes more than 4 bytes"), "{error}");
        assert!(!iterator.has_top() && iterator.next().is_err());
        iterator.seek(&Range::row(b"c"), &ColumnFamilies::all()).unwrap();
        assert_eq!(iterator.top_key(), Some(&bare_row(b"c")));
    }
}
