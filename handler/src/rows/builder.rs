//! Values into Arrow arrays: the decoder's typed builders.

use std::sync::Arc;

use arrow::array::{
    Array, ArrayRef, ArrowPrimitiveType, BinaryBuilder, BooleanBuilder, NullBufferBuilder, PrimitiveArray,
    StringBuilder,
};
use arrow::buffer::ScalarBuffer;
use arrow::datatypes::{
    ArrowNativeType, DataType, Date32Type, Date64Type, Decimal128Type, Decimal256Type, Float32Type,
    Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, Time32MillisecondType, Time32SecondType,
    Time64MicrosecondType, Time64NanosecondType, TimeUnit, TimestampMicrosecondType,
    TimestampMillisecondType, TimestampNanosecondType, TimestampSecondType, UInt8Type, UInt16Type,
    UInt32Type, UInt64Type, i256,
};
use ostracon_compare::{PrimitiveType, ScalarRef};

use super::integers::GoodIntegers;
use crate::error::{HandlerError, Result};

/// Values of one representation: dates, times and timestamps are their integers until they are finished.
#[derive(Debug)]
pub(super) enum Values {
    Boolean(BooleanBuilder),
    Int8(Numbers<i8>),
    Int16(Numbers<i16>),
    Int32(Numbers<i32>),
    Int64(Numbers<i64>),
    UInt8(Numbers<u8>),
    UInt16(Numbers<u16>),
    UInt32(Numbers<u32>),
    UInt64(Numbers<u64>),
    Float32(Numbers<f32>),
    Float64(Numbers<f64>),
    Decimal128(Numbers<i128>),
    Decimal256(Numbers<i256>),
    Utf8(StringBuilder),
    Binary(BinaryBuilder),
}

/// Numbers, and which of them are NULL. Arrow's own builder takes several times as long to begin and to end, which counts
/// where a batch is one row.
#[derive(Debug)]
pub(super) struct Numbers<T> {
    values: Vec<T>,
    nulls: NullBufferBuilder,
}

impl<T: ArrowNativeType> Numbers<T> {
    fn new() -> Self {
        Self { values: Vec::new(), nulls: NullBufferBuilder::new(0) }
    }

    #[inline]
    fn append(&mut self, value: T) {
        self.values.push(value);
        self.nulls.append_non_null();
    }

    fn append_nulls(&mut self, count: usize) {
        self.values.resize(self.values.len() + count, T::default());
        self.nulls.append_n_nulls(count);
    }

    /// Adds a value for each place that `valid` has, NULL where it is false; `None`: there is no NULL.
    pub(super) fn extend(&mut self, values: impl ExactSizeIterator<Item = T>, valid: Option<&[bool]>) {
        match valid {
            Some(valid) => self.nulls.append_slice(valid),
            None => self.nulls.append_n_non_nulls(values.len()),
        }
        self.values.extend(values);
    }

    /// The array of what was added, of the type or one with the same representation.
    fn finish<P: ArrowPrimitiveType<Native = T>>(&mut self, data_type: &DataType) -> Result<ArrayRef> {
        let values = ScalarBuffer::from(std::mem::take(&mut self.values));
        let array = PrimitiveArray::<P>::try_new(values, self.nulls.finish()).map_err(|error| {
            HandlerError::internal(format!("an array cannot become {data_type}")).with_source(error)
        })?;
        // Precision, scale and time zone are those of the column.
        let is_it = PrimitiveArray::<P>::is_compatible(data_type);
        Ok(Arc::new(if is_it { array.with_data_type(data_type.clone()) } else { array }))
    }
}

/// Collects the values of one column.
#[derive(Debug)]
pub(super) struct ValueBuilder {
    pub(super) values: Values,
    data_type: DataType,
    /// Which integers are values of the type, once that was asked.
    pub(super) good: Option<GoodIntegers>,
}

