//! What each call promises, one small case at a time.

use ostracon_data::{Authorizations, ErasedColumns, Mutation, ROW_MARKER_FAMILY, RowRange, RowRanges};
use ostracon_tablets::{
    BatchWriter, CellScanner, ColumnFilter, ColumnSelection, Durability, Error, MAX_ROW_BYTES, ScanSpec,
    Scanner, StatementOptions, StoreOptions, TableSettings, TabletStore,
};

use crate::harness::{all, drain, labels, lines, memory, options, put, put_as, scan, table, write};

#[test]
fn what_is_written_is_read_and_the_newest_wins() {
    let store = memory();
    let t = table(&store);
    write(&t, [put("b", "f:x", "1"), put("a", "f:x", "2"), put("b", "f:y", "3")]);
    assert_eq!(all(&t), ["a f:x=2", "b f:x=1 f:y=3"]);
    write(&t, [put("b", "f:x", "4")]);
    assert_eq!(all(&t), ["a f:x=2", "b f:x=4 f:y=3"]);
    let versions = ScanSpec { max_versions: 9, ..ScanSpec::default() };
    assert_eq!(lines(&t, &versions), ["a f:x=2", "b f:x=4 f:x=1 f:y=3"]);
}

#[test]
fn a_statement_is_nothing_until_it_commits() {
    let store = memory();
    let t = table(&store);
    let mut statement = t.statement(StatementOptions::default()).unwrap();
    statement.write(put("a", "f:x", "1")).unwrap();
    assert!(all(&t).is_empty());
    drop(statement);
    assert!(all(&t).is_empty());
    let empty = t.statement(StatementOptions::default()).unwrap().commit().unwrap();
    assert_eq!(empty.rows, 0);
    let mut statement = t.statement(StatementOptions { exclusive: true, ..Default::default() }).unwrap();
    statement.write(put("a", "f:x", "1")).unwrap();
    statement.write(Mutation::new("not counted")).unwrap();
    assert_eq!(statement.commit().unwrap().rows, 1);
    assert_eq!(all(&t), ["a f:x=1"]);
}

#[test]
fn a_delete_hides_by_time_and_an_erase_by_commit() {
    let store = memory();
    let t = table(&store);
    let mut later = Mutation::new("a");
    later.put_at("f", "x", "", 5000, "future");
    write(&t, [put("a", "f:x", "now"), later]);
    let mut delete = Mutation::new("a");
    delete.delete("f", "x", "", Some(4000));
    write(&t, [delete]);
    assert_eq!(all(&t), ["a f:x=future"]);
    let mut erase = Mutation::new("a");
    erase.erase(ErasedColumns::Exact { family: b"f".to_vec(), qualifier: b"x".to_vec() }, None);
    write(&t, [erase]);
    assert!(all(&t).is_empty());
    // The delete marker, erased too, no longer hides what is older than it.
    write(&t, [put("a", "f:x", "again")]);
    assert_eq!(all(&t), ["a f:x=again"]);
}

#[test]
fn an_erase_spares_its_own_mutation_and_other_labels() {
    let store = memory();
    let t = table(&store);
    write(&t, [put_as("a", "f:x", "A", "secret"), put("a", "f:x", "open"), put("a", "f:y", "y")]);
    let mut upsert = put("a", "f:z", "z");
    upsert.erase(ErasedColumns::Row, Some(Vec::new()));
    write(&t, [upsert]);
    assert_eq!(all(&t), ["a f:z=z"]);
    assert_eq!(lines(&t, &labels(&["A"])), ["a f:x=secret f:z=z"]);
}

#[test]
fn replacing_older_beats_a_newer_timestamp() {
    let store = memory();
    let t = table(&store);
    let mut future = Mutation::new("a");
    future.put_at("f", "x", "", 9000, "future").put_at("f", "x", "A", 9000, "secret");
    write(&t, [future]);
    let mut upsert = put("a", "f:x", "upsert");
    upsert.replacing_older(true);
    write(&t, [upsert]);
    assert_eq!(all(&t), ["a f:x=upsert"]);
    assert_eq!(lines(&t, &labels(&["A"])), ["a f:x=secret f:x=upsert"]);
}

#[test]
fn rows_that_are_hidden_do_not_exist() {
    let store = memory();
    let t = table(&store);
    write(&t, [put_as("a", "f:x", "A&B", "1"), put("b", "f:x", "2")]);
    let read = |spec: &ScanSpec| {
        let mut scanner = Scanner::new(&t.version().unwrap(), spec).unwrap();
        while scanner.next_row(&mut Default::default()).unwrap() {}
        (scanner.metrics().rows_read, scanner.metrics().rows_returned)
    };
    assert_eq!(read(&labels(&["A"])), (1, 1));
    assert_eq!(read(&labels(&["A", "B"])), (2, 2));
    assert_eq!(all(&t), ["b f:x=2"]);
}

