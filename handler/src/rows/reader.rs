//! Values out of Arrow arrays, whatever their logical type, as the comparison crate sees them.

use arrow::array::{Array, ArrayRef, AsArray, BinaryArray, BooleanArray, StringArray};
use arrow::buffer::{NullBuffer, ScalarBuffer};
use arrow::compute::{CastOptions, cast_with_options};
use arrow::datatypes::{
    DataType, Date32Type, Date64Type, Decimal128Type, Decimal256Type, Float32Type, Float64Type, Int8Type,
    Int16Type, Int32Type, Int64Type, Time32MillisecondType, Time32SecondType, Time64MicrosecondType,
    Time64NanosecondType, TimeUnit, TimestampMicrosecondType, TimestampMillisecondType,
    TimestampNanosecondType, TimestampSecondType, UInt8Type, UInt16Type, UInt32Type, UInt64Type, i256,
};
use ostracon_compare::ScalarRef;

use crate::error::{HandlerError, Result};

/// The values of one array. Types that share a representation share a variant.
#[derive(Debug)]
enum Values {
    Boolean(BooleanArray),
    Int8(ScalarBuffer<i8>),
    Int16(ScalarBuffer<i16>),
    Int32(ScalarBuffer<i32>),
    Int64(ScalarBuffer<i64>),
    UInt8(ScalarBuffer<u8>),
    UInt16(ScalarBuffer<u16>),
    UInt32(ScalarBuffer<u32>),
    UInt64(ScalarBuffer<u64>),
    Float32(ScalarBuffer<f32>),
    Float64(ScalarBuffer<f64>),
    Decimal128(ScalarBuffer<i128>),
    Decimal256(ScalarBuffer<i256>),
    Utf8(StringArray),
    Binary(BinaryArray),
}

/// Reads an array's values by position.
#[derive(Debug)]
pub(super) struct ValueReader {
    values: Values,
    nulls: Option<NullBuffer>,
}

impl ValueReader {
    /// A reader of `array` as values of `data_type`; another type is cast, and what does not fit is an error.
    pub(super) fn new(array: &ArrayRef, data_type: &DataType, column: &str) -> Result<Self> {
        let array = if array.data_type() == data_type {
            array.clone()
        } else {
            let options = CastOptions { safe: false, ..CastOptions::default() };
            cast_with_options(array, data_type, &options).map_err(|error| {
                HandlerError::invalid(format!(
                    "column '{column}' of type {data_type} cannot take a value of type {}: {error}",
                    array.data_type()
                ))
                .with_source(error)
            })?
        };
        let values = match data_type {
            DataType::Boolean => Values::Boolean(array.as_boolean().clone()),
            DataType::Int8 => Values::Int8(array.as_primitive::<Int8Type>().values().clone()),
            DataType::Int16 => Values::Int16(array.as_primitive::<Int16Type>().values().clone()),
            DataType::Int32 => Values::Int32(array.as_primitive::<Int32Type>().values().clone()),
            DataType::Int64 => Values::Int64(array.as_primitive::<Int64Type>().values().clone()),
            DataType::UInt8 => Values::UInt8(array.as_primitive::<UInt8Type>().values().clone()),
            DataType::UInt16 => Values::UInt16(array.as_primitive::<UInt16Type>().values().clone()),
            DataType::UInt32 => Values::UInt32(array.as_primitive::<UInt32Type>().values().clone()),
            DataType::UInt64 => Values::UInt64(array.as_primitive::<UInt64Type>().values().clone()),
            DataType::Float32 => Values::Float32(array.as_primitive::<Float32Type>().values().clone()),
            DataType::Float64 => Values::Float64(array.as_primitive::<Float64Type>().values().clone()),
            DataType::Decimal128(..) => {
                Values::Decimal128(array.as_primitive::<Decimal128Type>().values().clone())
            }
            DataType::Decimal256(..) => {
                Values::Decimal256(array.as_primitive::<Decimal256Type>().values().clone())
            }
            DataType::Date32 => Values::Int32(array.as_primitive::<Date32Type>().values().clone()),
            DataType::Date64 => Values::Int64(array.as_primitive::<Date64Type>().values().clone()),
            DataType::Time32(TimeUnit::Second) => {
                Values::Int32(array.as_primitive::<Time32SecondType>().values().clone())
            }
            DataType::Time32(TimeUnit::Millisecond) => {
                Values::Int32(array.as_primitive::<Time32MillisecondType>().values().clone())
            }
            DataType::Time64(TimeUnit::Microsecond) => {
                Values::Int64(array.as_primitive::<Time64MicrosecondType>().values().clone())
            }
            DataType::Time64(TimeUnit::Nanosecond) => {
                Values::Int64(array.as_primitive::<Time64NanosecondType>().values().clone())
            }
            DataType::Timestamp(unit, _) => Values::Int64(match unit {
                TimeUnit::Second => array.as_primitive::<TimestampSecondType>().values().clone(),
                TimeUnit::Millisecond => array.as_primitive::<TimestampMillisecondType>().values().clone(),
                TimeUnit::Microsecond => array.as_primitive::<TimestampMicrosecondType>().values().clone(),
                TimeUnit::Nanosecond => array.as_primitive::<TimestampNanosecondType>().values().clone(),
            }),
            DataType::Utf8 => Values::Utf8(array.as_string::<i32>().clone()),
            DataType::Binary => Values::Binary(array.as_binary::<i32>().clone()),
            other => {
                return Err(HandlerError::unsupported(format!(
                    "column '{column}': the store has no encoding for values of type {other}"
                )));
            }
        };
        Ok(ValueReader { values, nulls: array.logical_nulls() })
    }

    /// The value at a position of the array (which must have it); `None` is NULL.
    pub(super) fn get(&self, at: usize) -> Option<ScalarRef<'_>> {
        if self.nulls.as_ref().is_some_and(|nulls| nulls.is_null(at)) {
            return None;
        }
        Some(match &self.values {
            Values::Boolean(array) => ScalarRef::Boolean(array.value(at)),
            Values::Int8(values) => ScalarRef::Int(i64::from(*values.get(at)?)),
            Values::Int16(values) => ScalarRef::Int(i64::from(*values.get(at)?)),
            Values::Int32(values) => ScalarRef::Int(i64::from(*values.get(at)?)),
            Values::Int64(values) => ScalarRef::Int(*values.get(at)?),
            Values::UInt8(values) => ScalarRef::UInt(u64::from(*values.get(at)?)),
            Values::UInt16(values) => ScalarRef::UInt(u64::from(*values.get(at)?)),
            Values::UInt32(values) => ScalarRef::UInt(u64::from(*values.get(at)?)),
            Values::UInt64(values) => ScalarRef::UInt(*values.get(at)?),
            Values::Float32(values) => ScalarRef::Float32(*values.get(at)?),
            Values::Float64(values) => ScalarRef::Float64(*values.get(at)?),
            Values::Decimal128(values) => ScalarRef::Decimal128(*values.get(at)?),
            Values::Decimal256(values) => ScalarRef::Decimal256(*values.get(at)?),
            Values::Utf8(array) => ScalarRef::Utf8(array.value(at)),
            Values::Binary(array) => ScalarRef::Binary(array.value(at)),
        })
    }
}
