//! Folding sources: fewer places to look, and deleted rows leave the disk.
//!
//! Both kinds write something fresh and publish it in place of what it was made of, by one batch; writers go on
//! meanwhile, in the active epoch. Stopped at any point, what is fresh is deleted and nothing has changed.
//!
//! * [`compact`] (major compaction) folds every source but the active epoch, which it freezes first, into one run of
//!   segments. Rows are resolved: deletes and what they hide, expired cells and versions beyond the table's number
//!   vanish; iterators of the `majc` scope run. Segments that nothing has touched stay as they are (see `plan`).
//! * [`tidy`] (minor compaction) joins small frozen epochs when there are too many of them. Fragments are copied as they
//!   are, unless there are iterators of the `minc` scope to run.

mod major;
mod minor;
mod plan;
mod progress;
mod run_writer;
mod tidy;

#[cfg(test)]
mod tests;

use std::time::Duration;

use rocksdb::WriteBatch;

use crate::Result;
use crate::directory::{Directory, TableState};
use crate::lock::ExclusiveGuard;
use crate::sources::Source;
use crate::store::StoreInner;

pub(crate) use major::{compact, compact_if_idle};
pub use progress::CompactionProgress;
pub(crate) use tidy::tidy;

/// Bytes that are written at once.
const CHUNK_BYTES: usize = 4 << 20;

/// How long work in the background waits for a gap between the writers of a table.
const PATIENCE: Duration = Duration::from_millis(100);

/// Lets new writes go to a fresh epoch, if its writers leave a gap soon. Gives whether they do.
pub(crate) fn freeze_if_idle(store: &StoreInner, state: &TableState) -> Result<bool> {
    let Some(exclusive) = state.lock.exclusive_within(PATIENCE) else { return Ok(false) };
    freeze(store, state, &exclusive)?;
    Ok(true)
}

/// Lets new writes go to a fresh epoch, if the active one holds anything. No commit may be in flight.
pub(crate) fn freeze(store: &StoreInner, state: &TableState, _: &ExclusiveGuard) -> Result<()> {
    let change = |current: &Directory, _: &mut WriteBatch| {
        if current.active()?.has_nothing()? {
            return Ok(None);
        }
        let mut sources = current.sources.clone();
        sources.push(Source::Fragments(state.new_epoch(&store.engine)));
        Ok(Some(Directory { sources, ..current.clone() }))
    };
    state.publish(&store.engine, store.record_durability(), change, || ())?;
    Ok(())
}

/// Publishes `fresh` in the place of `replaced`. If those are gone meanwhile (the table was truncated), so is the use of
/// it, and nothing changes.
fn replace(store: &StoreInner, state: &TableState, replaced: &[Source], fresh: Option<Source>) -> Result<()> {
    let change = |current: &Directory, _: &mut WriteBatch| {
        let Some(at) = place_of(&current.sources, replaced) else { return Ok(None) };
        let mut sources = current.sources.clone();
        sources.splice(at..at + replaced.len(), fresh);
        Ok(Some(Directory { sources, ..current.clone() }))
    };
    state.publish(&store.engine, store.record_durability(), change, || ())?;
    Ok(())
}

/// Where `wanted` lies in `sources`, one after the other.
fn place_of(sources: &[Source], wanted: &[Source]) -> Option<usize> {
    let same = |window: &[Source]| window.iter().zip(wanted).all(|(a, b)| a.is(b));
    if wanted.is_empty() { None } else { sources.windows(wanted.len()).position(same) }
}
