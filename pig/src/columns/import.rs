//! Arrow columns of files and tables as columns of Pig's.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray};
use arrow::compute::cast;
use arrow::datatypes::{DataType, Decimal128Type, Decimal256Type, UInt64Type};
use arrow::error::ArrowError;
use bigdecimal::BigDecimal;
use bigdecimal::num_bigint::BigInt;
use ostracon_piglatin::types::{Field, PigType, Schema};
use ostracon_piglatin::value::Value;

use crate::columns::{ColumnBuilder, arrow_type, packed_datetimes, value_at};

/// The type of Pig that holds the values of an Arrow type.
///
/// A list is a bag of its items, each in a tuple unless it is one; a map with keys that are no texts has none.
#[must_use]
pub fn pig_type(ty: &DataType) -> Option<PigType> {
    Some(match ty {
        DataType::Boolean => PigType::Boolean,
        DataType::Int8 | DataType::Int16 | DataType::Int32 | DataType::UInt8 | DataType::UInt16 => {
            PigType::Int
        }
        DataType::Int64 | DataType::UInt32 => PigType::Long,
        DataType::UInt64 => PigType::BigInteger,
        DataType::Float16 | DataType::Float32 => PigType::Float,
        DataType::Float64 => PigType::Double,
        DataType::Decimal128(_, _) | DataType::Decimal256(_, _) => PigType::BigDecimal,
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => PigType::Chararray,
        DataType::Binary | DataType::LargeBinary | DataType::BinaryView | DataType::FixedSizeBinary(_) => {
            PigType::RAW
        }
        DataType::Timestamp(_, _) | DataType::Date32 | DataType::Date64 => PigType::Datetime,
        DataType::Dictionary(_, value) => pig_type(value)?,
        DataType::Struct(fields) => {
            let fields: Option<Vec<Field>> = fields
                .iter()
                .map(|field| Some(Field::named(field.name().as_str(), pig_type(field.data_type())?)))
                .collect();
            PigType::Tuple(Some(Schema::new(fields?)))
        }
        DataType::List(item) | DataType::LargeList(item) | DataType::FixedSizeList(item, _) => {
            match pig_type(item.data_type())? {
                PigType::Tuple(fields) => PigType::Bag { tuple_name: None, fields },
                other => PigType::bag(Schema::new(vec![Field::unnamed(other)])),
            }
        }
        DataType::Map(entries, _) => match entries.data_type() {
            DataType::Struct(fields) => match fields.as_ref() {
                [key, value] if pig_type(key.data_type())? == PigType::Chararray => {
                    PigType::Map(Box::new(match pig_type(value.data_type())? {
                        PigType::Bytearray(_) => PigType::DYNAMIC,
                        value => value,
                    }))
                }
                _ => return None,
            },
            _ => return None,
        },
        _ => return None,
    })
}

/// Whether values of an Arrow type become Pig's by a cast of Arrow's, or need none.
#[must_use]
pub(crate) fn cast_type(ty: &DataType) -> Option<DataType> {
    Some(match pig_type(ty)? {
        ty @ (PigType::Boolean
        | PigType::Int
        | PigType::Long
        | PigType::Float
        | PigType::Double
        | PigType::Chararray
        | PigType::Bytearray(_)) => arrow_type(&ty),
        _ => return None,
    })
}

/// A column of an Arrow type that [`pig_type`] knows.
///
/// # Errors
/// If the type is not known, or a value is too large for its new type.
pub fn import(array: &ArrayRef) -> Result<ArrayRef, ArrowError> {
    let Some(ty) = pig_type(array.data_type()) else {
        return Err(ArrowError::CastError(format!("{} is no type of Pig", array.data_type())));
    };
    let mut builder = ColumnBuilder::new(&ty);
    for row in 0..array.len() {
        builder.push(&value(array, row)?)?;
    }
    builder.finish()
}

