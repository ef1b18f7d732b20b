//! A table's directory: which sources hold its rows, where its tablets are split, its settings.
//!
//! A [`Source`] is an epoch of fragments or a run of segments. The last source of a [`Directory`] is the epoch that
//! takes new writes, the others are frozen; all commits of a source are older than those of the next one. A directory is
//! never changed: a change makes a new one and publishes it by one batch (see [`TableState`]), and whoever reads goes on
//! with the one it holds.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use ostracon_data::{KeyExtent, TableId};
use parking_lot::Mutex;
use rocksdb::WriteBatch;

use crate::engine::Engine;
use crate::keys;
use crate::lock::{RowStripes, TableLock};
use crate::options::{Durability, TableSettings};
use crate::sources::{Difference, Epoch, Run, Source};
use crate::wire::records::DirectoryRecord;
use crate::{Error, Result};

/// Which sources hold a table's rows, where its tablets are split, and its settings. Immutable.
#[derive(Debug, Clone)]
pub(crate) struct Directory {
    pub(crate) settings: Arc<TableSettings>,
    /// Last row of every tablet but the last one; ascending.
    pub(crate) splits: Arc<Vec<Vec<u8>>>,
    /// Oldest first, never empty; the last one is the epoch that takes new writes.
    pub(crate) sources: Vec<Source>,
}

impl Directory {
    pub(crate) fn extents(&self, table: TableId) -> Vec<KeyExtent> {
        KeyExtent::split_at(table, self.splits.iter().cloned())
    }

    /// The epoch that takes new writes.
    pub(crate) fn active(&self) -> Result<&Arc<Epoch>> {
        let last = self.sources.last().and_then(Source::epoch);
        last.ok_or_else(|| Error::corrupt("directory of a table", "it names no epoch that takes new writes"))
    }

    /// The sources without the active epoch, if nothing has been written into it.
    pub(crate) fn written_sources(&self) -> Result<Vec<Source>> {
        let mut sources = self.sources.clone();
        if self.active()?.has_nothing()? {
            sources.pop();
        }
        Ok(sources)
    }

    pub(crate) fn epochs(&self) -> impl Iterator<Item = &Arc<Epoch>> {
        self.sources.iter().filter_map(Source::epoch)
    }

    pub(crate) fn runs(&self) -> impl Iterator<Item = &Arc<Run>> {
        self.sources.iter().filter_map(Source::run)
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
    next_source: AtomicU64,
    next_segment: AtomicU64,
    dropped: AtomicBool,
}

impl TableState {
    pub(crate) fn new(
        id: TableId,
        name: String,
        directory: Directory,
        (next_source, next_segment): (u64, u64),
    ) -> Self {
        Self {
            id,
            name,
            lock: Arc::default(),
            stripes: Arc::default(),
            compaction: Mutex::default(),
            change: Mutex::default(),
            published: Mutex::new(Arc::new(directory)),
            next_source: AtomicU64::new(next_source),
            next_segment: AtomicU64::new(next_segment),
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
        Arc::new(Epoch::unpublished(engine, self.id, self.new_source()))
    }

    /// A number for a fresh epoch or run.
    pub(crate) fn new_source(&self) -> u64 {
        self.next_source.fetch_add(1, Ordering::Relaxed)
    }

    /// A number for a fresh segment.
    pub(crate) fn new_segment(&self) -> u64 {
        self.next_segment.fetch_add(1, Ordering::Relaxed)
    }

    pub(crate) fn check_present(&self) -> Result<()> {
        if self.dropped.load(Ordering::Acquire) {
            return Err(Error::TableNotFound { name: self.name.clone() });
        }
        Ok(())
    }

    pub(crate) fn record(&self, directory: &Directory) -> DirectoryRecord {
        DirectoryRecord {
            name: self.name.clone(),
            settings: (&*directory.settings).into(),
            splits: directory.splits.to_vec(),
            sources: directory.sources.iter().map(Source::record).collect(),
            next_source: self.next_source.load(Ordering::Relaxed),
            next_segment: self.next_segment.load(Ordering::Relaxed),
        }
    }

    /// Publishes a new directory, by one batch: the record, what `make` adds to the batch, and the epochs and segments
    /// that come into use or go out of it. Readers see it once `ready` has returned.
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
        let new = Arc::new(new);
        let (coming, going) = (Difference::of(&new, &current), Difference::of(&current, &new));
        coming.enter(self.id, &mut batch)?;
        going.leave(self.id, &mut batch);
        batch.put(keys::table_key(self.id), self.record(&new).to_bytes()?);
        engine.fail_points.reach("publish")?;
        engine.write(batch, durability)?;
        new.sources.iter().for_each(|source| source.set_used());
        engine.fail_points.reach("published")?;
        ready();
        *self.published.lock() = Arc::clone(&new);
        going.set_unused();
        Ok(true)
    }

    /// Removes the table from the store; readers that hold a version of it go on.
    pub(crate) fn remove(&self, engine: &Engine, durability: Durability) -> Result<()> {
        let _change = self.change.lock();
        self.check_present()?;
        let current = self.directory();
        let mut batch = WriteBatch::default();
        batch.delete(keys::table_key(self.id));
        // The state itself may be held for long; it must not keep the sources.
        let nothing = Arc::new(Directory { sources: Vec::new(), ..Directory::clone(&current) });
        let going = Difference::of(&current, &nothing);
        going.leave(self.id, &mut batch);
        engine.fail_points.reach("drop table")?;
        engine.write(batch, durability)?;
        self.dropped.store(true, Ordering::Release);
        going.set_unused();
        *self.published.lock() = Arc::clone(&nothing);
        Ok(())
    }
}
