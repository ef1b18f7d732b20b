use std::collections::BTreeSet;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, Int32Array, Int64Array, RecordBatch, StringArray};
use arrow::datatypes::{DataType, Field, Fields, Int64Type, TimeUnit, TimestampMillisecondType};
use arrow::util::pretty::pretty_format_batches;
use ostracon_data::{ColumnUpdate, ErasedColumns, Mutation, ROW_MARKER_FAMILY, RowBuffer};
use ostracon_tablets::ColumnSelection;
use proptest::prelude::*;

use super::*;
use crate::definition::{ColumnSpec, TableDefinition};
use crate::error::ErrorKind;
use crate::generate::{Random, row_of, sample};
use crate::mapping::ColumnTarget;
use crate::properties::{InsertMode, TableProperties};

fn mapped(columns: &[(&str, DataType)], properties: &[(&str, &str)]) -> TableDefinition {
    let columns = columns.iter().map(|(name, ty)| ColumnSpec::new(*name, ty.clone())).collect();
    let properties = TableProperties::parse(properties.iter().copied()).unwrap();
    TableDefinition::mapped("t", columns, true, properties).unwrap()
}

fn people() -> TableDefinition {
    mapped(
        &[("k", DataType::Utf8), ("name", DataType::Utf8), ("age", DataType::Int32)],
        &[("columns.mapping", ":rowid,p:name,p:age#b")],
    )
}

fn batch(table: &TableDefinition, columns: Vec<ArrayRef>) -> RecordBatch {
    RecordBatch::try_new(table.write_schema(), columns).unwrap()
}

fn texts(values: &[Option<&str>]) -> ArrayRef {
    Arc::new(StringArray::from(values.to_vec()))
}

fn ints(values: &[Option<i32>]) -> ArrayRef {
    Arc::new(Int32Array::from(values.to_vec()))
}

fn encode_all(table: &TableDefinition, mode: InsertMode, batch: &RecordBatch) -> Vec<Mutation> {
    RowEncoder::new(table, mode, None).unwrap().encode(batch, RowExtras::default()).unwrap()
}

fn put(family: &[u8], qualifier: &[u8], label: &[u8], value: &[u8]) -> ColumnUpdate {
    ColumnUpdate::Put {
        family: family.to_vec(),
        qualifier: qualifier.to_vec(),
        visibility: label.to_vec(),
        timestamp: None,
        value: value.to_vec(),
    }
}

fn erase(family: &[u8], qualifier: &[u8], label: &[u8]) -> ColumnUpdate {
    let columns = ErasedColumns::Exact { family: family.to_vec(), qualifier: qualifier.to_vec() };
    ColumnUpdate::Erase { columns, label: Some(label.to_vec()) }
}

#[test]
fn an_upsert_replaces_the_row() {
    let table = people();
    let rows = batch(
        &table,
        vec![texts(&[Some("a"), Some("b")]), texts(&[Some("Ada"), None]), ints(&[Some(5), None])],
    );
    let mutations = encode_all(&table, InsertMode::Upsert, &rows);
    assert_eq!(mutations[0].row, b"a");
    assert_eq!(
        mutations[0].updates,
        [put(b"p", b"name", b"", b"Ada"), put(b"p", b"age", b"", &[0, 0, 0, 5])]
    );
    assert!(mutations[0].replaces_older);
    assert_eq!(
        mutations[1].updates,
        [erase(b"p", b"name", b""), erase(b"p", b"age", b""), put(ROW_MARKER_FAMILY, b"", b"", b"")],
        "a row of NULLs is kept alive by its marker"
    );
}

#[test]
fn a_merge_leaves_unnamed_columns_alone() {
    let table = people();
    let rows = batch(&table, vec![texts(&[Some("a")]), texts(&[None]), ints(&[Some(5)])]);
    let encoder = RowEncoder::new(&table, InsertMode::Merge, Some(&[0, 2])).unwrap();
    let mutations = encoder.encode(&rows, RowExtras::default()).unwrap();
    assert_eq!(mutations[0].updates, [put(b"p", b"age", b"", &[0, 0, 0, 5])]);
    let encoder = RowEncoder::new(&table, InsertMode::Upsert, Some(&[0, 2])).unwrap();
    let mutations = encoder.encode(&rows, RowExtras::default()).unwrap();
    assert_eq!(mutations[0].updates, [erase(b"p", b"name", b""), put(b"p", b"age", b"", &[0, 0, 0, 5])]);
}

