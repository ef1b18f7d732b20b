//! Shapes that few writers make, and readers take for others.

use datafusion::parquet::file::properties::WriterProperties;
use ostracon::Session;
use tempfile::TempDir;

use std::sync::Arc;

use datafusion::arrow::array::{
    ArrayRef, DurationMillisecondArray, FixedSizeListArray, RecordBatch, TimestampMicrosecondArray,
    TimestampSecondArray,
};
use datafusion::arrow::datatypes::Int32Type;
use datafusion::parquet::arrow::ArrowWriter;

use crate::files::{Column, Values, ids, write};
use crate::session::{rows, run, session};

/// A table over one file of one row group.
async fn table(columns: &str, options: &str, message: &str, group: Vec<Column>) -> (Session, TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("f.parquet");
    write(&path, message, WriterProperties::default(), vec![group]);
    let session = session();
    let sql = format!(
        "CREATE EXTERNAL TABLE t {columns} STORED AS PARQUET LOCATION '{}' {options}",
        path.display()
    );
    run(&session, &sql).await.unwrap();
    (session, folder)
}

#[tokio::test]
async fn a_wrapper_of_one_repeated_field_is_a_struct() {
    let message = "message m { required int64 id; optional group f (LIST) { repeated group wrapper \
                   { repeated int32 items; } } }";
    // [{[1, 2]}, {[3]}], [], NULL, [{[]}, {[4]}]
    let column = (Values::Ints(vec![1, 2, 3, 4]), vec![3, 3, 3, 1, 0, 2, 3], vec![0, 2, 1, 0, 0, 0, 1]);
    for columns in ["", "(id BIGINT, f ARRAY<STRUCT<items ARRAY<INT>>>)"] {
        let (session, _folder) = table(columns, "", message, vec![ids(1..=4), column.clone()]).await;
        assert_eq!(
            rows(&session, "SELECT * FROM t").await,
            ["1|[{items: [1, 2]}, {items: [3]}]", "2|[]", "3|NULL", "4|[{items: []}, {items: [4]}]"]
        );
    }
}

#[tokio::test]
async fn the_value_of_a_map_may_repeat() {
    let message = "message m { required int64 id; optional group m (MAP) { repeated group key_value \
                   { required binary key (UTF8); repeated int32 value; } } }";
    // {a: [1, 2], b: []}, NULL
    let keys = (Values::Texts(vec!["a", "b"]), vec![2, 2, 0], vec![0, 1, 0]);
    let values = (Values::Ints(vec![1, 2]), vec![3, 3, 2, 0], vec![0, 2, 1, 0]);
    for columns in ["", "(id BIGINT, m MAP<VARCHAR, ARRAY<BIGINT>>)"] {
        let (session, _folder) =
            table(columns, "", message, vec![ids(1..=2), keys.clone(), values.clone()]).await;
        assert_eq!(rows(&session, "SELECT * FROM t").await, ["1|{a: [1, 2], b: []}", "2|NULL"]);
    }
}

#[tokio::test]
async fn names_that_differ_by_case_only() {
    let message = "message m { optional group s { optional int32 a; optional int32 A; } }";
    let a = (Values::Ints(vec![1]), vec![2], vec![]);
    let upper = (Values::Ints(vec![2]), vec![2], vec![]);
    let group = vec![a, upper];
    let (session, _folder) = table("", "", message, group.clone()).await;
    assert_eq!(rows(&session, "SELECT * FROM t").await, ["{a: 1, A: 2}"]);
    let (session, _folder) = table("(s STRUCT<a INT>)", "", message, group.clone()).await;
    let error = run(&session, "SELECT * FROM t").await.unwrap_err();
    assert!(error.message.contains("s.a") && error.message.contains("[a, A]"), "{error}");
    assert_eq!(rows(&session, "SELECT s IS NULL FROM t").await, ["false"]);
    let exact = "OPTIONS ('schema.case_sensitive' 'true')";
    let (session, _folder) = table("(s STRUCT<\"A\" INT, b INT>)", exact, message, group).await;
    assert_eq!(rows(&session, "SELECT * FROM t").await, ["{A: 2, b: NULL}"]);
}

