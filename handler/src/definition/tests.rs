use arrow::datatypes::TimeUnit;
use proptest::prelude::*;

use super::*;
use crate::error::ErrorKind;
use crate::generate::{Random, sample};

fn properties(pairs: &[(&str, &str)]) -> TableProperties {
    TableProperties::parse(pairs.iter().copied()).unwrap()
}

fn key(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

fn events() -> TableDefinition {
    let columns = vec![
        ColumnSpec::new("id", DataType::Int64),
        ColumnSpec::new("at", DataType::Timestamp(TimeUnit::Nanosecond, None)),
        ColumnSpec::new("kind", DataType::Utf8View).not_null(),
        ColumnSpec::new("amount", DataType::Decimal128(12, 2)).with_default("0"),
    ];
    TableDefinition::typed("events", columns, &key(&["id", "at"]), TableProperties::default()).unwrap()
}

#[test]
fn a_typed_table_lays_itself_out() {
    let table = events();
    assert_eq!(table.store_table, "events");
    assert!(!table.external && table.keys_are_trusted());
    assert_eq!(table.kind, TableKind::Typed { next_column_id: 5 });
    assert_eq!(table.key_columns(), [0, 1]);
    assert!(matches!(&table.row_id, RowIdLayout::Native { lexicoder, .. } if lexicoder.parts().len() == 2));
    assert_eq!(table.row_id.widths(), [8, 8]);
    let target = |qualifier: u8| ColumnTarget::Cell {
        family: b"c".to_vec(),
        qualifier: vec![qualifier],
        encoding: Encoding::Native,
    };
    assert_eq!(table.columns[2].target, target(3), "a column's qualifier is its id");
    assert_eq!(table.columns[3].target, target(4));
    assert_eq!(table.columns[2].data_type, DataType::Utf8, "views are stored as what they show");
    assert_eq!(table.columns[3].default.as_deref(), Some("0"));
    let nullable: Vec<bool> = table.arrow_schema().fields().iter().map(|field| field.is_nullable()).collect();
    assert_eq!(nullable, [false, false, true, true], "a cell may be hidden whatever was declared");
    assert!(table.write_schema().fields().iter().all(|field| field.is_nullable()));
    assert!(!table.columns[0].nullable && !table.columns[2].nullable && table.columns[3].nullable);
}

#[test]
fn column_qualifiers_are_short_and_invertible() {
    for id in [0, 1, 127, 128, 300, 16_383, 16_384, u32::MAX] {
        let qualifier = layout::column_qualifier(id);
        assert_eq!(qualifier.len() == 1, id < 128, "{id}");
        assert_eq!(layout::column_id(&qualifier), Some(id));
    }
    assert_eq!(layout::column_id(&[0x80, 0x00]), None, "one form only");
    assert_eq!(layout::column_id(&[]), None);
    assert_eq!(layout::column_id(&[0xff; 6]), None);
}

#[test]
fn a_table_without_a_key_has_a_hidden_row_id() {
    let columns = vec![ColumnSpec::new("v", DataType::Int32)];
    let table = TableDefinition::typed("t", columns, &[], TableProperties::default()).unwrap();
    assert_eq!(table.row_id, RowIdLayout::Hidden);
    assert!(table.key_columns().is_empty());
}

#[test]
fn bad_typed_tables_are_refused() {
    let int = || ColumnSpec::new("a", DataType::Int32);
    let list = |item, nullable| DataType::List(std::sync::Arc::new(Field::new_list_field(item, nullable)));
    type Case = (Vec<ColumnSpec>, Vec<String>, &'static [(&'static str, &'static str)], &'static str);
    let cases: Vec<Case> = vec![
        (vec![], vec![], &[], "no columns"),
        (vec![int(), int()], vec![], &[], "two columns 'a'"),
        (vec![int()], key(&["b"]), &[], "names 'b'"),
        (vec![int()], key(&["a", "a"]), &[], "'a' twice"),
        (
            vec![ColumnSpec::new("a", list(DataType::Int32, true))],
            key(&["a"]),
            &[],
            "ARRAY<INT>, which no key can have",
        ),
        (
            vec![ColumnSpec::new("a", list(DataType::Float16, true))],
            vec![],
            &[],
            "no encoding for values of type Float16",
        ),
        (
            vec![ColumnSpec::new("a", list(DataType::Int32, false))],
            vec![],
            &[],
            "ARRAY<INT NOT NULL>; NOT NULL inside",
        ),
        (vec![ColumnSpec::new("a", DataType::Float16)], vec![], &[], "no encoding"),
        (vec![ColumnSpec::new("a", DataType::Float16)], key(&["a"]), &[], "no key"),
        (vec![int()], key(&["a"]), &[("columns.mapping", ":rowid")], "mapped tables"),
        (vec![int()], key(&["a"]), &[("composite.rowid", "$")], "mapped tables"),
        (vec![int()], key(&["a"]), &[("visibility.column.a", "X")], "visibility.column.a"),
        (vec![int()], key(&["a"]), &[("visibility.column.b", "X")], "visibility.column.b"),
    ];
    for (columns, key, pairs, wanted) in cases {
        let error = TableDefinition::typed("t", columns, &key, properties(pairs)).unwrap_err();
        assert!(matches!(error.kind, ErrorKind::Invalid | ErrorKind::Unsupported), "{error:?}");
        assert!(error.to_string().contains(wanted), "{wanted}: {error}");
    }
}

#[test]
fn a_mapped_table_is_what_its_mapping_says() {
    let columns = vec![
        ColumnSpec::new("k", DataType::LargeUtf8),
        ColumnSpec::new("a", DataType::Int32).not_null(),
        ColumnSpec::new("at", DataType::Int64),
    ];
    let given = properties(&[("columns.mapping", ":rowid,f:a#b,:timestamp"), ("table.name", "cells")]);
    let table = TableDefinition::mapped("t", columns, true, given).unwrap();
    assert_eq!(table.store_table, "cells");
    assert!(table.external && !table.keys_are_trusted());
    assert_eq!(
        table.row_id,
        RowIdLayout::Single {
            column: 0,
            ty: ostracon_compare::PrimitiveType::Utf8,
            encoding: Encoding::String
        }
    );
    assert_eq!(table.mapped_columns(), ColumnSelection::Columns(vec![ColumnFilter::exact("f", "a")]));
    assert_eq!(table.cells_of([0, 2]), ColumnSelection::Columns(vec![]));
    assert!(table.maps_cell(b"f", b"a") && table.maps_cell(&[0], b"") && !table.maps_cell(b"f", b"b"));
}

#[test]
fn bad_mapped_tables_are_refused() {
    let text = |name: &str| ColumnSpec::new(name, DataType::Utf8);
    let fields = vec![Field::new("x", DataType::Utf8, true)];
    let record = || ColumnSpec::new("k", DataType::Struct(fields.clone().into()));
    type Case = (Vec<ColumnSpec>, &'static [(&'static str, &'static str)], &'static str);
    let cases: Vec<Case> = vec![
        (vec![text("k")], &[], "'columns.mapping' is missing"),
        (vec![text("k"), text("v")], &[("columns.mapping", ":rowid,f")], "position 8"),
        (vec![record()], &[("columns.mapping", ":rowid")], "'composite.rowid'"),
        (vec![text("k")], &[("columns.mapping", ":rowid"), ("composite.rowid", "$")], "needs a STRUCT"),
        (
            vec![text("v")],
            &[("columns.mapping", "f:v"), ("composite.rowid", "$")],
            "no column is mapped to :rowid",
        ),
        (
            vec![text("k"), text("v")],
            &[("columns.mapping", ":rowid,f:v"), ("visibility.column.k", "A")],
            "visibility.column.k",
        ),
    ];
    for (columns, pairs, wanted) in cases {
        let error = TableDefinition::mapped("t", columns, true, properties(pairs)).unwrap_err();
        assert_eq!(error.kind, ErrorKind::Invalid);
        assert!(error.to_string().contains(wanted), "{wanted}: {error}");
    }
}

#[test]
fn composite_row_ids_have_their_layouts() {
    let fields = vec![Field::new("x", DataType::Utf8, true), Field::new("y", DataType::Int32, true)];
    let table = |how| {
        let columns = vec![ColumnSpec::new("k", DataType::Struct(fields.clone().into()))];
        let given = properties(&[("columns.mapping", ":rowid"), ("composite.rowid", how)]);
        TableDefinition::mapped("t", columns, true, given).unwrap().row_id
    };
    assert!(
        matches!(table("native"), RowIdLayout::NativeStruct { lexicoder, .. } if lexicoder.parts().len() == 2)
    );
    assert!(matches!(
        table("$"),
        RowIdLayout::Delimited { delimiter, fields, .. } if delimiter == b"$" && fields.len() == 2
    ));
}

#[test]
fn properties_change_and_the_store_table_stays() {
    let table = events();
    let changed = table.properties.with_changes(&[("max.versions".into(), "3".into())]).unwrap();
    let after = table.with_properties(changed).unwrap();
    assert_eq!(after.properties.max_versions, 3);
    assert_eq!((after.store_table.as_str(), after.columns.len()), ("events", 4));
    assert_eq!(after.kind, table.kind);
}

#[test]
fn the_catalog_form_is_stable() {
    let bytes = events().to_catalog().unwrap();
    let wanted = concat!(
        r#"{"version":1,"name":"events","columns":["#,
        r#"{"name":"id","type":"int64","nullable":false},"#,
        r#"{"name":"at","type":"timestamp ns","nullable":false},"#,
        r#"{"name":"kind","type":"utf8","nullable":false},"#,
        r#"{"name":"amount","type":"decimal128 12 2","nullable":true,"default":"0"}],"#,
        r#""layout":{"typed":{"key":[0,1],"ids":[0,0,3,4],"next_id":5}},"#,
        r#""properties":[],"store_table":"events"}"#,
    );
    assert_eq!(String::from_utf8(bytes.clone()).unwrap(), wanted);
    assert_eq!(TableDefinition::from_catalog(&bytes).unwrap(), events());
}

#[test]
fn nested_types_have_a_catalog_form() {
    let item = DataType::Struct(vec![Field::new("a", DataType::LargeUtf8, true)].into());
    let list = DataType::LargeList(std::sync::Arc::new(Field::new("element", item, true)));
    let table = TableDefinition::typed("t", vec![ColumnSpec::new("l", list)], &[], properties(&[])).unwrap();
    let bytes = table.to_catalog().unwrap();
    let wanted = r#"{"name":"l","type":{"list":{"struct":[["a","utf8"]]}},"nullable":true}"#;
    assert!(String::from_utf8_lossy(&bytes).contains(wanted), "{}", String::from_utf8_lossy(&bytes));
    assert_eq!(TableDefinition::from_catalog(&bytes).unwrap(), table);
}

#[test]
fn bad_catalog_entries_are_refused() {
    let good = String::from_utf8(events().to_catalog().unwrap()).unwrap();
    let cases = [
        (String::new(), ErrorKind::Corrupt),
        ("{}".to_owned(), ErrorKind::Corrupt),
        (good.replace("\"version\":1", "\"version\":3"), ErrorKind::Unsupported),
        (good.replace("timestamp ns", "timestamp weeks"), ErrorKind::Corrupt),
        (good.replace("[0,0,3,4]", "[0,0,3]"), ErrorKind::Corrupt),
        (good.replace("\"next_id\":5", "\"next_id\":4"), ErrorKind::Corrupt),
        (good.replace("\"key\":[0,1]", "\"key\":[0,9]"), ErrorKind::Corrupt),
        (good.replace("decimal128 12 2", "decimal128 12"), ErrorKind::Corrupt),
    ];
    for (text, kind) in cases {
        assert_eq!(TableDefinition::from_catalog(text.as_bytes()).unwrap_err().kind, kind, "{text}");
    }
}

proptest! {
    #[test]
    fn any_table_comes_back_from_the_catalog(seed in any::<u64>()) {
        let table = sample(&mut Random::new(seed), false).definition;
        let bytes = table.to_catalog().unwrap();
        prop_assert_eq!(TableDefinition::from_catalog(&bytes).unwrap(), table);
    }

    #[test]
    fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..60)) {
        let _ = TableDefinition::from_catalog(&bytes);
    }
}

