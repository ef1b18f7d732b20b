//! Footers clipped to a request: what a chunk says goes with its leaf.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking, its helpers too")]

use std::sync::Arc;

use arrow::array::{
    ArrayRef, DictionaryArray, DurationMillisecondArray, Int32Array, LargeStringArray, RecordBatch,
    StructArray, TimestampMicrosecondArray,
};
use arrow::datatypes::{DataType, Field, Fields, Int32Type, TimeUnit};
use ostracon_parquet::{ClippedFooter, Matching, Reason, RequestedSchema};
use parquet::arrow::{ArrowWriter, parquet_to_arrow_schema};
use parquet::file::metadata::{ParquetMetaData, ParquetMetaDataBuilder};
use parquet::file::properties::WriterProperties;

fn columns(names: &[&str]) -> RequestedSchema {
    let fields = names.iter().map(|name| Field::new(*name, DataType::Null, true));
    RequestedSchema::from_arrow(&fields.collect::<Fields>())
}

/// The footer of a file of two row groups with statistics, page indexes and Bloom filters.
fn footer(columns: Vec<(&str, ArrayRef)>) -> ParquetMetaData {
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let properties = WriterProperties::builder()
        .set_max_row_group_row_count(Some(2))
        .set_bloom_filter_enabled(true)
        .build();
    let mut writer = ArrowWriter::try_new(Vec::new(), batch.schema(), Some(properties)).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap()
}

fn numbers(first: i32) -> ArrayRef {
    Arc::new((first..first + 4).collect::<Int32Array>())
}

#[test]
fn chunks_go_with_their_leaves() {
    let pair: StructArray = vec![
        (Arc::new(Field::new("x", DataType::Int32, true)), numbers(10)),
        (Arc::new(Field::new("y", DataType::Int32, true)), numbers(20)),
    ]
    .into();
    let file = footer(vec![("a", numbers(0)), ("s", Arc::new(pair)), ("b", numbers(30))]);
    let below = Fields::from(vec![Field::new("Y", DataType::Int64, true)]);
    let fields = Fields::from(vec![
        Field::new("B", DataType::Int64, true),
        Field::new("s", DataType::Struct(below), true),
    ]);
    let requested = RequestedSchema::from_arrow(&fields);
    let clipped = ClippedFooter::new(&file, &requested, Matching::CaseInsensitive).unwrap();
    assert_eq!(clipped.clipped.leaves, [3, 2]);
    assert_eq!(clipped.metadata.num_row_groups(), 2);
    for (old, new) in file.row_groups().iter().zip(clipped.metadata.row_groups()) {
        assert_eq!((old.num_rows(), old.ordinal()), (new.num_rows(), new.ordinal()));
        assert_eq!(new.num_columns(), 2);
        for (leaf, new) in [(3, new.column(0)), (2, new.column(1))] {
            let old = old.column(leaf);
            assert!(old.statistics().is_some() && old.bloom_filter_offset().is_some());
            assert!(old.column_index_offset().is_some() && old.offset_index_offset().is_some());
            assert_eq!(old.statistics(), new.statistics());
            assert_eq!(old.byte_range(), new.byte_range());
            assert_eq!(old.bloom_filter_offset(), new.bloom_filter_offset());
            assert_eq!(old.bloom_filter_length(), new.bloom_filter_length());
            assert_eq!(old.column_index_offset(), new.column_index_offset());
            assert_eq!(old.column_index_length(), new.column_index_length());
            assert_eq!(old.offset_index_offset(), new.offset_index_offset());
            assert_eq!(old.offset_index_length(), new.offset_index_length());
        }
    }
    let names: Vec<String> = clipped
        .metadata
        .file_metadata()
        .schema_descr()
        .columns()
        .iter()
        .map(|leaf| leaf.path().string())
        .collect();
    assert_eq!(names, ["B", "s.Y"]);
}

#[test]
fn arrows_own_types_stay() {
    let texts: DictionaryArray<Int32Type> = ["a", "b", "a", "b"].into_iter().collect();
    let zoned = TimestampMicrosecondArray::from(vec![1, 2, 3, 4]).with_timezone("+01:00");
    let file = footer(vec![
        ("plain", numbers(0)),
        ("texts", Arc::new(texts)),
        ("large", Arc::new(LargeStringArray::from(vec!["a", "b", "c", "d"]))),
        ("spans", Arc::new(DurationMillisecondArray::from(vec![1, 2, 3, 4]))),
        ("zoned", Arc::new(zoned)),
    ]);
    let clipped =
        ClippedFooter::new(&file, &columns(&["zoned", "spans", "large", "texts"]), Matching::Exact).unwrap();
    let file = clipped.metadata.file_metadata();
    let schema = parquet_to_arrow_schema(file.schema_descr(), file.key_value_metadata()).unwrap();
    let types: Vec<&DataType> = schema.fields().iter().map(|field| field.data_type()).collect();
    let dictionary = DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8));
    assert_eq!(
        types,
        [
            &DataType::Timestamp(TimeUnit::Microsecond, Some("+01:00".into())),
            &DataType::Duration(TimeUnit::Millisecond),
            &DataType::LargeUtf8,
            &dictionary
        ]
    );
}

#[test]
fn row_groups_of_another_file_are_refused() {
    let file = footer(vec![("a", numbers(0)), ("b", numbers(4))]);
    for other in [
        footer(vec![("a", numbers(0))]),
        footer(vec![("a", numbers(0)), ("b", Arc::new(LargeStringArray::from(vec!["x"; 4])))]),
    ] {
        let mixed = ParquetMetaDataBuilder::new(file.file_metadata().clone())
            .set_row_groups(other.row_groups().to_vec())
            .build();
        let error = ClippedFooter::new(&mixed, &columns(&["a"]), Matching::Exact).unwrap_err();
        assert!(matches!(error.reason, Reason::Footer(_)), "{error}");
        assert!(error.to_string().contains("row group 0 has"), "{error}");
    }
}
