//! What happens when a store is opened.
//!
//! RocksDB has replayed its log. Epochs and segments that no directory names (of statements that never committed, of
//! compactions that never ended) are deleted, and the directories are read with the summaries of all segments.

use std::collections::BTreeMap;
use std::sync::Arc;

use ostracon_data::TableId;
use rocksdb::WriteBatch;

use crate::directory::{Directory, TableState};
use crate::engine::Engine;
use crate::keys;
use crate::options::Durability;
use crate::sources::{self, Epoch, Run, SegmentHandle, Source};
use crate::wire::records::{DirectoryRecord, EntryRecord, SourceRecord};
use crate::{Error, Result};

/// The version of the layout of keys and records as a whole.
const FORMAT: u32 = 1;

/// Refuses stores of newer programs; marks a new one.
pub(super) fn check_format(engine: &Engine) -> Result<()> {
    match engine.get(&keys::FORMAT_KEY)? {
        Some(value) => {
            let bytes = value
                .try_into()
                .map_err(|_| Error::corrupt("format record", "it does not have four bytes"))?;
            let found = u32::from_be_bytes(bytes);
            if found != FORMAT {
                return Err(Error::NewerFormat { what: "the store", found, known: FORMAT });
            }
            Ok(())
        }
        // Another program's database has keys, but not this one.
        None if !engine.is_empty(Vec::new(), vec![0xFF; 64])? => {
            Err(Error::NotAStore { path: engine.path().to_path_buf() })
        }
        None => {
            let mut batch = WriteBatch::default();
            batch.put(keys::FORMAT_KEY, FORMAT.to_be_bytes());
            engine.write(batch, Durability::Sync)
        }
    }
}

/// Epochs and segments that no directory names.
#[derive(Debug, Default)]
pub(super) struct Unused {
    epochs: Vec<(TableId, u64)>,
    segments: Vec<(TableId, u64)>,
}

/// Deletes the epochs and segments that no directory names; gives what they were.
pub(super) fn delete_unused(engine: &Engine) -> Result<Unused> {
    let bad_key =
        |what: &str| Error::corrupt(format!("record of an unused {what}"), "its key has a wrong length");
    let mut unused = Unused::default();
    engine.each(&keys::UNUSED_PREFIX, |key, _| {
        unused.epochs.push(keys::parse_unused_key(key).ok_or_else(|| bad_key("epoch"))?);
        Ok(())
    })?;
    let mut sections = Vec::new();
    engine.each(&keys::UNUSED_SEGMENT_PREFIX, |key, value| {
        unused.segments.push(keys::parse_unused_segment_key(key).ok_or_else(|| bad_key("segment"))?);
        let of_segment = keys::parse_sections(value);
        sections.push(
            of_segment
                .ok_or_else(|| Error::corrupt("record of an unused segment", "it has a wrong length"))?,
        );
        Ok(())
    })?;
    for &(table, epoch) in &unused.epochs {
        engine.fail_points.reach("delete unused epoch")?;
        sources::delete_epoch(engine, table, epoch)?;
    }
    for (&(table, segment), sections) in unused.segments.iter().zip(sections) {
        engine.fail_points.reach("delete unused segment")?;
        sources::delete_segment(engine, table, segment, sections)?;
    }
    Ok(unused)
}

pub(super) fn tables(engine: &Arc<Engine>, unused: &Unused) -> Result<BTreeMap<String, Arc<TableState>>> {
    let mut tables = BTreeMap::new();
    engine.each(&keys::TABLE_PREFIX, |key, value| {
        let id =
            key.get(keys::TABLE_PREFIX.len()..).and_then(|id| id.try_into().ok()).map(u32::from_be_bytes);
        let id = id.ok_or_else(|| Error::corrupt("record of a table", "its key has a wrong length"))?;
        let state = table(engine, TableId(id), DirectoryRecord::from_bytes(value)?, unused)?;
        tables.insert(state.name.clone(), Arc::new(state));
        Ok(())
    })?;
    Ok(tables)
}

fn table(engine: &Arc<Engine>, id: TableId, record: DirectoryRecord, unused: &Unused) -> Result<TableState> {
    let what = || format!("directory of table '{}'", record.name);
    if !record.splits.is_sorted_by(|a, b| a < b) {
        return Err(Error::corrupt(what(), "its split points are not in order"));
    }
    let Some((SourceRecord::Epoch(active), frozen)) = record.sources.split_last() else {
        return Err(Error::corrupt(what(), "it names no epoch that takes new writes"));
    };
    let settings =
        record.settings.clone().into_settings().map_err(|reason| Error::corrupt(what(), reason))?;
    let mut sources = Vec::with_capacity(record.sources.len());
    for source in frozen {
        sources.push(match source {
            SourceRecord::Epoch(epoch) => {
                Source::Fragments(Arc::new(Epoch::recorded(engine, id, epoch, true)))
            }
            SourceRecord::Run { id: run } => Source::Segments(Arc::new(self::run(engine, id, *run)?)),
        });
    }
    let active = Epoch::recorded(engine, id, active, false);
    active.look()?;
    sources.push(Source::Fragments(Arc::new(active)));
    let directory =
        Directory { settings: Arc::new(settings), splits: Arc::new(record.splits.clone()), sources };
    // A crash may have lost the counters' last steps, but not the record of an epoch or segment with anything in it.
    let of_table = |numbers: &[(TableId, u64)]| -> u64 {
        let numbers = numbers.iter().filter(|(table, _)| *table == id).map(|(_, number)| number + 1);
        numbers.max().unwrap_or(1)
    };
    let sources = record.sources.iter().map(|source| source.id() + 1).max().unwrap_or(1);
    let segments = directory.runs().flat_map(|run| run.segments()).map(|segment| segment.id + 1);
    let next_segment = segments.max().unwrap_or(1).max(of_table(&unused.segments)).max(record.next_segment);
    let next_source = sources.max(of_table(&unused.epochs)).max(record.next_source);
    Ok(TableState::new(id, record.name, directory, (next_source, next_segment)))
}

fn run(engine: &Arc<Engine>, table: TableId, run: u64) -> Result<Run> {
    let mut segments = Vec::new();
    engine.each(&keys::run_prefix(table, run), |key, value| {
        let (_, _, segment) = keys::parse_entry_key(key)
            .ok_or_else(|| Error::corrupt("entry of a segment", "its key has a wrong length"))?;
        let entry = EntryRecord::from_bytes(value)?;
        segments.push(Arc::new(SegmentHandle::recorded(engine, table, segment, &entry)?));
        Ok(())
    })?;
    Run::new(run, segments)
}
