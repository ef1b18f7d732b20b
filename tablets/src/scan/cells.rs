//! The leaf of the cell path: the fragments of a version as sorted cells.
//!
//! Erases are applied here, since an [`IteratorStack`](ostracon_iterators::IteratorStack) knows only Accumulo's delete
//! markers; everything else is left to the stack.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use ostracon_data::{Key, Range, RowRange, row_successor};
use ostracon_iterators::{ColumnFamilies, SortedKeyValueIterator};
use parking_lot::Mutex;

use super::assemble::{CellAge, RowAssembler, RowRules};
use super::columns::ColumnRoles;
use super::fragments::{FragmentRows, Order, RowFragments};
use super::metrics::ScanMetrics;
use crate::Result;
use crate::version::Version;

/// What the leaves of one scan report to its top.
#[derive(Debug, Default)]
pub(super) struct Report {
    pub(super) metrics: ScanMetrics,
    /// Commit ages of cells that differ in nothing but their label: their order is lost in the key. The cells of one
    /// key, of which the newest comes first, have one each.
    pub(super) ages: HashMap<Key, VecDeque<CellAge>>,
}

/// How the leaves of a scan read.
pub(super) struct SourceRules {
    pub(super) version: Arc<Version>,
    pub(super) roles: ColumnRoles,
    pub(super) oldest_time: i64,
    /// A compaction reads, which comes by once.
    pub(super) once: bool,
    pub(super) report: Mutex<Report>,
}

/// The leaf of a stack: the cells of a version in key order.
pub(super) struct CellSource {
    rules: Arc<SourceRules>,
    assembler: RowAssembler,
    rows: Option<FragmentRows>,
    /// Whether there may be more in `rows`.
    reading: bool,
    /// Whether `rows` can be sent elsewhere.
    seekable: bool,
    fragments: RowFragments,
    range: Range,
    cells: Vec<(Key, Vec<u8>, CellAge)>,
    at: usize,
}

impl CellSource {
    pub(super) fn new(rules: Arc<SourceRules>) -> Self {
        let row_rules = RowRules {
            roles: rules.roles.clone(),
            evaluator: None,
            max_versions: u32::MAX,
            oldest_time: rules.oldest_time,
        };
        let assembler = RowAssembler::new(row_rules, rules.version.table_name());
        Self {
            rules,
            assembler,
            rows: None,
            reading: false,
            seekable: false,
            fragments: RowFragments::default(),
            range: Range::all(),
            cells: Vec::new(),
            at: 0,
        }
    }

    fn current(&self) -> Option<&(Key, Vec<u8>, CellAge)> {
        self.cells.get(self.at)
    }

    /// Starts reading rows. Whoever asks for single rows asks often: what reads them is kept.
    fn open(&mut self, ranges: &[RowRange]) {
        self.reading = true;
        let version = &self.rules.version;
        if !ranges.iter().all(|range| range.as_point().is_some()) {
            self.seekable = false;
            let order = if self.rules.once { Order::Once } else { Order::Forward };
            self.rows = Some(FragmentRows::new(version, ranges, &self.rules.roles, order));
            return;
        }
        let kept = self.rows.take().filter(|_| self.seekable);
        self.seekable = true;
        let fresh = || FragmentRows::seekable(version, &self.rules.roles, Order::Forward);
        self.rows.insert(kept.unwrap_or_else(fresh)).seek(ranges);
    }

    /// Goes on to the next cell of the range, reading rows as needed.
    fn settle(&mut self) -> Result<()> {
        loop {
            while let Some((key, ..)) = self.current() {
                if self.range.before_start(key) {
                    self.at += 1;
                    continue;
                }
                if self.range.after_end(key) {
                    break;
                }
                return Ok(());
            }
            self.at = 0;
            self.cells.clear();
            let Some(rows) = self.rows.as_mut().filter(|_| self.reading) else { return Ok(()) };
            let mut metrics = ScanMetrics::default();
            let found = rows.next_row(&mut self.fragments, &mut metrics)?;
            if found {
                self.assembler.cells(&self.fragments, &mut self.cells, &mut metrics)?;
            }
            let mut report = self.rules.report.lock();
            report.metrics.add(&metrics);
            if !found {
                self.reading = false;
                return Ok(());
            }
            for (key, _, age) in ties(&self.cells) {
                report.ages.entry(key.clone()).or_default().push_back(*age);
            }
        }
    }
}

