//! Values into Arrow arrays: the decoder's typed builders.

use arrow::array::{
    Array, ArrayRef, BinaryBuilder, BooleanBuilder, Decimal128Builder, Decimal256Builder, Float32Builder,
    Float64Builder, Int8Builder, Int16Builder, Int32Builder, Int64Builder, StringBuilder, UInt8Builder,
    UInt16Builder, UInt32Builder, UInt64Builder, make_array,
};
use arrow::datatypes::DataType;
use ostracon_compare::{PrimitiveType, ScalarRef};

use crate::error::{HandlerError, Result};

/// A builder by representation; dates, times and timestamps are their integers until they are finished.
#[derive(Debug)]
pub(super) enum Values {
    Boolean(BooleanBuilder),
    Int8(Int8Builder),
    Int16(Int16Builder),
    Int32(Int32Builder),
    Int64(Int64Builder),
    UInt8(UInt8Builder),
    UInt16(UInt16Builder),
    UInt32(UInt32Builder),
    UInt64(UInt64Builder),
    Float32(Float32Builder),
    Float64(Float64Builder),
    Decimal128(Decimal128Builder),
    Decimal256(Decimal256Builder),
    Utf8(StringBuilder),
    Binary(BinaryBuilder),
}

/// Collects the values of one column.
#[derive(Debug)]
pub(super) struct ValueBuilder {
    pub(super) values: Values,
    data_type: DataType,
}

impl ValueBuilder {
    /// A builder of arrays of `data_type`.
    pub(super) fn new(data_type: &DataType) -> Result<Self> {
        let ty = PrimitiveType::from_arrow(data_type).ok_or_else(|| {
            HandlerError::unsupported(format!("the store has no encoding for values of type {data_type}"))
        })?;
        let values = match ty {
            PrimitiveType::Boolean => Values::Boolean(BooleanBuilder::new()),
            PrimitiveType::Int8 => Values::Int8(Int8Builder::new()),
            PrimitiveType::Int16 => Values::Int16(Int16Builder::new()),
            PrimitiveType::Int32 | PrimitiveType::Date32 | PrimitiveType::Time32(_) => {
                Values::Int32(Int32Builder::new())
            }
            PrimitiveType::Int64
            | PrimitiveType::Date64
            | PrimitiveType::Time64(_)
            | PrimitiveType::Timestamp(_) => Values::Int64(Int64Builder::new()),
            PrimitiveType::UInt8 => Values::UInt8(UInt8Builder::new()),
            PrimitiveType::UInt16 => Values::UInt16(UInt16Builder::new()),
            PrimitiveType::UInt32 => Values::UInt32(UInt32Builder::new()),
            PrimitiveType::UInt64 => Values::UInt64(UInt64Builder::new()),
            PrimitiveType::Float32 => Values::Float32(Float32Builder::new()),
            PrimitiveType::Float64 => Values::Float64(Float64Builder::new()),
            PrimitiveType::Decimal128 { .. } => Values::Decimal128(Decimal128Builder::new()),
            PrimitiveType::Decimal256 { .. } => Values::Decimal256(Decimal256Builder::new()),
            PrimitiveType::Utf8 => Values::Utf8(StringBuilder::new()),
            PrimitiveType::Binary => Values::Binary(BinaryBuilder::new()),
        };
        Ok(ValueBuilder { values, data_type: data_type.clone() })
    }

