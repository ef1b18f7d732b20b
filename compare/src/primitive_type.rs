//! The types of single values.
//!
//! [`PrimitiveType`] is the part of Arrow's type system whose values are stored in one cell or one part of a key. Nested
//! types are made of them ([`NestedType`](crate::NestedType)); physical variants of one type (view and large layouts) are one.

use std::fmt;

use arrow::datatypes::{DataType, TimeUnit};

/// The type of a stored value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PrimitiveType {
    /// `false` or `true`.
    Boolean,
    /// 8-bit signed integer.
    Int8,
    /// 16-bit signed integer.
    Int16,
    /// 32-bit signed integer.
    Int32,
    /// 64-bit signed integer.
    Int64,
    /// 8-bit unsigned integer.
    UInt8,
    /// 16-bit unsigned integer.
    UInt16,
    /// 32-bit unsigned integer.
    UInt32,
    /// 64-bit unsigned integer.
    UInt64,
    /// IEEE 754 single precision.
    Float32,
    /// IEEE 754 double precision.
    Float64,
    /// An integer of at most `precision` decimal digits, 1 to 38, times 10 to the power of `-scale`.
    Decimal128 {
        /// Number of decimal digits.
        precision: u8,
        /// Digits after the decimal point; negative counts zeros before it.
        scale: i8,
    },
    /// An integer of at most `precision` decimal digits, 1 to 76, times 10 to the power of `-scale`.
    Decimal256 {
        /// Number of decimal digits.
        precision: u8,
        /// Digits after the decimal point; negative counts zeros before it.
        scale: i8,
    },
    /// Days since 1970-01-01, 32 bits.
    Date32,
    /// Milliseconds since 1970-01-01, 64 bits.
    Date64,
    /// Time since midnight in seconds or milliseconds, 32 bits.
    Time32(TimeUnit),
    /// Time since midnight in microseconds or nanoseconds, 64 bits.
    Time64(TimeUnit),
    /// Time since 1970-01-01 00:00:00, 64 bits.
    ///
    /// The time zone is not part of the type: it changes how a value is shown, not what is stored or compared.
    Timestamp(TimeUnit),
    /// Text.
    Utf8,
    /// Bytes.
    Binary,
}

impl PrimitiveType {
    /// The type of values of an Arrow type; `None` if they do not fit one cell (nested types, intervals and others).
    pub fn from_arrow(data_type: &DataType) -> Option<Self> {
        Some(match data_type {
            DataType::Boolean => Self::Boolean,
            DataType::Int8 => Self::Int8,
            DataType::Int16 => Self::Int16,
            DataType::Int32 => Self::Int32,
            DataType::Int64 => Self::Int64,
            DataType::UInt8 => Self::UInt8,
            DataType::UInt16 => Self::UInt16,
            DataType::UInt32 => Self::UInt32,
            DataType::UInt64 => Self::UInt64,
            DataType::Float32 => Self::Float32,
            DataType::Float64 => Self::Float64,
            DataType::Decimal128(precision, scale) => {
                Self::Decimal128 { precision: *precision, scale: *scale }
            }
            DataType::Decimal256(precision, scale) => {
                Self::Decimal256 { precision: *precision, scale: *scale }
            }
            DataType::Date32 => Self::Date32,
            DataType::Date64 => Self::Date64,
            DataType::Time32(unit) => Self::Time32(*unit),
            DataType::Time64(unit) => Self::Time64(*unit),
            DataType::Timestamp(unit, _) => Self::Timestamp(*unit),
            DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => Self::Utf8,
            DataType::Binary
            | DataType::LargeBinary
            | DataType::BinaryView
            | DataType::FixedSizeBinary(_) => Self::Binary,
            _ => return None,
        })
    }