/// Dropped columns stay known at rest: a row may have no other cell. Their ids are not given away again.
#[test]
fn changed_columns_come_back_from_the_catalog() {
    let mut table = events();
    for change in [
        ColumnChange::Drop("amount".to_owned()),
        ColumnChange::Add(ColumnSpec::new("amount", DataType::Int32)),
        ColumnChange::Rename { from: "at".to_owned(), to: "time".to_owned() },
    ] {
        table = table.with_change(&change).unwrap();
        assert_eq!(TableDefinition::from_catalog(&table.to_catalog().unwrap()).unwrap(), table);
    }
    let names: Vec<&str> = table.columns.iter().map(|column| column.name.as_str()).collect();
    assert_eq!(names, ["id", "time", "kind", "amount"]);
    assert!(table.maps_cell(b"c", &[4]) && table.maps_cell(b"c", &[5]) && !table.maps_cell(b"c", &[6]));
    assert_eq!(table.cells_of([3]), ColumnSelection::Columns(vec![ColumnFilter::exact("c", [5])]));
    assert_eq!(table.kind, TableKind::Typed { next_column_id: 6 });
    let catalog = String::from_utf8(table.to_catalog().unwrap()).unwrap();
    assert!(catalog.contains("\"version\":2"), "a program that knows no dropped columns must not read it");
    // The places of key columns follow.
    let keyed = TableDefinition::typed(
        "t",
        vec![ColumnSpec::new("a", DataType::Int32), ColumnSpec::new("k", DataType::Int32)],
        &key(&["k"]),
        TableProperties::default(),
    );
    let keyed = keyed.unwrap().with_change(&ColumnChange::Drop("a".to_owned())).unwrap();
    assert_eq!(keyed.key_columns(), [0]);
    assert_eq!(TableDefinition::from_catalog(&keyed.to_catalog().unwrap()).unwrap(), keyed);
}
