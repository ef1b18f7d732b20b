//! [`SortedMapIterator`]: cells held in memory, as the leaf of a stack.
//!
//! It is the simplest correct leaf and so the model for tests, and the source of scans over small sorted sets. It
//! ignores column families (they are a hint to leaves); put a
//! [`ColumnFamilySkippingIterator`](crate::ColumnFamilySkippingIterator) above it, as every stack does.

use std::collections::BTreeMap;
use std::sync::Arc;

use ostracon_data::{Key, Range, Value};

use crate::sorted_key_value_iterator::no_top;
use crate::{ColumnFamilies, Result, SortedKeyValueIterator};

/// An iterator over sorted cells in memory. Copies share the cells.
#[derive(Debug, Clone)]
pub struct SortedMapIterator {
    cells: Arc<[(Key, Value)]>,
    /// The top is `cells[at]`, if that is before `end`.
    at: usize,
    end: usize,
}

impl SortedMapIterator {
    /// Over these cells, sorted here by key; cells of one key keep their order.
    pub fn new<V: Into<Value>>(cells: impl IntoIterator<Item = (Key, V)>) -> Self {
        let mut cells: Vec<(Key, Value)> =
            cells.into_iter().map(|(key, value)| (key, value.into())).collect();
        cells.sort_by(|(left, _), (right, _)| left.cmp(right));
        Self { cells: cells.into(), at: 0, end: 0 }
    }
}

impl From<BTreeMap<Key, Value>> for SortedMapIterator {
    fn from(cells: BTreeMap<Key, Value>) -> Self {
        Self::new(cells)
    }
}

impl SortedKeyValueIterator for SortedMapIterator {
    fn seek(&mut self, range: &Range, _families: &ColumnFamilies) -> Result<()> {
        self.at = self.cells.partition_point(|(key, _)| range.before_start(key));
        self.end = self.cells.partition_point(|(key, _)| !range.after_end(key));
        Ok(())
    }

    fn has_top(&self) -> bool {
        self.at < self.end
    }

    fn top_key(&self) -> Option<&Key> {
        if self.has_top() { self.cells.get(self.at).map(|(key, _)| key) } else { None }
    }

    fn top_value(&self) -> Option<&[u8]> {
        if self.has_top() { self.cells.get(self.at).map(|(_, value)| value.as_bytes()) } else { None }
    }

    fn next(&mut self) -> Result<()> {
        if !self.has_top() {
            return Err(no_top());
        }
        self.at += 1;
        Ok(())
    }

    fn deep_copy(&self) -> Result<Box<dyn SortedKeyValueIterator>> {
        Ok(Box::new(Self { cells: Arc::clone(&self.cells), at: 0, end: 0 }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_range_has_no_top() {
        let mut cells = SortedMapIterator::new([(Key::new("b", "f", "q", "", 1), "v")]);
        let crossed = Range::rows(Some(b"z"), true, Some(b"a"), true);
        cells.seek(&crossed, &ColumnFamilies::all()).unwrap();
        assert!(!cells.has_top() && cells.top_key().is_none() && cells.next().is_err());
        cells.seek(&Range::all(), &ColumnFamilies::all()).unwrap();
        assert_eq!(cells.top_value(), Some(&b"v"[..]));
    }
}
