//! Segments whose summaries are taken in place of their rows.

use ostracon_compare::CompareOp;
use ostracon_data::{Authorizations, Mutation, RowBuffer, RowRange, RowRanges};
use ostracon_segment::SegmentSummary;
use ostracon_tablets::{
    ColumnFilter, ColumnSelection, Piece, ScanMetrics, ScanSpec, Scanner, StatementOptions, Table,
};

use super::{native, number, ten_thousand, where_number};

/// How many rows come in pieces, and how many in segments that are taken by their summaries.
pub(super) fn counted(table: &Table, spec: &ScanSpec, limit: usize) -> (u64, u64, ScanMetrics) {
    let mut scanner = Scanner::new(&table.version().unwrap(), spec).unwrap();
    let (mut rows, mut told) = (0, 0);
    let mut buffer = RowBuffer::new();
    loop {
        let mut take = |summary: &SegmentSummary| {
            told += u64::from(summary.rows);
            true
        };
        match scanner.next_piece_or_summary(limit, &mut buffer, &mut take).unwrap() {
            Piece::End => return (rows, told, scanner.metrics()),
            Piece::Row => rows += 1,
            Piece::Hits(hits) => rows += hits.len() as u64,
        }
    }
}

/// A commit of one put.
fn put(table: &Table, mutation: Mutation) {
    let mut statement = table.statement(StatementOptions::default()).unwrap();
    statement.write(mutation).unwrap();
    statement.commit().unwrap();
}

#[test]
fn whole_segments_are_taken_by_their_summaries() {
    let (store, table) = ten_thousand();
    let (rows, told, metrics) = counted(&table, &ScanSpec::default(), 5000);
    assert_eq!((rows, told), (0, 10_000));
    assert_eq!((metrics.segments_read, metrics.bytes_read), (0, 0), "{metrics:?}");
    assert_eq!((metrics.rows_read, metrics.rows_returned), (10_000, 10_000));
    let segments = metrics.segments_summarized;
    assert!(segments > 2, "{metrics:?}");

    let range = RowRange::new(number(1), Some(number(9_999)));
    let part = ScanSpec { ranges: RowRanges::from_ranges(vec![range]), ..ScanSpec::default() };
    for reverse in [false, true] {
        let (rows, told, metrics) = counted(&table, &ScanSpec { reverse, ..part.clone() }, 5000);
        assert_eq!((rows + told, metrics.segments_read), (9_998, 2), "{metrics:?}");
        assert_eq!(metrics.segments_summarized, segments - 2);
    }

    // Of the segments in which some rows pass the filter and some do not, the summary does not tell which.
    let (rows, told, metrics) = counted(&table, &where_number(CompareOp::LessThan, 999), 5000);
    assert_eq!((rows + told, metrics.segments_read), (9_990, 1), "{metrics:?}");
    let (rows, told, _) = counted(&table, &where_number(CompareOp::LessThan, 1_000), 5000);
    assert_eq!((rows, told), (0, 10_000));

    let mut mutation = Mutation::new(number(5000));
    mutation.put("f", "n", "", native(-1));
    put(&table, mutation);
    let (rows, told, metrics) = counted(&table, &ScanSpec::default(), 5000);
    assert_eq!((rows + told, metrics.segments_read, metrics.segments_summarized), (10_000, 1, segments - 1));
    drop(store);
}

#[test]
fn summaries_are_shown_only_where_they_speak_of_what_the_scan_sees() {
    let (store, table) = ten_thousand();
    let limited = ScanSpec { limit: Some(9_000), ..ScanSpec::default() };
    let (rows, told, _) = counted(&table, &limited, 5000);
    assert_eq!((rows, told), (9_000, 0));

    // No row of this table has a cell of another column: none exists for who maps only that.
    let columns = ColumnSelection::Columns(vec![ColumnFilter::exact("f", "other")]);
    let (rows, told, _) = counted(&table, &ScanSpec { columns, ..ScanSpec::default() }, 5000);
    assert_eq!((rows, told), (0, 0));

    let mut secret = Mutation::new(number(20_000));
    secret.put("f", "n", "secret", native(7));
    put(&table, secret);
    store.compact(None).unwrap();
    let (rows, told, metrics) = counted(&table, &ScanSpec::default(), 5000);
    assert_eq!((rows + told, metrics.segments_read), (10_000, 1), "{metrics:?}");
    let authorizations = Authorizations::new(["secret"]);
    let (rows, told, _) = counted(&table, &ScanSpec { authorizations, ..ScanSpec::default() }, 5000);
    assert_eq!((rows, told), (0, 10_001));

    // The clock of the test stands at 1000.
    let expired = ScanSpec { ttl_ms: Some(10), now_ms: 5_000, ..ScanSpec::default() };
    let (rows, told, _) = counted(&table, &expired, 5000);
    assert_eq!((rows, told), (0, 0));
}

#[test]
fn summaries_that_are_not_taken_are_read_in_order() {
    let (_store, table) = ten_thousand();
    let mut scanner = Scanner::new(&table.version().unwrap(), &ScanSpec::default()).unwrap();
    let mut buffer = RowBuffer::new();
    let (mut shown, mut next) = (0, 0);
    loop {
        let mut take = |summary: &SegmentSummary| {
            shown += 1;
            if shown % 2 == 0 {
                assert_eq!(summary.first_row, number(next));
                next += summary.rows as u16;
            }
            shown % 2 == 0
        };
        match scanner.next_piece_or_summary(20_000, &mut buffer, &mut take).unwrap() {
            Piece::End => break,
            Piece::Row => panic!("no row is alone"),
            Piece::Hits(hits) => {
                let mut row = Vec::new();
                hits.segment().row_into(hits.rows()[0] as usize, &mut row).unwrap();
                assert_eq!(row, number(next));
                next += hits.len() as u16;
            }
        }
    }
    assert_eq!(next, 10_000);
}
