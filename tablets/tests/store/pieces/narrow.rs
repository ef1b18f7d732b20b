//! Scans that are narrowed while they run.

use ostracon_compare::CompareOp;
use ostracon_data::RowBuffer;
use ostracon_iterators::{RowFilterSpec, RowPredicate};
use ostracon_segment::{LocalityGroups, Scratch};
use ostracon_tablets::{ColumnFilter, ColumnSelection, Piece, ScanMetrics, ScanSpec, Scanner, Table};
use proptest::prelude::*;

use super::{
    Row, apply, change, drain, memory, owned, predicate, projected, spec, table, ten_thousand, where_number,
};

/// Rows of a scan that gets a filter before the piece of each number.
fn narrowed(table: &Table, spec: &ScanSpec, filters: &[(usize, &RowFilterSpec)]) -> (Vec<Row>, ScanMetrics) {
    let mut scanner = Scanner::new(&table.version().unwrap(), spec).unwrap();
    let (mut rows, mut buffer, mut scratch) = (Vec::new(), RowBuffer::new(), Scratch::new());
    for piece in 0.. {
        for (_, filter) in filters.iter().filter(|(at, _)| *at == piece) {
            scanner.narrow(filter).unwrap();
        }
        match scanner.next_piece(7, &mut buffer).unwrap() {
            Piece::End => break,
            Piece::Row => rows.push(owned(&buffer)),
            Piece::Hits(hits) => {
                for row in hits.rows() {
                    hits.row_into(*row, &mut scratch, &mut buffer).unwrap();
                    rows.push(owned(&buffer));
                }
            }
        }
    }
    (projected(rows, spec), scanner.metrics())
}

fn is_among(rows: &[Row], all: &[Row]) -> bool {
    let mut all = all.iter();
    rows.iter().all(|row| all.any(|other| other == row))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    #[test]
    fn only_rows_that_do_not_pass_are_left_out(
        first in proptest::collection::vec(change(), 0..300),
        then in proptest::collection::vec(change(), 0..40),
        specs in proptest::collection::vec((spec(), predicate(), predicate(), 0..4usize, 0..30usize), 1..8),
    ) {
        let store = memory();
        let table = table(&store, LocalityGroups::default());
        apply(&table, &store, &first);
        store.compact(None).unwrap();
        apply(&table, &store, &then);
        for (spec, one, other, soon, later) in specs {
            let spec = ScanSpec { limit: None, ..spec };
            let filter = |predicate: &RowPredicate| RowFilterSpec {
                operands: super::operands(),
                predicate: predicate.clone(),
                on_bad_value: ostracon_iterators::OnBadValue::Error,
            };
            let base = spec.filter.iter().map(|filter| filter.predicate.clone());
            let all = RowPredicate::And(base.chain([one.clone(), other.clone()]).collect());
            let strict = ScanSpec { filter: Some(filter(&all)), ..spec.clone() };
            let (one, other) = (filter(&one), filter(&other));
            let (found, _) = narrowed(&table, &spec, &[(soon, &one), (later, &other)]);
            let scan = |spec: &ScanSpec| drain(Scanner::new(&table.version().unwrap(), spec).unwrap());
            prop_assert!(is_among(&found, &scan(&spec)), "{:?}", spec);
            prop_assert!(is_among(&scan(&strict), &found), "{:?}", strict);
        }
    }
}

#[test]
fn segments_that_cannot_pass_any_more_are_not_opened() {
    let (_store, table) = ten_thousand();
    let narrow = |value| where_number(CompareOp::LessThan, value).filter.unwrap();
    let (rows, metrics) = narrowed(&table, &ScanSpec::default(), &[(0, &narrow(5))]);
    assert_eq!((rows.len(), metrics.segments_read), (50, 1));
    assert_eq!(metrics.segments_pruned, 2);
    // The first segment is open when the filter comes.
    let (rows, metrics) = narrowed(&table, &ScanSpec::default(), &[(1, &narrow(5))]);
    assert_eq!((metrics.segments_read, metrics.segments_pruned), (1, 2));
    assert!(rows.len() >= 50 && rows.len() < 5000);
    // A second one takes the place of the first.
    let (rows, _) = narrowed(&table, &ScanSpec::default(), &[(0, &narrow(900)), (1, &narrow(2))]);
    assert!(rows.len() < 5000, "{}", rows.len());
}

#[test]
fn what_is_not_projected_cannot_narrow() {
    let (_store, table) = ten_thousand();
    let projection = ColumnSelection::Columns(vec![ColumnFilter::exact("f", "w")]);
    let spec = ScanSpec { projection, ..ScanSpec::default() };
    let mut scanner = Scanner::new(&table.version().unwrap(), &spec).unwrap();
    let refused = scanner.narrow(&where_number(CompareOp::Equal, 1).filter.unwrap());
    assert!(refused.unwrap_err().to_string().contains("not projected"));
    assert_eq!(drain(scanner).len(), 10_000);
}
