//! The native encoding: fixed width, and bytes sort as values do.
//!
//! It is the binary encoding with the sign bit of integers flipped, and floats mapped to IEEE 754's total order. Both
//! zeros and every NaN keep their bits: a cell returns what was stored. Keys want one form per value; that is the
//! [`KeyLexicoder`](crate::KeyLexicoder)'s business.

use arrow::datatypes::i256;

use super::binary::{boolean, decimal128, decimal256};
use super::{fixed, utf8};
use crate::bad_value::Reason;
use crate::float_order::{flip32, flip64, unflip32, unflip64};
use crate::{PrimitiveType, ScalarRef};

pub(super) fn decode(ty: PrimitiveType, bytes: &[u8]) -> Result<ScalarRef<'_>, Reason> {
    Ok(match ty {
        PrimitiveType::Boolean => ScalarRef::Boolean(boolean(bytes)?),
        PrimitiveType::Int8 => ScalarRef::Int((i8::from_be_bytes(fixed(bytes)?) ^ i8::MIN).into()),
        PrimitiveType::Int16 => ScalarRef::Int((i16::from_be_bytes(fixed(bytes)?) ^ i16::MIN).into()),
        PrimitiveType::Int32 | PrimitiveType::Date32 | PrimitiveType::Time32(_) => {
            ScalarRef::Int((i32::from_be_bytes(fixed(bytes)?) ^ i32::MIN).into())
        }
        PrimitiveType::Int64
        | PrimitiveType::Date64
        | PrimitiveType::Time64(_)
        | PrimitiveType::Timestamp(_) => ScalarRef::Int(i64::from_be_bytes(fixed(bytes)?) ^ i64::MIN),
        PrimitiveType::UInt8 => ScalarRef::UInt(u8::from_be_bytes(fixed(bytes)?).into()),
        PrimitiveType::UInt16 => ScalarRef::UInt(u16::from_be_bytes(fixed(bytes)?).into()),
        PrimitiveType::UInt32 => ScalarRef::UInt(u32::from_be_bytes(fixed(bytes)?).into()),
        PrimitiveType::UInt64 => ScalarRef::UInt(u64::from_be_bytes(fixed(bytes)?)),
        PrimitiveType::Float32 => {
            ScalarRef::Float32(f32::from_bits(unflip32(u32::from_be_bytes(fixed(bytes)?))))
        }
        PrimitiveType::Float64 => {
            ScalarRef::Float64(f64::from_bits(unflip64(u64::from_be_bytes(fixed(bytes)?))))
        }
        PrimitiveType::Decimal128 { precision, .. } => {
            decimal128(i128::from_be_bytes(fixed(bytes)?) ^ i128::MIN, precision)?
        }
        PrimitiveType::Decimal256 { precision, .. } => {
            decimal256(i256::from_be_bytes(fixed(bytes)?) ^ i256::MIN, precision)?
        }
        PrimitiveType::Utf8 => utf8(bytes)?,
        PrimitiveType::Binary => ScalarRef::Binary(bytes),
    })
}

/// Writes a value already checked against the type.
pub(super) fn encode(ty: PrimitiveType, value: ScalarRef<'_>, out: &mut Vec<u8>) {
    match value {
        ScalarRef::Int(value) => {
            // The sign of the type's width, not of the 64 bits that carry the value, is flipped.
            let width = ty.width().unwrap_or(8).clamp(1, 8);
            let sign = 1i64 << (width * 8 - 1);
            out.extend_from_slice((value ^ sign).to_be_bytes().split_at(8 - width).1);
        }
        ScalarRef::Float32(value) => out.extend_from_slice(&flip32(value.to_bits()).to_be_bytes()),
        ScalarRef::Float64(value) => out.extend_from_slice(&flip64(value.to_bits()).to_be_bytes()),
        ScalarRef::Decimal128(value) => out.extend_from_slice(&(value ^ i128::MIN).to_be_bytes()),
        ScalarRef::Decimal256(value) => out.extend_from_slice(&(value ^ i256::MIN).to_be_bytes()),
        unchanged => super::binary::encode(ty, unchanged, out),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow::datatypes::TimeUnit;

    fn bytes(ty: PrimitiveType, value: ScalarRef<'_>) -> Vec<u8> {
        let mut out = Vec::new();
        encode(ty, value, &mut out);
        out
    }

    /// The bytes of the format: a change here breaks stores that exist.
    #[test]
    fn the_bytes_are_pinned() {
        assert_eq!(bytes(PrimitiveType::Boolean, ScalarRef::Boolean(true)), [1]);
        assert_eq!(bytes(PrimitiveType::Int8, ScalarRef::Int(-1)), [0x7f]);
        assert_eq!(bytes(PrimitiveType::Int16, ScalarRef::Int(1)), [0x80, 1]);
        assert_eq!(bytes(PrimitiveType::Int32, ScalarRef::Int(i32::MIN.into())), [0; 4]);
        assert_eq!(
            bytes(PrimitiveType::Timestamp(TimeUnit::Second), ScalarRef::Int(0)),
            [0x80, 0, 0, 0, 0, 0, 0, 0]
        );
        assert_eq!(bytes(PrimitiveType::UInt16, ScalarRef::UInt(258)), [1, 2]);
        assert_eq!(bytes(PrimitiveType::Float32, ScalarRef::Float32(1.0)), [0xbf, 0x80, 0, 0]);
        assert_eq!(bytes(PrimitiveType::Float32, ScalarRef::Float32(-1.0)), [0x40, 0x7f, 0xff, 0xff]);
        assert_eq!(
            bytes(PrimitiveType::Float64, ScalarRef::Float64(-0.0)),
            [0x7f, 255, 255, 255, 255, 255, 255, 255]
        );
        let decimal = bytes(PrimitiveType::Decimal128 { precision: 3, scale: 1 }, ScalarRef::Decimal128(-1));
        assert_eq!(decimal, [&[0x7f][..], &[0xff; 15]].concat());
        let wide =
            bytes(PrimitiveType::Decimal256 { precision: 3, scale: 1 }, ScalarRef::Decimal256(i256::ONE));
        assert_eq!(wide, [&[0x80][..], &[0; 30], &[1]].concat());
        assert_eq!(bytes(PrimitiveType::Utf8, ScalarRef::Utf8("é\0")), [0xc3, 0xa9, 0]);
    }
}