#[test]
fn several_versions_are_kept_by_their_times() {
    let table = mapped(
        &[("k", DataType::Utf8), ("v", DataType::Utf8)],
        &[("columns.mapping", ":rowid,f:v"), ("max.versions", "3")],
    );
    let rows = batch(&table, vec![texts(&[Some("a")]), texts(&[Some("v1")])]);
    assert!(!encode_all(&table, InsertMode::Upsert, &rows)[0].replaces_older);
}

#[test]
fn labels_come_from_column_row_statement_and_table() {
    let columns =
        [("k", DataType::Utf8), ("a", DataType::Utf8), ("b", DataType::Utf8), ("label", DataType::Utf8)];
    let table = mapped(
        &columns,
        &[
            ("columns.mapping", ":rowid,f:a,f:b,:visibility"),
            ("visibility.label", "P|Q"),
            ("visibility.column.b", "R"),
        ],
    );
    let rows = batch(
        &table,
        vec![
            texts(&[Some("1"), Some("2"), Some("3")]),
            texts(&[Some("x"); 3]),
            texts(&[Some("y"), None, Some("y")]),
            texts(&[Some("A&B"), Some(""), None]),
        ],
    );
    let mutations = encode_all(&table, InsertMode::Upsert, &rows);
    assert_eq!(mutations[0].updates, [put(b"f", b"a", b"A&B", b"x"), put(b"f", b"b", b"R", b"y")]);
    assert_eq!(
        mutations[1].updates,
        [erase(b"f", b"b", b"R"), put(b"f", b"a", b"", b"x")],
        "'' is unlabelled"
    );
    assert_eq!(mutations[2].updates[0], put(b"f", b"a", b"P|Q", b"x"), "NULL is the table's label");

    let kept = [b"Z".to_vec(), b"Z".to_vec(), b"Z".to_vec()];
    let extras = RowExtras { row_labels: Some(&kept), ..RowExtras::default() };
    let encoder = RowEncoder::new(&table, InsertMode::Upsert, None).unwrap();
    let mutations = encoder.encode(&rows, extras).unwrap();
    assert_eq!(mutations[0].updates[0], put(b"f", b"a", b"A&B", b"x"), "what the statement says");
    assert_eq!(mutations[2].updates[0], put(b"f", b"a", b"Z", b"x"), "what the row had");
    let encoder = RowEncoder::new(&table, InsertMode::Upsert, Some(&[0, 1, 2])).unwrap();
    let mutations = encoder.encode(&rows, extras).unwrap();
    assert_eq!(mutations[0].updates[0], put(b"f", b"a", b"Z", b"x"), "the column is not named");
}

#[test]
fn a_bad_label_is_refused_by_row() {
    let table = mapped(
        &[("k", DataType::Utf8), ("v", DataType::Utf8), ("label", DataType::Utf8)],
        &[("columns.mapping", ":rowid,f:v,:visibility")],
    );
    let rows = batch(
        &table,
        vec![texts(&[Some("1"), Some("2")]), texts(&[None, None]), texts(&[Some("A"), Some("A&")])],
    );
    let encoder = RowEncoder::new(&table, InsertMode::Upsert, None).unwrap();
    let extras = RowExtras { rows_before: 10, ..RowExtras::default() };
    let error = encoder.encode(&rows, extras).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Invalid);
    let text = error.to_string();
    assert!(text.contains("column 'label', row 12") && text.contains("A&"), "{text}");
}

