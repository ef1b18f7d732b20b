use std::sync::Arc;

use datafusion::arrow::array::{
    Array, ArrayRef, AsArray, Int32Array, ListArray, MapArray, StringArray, StructArray,
};
use datafusion::arrow::buffer::{NullBuffer, OffsetBuffer};
use datafusion::arrow::datatypes::{DataType, Field, Fields, Int64Type};

use crate::parquet::convert::convert;
use crate::statement::data_type::{map_of, read_type_name};

fn struct_of(fields: Vec<(Field, ArrayRef)>, nulls: Option<NullBuffer>) -> StructArray {
    let (fields, columns): (Vec<Field>, Vec<ArrayRef>) = fields.into_iter().unzip();
    StructArray::new(fields.into(), columns, nulls)
}

fn map_array(keys: ArrayRef, values: ArrayRef, offsets: Vec<i32>, nulls: Option<NullBuffer>) -> MapArray {
    let entries = struct_of(
        vec![
            (Field::new("k", keys.data_type().clone(), false), keys),
            (Field::new("v", values.data_type().clone(), true), values),
        ],
        None,
    );
    let field = Arc::new(Field::new("key_value", entries.data_type().clone(), false));
    MapArray::new(field, OffsetBuffer::new(offsets.into()), entries, nulls, false)
}

#[test]
fn a_required_field_below_null_is_null() {
    let x: ArrayRef = Arc::new(Int32Array::from(vec![1, 0, 3]));
    let inner = struct_of(vec![(Field::new("x", DataType::Int32, false), x)], None);
    let outer = struct_of(
        vec![(Field::new("i", inner.data_type().clone(), false), Arc::new(inner))],
        Some(NullBuffer::from(vec![true, false, true])),
    );
    let to = read_type_name("STRUCT<i STRUCT<x BIGINT>>").unwrap();
    let made = convert(&(Arc::new(outer) as ArrayRef), &to).unwrap();
    let inner = made.as_struct().column(0).as_struct();
    assert!(inner.is_null(1) && inner.is_valid(0));
    let x = inner.column(0).as_primitive::<Int64Type>();
    assert_eq!(x.iter().collect::<Vec<_>>(), [Some(1), None, Some(3)]);
}

#[test]
fn fields_are_found_by_name_and_added_as_null() {
    let x: ArrayRef = Arc::new(Int32Array::from(vec![1, 2]));
    let y: ArrayRef = Arc::new(StringArray::from(vec!["a", "b"]));
    let element = struct_of(
        vec![(Field::new("x", DataType::Int32, true), x), (Field::new("y", DataType::Utf8, true), y)],
        None,
    );
    let field = Arc::new(Field::new("array", element.data_type().clone(), false));
    let list = ListArray::new(field, OffsetBuffer::new(vec![0, 2, 2].into()), Arc::new(element), None);
    let to = read_type_name("ARRAY<STRUCT<z INT, y VARCHAR>>").unwrap();
    let made = convert(&(Arc::new(list) as ArrayRef), &to).unwrap();
    assert_eq!(made.data_type(), &to);
    let values = made.as_list::<i32>().values().as_struct();
    assert_eq!(values.column(0).null_count(), 2);
    assert_eq!(values.column(1).as_string::<i32>().value(1), "b");
}

#[test]
fn the_last_of_equal_keys_counts() {
    let keys: ArrayRef = Arc::new(StringArray::from(vec!["a", "b", "a", "x", "y", "a"]));
    let values: ArrayRef = Arc::new(Int32Array::from(vec![1, 2, 3, 7, 8, 9]));
    let nulls = NullBuffer::from(vec![true, false, true]);
    let map = map_array(keys, values, vec![0, 3, 5, 6], Some(nulls));
    let to = map_of(DataType::Utf8, DataType::Int64, true);
    let made = convert(&(Arc::new(map) as ArrayRef), &to).unwrap();
    let made = made.as_map();
    assert_eq!(made.data_type(), &to);
    assert_eq!((made.value_length(0), made.is_null(1), made.value_length(2)), (2, true, 1));
    let first = made.value(0);
    let keys: Vec<_> = first.column(0).as_string::<i32>().iter().flatten().collect();
    assert_eq!(keys, ["b", "a"]);
    assert_eq!(first.column(1).as_primitive::<Int64Type>().values().as_ref(), [2, 3]);
}

#[test]
fn values_of_maps_are_found_by_name() {
    let keys: ArrayRef = Arc::new(StringArray::from(vec!["a"]));
    let p: ArrayRef = Arc::new(Int32Array::from(vec![10]));
    let q: ArrayRef = Arc::new(Int32Array::from(vec![100]));
    let values = struct_of(
        vec![(Field::new("p", DataType::Int32, true), p), (Field::new("q", DataType::Int32, true), q)],
        None,
    );
    let map = map_array(keys, Arc::new(values), vec![0, 1], None);
    let to = read_type_name("MAP<VARCHAR, STRUCT<q BIGINT, r VARCHAR>>").unwrap();
    let made = convert(&(Arc::new(map) as ArrayRef), &to).unwrap();
    let values = made.as_map().values().as_struct();
    assert_eq!(values.column(0).as_primitive::<Int64Type>().value(0), 100);
    assert_eq!(values.column(1).null_count(), 1);
}

#[test]
fn a_struct_of_nothing_known_keeps_its_nulls() {
    let x: ArrayRef = Arc::new(Int32Array::from(vec![1, 2]));
    let given = struct_of(
        vec![(Field::new("x", DataType::Int32, true), x)],
        Some(NullBuffer::from(vec![true, false])),
    );
    let to = DataType::Struct(Fields::from(vec![Field::new("other", DataType::Utf8, true)]));
    let made = convert(&(Arc::new(given) as ArrayRef), &to).unwrap();
    assert_eq!((made.is_null(0), made.is_null(1)), (false, true));
    assert_eq!(made.as_struct().column(0).null_count(), 2);
}
