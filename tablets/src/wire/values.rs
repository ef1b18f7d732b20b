//! Types and single values as they travel.

use arrow::datatypes::{TimeUnit, i256};
use bincode::{Decode, Encode};
use ostracon_compare::{Encoding, KeyPart, PrimitiveType, Scalar};

/// [`TimeUnit`] as it travels.
#[derive(Debug, Clone, Copy, Encode, Decode)]
pub(super) enum UnitForm {
    Second,
    Millisecond,
    Microsecond,
    Nanosecond,
}

/// [`PrimitiveType`] as it travels.
#[derive(Debug, Clone, Copy, Encode, Decode)]
pub(super) enum TypeForm {
    Boolean,
    Int8,
    Int16,
    Int32,
    Int64,
    UInt8,
    UInt16,
    UInt32,
    UInt64,
    Float32,
    Float64,
    Decimal128(u8, i8),
    Decimal256(u8, i8),
    Date32,
    Date64,
    Time32(UnitForm),
    Time64(UnitForm),
    Timestamp(UnitForm),
    Utf8,
    Binary,
}

/// [`Encoding`] as it travels.
#[derive(Debug, Clone, Copy, Encode, Decode)]
pub(super) enum EncodingForm {
    String,
    Binary,
    Native,
}

/// [`Scalar`] as it travels; floats by their bits, so that every NaN arrives as it was.
#[derive(Debug, Clone, Encode, Decode)]
pub(super) enum ScalarForm {
    Boolean(bool),
    Int(i64),
    UInt(u64),
    Float32(u32),
    Float64(u64),
    Decimal128(i128),
    Decimal256([u8; 32]),
    Utf8(String),
    Binary(Vec<u8>),
}

/// [`KeyPart`] as it travels.
#[derive(Debug, Clone, Copy, Encode, Decode)]
pub(super) struct KeyPartForm {
    ty: TypeForm,
    descending: bool,
}

impl From<TimeUnit> for UnitForm {
    fn from(unit: TimeUnit) -> Self {
        match unit {
            TimeUnit::Second => Self::Second,
            TimeUnit::Millisecond => Self::Millisecond,
            TimeUnit::Microsecond => Self::Microsecond,
            TimeUnit::Nanosecond => Self::Nanosecond,
        }
    }
}

impl From<UnitForm> for TimeUnit {
    fn from(form: UnitForm) -> Self {
        match form {
            UnitForm::Second => Self::Second,
            UnitForm::Millisecond => Self::Millisecond,
            UnitForm::Microsecond => Self::Microsecond,
            UnitForm::Nanosecond => Self::Nanosecond,
        }
    }
}

impl From<PrimitiveType> for TypeForm {
    fn from(ty: PrimitiveType) -> Self {
        match ty {
            PrimitiveType::Boolean => Self::Boolean,
            PrimitiveType::Int8 => Self::Int8,
            PrimitiveType::Int16 => Self::Int16,
            PrimitiveType::Int32 => Self::Int32,
            PrimitiveType::Int64 => Self::Int64,
            PrimitiveType::UInt8 => Self::UInt8,
            PrimitiveType::UInt16 => Self::UInt16,
            PrimitiveType::UInt32 => Self::UInt32,
            PrimitiveType::UInt64 => Self::UInt64,
            PrimitiveType::Float32 => Self::Float32,
            PrimitiveType::Float64 => Self::Float64,
            PrimitiveType::Decimal128 { precision, scale } => Self::Decimal128(precision, scale),
            PrimitiveType::Decimal256 { precision, scale } => Self::Decimal256(precision, scale),
            PrimitiveType::Date32 => Self::Date32,
            PrimitiveType::Date64 => Self::Date64,
            PrimitiveType::Time32(unit) => Self::Time32(unit.into()),
            PrimitiveType::Time64(unit) => Self::Time64(unit.into()),
            PrimitiveType::Timestamp(unit) => Self::Timestamp(unit.into()),
            PrimitiveType::Utf8 => Self::Utf8,
            PrimitiveType::Binary => Self::Binary,
        }
    }
}

