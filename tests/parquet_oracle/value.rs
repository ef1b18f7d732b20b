//! Values: made for a file's fields, and what a reader is to make of them.

use std::sync::Arc;

use datafusion::arrow::array::{
    ArrayRef, BooleanArray, Float32Array, Float64Array, Int32Array, Int64Array, ListArray, MapArray,
    StringArray, StructArray,
};
use datafusion::arrow::buffer::{NullBuffer, OffsetBuffer};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{DataType, FieldRef};

use crate::flavour::{Kind, Leaf, Node};
use crate::random::Random;

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Value {
    Null,
    Whole(i32),
    Real(f32),
    Text(String),
    Truth(bool),
    /// By the names of the schema.
    Struct(Vec<(String, Value)>),
    List(Vec<Value>),
    Map(Vec<(Value, Value)>),
}

/// A value that a field may have.
pub(crate) fn value(random: &mut Random, node: &Node) -> Value {
    if node.optional && node.name != "key" && random.chance(20) {
        return Value::Null;
    }
    match &node.kind {
        Kind::Leaf(Leaf::Int | Leaf::Long) => Value::Whole(random.below(9) as i32 - 2),
        Kind::Leaf(Leaf::Float | Leaf::Double) => Value::Real((random.below(9) as f32 - 2.0) / 4.0),
        Kind::Leaf(Leaf::Text) => Value::Text(format!("t{}", random.below(5))),
        Kind::Leaf(Leaf::Truth) => Value::Truth(random.chance(50)),
        Kind::Struct(fields) => {
            Value::Struct(fields.iter().map(|field| (field.name.clone(), value(random, field))).collect())
        }
        Kind::List(_, element) => Value::List((0..random.below(4)).map(|_| value(random, element)).collect()),
        Kind::Map(.., parts) => {
            let mut entries: Vec<(Value, Value)> = Vec::new();
            for _ in 0..random.below(4) {
                let key = value(random, &parts[0]);
                if entries.iter().all(|(known, _)| *known != key) {
                    entries.push((key, value(random, &parts[1])));
                }
            }
            Value::Map(entries)
        }
    }
}

/// Values as an array of the type asked for: fields by name, NULL for what is not there.
pub(crate) fn array(values: &[&Value], ty: &DataType) -> ArrayRef {
    let valid = || NullBuffer::from_iter(values.iter().map(|value| **value != Value::Null));
    let whole = |value: &&Value| match value {
        Value::Whole(number) => Some(*number),
        Value::Null => None,
        other => panic!("{other:?} is no whole number"),
    };
    let real = |value: &&Value| match value {
        Value::Real(number) => Some(*number),
        Value::Null => None,
        other => panic!("{other:?} is no real number"),
    };
    match ty {
        DataType::Int32 => Arc::new(values.iter().map(whole).collect::<Int32Array>()),
        DataType::Int64 => {
            Arc::new(values.iter().map(|value| whole(value).map(i64::from)).collect::<Int64Array>())
        }
        DataType::Float32 => Arc::new(values.iter().map(real).collect::<Float32Array>()),
        DataType::Float64 => {
            Arc::new(values.iter().map(|value| real(value).map(f64::from)).collect::<Float64Array>())
        }
        DataType::Boolean => Arc::new(
            values
                .iter()
                .map(|value| matches!(value, Value::Truth(_)).then_some(**value == Value::Truth(true)))
                .collect::<BooleanArray>(),
        ),
        DataType::Utf8 | DataType::Utf8View | DataType::LargeUtf8 => {
            let texts: StringArray = values
                .iter()
                .map(|value| match value {
                    Value::Text(text) => Some(text.as_str()),
                    _ => None,
                })
                .collect();
            cast(&texts, ty).unwrap()
        }
        DataType::Struct(fields) => {
            let columns = fields.iter().map(|field| column(values, field)).collect();
            Arc::new(StructArray::new(fields.clone(), columns, Some(valid())))
        }
        DataType::List(item) => {
            let lists: Vec<&[Value]> = values
                .iter()
                .map(|value| match value {
                    Value::List(elements) => elements.as_slice(),
                    _ => &[],
                })
                .collect();
            let elements: Vec<&Value> = lists.iter().flat_map(|list| list.iter()).collect();
            let offsets = OffsetBuffer::from_lengths(lists.iter().map(|list| list.len()));
            Arc::new(ListArray::new(
                Arc::clone(item),
                offsets,
                array(&elements, item.data_type()),
                Some(valid()),
            ))
        }
        DataType::Map(entries, sorted) => {
            let DataType::Struct(fields) = entries.data_type() else { panic!("{ty} is no map") };
            let maps: Vec<&[(Value, Value)]> = values
                .iter()
                .map(|value| match value {
                    Value::Map(entries) => entries.as_slice(),
                    _ => &[],
                })
                .collect();
            let keys: Vec<&Value> = maps.iter().flat_map(|map| map.iter().map(|entry| &entry.0)).collect();
            let held: Vec<&Value> = maps.iter().flat_map(|map| map.iter().map(|entry| &entry.1)).collect();
            let columns = vec![array(&keys, fields[0].data_type()), array(&held, fields[1].data_type())];
            let structs = StructArray::new(fields.clone(), columns, None);
            let offsets = OffsetBuffer::from_lengths(maps.iter().map(|map| map.len()));
            Arc::new(MapArray::new(Arc::clone(entries), offsets, structs, Some(valid()), *sorted))
        }
        other => panic!("no file has {other}"),
    }
}

/// A field of structs; NULL where the struct is, or where it lacks the field.
pub(crate) fn column(structs: &[&Value], field: &FieldRef) -> ArrayRef {
    let name = field.name().to_lowercase();
    let values: Vec<&Value> = structs
        .iter()
        .map(|value| match value {
            Value::Struct(fields) => {
                fields.iter().find(|(known, _)| *known == name).map_or(&Value::Null, |(_, value)| value)
            }
            _ => &Value::Null,
        })
        .collect();
    array(&values, field.data_type())
}
