//! [`VersioningIterator`]: only the newest versions of each cell.
//!
//! Versions are the cells of one column (row, family, qualifier, visibility); cells that differ by label are not
//! versions of each other.

use ostracon_data::{Key, PartialKey, Range};

use crate::deleting_iterator::from_start_of_column;
use crate::sorted_key_value_iterator::no_top;
use crate::{ColumnFamilies, Result, SortedKeyValueIterator};

/// How many surplus versions are read one by one before the source is sought past them.
const STEPS_BEFORE_SEEK: usize = 10;

/// An iterator over the newest `max_versions` cells of each column.
pub struct VersioningIterator {
    source: Box<dyn SortedKeyValueIterator>,
    max_versions: u32,
    range: Range,
    families: ColumnFamilies,
    /// The column of the source's top and which of its versions that is, from 1.
    column: Key,
    version: u32,
    has_top: bool,
}

impl VersioningIterator {
    /// Keeps `max_versions` (at least 1) of each column of `source`.
    pub fn new(source: Box<dyn SortedKeyValueIterator>, max_versions: u32) -> Self {
        Self {
            source,
            max_versions: max_versions.max(1),
            range: Range::all(),
            families: ColumnFamilies::all(),
            column: Key::default(),
            version: 0,
            has_top: false,
        }
    }

    /// Counts the source's top in.
    fn count(&mut self) {
        let Some(key) = self.source.top_key() else { return };
        if self.version > 0 && key.agrees(&self.column, PartialKey::RowFamilyQualifierVisibility) {
            self.version = self.version.saturating_add(1);
        } else {
            self.column.clone_from(key);
            self.version = 1;
        }
    }

    /// Moves on to a cell that is not surplus, at or behind the start of the range.
    fn find_top(&mut self) -> Result<()> {
        let mut surplus = 0;
        while let Some(key) = self.source.top_key() {
            if self.version <= self.max_versions {
                if !self.range.before_start(key) {
                    self.has_top = true;
                    return Ok(());
                }
            } else {
                surplus += 1;
            }
            if surplus > STEPS_BEFORE_SEEK {
                surplus = 0;
                let goal = key.following(PartialKey::RowFamilyQualifierVisibility);
                let rest =
                    Range::new(Some(goal), true, self.range.end().cloned(), self.range.end_inclusive());
                if rest.is_empty() {
                    return Ok(());
                }
                self.source.seek(&rest, &self.families)?;
            } else {
                self.source.next()?;
            }
            self.count();
        }
        Ok(())
    }
}

impl SortedKeyValueIterator for VersioningIterator {
    fn seek(&mut self, range: &Range, families: &ColumnFamilies) -> Result<()> {
        self.has_top = false;
        self.version = 0;
        self.range = range.clone();
        self.families = families.clone();
        // Versions before the start count: begin with the start's column.
        self.source.seek(&from_start_of_column(range), families)?;
        self.count();
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
        self.count();
        self.find_top()
    }

    fn deep_copy(&self) -> Result<Box<dyn SortedKeyValueIterator>> {
        Ok(Box::new(Self::new(self.source.deep_copy()?, self.max_versions)))
    }
}