#[tokio::test]
async fn a_required_field_of_a_null_struct_is_null() {
    let message = "message m { required int64 id; optional group s { required int32 x; } }";
    let x = (Values::Ints(vec![7, 0]), vec![1, 0, 1], vec![]);
    for columns in ["", "(id BIGINT, s STRUCT<x INT>)", "(id BIGINT, s STRUCT<x BIGINT NOT NULL>)"] {
        let (session, _folder) = table(columns, "", message, vec![ids(1..=3), x.clone()]).await;
        for filters in ["false", "true"] {
            run(&session, &format!("SET datafusion.execution.parquet.pushdown_filters = {filters}"))
                .await
                .unwrap();
            assert_eq!(rows(&session, "SELECT s['x'] FROM t").await, ["0", "7", "NULL"]);
            assert_eq!(rows(&session, "SELECT id FROM t WHERE s['x'] = 0").await, ["3"]);
            assert_eq!(rows(&session, "SELECT id FROM t WHERE s['x'] IS NULL").await, ["2"]);
            assert_eq!(rows(&session, "SELECT id FROM t WHERE s IS NULL").await, ["2"]);
            assert_eq!(rows(&session, "SELECT count(s['x']), count(s) FROM t").await, ["2|2"]);
        }
    }
}

#[tokio::test]
async fn a_struct_of_one_repeated_field_stays_a_struct_when_clipped() {
    let message = "message m { required int64 id; optional group f (LIST) { repeated group array \
                   { optional int32 x; repeated int32 y; } } }";
    // [{1, [2, 3]}, {NULL, []}]
    let x = (Values::Ints(vec![1]), vec![3, 2], vec![0, 1]);
    let y = (Values::Ints(vec![2, 3]), vec![3, 3, 2], vec![0, 2, 1]);
    let group = vec![ids([1]), x, y];
    let (session, _folder) = table("(f ARRAY<STRUCT<y ARRAY<INT>>>)", "", message, group).await;
    assert_eq!(rows(&session, "SELECT * FROM t").await, ["[{y: [2, 3]}, {y: []}]"]);
    assert_eq!(rows(&session, "SELECT cardinality(f) FROM t").await, ["2"]);
}

/// What Parquet has no type for, Arrow's writers note beside it.
#[tokio::test]
async fn noted_types_count_where_no_columns_are_declared() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("f.parquet");
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("d", Arc::new(DurationMillisecondArray::from(vec![1500]))),
        ("t", Arc::new(TimestampSecondArray::from(vec![60]))),
        ("z", Arc::new(TimestampMicrosecondArray::from(vec![0]).with_timezone("+02:00"))),
        (
            "l",
            Arc::new(FixedSizeListArray::from_iter_primitive::<Int32Type, _, _>(
                vec![Some(vec![Some(1), Some(2)])],
                2,
            )),
        ),
    ];
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let mut writer =
        ArrowWriter::try_new(std::fs::File::create(&path).unwrap(), batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    let session = session();
    for (table, columns) in [("noted", ""), ("plain", "(d BIGINT, t BIGINT, z TIMESTAMP, l ARRAY<BIGINT>)")] {
        let sql = format!(
            "CREATE EXTERNAL TABLE {table} {columns} STORED AS PARQUET LOCATION '{}'",
            path.display()
        );
        run(&session, &sql).await.unwrap();
    }
    let found = rows(&session, "SELECT * FROM noted").await;
    assert_eq!(found, ["PT1.5S|1970-01-01T00:01:00|1970-01-01T02:00:00+02:00|[1, 2]"]);
    assert_eq!(rows(&session, "SELECT * FROM plain").await, ["1500|60|1970-01-01T00:00:00|[1, 2]"]);
}
