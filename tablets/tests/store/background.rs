//! Compaction by itself: that it comes, that it keeps its rate, that it ends with the store, and that writers wait for it.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use ostracon_tablets::{
    BackgroundCompaction, CompactionStatistics, Error, StoreOptions, TableSettings, TabletStore,
};

use crate::harness::{all, options, put, table, write};

/// Looks often, and does nothing but what a test asks for.
fn eager() -> BackgroundCompaction {
    BackgroundCompaction {
        interval: Duration::from_millis(2),
        freeze_bytes: u64::MAX,
        unmerged_percent: 5,
        unmerged_fragments: u64::MAX,
        bytes_per_second: None,
        stall_epochs: usize::MAX,
        longest_stall: Duration::from_millis(50),
    }
}

fn with(background: BackgroundCompaction) -> StoreOptions {
    StoreOptions { background: Some(background), segment_rows: 100, max_epochs: 3, ..options().0 }
}

fn rows(range: std::ops::Range<u32>, value: &str) -> Vec<ostracon_data::Mutation> {
    range.map(|row| put(&format!("{row:05}"), "f:x", value)).collect()
}

/// Waits until the statistics are as wanted.
fn wait(store: &TabletStore, wanted: impl Fn(&CompactionStatistics) -> bool) -> CompactionStatistics {
    let deadline = Instant::now() + Duration::from_secs(60);
    loop {
        let found = store.compaction_statistics();
        if wanted(&found) {
            return found;
        }
        assert!(Instant::now() < deadline, "{found:?}");
        std::thread::sleep(Duration::from_millis(2));
    }
}

#[test]
fn a_table_is_compacted_when_enough_of_it_is_unmerged() {
    let background = BackgroundCompaction { unmerged_fragments: 100, ..eager() };
    let store = TabletStore::in_memory(with(background)).unwrap();
    let t = table(&store);
    write(&t, rows(0..4000, "old"));
    let first = wait(&store, |found| found.compactions == 1);
    assert_eq!((first.rows_read, first.segments_written), (4000, 40));
    assert!(first.bytes_written > 0 && first.running.is_none());
    // More than a hundred, but no more than five in a hundred.
    write(&t, rows(0..200, "new"));
    std::thread::sleep(Duration::from_millis(30));
    assert_eq!(store.compaction_statistics(), first);
    write(&t, rows(200..201, "new"));
    let second = wait(&store, |found| found.compactions == 2);
    assert_eq!(second.segments_written, 43, "the others stay");
    let lines = all(&t);
    assert_eq!(
        (lines.len(), lines[200].as_str(), lines[201].as_str()),
        (4000, "00200 f:x=new", "00201 f:x=old")
    );
    assert!(store.check().unwrap().is_clean());
}

#[test]
fn epochs_are_frozen_and_joined() {
    let background = BackgroundCompaction { freeze_bytes: 1000, ..eager() };
    let store = TabletStore::in_memory(with(background)).unwrap();
    let t = table(&store);
    for round in 1..=6u32 {
        write(&t, rows(0..100, &round.to_string()));
        wait(&store, |found| found.frozen >= u64::from(round));
    }
    wait(&store, |found| found.joined > 0);
    assert!(store.du(None).unwrap()[0].epochs <= 5);
    assert_eq!(all(&t)[99], "00099 f:x=6");
}

#[test]
fn a_compaction_keeps_its_rate_and_ends_with_the_store() {
    let folder = tempfile::tempdir().unwrap();
    let background = BackgroundCompaction { unmerged_fragments: 100, bytes_per_second: Some(1), ..eager() };
    let store = TabletStore::open(folder.path(), with(background)).unwrap();
    let t = table(&store);
    write(&t, rows(0..4000, "value"));
    let running =
        wait(&store, |found| found.running.as_ref().is_some_and(|found| found.segments_written > 0));
    let running = running.running.unwrap();
    assert_eq!((running.table.as_str(), running.rows_expected), ("t", 4000));
    std::thread::sleep(Duration::from_millis(30));
    let later = store.compaction_statistics();
    assert_eq!(
        (later.compactions, later.running),
        (0, Some(running)),
        "a segment takes minutes at this rate"
    );
    let started = Instant::now();
    drop((store, t));
    assert!(started.elapsed() < Duration::from_secs(30), "{:?}", started.elapsed());

    let store = TabletStore::open(folder.path(), options().0).unwrap();
    let report = store.check().unwrap();
    assert!(report.is_clean(), "{:?}", report.problems);
    assert_eq!((report.segments, report.fragments), (0, 4000));
}

#[test]
fn writers_wait_for_it_but_not_for_ever() {
    let background = BackgroundCompaction { freeze_bytes: 1, stall_epochs: 3, ..eager() };
    let store = TabletStore::in_memory(with(background)).unwrap();
    let t = table(&store);
    for row in 0..300 {
        write(&t, rows(row..row + 1, "value"));
        assert!(store.du(None).unwrap()[0].epochs <= 6, "row {row}");
    }
    assert_eq!(all(&t).len(), 300);

    // This one joins nothing while it compacts, and that takes for ever.
    let background = BackgroundCompaction {
        unmerged_fragments: 100,
        bytes_per_second: Some(1),
        stall_epochs: 0,
        ..eager()
    };
    let store = TabletStore::in_memory(with(background)).unwrap();
    let t = table(&store);
    write(&t, rows(0..4000, "value"));
    wait(&store, |found| found.running.is_some());
    let started = Instant::now();
    write(&t, rows(0..1, "later"));
    assert!(started.elapsed() >= Duration::from_millis(50));
    assert_eq!(store.compaction_statistics().stalls, 1);
    assert_eq!(all(&t)[0], "00000 f:x=later");
}

#[test]
fn failures_are_told_and_tried_again() {
    let points = ostracon_tablets::FailPoints::stop_after(u32::MAX);
    let background = BackgroundCompaction { unmerged_fragments: 100, ..eager() };
    let options = StoreOptions { fail_points: points.clone(), ..with(background) };
    let store = TabletStore::in_memory(options).unwrap();
    let t = table(&store);
    write(&t, rows(0..100, "value"));
    points.rearm(2);
    write(&t, rows(100..101, "value"));
    let found = wait(&store, |found| found.failures > 0);
    assert!(found.last_failure.unwrap().contains("stopped at fault point"));
    points.rearm(u32::MAX);
    wait(&store, |found| found.compactions > 0);
    assert_eq!(all(&t).len(), 101);
}

#[test]
fn whoever_compacts_sees_how_far_it_is_and_may_break_off() {
    let store = TabletStore::in_memory(StoreOptions { segment_rows: 100, ..options().0 }).unwrap();
    let t = store.create_table("t", TableSettings::default()).unwrap();
    write(&t, rows(0..3000, "value"));
    let mut seen = Vec::new();
    let broken = store.compact_observed(Some("t"), &mut |progress| {
        seen.push(progress.clone());
        if progress.rows_read >= 1500 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    assert!(matches!(broken, Err(Error::Cancelled)));
    let report = store.check().unwrap();
    assert_eq!((report.is_clean(), report.segments, report.fragments), (true, 0, 3000));
    assert!(seen.iter().all(|progress| progress.table == "t" && progress.rows_expected == 3000));
    assert!(seen.is_sorted_by_key(|progress| (progress.rows_read, progress.segments_written)));
    assert_eq!(seen.last().map(|last| (last.rows_read, last.segments_written)), Some((1500, 15)));
    store.compact_observed(None, &mut |_| ControlFlow::Continue(())).unwrap();
    assert_eq!(store.check().unwrap().segments, 30);
}
