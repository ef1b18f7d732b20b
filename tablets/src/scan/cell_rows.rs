//! Rows out of a stack of iterators.

use std::cmp::Reverse;
use std::collections::VecDeque;
use std::sync::Arc;

use ostracon_data::{Key, RowBuffer, RowRange};

use super::assemble::CellAge;
use super::assembled_rows::Next;
use super::cell_scanner::CellScanner;
use super::columns::{ColumnRoles, FILTERED, MAPPED, PROJECTED};
use super::fragments::{FragmentRows, Order, RowFragments};
use super::metrics::ScanMetrics;
use super::spec::ScanSpec;
use crate::Result;
use crate::version::Version;

/// Gathers the cells of a [`CellScanner`] into rows.
pub(crate) struct CellRows {
    scanner: CellScanner,
    roles: ColumnRoles,
    /// For reverse scans: finds the rows, which are then read one by one.
    backward: Option<Backward>,
    row: Vec<(Key, Vec<u8>, CellAge)>,
    started: bool,
}

struct Backward {
    rows: FragmentRows,
    fragments: RowFragments,
    metrics: ScanMetrics,
}

impl CellRows {
    pub(crate) fn new(version: &Arc<Version>, spec: &ScanSpec) -> Result<Self> {
        let backward = spec.reverse.then(|| Backward {
            rows: FragmentRows::new(version, &spec.ranges.ranges(), &ColumnRoles::none(), Order::Backward),
            fragments: RowFragments::default(),
            metrics: ScanMetrics::default(),
        });
        Ok(Self::over(CellScanner::new(version, spec)?, ColumnRoles::of_scan(spec), backward))
    }

    /// The rows that a full compaction leaves, every column and label of them.
    pub(crate) fn compaction(version: &Arc<Version>, oldest_time: i64, now_ms: i64) -> Result<Self> {
        Ok(Self::over(
            CellScanner::compaction(version, oldest_time, now_ms)?,
            ColumnRoles::everything(),
            None,
        ))
    }

    /// The rows that joining some sources leaves, delete markers included: see [`next_cells`](Self::next_cells).
    pub(crate) fn minor_compaction(version: &Arc<Version>, now_ms: i64) -> Result<Self> {
        Ok(Self::over(CellScanner::minor_compaction(version, now_ms)?, ColumnRoles::everything(), None))
    }

    /// The cells and delete markers of the next row, in the order that a fragment has them; none at the end.
    pub(crate) fn next_cells(&mut self) -> Result<&[(Key, Vec<u8>, CellAge)]> {
        self.row.clear();
        self.gather_forward()?;
        self.sort();
        Ok(&self.row)
    }

    /// Rows of no range yet: [`seek`](Self::seek) says of which, as often as wanted.
    pub(crate) fn seekable(version: &Arc<Version>, spec: &ScanSpec) -> Result<Self> {
        let backward = spec.reverse.then(|| Backward {
            rows: FragmentRows::seekable(version, &ColumnRoles::none(), Order::Backward),
            fragments: RowFragments::default(),
            metrics: ScanMetrics::default(),
        });
        Ok(Self::over(CellScanner::new(version, spec)?, ColumnRoles::of_scan(spec), backward))
    }

    /// Goes on with other ranges, which are in order and disjoint.
    pub(crate) fn seek(&mut self, ranges: &[RowRange]) {
        self.scanner.set_ranges(ranges);
        if let Some(backward) = &mut self.backward {
            backward.rows.seek(ranges);
        }
        self.started = false;
    }

    fn over(scanner: CellScanner, roles: ColumnRoles, backward: Option<Backward>) -> Self {
        Self { scanner, roles, backward, row: Vec::new(), started: false }
    }

    /// Reads the next row into `out`, and sets `metrics` to what was read so far.
    pub(crate) fn next_row(&mut self, out: &mut RowBuffer, metrics: &mut ScanMetrics) -> Result<Next> {
        out.clear();
        self.row.clear();
        let found = if self.backward.is_some() { self.gather_backward()? } else { self.gather_forward()? };
        let mut read = self.scanner.metrics();
        if let Some(backward) = &self.backward {
            read.add(&backward.metrics);
        }
        *metrics = ScanMetrics { rows_read: metrics.rows_read, rows_returned: metrics.rows_returned, ..read };
        if !found {
            return Ok(Next::End);
        }
        Ok(if self.fill(out) { Next::Row } else { Next::Absent })
    }

    fn gather_forward(&mut self) -> Result<bool> {
        if !self.started {
            self.started = true;
            self.scanner.advance()?;
        }
        self.gather()?;
        Ok(!self.row.is_empty())
    }

    fn gather_backward(&mut self) -> Result<bool> {
        let Some(backward) = &mut self.backward else { return Ok(false) };
        if !backward.rows.next_row(&mut backward.fragments, &mut backward.metrics)? {
            return Ok(false);
        }
        self.scanner.seek_row(backward.fragments.row())?;
        self.gather()?;
        Ok(true)
    }

    /// Takes the cells from the current one to the last of its row.
    fn gather(&mut self) -> Result<()> {
        while let Some((key, value)) = self.scanner.top() {
            if self.row.last().is_some_and(|(last, ..)| last.row != key.row) {
                break;
            }
            self.row.push((key.clone(), value.to_vec(), CellAge::default()));
            self.scanner.advance()?;
        }
        Ok(())
    }

    /// Puts the gathered cells into `out` in the order that the row path has; gives whether the row exists.
    fn fill(&mut self, out: &mut RowBuffer) -> bool {
        let Some((first, ..)) = self.row.first() else { return false };
        out.set_row(&first.row);
        self.sort();
        let mut exists = false;
        let mut hint = 0;
        for (key, value, _) in &self.row {
            let roles = self.roles.of(&key.family, &key.qualifier, &mut hint);
            exists |= roles & MAPPED != 0;
            if roles & (PROJECTED | FILTERED) != 0 {
                out.push_cell(&key.family, &key.qualifier, &key.visibility, key.timestamp, value);
            }
        }
        exists
    }

    /// Sorts the cells of each column by timestamp and then commit, the newest first, whatever their label.
    fn sort(&mut self) {
        let Some((first, ..)) = self.row.first() else { return };
        let mut ages = self.scanner.take_ages(&first.row);
        if !ages.is_empty() {
            for (key, _, age) in &mut self.row {
                *age = ages.get_mut(key).and_then(VecDeque::pop_front).unwrap_or_default();
            }
        }
        let same_column = |a: &(Key, Vec<u8>, CellAge), b: &(Key, Vec<u8>, CellAge)| {
            a.0.family == b.0.family && a.0.qualifier == b.0.qualifier
        };
        for column in self.row.chunk_by_mut(same_column) {
            // Stable: what no age is known of stays in the order of labels.
            column.sort_by_key(|(key, _, age)| (Reverse(key.timestamp), *age));
        }
    }
}
