use std::sync::Arc;

use datafusion::arrow::datatypes::{DataType, Field, Schema};
use datafusion::parquet::arrow::{ARROW_SCHEMA_META_KEY, encode_arrow_schema};
use datafusion::parquet::file::metadata::{FileMetaData, KeyValue, ParquetMetaData, ParquetMetaDataBuilder};
use datafusion::parquet::schema::parser::parse_message_type;
use datafusion::parquet::schema::types::SchemaDescriptor;

use crate::parquet::merge::{Merged, merged};
use crate::statement::sql_type_name;

fn footer(message: &str, arrow: Option<&Schema>) -> Arc<ParquetMetaData> {
    let schema = SchemaDescriptor::new(Arc::new(parse_message_type(message).unwrap()));
    let known = arrow.map(|schema| {
        vec![KeyValue { key: ARROW_SCHEMA_META_KEY.to_owned(), value: Some(encode_arrow_schema(schema)) }]
    });
    let file = FileMetaData::new(1, 0, None, known, Arc::new(schema), None);
    Arc::new(ParquetMetaDataBuilder::new(file).build())
}

fn merge(messages: &[&str], case_sensitive: bool) -> crate::Result<Merged> {
    let footers: Vec<_> = messages
        .iter()
        .enumerate()
        .map(|(nth, message)| (format!("f{nth}"), footer(message, None)))
        .collect();
    merged(&footers, case_sensitive)
}

fn text(merged: &Merged) -> String {
    sql_type_name(&DataType::Struct(merged.columns.clone()))
}

#[test]
fn flavours_order_width_and_fields_merge() {
    let made = merge(
        &[
            "message m { required int32 id; required group l (LIST) { repeated int32 array; } \
             optional group m (MAP) { repeated group map { required binary k (UTF8); optional float v; } } }",
            "message m { optional group m (MAP) { repeated group key_value { required binary key (UTF8); \
             required double value; } } optional group s { optional binary t (UTF8); } \
             optional group l (LIST) { repeated group list { optional int64 element; } } optional int64 id; }",
        ],
        false,
    )
    .unwrap();
    let wanted = "STRUCT<id BIGINT, l ARRAY<BIGINT>, m MAP<VARCHAR, DOUBLE>, s STRUCT<t VARCHAR>>";
    assert_eq!(text(&made), wanted);
    assert!(made.columns.iter().all(|column| column.is_nullable()));
}

#[test]
fn case_joins_columns_unless_a_file_has_both() {
    let both = ["message m { optional int32 a; }", "message m { optional int64 A; }"];
    let made = merge(&both, false).unwrap();
    assert_eq!((text(&made).as_str(), made.case_sensitive), ("STRUCT<a BIGINT>", false));
    assert_eq!(text(&merge(&both, true).unwrap()), "STRUCT<a INT, \"A\" BIGINT>");
    let made =
        merge(&["message m { optional group s { optional int32 a; optional int32 A; } }"], false).unwrap();
    assert!(made.case_sensitive);
}

#[test]
fn refusals_name_file_and_path() {
    let files = [
        "message m { optional group s { optional int32 a; } }",
        "message m { optional group s { optional binary a (UTF8); } }",
    ];
    let error = merge(&files, false).unwrap_err();
    for word in ["column s.a", "f1", "f0", "VARCHAR", "INT"] {
        assert!(error.message.contains(word), "{word}: {error}");
    }
    let files = ["message m { optional int32 a; }", "message m { repeated int32 a; }"];
    assert!(merge(&files, false).unwrap_err().message.contains("column a:"));
}

#[test]
fn the_writers_arrow_types_count_where_they_hold_the_values() {
    let hinted = |data_type: DataType, message: &str| {
        let schema = Schema::new(vec![Field::new("a", data_type, true)]);
        merged(&[("f".into(), footer(message, Some(&schema)))], false).unwrap().columns
    };
    let words = DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8));
    let columns = hinted(words.clone(), "message m { optional binary a (UTF8); }");
    assert_eq!(columns.first().unwrap().data_type(), &words);
    let columns = hinted(
        DataType::LargeList(Arc::new(Field::new("x", DataType::Int32, true))),
        "message m { optional group a (LIST) { repeated group list { optional int32 element; } } }",
    );
    let list = DataType::List(Arc::new(Field::new_list_field(DataType::Int32, true)));
    assert_eq!(columns.first().unwrap().data_type(), &list);
}
