//! The columns of a batch, ready to be read row by row: plain values, nested ones of one cell, structs and maps.

use arrow::array::{Array, ArrayRef, AsArray, MapArray};
use arrow::datatypes::DataType;
use ostracon_compare::PrimitiveType;

use super::nested::NestedReader;
use super::reader::ValueReader;
use crate::definition::{ColumnDefinition, map_parts};
use crate::error::{HandlerError, Result};
use crate::mapping::ColumnTarget;

/// One column of a batch, ready to be read row by row.
#[derive(Debug)]
#[expect(
    clippy::large_enum_variant,
    reason = "one a column, not one a row: a box would cost a step at each row"
)]
pub(super) enum Reader {
    Plain(ValueReader),
    Nested(NestedReader),
    Struct {
        array: ArrayRef,
        fields: Vec<ValueReader>,
    },
    Map {
        array: MapArray,
        keys: ValueReader,
        values: ValueReader,
        key_type: PrimitiveType,
        value_type: PrimitiveType,
    },
    /// A column that is not asked for.
    Unread,
}

impl Reader {
    /// A reader of `array` as values of a column; plain parts of another type are cast.
    pub(super) fn new(array: &ArrayRef, definition: &ColumnDefinition) -> Result<Self> {
        let ColumnDefinition { data_type, name: column, .. } = definition;
        let not_plain = || HandlerError::internal(format!("column '{column}' has parts that are not plain"));
        match data_type {
            nested if nested.is_nested() && matches!(definition.target, ColumnTarget::Cell { .. }) => {
                Ok(Reader::Nested(NestedReader::new(array, nested, column)?))
            }
            DataType::Struct(fields) => {
                let parts = array
                    .as_struct_opt()
                    .filter(|array| array.num_columns() == fields.len())
                    .ok_or_else(|| wrong_type(array, data_type, column))?;
                let readers = fields
                    .iter()
                    .zip(parts.columns())
                    .map(|(field, array)| ValueReader::new(array, field.data_type(), column))
                    .collect::<Result<Vec<_>>>()?;
                Ok(Reader::Struct { array: array.clone(), fields: readers })
            }
            DataType::Map(entries, _) => {
                let map = array.as_map_opt().ok_or_else(|| wrong_type(array, data_type, column))?;
                let (key, value) = map_parts(entries).ok_or_else(not_plain)?;
                Ok(Reader::Map {
                    keys: ValueReader::new(map.keys(), key, column)?,
                    values: ValueReader::new(map.values(), value, column)?,
                    key_type: PrimitiveType::from_arrow(key).ok_or_else(not_plain)?,
                    value_type: PrimitiveType::from_arrow(value).ok_or_else(not_plain)?,
                    array: map.clone(),
                })
            }
            plain => Ok(Reader::Plain(ValueReader::new(array, plain, column)?)),
        }
    }
}

fn wrong_type(array: &ArrayRef, data_type: &DataType, column: &str) -> HandlerError {
    HandlerError::invalid(format!(
        "column '{column}' of type {data_type} cannot take a value of type {}",
        array.data_type()
    ))
}

/// The positions of a row's entries; none for NULL.
pub(super) fn entries(array: &MapArray, row: usize) -> std::ops::Range<usize> {
    let at = |i: usize| array.value_offsets().get(i).and_then(|offset| usize::try_from(*offset).ok());
    match (array.is_null(row), at(row), at(row + 1)) {
        (false, Some(start), Some(end)) => start..end,
        _ => 0..0,
    }
}
