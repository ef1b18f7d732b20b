//! Flush, compaction, splits, and what an administrator sees of them.

use ostracon_data::{ErasedColumns, Mutation, RowRanges};
use ostracon_iterators::{IteratorScope, IteratorSetting};
use ostracon_tablets::{ScanSpec, Scanner, StoreOptions, TableSettings, TabletStore};

use crate::harness::{all, lines, memory, options, put, put_as, table, write};

#[test]
fn a_compaction_leaves_rows_in_segments_and_nothing_deleted() {
    let store = memory();
    let t = table(&store);
    for value in ["1", "2", "3"] {
        write(&t, [put("a", "f:x", value), put("b", "f:x", value)]);
        store.flush(None).unwrap();
    }
    let mut erase = Mutation::new("b");
    erase.erase(ErasedColumns::Row, None);
    write(&t, [erase, put_as("c", "f:x", "A", "labelled")]);
    assert_eq!(store.check().unwrap().fragments, 8);
    store.compact(Some("t")).unwrap();
    let report = store.check().unwrap();
    assert_eq!((report.fragments, report.segments, report.segment_rows), (0, 1, 2));
    assert_eq!((report.cells, report.problem_count), (2, 0));
    assert_eq!(all(&t), ["a f:x=3"]);
    assert_eq!(t.approximate_rows(), 2);
    // A table without rows keeps nothing but the active epoch.
    store.truncate("t").unwrap();
    store.compact(None).unwrap();
    let usage = &store.du(Some("t")).unwrap()[0];
    assert_eq!((usage.epochs, usage.runs, usage.segments), (1, 0, 0));
    let report = store.check().unwrap();
    assert_eq!((report.fragments, report.segments), (0, 0));
}

#[test]
fn what_a_version_reads_stays_until_it_is_dropped() {
    let store = memory();
    let t = table(&store);
    write(&t, (0..100).map(|row| put(&format!("{row:03}"), "f:x", "value")));
    let version = t.version().unwrap();
    store.truncate("t").unwrap();
    assert_eq!(store.check().unwrap().fragments, 100);
    assert_eq!(crate::harness::drain(Scanner::new(&version, &ScanSpec::default()).unwrap()).len(), 100);
    let scanner = Scanner::new(&version, &ScanSpec::default()).unwrap();
    drop(version);
    assert_eq!(crate::harness::drain(scanner).len(), 100, "a scan holds what it reads");
    assert_eq!(store.check().unwrap().fragments, 0);
}

#[test]
fn epochs_do_not_pile_up() {
    let store = TabletStore::in_memory(StoreOptions { max_epochs: 3, ..options().0 }).unwrap();
    let t = table(&store);
    for number in 0..20 {
        write(&t, [put(&format!("{number:02}"), "f:x", "1"), put("same", "f:x", &number.to_string())]);
        store.flush(Some("t")).unwrap();
        assert!(store.du(None).unwrap()[0].epochs <= 4, "after flush {number}");
    }
    assert_eq!(all(&t).len(), 21);
    assert_eq!(all(&t)[20], "same f:x=19");
    // Nothing is forgotten by mere tidying.
    let versions = ScanSpec { ranges: RowRanges::point("same"), max_versions: 99, ..ScanSpec::default() };
    assert_eq!(lines(&t, &versions)[0].matches("f:x").count(), 20);
}

#[test]
fn tablets_partition_the_rows() {
    let store = memory();
    let t = table(&store);
    write(&t, (0..100).map(|row| put(&format!("{row:02}"), "f:x", "value")));
    store.split("t", vec![b"49".to_vec(), b"09".to_vec()]).unwrap();
    let tablets = store.tablets("t").unwrap();
    let ends: Vec<_> = tablets.iter().map(|tablet| tablet.extent.end_row.clone()).collect();
    assert_eq!(ends, [Some(b"09".to_vec()), Some(b"49".to_vec()), None]);
    assert_eq!(tablets.iter().map(|tablet| tablet.rows).collect::<Vec<_>>(), [10, 40, 50]);
    assert!(tablets.iter().all(|tablet| tablet.bytes > 0));
    store.merge("t", Some(b"09"), None).unwrap();
    assert_eq!(store.tablets("t").unwrap().len(), 2);
    store.merge("t", None, None).unwrap();
    assert_eq!(store.tablets("t").unwrap().len(), 1);
}

