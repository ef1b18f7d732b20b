//! Rows that come in order and by columns: they become segments at once.
//!
//! A segment can stand where no other row lies between its first and last one: then nothing in it replaces anything, and it
//! does not matter in which order sources are read. So it joins a run, whatever there is in other places of the table. The
//! rows of any other segment are written as mutations that replace what the statement's columns hold.
//!
//! The table is locked exclusively from the first segment on, as it is for every large statement, so what was free stays
//! free until the commit. Nothing of it shows before the directory that names the segments is published.

use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::Arc;

use ostracon_data::{ErasedColumns, Mutation, ROW_MARKER_FAMILY, RowRange, row_successor};
use ostracon_iterators::BytesText;
use ostracon_segment::{ColumnInput, LocalityGroups, RowsInput, SegmentEncoder};

use super::{MAX_MUTATION_BYTES, MAX_ROW_BYTES, Statement};
use crate::directory::{Directory, TableState};
use crate::keys;
use crate::options::Durability;
use crate::segment_sink::SegmentSink;
use crate::sources::{Run, SegmentHandle, Source};
use crate::{Error, Result};

/// The segments of a statement.
#[derive(Debug)]
pub(super) struct Segments {
    sink: SegmentSink,
    encoder: SegmentEncoder,
    groups: LocalityGroups,
    packed: Vec<u8>,
    /// First and last row of each.
    spans: BTreeMap<Vec<u8>, Vec<u8>>,
    /// First and last of the rows that the statement has written as mutations.
    mutated: Option<RowRange>,
}

impl Segments {
    /// Mutations of rows that nobody keeps track of: every later segment may hold one of them.
    pub(super) fn meet_mutations(&mut self) {
        self.mutated = Some(RowRange::all());
    }

    /// Whether no row of the statement lies from `first` to `last`.
    fn are_free(&self, first: &[u8], last: &[u8]) -> bool {
        let before = self.spans.range::<[u8], _>((Bound::Unbounded, Bound::Included(last))).next_back();
        let mutated = self.mutated.as_ref().is_some_and(|range| {
            range.start.as_slice() <= last && range.end.as_ref().is_none_or(|end| end.as_slice() > first)
        });
        !mutated && before.is_none_or(|(_, end)| end.as_slice() < first)
    }

    fn mutate(&mut self, first: &[u8], last: &[u8]) {
        let mut range = RowRange { start: first.to_vec(), end: Some(row_successor(last)) };
        if let Some(before) = &self.mutated {
            range.start = range.start.min(before.start.clone());
            range.end = range.end.zip(before.end.clone()).map(|(a, b)| a.max(b));
        }
        self.mutated = Some(range);
    }
}

impl Statement {
    /// Adds rows by columns, strictly ascending, as one segment where they can be one: at most
    /// [`segment_rows`](Self::segment_rows) of them, and not much more than a megabyte. Every cell has the time of the
    /// commit and the label `label`.
    ///
    /// A row replaces what it had under that label in these columns: in one where it has no value now, nothing is left.
    /// Its other columns stay. The marker of rows is a column that is only ever set.
    ///
    /// # Errors
    /// The label is no visibility expression, a row is too large, the input's parts do not fit together, the statement
    /// stands under row locks, or what the disk reports. The statement can only be dropped then.
    pub fn write_segment(
        &mut self,
        rows: &RowsInput<'_>,
        label: &[u8],
        columns: &[ColumnInput<'_>],
    ) -> Result<()> {
        self.check_usable()?;
        let written = self.write_rows(rows, label, columns);
        self.failed = written.is_err();
        written
    }

    fn write_rows(&mut self, rows: &RowsInput<'_>, label: &[u8], columns: &[ColumnInput<'_>]) -> Result<()> {
        if self.rows_held.is_some() {
            return Err(Error::invalid("statement under row locks", "cannot write segments"));
        }
        let Some(last_row) = rows.len().checked_sub(1) else { return Ok(()) };
        let (mut first, mut last) = (Vec::new(), Vec::new());
        rows.append_id(0, &mut first);
        rows.append_id(last_row, &mut last);
        self.check_label(&first, label)?;
        check_sizes(rows, columns)?;
        let time_ms = self.exclusive_stamp()?.time_ms;
        let nothing_there = self.holds_nothing(&first, &last)?;
        let store = &self.store;
        let has_mutations = self.rows > 0;
        let segments = self.segments.get_or_insert_with(|| {
            let settings = Arc::clone(&self.state.directory().settings);
            let sink = SegmentSink::new(store, self.state.id, settings.max_versions);
            let mutated = has_mutations.then(RowRange::all);
            let (encoder, groups) = (SegmentEncoder::new(), settings.locality_groups.clone());
            Segments { sink, encoder, groups, packed: Vec::new(), spans: BTreeMap::new(), mutated }
        });
        if nothing_there && segments.are_free(&first, &last) {
            let raw_bytes = rows.byte_len() + columns.iter().map(ColumnInput::byte_len).sum::<usize>();
            let Segments { sink, encoder, groups, packed, .. } = &mut *segments;
            sink.push(&self.state, raw_bytes as u64, packed, |out| {
                encoder.encode(rows, time_ms, label, columns, groups, out)
            })?;
            segments.spans.insert(first, last);
            self.rows += rows.len() as u64;
            return Ok(());
        }
        segments.mutate(&first, &last);
        let replaces_older = self.state.directory().settings.max_versions == 1;
        (0..rows.len()).try_for_each(|row| {
            let mut mutation = mutation_of(row, rows, label, columns);
            mutation.replaces_older = replaces_older;
            self.add(&mutation)
        })
    }

    /// The rows of a segment at most, of this store.
    pub fn segment_rows(&self) -> usize {
        self.store.options.segment_rows()
    }

