//! Reads of single rows: what they cost, and that a failure is not the end of the reader.

use ostracon_compare::{CompareOp, Encoding, PrimitiveType, Scalar};
use ostracon_data::{RowBuffer, RowRange, RowRanges};
use ostracon_iterators::{
    IteratorScope, IteratorSetting, OnBadValue, Operand, OperandSource, RowFilterSpec, RowPredicate,
};
use ostracon_tablets::{Error, PointReader, ScanSpec, Scanner, Table, TableSettings, TabletStore};

use crate::harness::{memory, put, table, write};

fn id(row: usize) -> String {
    format!("{row:04}")
}

/// A thousand rows, the even ones written again after a flush: two epochs.
fn filled(store: &TabletStore) -> Table {
    let t = table(store);
    write(&t, (0..1000).map(|row| put(&id(row), "f:n", &row.to_string())));
    store.flush(None).unwrap();
    write(&t, (0..1000).step_by(2).map(|row| put(&id(row), "f:m", "new")));
    t
}

fn reader(table: &Table) -> PointReader {
    PointReader::new(&table.version().unwrap(), &ScanSpec::default()).unwrap()
}

/// `n <> not`, where `n` is stored as text.
fn n_is_not(not: i64) -> RowFilterSpec {
    let operand = Operand {
        name: "n".to_owned(),
        source: OperandSource::Cell { family: b"f".to_vec(), qualifier: b"n".to_vec() },
        ty: PrimitiveType::Int64,
        encoding: Encoding::String,
        null_sequence: None,
    };
    let predicate = RowPredicate::Compare { operand: 0, op: CompareOp::NotEqual, constant: Scalar::Int(not) };
    RowFilterSpec { operands: vec![operand], predicate, on_bad_value: OnBadValue::Error }
}

/// The seeks of a list of points, as a scan and as a multi_get, which agree.
fn seeks(table: &Table, rows: impl Iterator<Item = usize> + Clone) -> u64 {
    let asked: Vec<String> = rows.map(id).collect();
    let points = asked.iter().map(|row| RowRange::point(row.as_str())).collect();
    let spec = ScanSpec { ranges: RowRanges::from_ranges(points), ..ScanSpec::default() };
    let mut scanner = Scanner::new(&table.version().unwrap(), &spec).unwrap();
    let mut count = 0;
    while scanner.next_row(&mut RowBuffer::new()).unwrap() {
        count += 1;
    }
    let mut reader = reader(table);
    let mut found = Vec::new();
    let mut note = |position: usize, row: &RowBuffer| {
        assert_eq!(row.row(), asked[position].as_bytes());
        found.push(position);
        Ok::<_, Error>(())
    };
    reader.multi_get(&asked, &mut note).unwrap();
    assert_eq!(found, (0..asked.len()).collect::<Vec<_>>());
    assert_eq!(reader.metrics(), scanner.metrics());
    assert_eq!((count, reader.metrics().rows_returned), (asked.len(), asked.len() as u64));
    reader.metrics().seeks
}

#[test]
fn neighbours_cost_one_seek_and_clusters_one_each() {
    let store = memory();
    let t = filled(&store);
    assert_eq!(seeks(&t, 100..400), 2, "one an epoch");
    assert_eq!(seeks(&t, (100..200).chain(500..600).chain(950..1000)), 6);
    // The newer epoch, without odd rows, stands at the next even one already.
    assert_eq!(seeks(&t, (101..400).step_by(50)), 6 + 6);
    store.compact(None).unwrap();
    assert_eq!(seeks(&t, 100..400), 0, "a segment needs none");
}

#[test]
fn rows_may_be_asked_for_in_any_order_and_again() {
    let store = memory();
    let t = filled(&store);
    let mut reader = reader(&t);
    let mut row = RowBuffer::new();
    for asked in [500, 3, 3, 999, 0, 1, 2, 2, 1, 998] {
        assert!(reader.get(id(asked).as_bytes(), &mut row).unwrap());
        assert_eq!((row.row(), row.len()), (id(asked).as_bytes(), 2 - asked % 2), "{asked}");
    }
    assert!(!reader.get(b"nowhere", &mut row).unwrap());
    assert!(row.is_empty() && row.row().is_empty());
    let mut found = Vec::new();
    let asked = ["0003", "absent", "0001", "0003", ""];
    reader
        .multi_get(&asked, |position, row| {
            found.push((position, row.row().to_vec()));
            Ok::<_, Error>(())
        })
        .unwrap();
    assert_eq!(found, [(2, b"0001".to_vec()), (0, b"0003".to_vec()), (3, b"0003".to_vec())]);
    reader.multi_get(&[""; 0], |_, _| Err(Error::Cancelled)).unwrap();
}

