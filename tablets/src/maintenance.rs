//! What an administrator does to tables: flush, compact, split, merge, and look at them.

use std::ops::ControlFlow;
use std::sync::Arc;

use ostracon_data::{KeyExtent, RowRange};
use rocksdb::WriteBatch;

use crate::background::CompactionStatistics;
use crate::compact::{self, CompactionProgress};
use crate::directory::{Directory, TableState};
use crate::estimate;
use crate::keys;
use crate::statement::MAX_ROW_BYTES;
use crate::store::TabletStore;
use crate::{Error, Result};

/// A tablet and its size, about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TabletInfo {
    /// The tablet's rows: after `prev_end_row`, up to `end_row` itself.
    pub extent: KeyExtent,
    /// Rows in segments and unmerged fragments in it, about: at least one for each row.
    pub rows: u64,
    /// Bytes of their keys and values before compression, about.
    pub bytes: u64,
}

/// How much room a table takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiskUsage {
    /// The table's name.
    pub table: String,
    /// Rows in segments and unmerged fragments, about: at least one for each row.
    pub rows: u64,
    /// Bytes of keys and values before compression, about.
    pub bytes: u64,
    /// Bytes of segments and of files with fragments, about; writes that are still in memory take none.
    pub file_bytes: u64,
    /// Epochs that a scan merges with each other and with the runs.
    pub epochs: usize,
    /// Runs of segments.
    pub runs: usize,
    /// Segments in them.
    pub segments: usize,
    /// Tablets.
    pub tablets: usize,
}

impl TabletStore {
    /// Freezes the active epoch of a table (or of all) and writes everything that is in memory to files, synced.
    ///
    /// # Errors
    /// [`Error::TableNotFound`], or what the disk reports.
    pub fn flush(&self, table: Option<&str>) -> Result<()> {
        let states = self.states(table)?;
        for state in &states {
            let exclusive = state.lock.exclusive();
            let frozen = compact::freeze(&self.inner, state, &exclusive);
            drop(exclusive);
            skip_dropped(frozen, table)?;
        }
        self.inner.engine.fail_points.reach("flush")?;
        self.inner.engine.flush()?;
        for state in &states {
            skip_dropped(compact::tidy(&self.inner, state).map(drop), table)?;
        }
        Ok(())
    }

    /// Compacts a table (or all): all rows in segments, and nothing that is deleted, expired or superseded. Writers and
    /// readers go on.
    ///
    /// # Errors
    /// [`Error::TableNotFound`], damaged rows, or what the disk reports. The table is then as it was.
    pub fn compact(&self, table: Option<&str>) -> Result<()> {
        self.compact_observed(table, &mut |_| ControlFlow::Continue(()))
    }

    /// As [`compact`](Self::compact), and tells `observer` how far it is, a few hundred times a second at most.
    ///
    /// # Errors
    /// As [`compact`](Self::compact); [`Error::Cancelled`] if the observer breaks off. The table that it came to is then
    /// as it was.
    pub fn compact_observed(
        &self,
        table: Option<&str>,
        observer: &mut dyn FnMut(&CompactionProgress) -> ControlFlow<()>,
    ) -> Result<()> {
        for state in self.states(table)? {
            skip_dropped(compact::compact(&self.inner, &state, observer), table)?;
            // The epochs and segments that were replaced are only marked as deleted so far.
            let start = keys::prefix(state.id, 0);
            let end = keys::prefix(state.id, u64::MAX);
            self.inner.engine.reclaim(&start, &end);
            let (start, end) = (keys::segment_key(state.id, 0), keys::segment_key(state.id, u64::MAX));
            self.inner.engine.reclaim_large(&start, &end)?;
        }
        Ok(())
    }

    /// What has been compacted in the background since the store was opened.
    pub fn compaction_statistics(&self) -> CompactionStatistics {
        self.inner.compaction_statistics()
    }

