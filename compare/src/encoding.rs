//! Values as the bytes of a cell.
//!
//! [`encode`] and [`decode`] dispatch on a [`PrimitiveType`] and an [`Encoding`]; one file below holds each encoding. What
//! is known about the bytes, [`is_order_preserving`] and [`is_canonical`], decides what a planner may do with them, and
//! [`order_span`] gives the bytes to search for.
//!
//! Whether a cell is there at all, and whether its bytes stand for NULL, is decided before a value comes here.

mod binary;
mod float_text;
mod native;
mod text;
mod words;

use std::fmt;
use std::ops::RangeInclusive;

pub use words::Word;

use crate::bad_value::Reason;
use crate::{BadValue, PrimitiveType, ScalarRef, decimal};

/// How a column's values are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Encoding {
    /// The text SQL prints, in UTF-8: `-7`, `0.1`, `true`, `2020-01-31`, `2020-01-31T12:30:05.000001`, decimals with
    /// every digit of their scale; bytes as they are.
    ///
    /// Decoding is lenient where the text has one meaning: blanks around it, a plus sign, leading zeros, an integer
    /// written `5.0` or `5e0`, `TRUE`, a blank for the `T`, a zone behind a timestamp (converted to UTC). It never
    /// rounds a number that the type can hold exactly, and never wraps.
    String,
    /// Hive's big-endian bytes of fixed width: two's complement integers, IEEE 754 floats, one byte 0 or 1; temporal
    /// values as their integers, decimals as 16 or 32 bytes of their unscaled integer. Text and bytes as they are.
    Binary,
    /// As binary, but with signs flipped so that bytes sort as values do.
    Native,
}

impl fmt::Display for Encoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::String => "string",
            Self::Binary => "binary",
            Self::Native => "native",
        })
    }
}

/// The value of a cell's bytes. Borrows from them; allocates only to report an error or to read rare forms of text.
pub fn decode(ty: PrimitiveType, encoding: Encoding, bytes: &[u8]) -> Result<ScalarRef<'_>, BadValue> {
    let decoded = match encoding {
        Encoding::String => text::decode(ty, bytes),
        Encoding::Binary => binary::decode(ty, bytes),
        Encoding::Native => native::decode(ty, bytes),
    };
    decoded.map_err(|reason| BadValue::of_bytes(ty, encoding, bytes, reason))
}

/// Appends a value's bytes to `out`, which is left as it was if the value is of another kind than the type, or out of
/// its range.
pub fn encode(
    ty: PrimitiveType,
    encoding: Encoding,
    value: ScalarRef<'_>,
    out: &mut Vec<u8>,
) -> Result<(), BadValue> {
    let encoded = check(ty, value).and_then(|()| match encoding {
        Encoding::String => text::encode(ty, value, out),
        Encoding::Binary => {
            binary::encode(ty, value, out);
            Ok(())
        }
        Encoding::Native => {
            native::encode(ty, value, out);
            Ok(())
        }
    });
    encoded.map_err(|reason| BadValue::of_value(ty, encoding, value, reason))
}

/// Whether bytes sort as the values do, `decode(a) < decode(b)` implying `a < b`.
///
/// Two byte strings of one value (see [`is_canonical`]) may still differ, but no other value's lie between them.
pub fn is_order_preserving(ty: PrimitiveType, encoding: Encoding) -> bool {
    match encoding {
        Encoding::Native => true,
        Encoding::String => matches!(ty, PrimitiveType::Utf8 | PrimitiveType::Binary),
        Encoding::Binary => {
            matches!(ty, PrimitiveType::Utf8 | PrimitiveType::Binary | PrimitiveType::Boolean)
                || ty.uint_max().is_some()
        }
    }
}

/// Whether equal values have equal bytes.
///
/// Floats have two zeros in every encoding; text has many forms of a number.
pub fn is_canonical(ty: PrimitiveType, encoding: Encoding) -> bool {
    match encoding {
        Encoding::String => matches!(ty, PrimitiveType::Utf8 | PrimitiveType::Binary),
        Encoding::Binary | Encoding::Native => !matches!(ty, PrimitiveType::Float32 | PrimitiveType::Float64),
    }
}

/// The least and the greatest bytes whose value equals `value`, for an order-preserving encoding; `None` for another.
///
/// The two differ only for a float's zeros. Bytes for `column = value` lie in the span, its end included; those for
/// `column < value` lie before its start, those for `column > value` behind its end.
pub fn order_span(
    ty: PrimitiveType,
    encoding: Encoding,
    value: ScalarRef<'_>,
) -> Result<Option<RangeInclusive<Vec<u8>>>, BadValue> {
    if !is_order_preserving(ty, encoding) {
        return Ok(None);
    }
    // The pattern 0.0 is equality of numbers: it takes both zeros.
    let (low, high) = match value {
        ScalarRef::Float32(0.0) => (ScalarRef::Float32(-0.0), ScalarRef::Float32(0.0)),
        ScalarRef::Float64(0.0) => (ScalarRef::Float64(-0.0), ScalarRef::Float64(0.0)),
        other => (other, other),
    };
    let (mut first, mut last) = (Vec::new(), Vec::new());
    encode(ty, encoding, low, &mut first)?;
    encode(ty, encoding, high, &mut last)?;
    Ok(Some(first..=last))
}

