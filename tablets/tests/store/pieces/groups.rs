//! Columns in sections of their own.

use ostracon_compare::CompareOp;
use ostracon_segment::LocalityGroups;
use ostracon_tablets::{ColumnFilter, ColumnSelection, ScanSpec, Table, TableSettings};

use super::{groups_of, pieces, ten_thousand, ten_thousand_in, where_number};

#[test]
fn only_sections_with_a_wanted_column_are_read() {
    let read = |groups: LocalityGroups, projection: &[&str], filter: bool| {
        let (_store, table) = ten_thousand_in(groups);
        let exact = |qualifier: &&str| ColumnFilter::Exact {
            family: b"f".into(),
            qualifier: qualifier.as_bytes().into(),
        };
        let spec = if filter { where_number(CompareOp::LessThan, 5000) } else { ScanSpec::default() };
        let spec = ScanSpec {
            columns: ColumnSelection::Columns(["n", "w"].iter().map(exact).collect()),
            projection: ColumnSelection::Columns(projection.iter().map(exact).collect()),
            ..spec
        };
        let (rows, by_column, metrics) = pieces(&table, &spec, 20_000);
        assert_eq!((rows.len(), by_column, metrics.segments_read), (10_000, 10_000, 3));
        metrics.bytes_read
    };
    let groups = || groups_of(&[&["n"], &["w"]]);
    let all = read(groups(), &["n", "w"], false);
    let (number, word) = (read(groups(), &["n"], false), read(groups(), &["w"], false));
    let neither = read(groups(), &[], false);
    assert!(
        number < all && word < all && neither < number && neither < word,
        "{all} {number} {word} {neither}"
    );
    assert_eq!(number - neither + word, all);
    assert_eq!(read(groups(), &["w"], true), all, "the filter looks at the number");
    let one = read(groups_of(&[]), &["n"], false);
    assert_eq!(read(groups_of(&[]), &[], false), one, "what lies together is read together");
}

#[test]
fn a_compaction_moves_columns_into_the_groups_of_today() {
    let (store, table) = ten_thousand();
    let sections = |table: &Table| {
        let (_, _, metrics) = pieces(
            table,
            &ScanSpec { projection: ColumnSelection::Columns(vec![]), ..ScanSpec::default() },
            20_000,
        );
        metrics.bytes_read
    };
    let before = sections(&table);
    let settings = TableSettings { locality_groups: groups_of(&[&["w"]]), ..(*table.settings()).clone() };
    store.alter_table("t", settings).unwrap();
    assert_eq!(sections(&table), before);
    store.compact(None).unwrap();
    assert!(sections(&table) < before);
    assert!(store.check().unwrap().is_clean());
}
