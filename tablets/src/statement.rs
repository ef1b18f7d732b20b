//! Statements: atomic changes of one table, of any size.
//!
//! Mutations are packed into a buffer as they come. What happens at the commit depends on the size:
//!
//! * **small**: one batch of RocksDB under the table's shared lock, into the active epoch. The commit returns when its
//!   sequence is covered by the horizon, so that the next version sees it.
//! * **large** (the buffer outgrew `spill_threshold`): the table is locked exclusively and the buffer goes, chunk by
//!   chunk and past the log, into a fresh epoch that no directory names. The commit flushes it and publishes a directory
//!   with the epoch in it. Dropped or interrupted, the epoch is deleted as a whole.
//! * **replacing all rows**: the same directory change with the old epochs left out.
//!
//! Rows that come in order and by columns become segments at once (see `segments`).

mod buffer;
mod segments;

use std::sync::Arc;

use ostracon_data::{ColumnUpdate, ColumnVisibility, Mutation};
use ostracon_iterators::BytesText;
use rocksdb::WriteBatch;

use self::buffer::{Buffer, Spill};
use self::segments::Segments;
use crate::directory::{Directory, TableState};
use crate::epoch_writer::EpochWriter;
use crate::lock::ExclusiveGuard;
use crate::options::Durability;
use crate::sequencer::Stamp;
use crate::sources::Source;
use crate::store::StoreInner;
use crate::table::{HeldRows, Table};
use crate::{Error, Result};

/// Longest row id, in bytes.
pub const MAX_ROW_BYTES: usize = 1 << 20;

/// Largest packed mutation, in bytes.
pub const MAX_MUTATION_BYTES: usize = 512 << 20;

/// Bytes of a large statement that are written at once.
const CHUNK_BYTES: usize = 4 << 20;

/// How a statement is to run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct StatementOptions {
    /// What the commit survives; `None`: as the table says, or else the store.
    pub durability: Option<Durability>,
    /// Keep other writers of the table out from now until the end: for a statement that reads what it writes. Take the
    /// version to read from after the statement has begun.
    pub exclusive: bool,
}

/// What a commit did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CommitSummary {
    /// The commit's sequence: greater than that of every earlier commit of the table.
    pub sequence: u64,
    /// Mutations written.
    pub rows: u64,
}

/// An atomic change of one table: nothing of it is visible before [`commit`](Self::commit) has returned, and nothing
/// ever if it is dropped.
///
/// Of several mutations of one row the later one is newer.
#[derive(Debug)]
pub struct Statement {
    state: Arc<TableState>,
    durability: Option<Durability>,
    buffer: Buffer,
    rows: u64,
    replaces_all: bool,
    /// An error has left the statement half written: it can only be dropped.
    failed: bool,
    /// Number and time of a statement that is large or has segments.
    stamp: Option<Stamp>,
    spill: Option<Spill>,
    segments: Option<Segments>,
    last_label: Vec<u8>,
    // The locks come late: they are let go after the spilled epoch and the segments are, and before the store, whose end
    // waits for those who wait for locks.
    exclusive: Option<ExclusiveGuard>,
    rows_held: Option<Arc<HeldRows>>,
    store: Arc<StoreInner>,
}

impl Statement {
    pub(crate) fn begin(
        table: &Table,
        options: StatementOptions,
        held: Option<Arc<HeldRows>>,
    ) -> Result<Self> {
        if held.is_none() {
            table.store.admit(&table.state);
        }
        let exclusive = (options.exclusive && held.is_none()).then(|| table.state.lock.exclusive());
        table.state.check_present()?;
        Ok(Self {
            store: Arc::clone(&table.store),
            state: Arc::clone(&table.state),
            durability: options.durability,
            buffer: Buffer::default(),
            rows: 0,
            replaces_all: false,
            failed: false,
            stamp: None,
            spill: None,
            segments: None,
            exclusive,
            rows_held: held,
            last_label: Vec::new(),
        })
    }

    /// Adds a mutation. One without updates changes nothing and is not counted.
    ///
    /// # Errors
    /// A label that is no visibility expression, a row or mutation that is too large, or (of a large statement) what
    /// the disk reports. The statement goes on without the mutation in the first two cases.
    pub fn write(&mut self, mutation: Mutation) -> Result<()> {
        self.check_usable()?;
        if let Some(segments) = &mut self.segments {
            segments.meet_mutations();
        }
        self.add(&mutation)
    }