#[test]
fn a_row_exists_by_its_mapped_columns_whatever_is_projected() {
    let store = memory();
    let t = table(&store);
    let mut marked = Mutation::new("c");
    marked.put(ROW_MARKER_FAMILY, "", "", "");
    write(&t, [put("a", "f:x", "1"), put("b", "f:y", "2"), marked, put("d", "other:z", "3")]);
    let x = || ColumnFilter::exact("f", "x");
    let spec = ScanSpec {
        columns: ColumnSelection::Columns(vec![x(), ColumnFilter::prefix("f", "")]),
        projection: ColumnSelection::Columns(vec![x()]),
        ..ScanSpec::default()
    };
    assert_eq!(lines(&t, &spec), ["a f:x=1", "b", "c"]);
    let nothing = ScanSpec { projection: ColumnSelection::none(), ..spec };
    assert_eq!(lines(&t, &nothing), ["a", "b", "c"]);
}

#[test]
fn ranges_limits_and_directions() {
    let store = memory();
    let t = table(&store);
    write(&t, ["a", "b", "c", "d", "e"].map(|row| put(row, "f:x", row)));
    let ranges = RowRanges::from_ranges(vec![
        RowRange::new("b", Some(b"d".to_vec())),
        RowRange::point("e"),
        RowRange::point("missing"),
    ]);
    let spec = ScanSpec { ranges, ..ScanSpec::default() };
    assert_eq!(lines(&t, &spec), ["b f:x=b", "c f:x=c", "e f:x=e"]);
    let reverse = ScanSpec { reverse: true, ..spec.clone() };
    assert_eq!(lines(&t, &reverse), ["e f:x=e", "c f:x=c", "b f:x=b"]);
    assert_eq!(lines(&t, &ScanSpec { limit: Some(2), ..reverse }), ["e f:x=e", "c f:x=c"]);
    assert!(lines(&t, &ScanSpec { limit: Some(0), ..spec.clone() }).is_empty());
    assert!(lines(&t, &ScanSpec { ranges: RowRanges::none(), ..spec }).is_empty());
    let whole = ScanSpec { reverse: true, ..ScanSpec::default() };
    assert_eq!(lines(&t, &whole).len(), 5);
}

#[test]
fn a_point_read_is_one_seek_and_one_row() {
    let store = memory();
    let t = table(&store);
    write(&t, (0..1000).map(|row| put(&format!("{row:04}"), "f:x", "value")));
    store.flush(None).unwrap();
    let spec = ScanSpec { ranges: RowRanges::point("0500"), ..ScanSpec::default() };
    let mut scanner = Scanner::new(&t.version().unwrap(), &spec).unwrap();
    assert!(scanner.next_row(&mut Default::default()).unwrap());
    assert!(!scanner.next_row(&mut Default::default()).unwrap());
    let metrics = scanner.metrics();
    assert_eq!((metrics.rows_read, metrics.cells_read), (1, 1));
    assert!(metrics.bytes_read < 100, "{metrics:?}");
    // In the frozen epoch; nothing has been written to the active one.
    assert_eq!(metrics.seeks, 1);
    store.compact(None).unwrap();
    let mut scanner = Scanner::new(&t.version().unwrap(), &spec).unwrap();
    assert!(scanner.next_row(&mut Default::default()).unwrap());
    assert!(!scanner.next_row(&mut Default::default()).unwrap());
    let metrics = scanner.metrics();
    assert_eq!((metrics.rows_read, metrics.cells_read, metrics.seeks, metrics.segments_read), (1, 1, 0, 1));
}

#[test]
fn cells_expire() {
    let store = memory();
    let t = table(&store);
    write(&t, [put("a", "f:x", "1")]);
    let at = |now_ms| lines(&t, &ScanSpec { ttl_ms: Some(100), now_ms, ..ScanSpec::default() });
    assert_eq!(at(1100), ["a f:x=1"]);
    assert!(at(1101).is_empty());
    assert_eq!(
        lines(&t, &ScanSpec { now_ms: i64::MIN, ttl_ms: Some(u64::MAX), ..ScanSpec::default() }).len(),
        1
    );
}