    /// Splits tablets of a table at rows; each becomes the last row of a tablet. Rows that are split points already
    /// change nothing.
    ///
    /// # Errors
    /// [`Error::TableNotFound`], [`Error::Invalid`] for an empty row, [`Error::TooLarge`], or what the disk reports.
    pub fn split(&self, table: &str, points: Vec<Vec<u8>>) -> Result<()> {
        for point in &points {
            if point.is_empty() {
                return Err(Error::invalid("split point", "must not be empty: no row lies before it"));
            }
            if point.len() > MAX_ROW_BYTES {
                return Err(Error::TooLarge {
                    what: "split point".to_owned(),
                    found: point.len() as u64,
                    limit: MAX_ROW_BYTES as u64,
                });
            }
        }
        self.change_splits(table, |splits| {
            splits.extend(points);
            splits.sort();
            splits.dedup();
        })
    }

    /// Merges the tablets of a table between two rows: removes the split points that lie strictly between them. `None`
    /// is the table's start or end.
    ///
    /// # Errors
    /// [`Error::TableNotFound`], or what the disk reports.
    pub fn merge(&self, table: &str, start: Option<&[u8]>, end: Option<&[u8]>) -> Result<()> {
        let between =
            |point: &[u8]| start.is_none_or(|start| point > start) && end.is_none_or(|end| point < end);
        self.change_splits(table, |splits| splits.retain(|point| !between(point)))
    }

    fn change_splits(&self, table: &str, change: impl FnOnce(&mut Vec<Vec<u8>>)) -> Result<()> {
        let state = self.table(table)?.state;
        let make = |current: &Directory, _: &mut WriteBatch| {
            let mut splits = current.splits.to_vec();
            change(&mut splits);
            if splits == *current.splits {
                return Ok(None);
            }
            Ok(Some(Directory { splits: Arc::new(splits), ..current.clone() }))
        };
        state.publish(&self.inner.engine, self.inner.record_durability(), make, || ())?;
        Ok(())
    }

    /// The tablets of a table, in row order.
    ///
    /// # Errors
    /// [`Error::TableNotFound`], or what the disk reports.
    pub fn tablets(&self, table: &str) -> Result<Vec<TabletInfo>> {
        let state = self.table(table)?.state;
        let directory = state.directory();
        let info = |extent: KeyExtent| {
            let size = estimate::of_range(&self.inner.engine, &directory, &extent.row_range())?;
            Ok(TabletInfo { extent, rows: size.rows, bytes: size.bytes })
        };
        directory.extents(state.id).into_iter().map(info).collect()
    }

    /// How much room a table (or each one) takes.
    ///
    /// # Errors
    /// [`Error::TableNotFound`], or what the disk reports.
    pub fn du(&self, table: Option<&str>) -> Result<Vec<DiskUsage>> {
        let usage = |state: Arc<TableState>| {
            let directory = state.directory();
            let engine = &self.inner.engine;
            let size = estimate::of_range(engine, &directory, &RowRange::all())?;
            let ranges: Vec<_> =
                directory.epochs().map(|epoch| keys::epoch_range(epoch.table, epoch.id)).collect();
            let file_bytes: u64 = engine.file_bytes(&ranges).iter().sum();
            let segments = directory.runs().map(|run| run.bytes()).sum::<u64>();
            Ok(DiskUsage {
                table: state.name.clone(),
                rows: size.rows,
                bytes: size.bytes,
                file_bytes: file_bytes + segments,
                epochs: directory.epochs().count(),
                runs: directory.runs().count(),
                segments: directory.runs().map(|run| run.segments().len()).sum(),
                tablets: directory.splits.len() + 1,
            })
        };
        self.states(table)?.into_iter().map(usage).collect()
    }

    pub(crate) fn states(&self, table: Option<&str>) -> Result<Vec<Arc<TableState>>> {
        match table {
            Some(name) => Ok(vec![self.table(name)?.state]),
            None => Ok(self.inner.tables.read().values().cloned().collect()),
        }
    }
}

/// A table that was dropped while all tables are gone through is no error.
fn skip_dropped(result: Result<()>, asked_for: Option<&str>) -> Result<()> {
    match result {
        Err(Error::TableNotFound { .. }) if asked_for.is_none() => Ok(()),
        other => other,
    }
}