    fn add(&mut self, mutation: &Mutation) -> Result<()> {
        if mutation.updates.is_empty() {
            return Ok(());
        }
        if mutation.row.len() > MAX_ROW_BYTES {
            return Err(Error::TooLarge {
                what: format!("row id {}", BytesText(&mutation.row)),
                found: mutation.row.len() as u64,
                limit: MAX_ROW_BYTES as u64,
            });
        }
        if mutation.byte_len() > MAX_MUTATION_BYTES {
            return Err(Error::TooLarge {
                what: format!("mutation of row {}", BytesText(&mutation.row)),
                found: mutation.byte_len() as u64,
                limit: MAX_MUTATION_BYTES as u64,
            });
        }
        for update in &mutation.updates {
            if let ColumnUpdate::Put { visibility, .. } | ColumnUpdate::Delete { visibility, .. } = update {
                self.check_label(&mutation.row, visibility)?;
            }
        }
        self.buffer.push(mutation);
        self.rows += 1;
        let limit = match &self.spill {
            Some(_) => CHUNK_BYTES.min(self.store.options.spill_threshold),
            None => self.store.options.spill_threshold,
        };
        // Row locks already hold the table's lock shared; waiting for the exclusive one would be for ever.
        if self.buffer.byte_len() > limit && self.rows_held.is_none() {
            let spilled = self.spill_buffer();
            self.failed = spilled.is_err();
            spilled?;
        }
        Ok(())
    }

    /// Refuses a label that is no visibility expression.
    fn check_label(&mut self, row: &[u8], label: &[u8]) -> Result<()> {
        // Labels repeat; the empty one is the most frequent, and the first one remembered.
        // (Comparing two empty ones costs more than it should where the C library loads masked vectors.)
        if !(label.is_empty() && self.last_label.is_empty()) && *label != self.last_label {
            ColumnVisibility::parse(label)
                .map_err(|source| Error::BadLabel { row: BytesText(row).to_string(), source })?;
            self.last_label = label.to_vec();
        }
        Ok(())
    }

    /// Lets the commit also remove every row that was there before.
    ///
    /// # Errors
    /// Row locks do not suffice for it.
    pub fn replace_all(&mut self) -> Result<()> {
        if self.rows_held.is_some() {
            return Err(Error::invalid("statement under row locks", "cannot replace all rows of the table"));
        }
        self.replaces_all = true;
        Ok(())
    }

    /// Mutations and rows of segments written so far.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Makes the statement durable and visible. After an error nothing of it is visible, now or later; only if the
    /// disk failed while the commit's last batch was being written, a restart may find the statement done, whole.
    ///
    /// # Errors
    /// [`Error::TableNotFound`] if the table was dropped meanwhile, or what the disk reports.
    pub fn commit(mut self) -> Result<CommitSummary> {
        self.check_usable()?;
        let durability = self.durability();
        let sequence = if let Some(segments) = self.segments.take() {
            self.commit_segments(segments, durability)?
        } else if self.spill.is_some() {
            self.commit_large(durability)?
        } else if self.replaces_all {
            self.commit_replacing(durability)?
        } else if self.rows == 0 {
            self.store.sequencer.horizon()
        } else {
            self.commit_small(durability)?
        };
        let summary = CommitSummary { sequence, rows: self.rows };
        let (store, state) = (Arc::clone(&self.store), Arc::clone(&self.state));
        let published = self.stamp.is_some();
        // Tidying takes its own locks.
        drop(self);
        if published && let Err(error) = crate::compact::tidy(&store, &state) {
            tracing::warn!(table = %state.name, %error, "the table was not tidied after a large statement");
        }
        Ok(summary)
    }

    fn durability(&self) -> Durability {
        let of_table = || self.state.directory().settings.durability;
        self.durability.or_else(of_table).unwrap_or(self.store.options.durability)
    }

    fn check_usable(&self) -> Result<()> {
        if self.failed {
            return Err(Error::invalid(
                "statement",
                "an earlier write of it failed: drop it and start again",
            ));
        }
        Ok(())
    }

