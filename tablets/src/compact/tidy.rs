//! Joining small frozen epochs: fragments as they are, or through the iterators of the `minc` scope.

use std::sync::Arc;

use rocksdb::WriteBatch;

use super::{CHUNK_BYTES, minor, replace};
use crate::directory::{Directory, TableState};
use crate::engine::Access;
use crate::epoch_writer::EpochWriter;
use crate::keys::{self, PREFIX_LEN};
use crate::sources::{Epoch, Source};
use crate::store::StoreInner;
use crate::version::Version;
use crate::{Error, Result};

/// Joins frozen epochs if the table has more than it should. Does nothing while the table is being compacted. Gives
/// whether it joined any.
pub(crate) fn tidy(store: &Arc<StoreInner>, state: &Arc<TableState>) -> Result<bool> {
    let Some(_alone) = state.compaction.try_lock() else { return Ok(false) };
    let limit = store.options.max_epochs.max(2);
    let version = Version::current(store, state);
    let Some((_, frozen)) = version.directory.sources.split_last() else { return Ok(false) };
    // Those after the last run: nothing may change places with it.
    let mut epochs: Vec<Arc<Epoch>> = frozen.iter().rev().map_while(Source::epoch).cloned().collect();
    epochs.reverse();
    if epochs.len() < limit {
        return Ok(false);
    }
    let joined = epochs.split_off(first_to_join(&epochs, limit));
    let mut copy = Copy::new(store, state);
    if minor::has_iterators(&version) {
        copy.through_iterators(version, &joined)?;
    } else {
        for epoch in &joined {
            copy.epoch(epoch)?;
        }
    }
    copy.publish(&joined)?;
    Ok(true)
}

/// Where the epochs begin that are worth joining: half of those allowed, the newest ones, and older ones as long as
/// they are not much larger than those, so that a large epoch is not copied for every few small ones.
fn first_to_join(frozen: &[Arc<Epoch>], limit: usize) -> usize {
    let mut first = frozen.len().saturating_sub((limit / 2).max(2));
    let mut bytes: u64 = frozen.iter().skip(first).map(|epoch| epoch.bytes()).sum();
    while let Some(older) = first.checked_sub(1).and_then(|at| frozen.get(at)) {
        if older.bytes() > bytes.saturating_mul(2) {
            break;
        }
        bytes += older.bytes();
        first -= 1;
    }
    first
}

/// A fresh epoch that is to replace others.
struct Copy<'s> {
    store: &'s Arc<StoreInner>,
    state: &'s Arc<TableState>,
    writer: EpochWriter,
    batch: WriteBatch,
    written: u64,
    key: Vec<u8>,
}

impl<'s> Copy<'s> {
    fn new(store: &'s Arc<StoreInner>, state: &'s Arc<TableState>) -> Self {
        let epoch = state.new_epoch(&store.engine);
        let key = epoch.prefix().to_vec();
        let writer = EpochWriter::new(&store.engine, epoch);
        Self { store, state, writer, batch: WriteBatch::default(), written: 0, key }
    }

    /// Adds what iterators leave of frozen epochs. Their commits were all at or below the version's horizon.
    fn through_iterators(&mut self, mut version: Version, epochs: &[Arc<Epoch>]) -> Result<()> {
        let sources = epochs.iter().cloned().map(Source::Fragments).collect();
        version.directory = Arc::new(Directory { sources, ..Directory::clone(&version.directory) });
        let (version, now_ms) = (Arc::new(version), self.store.options.clock.now_ms());
        minor::fold(&version, now_ms, |row, fragment| {
            self.key.truncate(PREFIX_LEN);
            keys::put_row_part(&mut self.key, row);
            keys::put_suffix(&mut self.key, version.horizon, 0);
            self.put(fragment)
        })?;
        self.write_rest()
    }

    /// Adds every fragment of a frozen epoch as it is.
    fn epoch(&mut self, epoch: &Epoch) -> Result<()> {
        let (start, end) = keys::epoch_range(epoch.table, epoch.id);
        let mut iterator = self.store.engine.iterator(start.clone(), end, Access::Once);
        iterator.seek(&start);
        while let Some((key, value)) = iterator.item() {
            let rest = key.get(PREFIX_LEN..).ok_or_else(|| {
                Error::corrupt(format!("key in table '{}'", self.state.name), "it is too short")
            })?;
            self.key.truncate(PREFIX_LEN);
            self.key.extend_from_slice(rest);
            self.put(value)?;
            iterator.next();
        }
        iterator.check()?;
        self.write_rest()
    }

    /// Adds a fragment under `self.key`.
    fn put(&mut self, value: &[u8]) -> Result<()> {
        self.batch.put(&self.key, value);
        self.writer.epoch().count(1, (self.key.len() + value.len()) as u64);
        self.written += 1;
        if self.batch.size_in_bytes() >= CHUNK_BYTES { self.write_rest() } else { Ok(()) }
    }

    fn write_rest(&mut self) -> Result<()> {
        if self.batch.is_empty() {
            return Ok(());
        }
        self.writer.write(std::mem::take(&mut self.batch))
    }

    /// Puts the epoch in the place of `replaced`.
    fn publish(self, replaced: &[Arc<Epoch>]) -> Result<()> {
        if self.written > 0 {
            self.writer.finish()?;
        }
        let replaced: Vec<Source> = replaced.iter().cloned().map(Source::Fragments).collect();
        let fresh = (self.written > 0).then(|| Source::Fragments(Arc::clone(self.writer.epoch())));
        replace(self.store, self.state, &replaced, fresh)
    }
}
