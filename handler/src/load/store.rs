//! [`Store`]: the values of a primitive column, in plain vectors that can be cut short again.

use std::sync::Arc;

use arrow::array::*;
use arrow::buffer::{NullBuffer, OffsetBuffer};
use arrow::datatypes::{DataType, i256};
use arrow::error::ArrowError;
use ostracon_compare::{Encoding, PrimitiveType, ScalarRef, decode};

use super::json::JsonValue;
use super::text;

/// Values of one primitive type; NULLs are kept elsewhere and have a default here.
#[derive(Debug)]
pub(super) enum Store {
    Boolean(Vec<bool>),
    Int(Vec<i64>),
    UInt(Vec<u64>),
    Float32(Vec<f32>),
    Float64(Vec<f64>),
    Decimal128(Vec<i128>),
    Decimal256(Vec<i256>),
    Text(Vec<i32>, String),
    Binary(Vec<i32>, Vec<u8>),
}

impl Store {
    pub(super) fn new(ty: PrimitiveType) -> Self {
        match ty {
            PrimitiveType::Boolean => Self::Boolean(Vec::new()),
            PrimitiveType::UInt8 | PrimitiveType::UInt16 | PrimitiveType::UInt32 | PrimitiveType::UInt64 => {
                Self::UInt(Vec::new())
            }
            PrimitiveType::Float32 => Self::Float32(Vec::new()),
            PrimitiveType::Float64 => Self::Float64(Vec::new()),
            PrimitiveType::Decimal128 { .. } => Self::Decimal128(Vec::new()),
            PrimitiveType::Decimal256 { .. } => Self::Decimal256(Vec::new()),
            PrimitiveType::Utf8 => Self::Text(vec![0], String::new()),
            PrimitiveType::Binary => Self::Binary(vec![0], Vec::new()),
            _ => Self::Int(Vec::new()),
        }
    }

    pub(super) fn push_default(&mut self) {
        match self {
            Self::Boolean(values) => values.push(false),
            Self::Int(values) => values.push(0),
            Self::UInt(values) => values.push(0),
            Self::Float32(values) => values.push(0.0),
            Self::Float64(values) => values.push(0.0),
            Self::Decimal128(values) => values.push(0),
            Self::Decimal256(values) => values.push(i256::ZERO),
            Self::Text(offsets, _) | Self::Binary(offsets, _) => offsets.extend(offsets.last().copied()),
        }
    }

    pub(super) fn push_text(&mut self, ty: PrimitiveType, field: &str) -> Result<(), String> {
        match self {
            Self::Text(offsets, values) => {
                offsets.push(offset(values.len() + field.len())?);
                values.push_str(field);
                Ok(())
            }
            Self::Binary(offsets, values) => push_binary(offsets, values, &text::binary(field)?),
            _ => {
                let plain = text::canonical(ty, field.trim_matches([' ', '\t']));
                self.push(decode(ty, Encoding::String, plain.as_bytes()).map_err(|bad| bad.reason)?)
            }
        }
    }

    pub(super) fn push_json(&mut self, ty: PrimitiveType, value: &JsonValue<'_>) -> Result<(), String> {
        match (self, value) {
            (Self::Binary(offsets, values), JsonValue::Text(hex)) => {
                push_binary(offsets, values, &text::hex(hex)?)
            }
            (
                store @ Self::Text(..),
                JsonValue::Number(raw) | JsonValue::Array(_, raw) | JsonValue::Object(_, raw),
            ) => store.push_text(ty, raw),
            (store @ (Self::Boolean(_) | Self::Text(..)), JsonValue::Boolean(value)) => {
                store.push_text(ty, if *value { "true" } else { "false" })
            }
            (store, JsonValue::Text(field)) => store.push_text(ty, field),
            (store, JsonValue::Number(number)) if text::is_number(ty) => {
                store.push_text(ty, &text::plain_number(ty, number)?)
            }
            (_, JsonValue::Number(_)) => Err("a JSON string is wanted, not a number".to_owned()),
            (_, JsonValue::Boolean(_)) => Err("true and false are no values of this type".to_owned()),
            _ => Err("arrays and objects are no values of this type".to_owned()),
        }
    }

