//! The column path gives the rows that the row path gives.

mod groups;
mod narrow;
mod points;
mod summaries;

use ostracon_compare::{CompareOp, Encoding, PrimitiveType, Scalar, ScalarRef, encode};
use ostracon_data::{
    Authorizations, ColumnUpdate, Mutation, ROW_MARKER_FAMILY, RowBuffer, RowRange, RowRanges,
};
use ostracon_iterators::{OnBadValue, Operand, OperandSource, RowFilterSpec, RowPredicate};
use ostracon_segment::{GroupMember, LocalityGroups, Scratch};
use ostracon_tablets::{
    ColumnFilter, ColumnSelection, Piece, ScanMetrics, ScanSpec, Scanner, StatementOptions, Table,
    TableSettings, TabletStore,
};
use proptest::prelude::*;

use crate::harness::{Row, drain, memory, owned};
use summaries::counted;

/// Rows by the column path, `limit` at a time; and how many of them came by column.
fn pieces(table: &Table, spec: &ScanSpec, limit: usize) -> (Vec<Row>, usize, ScanMetrics) {
    let mut scanner = Scanner::new(&table.version().unwrap(), spec).unwrap();
    let (mut rows, mut by_column) = (Vec::new(), 0);
    let (mut buffer, mut scratch) = (RowBuffer::new(), Scratch::new());
    loop {
        match scanner.next_piece(limit, &mut buffer).unwrap() {
            Piece::End => return (rows, by_column, scanner.metrics()),
            Piece::Row => rows.push(owned(&buffer)),
            Piece::Hits(hits) => {
                assert!(!hits.is_empty() && hits.len() <= limit);
                by_column += hits.len();
                for row in hits.rows() {
                    hits.row_into(*row, &mut scratch, &mut buffer).unwrap();
                    rows.push(owned(&buffer));
                }
            }
        }
    }
}

/// Rows by turns: a piece, then one row.
fn by_turns(table: &Table, spec: &ScanSpec, limit: usize) -> Vec<Row> {
    let mut scanner = Scanner::new(&table.version().unwrap(), spec).unwrap();
    let (mut rows, mut buffer, mut scratch) = (Vec::new(), RowBuffer::new(), Scratch::new());
    loop {
        match scanner.next_piece(limit, &mut buffer).unwrap() {
            Piece::End => return rows,
            Piece::Row => rows.push(owned(&buffer)),
            Piece::Hits(hits) => {
                for row in hits.rows() {
                    hits.row_into(*row, &mut scratch, &mut buffer).unwrap();
                    rows.push(owned(&buffer));
                }
            }
        }
        if scanner.next_row(&mut buffer).unwrap() {
            rows.push(owned(&buffer));
        }
    }
}

/// Only the cells that a scan hands out.
fn projected(rows: Vec<Row>, spec: &ScanSpec) -> Vec<Row> {
    let keep = |row: Row| {
        let cells = row.1.into_iter().filter(|cell| spec.projection.matches(&cell.0, &cell.1));
        (row.0, cells.collect())
    };
    rows.into_iter().map(keep).collect()
}

fn native(value: i64) -> Vec<u8> {
    let mut bytes = Vec::new();
    encode(PrimitiveType::Int32, Encoding::Native, ScalarRef::Int(value), &mut bytes).unwrap();
    bytes
}

fn number(row: u16) -> Vec<u8> {
    native(i64::from(row))
}