#[test]
fn times_are_milliseconds_cut_towards_the_past() {
    let of = |at: ArrayRef, data_type: DataType| {
        let table = mapped(
            &[("k", DataType::Utf8), ("v", DataType::Utf8), ("at", data_type)],
            &[("columns.mapping", ":rowid,f:v,:timestamp")],
        );
        let rows = batch(&table, vec![texts(&[Some("1")]), texts(&[Some("x")]), at]);
        RowEncoder::new(&table, InsertMode::Upsert, None).unwrap().encode(&rows, RowExtras::default()).map(
            |mutations| match &mutations[0].updates[0] {
                ColumnUpdate::Put { timestamp, .. } => *timestamp,
                other => panic!("{other:?}"),
            },
        )
    };
    let number = |value: Option<i64>| Arc::new(Int64Array::from(vec![value])) as ArrayRef;
    assert_eq!(of(number(Some(-5)), DataType::Int64).unwrap(), Some(-5));
    assert_eq!(of(number(None), DataType::Int64).unwrap(), None);
    let cast = |value: i64, unit| {
        let data_type = DataType::Timestamp(unit, None);
        of(arrow::compute::cast(&number(Some(value)), &data_type).unwrap(), data_type)
    };
    assert_eq!(cast(2, TimeUnit::Second).unwrap(), Some(2_000));
    assert_eq!(cast(-1, TimeUnit::Microsecond).unwrap(), Some(-1));
    assert_eq!(cast(1_999_999, TimeUnit::Nanosecond).unwrap(), Some(1));
    assert!(cast(i64::MAX, TimeUnit::Second).unwrap_err().to_string().contains("out of range"));
}

#[test]
fn nulls_are_refused_where_they_may_not_be() {
    let columns = vec![
        ColumnSpec::new("a", DataType::Int32),
        ColumnSpec::new("b", DataType::Utf8),
        ColumnSpec::new("v", DataType::Int32).not_null(),
    ];
    let key = ["a".to_owned(), "b".to_owned()];
    let table = TableDefinition::typed("t", columns, &key, TableProperties::default()).unwrap();
    let encoder = RowEncoder::new(&table, InsertMode::Upsert, None).unwrap();
    let refused = |a, b, v| {
        let rows = batch(&table, vec![ints(&[Some(1), a]), texts(&[Some("x"), b]), ints(&[Some(1), v])]);
        encoder.encode(&rows, RowExtras::default()).unwrap_err().to_string()
    };
    assert!(refused(None, Some("x"), Some(1)).contains("column 'a', row 2: NULL"));
    assert!(
        refused(Some(1), None, Some(1))
            .contains("column 'b', row 2: NULL, but the column is part of the key")
    );
    assert!(
        refused(Some(1), Some("x"), None).contains("column 'v', row 2: NULL, but the column is NOT NULL")
    );
}

#[test]
fn hidden_ids_ascend_and_are_kept_by_an_update() {
    let table = TableDefinition::typed(
        "t",
        vec![ColumnSpec::new("v", DataType::Int32)],
        &[],
        TableProperties::default(),
    )
    .unwrap();
    let rows = batch(&table, vec![ints(&[Some(1), Some(2)])]);
    let encoder = RowEncoder::new(&table, InsertMode::Upsert, None).unwrap();
    let extras = RowExtras { first_hidden_id: Some(256), ..RowExtras::default() };
    let ids = encoder.row_ids(&rows, extras).unwrap();
    assert_eq!(ids, [256_u64.to_be_bytes().to_vec(), 257_u64.to_be_bytes().to_vec()]);
    let known = [b"x".to_vec(), b"y".to_vec()];
    let extras = RowExtras { row_ids: Some(&known), ..RowExtras::default() };
    let mutations = encoder.encode(&rows, extras).unwrap();
    assert_eq!((mutations[0].row.as_slice(), mutations[1].row.as_slice()), (&b"x"[..], &b"y"[..]));
    assert_eq!(encoder.encode(&rows, RowExtras::default()).unwrap_err().kind, ErrorKind::Internal);
}

