//! Stores that earlier programs wrote.

use ostracon_data::RowBuffer;

use crate::{Durability, ScanSpec, Scanner, StoreOptions, TabletStore};

/// The keys and values of a store of format 1 as it was before there were segments: one table with one row.
fn old_store(path: &std::path::Path) {
    let mut options = rocksdb::Options::default();
    options.create_if_missing(true);
    let db = rocksdb::DB::open(&options, path).unwrap();
    db.put(b"\x00f", [0, 0, 0, 1]).unwrap();
    db.put(b"\x00ht", 2u64.to_be_bytes()).unwrap();
    db.put(b"\x00hs", 9u64.to_be_bytes()).unwrap();
    let directory = [1, 1, b't', 1, 0, 0, 0, 0, 1, 1, 1, 30, 2];
    db.put([&b"\x00t"[..], &[0, 0, 0, 1]].concat(), directory).unwrap();
    let fragment = [1, 0, 0, 0, 0, 0, 0, 0, 0x03, 0xE8, 0, 0x18, 1, b'f', 1, b'q', 1, b'v'];
    let mut key = vec![1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0];
    key.extend_from_slice(b"row\x00\x01");
    key.extend_from_slice(&[0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFA, 0xFF, 0xFF, 0xFF, 0xFF]);
    db.put(key, fragment).unwrap();
    db.flush().unwrap();
}

#[test]
fn a_store_without_segments_is_opened_and_gets_them() {
    let folder = tempfile::tempdir().unwrap();
    old_store(folder.path());
    let open = || {
        let options = StoreOptions { create: false, durability: Durability::Log, ..StoreOptions::default() };
        TabletStore::open(folder.path(), options).unwrap()
    };
    let value = |store: &TabletStore| {
        let version = store.table("t").unwrap().version().unwrap();
        let mut scanner = Scanner::new(&version, &ScanSpec::default()).unwrap();
        let mut row = RowBuffer::new();
        assert!(scanner.next_row(&mut row).unwrap());
        row.find(b"f", b"q").map(|cell| (cell.value.to_vec(), cell.timestamp))
    };
    let expected = Some((b"v".to_vec(), 1000));
    let store = open();
    assert_eq!(value(&store), expected);
    drop(store);
    let store = open();
    store.compact(None).unwrap();
    assert_eq!(value(&store), expected);
    assert_eq!(store.du(None).unwrap()[0].segments, 1);
    drop(store);
    let store = open();
    assert_eq!(value(&store), expected);
    let report = store.check().unwrap();
    assert!(report.is_clean(), "{:?}", report.problems);
    assert_eq!((report.segments, report.fragments), (1, 0));
}
