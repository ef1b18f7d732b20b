//! What a change of a directory adds and takes away.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use ostracon_data::TableId;
use rocksdb::WriteBatch;

use super::{Epoch, Run, SegmentHandle, Source};
use crate::Result;
use crate::directory::Directory;
use crate::keys;

/// What one directory names and another one does not.
#[derive(Debug, Default)]
pub(crate) struct Difference<'d> {
    epochs: Vec<&'d Arc<Epoch>>,
    /// Segments with the number of their run. A segment that changes runs is here with the run, not in `segments`.
    entries: Vec<(u64, &'d Arc<SegmentHandle>)>,
    segments: Vec<&'d Arc<SegmentHandle>>,
}

impl<'d> Difference<'d> {
    /// What `of` names and `other` does not.
    pub(crate) fn of(of: &'d Directory, other: &'d Directory) -> Self {
        let lacks = |among: &Directory, source: &Source| !among.sources.iter().any(|held| held.is(source));
        let changed = |directory: &'d Directory, among: &Directory| -> Vec<&'d Arc<Run>> {
            let changed = directory.sources.iter().filter(|source| lacks(among, source));
            changed.filter_map(Source::run).collect()
        };
        let runs = changed(other, of);
        let in_other = runs.iter().flat_map(|run| run.segments().iter().map(|segment| (segment.id, run.id)));
        let in_other: HashSet<(u64, u64)> = in_other.collect();
        let held: HashSet<u64> = in_other.iter().map(|(segment, _)| *segment).collect();
        let mut difference = Self::default();
        difference.epochs.extend(of.epochs().filter(|epoch| !other.epochs().any(|held| held.id == epoch.id)));
        for run in changed(of, other) {
            for segment in run.segments() {
                if !in_other.contains(&(segment.id, run.id)) {
                    difference.entries.push((run.id, segment));
                }
                if !held.contains(&segment.id) {
                    difference.segments.push(segment);
                }
            }
        }
        difference
    }

    /// Adds to a batch that all of it comes into use.
    pub(crate) fn enter(&self, table: TableId, batch: &mut WriteBatch) -> Result<()> {
        for epoch in &self.epochs {
            batch.delete(keys::unused_key(table, epoch.id));
        }
        for segment in &self.segments {
            batch.delete(keys::unused_segment_key(table, segment.id));
        }
        for (run, segment) in &self.entries {
            batch.put(keys::entry_key(table, *run, segment.id), segment.entry().to_bytes()?);
        }
        Ok(())
    }

    /// Adds to a batch that all of it goes out of use.
    pub(crate) fn leave(&self, table: TableId, batch: &mut WriteBatch) {
        for epoch in &self.epochs {
            batch.put(keys::unused_key(table, epoch.id), b"");
        }
        for segment in &self.segments {
            batch.put(keys::unused_segment_key(table, segment.id), segment.sections().to_be_bytes());
        }
        for (run, segment) in &self.entries {
            batch.delete(keys::entry_key(table, *run, segment.id));
        }
    }

    /// Lets all of it be deleted when nobody holds it any more.
    pub(crate) fn set_unused(&self) {
        self.epochs.iter().for_each(|epoch| epoch.unused.store(true, Ordering::Release));
        self.segments.iter().for_each(|segment| segment.unused.store(true, Ordering::Release));
    }
}
