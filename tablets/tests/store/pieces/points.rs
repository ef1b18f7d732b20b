//! Single rows come together, as many of a segment as are wanted.

use ostracon_data::{Mutation, RowBuffer, RowRange, RowRanges};
use ostracon_tablets::{Piece, ScanSpec, Scanner, StatementOptions, Table};

use super::{native, number, pieces, ten_thousand};

fn points(rows: impl IntoIterator<Item = u16>) -> ScanSpec {
    let points = rows.into_iter().map(|row| RowRange::point(number(row)));
    ScanSpec { ranges: RowRanges::Set(points.collect()), ..ScanSpec::default() }
}

/// How many rows each piece has; 0 for one that is not read by column.
fn sizes(table: &Table, spec: &ScanSpec, limit: usize) -> Vec<usize> {
    let mut scanner = Scanner::new(&table.version().unwrap(), spec).unwrap();
    let mut sizes = Vec::new();
    loop {
        match scanner.next_piece(limit, &mut RowBuffer::new()).unwrap() {
            Piece::End => return sizes,
            Piece::Row => sizes.push(0),
            Piece::Hits(hits) => sizes.push(hits.len()),
        }
    }
}

fn change(table: &Table, row: u16) {
    let mut mutation = Mutation::new(number(row));
    mutation.put("f", "n", "", native(-1));
    let mut statement = table.statement(StatementOptions::default()).unwrap();
    statement.write(mutation).unwrap();
    statement.commit().unwrap();
}

#[test]
fn points_of_a_segment_come_together() {
    let (_store, table) = ten_thousand();
    // Rows from 10,000 on are not there.
    let spec = points((0..12_000).step_by(3));
    let (rows, by_column, metrics) = pieces(&table, &spec, 20_000);
    assert_eq!((rows.len(), by_column), (3334, 3334));
    assert_eq!((metrics.rows_read, metrics.rows_returned), (3334, 3334));
    let sizes_of = |limit| sizes(&table, &spec, limit);
    assert_eq!(sizes_of(20_000).len() as u64, metrics.segments_read);
    assert!(sizes_of(100).iter().all(|size| *size <= 100));
    assert_eq!(sizes_of(100).iter().sum::<usize>(), 3334);
}

#[test]
fn a_changed_row_between_points_cuts_them() {
    let (_store, table) = ten_thousand();
    change(&table, 61);
    assert_eq!(sizes(&table, &points([10, 20, 60, 62, 90]), 100), [3, 2]);
    change(&table, 62);
    assert_eq!(sizes(&table, &points([10, 20, 60, 62, 90]), 100), [3, 0, 1]);
    let (rows, _, metrics) = pieces(&table, &points([10, 20, 60, 62, 90]), 100);
    let found: Vec<&[u8]> = rows.iter().map(|row| row.0.as_slice()).collect();
    assert_eq!(found, [10, 20, 60, 62, 90].map(number));
    assert_eq!(metrics.segments_read, 1);
}

#[test]
fn a_limit_holds_among_points() {
    let (_store, table) = ten_thousand();
    let spec = ScanSpec { limit: Some(5), ..points((0..100).step_by(2)) };
    assert_eq!(sizes(&table, &spec, 3), [3, 2]);
    assert_eq!(sizes(&table, &spec, 100), [5]);
}
