//! Folding epochs: fewer places to look, and deleted rows leave the disk.
//!
//! Both kinds write a fresh epoch and publish it in place of those it was made of, by one batch; writers go on
//! meanwhile, in the active epoch. Stopped at any point, the fresh epoch is deleted and nothing has changed.
//!
//! * [`compact`] (major compaction) folds every epoch but the active one, which it freezes first. Rows are resolved:
//!   deletes and what they hide, expired cells and versions beyond the table's number vanish; iterators of the `majc`
//!   scope run. What a row was made of is one fragment afterwards.
//! * [`tidy`] joins small frozen epochs when there are too many of them. Fragments are copied as they are.

use std::sync::Arc;

use ostracon_data::{RowBuffer, RowRange};
use ostracon_iterators::IteratorScope;
use ostracon_segment::FragmentWriter;
use rocksdb::WriteBatch;

use crate::directory::{Directory, Epoch, TableState};
use crate::engine::{Access, Engine};
use crate::epoch_writer::EpochWriter;
use crate::keys::{self, PREFIX_LEN};
use crate::lock::ExclusiveGuard;
use crate::scan::{
    CellRows, ColumnRoles, FragmentRows, Next, RowAssembler, RowFragments, RowRules, ScanMetrics, oldest_time,
};
use crate::store::StoreInner;
use crate::version::Version;
use crate::{Error, Result};

/// Bytes that are written at once.
const CHUNK_BYTES: usize = 4 << 20;

/// Lets new writes go to a fresh epoch, if the active one holds anything. No commit may be in flight.
pub(crate) fn freeze(store: &StoreInner, state: &TableState, _: &ExclusiveGuard) -> Result<()> {
    let change = |current: &Directory, _: &mut WriteBatch| {
        if current.active()?.has_nothing()? {
            return Ok(None);
        }
        let mut epochs = current.epochs.clone();
        epochs.push(state.new_epoch(&store.engine));
        Ok(Some(Directory { epochs, ..current.clone() }))
    };
    state.publish(&store.engine, store.record_durability(), change, || ())?;
    Ok(())
}

/// Compacts a table as far as it goes.
pub(crate) fn compact(store: &Arc<StoreInner>, state: &Arc<TableState>) -> Result<()> {
    let _alone = state.compaction.lock();
    let frozen = {
        let exclusive = state.lock.exclusive();
        state.check_present()?;
        freeze(store, state, &exclusive)?;
        let mut version = Version::current(store, state);
        // The active epoch is not part of it: it is empty now, and will not stay so.
        let mut directory = Directory::clone(&version.directory);
        directory.epochs.pop();
        version.directory = Arc::new(directory);
        Arc::new(version)
    };
    if !frozen.directory.epochs.is_empty() {
        let mut folded = Fold::new(store, state);
        folded.rows_of(&frozen)?;
        folded.publish(&frozen.directory.epochs)?;
    }
    Ok(())
}

/// Joins frozen epochs if the table has more than it should. Does nothing while the table is being compacted.
pub(crate) fn tidy(store: &Arc<StoreInner>, state: &Arc<TableState>) -> Result<()> {
    let Some(_alone) = state.compaction.try_lock() else { return Ok(()) };
    let limit = store.options.max_epochs.max(2);
    let directory = state.directory();
    if directory.epochs.len() <= limit {
        return Ok(());
    }
    let Some((_, frozen)) = directory.epochs.split_last() else { return Ok(()) };
    let joined = frozen.get(first_to_join(frozen, limit)..).unwrap_or_default();
    let mut fold = Fold::new(store, state);
    for epoch in joined {
        fold.copy(epoch)?;
    }
    fold.publish(joined)
}

/// Where the run of epochs begins that is worth joining: half of those allowed, the newest ones, and older ones as long
/// as they are not much larger than the run, so that a large epoch is not copied for every few small ones.
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
struct Fold<'s> {
    store: &'s Arc<StoreInner>,
    state: &'s Arc<TableState>,
    writer: EpochWriter,
    batch: WriteBatch,
    written: u64,
    key: Vec<u8>,
}