#[test]
fn a_table_without_a_row_id_cannot_be_written() {
    let table = mapped(&[("v", DataType::Utf8)], &[("columns.mapping", "f:v")]);
    assert_eq!(RowEncoder::new(&table, InsertMode::Upsert, None).unwrap_err().kind, ErrorKind::Unsupported);
    let mut decoder = RowDecoder::new(&table, None).unwrap();
    let mut row = RowBuffer::new();
    row.set_row(b"anything");
    row.push_cell(b"f", b"v", b"", 1, b"x");
    assert_eq!(decoder.append(&row).unwrap(), Appended::Row);
    assert_eq!(decoder.finish().unwrap().column(0).as_string::<i32>().value(0), "x");
}

#[test]
fn the_text_of_null_is_refused_rather_than_lost() {
    let table = people();
    let encoder = RowEncoder::new(&table, InsertMode::Upsert, None).unwrap();
    let rows = batch(&table, vec![texts(&[Some("a")]), texts(&[Some("\\N")]), ints(&[None])]);
    let error = encoder.encode(&rows, RowExtras::default()).unwrap_err().to_string();
    assert!(error.contains("column 'name'") && error.contains("\\N"), "{error}");
    // As a key it is text like any other.
    let rows = batch(&table, vec![texts(&[Some("\\N")]), texts(&[None]), ints(&[None])]);
    assert_eq!(encoder.encode(&rows, RowExtras::default()).unwrap()[0].row, b"\\N");
}

#[test]
fn a_delimiter_in_a_field_is_refused() {
    let fields: Fields = ["x", "y"].map(|name| Field::new(name, DataType::Utf8, true)).to_vec().into();
    let table = mapped(
        &[("k", DataType::Struct(fields.clone()))],
        &[("columns.mapping", ":rowid"), ("composite.rowid", "$$")],
    );
    let encoder = RowEncoder::new(&table, InsertMode::Upsert, None).unwrap();
    let of = |x: Option<&str>, y: Option<&str>| {
        let array = arrow::array::StructArray::new(fields.clone(), vec![texts(&[x]), texts(&[y])], None);
        let rows = batch(&table, vec![Arc::new(array)]);
        encoder.row_ids(&rows, RowExtras::default()).map(|mut ids| ids.remove(0))
    };
    assert_eq!(of(Some("a"), Some("b")).unwrap(), b"a$$b");
    assert_eq!(of(Some("a"), Some("$b")).unwrap(), b"a$$$b", "split from the left it is the same");
    assert!(of(Some("a$"), Some("b")).unwrap_err().to_string().contains("delimiter"));
    assert!(of(Some("a$$"), Some("b")).is_err());
    assert!(of(None, Some("b")).unwrap_err().to_string().contains("each field"));
}

#[test]
fn a_deletion_erases_what_is_seen() {
    let table = people();
    let encoder = RowEncoder::new(&table, InsertMode::Upsert, None).unwrap();
    let labels = BTreeSet::from([b"".to_vec(), b"A".to_vec()]);
    let mutation = encoder.deletion(b"a", &labels);
    let wanted: Vec<ColumnUpdate> = [&b""[..], b"A"]
        .into_iter()
        .flat_map(|label| {
            [erase(b"p", b"name", label), erase(b"p", b"age", label), erase(ROW_MARKER_FAMILY, b"", label)]
        })
        .collect();
    assert_eq!(mutation.updates, wanted);

    let mut row = RowBuffer::new();
    row.push_cell(b"p", b"age", b"", 1, b"");
    row.push_cell(b"p", b"name", b"A", 1, b"x");
    row.push_cell(b"p", b"other", b"B", 1, b"x");
    assert_eq!(visible_labels(&table, &row), labels, "cells that are not mapped do not count");
}

