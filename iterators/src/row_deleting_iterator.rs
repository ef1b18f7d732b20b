//! [`RowDeletingIterator`]: rows deleted by a marker of their own.
//!
//! The marker is a cell with empty family, qualifier and label and the value `DEL_ROW`: it hides all cells of its row
//! that are not newer. It sorts before the row's other cells, so a row is judged by its beginning.

use ostracon_data::{Key, Range};

use crate::sorted_key_value_iterator::no_top;
use crate::{ColumnFamilies, Result, SortedKeyValueIterator};

/// The value of the marker.
pub const DELETE_ROW_VALUE: &[u8] = b"DEL_ROW";

/// An iterator over the cells that no row marker hides.
pub struct RowDeletingIterator {
    source: Box<dyn SortedKeyValueIterator>,
    /// Whether markers themselves pass: they must until nothing older can be below.
    keeps_markers: bool,
    range: Range,
    families: ColumnFamilies,
    /// The row that a marker was found in, and the marker's time.
    deleted: Option<(Vec<u8>, i64)>,
    has_top: bool,
}

impl RowDeletingIterator {
    /// Hides what markers hide; `keeps_markers` in compactions that do not read everything.
    pub fn new(source: Box<dyn SortedKeyValueIterator>, keeps_markers: bool) -> Self {
        Self {
            source,
            keeps_markers,
            range: Range::all(),
            families: ColumnFamilies::all(),
            deleted: None,
            has_top: false,
        }
    }

    fn is_marker(key: &Key, value: &[u8]) -> bool {
        key.family.is_empty()
            && key.qualifier.is_empty()
            && key.visibility.is_empty()
            && !key.deleted
            && value == DELETE_ROW_VALUE
    }

    fn find_top(&mut self) -> Result<()> {
        while let (Some(key), Some(value)) = (self.source.top_key(), self.source.top_value()) {
            let is_marker = Self::is_marker(key, value);
            if is_marker && self.deleted.as_ref().is_none_or(|(row, _)| *row != key.row) {
                // The newest marker comes first.
                self.deleted = Some((key.row.clone(), key.timestamp));
            }
            let hidden = self
                .deleted
                .as_ref()
                .is_some_and(|(row, timestamp)| *row == key.row && key.timestamp <= *timestamp);
            let stays = if is_marker { self.keeps_markers } else { !hidden };
            if stays && self.range.contains(key) && self.families.contains(&key.family) {
                self.has_top = true;
                return Ok(());
            }
            if self.range.after_end(key) {
                return Ok(());
            }
            self.source.next()?;
        }
        Ok(())
    }
}

impl SortedKeyValueIterator for RowDeletingIterator {
    fn seek(&mut self, range: &Range, families: &ColumnFamilies) -> Result<()> {
        self.has_top = false;
        self.deleted = None;
        self.range = range.clone();
        self.families = families.clone();
        // The marker lies at the beginning of the row, in the empty family, whatever was asked for.
        let start = range.start().map(|key| Key::first_of_row(key.row.clone()));
        let wide = Range::new(start, true, range.end().cloned(), range.end_inclusive());
        self.source.seek(&wide, &families.clone().with(b""))?;
        self.find_top()
    }

    fn has_top(&self) -> bool {
        self.has_top
    }

    fn top_key(&self) -> Option<&Key> {
        if self.has_top { self.source.top_key() } else { None }
    }

    fn top_value(&self) -> Option<&[u8]> {
        if self.has_top { self.source.top_value() } else { None }
    }

    fn next(&mut self) -> Result<()> {
        if !self.has_top {
            return Err(no_top());
        }
        self.has_top = false;
        self.source.next()?;
        self.find_top()
    }

    fn deep_copy(&self) -> Result<Box<dyn SortedKeyValueIterator>> {
        Ok(Box::new(Self::new(self.source.deep_copy()?, self.keeps_markers)))
    }
}
