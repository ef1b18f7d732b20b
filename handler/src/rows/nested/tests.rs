use std::sync::Arc;

use arrow::array::{
    Array, ArrayRef, AsArray, FixedSizeListArray, Int32Array, LargeListArray, ListArray, RecordBatch,
};
use arrow::array::{StringArray, StringViewArray, StructArray};
use arrow::buffer::OffsetBuffer;
use arrow::datatypes::{DataType, Field, Int32Type};
use ostracon_iterators::OnBadValue;
use proptest::prelude::*;

use super::*;
use crate::definition::{ColumnSpec, TableDefinition};
use crate::error::ErrorKind;
use crate::generate::{Random, nested_array, nested_type as any_nested_type, row_of};
use crate::properties::{InsertMode, TableProperties};
use crate::rows::{Appended, RowDecoder, RowEncoder, RowExtras};

fn ints() -> DataType {
    DataType::List(Arc::new(Field::new_list_field(DataType::Int32, true)))
}

fn lists(values: Vec<Option<Vec<Option<i32>>>>) -> ListArray {
    ListArray::from_iter_primitive::<Int32Type, _, _>(values)
}

fn read(data_type: &DataType, cells: &[Option<&[u8]>], policy: OnBadValue) -> ArrayRef {
    let mut builder = NestedBuilder::new(data_type).unwrap();
    cells.iter().for_each(|cell| builder.append(*cell, policy).unwrap().unwrap());
    builder.finish().unwrap()
}

fn table(policy: &str) -> TableDefinition {
    let columns = vec![ColumnSpec::new("k", DataType::Utf8), ColumnSpec::new("l", ints())];
    let pairs = [("columns.mapping", ":rowid,f:l#n"), ("on.bad.value", policy)];
    TableDefinition::mapped("t", columns, true, TableProperties::parse(pairs).unwrap()).unwrap()
}

#[test]
fn lists_of_every_form_are_one() {
    let wanted = lists(vec![Some(vec![Some(1), Some(2)]), Some(vec![Some(3), None])]);
    let numbers: ArrayRef = Arc::new(Int32Array::from(vec![Some(1), Some(2), Some(3), None]));
    let item = Arc::new(Field::new("element", DataType::Int32, true));
    let large =
        LargeListArray::new(Arc::clone(&item), OffsetBuffer::from_lengths([2, 2]), numbers.clone(), None);
    let fixed = FixedSizeListArray::new(item, 2, numbers, None);
    for array in [Arc::new(large) as ArrayRef, Arc::new(fixed)] {
        let cells = nested_cells(&array, &ints(), "l").unwrap();
        let cells: Vec<_> = cells.iter().collect();
        assert_eq!(read(&ints(), &cells, OnBadValue::Error).as_list::<i32>(), &wanted);
    }
}

#[test]
fn a_part_of_an_array_is_read_at_its_places() {
    let array: ArrayRef =
        Arc::new(lists(vec![Some(vec![Some(7)]), None, Some(vec![None, Some(8)]), Some(vec![])]));
    let cells = nested_cells(&array.slice(1, 3), &ints(), "l").unwrap();
    let cells: Vec<_> = cells.iter().collect();
    assert_eq!(
        read(&ints(), &cells, OnBadValue::Error).as_list::<i32>(),
        &lists(vec![None, Some(vec![None, Some(8)]), Some(vec![])])
    );
}

#[test]
fn texts_in_views_are_texts() {
    let field = |name: &str, ty| Field::new(name, ty, true);
    let row = DataType::Struct(vec![field("a", DataType::Utf8)].into());
    let texts: ArrayRef =
        Arc::new(StringViewArray::from(vec![Some("a long text, longer than a view"), None]));
    let views = StructArray::new(vec![field("a", DataType::Utf8View)].into(), vec![texts], None);
    let cells = nested_cells(&(Arc::new(views) as ArrayRef), &row, "s").unwrap();
    let found = read(&row, &cells.iter().collect::<Vec<_>>(), OnBadValue::Error);
    let wanted: ArrayRef = Arc::new(StringArray::from(vec![Some("a long text, longer than a view"), None]));
    assert_eq!(found.as_struct().column(0), &wanted);
}

