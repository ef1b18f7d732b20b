//! [`Numbers`]: the values of a column of fixed width, in the vector that becomes its Arrow array.
//!
//! Text of the plain forms goes straight from digits to numbers; any other form takes the lenient road of
//! [`ostracon_compare::decode`], which also has the words for what is no value.

use std::fmt::Debug;
use std::sync::Arc;

use arrow::array::{ArrayRef, PrimitiveArray};
use arrow::buffer::NullBuffer;
use arrow::datatypes::*;
use ostracon_compare::{
    Encoding, PrimitiveType, ScalarRef, decode, plain_date, plain_decimal, plain_integer, plain_timestamp,
};

use super::records::ColumnFields;
use super::validity::Validity;

/// A number as a column keeps it.
pub(super) trait Number: Copy + Default + Debug + Send {
    /// The value that a text of the plain form stands for.
    fn of_plain(ty: PrimitiveType, field: &[u8]) -> Option<Self>;

    /// The number in a scalar of its type.
    fn of_scalar(value: ScalarRef<'_>) -> Option<Self>;
}

/// The number that a field stands for, or why it stands for none.
#[inline]
fn number_of<N: Number>(ty: PrimitiveType, field: &str) -> Result<N, String> {
    match N::of_plain(ty, field.as_bytes()) {
        Some(number) => Ok(number),
        None => lenient(ty, field),
    }
}

#[cold]
fn lenient<N: Number>(ty: PrimitiveType, field: &str) -> Result<N, String> {
    let text = field.trim_matches([' ', '\t']).as_bytes();
    let value = decode(ty, Encoding::String, text).map_err(|bad| bad.reason)?;
    N::of_scalar(value).ok_or_else(|| format!("was read as {value:?}, which is of another type"))
}

macro_rules! integers {
    ($scalar:ident: $($native:ty),*) => {$(
        impl Number for $native {
            #[inline]
            fn of_plain(_: PrimitiveType, field: &[u8]) -> Option<Self> {
                plain_integer(field)?.try_into().ok()
            }

            fn of_scalar(value: ScalarRef<'_>) -> Option<Self> {
                match value {
                    ScalarRef::$scalar(value) => value.try_into().ok(),
                    _ => None,
                }
            }
        }
    )*};
}

integers!(Int: i8, i16);
integers!(UInt: u8, u16, u32, u64);

impl Number for i32 {
    #[inline]
    fn of_plain(ty: PrimitiveType, field: &[u8]) -> Option<Self> {
        match ty {
            PrimitiveType::Int32 => plain_integer(field)?.try_into().ok(),
            PrimitiveType::Date32 => plain_date(field),
            _ => None,
        }
    }

    fn of_scalar(value: ScalarRef<'_>) -> Option<Self> {
        i64::of_scalar(value)?.try_into().ok()
    }
}

impl Number for i64 {
    #[inline]
    fn of_plain(ty: PrimitiveType, field: &[u8]) -> Option<Self> {
        match ty {
            PrimitiveType::Int64 => plain_integer(field),
            PrimitiveType::Timestamp(unit) => plain_timestamp(field, unit),
            _ => None,
        }
    }

    fn of_scalar(value: ScalarRef<'_>) -> Option<Self> {
        match value {
            ScalarRef::Int(value) => Some(value),
            _ => None,
        }
    }
}

impl Number for i128 {
    #[inline]
    fn of_plain(ty: PrimitiveType, field: &[u8]) -> Option<Self> {
        match ty {
            PrimitiveType::Decimal128 { precision, scale } => {
                plain_decimal(field, precision, scale).map(i128::from)
            }
            _ => None,
        }
    }

    fn of_scalar(value: ScalarRef<'_>) -> Option<Self> {
        match value {
            ScalarRef::Decimal128(value) => Some(value),
            _ => None,
        }
    }
}

impl Number for i256 {
    #[inline]
    fn of_plain(ty: PrimitiveType, field: &[u8]) -> Option<Self> {
        match ty {
            PrimitiveType::Decimal256 { precision, scale } => {
                plain_decimal(field, precision, scale).map(|value| i256::from_i128(value.into()))
            }
            _ => None,
        }
    }