    fn lock_exclusively(&mut self) -> Result<()> {
        if self.exclusive.is_none() {
            self.exclusive = Some(self.state.lock.exclusive());
        }
        self.state.check_present()
    }

    fn commit_small(&mut self, durability: Durability) -> Result<u64> {
        let (store, state) = (&*self.store, &self.state);
        let _shared = (self.exclusive.is_none() && self.rows_held.is_none()).then(|| state.lock.shared());
        state.check_present()?;
        let directory = state.directory();
        let epoch = directory.active()?;
        let reserve = |ceiling| store.raise_sequence_ceiling(ceiling);
        let mut in_flight = store.sequencer.begin(reserve)?;
        let mut _stripes = None;
        // Who locks rows first shows itself and then waits for all that is in flight: so either it waits for this
        // commit, or this commit sees it here. It must not wait for its rows while in flight.
        if self.rows_held.is_none() && self.exclusive.is_none() && state.stripes.in_use() {
            drop(in_flight);
            let rows = self.buffer.rows();
            _stripes = Some(state.stripes.lock(rows));
            in_flight = store.sequencer.begin(reserve)?;
        }
        let stamp = in_flight.stamp;
        let mut batch = WriteBatch::default();
        self.buffer.put_into(&mut batch, epoch, stamp, 0)?;
        store.engine.fail_points.reach("commit")?;
        store.engine.write(batch, durability)?;
        store.engine.fail_points.reach("committed")?;
        drop(in_flight);
        store.sequencer.wait_for(stamp.sequence);
        Ok(stamp.sequence)
    }

    fn spill_buffer(&mut self) -> Result<()> {
        let stamp = self.exclusive_stamp()?;
        let engine = &self.store.engine;
        let spill = self
            .spill
            .get_or_insert_with(|| Spill::new(EpochWriter::new(engine, self.state.new_epoch(engine)), stamp));
        spill.write(&mut self.buffer)
    }

    /// The statement's number and time; no other commit of the table comes between it and this statement's.
    fn exclusive_stamp(&mut self) -> Result<Stamp> {
        self.lock_exclusively()?;
        if let Some(stamp) = self.stamp {
            return Ok(stamp);
        }
        let store = &self.store;
        let stamp = store.sequencer.begin_unpublished(|ceiling| store.raise_sequence_ceiling(ceiling))?;
        self.stamp = Some(stamp);
        Ok(stamp)
    }

    fn commit_large(&mut self, durability: Durability) -> Result<u64> {
        let sequence = self.exclusive_stamp()?.sequence;
        let Some(spill) = &mut self.spill else { return Err(Error::invalid("statement", "it is not large")) };
        spill.write(&mut self.buffer)?;
        spill.finish()?;
        let epoch = Arc::clone(spill.epoch());
        let replaces_all = self.replaces_all;
        self.publish(durability, sequence, |current, _| {
            let mut sources = if replaces_all { Vec::new() } else { current.written_sources()? };
            sources.push(Source::Fragments(epoch));
            Ok(Some(Directory { sources, ..current.clone() }))
        })?;
        Ok(sequence)
    }

    fn commit_replacing(&mut self, durability: Durability) -> Result<u64> {
        let stamp = self.exclusive_stamp()?;
        let epoch = self.state.new_epoch(&self.store.engine);
        let mut buffer = std::mem::take(&mut self.buffer);
        self.publish(durability, stamp.sequence, |current, batch| {
            buffer.put_into(batch, &epoch, stamp, 0)?;
            Ok(Some(Directory { sources: vec![Source::Fragments(epoch)], ..current.clone() }))
        })?;
        Ok(stamp.sequence)
    }

    fn publish(
        &self,
        durability: Durability,
        sequence: u64,
        make: impl FnOnce(&Directory, &mut WriteBatch) -> Result<Option<Directory>>,
    ) -> Result<()> {
        // A directory is named by the log even if its statement asked for none: half of a statement must never show.
        let durability = durability.max(Durability::Log);
        let ready = || self.store.sequencer.wait_for(sequence);
        self.state.publish(&self.store.engine, durability, make, ready)?;
        Ok(())
    }
}