#[derive(Debug, Clone)]
enum Change {
    Put { row: u16, number: Option<i32>, word: Option<String>, label: &'static str, replace: bool },
    Erase { row: u16 },
    Compact,
    Flush,
}

fn change() -> impl Strategy<Value = Change> {
    let word = prop_oneof![Just("a"), Just("ab"), Just("b"), Just("")].prop_map(str::to_owned);
    let label = prop_oneof![8 => Just(""), 1 => Just("secret"), 1 => Just("other")];
    let put = (0..300u16, any::<Option<i8>>(), proptest::option::of(word), label, any::<bool>()).prop_map(
        |(row, number, word, label, replace)| Change::Put {
            row,
            number: number.map(i32::from),
            word,
            label,
            replace,
        },
    );
    prop_oneof![40 => put, 6 => (0..300u16).prop_map(|row| Change::Erase { row }), 1 => Just(Change::Compact), 1 => Just(Change::Flush)]
}

fn apply(table: &Table, store: &TabletStore, changes: &[Change]) {
    for some in changes {
        let mut mutation = match some {
            Change::Compact => {
                store.compact(None).unwrap();
                continue;
            }
            Change::Flush => {
                store.flush(None).unwrap();
                continue;
            }
            Change::Put { row, .. } | Change::Erase { row } => Mutation::new(number(*row)),
        };
        if let Change::Put { number, word, label, replace, .. } = some {
            mutation.replaces_older = *replace;
            if let Some(number) = number {
                mutation.put("f", "n", *label, native((*number).into()));
            }
            if let Some(word) = word {
                mutation.put("f", "w", *label, word.as_bytes());
            }
            if number.is_none() && word.is_none() {
                mutation.put(ROW_MARKER_FAMILY, "", *label, "");
            }
        } else {
            mutation
                .updates
                .push(ColumnUpdate::Erase { columns: ostracon_data::ErasedColumns::Row, label: None });
        }
        let mut statement = table.statement(StatementOptions::default()).unwrap();
        statement.write(mutation).unwrap();
        statement.commit().unwrap();
    }
}

fn operands() -> Vec<Operand> {
    let cell = |qualifier: &str, ty| Operand {
        name: qualifier.to_owned(),
        source: OperandSource::Cell { family: b"f".to_vec(), qualifier: qualifier.into() },
        ty,
        encoding: Encoding::Native,
        null_sequence: None,
    };
    let row = Operand {
        name: "row".to_owned(),
        source: OperandSource::Row,
        ty: PrimitiveType::Int32,
        encoding: Encoding::Native,
        null_sequence: None,
    };
    vec![cell("n", PrimitiveType::Int32), cell("w", PrimitiveType::Utf8), row]
}

fn predicate() -> impl Strategy<Value = RowPredicate> {
    let op = prop_oneof![
        Just(CompareOp::Equal),
        Just(CompareOp::NotEqual),
        Just(CompareOp::LessThan),
        Just(CompareOp::GreaterThanOrEqual),
    ];
    let word = prop_oneof![Just("a"), Just("ab"), Just("c")];
    let leaf = prop_oneof![
        (op.clone(), -130..130i64).prop_map(|(op, value)| RowPredicate::Compare {
            operand: 0,
            op,
            constant: Scalar::Int(value)
        }),
        (op.clone(), 0..300i64).prop_map(|(op, value)| RowPredicate::Compare {
            operand: 2,
            op,
            constant: Scalar::Int(value)
        }),
        (op, word).prop_map(|(op, word)| RowPredicate::Compare {
            operand: 1,
            op,
            constant: Scalar::Utf8(word.into())
        }),
        (0..2usize).prop_map(|operand| RowPredicate::IsNull { operand }),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 1..3).prop_map(RowPredicate::And),
            proptest::collection::vec(inner.clone(), 1..3).prop_map(RowPredicate::Or),
            inner.prop_map(|input| RowPredicate::Not(Box::new(input))),
        ]
    })
}

fn ranges() -> impl Strategy<Value = RowRanges> {
    let one = (0..300u16, 0..150u16)
        .prop_map(|(start, len)| RowRange::new(number(start), Some(number(start.saturating_add(len)))));
    let point = (0..300u16).prop_map(|row| RowRange::point(number(row)));
    let points = (proptest::collection::vec(point, 0..60), proptest::collection::vec(one.clone(), 0..2));
    let points = points.prop_map(|(points, some)| RowRanges::from_ranges([points, some].concat()));
    let some = proptest::collection::vec(one, 0..4).prop_map(RowRanges::from_ranges);
    prop_oneof![Just(RowRanges::All), some, points]
}