    /// How many bytes of rows a statement of this store holds in memory.
    pub fn memory_limit(&self) -> usize {
        self.store.options.spill_threshold
    }

    /// Whether the table holds nothing of any row from `first` to `last`, both included: neither cells, visible or not,
    /// nor what deletes them. What this statement has written does not count; what it is going to remove is gone.
    ///
    /// It stays so if the statement keeps other writers out: it was begun exclusively, or has written a segment.
    ///
    /// # Errors
    /// What the disk reports.
    pub fn holds_nothing(&self, first: &[u8], last: &[u8]) -> Result<bool> {
        if self.replaces_all {
            return Ok(true);
        }
        let range = RowRange { start: first.to_vec(), end: Some(row_successor(last)) };
        let directory = self.state.directory();
        if directory.runs().any(|run| !run.overlapping(&range).is_empty()) {
            return Ok(false);
        }
        for epoch in directory.epochs().filter(|epoch| !epoch.is_untouched()) {
            let key = |row: &[u8]| {
                let mut key = epoch.prefix().to_vec();
                keys::put_row_part(&mut key, row);
                key
            };
            if !self.store.engine.is_empty(key(first), key(&row_successor(last)))? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    pub(super) fn commit_segments(&mut self, segments: Segments, durability: Durability) -> Result<u64> {
        let stamp = self.exclusive_stamp()?;
        if let Some(spill) = &mut self.spill {
            spill.write(&mut self.buffer)?;
            spill.finish()?;
        }
        let fresh = segments.sink.finish()?;
        let (state, engine) = (Arc::clone(&self.state), Arc::clone(&self.store.engine));
        let mut buffer = std::mem::take(&mut self.buffer);
        let spilled = self.spill.as_ref().map(|spill| Arc::clone(spill.epoch()));
        let replaces_all = self.replaces_all;
        // A compaction that is under way replaces what it has begun with, and nothing may happen to that.
        let alone = state.compaction.try_lock();
        let may_join = alone.is_some();
        self.publish(durability, stamp.sequence, |current, batch| {
            let needs_epoch = spilled.is_some() || !buffer.is_empty() || replaces_all;
            let mut sources = match needs_epoch {
                _ if replaces_all => Vec::new(),
                true => current.written_sources()?,
                false => current.sources.clone(),
            };
            add_segments(&mut sources, fresh, may_join, &state)?;
            if needs_epoch {
                let epoch = spilled.unwrap_or_else(|| state.new_epoch(&engine));
                buffer.put_into(batch, &epoch, stamp, 0)?;
                sources.push(Source::Fragments(epoch));
            }
            Ok(Some(Directory { sources, ..current.clone() }))
        })?;
        Ok(stamp.sequence)
    }
}

/// Adds segments that no row of the sources lies in: to a run, so that runs do not pile up, or as a run before all other
/// sources, where it is in nobody's way.
fn add_segments(
    sources: &mut Vec<Source>,
    fresh: Vec<Arc<SegmentHandle>>,
    may_join: bool,
    state: &TableState,
) -> Result<()> {
    if fresh.is_empty() {
        return Ok(());
    }
    let run = sources.iter().enumerate().find_map(|(place, source)| Some((place, source.run()?)));
    match run.filter(|_| may_join) {
        Some((place, run)) => {
            let all = run.segments().iter().cloned().chain(fresh).collect();
            let joined = Source::Segments(Arc::new(Run::new(run.id, all)?));
            sources.splice(place..=place, [joined]);
        }
        None => sources.insert(0, Source::Segments(Arc::new(Run::new(state.new_source(), fresh)?))),
    }
    Ok(())
}

/// A row as a mutation that replaces what the columns hold.
fn mutation_of(row: usize, rows: &RowsInput<'_>, label: &[u8], columns: &[ColumnInput<'_>]) -> Mutation {
    let mut id = Vec::new();
    rows.append_id(row, &mut id);
    let mut mutation = Mutation::new(id);
    let mut values = Vec::with_capacity(columns.len());
    // The erases come first: an erase also hides what stands before it in its own mutation.
    for column in columns {
        let mut value = Vec::new();
        if column.append_value(row, &mut value) {
            values.push((column, value));
        } else if column.family != ROW_MARKER_FAMILY {
            let (family, qualifier) = (column.family.to_vec(), column.qualifier.to_vec());
            mutation.erase(ErasedColumns::Exact { family, qualifier }, Some(label.to_vec()));
        }
    }
    for (column, value) in values {
        mutation.put(column.family, column.qualifier, label, value);
    }
    mutation
}

fn check_sizes(rows: &RowsInput<'_>, columns: &[ColumnInput<'_>]) -> Result<()> {
    let bytes = rows.byte_len() + columns.iter().map(ColumnInput::byte_len).sum::<usize>();
    if bytes <= MAX_ROW_BYTES {
        return Ok(());
    }
    let mut id = Vec::new();
    let mut value = Vec::new();
    for row in 0..rows.len() {
        id.clear();
        rows.append_id(row, &mut id);
        let too_large = |what: &str, found: usize, limit: usize| Error::TooLarge {
            what: format!("{what} {}", BytesText(&id)),
            found: found as u64,
            limit: limit as u64,
        };
        if id.len() > MAX_ROW_BYTES {
            return Err(too_large("row id", id.len(), MAX_ROW_BYTES));
        }
        if bytes > MAX_MUTATION_BYTES {
            let mut size = id.len();
            for column in columns {
                value.clear();
                column.append_value(row, &mut value);
                size += value.len();
            }
            if size > MAX_MUTATION_BYTES {
                return Err(too_large("row", size, MAX_MUTATION_BYTES));
            }
        }
    }
    Ok(())
}