impl<'s> Fold<'s> {
    fn new(store: &'s Arc<StoreInner>, state: &'s Arc<TableState>) -> Self {
        let epoch = state.new_epoch(&store.engine);
        let key = epoch.prefix().to_vec();
        let writer = EpochWriter::new(&store.engine, epoch);
        Self { store, state, writer, batch: WriteBatch::default(), written: 0, key }
    }

    /// Writes what is left of each row of a version.
    fn rows_of(&mut self, version: &Arc<Version>) -> Result<()> {
        let now_ms = self.store.options.clock.now_ms();
        let oldest = oldest_time(version.settings().ttl_ms, now_ms);
        let mut row = RowBuffer::new();
        let mut metrics = ScanMetrics::default();
        if version.settings().iterators.iter().any(|(scope, _)| *scope == IteratorScope::MajorCompaction) {
            let mut rows = CellRows::compaction(version, oldest, now_ms)?;
            loop {
                match rows.next_row(&mut row, &mut metrics)? {
                    Next::End => return self.write_rest(),
                    Next::Absent => {}
                    Next::Row => self.row(&row, version.horizon)?,
                }
            }
        }
        let rules = RowRules {
            roles: ColumnRoles::everything(),
            evaluator: None,
            max_versions: version.settings().max_versions,
            oldest_time: oldest,
        };
        let mut assembler = RowAssembler::new(rules, version.table_name());
        let mut rows = FragmentRows::new(version, &[RowRange::all()], false, true);
        let mut fragments = RowFragments::default();
        while rows.next_row(&mut fragments, &mut metrics)? {
            if assembler.assemble(&fragments, &mut row, &mut metrics)? {
                self.row(&row, version.horizon)?;
            }
        }
        self.write_rest()
    }

    /// Adds a resolved row. Its commits were all at or below `sequence`, and all later ones are above.
    fn row(&mut self, row: &RowBuffer, sequence: u64) -> Result<()> {
        let Some(first) = row.cells().next() else { return Ok(()) };
        let mut packed = Vec::with_capacity(row.byte_len() + 64);
        // Cells of one column are in the order of their commits where their times are equal, and so they stay.
        let mut fragment = FragmentWriter::new(&mut packed, first.timestamp, first.visibility);
        for cell in row.cells() {
            fragment.put(cell.family, cell.qualifier, cell.visibility, cell.timestamp, cell.value);
        }
        self.key.truncate(PREFIX_LEN);
        keys::put_row_part(&mut self.key, row.row());
        keys::put_suffix(&mut self.key, sequence, 0);
        self.put(&packed)
    }

    /// Adds every fragment of a frozen epoch as it is.
    fn copy(&mut self, epoch: &Epoch) -> Result<()> {
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

    /// Puts the epoch in the place of `replaced`. If they are gone meanwhile (the table was truncated), so is the use
    /// of it.
    fn publish(self, replaced: &[Arc<Epoch>]) -> Result<()> {
        if self.written > 0 {
            self.writer.finish()?;
        }
        let engine: &Engine = &self.store.engine;
        let change = |current: &Directory, _: &mut WriteBatch| {
            let Some(at) = find_run(&current.epochs, replaced) else { return Ok(None) };
            let mut epochs = current.epochs.clone();
            let fresh = (self.written > 0).then(|| Arc::clone(self.writer.epoch()));
            epochs.splice(at..at + replaced.len(), fresh);
            Ok(Some(Directory { epochs, ..current.clone() }))
        };
        self.state.publish(engine, self.store.record_durability(), change, || ())?;
        Ok(())
    }
}

/// Where `wanted` lies in `epochs`, one after the other.
fn find_run(epochs: &[Arc<Epoch>], wanted: &[Arc<Epoch>]) -> Option<usize> {
    let same =
        |window: &[Arc<Epoch>]| window.iter().map(|epoch| epoch.id).eq(wanted.iter().map(|epoch| epoch.id));
    if wanted.is_empty() { None } else { epochs.windows(wanted.len()).position(same) }
}
