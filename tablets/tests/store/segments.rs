//! Rows written as segments are the rows that mutations would have written.

use ostracon_data::{ErasedColumns, Mutation, ROW_MARKER_FAMILY};
use ostracon_segment::{ColumnInput, RowLayout, RowsInput, ValidityInput, ValuesInput};
use ostracon_tablets::{
    Error, Result, ScanSpec, Statement, StatementOptions, StoreOptions, Table, TableSettings, TabletStore,
};
use proptest::prelude::*;

use crate::harness::{all, labels, memory, options, put, put_as, scan, table, write};

/// A row: its id, and the values of the columns `f:a` and `f:b`.
pub(crate) type Values = (String, [Option<String>; 2]);

const QUALIFIERS: [&[u8]; 2] = [b"a", b"b"];

pub(crate) fn value(row: u32, a: &str, b: Option<&str>) -> Values {
    (format!("{row:03}"), [Some(a.to_owned()), b.map(str::to_owned)])
}

/// Writes rows in the order of their ids, as one segment.
pub(crate) fn write_segment(statement: &mut Statement, label: &str, rows: &[Values]) -> Result<()> {
    let strings = |values: Vec<&str>| {
        let mut offsets = vec![0];
        for value in &values {
            offsets.push(offsets.last().unwrap() + i32::try_from(value.len()).unwrap());
        }
        (offsets, values.concat().into_bytes())
    };
    let bits = |valid: Vec<bool>| {
        let mut bits = vec![0; valid.len().div_ceil(8)];
        for (row, _) in valid.iter().enumerate().filter(|(_, valid)| **valid) {
            bits[row / 8] |= 1u8 << (row % 8);
        }
        bits
    };
    let (offsets, data) = strings(rows.iter().map(|(id, _)| id.as_str()).collect());
    let layout = RowLayout::bytes();
    let ids = RowsInput::Bytes { offsets: &offsets, data: &data, layout: &layout };
    let columns: Vec<_> = (0..2)
        .map(|column| {
            let values = rows.iter().map(|(_, values)| values[column].as_deref());
            (
                strings(values.clone().map(Option::unwrap_or_default).collect()),
                bits(values.map(|v| v.is_some()).collect()),
            )
        })
        .collect();
    let mut inputs: Vec<ColumnInput<'_>> = columns
        .iter()
        .zip(QUALIFIERS)
        .map(|(((offsets, data), bits), qualifier)| ColumnInput {
            family: b"f",
            qualifier,
            values: ValuesInput::Bytes { offsets, data },
            valid: Some(ValidityInput { bits, offset: 0 }),
        })
        .collect();
    let markers = bits(rows.iter().map(|(_, values)| values.iter().all(Option::is_none)).collect());
    inputs.push(ColumnInput {
        family: ROW_MARKER_FAMILY,
        qualifier: b"",
        values: ValuesInput::Constant(b""),
        valid: Some(ValidityInput { bits: &markers, offset: 0 }),
    });
    statement.write_segment(&ids, label.as_bytes(), &inputs)
}

/// The same rows as mutations.
fn mutations(label: &str, rows: &[Values]) -> Vec<Mutation> {
    let mutation = |(id, values): &Values| {
        let mut mutation = Mutation::new(id.as_str());
        for (value, qualifier) in values.iter().zip(QUALIFIERS) {
            if value.is_none() {
                let columns = ErasedColumns::Exact { family: b"f".to_vec(), qualifier: qualifier.to_vec() };
                mutation.erase(columns, Some(label.into()));
            }
        }
        for (value, qualifier) in values.iter().zip(QUALIFIERS) {
            if let Some(value) = value {
                mutation.put("f", qualifier, label, value.as_str());
            }
        }
        if values.iter().all(Option::is_none) {
            mutation.put(ROW_MARKER_FAMILY, "", label, "");
        }
        mutation.replaces_older = true;
        mutation
    };
    rows.iter().map(mutation).collect()
}

fn load(table: &Table, segments: &[&[Values]]) {
    let mut statement = table.statement(StatementOptions::default()).unwrap();
    for rows in segments {
        write_segment(&mut statement, "", rows).unwrap();
    }
    statement.commit().unwrap();
}

fn range(rows: std::ops::Range<u32>, text: &str) -> Vec<Values> {
    rows.map(|row| value(row, text, None)).collect()
}

/// Fragments and segments of the table.
fn places(store: &TabletStore) -> (u64, u64) {
    let report = store.check().unwrap();
    assert!(report.is_clean(), "{:?}", report.problems);
    (report.fragments, report.segments)
}

