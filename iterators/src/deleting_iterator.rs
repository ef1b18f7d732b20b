//! [`DeletingIterator`]: the meaning of delete markers.
//!
//! A marker hides the cells of its exact column (row, family, qualifier, visibility) whose timestamp is not greater
//! than its own; in key order these follow it directly. It is the lowest iterator of every stack.

use ostracon_data::{Key, PartialKey, Range};

use crate::sorted_key_value_iterator::no_top;
use crate::{ColumnFamilies, Result, SortedKeyValueIterator};

/// What becomes of the markers themselves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DeleteBehavior {
    /// Markers are applied and not handed out: scans and full major compactions.
    Process,
    /// Markers are applied and handed out too: minor and partial major compactions, where what they hide may lie in
    /// a source that takes no part.
    Propagate,
}

/// An iterator that leaves out what delete markers hide.
pub struct DeletingIterator {
    source: Box<dyn SortedKeyValueIterator>,
    behavior: DeleteBehavior,
    /// Not when unpositioned or after an error, although the source may have a top then.
    has_top: bool,
}

impl DeletingIterator {
    /// Applies the markers of `source`.
    pub fn new(source: Box<dyn SortedKeyValueIterator>, behavior: DeleteBehavior) -> Self {
        Self { source, behavior, has_top: false }
    }

    /// Moves over everything behind the marker at the top that belongs to its column.
    fn skip_column(&mut self) -> Result<()> {
        let Some(marker) = self.source.top_key().cloned() else { return Ok(()) };
        while self
            .source
            .top_key()
            .is_some_and(|key| key.agrees(&marker, PartialKey::RowFamilyQualifierVisibility))
        {
            self.source.next()?;
        }
        Ok(())
    }

    fn advance(&mut self) -> Result<()> {
        if self.source.top_key().is_some_and(|key| key.deleted) {
            self.skip_column()
        } else {
            self.source.next()
        }
    }

    /// Moves on to a cell that is handed out, at or behind the start of `range`.
    fn find_top(&mut self, range: Option<&Range>) -> Result<()> {
        while let Some(key) = self.source.top_key() {
            let hidden = key.deleted && self.behavior == DeleteBehavior::Process;
            if !hidden && !range.is_some_and(|range| range.before_start(key)) {
                self.has_top = true;
                return Ok(());
            }
            self.advance()?;
        }
        Ok(())
    }
}

impl SortedKeyValueIterator for DeletingIterator {
    fn seek(&mut self, range: &Range, families: &ColumnFamilies) -> Result<()> {
        self.has_top = false;
        // A marker before the start may hide cells behind it: begin with the start's column.
        let from_column = from_start_of_column(range);
        self.source.seek(&from_column, families)?;
        self.find_top(Some(range))
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
        self.advance()?;
        self.find_top(None)
    }

    fn deep_copy(&self) -> Result<Box<dyn SortedKeyValueIterator>> {
        Ok(Box::new(Self::new(self.source.deep_copy()?, self.behavior)))
    }
}

/// The range widened to begin with the first possible version of its start's column.
pub(crate) fn from_start_of_column(range: &Range) -> Range {
    let start = range.start().map(|key| Key { timestamp: i64::MAX, deleted: true, ..key.clone() });
    Range::new(start, true, range.end().cloned(), range.end_inclusive())
}
