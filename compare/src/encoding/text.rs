//! The string encoding: values as the text SQL prints.

use std::str::FromStr;

use super::{KIND, float_text, utf8};
use crate::bad_value::Reason;
use crate::{PrimitiveType, ScalarRef, calendar, decimal, plain_date, plain_decimal, plain_integer};

const RANGE: Reason = Reason::Borrowed("the number is out of range");

pub(super) fn decode(ty: PrimitiveType, bytes: &[u8]) -> Result<ScalarRef<'_>, Reason> {
    match ty {
        PrimitiveType::Utf8 => return utf8(bytes),
        PrimitiveType::Binary => return Ok(ScalarRef::Binary(bytes)),
        _ => {}
    }
    let text = bytes.trim_ascii();
    if let Some((least, greatest)) = ty.int_bounds() {
        let value = match ty {
            PrimitiveType::Date32 => match plain_date(text) {
                Some(day) => day.into(),
                None => calendar::parse_date(text)?,
            },
            PrimitiveType::Date64 => {
                calendar::parse_timestamp(text, arrow::datatypes::TimeUnit::Millisecond)?
            }
            PrimitiveType::Time32(unit) | PrimitiveType::Time64(unit) => calendar::parse_time(text, unit)?,
            PrimitiveType::Timestamp(unit) => calendar::parse_timestamp(text, unit)?,
            _ => integer(text)?,
        };
        return if (least..=greatest).contains(&value) { Ok(ScalarRef::Int(value)) } else { Err(RANGE) };
    }
    if let Some(greatest) = ty.uint_max() {
        let value = unsigned(text)?;
        return if value <= greatest { Ok(ScalarRef::UInt(value)) } else { Err(RANGE) };
    }
    match ty {
        PrimitiveType::Boolean => {
            if text.eq_ignore_ascii_case(b"true") {
                Ok(ScalarRef::Boolean(true))
            } else if text.eq_ignore_ascii_case(b"false") {
                Ok(ScalarRef::Boolean(false))
            } else {
                Err("a boolean is written true or false".into())
            }
        }
        PrimitiveType::Float32 => Ok(ScalarRef::Float32(float(text, f32::is_infinite)?)),
        PrimitiveType::Float64 => Ok(ScalarRef::Float64(float(text, f64::is_infinite)?)),
        PrimitiveType::Decimal128 { precision, scale } => {
            if let Some(value) = plain_decimal(text, precision, scale) {
                return Ok(ScalarRef::Decimal128(value.into()));
            }
            let value = decimal::parse(text, scale)?.to_i128().ok_or(RANGE)?;
            super::binary::decimal128(value, precision)
        }
        PrimitiveType::Decimal256 { precision, scale } => {
            super::binary::decimal256(decimal::parse(text, scale)?, precision)
        }
        _ => Err(KIND),
    }
}

/// Writes a value already checked against the type.
pub(super) fn encode(ty: PrimitiveType, value: ScalarRef<'_>, out: &mut Vec<u8>) -> Result<(), Reason> {
    match value {
        ScalarRef::Boolean(value) => out.extend_from_slice(if value { b"true" } else { b"false" }),
        ScalarRef::Int(value) => match ty {
            PrimitiveType::Date32 => calendar::write_date(value, out),
            PrimitiveType::Date64 => {
                calendar::write_timestamp(value, arrow::datatypes::TimeUnit::Millisecond, out)
            }
            PrimitiveType::Time32(unit) | PrimitiveType::Time64(unit) => {
                calendar::write_time(value, unit, out)?
            }
            PrimitiveType::Timestamp(unit) => calendar::write_timestamp(value, unit, out),
            _ => out.extend_from_slice(value.to_string().as_bytes()),
        },
        ScalarRef::UInt(value) => out.extend_from_slice(value.to_string().as_bytes()),
        ScalarRef::Float32(value) => float_text::write32(value, out),
        ScalarRef::Float64(value) => float_text::write64(value, out),
        ScalarRef::Decimal128(value) => match ty {
            PrimitiveType::Decimal128 { scale, .. } => {
                decimal::write(arrow::datatypes::i256::from_i128(value), scale, out);
            }
            _ => return Err(KIND),
        },
        ScalarRef::Decimal256(value) => match ty {
            PrimitiveType::Decimal256 { scale, .. } => decimal::write(value, scale, out),
            _ => return Err(KIND),
        },
        ScalarRef::Utf8(value) => out.extend_from_slice(value.as_bytes()),
        ScalarRef::Binary(value) => out.extend_from_slice(value),
    }
    Ok(())
}

