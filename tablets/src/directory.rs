//! A table's directory: which epochs hold its rows, where its tablets are split, its settings.
//!
//! An [`Epoch`] is a run of fragments under one key prefix. The last epoch of a [`Directory`] takes new writes, the
//! others are frozen; all commits of an epoch are older than those of the next one. A directory is never changed: a
//! change makes a new one and publishes it by one batch (see [`TableState`]), and whoever reads goes on with the one
//! it holds. An epoch that no directory names and no reader holds is deleted as a whole.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use ostracon_data::{KeyExtent, TableId};
use parking_lot::Mutex;
use rocksdb::WriteBatch;

use crate::engine::Engine;
use crate::keys;
use crate::lock::{RowStripes, TableLock};
use crate::options::{Durability, TableSettings};
use crate::wire::records::{DirectoryRecord, EpochRecord};
use crate::{Error, Result};

/// A run of fragments under one key prefix.
#[derive(Debug)]
pub(crate) struct Epoch {
    pub(crate) table: TableId,
    pub(crate) id: u64,
    fragments: AtomicU64,
    bytes: AtomicU64,
    /// The counts are those of an earlier process, which may have written more afterwards.
    pub(crate) recounted: AtomicBool,
    /// No directory names the epoch: what it holds is deleted when nobody holds the epoch any more.
    unused: AtomicBool,
    engine: Arc<Engine>,
}

impl Epoch {
    /// An epoch that no directory names yet. Until it is published, dropping it deletes what it holds.
    pub(crate) fn unpublished(engine: &Arc<Engine>, table: TableId, id: u64) -> Self {
        Self::new(engine, table, &EpochRecord { id, fragments: 0, bytes: 0 }, true, true)
    }

    /// An epoch that a directory in the store names.
    pub(crate) fn recorded(engine: &Arc<Engine>, table: TableId, record: &EpochRecord, frozen: bool) -> Self {
        Self::new(engine, table, record, frozen, false)
    }

    fn new(
        engine: &Arc<Engine>,
        table: TableId,
        record: &EpochRecord,
        recounted: bool,
        unused: bool,
    ) -> Self {
        Self {
            table,
            id: record.id,
            fragments: AtomicU64::new(record.fragments),
            bytes: AtomicU64::new(record.bytes),
            recounted: AtomicBool::new(recounted),
            unused: AtomicBool::new(unused),
            engine: Arc::clone(engine),
        }
    }

    pub(crate) fn prefix(&self) -> keys::Prefix {
        keys::prefix(self.table, self.id)
    }

    /// Counts what a commit wrote.
    pub(crate) fn count(&self, fragments: u64, bytes: u64) {
        self.fragments.fetch_add(fragments, Ordering::Relaxed);
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Replaces the counts by better ones.
    pub(crate) fn recount(&self, fragments: u64, bytes: u64) {
        self.fragments.store(fragments, Ordering::Relaxed);
        self.bytes.store(bytes, Ordering::Relaxed);
        self.recounted.store(true, Ordering::Relaxed);
    }

    /// Fragments of the epoch, about.
    pub(crate) fn fragments(&self) -> u64 {
        self.fragments.load(Ordering::Relaxed)
    }

    /// Bytes of the epoch's keys and values before compression, about.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }

    pub(crate) fn has_nothing(&self) -> Result<bool> {
        let (start, end) = keys::epoch_range(self.table, self.id);
        self.engine.is_empty(start, end)
    }
}

impl Drop for Epoch {
    fn drop(&mut self) {
        if !self.unused.load(Ordering::Acquire) || self.engine.fail_points.stopped() {
            return;
        }
        // On failure the record of the unused epoch stays, and the next start deletes it.
        if let Err(error) = delete_epoch(&self.engine, self.table, self.id) {
            tracing::warn!(table = %self.table, epoch = self.id, %error, "an unused epoch stays until the next start");
        }
    }
}

/// Deletes what an unused epoch holds, and its record.
pub(crate) fn delete_epoch(engine: &Engine, table: TableId, epoch: u64) -> Result<()> {
    let (start, end) = keys::epoch_range(table, epoch);
    engine.drop_files(&start, &end)?;
    let mut batch = WriteBatch::default();
    batch.delete_range(start, end);
    batch.delete(keys::unused_key(table, epoch));
    engine.write(batch, Durability::Log)
}

/// Which epochs hold a table's rows, where its tablets are split, and its settings. Immutable.
#[derive(Debug, Clone)]
pub(crate) struct Directory {
    pub(crate) settings: Arc<TableSettings>,
    /// Last row of every tablet but the last one; ascending.
    pub(crate) splits: Arc<Vec<Vec<u8>>>,
    /// Oldest first, never empty; the last one takes new writes.
    pub(crate) epochs: Vec<Arc<Epoch>>,
}

impl Directory {
    pub(crate) fn extents(&self, table: TableId) -> Vec<KeyExtent> {
        KeyExtent::split_at(table, self.splits.iter().cloned())
    }