impl ValueBuilder {
    /// A builder of arrays of `data_type`.
    pub(super) fn new(data_type: &DataType) -> Result<Self> {
        let ty = PrimitiveType::from_arrow(data_type).ok_or_else(|| {
            HandlerError::unsupported(format!("the store has no encoding for values of type {data_type}"))
        })?;
        let values = match ty {
            PrimitiveType::Boolean => Values::Boolean(BooleanBuilder::new()),
            PrimitiveType::Int8 => Values::Int8(Numbers::new()),
            PrimitiveType::Int16 => Values::Int16(Numbers::new()),
            PrimitiveType::Int32 | PrimitiveType::Date32 | PrimitiveType::Time32(_) => {
                Values::Int32(Numbers::new())
            }
            PrimitiveType::Int64
            | PrimitiveType::Date64
            | PrimitiveType::Time64(_)
            | PrimitiveType::Timestamp(_) => Values::Int64(Numbers::new()),
            PrimitiveType::UInt8 => Values::UInt8(Numbers::new()),
            PrimitiveType::UInt16 => Values::UInt16(Numbers::new()),
            PrimitiveType::UInt32 => Values::UInt32(Numbers::new()),
            PrimitiveType::UInt64 => Values::UInt64(Numbers::new()),
            PrimitiveType::Float32 => Values::Float32(Numbers::new()),
            PrimitiveType::Float64 => Values::Float64(Numbers::new()),
            PrimitiveType::Decimal128 { .. } => Values::Decimal128(Numbers::new()),
            PrimitiveType::Decimal256 { .. } => Values::Decimal256(Numbers::new()),
            PrimitiveType::Utf8 => Values::Utf8(StringBuilder::with_capacity(0, 0)),
            PrimitiveType::Binary => Values::Binary(BinaryBuilder::with_capacity(0, 0)),
        };
        Ok(ValueBuilder { values, data_type: data_type.clone(), good: None })
    }

    /// Adds a value; `None` is NULL.
    ///
    /// # Errors
    /// `Internal` if the value is of another kind than the column or does not fit its width.
    pub(super) fn append(&mut self, value: Option<ScalarRef<'_>>) -> Result<()> {
        let Some(value) = value else {
            self.append_nulls(1);
            return Ok(());
        };
        let misfit =
            || HandlerError::internal(format!("a decoded value does not fit the type {}", self.data_type));
        match (&mut self.values, value) {
            (Values::Boolean(builder), ScalarRef::Boolean(value)) => builder.append_value(value),
            (Values::Int8(numbers), ScalarRef::Int(value)) => {
                numbers.append(i8::try_from(value).map_err(|_| misfit())?);
            }
            (Values::Int16(numbers), ScalarRef::Int(value)) => {
                numbers.append(i16::try_from(value).map_err(|_| misfit())?);
            }
            (Values::Int32(numbers), ScalarRef::Int(value)) => {
                numbers.append(i32::try_from(value).map_err(|_| misfit())?);
            }
            (Values::Int64(numbers), ScalarRef::Int(value)) => numbers.append(value),
            (Values::UInt8(numbers), ScalarRef::UInt(value)) => {
                numbers.append(u8::try_from(value).map_err(|_| misfit())?);
            }
            (Values::UInt16(numbers), ScalarRef::UInt(value)) => {
                numbers.append(u16::try_from(value).map_err(|_| misfit())?);
            }
            (Values::UInt32(numbers), ScalarRef::UInt(value)) => {
                numbers.append(u32::try_from(value).map_err(|_| misfit())?);
            }
            (Values::UInt64(numbers), ScalarRef::UInt(value)) => numbers.append(value),
            (Values::Float32(numbers), ScalarRef::Float32(value)) => numbers.append(value),
            (Values::Float64(numbers), ScalarRef::Float64(value)) => numbers.append(value),
            (Values::Decimal128(numbers), ScalarRef::Decimal128(value)) => numbers.append(value),
            (Values::Decimal256(numbers), ScalarRef::Decimal256(value)) => numbers.append(value),
            (Values::Utf8(builder), ScalarRef::Utf8(value)) => builder.append_value(value),
            (Values::Binary(builder), ScalarRef::Binary(value)) => builder.append_value(value),
            _ => return Err(misfit()),
        }
        Ok(())
    }