    fn push(&mut self, value: ScalarRef<'_>) -> Result<(), String> {
        match (self, value) {
            (Self::Boolean(values), ScalarRef::Boolean(value)) => values.push(value),
            (Self::Int(values), ScalarRef::Int(value)) => values.push(value),
            (Self::UInt(values), ScalarRef::UInt(value)) => values.push(value),
            (Self::Float32(values), ScalarRef::Float32(value)) => values.push(value),
            (Self::Float64(values), ScalarRef::Float64(value)) => values.push(value),
            (Self::Decimal128(values), ScalarRef::Decimal128(value)) => values.push(value),
            (Self::Decimal256(values), ScalarRef::Decimal256(value)) => values.push(value),
            (_, other) => return Err(format!("was read as {other:?}, which is of another type")),
        }
        Ok(())
    }

    pub(super) fn truncate(&mut self, len: usize) {
        match self {
            Self::Boolean(values) => values.truncate(len),
            Self::Int(values) => values.truncate(len),
            Self::UInt(values) => values.truncate(len),
            Self::Float32(values) => values.truncate(len),
            Self::Float64(values) => values.truncate(len),
            Self::Decimal128(values) => values.truncate(len),
            Self::Decimal256(values) => values.truncate(len),
            Self::Text(offsets, values) => {
                offsets.truncate(len + 1);
                values.truncate(end_of(offsets));
            }
            Self::Binary(offsets, values) => {
                offsets.truncate(len + 1);
                values.truncate(end_of(offsets));
            }
        }
    }

    pub(super) fn finish(
        &mut self,
        data_type: &DataType,
        nulls: Option<NullBuffer>,
    ) -> Result<ArrayRef, ArrowError> {
        let array: ArrayRef = match self {
            Self::Boolean(values) => Arc::new(BooleanArray::new(std::mem::take(values).into(), nulls)),
            Self::Int(values) => return int_array(std::mem::take(values), data_type, nulls),
            Self::UInt(values) => {
                let array = UInt64Array::new(std::mem::take(values).into(), nulls);
                return arrow::compute::cast(&array, data_type);
            }
            Self::Float32(values) => Arc::new(Float32Array::new(std::mem::take(values).into(), nulls)),
            Self::Float64(values) => Arc::new(Float64Array::new(std::mem::take(values).into(), nulls)),
            Self::Decimal128(values) => {
                let array = Decimal128Array::new(std::mem::take(values).into(), nulls);
                Arc::new(array.with_data_type(data_type.clone()))
            }
            Self::Decimal256(values) => {
                let array = Decimal256Array::new(std::mem::take(values).into(), nulls);
                Arc::new(array.with_data_type(data_type.clone()))
            }
            Self::Text(offsets, values) => {
                let offsets = OffsetBuffer::new(std::mem::replace(offsets, vec![0]).into());
                let array = StringArray::try_new(offsets, std::mem::take(values).into_bytes().into(), nulls)?;
                return arrow::compute::cast(&array, data_type);
            }
            Self::Binary(offsets, values) => {
                let offsets = OffsetBuffer::new(std::mem::replace(offsets, vec![0]).into());
                let array = BinaryArray::try_new(offsets, std::mem::take(values).into(), nulls)?;
                return arrow::compute::cast(&array, data_type);
            }
        };
        Ok(array)
    }
}

/// Whole numbers as the integer, date or time type that they were range-checked for.
fn int_array(
    values: Vec<i64>,
    data_type: &DataType,
    nulls: Option<NullBuffer>,
) -> Result<ArrayRef, ArrowError> {
    let array = Int64Array::new(values.into(), nulls);
    match data_type {
        DataType::Date32 | DataType::Time32(_) => {
            arrow::compute::cast(&arrow::compute::cast(&array, &DataType::Int32)?, data_type)
        }
        _ => arrow::compute::cast(&array, data_type),
    }
}

fn push_binary(offsets: &mut Vec<i32>, values: &mut Vec<u8>, bytes: &[u8]) -> Result<(), String> {
    offsets.push(offset(values.len() + bytes.len())?);
    values.extend_from_slice(bytes);
    Ok(())
}

/// An end of a value in its column's bytes.
pub(super) fn offset(end: usize) -> Result<i32, String> {
    i32::try_from(end).map_err(|_| "the values of a column are longer than 2 GiB within one batch".to_owned())
}

/// The last end.
pub(super) fn end_of(offsets: &[i32]) -> usize {
    offsets.last().map_or(0, |end| usize::try_from(*end).unwrap_or(0))
}