impl From<TypeForm> for PrimitiveType {
    fn from(form: TypeForm) -> Self {
        match form {
            TypeForm::Boolean => Self::Boolean,
            TypeForm::Int8 => Self::Int8,
            TypeForm::Int16 => Self::Int16,
            TypeForm::Int32 => Self::Int32,
            TypeForm::Int64 => Self::Int64,
            TypeForm::UInt8 => Self::UInt8,
            TypeForm::UInt16 => Self::UInt16,
            TypeForm::UInt32 => Self::UInt32,
            TypeForm::UInt64 => Self::UInt64,
            TypeForm::Float32 => Self::Float32,
            TypeForm::Float64 => Self::Float64,
            TypeForm::Decimal128(precision, scale) => Self::Decimal128 { precision, scale },
            TypeForm::Decimal256(precision, scale) => Self::Decimal256 { precision, scale },
            TypeForm::Date32 => Self::Date32,
            TypeForm::Date64 => Self::Date64,
            TypeForm::Time32(unit) => Self::Time32(unit.into()),
            TypeForm::Time64(unit) => Self::Time64(unit.into()),
            TypeForm::Timestamp(unit) => Self::Timestamp(unit.into()),
            TypeForm::Utf8 => Self::Utf8,
            TypeForm::Binary => Self::Binary,
        }
    }
}

impl From<Encoding> for EncodingForm {
    fn from(encoding: Encoding) -> Self {
        match encoding {
            Encoding::String => Self::String,
            Encoding::Binary => Self::Binary,
            Encoding::Native => Self::Native,
        }
    }
}

impl From<EncodingForm> for Encoding {
    fn from(form: EncodingForm) -> Self {
        match form {
            EncodingForm::String => Self::String,
            EncodingForm::Binary => Self::Binary,
            EncodingForm::Native => Self::Native,
        }
    }
}

impl From<&Scalar> for ScalarForm {
    fn from(scalar: &Scalar) -> Self {
        match scalar {
            Scalar::Boolean(value) => Self::Boolean(*value),
            Scalar::Int(value) => Self::Int(*value),
            Scalar::UInt(value) => Self::UInt(*value),
            Scalar::Float32(value) => Self::Float32(value.to_bits()),
            Scalar::Float64(value) => Self::Float64(value.to_bits()),
            Scalar::Decimal128(value) => Self::Decimal128(*value),
            Scalar::Decimal256(value) => Self::Decimal256(value.to_be_bytes()),
            Scalar::Utf8(value) => Self::Utf8(value.clone()),
            Scalar::Binary(value) => Self::Binary(value.clone()),
        }
    }
}

impl From<ScalarForm> for Scalar {
    fn from(form: ScalarForm) -> Self {
        match form {
            ScalarForm::Boolean(value) => Self::Boolean(value),
            ScalarForm::Int(value) => Self::Int(value),
            ScalarForm::UInt(value) => Self::UInt(value),
            ScalarForm::Float32(bits) => Self::Float32(f32::from_bits(bits)),
            ScalarForm::Float64(bits) => Self::Float64(f64::from_bits(bits)),
            ScalarForm::Decimal128(value) => Self::Decimal128(value),
            ScalarForm::Decimal256(bytes) => Self::Decimal256(i256::from_be_bytes(bytes)),
            ScalarForm::Utf8(value) => Self::Utf8(value),
            ScalarForm::Binary(value) => Self::Binary(value),
        }
    }
}

impl From<&KeyPart> for KeyPartForm {
    fn from(part: &KeyPart) -> Self {
        Self { ty: part.ty.into(), descending: part.descending }
    }
}

impl From<KeyPartForm> for KeyPart {
    fn from(form: KeyPartForm) -> Self {
        Self { ty: form.ty.into(), descending: form.descending }
    }
}