    /// The plain Arrow type of such values; timestamps have no zone.
    pub fn to_arrow(self) -> DataType {
        match self {
            Self::Boolean => DataType::Boolean,
            Self::Int8 => DataType::Int8,
            Self::Int16 => DataType::Int16,
            Self::Int32 => DataType::Int32,
            Self::Int64 => DataType::Int64,
            Self::UInt8 => DataType::UInt8,
            Self::UInt16 => DataType::UInt16,
            Self::UInt32 => DataType::UInt32,
            Self::UInt64 => DataType::UInt64,
            Self::Float32 => DataType::Float32,
            Self::Float64 => DataType::Float64,
            Self::Decimal128 { precision, scale } => DataType::Decimal128(precision, scale),
            Self::Decimal256 { precision, scale } => DataType::Decimal256(precision, scale),
            Self::Date32 => DataType::Date32,
            Self::Date64 => DataType::Date64,
            Self::Time32(unit) => DataType::Time32(unit),
            Self::Time64(unit) => DataType::Time64(unit),
            Self::Timestamp(unit) => DataType::Timestamp(unit, None),
            Self::Utf8 => DataType::Utf8,
            Self::Binary => DataType::Binary,
        }
    }

    /// Bytes of a value in the binary and native encodings; `None` for text and bytes, whose width varies.
    pub fn width(self) -> Option<usize> {
        Some(match self {
            Self::Boolean | Self::Int8 | Self::UInt8 => 1,
            Self::Int16 | Self::UInt16 => 2,
            Self::Int32 | Self::UInt32 | Self::Float32 | Self::Date32 | Self::Time32(_) => 4,
            Self::Int64
            | Self::UInt64
            | Self::Float64
            | Self::Date64
            | Self::Time64(_)
            | Self::Timestamp(_) => 8,
            Self::Decimal128 { .. } => 16,
            Self::Decimal256 { .. } => 32,
            Self::Utf8 | Self::Binary => return None,
        })
    }

    /// Least and greatest value of the types whose values are [`ScalarRef::Int`](crate::ScalarRef::Int).
    pub(crate) fn int_bounds(self) -> Option<(i64, i64)> {
        Some(match self {
            Self::Int8 => (i8::MIN.into(), i8::MAX.into()),
            Self::Int16 => (i16::MIN.into(), i16::MAX.into()),
            Self::Int32 | Self::Date32 | Self::Time32(_) => (i32::MIN.into(), i32::MAX.into()),
            Self::Int64 | Self::Date64 | Self::Time64(_) | Self::Timestamp(_) => (i64::MIN, i64::MAX),
            _ => return None,
        })
    }

    /// Greatest value of the types whose values are [`ScalarRef::UInt`](crate::ScalarRef::UInt).
    pub(crate) fn uint_max(self) -> Option<u64> {
        Some(match self {
            Self::UInt8 => u8::MAX.into(),
            Self::UInt16 => u16::MAX.into(),
            Self::UInt32 => u32::MAX.into(),
            Self::UInt64 => u64::MAX,
            _ => return None,
        })
    }
}

impl fmt::Display for PrimitiveType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Decimal128 { precision, scale } => write!(f, "Decimal128({precision}, {scale})"),
            Self::Decimal256 { precision, scale } => write!(f, "Decimal256({precision}, {scale})"),
            Self::Time32(unit) => write!(f, "Time32({unit})"),
            Self::Time64(unit) => write!(f, "Time64({unit})"),
            Self::Timestamp(unit) => write!(f, "Timestamp({unit})"),
            plain => write!(f, "{plain:?}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrow_types_round_trip() {
        for ty in crate::encoding::tests::every_type() {
            assert_eq!(PrimitiveType::from_arrow(&ty.to_arrow()), Some(ty));
        }
        assert_eq!(PrimitiveType::from_arrow(&DataType::Utf8View), Some(PrimitiveType::Utf8));
        assert_eq!(PrimitiveType::from_arrow(&DataType::FixedSizeBinary(3)), Some(PrimitiveType::Binary));
        let zoned = DataType::Timestamp(TimeUnit::Second, Some("+01:00".into()));
        assert_eq!(PrimitiveType::from_arrow(&zoned), Some(PrimitiveType::Timestamp(TimeUnit::Second)));
        assert_eq!(PrimitiveType::from_arrow(&DataType::Null), None);
        assert_eq!(PrimitiveType::from_arrow(&DataType::Float16), None);
    }

    #[test]
    fn names_say_the_parameters() {
        assert_eq!(PrimitiveType::Int8.to_string(), "Int8");
        assert_eq!(PrimitiveType::Timestamp(TimeUnit::Nanosecond).to_string(), "Timestamp(ns)");
        assert_eq!(PrimitiveType::Decimal128 { precision: 10, scale: -2 }.to_string(), "Decimal128(10, -2)");
    }
}
