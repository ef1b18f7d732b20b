//! Random nested types and arrays of them.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, ListArray, MapArray, StructArray, new_empty_array};
use arrow::buffer::{NullBuffer, OffsetBuffer};
use arrow::datatypes::{DataType, Field, Fields};
use datafusion::common::ScalarValue;

use super::{Random, data_type, nullable, value};

/// A struct, list or map of types that a cell can have, of a few levels.
pub(crate) fn nested_type(random: &mut Random, levels: usize) -> DataType {
    let part = |random: &mut Random| match levels > 0 && random.one_in(3) {
        true => nested_type(random, levels - 1),
        false => data_type(random),
    };
    match random.below(3) {
        0 => DataType::List(Arc::new(Field::new_list_field(part(random), true))),
        1 => {
            let fields = (0..1 + random.below(3)).map(|i| Field::new(format!("f{i}"), part(random), true));
            DataType::Struct(fields.collect())
        }
        _ => {
            let key = if random.one_in(2) { DataType::Utf8 } else { data_type(random) };
            let pair = vec![Field::new("key", key, false), Field::new("value", part(random), true)];
            let entries = Field::new("entries", DataType::Struct(Fields::from(pair)), false);
            DataType::Map(Arc::new(entries), false)
        }
    }
}

/// So many values of a type, some of them NULL if they may be.
pub(crate) fn nested_array(random: &mut Random, data_type: &DataType, count: usize, nulls: bool) -> ArrayRef {
    let valid: Vec<bool> = (0..count).map(|_| !(nulls && random.one_in(4))).collect();
    let nulls_of = |valid: Vec<bool>| nulls.then(|| NullBuffer::from(valid));
    // A NULL has no entries: they would be lost.
    let lengths = |random: &mut Random, valid: &[bool]| -> Vec<usize> {
        valid.iter().map(|valid| if *valid { random.below(4) } else { 0 }).collect()
    };
    match data_type {
        DataType::List(item) => {
            let lengths = lengths(random, &valid);
            let items = nested_array(random, item.data_type(), lengths.iter().sum(), true);
            let offsets = OffsetBuffer::from_lengths(lengths);
            Arc::new(ListArray::new(Arc::clone(item), offsets, items, nulls_of(valid)))
        }
        DataType::Struct(fields) => {
            let parts = fields.iter().map(|field| nested_array(random, field.data_type(), count, true));
            let parts = parts.map(|part| without(&part, &valid)).collect();
            Arc::new(StructArray::new(fields.clone(), parts, nulls_of(valid)))
        }
        DataType::Map(entries, _) => {
            let DataType::Struct(pair) = entries.data_type() else { panic!("a map has entries") };
            let lengths = lengths(random, &valid);
            let total = lengths.iter().sum();
            let keys = nested_array(random, pair[0].data_type(), total, false);
            let values = nested_array(random, pair[1].data_type(), total, true);
            let pairs = StructArray::new(pair.clone(), vec![keys, values], None);
            let offsets = OffsetBuffer::from_lengths(lengths);
            Arc::new(MapArray::new(Arc::clone(entries), offsets, pairs, nulls_of(valid), false))
        }
        plain if count == 0 => new_empty_array(plain),
        plain => {
            let values =
                valid.iter().map(|_| if nulls { nullable(random, plain, 4) } else { value(random, plain) });
            ScalarValue::iter_to_array(values.collect::<Vec<_>>()).expect("values of one type")
        }
    }
}

/// The array with NULL where its parent has NULL, as it is read back.
fn without(array: &ArrayRef, valid: &[bool]) -> ArrayRef {
    let places = valid.iter().enumerate().map(|(i, valid)| valid.then_some(i as u64));
    let places = arrow::array::UInt64Array::from(places.collect::<Vec<_>>());
    let taken = arrow::compute::take(array, &places, None).expect("places of the array");
    assert_eq!(taken.len(), array.len());
    taken
}
