//! [`Combiner`]: all versions of a cell as one, its values combined.
//!
//! Counters and statistics are kept so without reading before writing: every write adds a version, and reads and
//! compactions combine them. Versions are the cells of one column (row, family, qualifier, visibility); the combined
//! cell has the key of the newest. A delete marker ends the versions that count: what is older is hidden by it.

use ostracon_data::{Key, PartialKey, Range};

use crate::column_set::ColumnSet;
use crate::deleting_iterator::from_start_of_column;
use crate::sorted_key_value_iterator::no_top;
use crate::{ColumnFamilies, Error, Result, SortedKeyValueIterator};

/// How values become one. Combining must not hang on how the versions were grouped before: compactions combine some
/// of them, scans the rest.
pub trait CombineValues: Clone + Send + 'static {
    /// What the values so far amount to.
    type State: Send;

    /// The first value, the newest; the error is why the bytes are no value.
    fn first(&self, value: &[u8]) -> std::result::Result<Self::State, String>;

    /// A further value.
    fn add(&self, state: &mut Self::State, value: &[u8]) -> std::result::Result<(), String>;

    /// The combined value's bytes.
    fn bytes(&self, state: &Self::State) -> Vec<u8>;
}

/// An iterator that combines the versions of the cells of some columns.
pub struct Combiner<C: CombineValues> {
    source: Box<dyn SortedKeyValueIterator>,
    combine: C,
    columns: ColumnSet,
    /// Whether bytes that are no value are left out; else they are an error.
    lossy: bool,
    range: Range,
    /// The combined cell, where the source's top is combined.
    combined: Option<(Key, Vec<u8>)>,
    has_top: bool,
}

impl<C: CombineValues> Combiner<C> {
    /// Combines the cells of `columns`; others pass as they are.
    pub fn new(source: Box<dyn SortedKeyValueIterator>, combine: C, columns: ColumnSet, lossy: bool) -> Self {
        Self { source, combine, columns, lossy, range: Range::all(), combined: None, has_top: false }
    }

    fn find_top_in_range(&mut self) -> Result<()> {
        self.find_top()?;
        // What lies behind the end was read for the sake of the column that the range ends in.
        if self.top_key().is_some_and(|key| !self.range.contains(key)) {
            self.has_top = false;
        }
        Ok(())
    }

    /// Finds the next cell of the output that is not before the start of the range.
    fn find_top(&mut self) -> Result<()> {
        self.combined = None;
        while let Some(key) = self.source.top_key() {
            if key.deleted || !self.columns.contains(key) {
                if !self.range.before_start(key) {
                    self.has_top = true;
                    return Ok(());
                }
                self.source.next()?;
                continue;
            }
            let key = key.clone();
            let combined = self.combine_column(&key)?;
            // The versions before a start in the middle of a column were handed out with the newest of them.
            if let Some(value) = combined
                && !self.range.before_start(&key)
            {
                self.combined = Some((key, value));
                self.has_top = true;
                return Ok(());
            }
        }
        Ok(())
    }

    /// Reads the versions of a column up to a delete marker, and leaves the source behind them.
    fn combine_column(&mut self, newest: &Key) -> Result<Option<Vec<u8>>> {
        let mut state: Option<C::State> = None;
        while let (Some(key), Some(value)) = (self.source.top_key(), self.source.top_value()) {
            if key.deleted || !key.agrees(newest, PartialKey::RowFamilyQualifierVisibility) {
                break;
            }
            let taken = match &mut state {
                Some(state) => self.combine.add(state, value),
                None => self.combine.first(value).map(|first| state = Some(first)),
            };
            if let Err(reason) = taken
                && !self.lossy
            {
                return Err(Error::NotCombined { cell: key.to_string(), reason });
            }
            self.source.next()?;
        }
        Ok(state.map(|state| self.combine.bytes(&state)))
    }
}

impl<C: CombineValues> SortedKeyValueIterator for Combiner<C> {
    fn seek(&mut self, range: &Range, families: &ColumnFamilies) -> Result<()> {
        self.has_top = false;
        self.combined = None;
        self.range = range.clone();
        // Versions before the start count, and so do those behind the end of a range that ends in a column.
        let wide = through_end_of_column(&from_start_of_column(range));
        self.source.seek(&wide, families)?;
        self.find_top_in_range()
    }

    fn has_top(&self) -> bool {
        self.has_top
    }

    fn top_key(&self) -> Option<&Key> {
        match (&self.combined, self.has_top) {
            (Some((key, _)), true) => Some(key),
            (None, true) => self.source.top_key(),
            _ => None,
        }
    }

    fn top_value(&self) -> Option<&[u8]> {
        match (&self.combined, self.has_top) {
            (Some((_, value)), true) => Some(value),
            (None, true) => self.source.top_value(),
            _ => None,
        }
    }

    fn next(&mut self) -> Result<()> {
        if !self.has_top {
            return Err(no_top());
        }
        self.has_top = false;
        if self.combined.is_none() {
            self.source.next()?;
        }
        self.find_top_in_range()
    }

    fn deep_copy(&self) -> Result<Box<dyn SortedKeyValueIterator>> {
        let source = self.source.deep_copy()?;
        Ok(Box::new(Self::new(source, self.combine.clone(), self.columns.clone(), self.lossy)))
    }
}

/// The range with its end moved behind all versions of the column that it lies in.
fn through_end_of_column(range: &Range) -> Range {
    match range.end() {
        None => range.clone(),
        Some(end) => {
            let end = Key { timestamp: i64::MIN, deleted: false, ..end.clone() };
            Range::new(range.start().cloned(), range.start_inclusive(), Some(end), true)
        }
    }
}