#[test]
fn bad_arguments_are_refused_with_a_reason() {
    let store = memory();
    let t = table(&store);
    let mut statement = t.statement(StatementOptions::default()).unwrap();
    let text = statement.write(put_as("a", "f:x", "A&", "1")).unwrap_err().to_string();
    assert!(text.contains("\"a\""), "{text}");
    let long = Mutation::new(vec![0; MAX_ROW_BYTES + 1]);
    assert!(statement.write(long).is_ok(), "it has no updates");
    let mut long = Mutation::new(vec![0; MAX_ROW_BYTES + 1]);
    long.put("f", "x", "", "");
    assert!(matches!(statement.write(long), Err(Error::TooLarge { .. })));
    statement.write(put("a", "f:x", "kept")).unwrap();
    statement.commit().unwrap();
    assert_eq!(all(&t), ["a f:x=kept"]);
    let version = t.version().unwrap();
    assert!(Scanner::new(&version, &ScanSpec { max_versions: 0, ..ScanSpec::default() }).is_err());
    assert!(Scanner::new(&version, &ScanSpec { batch_rows: 0, ..ScanSpec::default() }).is_err());
    assert!(store.create_table("", TableSettings::default()).is_err());
    assert!(store.create_table("u", TableSettings { max_versions: 0, ..Default::default() }).is_err());
    assert!(matches!(store.create_table("t", TableSettings::default()), Err(Error::TableExists { .. })));
    assert!(matches!(store.table("u"), Err(Error::TableNotFound { .. })));
    assert!(store.split("t", vec![Vec::new()]).is_err());
}

#[test]
fn the_catalog_is_a_small_ordered_map() {
    let store = memory();
    let before = store.catalog_changes();
    store.catalog_put("sql/b", b"2").unwrap();
    store.catalog_put("sql/a", b"1").unwrap();
    store.catalog_put("sqm", b"3").unwrap();
    let filled = store.clone().catalog_changes();
    assert!(filled > before);
    assert_eq!(store.catalog_get("sql/a").unwrap(), Some(b"1".to_vec()));
    assert_eq!(store.catalog_changes(), filled, "reading changes nothing");
    let listed = store.catalog_list("sql/").unwrap();
    assert_eq!(listed, [("sql/a".to_owned(), b"1".to_vec()), ("sql/b".to_owned(), b"2".to_vec())]);
    store.catalog_delete("sql/a").unwrap();
    assert!(store.catalog_changes() > filled);
    assert_eq!(store.catalog_get("sql/a").unwrap(), None);
    assert_eq!(store.catalog_list("").unwrap().len(), 2);
}

#[test]
fn row_ids_ascend_and_never_repeat() {
    let folder = tempfile::tempdir().unwrap();
    let mut next = 1;
    for _ in 0..3 {
        let store = TabletStore::open(folder.path(), options().0).unwrap();
        for n in [1, 5, 100_000, 0, 2] {
            let first = store.allocate_row_ids(n).unwrap();
            assert!(first >= next, "{first} was given before");
            next = first + n;
        }
    }
    let store = TabletStore::open(folder.path(), options().0).unwrap();
    assert!(store.allocate_row_ids(u64::MAX).is_err());
}

#[test]
fn tables_come_and_go() {
    let store = memory();
    let t = table(&store);
    write(&t, [put("a", "f:x", "1")]);
    let version = t.version().unwrap();
    store.drop_table("t").unwrap();
    assert!(store.table_names().is_empty() && !store.table_exists("t"));
    assert!(matches!(t.version(), Err(Error::TableNotFound { .. })));
    assert!(t.statement(StatementOptions::default()).is_err());
    assert_eq!(
        drain(Scanner::new(&version, &ScanSpec::default()).unwrap()).len(),
        1,
        "a version outlives the table"
    );
    let again = table(&store);
    assert_ne!(again.id(), t.id());
    assert!(all(&again).is_empty());
}

#[test]
fn a_store_is_found_locked_missing_or_not_one() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    let closed = StoreOptions { create: false, ..options().0 };
    assert!(matches!(TabletStore::open(&path, closed.clone()), Err(Error::StoreNotFound { .. })));
    assert!(!path.exists());
    let store = TabletStore::open(&path, options().0).unwrap();
    let text = match TabletStore::open(&path, closed.clone()) {
        Err(error @ Error::Locked { .. }) => error.to_string(),
        other => panic!("{other:?}"),
    };
    assert!(text.contains("open in another process") && text.contains("store"), "{text}");
    drop(store);
    assert!(TabletStore::open(&path, closed).is_ok());
    std::fs::write(folder.path().join("notes.txt"), "mine").unwrap();
    assert!(matches!(TabletStore::open(folder.path(), options().0), Err(Error::NotAStore { .. })));
}

