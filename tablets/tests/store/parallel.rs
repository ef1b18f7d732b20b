//! The parallel scan: complete, bounded, and quick to stop.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use ostracon_compare::{CompareOp, Encoding, PrimitiveType, Scalar};
use ostracon_data::{RowBuffer, RowRange, RowRanges};
use ostracon_iterators::{OnBadValue, Operand, OperandSource, RowFilterSpec, RowPredicate};
use ostracon_tablets::{
    BatchScanner, ColumnFilter, ColumnSelection, Error, ScanSpec, Scanner, Table, TabletStore,
};

use crate::harness::{lines, memory, put, table, write};

const ROWS: usize = 3000;

fn filled(store: &TabletStore) -> Table {
    let t = table(store);
    write(&t, (0..ROWS).map(|row| put(&format!("{row:04}"), "f:n", &row.to_string())));
    store.split("t", vec![b"0500".to_vec(), b"1000".to_vec(), b"2500".to_vec()]).unwrap();
    store.flush(None).unwrap();
    t
}

fn rows(mut scanner: BatchScanner) -> Vec<Vec<u8>> {
    let mut rows = Vec::new();
    while let Some(batch) = scanner.next_batch().unwrap() {
        rows.extend(batch.iter().map(|row| row.row().to_vec()));
    }
    rows
}

/// `n < below`, where `n` is stored as text.
fn filter(below: i64, on_bad_value: OnBadValue) -> RowFilterSpec {
    let operand = Operand {
        name: "n".to_owned(),
        source: OperandSource::Cell { family: b"f".to_vec(), qualifier: b"n".to_vec() },
        ty: PrimitiveType::Int64,
        encoding: Encoding::String,
        null_sequence: None,
    };
    let predicate =
        RowPredicate::Compare { operand: 0, op: CompareOp::LessThan, constant: Scalar::Int(below) };
    RowFilterSpec { operands: vec![operand], predicate, on_bad_value }
}

#[test]
fn every_row_comes_once() {
    let store = memory();
    let t = filled(&store);
    let version = t.version().unwrap();
    for threads in [1, 2, 7] {
        let spec = ScanSpec { batch_rows: 100, ..ScanSpec::default() };
        let found = rows(BatchScanner::new(&version, &spec, threads).unwrap());
        assert_eq!(found.len(), ROWS);
        assert_eq!(found.into_iter().collect::<BTreeSet<_>>().len(), ROWS);
    }
    let points = (0..ROWS).step_by(3).map(|row| RowRange::point(format!("{row:04}"))).collect();
    let spec = ScanSpec { ranges: RowRanges::from_ranges(points), ..ScanSpec::default() };
    let mut scanner = BatchScanner::new(&version, &spec, 3).unwrap();
    let mut count = 0;
    while scanner.next_row(&mut RowBuffer::new()).unwrap() {
        count += 1;
    }
    assert_eq!(count, ROWS / 3);
    let metrics = scanner.metrics();
    assert_eq!((metrics.rows_read, metrics.rows_returned), (1000, 1000));
    let limited = ScanSpec { limit: Some(17), batch_rows: 5, ..ScanSpec::default() };
    assert_eq!(rows(BatchScanner::new(&version, &limited, 2).unwrap()).len(), 17);
    let nothing = ScanSpec { ranges: RowRanges::none(), ..ScanSpec::default() };
    assert!(rows(BatchScanner::new(&version, &nothing, 2).unwrap()).is_empty());
}

#[test]
fn a_filter_runs_before_rows_are_handed_out_and_may_use_what_is_not_projected() {
    let store = memory();
    let t = filled(&store);
    write(&t, [put("0001", "f:other", "o")]);
    let spec = ScanSpec {
        filter: Some(filter(2, OnBadValue::Error)),
        projection: ColumnSelection::Columns(vec![ColumnFilter::exact("f", "other")]),
        ..ScanSpec::default()
    };
    assert_eq!(lines(&t, &spec), ["0000", "0001 f:other=o"]);
    let mut scanner = Scanner::new(&t.version().unwrap(), &spec).unwrap();
    while scanner.next_row(&mut RowBuffer::new()).unwrap() {}
    assert_eq!((scanner.metrics().rows_read, scanner.metrics().rows_returned), (ROWS as u64, 2));
}

#[test]
fn the_first_error_ends_the_scan() {
    let store = memory();
    let t = filled(&store);
    write(&t, [put("2000", "f:n", "not a number")]);
    let version = t.version().unwrap();
    let spec = ScanSpec { filter: Some(filter(5, OnBadValue::Error)), ..ScanSpec::default() };
    let mut scanner = BatchScanner::new(&version, &spec, 2).unwrap();
    let error = loop {
        match scanner.next_batch() {
            Ok(Some(_)) => {}
            Ok(None) => panic!("the bad value was not seen"),
            Err(error) => break error,
        }
    };
    assert!(matches!(error, Error::Iterator(_)), "{error}");
    assert!(error.to_string().contains("2000"), "{error}");
    assert!(scanner.next_batch().unwrap().is_none());
    let skipping = ScanSpec { filter: Some(filter(5, OnBadValue::SkipRow)), ..spec };
    assert_eq!(lines(&t, &skipping).len(), 5);
}

#[test]
fn a_dropped_or_cancelled_scan_stops() {
    let store = memory();
    let t = filled(&store);
    let version = t.version().unwrap();
    // Batches of one row fill the channel at once, so the workers wait for room.
    let spec = ScanSpec { batch_rows: 1, ..ScanSpec::default() };
    let mut scanner = BatchScanner::new(&version, &spec, 3).unwrap();
    assert!(scanner.next_batch().unwrap().is_some());
    drop(scanner);
    let flag = Arc::new(AtomicBool::new(false));
    let mut scanner = Scanner::new(&version, &spec).unwrap().cancelled_by(flag.clone());
    let mut row = RowBuffer::new();
    assert!(scanner.next_row(&mut row).unwrap());
    flag.store(true, Ordering::SeqCst);
    assert!(matches!(scanner.next_row(&mut row), Err(Error::Cancelled)));
    assert!(!scanner.next_row(&mut row).unwrap(), "it stays over");
}