/// Whether the value is of the type's kind and within its range.
fn check(ty: PrimitiveType, value: ScalarRef<'_>) -> Result<(), Reason> {
    const RANGE: Reason = Reason::Borrowed("the number is out of range");
    const PRECISION: Reason = Reason::Borrowed("the number has more digits than the precision");
    match (ty, value) {
        (PrimitiveType::Boolean, ScalarRef::Boolean(_))
        | (PrimitiveType::Float32, ScalarRef::Float32(_))
        | (PrimitiveType::Float64, ScalarRef::Float64(_))
        | (PrimitiveType::Utf8, ScalarRef::Utf8(_))
        | (PrimitiveType::Binary, ScalarRef::Binary(_)) => Ok(()),
        (PrimitiveType::Decimal128 { precision, .. }, ScalarRef::Decimal128(value)) => {
            if decimal::fits128(value, precision) { Ok(()) } else { Err(PRECISION) }
        }
        (PrimitiveType::Decimal256 { precision, .. }, ScalarRef::Decimal256(value)) => {
            if decimal::fits256(value, precision) { Ok(()) } else { Err(PRECISION) }
        }
        (_, ScalarRef::Int(value)) => match ty.int_bounds() {
            Some((least, greatest)) if (least..=greatest).contains(&value) => Ok(()),
            Some(_) => Err(RANGE),
            None => Err(KIND),
        },
        (_, ScalarRef::UInt(value)) => match ty.uint_max() {
            Some(greatest) if value <= greatest => Ok(()),
            Some(_) => Err(RANGE),
            None => Err(KIND),
        },
        _ => Err(KIND),
    }
}

const KIND: Reason = Reason::Borrowed("the value is of another kind");

/// Bytes of exactly `N`, or the reason that they are not.
fn fixed<const N: usize>(bytes: &[u8]) -> Result<[u8; N], Reason> {
    <[u8; N]>::try_from(bytes).map_err(|_| format!("{N} bytes are needed, there are {}", bytes.len()).into())
}

fn utf8(bytes: &[u8]) -> Result<ScalarRef<'_>, Reason> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Ok(ScalarRef::Utf8(text)),
        Err(error) => Err(format!("the text is not valid UTF-8 from byte {}", error.valid_up_to()).into()),
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use arrow::datatypes::TimeUnit;

    /// One of each type, decimals with several parameters.
    pub(crate) fn every_type() -> Vec<PrimitiveType> {
        let mut types = vec![
            PrimitiveType::Boolean,
            PrimitiveType::Int8,
            PrimitiveType::Int16,
            PrimitiveType::Int32,
            PrimitiveType::Int64,
            PrimitiveType::UInt8,
            PrimitiveType::UInt16,
            PrimitiveType::UInt32,
            PrimitiveType::UInt64,
            PrimitiveType::Float32,
            PrimitiveType::Float64,
            PrimitiveType::Date32,
            PrimitiveType::Date64,
            PrimitiveType::Time32(TimeUnit::Second),
            PrimitiveType::Time32(TimeUnit::Millisecond),
            PrimitiveType::Time64(TimeUnit::Microsecond),
            PrimitiveType::Time64(TimeUnit::Nanosecond),
            PrimitiveType::Utf8,
            PrimitiveType::Binary,
        ];
        for unit in [TimeUnit::Second, TimeUnit::Millisecond, TimeUnit::Microsecond, TimeUnit::Nanosecond] {
            types.push(PrimitiveType::Timestamp(unit));
        }
        for (precision, scale) in [(38, 10), (10, 2), (1, 0), (5, -2)] {
            types.push(PrimitiveType::Decimal128 { precision, scale });
        }
        for (precision, scale) in [(76, 20), (40, 0)] {
            types.push(PrimitiveType::Decimal256 { precision, scale });
        }
        types
    }

    #[test]
    fn a_refused_value_leaves_no_bytes() {
        let mut out = b"kept".to_vec();
        for encoding in [Encoding::String, Encoding::Binary, Encoding::Native] {
            for (ty, value) in [
                (PrimitiveType::Int8, ScalarRef::Int(128)),
                (PrimitiveType::Date32, ScalarRef::Int(1 << 40)),
                (PrimitiveType::UInt16, ScalarRef::UInt(1 << 16)),
                (PrimitiveType::Int64, ScalarRef::UInt(1)),
                (PrimitiveType::UInt64, ScalarRef::Int(1)),
                (PrimitiveType::Utf8, ScalarRef::Binary(b"x")),
                (PrimitiveType::Float32, ScalarRef::Float64(1.0)),
                (PrimitiveType::Boolean, ScalarRef::Int(1)),
                (PrimitiveType::Decimal128 { precision: 2, scale: 1 }, ScalarRef::Decimal128(100)),
            ] {
                assert!(encode(ty, encoding, value, &mut out).is_err(), "{ty} {encoding} {value:?}");
                assert_eq!(out, b"kept");
            }
        }
        let late = PrimitiveType::Time32(TimeUnit::Second);
        assert!(encode(late, Encoding::String, ScalarRef::Int(-1), &mut out).is_err());
        assert_eq!(out, b"kept");
    }

    #[test]
    fn the_span_of_zero_holds_both_zeros() {
        let span = order_span(PrimitiveType::Float64, Encoding::Native, ScalarRef::Float64(-0.0)).unwrap();
        let span = span.unwrap();
        assert_eq!(*span.start(), [0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]);
        assert_eq!(*span.end(), [0x80, 0, 0, 0, 0, 0, 0, 0]);
        let span = order_span(PrimitiveType::Utf8, Encoding::String, ScalarRef::Utf8("a")).unwrap();
        assert_eq!(span, Some(b"a".to_vec()..=b"a".to_vec()));
        let span = order_span(PrimitiveType::Int32, Encoding::String, ScalarRef::Int(1)).unwrap();
        assert_eq!(span, None);
    }
}