#[test]
fn sizes_are_about_right_for_large_tables() {
    let folder = tempfile::tempdir().unwrap();
    let rows = 20_000;
    {
        let store = TabletStore::open(folder.path(), options().0).unwrap();
        let t = table(&store);
        write(&t, (0..rows).map(|row| put(&format!("{row:06}"), "f:x", &format!("value of {row}"))));
        assert_eq!(t.approximate_rows(), rows);
    }
    // After a restart the active epoch must be estimated.
    let store = TabletStore::open(folder.path(), options().0).unwrap();
    store.split("t", vec![format!("{:06}", rows / 2).into_bytes()]).unwrap();
    let about =
        |found: u64, wanted: u64| assert!(found > wanted / 2 && found < wanted * 2, "{found} of {wanted}");
    about(store.table("t").unwrap().approximate_rows(), rows);
    about(store.table("t").unwrap().version().unwrap().approximate_rows(), rows);
    for tablet in store.tablets("t").unwrap() {
        about(tablet.rows, rows / 2);
    }
    let usage = &store.du(None).unwrap()[0];
    about(usage.rows, rows);
    assert_eq!((usage.tablets, usage.table.as_str()), (2, "t"));
    assert!(usage.file_bytes > 0 && usage.bytes > usage.rows * 20);
}

#[test]
fn iterators_run_in_their_scopes() {
    let store = memory();
    let grep = || IteratorSetting::new("grep", 30, "GrepIterator").with_option("term", "keep");
    let table_with = |name: &str, scope| {
        let settings = TableSettings { iterators: vec![(scope, grep())], ..TableSettings::default() };
        let t = store.create_table(name, settings).unwrap();
        write(&t, [put("a", "f:x", "keep me"), put("b", "f:x", "not me")]);
        t
    };
    let scanned = table_with("scanned", IteratorScope::Scan);
    let compacted = table_with("compacted", IteratorScope::MajorCompaction);
    assert_eq!(all(&scanned), ["a f:x=keep me"]);
    assert_eq!(all(&compacted).len(), 2);
    store.compact(None).unwrap();
    assert_eq!(all(&compacted), ["a f:x=keep me"]);
    let joined = table_with("joined", IteratorScope::MinorCompaction);
    // The last flush makes one epoch too many, and all of about one size are joined.
    for _ in 0..8 {
        write(&joined, [put("c", "f:x", "not me"), put("d", "f:x", "keep me")]);
        store.flush(Some("joined")).unwrap();
    }
    assert_eq!(all(&joined), ["a f:x=keep me", "d f:x=keep me"]);
    store.alter_table("scanned", TableSettings::default()).unwrap();
    assert_eq!(all(&scanned).len(), 2, "a scan changes nothing");
    let spec = ScanSpec { iterators: vec![grep()], ..ScanSpec::default() };
    assert_eq!(lines(&scanned, &spec), ["a f:x=keep me"]);
    let unknown = vec![(IteratorScope::Scan, IteratorSetting::new("x", 30, "NoSuchIterator"))];
    let refused = store.create_table("bad", TableSettings { iterators: unknown, ..TableSettings::default() });
    assert!(refused.unwrap_err().to_string().contains("NoSuchIterator"));
}

#[test]
fn a_compaction_applies_the_settings_of_its_time() {
    let (options, clock) = options();
    let store = TabletStore::in_memory(options).unwrap();
    let settings = TableSettings { max_versions: 2, ttl_ms: Some(100), ..TableSettings::default() };
    let t = store.create_table("t", settings).unwrap();
    for value in ["1", "2", "3"] {
        write(&t, [put("a", "f:x", value)]);
    }
    let every = ScanSpec { max_versions: 99, ..ScanSpec::default() };
    assert_eq!(lines(&t, &every), ["a f:x=3 f:x=2 f:x=1"]);
    store.compact(None).unwrap();
    assert_eq!(lines(&t, &every), ["a f:x=3 f:x=2"]);
    clock.advance(101);
    assert_eq!(lines(&t, &every).len(), 1, "only a scan that asks for it lets cells expire before");
    store.compact(None).unwrap();
    assert!(lines(&t, &every).is_empty());
}
