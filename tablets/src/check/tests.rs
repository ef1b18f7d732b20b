//! Damage of every kind is found.

use ostracon_data::{Mutation, RowBuffer};
use rocksdb::WriteBatch;

use super::*;
use crate::{Durability, ScanSpec, Scanner, StatementOptions, StoreOptions, Table, TableSettings};

fn store() -> (TabletStore, Table) {
    let store = TabletStore::in_memory(StoreOptions::default()).unwrap();
    let table = store.create_table("t", TableSettings::default()).unwrap();
    let mut statement = table.statement(StatementOptions::default()).unwrap();
    for row in ["a", "c"] {
        let mut mutation = Mutation::new(row);
        mutation.put("f", "q", "", "v");
        statement.write(mutation).unwrap();
    }
    statement.commit().unwrap();
    (store, table)
}

/// Puts bytes where no statement would.
fn plant(store: &TabletStore, key: &[u8], value: &[u8]) {
    let mut batch = WriteBatch::default();
    batch.put(key, value);
    store.inner.engine.write(batch, Durability::Log).unwrap();
}

fn key(table: &Table, epoch: u64, row: &[u8], sequence: u64) -> Vec<u8> {
    let mut key = keys::prefix(table.id(), epoch).to_vec();
    keys::put_row_part(&mut key, row);
    keys::put_suffix(&mut key, sequence, 9);
    key
}

fn only_problem(store: &TabletStore) -> String {
    let report = store.check().unwrap();
    assert_eq!(report.problems.len(), 1, "{report:?}");
    assert!(report.clone().into_result().is_err());
    report.problems[0].clone()
}

/// Reads all rows; gives how many came before the error, and the error.
fn scan(table: &Table, reverse: bool) -> (u32, Error) {
    let spec = ScanSpec { reverse, ..ScanSpec::default() };
    let mut scanner = Scanner::new(&table.version().unwrap(), &spec).unwrap();
    let mut rows = 0;
    loop {
        match scanner.next_row(&mut RowBuffer::new()) {
            Ok(true) => rows += 1,
            Ok(false) => panic!("the damage was not seen"),
            Err(error) => return (rows, error),
        }
    }
}

#[test]
fn a_sound_store_is_clean() {
    let (store, _) = store();
    let report = store.check().unwrap();
    assert_eq!((report.tables, report.fragments, report.cells), (1, 2, 2));
    assert!(report.is_clean() && report.into_result().is_ok());
}

#[test]
fn a_damaged_fragment_is_found_and_ends_a_scan() {
    let (store, table) = store();
    plant(&store, &key(&table, 1, b"b", 1), b"\x01nonsense");
    assert!(only_problem(&store).contains("\"b\""));
    for reverse in [false, true] {
        let (rows, error) = scan(&table, reverse);
        assert!(rows == 1 && matches!(error, Error::Fragment { .. }), "{rows}, {error}");
        assert!(error.to_string().contains("'t'") && error.to_string().contains("\"b\""), "{error}");
    }
    assert!(store.compact(None).is_err());
    assert!(store.table("t").is_ok(), "the table is as it was");
}

#[test]
fn a_bad_label_at_rest_hides_its_cell() {
    let (store, table) = store();
    let mut mutation = Mutation::new("b");
    mutation.put("f", "q", "A&", "secret");
    let mut packed = Vec::new();
    ostracon_segment::fragment::encode(&mutation, 0, &mut packed);
    plant(&store, &key(&table, 1, b"b", 1), &packed);
    assert!(only_problem(&store).contains("label"));
    let mut scanner = Scanner::new(&table.version().unwrap(), &ScanSpec::default()).unwrap();
    let mut rows = 0;
    while scanner.next_row(&mut RowBuffer::new()).unwrap() {
        rows += 1;
    }
    assert_eq!(rows, 2);
}

#[test]
fn keys_that_are_none_are_found_and_end_a_scan() {
    let (store, table) = store();
    // Shorter than any key, and between the two rows.
    let mut short = keys::prefix(table.id(), 1).to_vec();
    short.extend_from_slice(b"b");
    plant(&store, &short, b"");
    assert!(only_problem(&store).contains("too short"));
    for reverse in [false, true] {
        // It is met when the row before it ends, so not even that one is handed out.
        assert!(matches!(scan(&table, reverse), (0, Error::Corrupt { .. })));
    }
}

#[test]
fn rows_that_are_not_escaped_are_found_and_end_a_scan() {
    let (store, table) = store();
    let mut bad = keys::prefix(table.id(), 1).to_vec();
    bad.extend_from_slice(b"b\0\x07 and so on");
    keys::put_suffix(&mut bad, 1, 0);
    plant(&store, &bad, b"");
    assert!(only_problem(&store).contains("escaped"));
    assert!(matches!(scan(&table, false), (1, Error::Corrupt { .. })));
}

#[test]
fn strange_epochs_and_sequences_are_found() {
    let (store, table) = store();
    let mut packed = Vec::new();
    ostracon_segment::fragment::encode(&Mutation::new("b"), 0, &mut packed);
    plant(&store, &key(&table, 77, b"b", 1), &packed);
    assert!(only_problem(&store).contains("epoch 77"));
    let (store, table) = self::store();
    plant(&store, &key(&table, 1, b"b", 1 << 40), &packed);
    assert!(only_problem(&store).contains("never given"));
}