    /// The epoch that takes new writes.
    pub(crate) fn active(&self) -> Result<&Arc<Epoch>> {
        self.epochs.last().ok_or_else(|| Error::corrupt("directory of a table", "it names no epoch"))
    }
}

/// A table as the running store knows it.
#[derive(Debug)]
pub(crate) struct TableState {
    pub(crate) id: TableId,
    pub(crate) name: String,
    pub(crate) lock: Arc<TableLock>,
    pub(crate) stripes: Arc<RowStripes>,
    /// Held while the table is being compacted.
    pub(crate) compaction: Mutex<()>,
    /// Held while a new directory is made, written and put in place.
    change: Mutex<()>,
    published: Mutex<Arc<Directory>>,
    next_epoch: AtomicU64,
    dropped: AtomicBool,
}

impl TableState {
    pub(crate) fn new(id: TableId, name: String, directory: Directory, next_epoch: u64) -> Self {
        Self {
            id,
            name,
            lock: Arc::default(),
            stripes: Arc::default(),
            compaction: Mutex::default(),
            change: Mutex::default(),
            published: Mutex::new(Arc::new(directory)),
            next_epoch: AtomicU64::new(next_epoch),
            dropped: AtomicBool::new(false),
        }
    }

    /// The current directory.
    pub(crate) fn directory(&self) -> Arc<Directory> {
        Arc::clone(&self.published.lock())
    }

    /// The current directory together with `horizon()`, asked for at the same moment: no directory is put in place in
    /// between, so the horizon covers no commit of an epoch that the directory lacks.
    pub(crate) fn directory_and(&self, horizon: impl FnOnce() -> u64) -> (Arc<Directory>, u64) {
        let published = self.published.lock();
        (Arc::clone(&published), horizon())
    }

    /// A fresh epoch, not published yet.
    pub(crate) fn new_epoch(&self, engine: &Arc<Engine>) -> Arc<Epoch> {
        let id = self.next_epoch.fetch_add(1, Ordering::Relaxed);
        Arc::new(Epoch::unpublished(engine, self.id, id))
    }

    pub(crate) fn check_present(&self) -> Result<()> {
        if self.dropped.load(Ordering::Acquire) {
            return Err(Error::TableNotFound { name: self.name.clone() });
        }
        Ok(())
    }

    pub(crate) fn record(&self, directory: &Directory) -> DirectoryRecord {
        let epoch = |epoch: &Arc<Epoch>| EpochRecord {
            id: epoch.id,
            fragments: epoch.fragments(),
            bytes: epoch.bytes(),
        };
        DirectoryRecord {
            name: self.name.clone(),
            settings: (&*directory.settings).into(),
            splits: directory.splits.to_vec(),
            epochs: directory.epochs.iter().map(epoch).collect(),
            next_epoch: self.next_epoch.load(Ordering::Relaxed),
        }
    }

    /// Publishes a new directory, by one batch: the record, what `make` adds to the batch, and the epochs that come
    /// into use or go out of it. Readers see it once `ready` has returned.
    ///
    /// `make` gets the current directory; it may decide that nothing is to change (`None`), and then nothing is written.
    /// Gives whether there was a change.
    pub(crate) fn publish(
        &self,
        engine: &Engine,
        durability: Durability,
        make: impl FnOnce(&Directory, &mut WriteBatch) -> Result<Option<Directory>>,
        ready: impl FnOnce(),
    ) -> Result<bool> {
        let _change = self.change.lock();
        self.check_present()?;
        let current = self.directory();
        let mut batch = WriteBatch::default();
        let Some(new) = make(&current, &mut batch)? else { return Ok(false) };
        let holds =
            |directory: &Directory, epoch: &Epoch| directory.epochs.iter().any(|held| held.id == epoch.id);
        for epoch in new.epochs.iter().filter(|epoch| !holds(&current, epoch)) {
            batch.delete(keys::unused_key(self.id, epoch.id));
        }
        for epoch in current.epochs.iter().filter(|epoch| !holds(&new, epoch)) {
            batch.put(keys::unused_key(self.id, epoch.id), b"");
        }
        batch.put(keys::table_key(self.id), self.record(&new).to_bytes()?);
        engine.fail_points.reach("publish")?;
        engine.write(batch, durability)?;
        for epoch in &new.epochs {
            epoch.unused.store(false, Ordering::Release);
        }
        engine.fail_points.reach("published")?;
        ready();
        let new = Arc::new(new);
        *self.published.lock() = Arc::clone(&new);
        for epoch in current.epochs.iter().filter(|epoch| !holds(&new, epoch)) {
            epoch.unused.store(true, Ordering::Release);
        }
        Ok(true)
    }

    /// Removes the table from the store; readers that hold a version of it go on.
    pub(crate) fn remove(&self, engine: &Engine, durability: Durability) -> Result<()> {
        let _change = self.change.lock();
        self.check_present()?;
        let current = self.directory();
        let mut batch = WriteBatch::default();
        batch.delete(keys::table_key(self.id));
        for epoch in &current.epochs {
            batch.put(keys::unused_key(self.id, epoch.id), b"");
        }
        engine.fail_points.reach("drop table")?;
        engine.write(batch, durability)?;
        self.dropped.store(true, Ordering::Release);
        for epoch in &current.epochs {
            epoch.unused.store(true, Ordering::Release);
        }
        // The state itself may be held for long; it must not keep the epochs.
        let nothing = Directory { epochs: Vec::new(), ..Directory::clone(&current) };
        *self.published.lock() = Arc::new(nothing);
        Ok(())
    }
}