    /// Adds a value; `None` is NULL.
    ///
    /// # Errors
    /// `Internal` if the value is of another kind than the column or does not fit its width.
    pub(super) fn append(&mut self, value: Option<ScalarRef<'_>>) -> Result<()> {
        let misfit =
            || HandlerError::internal(format!("a decoded value does not fit the type {}", self.data_type));
        match (&mut self.values, value) {
            (Values::Boolean(builder), None) => builder.append_null(),
            (Values::Int8(builder), None) => builder.append_null(),
            (Values::Int16(builder), None) => builder.append_null(),
            (Values::Int32(builder), None) => builder.append_null(),
            (Values::Int64(builder), None) => builder.append_null(),
            (Values::UInt8(builder), None) => builder.append_null(),
            (Values::UInt16(builder), None) => builder.append_null(),
            (Values::UInt32(builder), None) => builder.append_null(),
            (Values::UInt64(builder), None) => builder.append_null(),
            (Values::Float32(builder), None) => builder.append_null(),
            (Values::Float64(builder), None) => builder.append_null(),
            (Values::Decimal128(builder), None) => builder.append_null(),
            (Values::Decimal256(builder), None) => builder.append_null(),
            (Values::Utf8(builder), None) => builder.append_null(),
            (Values::Binary(builder), None) => builder.append_null(),
            (Values::Boolean(builder), Some(ScalarRef::Boolean(value))) => builder.append_value(value),
            (Values::Int8(builder), Some(ScalarRef::Int(value))) => {
                builder.append_value(i8::try_from(value).map_err(|_| misfit())?);
            }
            (Values::Int16(builder), Some(ScalarRef::Int(value))) => {
                builder.append_value(i16::try_from(value).map_err(|_| misfit())?);
            }
            (Values::Int32(builder), Some(ScalarRef::Int(value))) => {
                builder.append_value(i32::try_from(value).map_err(|_| misfit())?);
            }
            (Values::Int64(builder), Some(ScalarRef::Int(value))) => builder.append_value(value),
            (Values::UInt8(builder), Some(ScalarRef::UInt(value))) => {
                builder.append_value(u8::try_from(value).map_err(|_| misfit())?);
            }
            (Values::UInt16(builder), Some(ScalarRef::UInt(value))) => {
                builder.append_value(u16::try_from(value).map_err(|_| misfit())?);
            }
            (Values::UInt32(builder), Some(ScalarRef::UInt(value))) => {
                builder.append_value(u32::try_from(value).map_err(|_| misfit())?);
            }
            (Values::UInt64(builder), Some(ScalarRef::UInt(value))) => builder.append_value(value),
            (Values::Float32(builder), Some(ScalarRef::Float32(value))) => builder.append_value(value),
            (Values::Float64(builder), Some(ScalarRef::Float64(value))) => builder.append_value(value),
            (Values::Decimal128(builder), Some(ScalarRef::Decimal128(value))) => builder.append_value(value),
            (Values::Decimal256(builder), Some(ScalarRef::Decimal256(value))) => builder.append_value(value),
            (Values::Utf8(builder), Some(ScalarRef::Utf8(value))) => builder.append_value(value),
            (Values::Binary(builder), Some(ScalarRef::Binary(value))) => builder.append_value(value),
            (_, Some(_)) => return Err(misfit()),
        }
        Ok(())
    }

    /// Adds NULL that many times.
    pub(super) fn append_nulls(&mut self, count: usize) -> Result<()> {
        (0..count).try_for_each(|_| self.append(None))
    }

    /// The array of what was added; the builder is empty afterwards.
    pub(super) fn finish(&mut self) -> Result<ArrayRef> {
        let array: ArrayRef = match &mut self.values {
            Values::Boolean(builder) => std::sync::Arc::new(builder.finish()),
            Values::Int8(builder) => std::sync::Arc::new(builder.finish()),
            Values::Int16(builder) => std::sync::Arc::new(builder.finish()),
            Values::Int32(builder) => std::sync::Arc::new(builder.finish()),
            Values::Int64(builder) => std::sync::Arc::new(builder.finish()),
            Values::UInt8(builder) => std::sync::Arc::new(builder.finish()),
            Values::UInt16(builder) => std::sync::Arc::new(builder.finish()),
            Values::UInt32(builder) => std::sync::Arc::new(builder.finish()),
            Values::UInt64(builder) => std::sync::Arc::new(builder.finish()),
            Values::Float32(builder) => std::sync::Arc::new(builder.finish()),
            Values::Float64(builder) => std::sync::Arc::new(builder.finish()),
            Values::Decimal128(builder) => std::sync::Arc::new(builder.finish()),
            Values::Decimal256(builder) => std::sync::Arc::new(builder.finish()),
            Values::Utf8(builder) => std::sync::Arc::new(builder.finish()),
            Values::Binary(builder) => std::sync::Arc::new(builder.finish()),
        };
        if *array.data_type() == self.data_type {
            return Ok(array);
        }
        // The same representation under its own type: an int32 is a date32 is a time32.
        let data =
            array.into_data().into_builder().data_type(self.data_type.clone()).build().map_err(|error| {
                HandlerError::internal(format!("an array cannot become {}", self.data_type))
                    .with_source(error)
            })?;
        Ok(make_array(data))
    }
}