#[test]
fn rows_of_an_empty_table_become_segments_and_disjoint_ones_join_them() {
    let store = memory();
    let table = table(&store);
    load(&table, &[&range(0..5, "x"), &range(5..9, "x")]);
    assert_eq!(places(&store), (0, 2));
    write(&table, [put("100", "f:a", "small")]);
    // Between and behind the rows that are there; the order does not matter.
    load(&table, &[&range(200..205, "z"), &range(20..25, "y")]);
    assert_eq!(places(&store), (1, 4));
    let found = all(&table);
    assert_eq!(found.len(), 9 + 1 + 5 + 5);
    assert!(found.is_sorted());
    assert_eq!(found[9], "020 f:a=y");
}

#[test]
fn rows_among_others_replace_them_as_mutations_do() {
    let store = memory();
    let table = table(&store);
    write(
        &table,
        [put("003", "f:b", "old"), put("003", "f:c", "other column"), put_as("004", "f:a", "x", "old")],
    );
    load(&table, &[&range(0..5, "new"), &range(5..8, "new")]);
    assert_eq!(places(&store), (3 + 5, 1));
    assert_eq!(all(&table)[3], "003 f:a=new f:c=other column");
    let labelled = crate::harness::lines(&table, &labels(&["x"]));
    assert!(labelled[4] == "004 f:a=new f:a=old" || labelled[4] == "004 f:a=old f:a=new", "{labelled:?}");
    // A deleted row is in the way too.
    let mut statement = table.statement(StatementOptions::default()).unwrap();
    let mut mutation = Mutation::new("900");
    mutation.erase(ErasedColumns::Row, None);
    statement.write(mutation).unwrap();
    statement.commit().unwrap();
    load(&table, &[&range(899..901, "again")]);
    assert_eq!(all(&table).last().unwrap(), "900 f:a=again");
}

#[test]
fn a_later_segment_replaces_rows_of_an_earlier_one() {
    let store = memory();
    let table = table(&store);
    load(&table, &[&range(0..5, "x"), &range(3..4, "y"), &range(3..4, "z"), &range(4..6, "w")]);
    assert_eq!(all(&table), ["000 f:a=x", "001 f:a=x", "002 f:a=x", "003 f:a=z", "004 f:a=w", "005 f:a=w"]);
}

#[test]
fn all_rows_are_replaced_by_segments() {
    let store = memory();
    let table = table(&store);
    write(&table, [put("003", "f:b", "old")]);
    let mut statement = table.statement(StatementOptions::default()).unwrap();
    statement.replace_all().unwrap();
    write_segment(&mut statement, "", &range(0..5, "new")).unwrap();
    statement.commit().unwrap();
    assert_eq!(places(&store), (0, 1));
    assert_eq!(all(&table).len(), 5);
    write(&table, [put("003", "f:b", "later")]);
    assert_eq!(all(&table)[3], "003 f:a=new f:b=later");
}

#[test]
fn nothing_shows_before_the_commit_and_nothing_stays_without_one() {
    let store = memory();
    let table = table(&store);
    let mut statement = table.statement(StatementOptions::default()).unwrap();
    write_segment(&mut statement, "", &range(0..5, "x")).unwrap();
    assert_eq!(statement.rows(), 5);
    assert!(all(&table).is_empty());
    drop(statement);
    assert!(all(&table).is_empty());
    assert_eq!(places(&store), (0, 0));
    load(&table, &[&range(0..5, "x")]);
    let version = table.version().unwrap();
    store.truncate("t").unwrap();
    let rows = crate::harness::drain(ostracon_tablets::Scanner::new(&version, &ScanSpec::default()).unwrap());
    assert_eq!(rows.len(), 5, "a version keeps its segments");
}

#[test]
fn what_segments_cannot_hold_is_refused() {
    let store = memory();
    let table = table(&store);
    let mut statement = table.statement(StatementOptions::default()).unwrap();
    assert!(matches!(write_segment(&mut statement, "a&", &range(0..2, "x")), Err(Error::BadLabel { .. })));
    let failed = write_segment(&mut statement, "", &range(0..2, "x"));
    assert!(failed.unwrap_err().to_string().contains("drop it and start again"));
    let mut statement = table.statement(StatementOptions::default()).unwrap();
    let mut rows = range(0..3, "x");
    rows.swap(0, 1);
    assert!(matches!(write_segment(&mut statement, "", &rows), Err(Error::Segment { .. })));
    let mut statement = table.statement(StatementOptions::default()).unwrap();
    let long = vec![("x".repeat(2 << 20), [None, None])];
    assert!(matches!(write_segment(&mut statement, "", &long), Err(Error::TooLarge { .. })));
}

