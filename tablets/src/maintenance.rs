//! What an administrator does to tables: flush, compact, split, merge, and look at them.

use std::sync::Arc;

use ostracon_data::KeyExtent;
use rocksdb::WriteBatch;

use crate::directory::{Directory, TableState};
use crate::estimate::{self, Estimate};
use crate::keys;
use crate::statement::MAX_ROW_BYTES;
use crate::store::TabletStore;
use crate::{Error, Result, compact};

/// A tablet and its size, about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TabletInfo {
    /// The tablet's rows: after `prev_end_row`, up to `end_row` itself.
    pub extent: KeyExtent,
    /// Fragments in it, about: at least one for each row.
    pub rows: u64,
    /// Bytes of their keys and values before compression, about.
    pub bytes: u64,
}

/// How much room a table takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiskUsage {
    /// The table's name.
    pub table: String,
    /// Fragments, about: at least one for each row.
    pub rows: u64,
    /// Bytes of keys and values before compression, about.
    pub bytes: u64,
    /// Bytes of files, about; writes that are still in memory take none.
    pub file_bytes: u64,
    /// Epochs that a scan merges.
    pub epochs: usize,
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
            skip_dropped(compact::tidy(&self.inner, state), table)?;
        }
        Ok(())
    }

    /// Compacts a table (or all): one fragment a row, and nothing that is deleted, expired or superseded. Writers and
    /// readers go on.
    ///
    /// # Errors
    /// [`Error::TableNotFound`], damaged rows, or what the disk reports. The table is then as it was.
    pub fn compact(&self, table: Option<&str>) -> Result<()> {
        for state in self.states(table)? {
            skip_dropped(compact::compact(&self.inner, &state), table)?;
            // The epochs that were folded are only marked as deleted so far.
            let start = keys::prefix(state.id, 0);
            let end = keys::prefix(state.id, u64::MAX);
            self.inner.engine.reclaim(&start, &end);
        }
        Ok(())
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
            let size = self.size_of(&directory, &extent)?;
            Ok(TabletInfo { extent, rows: size.fragments, bytes: size.bytes })
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
            let size = self.size_of(&directory, &KeyExtent::whole(state.id))?;
            let ranges: Vec<_> =
                directory.epochs.iter().map(|epoch| keys::epoch_range(epoch.table, epoch.id)).collect();
            Ok(DiskUsage {
                table: state.name.clone(),
                rows: size.fragments,
                bytes: size.bytes,
                file_bytes: self.inner.engine.file_bytes(&ranges).iter().sum(),
                epochs: directory.epochs.len(),
                tablets: directory.splits.len() + 1,
            })
        };
        self.states(table)?.into_iter().map(usage).collect()
    }

    fn size_of(&self, directory: &Directory, extent: &KeyExtent) -> Result<Estimate> {
        let rows = extent.row_range();
        let mut start = Vec::new();
        keys::put_row_part(&mut start, &rows.start);
        let end = rows.end.map(|end| {
            let mut part = Vec::new();
            keys::put_row_part(&mut part, &end);
            part
        });
        let mut size = Estimate::default();
        for epoch in &directory.epochs {
            let of_epoch = estimate::of_range(&self.inner.engine, epoch, &start, end.as_deref())?;
            size.fragments += of_epoch.fragments;
            size.bytes += of_epoch.bytes;
        }
        Ok(size)
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