    fn of_scalar(value: ScalarRef<'_>) -> Option<Self> {
        match value {
            ScalarRef::Decimal256(value) => Some(value),
            _ => None,
        }
    }
}

macro_rules! floats {
    ($($native:ty: $scalar:ident),*) => {$(
        impl Number for $native {
            #[inline]
            fn of_plain(_: PrimitiveType, field: &[u8]) -> Option<Self> {
                let value: Self = std::str::from_utf8(field).ok()?.parse().ok()?;
                value.is_finite().then_some(value)
            }

            fn of_scalar(value: ScalarRef<'_>) -> Option<Self> {
                match value {
                    ScalarRef::$scalar(value) => Some(value),
                    _ => None,
                }
            }
        }
    )*};
}

floats!(f32: Float32, f64: Float64);

/// Values that become an array of one Arrow type.
pub(super) trait NumberStore: Debug + Send {
    fn push_default(&mut self);

    fn push_text(&mut self, field: &str) -> Result<(), String>;

    /// Appends all fields of a column, those equal to `null` as NULL; `None` where one cannot be taken, some then
    /// having been appended. The fields are UTF-8.
    fn extend(&mut self, fields: ColumnFields<'_>, null: &[u8], validity: &mut Validity) -> Option<()>;

    fn truncate(&mut self, len: usize);

    /// The array of all values; the store is empty again.
    fn finish(&mut self, data_type: &DataType, nulls: Option<NullBuffer>) -> ArrayRef;
}

#[derive(Debug)]
struct Numbers<T: ArrowPrimitiveType> {
    ty: PrimitiveType,
    values: Vec<T::Native>,
}

/// A store for numbers of an Arrow type; `None` for other types.
pub(super) fn number_store(data_type: &DataType) -> Option<Box<dyn NumberStore>> {
    let ty = PrimitiveType::from_arrow(data_type)?;
    macro_rules! store {
        ($arrow:ty) => {
            Box::new(Numbers::<$arrow> { ty, values: Vec::new() })
        };
    }
    Some(match data_type {
        DataType::Int8 => store!(Int8Type),
        DataType::Int16 => store!(Int16Type),
        DataType::Int32 => store!(Int32Type),
        DataType::Int64 => store!(Int64Type),
        DataType::UInt8 => store!(UInt8Type),
        DataType::UInt16 => store!(UInt16Type),
        DataType::UInt32 => store!(UInt32Type),
        DataType::UInt64 => store!(UInt64Type),
        DataType::Float32 => store!(Float32Type),
        DataType::Float64 => store!(Float64Type),
        DataType::Decimal128(..) => store!(Decimal128Type),
        DataType::Decimal256(..) => store!(Decimal256Type),
        DataType::Date32 => store!(Date32Type),
        DataType::Date64 => store!(Date64Type),
        DataType::Time32(TimeUnit::Second) => store!(Time32SecondType),
        DataType::Time32(_) => store!(Time32MillisecondType),
        DataType::Time64(TimeUnit::Microsecond) => store!(Time64MicrosecondType),
        DataType::Time64(_) => store!(Time64NanosecondType),
        DataType::Timestamp(TimeUnit::Second, _) => store!(TimestampSecondType),
        DataType::Timestamp(TimeUnit::Millisecond, _) => store!(TimestampMillisecondType),
        DataType::Timestamp(TimeUnit::Microsecond, _) => store!(TimestampMicrosecondType),
        DataType::Timestamp(TimeUnit::Nanosecond, _) => store!(TimestampNanosecondType),
        _ => return None,
    })
}

impl<T: ArrowPrimitiveType<Native: Number> + Debug> NumberStore for Numbers<T> {
    fn push_default(&mut self) {
        self.values.push(Default::default());
    }

    fn push_text(&mut self, field: &str) -> Result<(), String> {
        self.values.push(number_of(self.ty, field)?);
        Ok(())
    }

    fn extend(&mut self, fields: ColumnFields<'_>, null: &[u8], validity: &mut Validity) -> Option<()> {
        let ty = self.ty;
        for (field, quoted) in fields {
            if !quoted && *field == *null {
                self.values.push(Default::default());
                validity.push_null()?;
                continue;
            }
            let number = T::Native::of_plain(ty, &field)
                .or_else(|| lenient(ty, std::str::from_utf8(&field).ok()?).ok())?;
            self.values.push(number);
            validity.push_value();
        }
        Some(())
    }

    fn truncate(&mut self, len: usize) {
        self.values.truncate(len);
    }

    fn finish(&mut self, data_type: &DataType, nulls: Option<NullBuffer>) -> ArrayRef {
        let next = Vec::with_capacity(self.values.len());
        let values = std::mem::replace(&mut self.values, next);
        Arc::new(PrimitiveArray::<T>::new(values.into(), nulls).with_data_type(data_type.clone()))
    }
}
