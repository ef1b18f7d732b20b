//! [`ColumnFamilySkippingIterator`]: where the families of a seek become binding.
//!
//! Leaves may ignore families; this iterator does not, and it seeks over families that are not wanted where that is
//! likely to be cheaper than reading them.

use std::collections::BTreeSet;
use std::ops::Bound;

use ostracon_data::{Key, PartialKey, Range};

use crate::sorted_key_value_iterator::no_top;
use crate::{ColumnFamilies, Result, SortedKeyValueIterator};

/// How many unwanted cells are read one by one before the source is sought: a seek costs about as much as some
/// steps, and most gaps between wanted families are short.
const STEPS_BEFORE_SEEK: usize = 10;

/// An iterator over the cells of the families it is sought with.
pub struct ColumnFamilySkippingIterator {
    source: Box<dyn SortedKeyValueIterator>,
    range: Range,
    families: ColumnFamilies,
    has_top: bool,
}

impl ColumnFamilySkippingIterator {
    /// Enforces the families on `source`.
    pub fn new(source: Box<dyn SortedKeyValueIterator>) -> Self {
        Self { source, range: Range::all(), families: ColumnFamilies::all(), has_top: false }
    }

    fn find_top(&mut self) -> Result<()> {
        let mut skipped = 0;
        while let Some(key) = self.source.top_key() {
            if self.families.contains(&key.family) {
                self.has_top = true;
                return Ok(());
            }
            if self.families.inclusive && self.families.families.is_empty() {
                return Ok(());
            }
            if skipped < STEPS_BEFORE_SEEK {
                skipped += 1;
                self.source.next()?;
                continue;
            }
            skipped = 0;
            let goal = next_wanted(key, &self.families);
            let rest = Range::new(Some(goal), true, self.range.end().cloned(), self.range.end_inclusive());
            if rest.is_empty() {
                return Ok(());
            }
            self.source.seek(&rest, &self.families)?;
        }
        Ok(())
    }
}

/// The least key behind the unwanted family of `key` that can be wanted.
fn next_wanted(key: &Key, families: &ColumnFamilies) -> Key {
    if !families.inclusive {
        return key.following(PartialKey::RowFamily);
    }
    match families
        .families
        .range::<[u8], _>((Bound::Excluded(key.family.as_slice()), Bound::Unbounded))
        .next()
    {
        Some(family) => Key::first_of_family(key.row.clone(), family.clone()),
        None => {
            let mut next_row = key.following(PartialKey::Row);
            if let Some(first) = first(&families.families) {
                next_row.family = first;
            }
            next_row
        }
    }
}

fn first(families: &BTreeSet<Vec<u8>>) -> Option<Vec<u8>> {
    families.first().cloned()
}

impl SortedKeyValueIterator for ColumnFamilySkippingIterator {
    fn seek(&mut self, range: &Range, families: &ColumnFamilies) -> Result<()> {
        self.has_top = false;
        self.range = range.clone();
        self.families = families.clone();
        self.source.seek(range, families)?;
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
        Ok(Box::new(Self::new(self.source.deep_copy()?)))
    }
}