fn value(array: &ArrayRef, row: usize) -> Result<Value, ArrowError> {
    if array.is_null(row) {
        return Ok(Value::Null);
    }
    Ok(match array.data_type() {
        DataType::Boolean => Value::Boolean(array.as_boolean().value(row)),
        DataType::UInt64 => Value::BigInteger(BigInt::from(array.as_primitive::<UInt64Type>().value(row))),
        DataType::Decimal128(_, scale) => {
            let digits = BigInt::from(array.as_primitive::<Decimal128Type>().value(row));
            Value::BigDecimal(BigDecimal::new(digits, i64::from(*scale)))
        }
        DataType::Decimal256(_, scale) => {
            let digits = array.as_primitive::<Decimal256Type>().value(row).to_be_bytes();
            Value::BigDecimal(BigDecimal::new(BigInt::from_signed_bytes_be(&digits), i64::from(*scale)))
        }
        DataType::Struct(_) => {
            let columns = array.as_struct().columns();
            Value::Tuple(columns.iter().map(|column| value(column, row)).collect::<Result<_, _>>()?)
        }
        DataType::List(_) => bag(&array.as_list::<i32>().value(row))?,
        DataType::LargeList(_) => bag(&array.as_list::<i64>().value(row))?,
        DataType::FixedSizeList(_, _) => bag(&array.as_fixed_size_list().value(row))?,
        DataType::Map(_, _) => {
            let entries = array.as_map().value(row);
            let (keys, values) = (Arc::clone(entries.column(0)), Arc::clone(entries.column(1)));
            let mut map = BTreeMap::new();
            for entry in 0..entries.len() {
                if let Value::Chararray(key) = value(&keys, entry)? {
                    map.insert(key, value(&values, entry)?);
                }
            }
            Value::Map(map)
        }
        other => simple(array, other, row)?,
    })
}

/// A value that a cast of Arrow's brings into the form that one of Pig's has.
fn simple(array: &ArrayRef, ty: &DataType, row: usize) -> Result<Value, ArrowError> {
    let unknown = || ArrowError::CastError(format!("{ty} is no type of Pig"));
    let pig = pig_type(ty).ok_or_else(unknown)?;
    let one = array.slice(row, 1);
    let one = match pig {
        PigType::Datetime => packed_datetimes(&one)?,
        _ => cast(&one, &cast_type(ty).ok_or_else(unknown)?)?,
    };
    value_at(one.as_ref(), &pig, 0).map_err(|error| ArrowError::CastError(error.to_string()))
}

fn bag(items: &ArrayRef) -> Result<Value, ArrowError> {
    let tuples = (0..items.len()).map(|item| {
        Ok(match value(items, item)? {
            tuple @ Value::Tuple(_) => tuple,
            Value::Null if matches!(items.data_type(), DataType::Struct(_)) => Value::Null,
            other => Value::Tuple(vec![other]),
        })
    });
    Ok(Value::Bag(tuples.collect::<Result<_, ArrowError>>()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow::array::{Int32Array, ListArray, StringArray, StructArray};
    use arrow::datatypes::Int32Type;
    use ostracon_piglatin::types::describe_type;
    use ostracon_piglatin::value::to_text;

    #[test]
    fn nested_columns_become_tuples_bags_and_maps() {
        let list: ArrayRef =
            Arc::new(ListArray::from_iter_primitive::<Int32Type, _, _>([Some(vec![Some(1), None]), None]));
        let tuple: ArrayRef = Arc::new(StructArray::from(vec![
            (
                Arc::new(arrow::datatypes::Field::new("a", DataType::Int32, true)),
                Arc::new(Int32Array::from(vec![7, 8])) as ArrayRef,
            ),
            (
                Arc::new(arrow::datatypes::Field::new("b", DataType::Utf8, true)),
                Arc::new(StringArray::from(vec![Some("x"), None])) as ArrayRef,
            ),
        ]));
        let expected =
            [(&list, "{(int)}", ["{(1),()}", ""]), (&tuple, "(a: int,b: chararray)", ["(7,x)", "(8,)"])];
        for (array, ty, rows) in expected {
            let pig = pig_type(array.data_type()).unwrap();
            assert_eq!(describe_type(&pig), ty);
            let imported = import(array).unwrap();
            for (row, text) in rows.iter().enumerate() {
                let value = value_at(imported.as_ref(), &pig, row).unwrap();
                assert_eq!(to_text(&value), *text);
            }
        }
    }
}
