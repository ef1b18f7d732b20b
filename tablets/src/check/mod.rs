//! Looking over a whole store for damage.

mod segments;

use std::collections::BTreeSet;

use ostracon_data::{ColumnVisibility, TableId};
use ostracon_iterators::BytesText;
use ostracon_segment::{FragmentReader, UpdateRef};

use crate::engine::Access;
use crate::keys::{self, FragmentKey};
use crate::store::TabletStore;
use crate::{Error, Result};

/// Problems that are listed; more are only counted.
const LISTED: usize = 100;

/// What [`TabletStore::check`] found.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CheckReport {
    /// Tables.
    pub tables: u64,
    /// Fragments read, of all epochs.
    pub fragments: u64,
    /// Segments read, of all runs.
    pub segments: u64,
    /// Rows in them.
    pub segment_rows: u64,
    /// Column updates in fragments, and cells in segments.
    pub cells: u64,
    /// Bytes of keys, values and segments read.
    pub bytes: u64,
    /// What is wrong and where, the first ones.
    pub problems: Vec<String>,
    /// How many problems there are in all.
    pub problem_count: u64,
}

impl CheckReport {
    /// Whether nothing is wrong.
    pub fn is_clean(&self) -> bool {
        self.problem_count == 0
    }

    fn problem(&mut self, text: impl FnOnce() -> String) {
        self.problem_count += 1;
        if self.problems.len() < LISTED {
            self.problems.push(text());
        }
    }
}

impl TabletStore {
    /// Reads every record, every fragment and every segment of the store, checksums included, and reports what is not as
    /// it should be.
    ///
    /// # Errors
    /// Only if reading ends before the end; damage that can be skipped is in the report.
    pub fn check(&self) -> Result<CheckReport> {
        let mut report = CheckReport::default();
        // Named first and unused second: an epoch that is published meanwhile is in one of them.
        let known = self.known_epochs(&mut report)?;
        self.check_catalog(&mut report)?;
        let (start, end) = keys::data_range();
        let mut iterator = self.inner.engine.iterator(start.clone(), end, Access::Once);
        iterator.seek(&start);
        let mut last_epoch = None;
        while let Some((key, value)) = iterator.item() {
            report.fragments += 1;
            report.bytes += (key.len() + value.len()) as u64;
            let epoch = keys::parse_epoch(key);
            if epoch != last_epoch {
                last_epoch = epoch;
                if !epoch.is_some_and(|epoch| known.contains(&epoch) || self.is_known_now(epoch)) {
                    report.problem(|| match epoch {
                        Some((table, epoch)) => {
                            format!("epoch {epoch} of table {table} belongs to no directory")
                        }
                        None => format!("key {} is too short", BytesText(key)),
                    });
                }
            }
            self.check_fragment(key, value, &mut report);
            iterator.next();
        }
        iterator.check()?;
        self.check_segments(&mut report)?;
        Ok(report)
    }

    fn known_epochs(&self, report: &mut CheckReport) -> Result<BTreeSet<(TableId, u64)>> {
        let mut known = BTreeSet::new();
        for state in self.states(None)? {
            report.tables += 1;
            let directory = state.directory();
            known.extend(directory.epochs().map(|epoch| (epoch.table, epoch.id)));
            if !directory.splits.is_sorted_by(|a, b| a < b) {
                report.problem(|| format!("split points of table '{}' are not in order", state.name));
            }
        }
        self.inner.engine.each(&keys::UNUSED_PREFIX, |key, _| {
            match keys::parse_unused_key(key) {
                Some(epoch) => {
                    known.insert(epoch);
                }
                None => {
                    report.problem(|| format!("record of an unused epoch has a bad key {}", BytesText(key)))
                }
            }
            Ok(())
        })?;
        Ok(known)
    }

    /// Statements and compactions make epochs while the check runs.
    fn is_known_now(&self, (table, epoch): (TableId, u64)) -> bool {
        let unused = self.inner.engine.get(&keys::unused_key(table, epoch));
        let tables = self.inner.tables.read();
        let named = tables
            .values()
            .any(|state| state.id == table && state.directory().epochs().any(|known| known.id == epoch));
        named || unused.is_ok_and(|record| record.is_some())
    }

    fn check_catalog(&self, report: &mut CheckReport) -> Result<()> {
        self.inner.engine.each(&keys::CATALOG_PREFIX, |key, _| {
            if std::str::from_utf8(key).is_err() {
                report.problem(|| format!("catalog key {} is not UTF-8", BytesText(key)));
            }
            Ok(())
        })
    }

    fn check_fragment(&self, key: &[u8], value: &[u8], report: &mut CheckReport) {
        let mut row = Vec::new();
        let Some(parsed) = FragmentKey::parse(key) else {
            return report.problem(|| format!("key {} is too short", BytesText(key)));
        };
        if !keys::take_row(parsed.row_part, &mut row) {
            return report.problem(|| format!("the row of key {} is not escaped rightly", BytesText(key)));
        }
        let place = || match keys::parse_epoch(key) {
            Some((table, epoch)) => format!("row {} (table {table}, epoch {epoch})", BytesText(&row)),
            None => format!("row {}", BytesText(&row)),
        };
        if parsed.sequence > self.inner.sequencer.last() {
            report.problem(|| {
                format!("{} has the commit sequence {}, which was never given", place(), parsed.sequence)
            });
        }
        match cells(value) {
            Ok(cells) => report.cells += cells,
            Err(reason) => report.problem(|| format!("{}: {reason}", place())),
        }
    }
}

/// Reads a fragment to its end; gives how many updates it has.
fn cells(value: &[u8]) -> std::result::Result<u64, String> {
    let mut cells = 0;
    let mut last_label: &[u8] = b"";
    for update in FragmentReader::new(value).map_err(|error| error.to_string())? {
        cells += 1;
        let label = match update.map_err(|error| error.to_string())? {
            UpdateRef::Put { visibility, .. } | UpdateRef::Delete { visibility, .. } => visibility,
            UpdateRef::Erase { .. } => continue,
        };
        if label != last_label {
            ColumnVisibility::parse(label).map_err(|error| format!("label {}: {error}", BytesText(label)))?;
            last_label = label;
        }
    }
    Ok(cells)
}

impl CheckReport {
    /// The report as an error, if anything is wrong.
    ///
    /// # Errors
    /// [`Error::Corrupt`] with the first problem.
    pub fn into_result(self) -> Result<Self> {
        match self.problems.first() {
            None => Ok(self),
            Some(first) => {
                Err(Error::corrupt("store", format!("{} problems, the first: {first}", self.problem_count)))
            }
        }
    }
}

#[cfg(test)]
mod tests;
