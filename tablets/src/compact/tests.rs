//! Which segments a compaction rewrites, and what it leaves.

use std::sync::Arc;

use ostracon_data::{ErasedColumns, Mutation, RowBuffer};
use ostracon_iterators::{IteratorScope, IteratorSetting};

use crate::clock::ManualClock;
use crate::{
    Durability, ScanSpec, Scanner, StatementOptions, StoreOptions, Table, TableSettings, TabletStore,
};

struct Fixture {
    store: TabletStore,
    table: Table,
    clock: Arc<ManualClock>,
}

impl Fixture {
    /// Segments of ten rows.
    fn new(settings: TableSettings) -> Self {
        let clock = Arc::new(ManualClock::new(1000));
        let options = StoreOptions {
            segment_rows: 10,
            durability: Durability::None,
            clock: clock.clone(),
            ..StoreOptions::default()
        };
        let store = TabletStore::in_memory(options).unwrap();
        let table = store.create_table("t", settings).unwrap();
        Self { store, table, clock }
    }

    fn write(&self, rows: impl IntoIterator<Item = u32>, value: &str) {
        self.change(rows, |mutation| {
            mutation.put("f", "q", "", value);
        });
    }

    fn change(&self, rows: impl IntoIterator<Item = u32>, change: impl Fn(&mut Mutation)) {
        let mut statement = self.table.statement(StatementOptions::default()).unwrap();
        for row in rows {
            let mut mutation = Mutation::new(format!("{row:04}"));
            change(&mut mutation);
            statement.write(mutation).unwrap();
        }
        statement.commit().unwrap();
    }

    fn compact(&self) -> Vec<u64> {
        self.store.compact(None).unwrap();
        assert!(self.store.check().unwrap().is_clean(), "{:?}", self.store.check());
        self.segments()
    }

    /// The segments' numbers, in row order.
    fn segments(&self) -> Vec<u64> {
        let directory = self.table.state.directory();
        assert!(directory.runs().count() <= 1);
        directory.runs().flat_map(|run| run.segments().iter().map(|segment| segment.id)).collect()
    }

    fn rows(&self) -> usize {
        let mut scanner = Scanner::new(&self.table.version().unwrap(), &ScanSpec::default()).unwrap();
        let mut row = RowBuffer::new();
        let mut rows = 0;
        while scanner.next_row(&mut row).unwrap() {
            rows += 1;
        }
        rows
    }
}

#[test]
fn segments_that_nothing_touches_stay() {
    let f = Fixture::new(TableSettings::default());
    f.write(0..50, "old");
    assert_eq!(f.compact(), [1, 2, 3, 4, 5]);
    assert_eq!(f.compact(), [1, 2, 3, 4, 5], "nothing to do");
    f.write([23], "new");
    assert_eq!(f.compact(), [1, 2, 6, 4, 5]);
    // After the last row, and between two segments.
    f.write([50, 51], "new");
    assert_eq!(f.compact(), [1, 2, 6, 4, 5, 7]);
    f.write([52], "new");
    assert_eq!(f.compact(), [1, 2, 6, 4, 5, 8], "a small segment grows");
    assert_eq!(f.rows(), 53);
}

#[test]
fn deleted_rows_leave_the_disk() {
    let f = Fixture::new(TableSettings::default());
    f.write(0..50, "value");
    f.compact();
    let before = f.store.du(None).unwrap().remove(0);
    f.change(10..40, |mutation| {
        mutation.erase(ErasedColumns::Row, None);
    });
    assert_eq!(f.compact(), [1, 5]);
    let report = f.store.check().unwrap();
    assert_eq!((report.segment_rows, report.fragments), (20, 0));
    let after = f.store.du(None).unwrap().remove(0);
    assert!(after.bytes * 2 < before.bytes && after.segments == 2, "{before:?}, {after:?}");
    f.change(0..50, |mutation| {
        mutation.erase(ErasedColumns::Row, None);
    });
    assert_eq!(f.compact(), [0; 0]);
    assert_eq!(f.store.check().unwrap().segments, 0);
}

