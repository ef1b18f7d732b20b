//! Hive's binary encoding: big-endian, fixed width.

use arrow::datatypes::i256;

use super::{fixed, utf8};
use crate::bad_value::Reason;
use crate::{PrimitiveType, ScalarRef, decimal};

pub(super) fn decode(ty: PrimitiveType, bytes: &[u8]) -> Result<ScalarRef<'_>, Reason> {
    Ok(match ty {
        PrimitiveType::Boolean => ScalarRef::Boolean(boolean(bytes)?),
        PrimitiveType::Int8 => ScalarRef::Int(i8::from_be_bytes(fixed(bytes)?).into()),
        PrimitiveType::Int16 => ScalarRef::Int(i16::from_be_bytes(fixed(bytes)?).into()),
        PrimitiveType::Int32 | PrimitiveType::Date32 | PrimitiveType::Time32(_) => {
            ScalarRef::Int(i32::from_be_bytes(fixed(bytes)?).into())
        }
        PrimitiveType::Int64
        | PrimitiveType::Date64
        | PrimitiveType::Time64(_)
        | PrimitiveType::Timestamp(_) => ScalarRef::Int(i64::from_be_bytes(fixed(bytes)?)),
        PrimitiveType::UInt8 => ScalarRef::UInt(u8::from_be_bytes(fixed(bytes)?).into()),
        PrimitiveType::UInt16 => ScalarRef::UInt(u16::from_be_bytes(fixed(bytes)?).into()),
        PrimitiveType::UInt32 => ScalarRef::UInt(u32::from_be_bytes(fixed(bytes)?).into()),
        PrimitiveType::UInt64 => ScalarRef::UInt(u64::from_be_bytes(fixed(bytes)?)),
        PrimitiveType::Float32 => ScalarRef::Float32(f32::from_be_bytes(fixed(bytes)?)),
        PrimitiveType::Float64 => ScalarRef::Float64(f64::from_be_bytes(fixed(bytes)?)),
        PrimitiveType::Decimal128 { precision, .. } => {
            decimal128(i128::from_be_bytes(fixed(bytes)?), precision)?
        }
        PrimitiveType::Decimal256 { precision, .. } => {
            decimal256(i256::from_be_bytes(fixed(bytes)?), precision)?
        }
        PrimitiveType::Utf8 => utf8(bytes)?,
        PrimitiveType::Binary => ScalarRef::Binary(bytes),
    })
}

/// Writes a value already checked against the type.
pub(super) fn encode(ty: PrimitiveType, value: ScalarRef<'_>, out: &mut Vec<u8>) {
    match value {
        ScalarRef::Boolean(value) => out.push(value.into()),
        ScalarRef::Int(value) => out.extend_from_slice(tail(&value.to_be_bytes(), ty)),
        ScalarRef::UInt(value) => out.extend_from_slice(tail(&value.to_be_bytes(), ty)),
        ScalarRef::Float32(value) => out.extend_from_slice(&value.to_be_bytes()),
        ScalarRef::Float64(value) => out.extend_from_slice(&value.to_be_bytes()),
        ScalarRef::Decimal128(value) => out.extend_from_slice(&value.to_be_bytes()),
        ScalarRef::Decimal256(value) => out.extend_from_slice(&value.to_be_bytes()),
        ScalarRef::Utf8(value) => out.extend_from_slice(value.as_bytes()),
        ScalarRef::Binary(value) => out.extend_from_slice(value),
    }
}

/// The low bytes of a big-endian integer, as many as the type has.
fn tail(bytes: &[u8; 8], ty: PrimitiveType) -> &[u8] {
    let width = ty.width().unwrap_or(8).min(8);
    bytes.split_at(8 - width).1
}

pub(super) fn boolean(bytes: &[u8]) -> Result<bool, Reason> {
    match bytes {
        [0] => Ok(false),
        [1] => Ok(true),
        _ => Err("a boolean is one byte, 0 or 1".into()),
    }
}

pub(super) fn decimal128(value: i128, precision: u8) -> Result<ScalarRef<'static>, Reason> {
    if decimal::fits128(value, precision) { Ok(ScalarRef::Decimal128(value)) } else { Err(too_precise()) }
}

pub(super) fn decimal256(value: i256, precision: u8) -> Result<ScalarRef<'static>, Reason> {
    if decimal::fits256(value, precision) { Ok(ScalarRef::Decimal256(value)) } else { Err(too_precise()) }
}

fn too_precise() -> Reason {
    "the number has more digits than the precision".into()
}
