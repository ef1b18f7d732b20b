//! Epochs: fragments as statements wrote them.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use ostracon_data::TableId;
use rocksdb::WriteBatch;

use crate::Result;
use crate::engine::Engine;
use crate::keys;
use crate::options::Durability;
use crate::wire::records::EpochRecord;

/// A run of fragments under one key prefix.
#[derive(Debug)]
pub(crate) struct Epoch {
    pub(crate) table: TableId,
    pub(crate) id: u64,
    fragments: AtomicU64,
    bytes: AtomicU64,
    /// Anything may be in the epoch.
    touched: AtomicBool,
    /// The counts are those of an earlier process, which may have written more afterwards.
    pub(crate) recounted: AtomicBool,
    /// No directory names the epoch: what it holds is deleted when nobody holds the epoch any more.
    pub(super) unused: AtomicBool,
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

    /// Looks whether there is anything in it. Nothing is being written meanwhile.
    pub(crate) fn look(&self) -> Result<()> {
        self.touched.store(!self.has_nothing()?, Ordering::Release);
        Ok(())
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
            touched: AtomicBool::new(!unused),
            recounted: AtomicBool::new(recounted),
            unused: AtomicBool::new(unused),
            engine: Arc::clone(engine),
        }
    }

    pub(crate) fn prefix(&self) -> keys::Prefix {
        keys::prefix(self.table, self.id)
    }

    /// Counts what a commit is about to write.
    pub(crate) fn count(&self, fragments: u64, bytes: u64) {
        self.touched.store(true, Ordering::Release);
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

    /// Whether nothing has been written into it for sure: no seek is needed to know.
    pub(crate) fn is_untouched(&self) -> bool {
        !self.touched.load(Ordering::Acquire)
    }

    pub(crate) fn has_nothing(&self) -> Result<bool> {
        let (start, end) = keys::epoch_range(self.table, self.id);
        self.engine.is_empty(start, end)
    }

    pub(crate) fn record(&self) -> EpochRecord {
        EpochRecord { id: self.id, fragments: self.fragments(), bytes: self.bytes() }
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