#[test]
fn a_reader_sees_its_version() {
    let store = memory();
    let t = filled(&store);
    let mut reader = reader(&t);
    write(&t, [put("0001", "f:z", "later"), put("later", "f:z", "later")]);
    let mut row = RowBuffer::new();
    assert!(reader.get(b"0001", &mut row).unwrap());
    assert!(row.find(b"f", b"z").is_none());
    assert!(!reader.get(b"later", &mut row).unwrap());
    store.truncate("t").unwrap();
    store.drop_table("t").unwrap();
    assert!(reader.get(b"0999", &mut row).unwrap());
}

#[test]
fn versions_are_one_state_until_something_happens() {
    let store = memory();
    let t = filled(&store);
    let first = t.version().unwrap();
    assert!(first.is_same_state(&t.version().unwrap()));
    write(&t, [put("0001", "f:z", "later")]);
    let second = t.version().unwrap();
    assert!(!first.is_same_state(&second) && second.is_same_state(&t.version().unwrap()));
    store.flush(None).unwrap();
    assert!(!second.is_same_state(&t.version().unwrap()));
    let other = store.create_table("other", TableSettings::default()).unwrap();
    assert!(!t.version().unwrap().is_same_state(&other.version().unwrap()));
}

#[test]
fn a_failure_is_not_the_end() {
    let store = memory();
    let t = filled(&store);
    write(&t, [put("0500", "f:n", "no number")]);
    let spec = ScanSpec { filter: Some(n_is_not(400)), ..ScanSpec::default() };
    let mut reader = PointReader::new(&t.version().unwrap(), &spec).unwrap();
    let mut row = RowBuffer::new();
    assert!(reader.get(b"0499", &mut row).unwrap());
    assert!(reader.get(b"0500", &mut row).is_err());
    assert!(row.is_empty());
    assert!(reader.get(b"0501", &mut row).unwrap());
    assert!(!reader.get(b"0400", &mut row).unwrap(), "the filter holds");
    assert!(reader.multi_get(&["0499", "0500"], |_, _| Ok::<_, Error>(())).is_err());
    assert!(reader.multi_get(&["0499"], |_, _| Err(Error::Cancelled)).is_err(), "what the caller says");
    assert!(reader.get(b"0499", &mut row).unwrap());
}

#[test]
fn a_scan_that_reads_too_much_ends() {
    let store = memory();
    let t = filled(&store);
    let filter = ScanSpec { filter: Some(n_is_not(-1)), ..ScanSpec::default() };
    for spec in [ScanSpec::default(), filter] {
        let mut scanner = Scanner::seekable(&t.version().unwrap(), &spec).unwrap();
        scanner.set_byte_limit(Some(10_000));
        for _ in 0..2 {
            scanner.seek(&RowRanges::All).unwrap();
            let mut rows = 0;
            let error = loop {
                match scanner.next_row(&mut RowBuffer::new()) {
                    Ok(true) => rows += 1,
                    Ok(false) => panic!("it read to the end"),
                    Err(error) => break error,
                }
            };
            assert!(matches!(error, Error::ReadLimit { limit: 10_000 }), "{error}");
            assert!((50..200).contains(&rows), "{rows}");
            scanner.seek(&RowRanges::point("0500")).unwrap();
            assert!(scanner.next_row(&mut RowBuffer::new()).unwrap());
            assert!(!scanner.next_row(&mut RowBuffer::new()).unwrap());
        }
        scanner.set_byte_limit(None);
        scanner.seek(&RowRanges::All).unwrap();
        let mut rows = 0;
        while scanner.next_row(&mut RowBuffer::new()).unwrap() {
            rows += 1;
        }
        assert_eq!(rows, 1000);
    }
}

#[test]
fn iterators_of_the_table_run() {
    let store = memory();
    let setting = IteratorSetting::new("grep", 30, "GrepIterator").with_option("term", "9");
    let iterators = vec![(IteratorScope::Scan, setting)];
    let t = store.create_table("t", TableSettings { iterators, ..TableSettings::default() }).unwrap();
    write(&t, (0..10).map(|row| put(&id(row), "f:n", &format!("v{row}"))));
    let mut reader = reader(&t);
    let mut row = RowBuffer::new();
    assert!(!reader.get(b"0001", &mut row).unwrap());
    assert!(reader.get(b"0009", &mut row).unwrap());
    let asked: Vec<String> = (0..10).rev().map(id).collect();
    let mut found = Vec::new();
    let note = |position, _: &RowBuffer| {
        found.push(position);
        Ok::<_, Error>(())
    };
    reader.multi_get(&asked, note).unwrap();
    assert_eq!(found, [0]);
}

#[test]
fn a_scan_that_was_not_made_for_it_cannot_be_sent_elsewhere() {
    let store = memory();
    let t = filled(&store);
    let mut scanner = Scanner::new(&t.version().unwrap(), &ScanSpec::default()).unwrap();
    assert!(matches!(scanner.seek(&RowRanges::All), Err(Error::Invalid { .. })));
}
