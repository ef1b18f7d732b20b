use arrow::array::{Array, AsArray};
use arrow::datatypes::{DataType, Float32Type, Float64Type, Int32Type, Int64Type};
use datafusion::error::DataFusionError;
use ostracon_piglatin::types::{PigType, Schema};
use ostracon_piglatin::value::Value;
use ostracon_piglatin::value::encode::decode;

use crate::columns::{arrow_type, datetime_from_packed, is_encoded};

/// An array does not hold what its type says.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ColumnError {
    /// The array has another type than values of the Pig type lie in.
    #[error("a column of type {found} was given where {expected} was due")]
    Type {
        /// What was given.
        found: DataType,
        /// What was due.
        expected: DataType,
    },
    /// Bytes that are no value.
    #[error("a value's bytes cannot be read: {0}")]
    Bytes(String),
}

impl From<ColumnError> for DataFusionError {
    fn from(error: ColumnError) -> Self {
        Self::External(Box::new(error))
    }
}

/// The value in one row of an array.
///
/// # Errors
/// If the array is not one that values of this type lie in.
pub fn value_at(array: &dyn Array, ty: &PigType, row: usize) -> Result<Value, ColumnError> {
    if array.is_null(row) {
        return Ok(Value::Null);
    }
    let mismatch = || ColumnError::Type { found: array.data_type().clone(), expected: arrow_type(ty) };
    if is_encoded(ty) {
        let bytes = array.as_binary_opt::<i32>().ok_or_else(mismatch)?.value(row);
        return decode(bytes).map_err(|error| ColumnError::Bytes(error.to_string()));
    }
    Ok(match ty {
        PigType::Boolean => Value::Boolean(array.as_boolean_opt().ok_or_else(mismatch)?.value(row)),
        PigType::Int => Value::Int(array.as_primitive_opt::<Int32Type>().ok_or_else(mismatch)?.value(row)),
        PigType::Long => Value::Long(array.as_primitive_opt::<Int64Type>().ok_or_else(mismatch)?.value(row)),
        PigType::Float => {
            Value::Float(array.as_primitive_opt::<Float32Type>().ok_or_else(mismatch)?.value(row))
        }
        PigType::Double => {
            Value::Double(array.as_primitive_opt::<Float64Type>().ok_or_else(mismatch)?.value(row))
        }
        PigType::Datetime => Value::Datetime(datetime_from_packed(
            array.as_primitive_opt::<Int64Type>().ok_or_else(mismatch)?.value(row),
        )),
        PigType::Chararray => {
            Value::Chararray(array.as_string_opt::<i32>().ok_or_else(mismatch)?.value(row).to_owned())
        }
        PigType::Tuple(Some(schema)) => tuple_at(array, schema, row).ok_or_else(mismatch)??,
        PigType::Bag { fields: Some(schema), .. } => {
            let list = array.as_list_opt::<i32>().ok_or_else(mismatch)?;
            let (items, range) = (list.values(), list.value_offsets().get(row..row + 2).unwrap_or(&[0, 0]));
            let mut bag = Vec::with_capacity(usize::try_from(range[1] - range[0]).unwrap_or(0));
            for item in range[0]..range[1] {
                let item = usize::try_from(item).unwrap_or(usize::MAX);
                bag.push(match items.is_null(item) {
                    true => Value::Null,
                    false => tuple_at(items, schema, item).ok_or_else(mismatch)??,
                });
            }
            Value::Bag(bag)
        }
        _ => Value::Bytearray(array.as_binary_opt::<i32>().ok_or_else(mismatch)?.value(row).to_owned()),
    })
}

fn tuple_at(array: &dyn Array, schema: &Schema, row: usize) -> Option<Result<Value, ColumnError>> {
    let columns = array.as_struct_opt()?.columns();
    if columns.len() != schema.fields.len() {
        return None;
    }
    let fields = columns.iter().zip(&schema.fields);
    Some(
        fields
            .map(|(column, field)| value_at(column, &field.ty, row))
            .collect::<Result<_, _>>()
            .map(Value::Tuple),
    )
}