/// Reads an integer: the plain form at once, the forms with a point or an exponent the long way.
fn integer(text: &[u8]) -> Result<i64, Reason> {
    match plain_integer(text).or_else(|| plain(text)) {
        Some(value) => Ok(value),
        None => decimal::parse(text, 0)?.to_i128().and_then(|value| i64::try_from(value).ok()).ok_or(RANGE),
    }
}

fn unsigned(text: &[u8]) -> Result<u64, Reason> {
    match plain::<u64>(text) {
        Some(value) => Ok(value),
        None => decimal::parse(text, 0)?.to_i128().and_then(|value| u64::try_from(value).ok()).ok_or(RANGE),
    }
}

fn plain<T: FromStr>(text: &[u8]) -> Option<T> {
    std::str::from_utf8(text).ok()?.parse().ok()
}

/// Reads a float. Rounding to the nearest float is what the type means; a finite number beyond the greatest float is
/// refused rather than made infinite.
fn float<T: FromStr + Copy>(text: &[u8], is_infinite: fn(T) -> bool) -> Result<T, Reason> {
    let value: T = plain(text).ok_or(Reason::Borrowed("the text is not a floating-point number"))?;
    let spelled_out = text.iter().any(|byte| matches!(byte, b'i' | b'I'));
    if is_infinite(value) && !spelled_out { Err(RANGE) } else { Ok(value) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow::datatypes::TimeUnit;

    fn written(ty: PrimitiveType, value: ScalarRef<'_>) -> String {
        let mut out = Vec::new();
        encode(ty, value, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn text_is_what_sql_prints() {
        assert_eq!(written(PrimitiveType::Boolean, ScalarRef::Boolean(true)), "true");
        assert_eq!(written(PrimitiveType::Int64, ScalarRef::Int(i64::MIN)), "-9223372036854775808");
        assert_eq!(written(PrimitiveType::UInt64, ScalarRef::UInt(u64::MAX)), "18446744073709551615");
        for (value, text) in [
            (0.1, "0.1"),
            (1.0, "1.0"),
            (-0.0, "-0.0"),
            (1e300, "1e300"),
            (-2.5e-7, "-2.5e-7"),
            (0.00001, "0.00001"),
            (0.000001, "1e-6"),
            (123456789012345.6, "123456789012345.6"),
            (1e15, "1000000000000000.0"),
            (1e16, "1e16"),
            (f64::NAN, "NaN"),
            (f64::INFINITY, "inf"),
            (f64::NEG_INFINITY, "-inf"),
        ] {
            assert_eq!(written(PrimitiveType::Float64, ScalarRef::Float64(value)), text);
        }
        assert_eq!(written(PrimitiveType::Float32, ScalarRef::Float32(0.1)), "0.1");
        assert_eq!(written(PrimitiveType::Float32, ScalarRef::Float32(1e13)), "1e13");
        assert_eq!(written(PrimitiveType::Float32, ScalarRef::Float32(1e-6)), "0.000001");
        let decimal = PrimitiveType::Decimal128 { precision: 5, scale: 2 };
        assert_eq!(written(decimal, ScalarRef::Decimal128(-5)), "-0.05");
        assert_eq!(written(PrimitiveType::Date32, ScalarRef::Int(18_262)), "2020-01-01");
        assert_eq!(
            written(PrimitiveType::Timestamp(TimeUnit::Microsecond), ScalarRef::Int(1_577_836_800_000_001)),
            "2020-01-01T00:00:00.000001"
        );
        assert_eq!(written(PrimitiveType::Time32(TimeUnit::Second), ScalarRef::Int(61)), "00:01:01");
        assert_eq!(written(PrimitiveType::Date64, ScalarRef::Int(0)), "1970-01-01T00:00:00");
    }

    #[test]
    fn numbers_are_read_leniently_but_exactly() {
        for text in ["7", "+7", "007", " 7 ", "7.0", "7e0", "70e-1"] {
            assert_eq!(decode(PrimitiveType::Int8, text.as_bytes()), Ok(ScalarRef::Int(7)), "{text}");
            assert_eq!(decode(PrimitiveType::UInt8, text.as_bytes()), Ok(ScalarRef::UInt(7)), "{text}");
        }
        for text in ["", " ", "7.5", "128", "-129", "seven", "0x7", "7 8", "1e30", "NaN", "\u{661}"] {
            assert!(decode(PrimitiveType::Int8, text.as_bytes()).is_err(), "{text}");
        }
        assert!(decode(PrimitiveType::UInt64, b"-1").is_err());
        assert_eq!(decode(PrimitiveType::UInt64, b"-0"), Ok(ScalarRef::UInt(0)));
        assert_eq!(decode(PrimitiveType::Int64, b"9223372036854775808"), Err(RANGE));
    }

    #[test]
    fn floats_do_not_become_infinite() {
        assert!(decode(PrimitiveType::Float64, b"1e400").is_err());
        assert!(decode(PrimitiveType::Float32, b"1e39").is_err());
        for text in ["inf", "Infinity", "+INF"] {
            let value = decode(PrimitiveType::Float64, text.as_bytes());
            assert_eq!(value, Ok(ScalarRef::Float64(f64::INFINITY)), "{text}");
        }
        assert_eq!(decode(PrimitiveType::Float32, b" -0 "), Ok(ScalarRef::Float32(-0.0)));
        assert_eq!(decode(PrimitiveType::Float64, b"nan"), Ok(ScalarRef::Float64(f64::NAN)));
        assert!(
            decode(PrimitiveType::Float64, b"1,5").is_err() && decode(PrimitiveType::Float64, b"").is_err()
        );
    }

    #[test]
    fn booleans_are_two_words() {
        assert_eq!(decode(PrimitiveType::Boolean, b"TRUE"), Ok(ScalarRef::Boolean(true)));
        assert_eq!(decode(PrimitiveType::Boolean, b"False"), Ok(ScalarRef::Boolean(false)));
        for text in ["", "t", "1", "yes"] {
            assert!(decode(PrimitiveType::Boolean, text.as_bytes()).is_err(), "{text}");
        }
    }

    #[test]
    fn decimals_keep_their_digits() {
        let ty = PrimitiveType::Decimal128 { precision: 4, scale: 2 };
        assert_eq!(decode(ty, b"10.5"), Ok(ScalarRef::Decimal128(1050)));
        assert_eq!(decode(ty, b"99.99"), Ok(ScalarRef::Decimal128(9999)));
        assert!(decode(ty, b"100").is_err() && decode(ty, b"5.555").is_err());
        assert_eq!(decode(ty, b"5.550"), Ok(ScalarRef::Decimal128(555)));
    }

    #[test]
    fn text_and_bytes_are_raw() {
        assert_eq!(decode(PrimitiveType::Utf8, b" x "), Ok(ScalarRef::Utf8(" x ")));
        assert!(decode(PrimitiveType::Utf8, b"\xff").is_err());
        assert_eq!(decode(PrimitiveType::Binary, b"\xff"), Ok(ScalarRef::Binary(b"\xff")));
    }
}