#[test]
fn a_value_that_cannot_be_cast_names_the_column() {
    let text: ArrayRef = Arc::new(StringArray::from(vec!["x"]));
    let error = nested_cells(&text, &ints(), "l").unwrap_err();
    assert_eq!(error.kind, ErrorKind::Invalid);
    assert!(error.to_string().starts_with("column 'l' of type"), "{error}");
}

/// A damaged cell is an error, NULL, or ends its row, and leaves nothing of itself in what is read.
#[test]
fn bad_cells_follow_the_policy() {
    let good = b"\x01\x02\x01\x80\x00\x00\x07".as_slice();
    let bad = b"\x01\x02\x03\x80\x00\x00\x07\x80".as_slice();
    let rows = |decoder: &mut RowDecoder| {
        let mut row = ostracon_data::RowBuffer::new();
        let mut outcomes = Vec::new();
        for (id, cell) in [(b"a", good), (b"b", bad), (b"c", good)] {
            row.clear();
            row.set_row(id);
            row.push_cell(b"f", b"l", b"", 1, cell);
            outcomes.push(decoder.append(&row));
        }
        outcomes
    };
    let mut decoder = RowDecoder::new(&table("null"), None).unwrap();
    assert!(rows(&mut decoder).into_iter().all(|outcome| outcome.unwrap() == Appended::Row));
    let found = decoder.finish().unwrap();
    let seven = || Some(vec![Some(7), None]);
    assert_eq!(found.column(1).as_list::<i32>(), &lists(vec![seven(), None, seven()]));

    let mut decoder = RowDecoder::new(&table("skip_row"), None).unwrap();
    let outcomes: Vec<_> = rows(&mut decoder).into_iter().map(|outcome| outcome.unwrap()).collect();
    assert_eq!(outcomes, [Appended::Row, Appended::Skipped, Appended::Row]);
    assert_eq!(decoder.finish().unwrap().column(1).as_list::<i32>(), &lists(vec![seven(), seven()]));

    let mut decoder = RowDecoder::new(&table("error"), None).unwrap();
    let error = rows(&mut decoder).swap_remove(1).unwrap_err();
    assert!(error.to_string().contains("row 'b', column 'l'"), "{error}");
    assert!(error.to_string().contains("List(Int32) as native: the bytes end"), "{error}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    /// Arrays become cells and arrays again, by the encoder of rows and by that of bulk loads alike.
    #[test]
    fn arrays_come_back(seed in any::<u64>(), count in 0_usize..6) {
        let random = &mut Random::new(seed);
        let data_type = any_nested_type(random, 3);
        let array = nested_array(random, &data_type, count, true);
        let cells = nested_cells(&array, &data_type, "n").unwrap();
        let read = read(&data_type, &cells.iter().collect::<Vec<_>>(), OnBadValue::Error);
        prop_assert_eq!(read.to_data(), array.to_data());

        let columns = vec![ColumnSpec::new("n", data_type)];
        let table = TableDefinition::typed("t", columns, &[], TableProperties::default()).unwrap();
        let batch = RecordBatch::try_new(table.write_schema(), vec![array]).unwrap();
        let encoder = RowEncoder::new(&table, InsertMode::Upsert, None).unwrap();
        let extras = RowExtras { first_hidden_id: Some(1), ..RowExtras::default() };
        for (mutation, cell) in encoder.encode(&batch, extras).unwrap().iter().zip(cells.iter()) {
            let row = row_of(mutation);
            let found = row.find(b"c", b"\x01").map(|cell| cell.value);
            prop_assert_eq!(found, cell);
        }
    }
}