/// Cells of one column and timestamp under several labels.
fn ties(cells: &[(Key, Vec<u8>, CellAge)]) -> impl Iterator<Item = &(Key, Vec<u8>, CellAge)> {
    let same_column = |a: &(Key, Vec<u8>, CellAge), b: &(Key, Vec<u8>, CellAge)| {
        a.0.family == b.0.family && a.0.qualifier == b.0.qualifier
    };
    let columns = cells.chunk_by(same_column);
    columns.flat_map(|column| {
        let mixed =
            column.first().map(|cell| &cell.0.visibility) != column.last().map(|cell| &cell.0.visibility);
        if mixed { column } else { &[] }
    })
}

/// The rows that a range of keys touches.
fn rows_of(range: &Range) -> RowRange {
    let start = range.start().map_or_else(Vec::new, |key| key.row.clone());
    let end = range.end().map(|key| {
        if !range.end_inclusive() && *key == Key::first_of_row(key.row.clone()) {
            key.row.clone()
        } else {
            row_successor(&key.row)
        }
    });
    RowRange::new(start, end)
}

impl SortedKeyValueIterator for CellSource {
    fn seek(&mut self, range: &Range, _: &ColumnFamilies) -> ostracon_iterators::Result<()> {
        self.cells.clear();
        self.at = 0;
        self.range = range.clone();
        let rows = rows_of(range);
        let rows = if rows.is_empty() || range.is_empty() { &[][..] } else { &[rows][..] };
        self.open(rows);
        self.settle().map_err(ostracon_iterators::Error::source)
    }

    fn has_top(&self) -> bool {
        self.current().is_some()
    }

    fn top_key(&self) -> Option<&Key> {
        self.current().map(|cell| &cell.0)
    }

    fn top_value(&self) -> Option<&[u8]> {
        self.current().map(|cell| cell.1.as_slice())
    }

    fn next(&mut self) -> ostracon_iterators::Result<()> {
        if self.current().is_none() {
            return Err(ostracon_iterators::Error::Misuse("next() was called without a current cell"));
        }
        self.at += 1;
        self.settle().map_err(ostracon_iterators::Error::source)
    }

    fn deep_copy(&self) -> ostracon_iterators::Result<Box<dyn SortedKeyValueIterator>> {
        Ok(Box::new(Self::new(Arc::clone(&self.rules))))
    }
}

#[cfg(test)]
mod tests {
    use ostracon_data::{ColumnVisibility, Mutation};
    use ostracon_iterators::contract::{Cell, ContractSuite, clip, sample_cells};

    use super::*;
    use crate::{Durability, StatementOptions, StoreOptions, TableSettings, TabletStore};

    /// A version that holds the cells, each written alone, half of them in a frozen epoch.
    fn version_of(cells: &[Cell]) -> Arc<Version> {
        let options = StoreOptions { durability: Durability::None, ..StoreOptions::default() };
        let store = TabletStore::in_memory(options).unwrap();
        let table = store.create_table("t", TableSettings::default()).unwrap();
        for (nth, (key, value)) in cells.iter().rev().enumerate() {
            let Key { row, family, qualifier, visibility, timestamp, deleted } = key.clone();
            let mut mutation = Mutation::new(row);
            if deleted {
                mutation.delete(family, qualifier, visibility, Some(timestamp));
            } else {
                mutation.put_at(family, qualifier, visibility, timestamp, value.0.clone());
            }
            let mut statement = table.statement(StatementOptions::default()).unwrap();
            statement.write(mutation).unwrap();
            statement.commit().unwrap();
            if nth == cells.len() / 2 {
                store.flush(None).unwrap();
            }
        }
        table.version().unwrap()
    }

    #[test]
    fn the_leaf_keeps_the_contract() {
        // The suite's malformed labels are refused at the door.
        let written = |cell: &Cell| ColumnVisibility::parse(&cell.0.visibility).is_ok();
        let cells: Vec<Cell> = sample_cells().into_iter().filter(written).collect();
        assert!(cells.len() > 30);
        let (full, empty) = (version_of(&cells), version_of(&[]));
        let leaf = |held: &[Cell]| {
            assert!(held.is_empty() || held.len() == cells.len());
            let version = Arc::clone(if held.is_empty() { &empty } else { &full });
            let roles = ColumnRoles::everything();
            let rules =
                SourceRules { version, roles, oldest_time: i64::MIN, once: false, report: Mutex::default() };
            Ok(Box::new(CellSource::new(Arc::new(rules))) as Box<dyn SortedKeyValueIterator>)
        };
        // Families are a hint to a leaf, and this one has no use for it.
        let model =
            |cells: &[Cell], range: &Range, _: &ColumnFamilies| clip(cells, range, &ColumnFamilies::all());
        ContractSuite::leaf(leaf, model).check(&cells).unwrap();
    }
}
