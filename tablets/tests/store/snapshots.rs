//! A version is one state, however long it is held and whatever happens meanwhile.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use ostracon_data::RowBuffer;
use ostracon_tablets::{
    BackgroundCompaction, ScanSpec, Scanner, StatementOptions, StoreOptions, TableSettings, TabletStore,
};

use crate::harness::{Row, drain, options, owned, put};

const ROWS: usize = 20;

/// Every commit gives all rows one new value, so a state is consistent if all rows agree.
fn assert_consistent(rows: &[Row]) {
    if let Some(first) = rows.first() {
        assert_eq!(rows.len(), ROWS);
        let value = &first.1[0].4;
        assert!(rows.iter().all(|row| &row.1[0].4 == value), "{rows:?}");
    }
}

#[test]
fn a_version_stays_as_it_was() {
    a_version_stays(StoreOptions { spill_threshold: 700, max_epochs: 3, ..options().0 });
}

#[test]
fn a_version_stays_as_it_was_while_the_store_compacts_by_itself() {
    let background = BackgroundCompaction {
        interval: Duration::from_millis(1),
        freeze_bytes: 500,
        unmerged_fragments: 50,
        stall_epochs: 6,
        longest_stall: Duration::from_millis(20),
        ..BackgroundCompaction::default()
    };
    let background = Some(background);
    let options =
        StoreOptions { spill_threshold: 700, max_epochs: 3, segment_rows: 7, background, ..options().0 };
    a_version_stays(options);
}

fn a_version_stays(options: StoreOptions) {
    let folder = tempfile::tempdir().unwrap();
    let store = TabletStore::open(folder.path(), options).unwrap();
    let table = store.create_table("t", TableSettings::default()).unwrap();
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        let writers: Vec<_> = (0..2)
            .map(|writer| {
                let table = &table;
                scope.spawn(move || {
                    for number in 0..60 {
                        let mut statement = table.statement(StatementOptions::default()).unwrap();
                        if number % 10 == 9 {
                            statement.replace_all().unwrap();
                        }
                        // Every third statement is too large for memory.
                        let value =
                            format!("{writer}-{number}-{}", "x".repeat(if number % 3 == 0 { 60 } else { 1 }));
                        for row in 0..ROWS {
                            statement.write(put(&format!("{row:02}"), "f:x", &value)).unwrap();
                        }
                        statement.commit().unwrap();
                    }
                })
            })
            .collect();
        scope.spawn(|| {
            let mut round = 0;
            while !done.load(Ordering::SeqCst) {
                round += 1;
                match round % 4 {
                    0 => store.compact(Some("t")).unwrap(),
                    1 => store.split("t", vec![format!("{:02}", round % ROWS).into_bytes()]).unwrap(),
                    2 => store.merge("t", None, None).unwrap(),
                    _ => store.flush(Some("t")).unwrap(),
                }
            }
        });
        for reverse in [false, true] {
            let (table, done) = (&table, &done);
            scope.spawn(move || {
                let mut horizon = 0;
                while !done.load(Ordering::SeqCst) {
                    let version = table.version().unwrap();
                    assert!(version.horizon() >= horizon, "the horizon went back");
                    horizon = version.horizon();
                    let spec = ScanSpec { reverse, ..ScanSpec::default() };
                    // One scan is begun now and ended after others.
                    let mut slow = Scanner::new(&version, &spec).unwrap();
                    let mut buffer = RowBuffer::new();
                    let mut slow_rows = Vec::new();
                    if slow.next_row(&mut buffer).unwrap() {
                        slow_rows.push(owned(&buffer));
                    }
                    let first = drain(Scanner::new(&version, &spec).unwrap());
                    assert_consistent(&first);
                    thread::yield_now();
                    assert_eq!(drain(Scanner::on_cell_path(&version, &spec).unwrap()), first);
                    while slow.next_row(&mut buffer).unwrap() {
                        slow_rows.push(owned(&buffer));
                    }
                    assert_eq!(slow_rows, first);
                }
            });
        }
        for writer in writers {
            writer.join().unwrap();
        }
        done.store(true, Ordering::SeqCst);
    });
    let report = store.check().unwrap();
    assert!(report.is_clean(), "{:?}", report.problems);
}

#[test]
fn what_is_acknowledged_is_seen_by_the_next_version() {
    let store = TabletStore::in_memory(options().0).unwrap();
    let tables: Vec<_> =
        ["a", "b", "c"].map(|name| store.create_table(name, TableSettings::default()).unwrap()).into();
    thread::scope(|scope| {
        for table in &tables {
            for writer in 0..2 {
                scope.spawn(move || {
                    for number in 0..200 {
                        let row = format!("{writer}-{number:03}");
                        let mut statement = table.statement(StatementOptions::default()).unwrap();
                        statement.write(put(&row, "f:x", "1")).unwrap();
                        let sequence = statement.commit().unwrap().sequence;
                        let version = table.version().unwrap();
                        assert!(version.horizon() >= sequence);
                        let ranges = ostracon_data::RowRanges::point(row);
                        let spec = ScanSpec { ranges, ..ScanSpec::default() };
                        assert_eq!(drain(Scanner::new(&version, &spec).unwrap()).len(), 1);
                    }
                });
            }
        }
    });
}