#[test]
fn maps_become_cells_and_come_back() {
    let pair = Fields::from(vec![
        Field::new("key", DataType::Utf8, false),
        Field::new("value", DataType::Int32, true),
    ]);
    let data_type = DataType::Map(Arc::new(Field::new("entries", DataType::Struct(pair), false)), false);
    let table =
        mapped(&[("k", DataType::Utf8), ("m", data_type)], &[("columns.mapping", ":rowid,f:p_*#s:b")]);
    let mut builder = arrow::array::MapBuilder::new(
        None,
        arrow::array::StringBuilder::new(),
        arrow::array::Int32Builder::new(),
    );
    builder.keys().append_value("x");
    builder.values().append_value(7);
    builder.keys().append_value("gone");
    builder.values().append_null();
    builder.append(true).unwrap();
    builder.append(false).unwrap();
    let rows = RecordBatch::try_from_iter([
        ("k", texts(&[Some("1"), Some("2")])),
        ("m", Arc::new(builder.finish()) as ArrayRef),
    ])
    .unwrap();
    let mutations = encode_all(&table, InsertMode::Upsert, &rows);
    let whole = ColumnUpdate::Erase {
        columns: ErasedColumns::Prefix { family: b"f".to_vec(), qualifier_prefix: b"p_".to_vec() },
        label: Some(Vec::new()),
    };
    assert_eq!(mutations[0].updates, [whole.clone(), put(b"f", b"p_x", b"", &[0, 0, 0, 7])]);
    assert_eq!(mutations[1].updates, [whole, put(ROW_MARKER_FAMILY, b"", b"", b"")]);

    let mut decoder = RowDecoder::new(&table, Some(&[1])).unwrap();
    for mutation in &mutations {
        decoder.append(&row_of(mutation)).unwrap();
    }
    let read = decoder.finish().unwrap();
    assert_eq!(read.schema().field(0), table.arrow_schema().field(1));
    let map = read.column(0).as_map();
    assert_eq!((map.is_null(0), map.is_null(1)), (false, true));
    assert_eq!(map.value(0).column(0).as_string::<i32>().value(0), "x");
}

#[test]
fn time_and_label_are_read_from_the_mapped_cells() {
    let table = mapped(
        &[
            ("k", DataType::Utf8),
            ("v", DataType::Utf8),
            ("at", DataType::Int64),
            ("ts", DataType::Timestamp(TimeUnit::Millisecond, None)),
            ("label", DataType::Utf8),
        ],
        &[("columns.mapping", ":rowid,f:v,:timestamp,f:x#n,:visibility")],
    );
    let mut decoder = RowDecoder::new(&table, Some(&[2, 4])).unwrap();
    assert_eq!(*decoder.cells_needed(), table.mapped_columns(), "not only the projected ones");
    let row = |cells: &[(&str, &str, &str, i64)]| {
        let mut row = RowBuffer::new();
        row.set_row(b"r");
        for (family, qualifier, label, at) in cells {
            row.push_cell(family.as_bytes(), qualifier.as_bytes(), label.as_bytes(), *at, b"");
        }
        row
    };
    for cells in [
        &[("f", "v", "A", 5), ("f", "v", "A", 3)][..],
        &[("f", "v", "A", 5), ("f", "x", "", 9)],
        &[("\0", "", "", 7)],
        &[("\0", "", "", 7), ("f", "v", "", 2)],
        &[("f", "unmapped", "Z", 99), ("f", "v", "", 2)],
    ] {
        decoder.append(&row(cells)).unwrap();
    }
    let read = decoder.finish().unwrap();
    let at: Vec<_> = read.column(0).as_primitive::<Int64Type>().iter().collect();
    assert_eq!(at, [Some(5), Some(9), Some(7), Some(2), Some(2)], "a marker's time counts only alone");
    let labels: Vec<_> = read.column(1).as_string::<i32>().iter().collect();
    assert_eq!(labels, [Some("A"), None, Some(""), Some(""), Some("")]);
}

#[test]
fn a_time_out_of_range_is_an_error_not_another_time() {
    let table = |unit| {
        mapped(
            &[("k", DataType::Utf8), ("v", DataType::Utf8), ("at", DataType::Timestamp(unit, None))],
            &[("columns.mapping", ":rowid,f:v,:timestamp")],
        )
    };
    let mut row = RowBuffer::new();
    row.set_row(b"r");
    row.push_cell(b"f", b"v", b"", i64::MAX, b"x");
    let mut decoder = RowDecoder::new(&table(TimeUnit::Nanosecond), None).unwrap();
    assert!(decoder.append(&row).unwrap_err().to_string().contains("out of range"));
    let mut decoder = RowDecoder::new(&table(TimeUnit::Millisecond), None).unwrap();
    decoder.append(&row).unwrap();
    let read = decoder.finish().unwrap();
    assert_eq!(read.column(2).as_primitive::<TimestampMillisecondType>().value(0), i64::MAX);
}

