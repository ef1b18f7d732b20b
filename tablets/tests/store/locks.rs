//! Read-modify-write: no update is lost, whoever else writes.

use std::thread;

use ostracon_data::{RowBuffer, RowRanges};
use ostracon_tablets::{ScanSpec, Scanner, StatementOptions, Table, Version};

use crate::harness::{all, memory, put, table, write};

const ROUNDS: u64 = 40;

fn read(version: &std::sync::Arc<Version>, row: &str) -> u64 {
    let spec = ScanSpec { ranges: RowRanges::point(row), ..ScanSpec::default() };
    let mut buffer = RowBuffer::new();
    Scanner::new(version, &spec).unwrap().next_row(&mut buffer).unwrap();
    let value = buffer.find(b"f", b"n").map_or(b"0".to_vec(), |cell| cell.value.to_vec());
    String::from_utf8(value).unwrap().parse().unwrap()
}

fn add_under_row_locks(table: &Table, row: &str) {
    let locks = table.lock_rows([row.as_bytes()]).unwrap();
    let count = read(&locks.table().version().unwrap(), row);
    let mut statement = locks.statement(StatementOptions::default()).unwrap();
    statement.write(put(row, "f:n", &(count + 1).to_string())).unwrap();
    statement.commit().unwrap();
}

fn add_exclusively(table: &Table, row: &str) {
    let mut statement = table.statement(StatementOptions { exclusive: true, ..Default::default() }).unwrap();
    let count = read(&table.version().unwrap(), row);
    statement.write(put(row, "f:n", &(count + 1).to_string())).unwrap();
    statement.commit().unwrap();
}

#[test]
fn no_increment_is_lost() {
    let store = memory();
    let t = table(&store);
    thread::scope(|scope| {
        for number in 0..4 {
            let t = &t;
            scope.spawn(move || {
                for round in 0..ROUNDS {
                    let row = if round % 2 == 0 { "a" } else { "b" };
                    if number == 3 {
                        add_exclusively(t, row)
                    } else {
                        add_under_row_locks(t, row)
                    }
                    // A blind writer beside it.
                    write(t, [put(row, "f:other", "x"), put("c", "f:other", "x")]);
                }
            });
        }
        scope.spawn(|| {
            for _ in 0..5 {
                store.flush(None).unwrap();
                store.compact(None).unwrap();
            }
        });
    });
    let version = t.version().unwrap();
    assert_eq!(read(&version, "a") + read(&version, "b"), 4 * ROUNDS);
}

#[test]
fn blind_writers_of_a_locked_row_wait_and_others_do_not() {
    let store = memory();
    let t = table(&store);
    let locks = t.lock_rows([&b"a"[..]]).unwrap();
    write(&t, [put("elsewhere", "f:x", "1")]);
    let blind = {
        let t = t.clone();
        thread::spawn(move || write(&t, [put("a", "f:x", "blind")]))
    };
    thread::sleep(std::time::Duration::from_millis(30));
    assert!(!blind.is_finished());
    let mut statement = locks.statement(StatementOptions::default()).unwrap();
    statement.write(put("a", "f:x", "locked")).unwrap();
    assert!(statement.replace_all().is_err(), "row locks are not the table's");
    statement.commit().unwrap();
    assert_eq!(all(&t), ["a f:x=locked", "elsewhere f:x=1"]);
    drop(locks);
    blind.join().unwrap();
    assert_eq!(all(&t), ["a f:x=blind", "elsewhere f:x=1"]);
}

#[test]
fn a_statement_keeps_the_row_locks_it_came_from() {
    let store = memory();
    let t = table(&store);
    let statement = {
        let locks = t.lock_rows([&b"a"[..]]).unwrap();
        locks.statement(StatementOptions::default()).unwrap()
    };
    let other = {
        let t = t.clone();
        thread::spawn(move || drop(t.lock_rows([&b"a"[..]]).unwrap()))
    };
    thread::sleep(std::time::Duration::from_millis(30));
    assert!(!other.is_finished());
    drop(statement);
    other.join().unwrap();
}

#[test]
fn a_locked_row_stands_still() {
    let store = memory();
    let t = table(&store);
    thread::scope(|scope| {
        let writers: Vec<_> = (0..2u64)
            .map(|writer| {
                let t = &t;
                scope.spawn(move || {
                    for number in 0..1500 {
                        write(t, [put("a", "f:n", &(number * 2 + writer).to_string())]);
                    }
                })
            })
            .collect();
        while !writers.iter().all(|writer| writer.is_finished()) {
            let locks = t.lock_rows([&b"a"[..]]).unwrap();
            let first = read(&t.version().unwrap(), "a");
            thread::yield_now();
            assert_eq!(read(&t.version().unwrap(), "a"), first);
            drop(locks);
        }
    });
}
