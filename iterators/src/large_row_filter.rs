//! [`LargeRowFilter`]: rows with too many cells are left out.
//!
//! Accumulo's class of that name puts a marker in the place of such a row when it compacts; here a row is left out of
//! what is read, and nothing is written for it: the cells stay.

use std::collections::VecDeque;

use ostracon_data::{Key, PartialKey, Range, Value};

use crate::sorted_key_value_iterator::no_top;
use crate::{ColumnFamilies, Result, SortedKeyValueIterator};

/// An iterator over the rows of at most so many cells.
pub struct LargeRowFilter {
    source: Box<dyn SortedKeyValueIterator>,
    max_columns: usize,
    range: Range,
    families: ColumnFamilies,
    /// The cells of the current row that are still to be handed out.
    row: VecDeque<(Key, Value)>,
}

impl LargeRowFilter {
    /// Leaves out rows of more than `max_columns` cells. A row's cells are counted whole, whatever range of it is
    /// asked for; only the families that are asked for count.
    pub fn new(source: Box<dyn SortedKeyValueIterator>, max_columns: usize) -> Self {
        Self {
            source,
            max_columns,
            range: Range::all(),
            families: ColumnFamilies::all(),
            row: VecDeque::new(),
        }
    }

    /// Reads rows until one is small enough and has cells in the range.
    fn fill(&mut self) -> Result<()> {
        while self.row.is_empty() {
            let Some(first) = self.source.top_key().cloned() else { return Ok(()) };
            let mut cells = VecDeque::new();
            let mut is_large = false;
            while let (Some(key), Some(value)) = (self.source.top_key(), self.source.top_value()) {
                if key.row != first.row {
                    break;
                }
                if cells.len() == self.max_columns {
                    is_large = true;
                    break;
                }
                cells.push_back((key.clone(), Value::from(value.to_vec())));
                self.source.next()?;
            }
            if is_large {
                let next = first.following(PartialKey::Row);
                let end = through_end_of_row(&self.range);
                let rest = Range::new(Some(next), true, end.end().cloned(), end.end_inclusive());
                if rest.is_empty() {
                    return Ok(());
                }
                self.source.seek(&rest, &self.families)?;
            } else {
                cells.retain(|(key, _)| self.range.contains(key));
                self.row = cells;
            }
        }
        Ok(())
    }
}

/// The range with its end moved to the end of the row that it lies in.
fn through_end_of_row(range: &Range) -> Range {
    match range.end() {
        None => range.clone(),
        Some(end) => Range::new(
            range.start().cloned(),
            range.start_inclusive(),
            Some(Key::first_of_row(end.row.clone()).following(PartialKey::Row)),
            false,
        ),
    }
}

impl SortedKeyValueIterator for LargeRowFilter {
    fn seek(&mut self, range: &Range, families: &ColumnFamilies) -> Result<()> {
        self.row.clear();
        self.range = range.clone();
        self.families = families.clone();
        let wide = through_end_of_row(range);
        let start = range.start().map(|key| Key::first_of_row(key.row.clone()));
        let wide = Range::new(start, true, wide.end().cloned(), wide.end_inclusive());
        self.source.seek(&wide, families)?;
        self.fill()
    }

    fn has_top(&self) -> bool {
        !self.row.is_empty()
    }

    fn top_key(&self) -> Option<&Key> {
        self.row.front().map(|(key, _)| key)
    }

    fn top_value(&self) -> Option<&[u8]> {
        self.row.front().map(|(_, value)| value.as_bytes())
    }

    fn next(&mut self) -> Result<()> {
        if self.row.pop_front().is_none() {
            return Err(no_top());
        }
        self.fill()
    }

    fn deep_copy(&self) -> Result<Box<dyn SortedKeyValueIterator>> {
        Ok(Box::new(Self::new(self.source.deep_copy()?, self.max_columns)))
    }
}
