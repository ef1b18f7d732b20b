//! Columns of Pig's as files and tables keep them: fields under their names, timestamps, maps.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, ListArray, MapArray, StringBuilder, StructArray};
use arrow::buffer::{NullBuffer, OffsetBuffer};
use arrow::datatypes::{DataType, Field as ArrowField, Fields, TimeUnit};
use arrow::error::ArrowError;
use ostracon_piglatin::types::{PigType, Schema, Unknown};
use ostracon_piglatin::value::Value;

use crate::columns::{ColumnBuilder, field_name, unpacked_datetimes, value_at};

/// The type under which others keep the values of a type; none for numbers without a limit and for what is known only
/// when the script runs.
#[must_use]
pub(crate) fn export_type(ty: &PigType) -> Option<DataType> {
    Some(match ty {
        PigType::Boolean => DataType::Boolean,
        PigType::Int => DataType::Int32,
        PigType::Long => DataType::Int64,
        PigType::Float => DataType::Float32,
        PigType::Double => DataType::Float64,
        PigType::Chararray => DataType::Utf8,
        PigType::Datetime => DataType::Timestamp(TimeUnit::Millisecond, None),
        PigType::Bytearray(Unknown::Raw(_)) => DataType::Binary,
        PigType::Tuple(Some(schema)) => DataType::Struct(export_fields(schema)?),
        PigType::Bag { fields: Some(schema), .. } => DataType::List(Arc::new(item(schema)?)),
        PigType::Map(of) => DataType::Map(Arc::new(entries(of)?), false),
        _ => return None,
    })
}

/// Fields under their names; those without are `f0`, `f1`, ... None where a field has no type, or there is no field.
pub(crate) fn export_fields(schema: &Schema) -> Option<Fields> {
    let fields: Option<Fields> = schema
        .fields
        .iter()
        .enumerate()
        .map(|(index, field)| {
            let name = field.name.clone().unwrap_or_else(|| field_name(index));
            Some(ArrowField::new(name, export_type(&field.ty)?, true))
        })
        .collect();
    fields.filter(|fields| !fields.is_empty())
}

fn item(schema: &Schema) -> Option<ArrowField> {
    Some(ArrowField::new_list_field(DataType::Struct(export_fields(schema)?), true))
}

fn entries(of: &PigType) -> Option<ArrowField> {
    let fields =
        vec![ArrowField::new("key", DataType::Utf8, false), ArrowField::new("value", export_type(of)?, true)];
    Some(ArrowField::new("entries", DataType::Struct(fields.into()), false))
}

/// A column of a type that [`export_type`] knows.
///
/// # Errors
/// If the type is not known, or the column is none of that type.
pub(crate) fn export(array: &ArrayRef, ty: &PigType) -> Result<ArrayRef, ArrowError> {
    let unknown = || ArrowError::CastError("values of unknown type cannot be kept".to_owned());
    Ok(match ty {
        PigType::Datetime => unpacked_datetimes(array)?,
        PigType::Tuple(Some(schema)) => Arc::new(tuple(array, schema)?),
        PigType::Bag { fields: Some(schema), .. } => {
            let bags = array
                .as_list_opt::<i32>()
                .ok_or_else(|| ArrowError::CastError("a column of bags was due".to_owned()))?;
            let tuples: ArrayRef = Arc::new(tuple(bags.values(), schema)?);
            let item = Arc::new(item(schema).ok_or_else(unknown)?);
            Arc::new(ListArray::try_new(item, bags.offsets().clone(), tuples, bags.nulls().cloned())?)
        }
        PigType::Map(of) => map(array, ty, of)?,
        ty => match export_type(ty) {
            Some(_) => Arc::clone(array),
            None => return Err(unknown()),
        },
    })
}

fn tuple(array: &ArrayRef, schema: &Schema) -> Result<StructArray, ArrowError> {
    let tuples = array
        .as_struct_opt()
        .ok_or_else(|| ArrowError::CastError("a column of tuples was due".to_owned()))?;
    let columns =
        tuples.columns().iter().zip(&schema.fields).map(|(column, field)| export(column, &field.ty));
    let fields = export_fields(schema)
        .ok_or_else(|| ArrowError::CastError("fields of unknown type cannot be kept".to_owned()))?;
    StructArray::try_new(fields, columns.collect::<Result<_, _>>()?, tuples.nulls().cloned())
}

fn map(array: &ArrayRef, ty: &PigType, of: &PigType) -> Result<ArrayRef, ArrowError> {
    let (mut keys, mut values) = (StringBuilder::new(), ColumnBuilder::new(of));
    let (mut lengths, mut valid) = (Vec::with_capacity(array.len()), Vec::with_capacity(array.len()));
    for row in 0..array.len() {
        let value =
            value_at(array.as_ref(), ty, row).map_err(|error| ArrowError::CastError(error.to_string()))?;
        valid.push(!matches!(value, Value::Null));
        let entries = match value {
            Value::Map(entries) => entries,
            _ => std::collections::BTreeMap::new(),
        };
        lengths.push(entries.len());
        for (key, value) in entries {
            keys.append_value(key);
            values.push(&value)?;
        }
    }
    let field = entries(of).ok_or_else(|| ArrowError::CastError("a map of unknown values".to_owned()))?;
    let DataType::Struct(fields) = field.data_type().clone() else {
        return Err(ArrowError::CastError("a map has entries".to_owned()));
    };
    let values = export(&values.finish()?, of)?;
    let entries = StructArray::try_new(fields, vec![Arc::new(keys.finish()), values], None)?;
    let nulls = NullBuffer::from(valid);
    let offsets = OffsetBuffer::from_lengths(lengths);
    Ok(Arc::new(MapArray::try_new(Arc::new(field), offsets, entries, Some(nulls), false)?))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::columns::{import, pig_type};
    use ostracon_piglatin::types::Field;
    use ostracon_piglatin::value::Datetime;

    /// What is exported comes back by import, value for value.
    #[test]
    fn nested_columns_come_back() {
        let inner = Schema::new(vec![Field::named("x", PigType::Int), Field::unnamed(PigType::Datetime)]);
        let ty = PigType::Tuple(Some(Schema::new(vec![
            Field::named("b", PigType::bag(inner)),
            Field::named("m", PigType::Map(Box::new(PigType::Double))),
        ])));
        let day = Value::Datetime(Datetime { millis: -5, offset_minutes: 0 });
        let bag = Value::Bag(vec![Value::Tuple(vec![Value::Int(1), day]), Value::Null]);
        let map =
            Value::Map(BTreeMap::from([("k".to_owned(), Value::Double(0.5)), ("n".to_owned(), Value::Null)]));
        let rows = [
            Value::Tuple(vec![bag, map]),
            Value::Null,
            Value::Tuple(vec![Value::Bag(Vec::new()), Value::Null]),
        ];
        let mut builder = ColumnBuilder::new(&ty);
        rows.iter().for_each(|row| builder.push(row).unwrap());
        let exported = export(&builder.finish().unwrap(), &ty).unwrap();
        assert_eq!(Some(exported.data_type().clone()), export_type(&ty));
        let back = pig_type(exported.data_type()).unwrap();
        let imported = import(&exported).unwrap();
        for (index, row) in rows.iter().enumerate() {
            assert_eq!(&value_at(imported.as_ref(), &back, index).unwrap(), row);
        }
    }

    #[test]
    fn what_is_known_at_run_time_only_is_not_kept() {
        for ty in [PigType::BigInteger, PigType::DYNAMIC, PigType::Tuple(None), PigType::untyped_map()] {
            assert_eq!(export_type(&ty), None);
        }
    }
}
