//! Decimals: by their unscaled integers, once those are within the precision.

use std::cmp::Ordering;

use arrow::datatypes::i256;

use super::{PrimitiveCompare, bad};
use crate::decimal::{fits128, pow10};
use crate::{BadValue, Encoding, PrimitiveType};

#[derive(Debug)]
struct NarrowCompare {
    ty: PrimitiveType,
    encoding: Encoding,
    precision: u8,
    constant: i128,
}

pub(super) fn narrow(ty: PrimitiveType, encoding: Encoding, constant: i128) -> Box<dyn PrimitiveCompare> {
    let precision = match ty {
        PrimitiveType::Decimal128 { precision, .. } => precision,
        _ => 38,
    };
    Box::new(NarrowCompare { ty, encoding, precision, constant })
}

impl PrimitiveCompare for NarrowCompare {
    fn value_type(&self) -> PrimitiveType {
        self.ty
    }

    fn compare(&self, cell: &[u8]) -> Result<Ordering, BadValue> {
        let Ok(bytes) = <[u8; 16]>::try_from(cell) else { return Err(bad(self.ty, self.encoding, cell)) };
        let stored = i128::from_be_bytes(bytes);
        let value = if self.encoding == Encoding::Native { stored ^ i128::MIN } else { stored };
        if !fits128(value, self.precision) {
            return Err(bad(self.ty, self.encoding, cell));
        }
        Ok(value.cmp(&self.constant))
    }
}

#[derive(Debug)]
struct WideCompare {
    ty: PrimitiveType,
    encoding: Encoding,
    /// 10 to the power of the precision: the value's magnitude must be less.
    limit: Option<i256>,
    constant: i256,
}

pub(super) fn wide(ty: PrimitiveType, encoding: Encoding, constant: i256) -> Box<dyn PrimitiveCompare> {
    let limit = match ty {
        PrimitiveType::Decimal256 { precision, .. } => pow10(precision.into()),
        _ => None,
    };
    Box::new(WideCompare { ty, encoding, limit, constant })
}

impl PrimitiveCompare for WideCompare {
    fn value_type(&self) -> PrimitiveType {
        self.ty
    }

    fn compare(&self, cell: &[u8]) -> Result<Ordering, BadValue> {
        let Ok(bytes) = <[u8; 32]>::try_from(cell) else { return Err(bad(self.ty, self.encoding, cell)) };
        let stored = i256::from_be_bytes(bytes);
        let value = if self.encoding == Encoding::Native { stored ^ i256::MIN } else { stored };
        if self.limit.is_some_and(|limit| value >= limit || value <= limit.wrapping_neg()) {
            return Err(bad(self.ty, self.encoding, cell));
        }
        Ok(value.cmp(&self.constant))
    }
}
