//! Filling an epoch that no directory names yet.

use std::sync::Arc;

use rocksdb::WriteBatch;

use crate::Result;
use crate::engine::Engine;
use crate::keys;
use crate::options::Durability;
use crate::sources::Epoch;

/// Writes batches of fragments into an unpublished epoch, past the log.
#[derive(Debug)]
pub(crate) struct EpochWriter {
    engine: Arc<Engine>,
    epoch: Arc<Epoch>,
    recorded: bool,
}

impl EpochWriter {
    pub(crate) fn new(engine: &Arc<Engine>, epoch: Arc<Epoch>) -> Self {
        Self { engine: Arc::clone(engine), epoch, recorded: false }
    }

    pub(crate) fn epoch(&self) -> &Arc<Epoch> {
        &self.epoch
    }

    /// Writes a batch. The record that the epoch is unused goes with the first one: files hold writes in their order,
    /// so no batch outlives a crash without the record.
    pub(crate) fn write(&mut self, mut batch: WriteBatch) -> Result<()> {
        if !self.recorded {
            batch.put(keys::unused_key(self.epoch.table, self.epoch.id), b"");
        }
        self.engine.fail_points.reach("write to unpublished epoch")?;
        self.engine.write(batch, Durability::None)?;
        self.recorded = true;
        Ok(())
    }

    /// Writes all of it to files. The log holds none of it, so a directory may name the epoch only after this.
    pub(crate) fn finish(&self) -> Result<()> {
        self.engine.fail_points.reach("flush unpublished epoch")?;
        self.engine.flush()
    }
}