#[test]
fn bad_values_are_errors_nulls_or_skipped_rows() {
    let table = |policy| {
        mapped(
            &[("k", DataType::Utf8), ("v", DataType::Utf8), ("n", DataType::Int32)],
            &[("columns.mapping", ":rowid,f:v,f:n"), ("on.bad.value", policy)],
        )
    };
    let mut bad = RowBuffer::new();
    bad.set_row(b"bad\xff");
    bad.push_cell(b"f", b"n", b"", 1, b"12x");
    bad.push_cell(b"f", b"v", b"", 1, b"fine");
    let mut good = RowBuffer::new();
    good.set_row(b"good");
    good.push_cell(b"f", b"n", b"", 1, b"\\N");

    let mut decoder = RowDecoder::new(&table("error"), Some(&[1])).unwrap();
    assert_eq!(decoder.append(&bad).unwrap(), Appended::Row, "what is not asked for is not looked at");
    let mut decoder = RowDecoder::new(&table("error"), Some(&[2])).unwrap();
    let error = decoder.append(&bad).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Invalid);
    let text = error.to_string();
    assert!(text.contains(r"row 'bad\xff', column 'n'") && text.contains("12x"), "{text}");

    let mut decoder = RowDecoder::new(&table("null"), None).unwrap();
    decoder.append(&bad).unwrap();
    decoder.append(&good).unwrap();
    let read = decoder.finish().unwrap();
    assert!(read.column(0).is_null(0) && read.column(2).is_null(0) && read.column(1).is_valid(0));
    assert!(read.column(0).is_valid(1) && read.column(2).is_null(1));

    let mut decoder = RowDecoder::new(&table("skip_row"), Some(&[1])).unwrap();
    assert_eq!(*decoder.cells_needed(), table("skip_row").mapped_columns());
    assert_eq!(decoder.append(&bad).unwrap(), Appended::Skipped, "judged whole, whatever is projected");
    assert_eq!(decoder.append(&good).unwrap(), Appended::Row);
    assert_eq!((decoder.len(), decoder.finish().unwrap().num_rows()), (1, 1));
    let mut decoder = RowDecoder::new(&table("skip_row"), Some(&[])).unwrap();
    assert_eq!(decoder.append(&bad).unwrap(), Appended::Skipped, "counted rows are judged too");
}

#[test]
fn no_columns_are_rows_all_the_same() {
    let mut decoder = RowDecoder::new(&people(), Some(&[])).unwrap();
    assert_eq!(*decoder.cells_needed(), ColumnSelection::Columns(vec![]));
    let row = RowBuffer::new();
    for _ in 0..3 {
        decoder.append(&row).unwrap();
    }
    assert!(!decoder.is_empty());
    let read = decoder.finish().unwrap();
    assert_eq!((read.num_columns(), read.num_rows()), (0, 3));
    assert_eq!(decoder.finish().unwrap().num_rows(), 0, "empty again");
}

#[test]
fn a_projection_has_its_own_order() {
    let table = people();
    let mut decoder = RowDecoder::new(&table, Some(&[2, 0])).unwrap();
    assert_eq!(*decoder.cells_needed(), table.cells_of([2]));
    let rows = batch(&table, vec![texts(&[Some("a")]), texts(&[Some("Ada")]), ints(&[Some(5)])]);
    decoder.append(&row_of(&encode_all(&table, InsertMode::Upsert, &rows)[0])).unwrap();
    let read = decoder.finish().unwrap();
    assert_eq!(read.schema().field(0).name(), "age");
    assert_eq!(read.column(1).as_string::<i32>().value(0), "a");
    assert!(RowDecoder::new(&table, Some(&[3])).is_err());
}