fn spec() -> impl Strategy<Value = ScanSpec> {
    let column = |qualifier: &str| ColumnFilter::exact("f", qualifier);
    let mapped = prop_oneof![
        Just(ColumnSelection::All),
        Just(ColumnSelection::Columns(vec![column("n"), column("w")])),
        Just(ColumnSelection::Columns(vec![column("n")])),
    ];
    let labels = prop_oneof![Just(vec![]), Just(vec!["secret"]), Just(vec!["secret", "other"])];
    let limit = proptest::option::of(0..40u64);
    (ranges(), mapped, labels, proptest::option::of(predicate()), any::<bool>(), limit).prop_map(
        move |(ranges, columns, labels, predicate, reverse, limit)| ScanSpec {
            ranges,
            columns,
            projection: ColumnSelection::Columns(vec![column("n"), column("w")]),
            authorizations: Authorizations::new(labels),
            filter: predicate.map(|predicate| RowFilterSpec {
                operands: operands(),
                predicate,
                on_bad_value: OnBadValue::Error,
            }),
            reverse,
            limit,
            ..ScanSpec::default()
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    #[test]
    fn columns_and_rows_agree(
        first in proptest::collection::vec(change(), 0..400),
        then in proptest::collection::vec(change(), 0..40),
        specs in proptest::collection::vec(spec(), 1..12),
        limit in prop_oneof![Just(1usize), Just(7), Just(5000)],
        groups in prop::sample::select(vec![groups_of(&[]), groups_of(&[&["n"]]), groups_of(&[&["w"], &["n", "d"]])]),
    ) {
        let store = memory();
        let table = table(&store, groups);
        apply(&table, &store, &first);
        store.compact(None).unwrap();
        apply(&table, &store, &then);
        for spec in &specs {
            let wanted = drain(Scanner::new(&table.version().unwrap(), spec).unwrap());
            let (found, _, _) = pieces(&table, spec, limit);
            prop_assert_eq!(&projected(found, spec), &wanted, "{:?}", spec);
            let (rows, told, metrics) = counted(&table, spec, limit);
            prop_assert_eq!(rows + told, wanted.len() as u64, "{:?}", spec);
            prop_assert_eq!(metrics.rows_returned, wanted.len() as u64);
            prop_assert_eq!(projected(by_turns(&table, spec, limit), spec), wanted, "by turns: {:?}", spec);
        }
    }
}

/// A table whose row ids are kept as one word.
fn table(store: &TabletStore, locality_groups: LocalityGroups) -> Table {
    let settings = TableSettings { row_layout: vec![4], locality_groups, ..TableSettings::default() };
    store.create_table("t", settings).unwrap()
}

/// Groups of single columns of family f.
fn groups_of(groups: &[&[&str]]) -> LocalityGroups {
    let member = |qualifier: &&str| GroupMember {
        family: b"f".to_vec(),
        qualifier: Some(qualifier.as_bytes().to_vec()),
    };
    LocalityGroups::new(groups.iter().map(|group| group.iter().map(member).collect()).collect())
}

/// A table of rows 0..10000, compacted: number = row / 10, word by the row's last digit.
fn ten_thousand() -> (TabletStore, Table) {
    ten_thousand_in(LocalityGroups::default())
}

fn ten_thousand_in(groups: LocalityGroups) -> (TabletStore, Table) {
    let store = memory();
    let table = table(&store, groups);
    let mut statement = table.statement(StatementOptions::default()).unwrap();
    for row in 0..10_000u16 {
        let mut mutation = Mutation::new(number(row));
        mutation.put("f", "n", "", native((row / 10).into()));
        mutation.put("f", "w", "", format!("w{}", row % 10));
        statement.write(mutation).unwrap();
    }
    statement.commit().unwrap();
    store.compact(None).unwrap();
    (store, table)
}

fn where_number(op: CompareOp, value: i64) -> ScanSpec {
    let predicate = RowPredicate::Compare { operand: 0, op, constant: Scalar::Int(value) };
    let operands = operands().into_iter().take(1).collect();
    let filter = RowFilterSpec { operands, predicate, on_bad_value: OnBadValue::Error };
    ScanSpec { filter: Some(filter), ..ScanSpec::default() }
}

#[test]
fn segments_that_cannot_match_are_not_opened() {
    let (_store, table) = ten_thousand();
    let (rows, by_column, metrics) = pieces(&table, &where_number(CompareOp::Equal, 3), 5000);
    assert_eq!((rows.len(), by_column), (10, 10));
    assert_eq!(metrics.segments_read, 1);
    assert!(metrics.segments_pruned >= 1, "{metrics:?}");
    assert!(metrics.rows_read < 5000, "{metrics:?}");
    assert_eq!(metrics.rows_returned, 10);

    let (rows, _, metrics) = pieces(&table, &where_number(CompareOp::GreaterThan, 1000), 5000);
    assert_eq!((rows.len(), metrics.segments_read, metrics.rows_read), (0, 0, 0));
}

#[test]
fn fresh_rows_come_between_hits() {
    let (_store, table) = ten_thousand();
    let mut mutation = Mutation::new(number(5000));
    mutation.put("f", "n", "", native(-1));
    mutation.replaces_older = true;
    let mut statement = table.statement(StatementOptions::default()).unwrap();
    statement.write(mutation).unwrap();
    statement.commit().unwrap();
    let (rows, by_column, _) = pieces(&table, &ScanSpec::default(), 20_000);
    assert_eq!((rows.len(), by_column), (10_000, 9_999));
    assert!(rows.is_sorted_by(|a, b| a.0 < b.0));
    let (rows, by_column, _) = pieces(&table, &where_number(CompareOp::LessThan, 0), 20_000);
    assert_eq!((rows.len(), by_column), (1, 0));
}

#[test]
fn changed_rows_that_cannot_pass_cut_no_stretch() {
    let (store, table) = ten_thousand();
    // The filter does not look at the word.
    let mut statement = table.statement(StatementOptions::default()).unwrap();
    for row in (0..10_000).step_by(50) {
        let mut mutation = Mutation::new(number(row));
        mutation.replaces_older = true;
        mutation.put("f", "w", "", format!("new{row}"));
        statement.write(mutation).unwrap();
    }
    statement.commit().unwrap();
    store.flush(None).unwrap();
    for reverse in [false, true] {
        let spec = ScanSpec { reverse, ..where_number(CompareOp::Equal, 40) };
        let (rows, by_column, metrics) = pieces(&table, &spec, 5000);
        assert_eq!(rows, drain(Scanner::new(&table.version().unwrap(), &spec).unwrap()));
        // 400..410, of which 400 was changed.
        assert_eq!((rows.len(), by_column), (10, 9));
        assert!(rows.iter().flat_map(|row| &row.1).any(|cell| cell.1 == b"w" && cell.4 == b"new400"));
        // One leaf over a segment of 4096 rows, and ten rows.
        assert!(metrics.cells_read < 4200, "{metrics:?}");
    }
    // Now it does.
    let mut statement = table.statement(StatementOptions::default()).unwrap();
    for row in [4, 404, 9999] {
        let mut mutation = Mutation::new(number(row));
        mutation.replaces_older = true;
        mutation.put("f", "n", "", native(if row == 404 { 41 } else { 40 }));
        statement.write(mutation).unwrap();
    }
    statement.commit().unwrap();
    for reverse in [false, true] {
        let spec = ScanSpec { reverse, ..where_number(CompareOp::Equal, 40) };
        let (rows, by_column, _) = pieces(&table, &spec, 5000);
        assert_eq!(rows, drain(Scanner::new(&table.version().unwrap(), &spec).unwrap()));
        assert_eq!((rows.len(), by_column), (11, 8));
    }
}

#[test]
fn a_scan_sent_back_behind_rows_that_it_met_finds_them() {
    let (_store, table) = ten_thousand();
    let mut statement = table.statement(StatementOptions::default()).unwrap();
    for row in (100..3000).step_by(3) {
        let mut mutation = Mutation::new(number(row));
        mutation.put("f", if row % 2 == 0 { "w" } else { "n" }, "", native((row % 7).into()));
        statement.write(mutation).unwrap();
    }
    statement.commit().unwrap();
    for reverse in [false, true] {
        let spec = ScanSpec { reverse, ..where_number(CompareOp::LessThanOrEqual, 5) };
        let mut scanner = Scanner::seekable(&table.version().unwrap(), &spec).unwrap();
        let mut buffer = RowBuffer::new();
        for (start, end) in [(0, 4000), (130, 200), (0, 150), (151, 152), (2000, 2500), (160, 2600)] {
            let ranges = RowRanges::from_ranges(vec![RowRange::new(number(start), Some(number(end)))]);
            scanner.seek(&ranges).unwrap();
            // Left after one piece, so that what follows has been met but not handed out.
            let _ = scanner.next_piece(10, &mut buffer).unwrap();
            scanner.seek(&ranges).unwrap();
            let spec = ScanSpec { ranges: ranges.clone(), ..spec.clone() };
            let wanted = drain(Scanner::new(&table.version().unwrap(), &spec).unwrap());
            let mut found = Vec::new();
            while scanner.next_row(&mut buffer).unwrap() {
                found.push(owned(&buffer));
            }
            assert_eq!(found, wanted, "{start}..{end}");
        }
    }
}

#[test]
fn what_is_left_of_a_piece_comes_row_by_row() {
    let (_store, table) = ten_thousand();
    let mut scanner = Scanner::new(&table.version().unwrap(), &ScanSpec::default()).unwrap();
    let mut buffer = RowBuffer::new();
    let Piece::Hits(hits) = scanner.next_piece(10, &mut buffer).unwrap() else { panic!("no hits") };
    assert_eq!(hits.len(), 10);
    for row in 10..10_000u16 {
        assert!(scanner.next_row(&mut buffer).unwrap());
        assert_eq!(buffer.row(), number(row));
    }
    assert!(!scanner.next_row(&mut buffer).unwrap());
}