#[test]
fn small_neighbours_are_joined() {
    let f = Fixture::new(TableSettings::default());
    f.write(0..40, "value");
    f.compact();
    f.change((12..20).chain(22..30), |mutation| {
        mutation.erase(ErasedColumns::Row, None);
    });
    assert_eq!(f.compact(), [1, 5, 4], "what two segments have left makes one");
    assert_eq!(f.rows(), 24);
}

#[test]
fn expired_cells_leave_the_disk() {
    let f = Fixture::new(TableSettings { ttl_ms: Some(100), ..TableSettings::default() });
    f.write(0..20, "old");
    f.clock.advance(50);
    f.write(20..40, "newer");
    assert_eq!(f.compact(), [1, 2, 3, 4]);
    f.clock.advance(51);
    assert_eq!(f.compact(), [3, 4]);
    f.clock.advance(50);
    assert_eq!(f.compact(), [0; 0]);
}

#[test]
fn versions_beyond_the_settings_leave_the_disk() {
    let f = Fixture::new(TableSettings { max_versions: 3, ..TableSettings::default() });
    f.write(0..20, "1");
    f.write(0..5, "2");
    f.write(0..5, "3");
    assert_eq!(f.compact(), [1, 2]);
    assert_eq!(f.store.check().unwrap().cells, 30);
    let settings = TableSettings { max_versions: 2, ..TableSettings::default() };
    f.store.alter_table("t", settings).unwrap();
    assert_eq!(f.compact(), [3, 2], "only where there may be more");
    assert_eq!(f.store.check().unwrap().cells, 25);
}

#[test]
fn iterators_see_every_row() {
    let f = Fixture::new(TableSettings::default());
    f.write(0..20, "keep");
    f.write(20..40, "drop");
    assert_eq!(f.compact(), [1, 2, 3, 4]);
    let grep = IteratorSetting::new("grep", 30, "GrepIterator").with_option("term", "keep");
    let iterators = vec![(IteratorScope::MajorCompaction, grep)];
    f.store.alter_table("t", TableSettings { iterators, ..TableSettings::default() }).unwrap();
    assert_eq!(f.compact(), [5, 6]);
    assert_eq!(f.rows(), 20);
}

#[test]
fn readers_keep_the_segments_they_read() {
    let f = Fixture::new(TableSettings::default());
    f.write(0..20, "old");
    f.compact();
    let version = f.table.version().unwrap();
    f.write(0..5, "new");
    assert_eq!(f.compact(), [3, 2]);
    let mut scanner = Scanner::new(&version, &ScanSpec::default()).unwrap();
    let mut row = RowBuffer::new();
    while scanner.next_row(&mut row).unwrap() {
        assert_eq!(row.find(b"f", b"q").map(|cell| cell.value), Some(&b"old"[..]));
    }
    let held =
        f.store.inner.engine.large(&crate::keys::segment_key(f.table.id(), 1), crate::engine::Access::Point);
    assert!(held.unwrap().is_some());
    drop((scanner, version));
    let gone =
        f.store.inner.engine.large(&crate::keys::segment_key(f.table.id(), 1), crate::engine::Access::Point);
    assert!(gone.unwrap().is_none());
}

#[test]
fn a_segment_is_opened_once_a_scan_and_only_if_needed() {
    let f = Fixture::new(TableSettings::default());
    f.write(0..50, "value");
    f.compact();
    f.write([12, 14, 33], "newer");
    for reverse in [false, true] {
        let scanned = |from: &str, to: &str| {
            let ranges = ostracon_data::RowRange::new(from.as_bytes(), Some(to.as_bytes().to_vec())).into();
            let spec = ScanSpec { ranges, reverse, ..ScanSpec::default() };
            let mut scanner = Scanner::new(&f.table.version().unwrap(), &spec).unwrap();
            let mut row = RowBuffer::new();
            while scanner.next_row(&mut row).unwrap() {}
            let metrics = scanner.metrics();
            (metrics.segments_read, metrics.rows_read, metrics.cells_read)
        };
        assert_eq!(scanned("", "9"), (5, 50, 53));
        assert_eq!(scanned("0010", "0020"), (1, 10, 12));
        assert_eq!(scanned("0012", "0013"), (1, 1, 2));
        assert_eq!(scanned("0019", "0031"), (3, 12, 12));
        assert_eq!(scanned("0050", "0060"), (0, 0, 0));
    }
}