#[test]
fn keys_have_one_zero_and_one_nan() {
    let bits = |value: f64| match canonical(ScalarRef::Float64(value)) {
        ScalarRef::Float64(value) => value.to_bits(),
        other => panic!("{other:?}"),
    };
    assert_eq!(bits(-0.0), 0.0_f64.to_bits());
    assert_eq!(bits(-f64::NAN), f64::NAN.to_bits());
    assert_eq!(bits(f64::from_bits(0x7ff0_0000_0000_0001)), f64::NAN.to_bits());
    assert_eq!(bits(-1.5), (-1.5_f64).to_bits());
    let table = mapped(&[("k", DataType::Float32)], &[("columns.mapping", ":rowid#s")]);
    let rows = batch(&table, vec![Arc::new(arrow::array::Float32Array::from(vec![-0.0, 0.0]))]);
    let ids = RowEncoder::new(&table, InsertMode::Upsert, None)
        .unwrap()
        .row_ids(&rows, RowExtras::default())
        .unwrap();
    assert_eq!(ids[0], ids[1]);
}

/// The row id and the cells' columns and values.
fn contents(row: &RowBuffer) -> (Vec<u8>, Vec<[Vec<u8>; 3]>) {
    let cells = row.cells().map(|cell| [cell.family, cell.qualifier, cell.value].map(<[u8]>::to_vec));
    (row.row().to_vec(), cells.collect())
}

fn text_encoded(target: &ColumnTarget) -> bool {
    match target {
        ColumnTarget::Cell { encoding, .. } | ColumnTarget::Map { value_encoding: encoding, .. } => {
            *encoding == Encoding::String
        }
        _ => false,
    }
}

fn show(batch: &RecordBatch) -> String {
    format!("{}", pretty_format_batches(std::slice::from_ref(batch)).unwrap())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn what_is_written_is_read(seed in any::<u64>()) {
        let sample = sample(&mut Random::new(seed), false);
        let mut decoder = RowDecoder::new(&sample.definition, None).unwrap();
        for (row, written) in sample.rows.iter().zip(&sample.batches) {
            decoder.append(row).unwrap();
            let read = decoder.finish().unwrap();
            for (i, column) in sample.definition.columns.iter().enumerate() {
                let key = matches!(column.target, ColumnTarget::RowId { .. });
                if key {
                    // Zeros and NaNs of keys are one: what was read is written as the same row again.
                    continue;
                }
                // Text keeps no bits of a NaN.
                let alike = if text_encoded(&column.target) {
                    show(&read.project(&[i]).unwrap()) == show(&written.project(&[i]).unwrap())
                } else {
                    read.column(i).to_data() == written.column(i).to_data()
                };
                prop_assert!(alike, "column {} of\n{}\nwas\n{}", column.name, show(&read), show(written));
            }
            let encoder = RowEncoder::new(&sample.definition, InsertMode::Upsert, None).unwrap();
            if sample.has_key() {
                let again = encoder.encode(&read, RowExtras::default()).unwrap();
                prop_assert_eq!(contents(&row_of(&again[0])), contents(row));
            }
        }
    }

    #[test]
    fn any_bytes_are_read_skipped_or_refused(
        seed in any::<u64>(),
        id in prop::collection::vec(any::<u8>(), 0..12),
        value in prop::collection::vec(any::<u8>(), 0..20),
    ) {
        let table = sample(&mut Random::new(seed), false).definition;
        let mut row = RowBuffer::new();
        row.set_row(&id);
        for column in &table.columns {
            if let ColumnTarget::Cell { family, qualifier, .. } = &column.target {
                row.push_cell(family, qualifier, b"", 1, &value);
            }
        }
        row.push_cell(b"f", &[b"m_", id.as_slice()].concat(), b"", 1, &value);
        let mut decoder = RowDecoder::new(&table, None).unwrap();
        if let Ok(outcome) = decoder.append(&row) {
            let rows = usize::from(outcome == Appended::Row);
            prop_assert_eq!(decoder.finish().unwrap().num_rows(), rows);
        }
    }
}
