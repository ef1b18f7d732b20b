//! Major compaction: everything that is frozen into one run.

use std::sync::Arc;

use ostracon_data::{RowBuffer, RowRange};
use ostracon_iterators::IteratorScope;

use super::plan::Plan;
use super::progress::{Observer, Watch};
use super::run_writer::RunWriter;
use super::{PATIENCE, freeze, replace};
use crate::directory::{Directory, TableState};
use crate::lock::ExclusiveGuard;
use crate::scan::{
    AssembledRows, CellRows, ColumnRoles, FragmentRows, Next, Order, RowRules, ScanMetrics, oldest_time,
};
use crate::sources::{Run, SegmentHandle, Source};
use crate::store::StoreInner;
use crate::version::Version;
use crate::{Result, estimate};

/// Compacts a table as far as it goes.
///
/// # Errors
/// [`Error::Cancelled`](crate::Error::Cancelled) if the observer ends it; nothing has changed then.
pub(crate) fn compact(
    store: &Arc<StoreInner>,
    state: &Arc<TableState>,
    observer: &mut Observer<'_>,
) -> Result<()> {
    let _alone = state.compaction.lock();
    let exclusive = state.lock.exclusive();
    compact_frozen(store, &frozen(store, state, exclusive)?, observer)
}

/// As [`compact`], unless the table is being compacted already or its writers leave no gap soon. Gives whether it was done.
pub(crate) fn compact_if_idle(
    store: &Arc<StoreInner>,
    state: &Arc<TableState>,
    observer: &mut Observer<'_>,
) -> Result<bool> {
    let Some(_alone) = state.compaction.try_lock() else { return Ok(false) };
    let Some(exclusive) = state.lock.exclusive_within(PATIENCE) else { return Ok(false) };
    compact_frozen(store, &frozen(store, state, exclusive)?, observer)?;
    Ok(true)
}

fn compact_frozen(store: &Arc<StoreInner>, frozen: &Arc<Version>, observer: &mut Observer<'_>) -> Result<()> {
    let state = &frozen.state;
    let sources = &frozen.directory.sources;
    if sources.is_empty() {
        return Ok(());
    }
    let now_ms = store.options.clock.now_ms();
    let oldest = oldest_time(frozen.settings().ttl_ms, now_ms);
    let through_iterators = has_iterators(frozen);
    let plan = if through_iterators { Plan::everything() } else { Plan::new(frozen, oldest)? };
    if plan.rewritten.is_empty() && matches!(sources.as_slice(), [Source::Segments(_)]) {
        return Ok(());
    }
    let mut watch = Watch::new(&state.name, observer);
    watch.progress.rows_expected =
        estimate::rows(&store.engine, &frozen.directory).saturating_sub(plan.kept_rows());
    watch.progress.segments_kept = plan.kept.values().map(|segments| segments.len() as u64).sum();
    watch.tell()?;
    let mut writer = RunWriter::new(store, state, frozen.settings(), &mut watch);
    if through_iterators {
        write_through_iterators(frozen, oldest, now_ms, &mut writer)?;
    } else {
        write_rows(frozen, oldest, &plan.rewritten, &mut writer)?;
    }
    let run = join(state, plan, writer.finish()?)?;
    replace(store, state, sources, run.map(|run| Source::Segments(Arc::new(run))))
}

/// The table without new writes: they go to another epoch from now on.
fn frozen(
    store: &Arc<StoreInner>,
    state: &Arc<TableState>,
    exclusive: ExclusiveGuard,
) -> Result<Arc<Version>> {
    state.check_present()?;
    freeze(store, state, &exclusive)?;
    let mut version = Version::current(store, state);
    // The active epoch is not part of it: it is empty now, and will not stay so.
    let mut directory = Directory::clone(&version.directory);
    directory.sources.pop();
    version.directory = Arc::new(directory);
    Ok(Arc::new(version))
}

fn has_iterators(version: &Version) -> bool {
    version.settings().iterators.iter().any(|(scope, _)| *scope == IteratorScope::MajorCompaction)
}

fn write_through_iterators(
    version: &Arc<Version>,
    oldest: i64,
    now_ms: i64,
    writer: &mut RunWriter<'_, '_>,
) -> Result<()> {
    let mut row = RowBuffer::new();
    let mut metrics = ScanMetrics::default();
    let mut rows = CellRows::compaction(version, oldest, now_ms)?;
    loop {
        match rows.next_row(&mut row, &mut metrics)? {
            Next::End => return Ok(()),
            Next::Absent => writer.watch.row()?,
            Next::Row => writer.row(&row)?,
        }
    }
}

fn write_rows(
    version: &Arc<Version>,
    oldest: i64,
    ranges: &[RowRange],
    writer: &mut RunWriter<'_, '_>,
) -> Result<()> {
    let mut row = RowBuffer::new();
    let mut metrics = ScanMetrics::default();
    let rules = || RowRules {
        roles: ColumnRoles::everything(),
        evaluator: None,
        max_versions: version.settings().max_versions,
        oldest_time: oldest,
    };
    for range in ranges {
        let rules = rules();
        let rows = FragmentRows::new(version, std::slice::from_ref(range), &rules.roles, Order::Once);
        let mut rows = AssembledRows::new(version, rows, rules);
        loop {
            match rows.next_row(&mut row, &mut metrics)? {
                Next::End => break,
                Next::Absent => writer.watch.row()?,
                Next::Row => writer.row(&row)?,
            }
        }
        // What follows may be a segment that stays, and no segment reaches over another one.
        writer.cut()?;
    }
    Ok(())
}

/// The run of what stays and what is fresh; none if nothing is left. It goes on under the number of the run that gives
/// it the most segments, so that their entries stay where they are.
fn join(state: &TableState, plan: Plan, fresh: Vec<Arc<SegmentHandle>>) -> Result<Option<Run>> {
    let id = plan.kept.iter().max_by_key(|(_, segments)| segments.len()).map(|(run, _)| *run);
    let mut segments = fresh;
    segments.extend(plan.kept.into_values().flatten());
    if segments.is_empty() {
        return Ok(None);
    }
    Run::new(id.unwrap_or_else(|| state.new_source()), segments).map(Some)
}