#[test]
fn damaged_records_stop_the_start() {
    let folder = tempfile::tempdir().unwrap();
    let open = || TabletStore::open(folder.path(), StoreOptions::default());
    let store = open().unwrap();
    let table = store.create_table("t", TableSettings::default()).unwrap();
    plant(&store, &keys::table_key(table.id()), b"\x01\xFF\xFF");
    drop((store, table));
    assert!(matches!(open(), Err(Error::Corrupt { .. })));
    let engine = crate::engine::Engine::open(folder.path(), &StoreOptions::default()).unwrap();
    let mut batch = WriteBatch::default();
    batch.put(keys::FORMAT_KEY, 99u32.to_be_bytes());
    engine.write(batch, Durability::Log).unwrap();
    drop(engine);
    assert!(matches!(open(), Err(Error::NewerFormat { found: 99, .. })));
    let engine = crate::engine::Engine::open(folder.path(), &StoreOptions::default()).unwrap();
    let mut batch = WriteBatch::default();
    batch.delete(keys::FORMAT_KEY);
    engine.write(batch, Durability::Log).unwrap();
    drop(engine);
    assert!(matches!(open(), Err(Error::NotAStore { .. })), "it might be another program's");
}

/// A store whose rows are in one segment, number 1 of run 3.
fn compacted() -> (TabletStore, Table) {
    let (store, table) = store();
    store.compact(None).unwrap();
    let directory = table.state.directory();
    let runs: Vec<_> = directory.runs().map(|run| (run.id, run.segments()[0].id)).collect();
    assert_eq!(runs, [(3, 1)]);
    (store, table)
}

/// Changes the only segment's bytes, or deletes it.
fn damage(store: &TabletStore, table: &Table, change: impl FnOnce(&mut Vec<u8>) -> bool) {
    let engine = &store.inner.engine;
    let key = keys::segment_key(table.id(), 1);
    let mut bytes = engine.large(&key, Access::Point).unwrap().unwrap().to_vec();
    let mut batch = WriteBatch::default();
    if change(&mut bytes) {
        engine.put_large(&mut batch, &key, &bytes).unwrap();
    } else {
        engine.delete_large(&mut batch, &key).unwrap();
    }
    engine.write(batch, Durability::Log).unwrap();
}

#[test]
fn sound_segments_are_clean() {
    let (store, _) = compacted();
    let report = store.check().unwrap();
    assert!(report.is_clean(), "{report:?}");
    assert_eq!((report.fragments, report.segments, report.segment_rows, report.cells), (0, 1, 2, 2));
}

#[test]
fn a_damaged_segment_is_found_and_ends_a_scan() {
    let changes: [fn(&mut Vec<u8>) -> bool; 3] = [
        |bytes| {
            let last = bytes.len() - 1;
            bytes[last] ^= 1;
            true
        },
        |bytes| {
            bytes.truncate(20);
            true
        },
        |_| false,
    ];
    for change in changes {
        let (store, table) = compacted();
        damage(&store, &table, change);
        let problem = only_problem(&store);
        assert!(problem.contains("segment 1 of table"), "{problem}");
        for reverse in [false, true] {
            let (rows, error) = scan(&table, reverse);
            assert!(rows == 0 && matches!(error, Error::Segment { .. } | Error::Corrupt { .. }), "{error}");
        }
        let mut statement = table.statement(StatementOptions::default()).unwrap();
        let mut mutation = Mutation::new("b");
        mutation.put("f", "q", "", "v");
        statement.write(mutation).unwrap();
        statement.commit().unwrap();
        assert!(store.compact(None).is_err());
        assert!(store.table("t").is_ok(), "the table is as it was");
    }
}

#[test]
fn segments_and_entries_of_nobody_are_found() {
    let (store, table) = compacted();
    let engine = &store.inner.engine;
    let mut batch = WriteBatch::default();
    engine.put_large(&mut batch, &keys::segment_key(table.id(), 9), b"").unwrap();
    engine.write(batch, Durability::Log).unwrap();
    assert!(only_problem(&store).contains("segment 9 of table 1 belongs to no run"));
    let (store, table) = compacted();
    plant(&store, &keys::entry_key(table.id(), 3, 9), b"");
    assert!(only_problem(&store).contains("names run 3, which lacks it"));
}

#[test]
fn entries_that_lie_are_found() {
    let folder = tempfile::tempdir().unwrap();
    let open = || TabletStore::open(folder.path(), StoreOptions::default()).unwrap();
    let lies: [fn(&mut ostracon_segment::SegmentSummary); 6] = [
        |summary| summary.rows += 1,
        |summary| summary.last_row = b"d".to_vec(),
        |summary| summary.oldest += 1,
        |summary| summary.labels.clear(),
        |summary| summary.columns[0].min.bytes = b"w".to_vec(),
        |summary| summary.columns[0].absent += 1,
    ];
    let store = open();
    let table = store.create_table("t", TableSettings::default()).unwrap();
    let mut statement = table.statement(StatementOptions::default()).unwrap();
    let mut mutation = Mutation::new("a");
    mutation.put("f", "q", "", "v");
    statement.write(mutation).unwrap();
    statement.commit().unwrap();
    store.compact(None).unwrap();
    let directory = table.state.directory();
    let run = directory.runs().next().unwrap();
    let (key, entry) = (keys::entry_key(table.id(), run.id, 1), run.segments()[0].entry());
    let summary = run.segments()[0].summary.clone();
    drop((directory, table, store));
    for lie in lies {
        let mut lied = summary.clone();
        lie(&mut lied);
        let mut changed = entry.clone();
        changed.summary.clear();
        lied.to_bytes(&mut changed.summary);
        let store = open();
        plant(&store, &key, &changed.to_bytes().unwrap());
        drop(store);
        let problem = only_problem(&open());
        assert!(problem.contains("its entry has another"), "{problem}");
    }
    let store = open();
    plant(&store, &key, b"\x01\xFF");
    drop(store);
    assert!(matches!(TabletStore::open(folder.path(), StoreOptions::default()), Err(Error::Corrupt { .. })));
}
