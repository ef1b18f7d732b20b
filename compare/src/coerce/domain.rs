//! A type's values, numbered in their order without gaps.

use arrow::datatypes::i256;

use crate::decimal::pow10;
use crate::float_order::{from_index32, from_index64, index32, index64};
use crate::{PrimitiveType, Scalar};

/// The least and the greatest index of a type's values; `None` for text and bytes, which cannot be numbered.
pub(super) fn bounds(ty: PrimitiveType) -> Option<(i256, i256)> {
    if let Some((least, greatest)) = ty.int_bounds() {
        return Some((wide(least), wide(greatest)));
    }
    if let Some(greatest) = ty.uint_max() {
        return Some((i256::ZERO, wide(greatest)));
    }
    match ty {
        PrimitiveType::Boolean => Some((i256::ZERO, i256::ONE)),
        PrimitiveType::Float32 => Some((wide(-i32::MAX), wide(i32::MAX))),
        PrimitiveType::Float64 => Some((wide(-i64::MAX), wide(i64::MAX))),
        PrimitiveType::Decimal128 { precision, .. } | PrimitiveType::Decimal256 { precision, .. } => {
            let greatest = pow10(precision.into())?.wrapping_sub(i256::ONE);
            Some((greatest.wrapping_neg(), greatest))
        }
        _ => None,
    }
}

/// The index of a value.
pub(super) fn index_of(value: &Scalar) -> Option<i256> {
    Some(match value {
        Scalar::Boolean(value) => wide(i64::from(*value)),
        Scalar::Int(value) => wide(*value),
        Scalar::UInt(value) => wide(*value),
        Scalar::Float32(value) => wide(index32(*value)),
        Scalar::Float64(value) => wide(index64(*value)),
        Scalar::Decimal128(value) => wide(*value),
        Scalar::Decimal256(value) => *value,
        Scalar::Utf8(_) | Scalar::Binary(_) => return None,
    })
}

/// The value with an index.
pub(super) fn value_at(ty: PrimitiveType, index: i256) -> Option<Scalar> {
    if ty.int_bounds().is_some() {
        return Some(Scalar::Int(i64::try_from(index.to_i128()?).ok()?));
    }
    if ty.uint_max().is_some() {
        return Some(Scalar::UInt(u64::try_from(index.to_i128()?).ok()?));
    }
    Some(match ty {
        PrimitiveType::Boolean => Scalar::Boolean(index > i256::ZERO),
        PrimitiveType::Float32 => Scalar::Float32(from_index32(i32::try_from(index.to_i128()?).ok()?)),
        PrimitiveType::Float64 => Scalar::Float64(from_index64(i64::try_from(index.to_i128()?).ok()?)),
        PrimitiveType::Decimal128 { .. } => Scalar::Decimal128(index.to_i128()?),
        PrimitiveType::Decimal256 { .. } => Scalar::Decimal256(index),
        _ => return None,
    })
}

pub(super) fn wide(value: impl Into<i128>) -> i256 {
    i256::from_i128(value.into())
}
