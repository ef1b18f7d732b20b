//! [`PrimitiveComparisonFilter`]: whole rows, kept or left out by a [`RowFilter`].
//!
//! The iterator to which Hive's storage handler gave one comparison each; here one iterator runs the whole program of
//! a scan. It hands out the cells of matching rows as they are, without re-encoding rows.

use std::collections::BTreeSet;

use ostracon_data::{Key, Range, RowBuffer};

use crate::row_filter::{RowFilter, RowFilterSpec};
use crate::row_reader::RowReader;
use crate::sorted_key_value_iterator::no_top;
use crate::{ColumnFamilies, Result, SortedKeyValueIterator};

/// An iterator over the cells of the rows that a filter's predicate is TRUE for.
///
/// A row is judged by all of its cells that the source gives, also those outside of the range and of the families
/// that were asked for: what is handed out is limited to these.
pub struct PrimitiveComparisonFilter {
    source: Box<dyn SortedKeyValueIterator>,
    filter: RowFilter,
    /// Families the predicate looks at.
    operand_families: BTreeSet<Vec<u8>>,
    range: Range,
    families: ColumnFamilies,
    reader: RowReader,
    row: RowBuffer,
    /// The top is this cell of the reader's row; past its end: no top.
    at: usize,
}

impl PrimitiveComparisonFilter {
    /// Filters the rows of `source`; a row of more than `max_bytes` bytes is an error.
    pub fn new(
        source: Box<dyn SortedKeyValueIterator>,
        spec: &RowFilterSpec,
        max_bytes: Option<usize>,
    ) -> Result<Self> {
        let operand_families = spec.columns().map(|(family, _)| family.to_vec()).collect();
        Ok(Self::over(source, RowFilter::compile(spec)?, operand_families, max_bytes))
    }

    fn over(
        source: Box<dyn SortedKeyValueIterator>,
        filter: RowFilter,
        operand_families: BTreeSet<Vec<u8>>,
        max_bytes: Option<usize>,
    ) -> Self {
        Self {
            source,
            filter,
            operand_families,
            range: Range::all(),
            families: ColumnFamilies::all(),
            reader: RowReader::new(max_bytes),
            row: RowBuffer::new(),
            at: 0,
        }
    }

    /// Moves from cell `at` on to one that was asked for, in this row or a later matching one.
    fn find_top(&mut self) -> Result<()> {
        loop {
            while let Some((key, _)) = self.reader.cells().get(self.at) {
                if self.range.contains(key) && self.families.contains(&key.family) {
                    return Ok(());
                }
                self.at += 1;
            }
            self.at = 0;
            match self.next_match() {
                Ok(true) => {}
                Ok(false) => {
                    self.reader.clear();
                    return Ok(());
                }
                Err(error) => {
                    self.reader.clear();
                    return Err(error);
                }
            }
        }
    }

    /// Reads on to a row that matches.
    fn next_match(&mut self) -> Result<bool> {
        while self.reader.read(&mut self.source)? {
            self.reader.fill(&mut self.row);
            if self.filter.matches(&self.row)? {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

impl SortedKeyValueIterator for PrimitiveComparisonFilter {
    fn seek(&mut self, range: &Range, families: &ColumnFamilies) -> Result<()> {
        self.reader.clear();
        self.at = 0;
        self.range = range.clone();
        self.families = families.clone();
        let widened =
            self.operand_families.iter().fold(families.clone(), |widened, family| widened.with(family));
        self.source.seek(&touched_rows(range), &widened)?;
        self.find_top()
    }

    fn has_top(&self) -> bool {
        self.at < self.reader.cells().len()
    }

    fn top_key(&self) -> Option<&Key> {
        self.reader.cells().get(self.at).map(|(key, _)| key)
    }

    fn top_value(&self) -> Option<&[u8]> {
        self.reader.cells().get(self.at).map(|(_, value)| value.as_bytes())
    }

    fn next(&mut self) -> Result<()> {
        if !self.has_top() {
            return Err(no_top());
        }
        self.at += 1;
        self.find_top()
    }

    fn deep_copy(&self) -> Result<Box<dyn SortedKeyValueIterator>> {
        Ok(Box::new(Self::over(
            self.source.deep_copy()?,
            self.filter.clone(),
            self.operand_families.clone(),
            self.reader.max_bytes(),
        )))
    }
}

/// All keys of every row that has a key in the range.
fn touched_rows(range: &Range) -> Range {
    let end = range.end();
    // An end before every cell of its row leaves that row out.
    let end_row_inclusive = end.is_some_and(|end| !range.after_end(&Key::first_of_row(end.row.clone())));
    Range::rows(
        range.start().map(|start| start.row.as_slice()),
        true,
        end.map(|end| end.row.as_slice()),
        end_row_inclusive,
    )
}