#[derive(Debug, Clone)]
enum Step {
    Load { segments: Vec<Vec<Values>>, label: &'static str, replaces_all: bool },
    Write(Vec<Values>),
    Flush,
    Compact,
}

fn rows(most: u32) -> impl Strategy<Value = Vec<Values>> {
    let value = || prop::option::weighted(0.7, "[xyz]{0,2}");
    prop::collection::btree_map(0..most, (value(), value()), 1..8)
        .prop_map(|rows| rows.into_iter().map(|(row, (a, b))| (format!("{row:03}"), [a, b])).collect())
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let segments = prop::collection::vec(prop_oneof![rows(200), rows(20)], 1..4);
    let label = prop::sample::select(vec!["", "x"]);
    let load = (segments, label, prop::bool::weighted(0.1))
        .prop_map(|(segments, label, replaces_all)| Step::Load { segments, label, replaces_all });
    let step = prop_oneof![
        4 => load,
        2 => rows(100).prop_map(Step::Write),
        1 => Just(Step::Flush),
        1 => Just(Step::Compact),
    ];
    prop::collection::vec(step, 1..8)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Times and labels included, for every session.
    #[test]
    fn segments_are_mutations(steps in steps(), spill_threshold in prop::sample::select(vec![100usize, 1 << 20])) {
        let open = || {
            let (options, clock) = options();
            (TabletStore::in_memory(StoreOptions { spill_threshold, segment_rows: 4, ..options }).unwrap(), clock)
        };
        let ((bulk, bulk_clock), (plain, plain_clock)) = (open(), open());
        let (bulk_table, plain_table) = (table(&bulk), table(&plain));
        for step in steps {
            bulk_clock.advance(1);
            plain_clock.advance(1);
            match step {
                Step::Load { segments, label, replaces_all } => {
                    let mut by_segments = bulk_table.statement(StatementOptions::default()).unwrap();
                    let mut by_rows = plain_table.statement(StatementOptions::default()).unwrap();
                    if replaces_all {
                        by_segments.replace_all().unwrap();
                        by_rows.replace_all().unwrap();
                    }
                    for rows in &segments {
                        write_segment(&mut by_segments, label, rows).unwrap();
                        for mutation in mutations(label, rows) {
                            by_rows.write(mutation).unwrap();
                        }
                    }
                    let (by_segments, by_rows) = (by_segments.commit().unwrap(), by_rows.commit().unwrap());
                    prop_assert_eq!(by_segments.rows, by_rows.rows);
                }
                Step::Write(rows) => {
                    write(&bulk_table, mutations("", &rows));
                    write(&plain_table, mutations("", &rows));
                }
                Step::Flush => {
                    bulk.flush(None).unwrap();
                    plain.flush(None).unwrap();
                }
                Step::Compact => {
                    bulk.compact(None).unwrap();
                    plain.compact(None).unwrap();
                }
            }
            for spec in [ScanSpec::default(), labels(&["x"])] {
                prop_assert_eq!(scan(&bulk_table, &spec), scan(&plain_table, &spec));
            }
        }
        let report = bulk.check().unwrap();
        prop_assert!(report.is_clean(), "{:?}", report.problems);
    }
}

#[test]
fn a_table_that_keeps_versions_keeps_those_that_segments_meet() {
    let store = memory();
    let settings = TableSettings { max_versions: 3, ..TableSettings::default() };
    let table = store.create_table("t", settings).unwrap();
    write(&table, [put("001", "f:a", "old")]);
    load(&table, &[&range(0..2, "new")]);
    let spec = ScanSpec { max_versions: 3, ..ScanSpec::default() };
    assert_eq!(crate::harness::lines(&table, &spec)[1], "001 f:a=new f:a=old");
}

#[test]
fn loaded_rows_expire() {
    let (options, clock) = options();
    let store = TabletStore::in_memory(options).unwrap();
    let settings = TableSettings { ttl_ms: Some(100), ..TableSettings::default() };
    let table = store.create_table("t", settings).unwrap();
    load(&table, &[&range(0..5, "x"), &range(5..9, "x")]);
    clock.advance(60);
    load(&table, &[&range(20..25, "y")]);
    assert_eq!((places(&store), all(&table).len()), ((0, 3), 14));
    clock.advance(60);
    store.compact(None).unwrap();
    assert_eq!((places(&store), all(&table).len()), ((0, 1), 5));
}

#[test]
fn tablets_of_a_split_table_are_loaded_by_one_statement() {
    let store = memory();
    let table = table(&store);
    store.split("t", vec![b"004".to_vec(), b"100".to_vec()]).unwrap();
    load(&table, &[&range(0..9, "x"), &range(90..120, "y")]);
    assert_eq!((places(&store), all(&table).len()), ((0, 2), 39));
}