    /// Adds NULL that many times.
    pub(super) fn append_nulls(&mut self, count: usize) {
        match &mut self.values {
            Values::Boolean(builder) => builder.append_nulls(count),
            Values::Int8(numbers) => numbers.append_nulls(count),
            Values::Int16(numbers) => numbers.append_nulls(count),
            Values::Int32(numbers) => numbers.append_nulls(count),
            Values::Int64(numbers) => numbers.append_nulls(count),
            Values::UInt8(numbers) => numbers.append_nulls(count),
            Values::UInt16(numbers) => numbers.append_nulls(count),
            Values::UInt32(numbers) => numbers.append_nulls(count),
            Values::UInt64(numbers) => numbers.append_nulls(count),
            Values::Float32(numbers) => numbers.append_nulls(count),
            Values::Float64(numbers) => numbers.append_nulls(count),
            Values::Decimal128(numbers) => numbers.append_nulls(count),
            Values::Decimal256(numbers) => numbers.append_nulls(count),
            Values::Utf8(builder) => (0..count).for_each(|_| builder.append_null()),
            Values::Binary(builder) => (0..count).for_each(|_| builder.append_null()),
        }
    }

    /// The array of what was added; the builder is empty afterwards.
    pub(super) fn finish(&mut self) -> Result<ArrayRef> {
        let ty = &self.data_type;
        let array: ArrayRef = match &mut self.values {
            Values::Boolean(builder) => Arc::new(builder.finish()),
            Values::Int8(numbers) => numbers.finish::<Int8Type>(ty)?,
            Values::Int16(numbers) => numbers.finish::<Int16Type>(ty)?,
            Values::Int32(numbers) => match ty {
                DataType::Date32 => numbers.finish::<Date32Type>(ty)?,
                DataType::Time32(TimeUnit::Second) => numbers.finish::<Time32SecondType>(ty)?,
                DataType::Time32(_) => numbers.finish::<Time32MillisecondType>(ty)?,
                _ => numbers.finish::<Int32Type>(ty)?,
            },
            Values::Int64(numbers) => match ty {
                DataType::Date64 => numbers.finish::<Date64Type>(ty)?,
                DataType::Time64(TimeUnit::Microsecond) => numbers.finish::<Time64MicrosecondType>(ty)?,
                DataType::Time64(_) => numbers.finish::<Time64NanosecondType>(ty)?,
                DataType::Timestamp(TimeUnit::Second, _) => numbers.finish::<TimestampSecondType>(ty)?,
                DataType::Timestamp(TimeUnit::Millisecond, _) => {
                    numbers.finish::<TimestampMillisecondType>(ty)?
                }
                DataType::Timestamp(TimeUnit::Microsecond, _) => {
                    numbers.finish::<TimestampMicrosecondType>(ty)?
                }
                DataType::Timestamp(TimeUnit::Nanosecond, _) => {
                    numbers.finish::<TimestampNanosecondType>(ty)?
                }
                _ => numbers.finish::<Int64Type>(ty)?,
            },
            Values::UInt8(numbers) => numbers.finish::<UInt8Type>(ty)?,
            Values::UInt16(numbers) => numbers.finish::<UInt16Type>(ty)?,
            Values::UInt32(numbers) => numbers.finish::<UInt32Type>(ty)?,
            Values::UInt64(numbers) => numbers.finish::<UInt64Type>(ty)?,
            Values::Float32(numbers) => numbers.finish::<Float32Type>(ty)?,
            Values::Float64(numbers) => numbers.finish::<Float64Type>(ty)?,
            Values::Decimal128(numbers) => numbers.finish::<Decimal128Type>(ty)?,
            Values::Decimal256(numbers) => numbers.finish::<Decimal256Type>(ty)?,
            Values::Utf8(builder) => Arc::new(builder.finish()),
            Values::Binary(builder) => Arc::new(builder.finish()),
        };
        if array.data_type() == ty {
            Ok(array)
        } else {
            Err(HandlerError::internal(format!("an array of {} cannot become {ty}", array.data_type())))
        }
    }
}