#[test]
fn every_durability_level_commits_and_survives_a_clean_close() {
    let folder = tempfile::tempdir().unwrap();
    let levels = [Durability::None, Durability::Log, Durability::Flush, Durability::Sync];
    {
        let store = TabletStore::open(folder.path(), options().0).unwrap();
        let t = table(&store);
        for (row, durability) in ["a", "b", "c", "d"].into_iter().zip(levels) {
            let mut statement =
                t.statement(StatementOptions { durability: Some(durability), exclusive: false }).unwrap();
            statement.write(put(row, "f:x", "1")).unwrap();
            statement.commit().unwrap();
        }
    }
    let store = TabletStore::open(folder.path(), options().0).unwrap();
    assert_eq!(all(&store.table("t").unwrap()).len(), 4);
}

#[test]
fn settings_survive_and_change() {
    let folder = tempfile::tempdir().unwrap();
    let settings = TableSettings {
        max_versions: 3,
        ttl_ms: Some(7),
        durability: Some(Durability::Log),
        ..Default::default()
    };
    {
        let store = TabletStore::open(folder.path(), options().0).unwrap();
        table(&store);
        store.alter_table("t", settings.clone()).unwrap();
        store.split("t", vec![b"m".to_vec(), b"c".to_vec(), b"m".to_vec()]).unwrap();
    }
    let store = TabletStore::open(folder.path(), options().0).unwrap();
    let t = store.table("t").unwrap();
    assert_eq!(*t.settings(), settings);
    assert_eq!(t.version().unwrap().extents().len(), 3);
}

#[test]
fn a_batch_writer_commits_in_groups() {
    let store = memory();
    let t = table(&store);
    let mut writer = BatchWriter::new(&t, StatementOptions::default()).with_group_bytes(100);
    for row in 0..50 {
        writer.add(put(&format!("{row:02}"), "f:x", "some value")).unwrap();
    }
    assert!(writer.written() > 0 && writer.written() < 50);
    assert_eq!(all(&t).len() as u64, writer.written());
    assert_eq!(writer.close().unwrap(), 50);
    assert_eq!(all(&t).len(), 50);
}

#[test]
fn the_raw_cells_show_deletes_and_old_versions() {
    let store = memory();
    let t = table(&store);
    write(&t, [put("a", "f:x", "1")]);
    let mut delete = Mutation::new("a");
    delete.delete("f", "x", "", None);
    write(&t, [delete]);
    write(&t, [put_as("b", "f:x", "A", "hidden")]);
    let mut cells = CellScanner::raw(&t.version().unwrap(), &ScanSpec::default()).unwrap();
    let mut seen = Vec::new();
    while let Some((key, value)) = cells.next_cell().unwrap() {
        seen.push((key.deleted, value.to_vec()));
    }
    assert_eq!(seen, [(true, Vec::new()), (false, b"1".to_vec())]);
    assert!(cells.next_cell().unwrap().is_none());
    let mut cells = CellScanner::new(&t.version().unwrap(), &ScanSpec::default()).unwrap();
    assert!(cells.next_cell().unwrap().is_none());
}

#[test]
fn truncate_keeps_splits_and_old_versions_go_on() {
    let store = memory();
    let t = table(&store);
    write(&t, [put("a", "f:x", "1")]);
    store.split("t", vec![b"m".to_vec()]).unwrap();
    let version = t.version().unwrap();
    store.truncate("t").unwrap();
    assert!(all(&t).is_empty());
    assert_eq!(t.version().unwrap().extents().len(), 2);
    assert_eq!(drain(Scanner::new(&version, &ScanSpec::default()).unwrap()).len(), 1);
    let mut overwrite = t.statement(StatementOptions::default()).unwrap();
    overwrite.write(put("b", "f:x", "2")).unwrap();
    overwrite.replace_all().unwrap();
    assert_eq!(overwrite.commit().unwrap().rows, 1);
    assert_eq!(all(&t), ["b f:x=2"]);
}

#[test]
fn authorizations_are_those_of_the_scan() {
    let store = memory();
    let t = table(&store);
    write(&t, [put_as("a", "f:x", "A", "a"), put_as("a", "f:x", "B", "b"), put("a", "f:x", "open")]);
    let seen = |names: &[&str]| scan(&t, &labels(names)).into_iter().flat_map(|row| row.1).map(|cell| cell.4);
    assert_eq!(seen(&[]).collect::<Vec<_>>(), [b"open".to_vec()]);
    // All of one time: the later commit's mutation comes first.
    assert_eq!(seen(&["A", "B"]).collect::<Vec<_>>(), [b"open".to_vec(), b"b".to_vec(), b"a".to_vec()]);
    assert!(Authorizations::empty().is_empty());
}
