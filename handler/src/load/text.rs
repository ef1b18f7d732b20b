//! How files write values: the forms that people and other programs use, brought to the one that
//! [`ostracon_compare::decode`] reads. Nothing is rounded here and nothing goes through a double.

use arrow::datatypes::{DataType, TimeUnit};
use ostracon_compare::{Encoding, PrimitiveType, ScalarRef, decode};

use crate::statement::sql_type_name;

/// A type's name in SQL, for messages.
pub(super) fn type_name(data_type: &DataType) -> String {
    match data_type {
        DataType::Boolean => "BOOLEAN".to_owned(),
        DataType::Int8 => "TINYINT".to_owned(),
        DataType::Int16 => "SMALLINT".to_owned(),
        DataType::Int32 => "INT".to_owned(),
        DataType::Int64 => "BIGINT".to_owned(),
        DataType::UInt8 => "TINYINT UNSIGNED".to_owned(),
        DataType::UInt16 => "SMALLINT UNSIGNED".to_owned(),
        DataType::UInt32 => "INT UNSIGNED".to_owned(),
        DataType::UInt64 => "BIGINT UNSIGNED".to_owned(),
        DataType::Float32 => "REAL".to_owned(),
        DataType::Float64 => "DOUBLE".to_owned(),
        DataType::Decimal128(precision, scale) | DataType::Decimal256(precision, scale) => {
            format!("DECIMAL({precision},{scale})")
        }
        DataType::Date32 | DataType::Date64 => "DATE".to_owned(),
        DataType::Time32(_) | DataType::Time64(_) => "TIME".to_owned(),
        DataType::Timestamp(unit, zone) => {
            let digits = match unit {
                TimeUnit::Second => "(0)",
                TimeUnit::Millisecond => "(3)",
                TimeUnit::Microsecond => "(6)",
                TimeUnit::Nanosecond => "",
            };
            let zone = if zone.is_some() { " WITH TIME ZONE" } else { "" };
            format!("TIMESTAMP{digits}{zone}")
        }
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => "VARCHAR".to_owned(),
        DataType::Binary | DataType::LargeBinary | DataType::BinaryView => "BYTEA".to_owned(),
        nested if nested.is_nested() => sql_type_name(nested),
        other => other.to_string(),
    }
}

/// The words for a value that is not of its column's type.
pub(super) fn unfit(data_type: &DataType, reason: &str) -> String {
    let reason = reason.trim_end_matches('.');
    format!("is not of the type {} ({reason})", type_name(data_type))
}

/// Whether JSON numbers are values of a type.
pub(super) fn is_number(ty: PrimitiveType) -> bool {
    use PrimitiveType::*;
    matches!(
        ty,
        Int8 | Int16
            | Int32
            | Int64
            | UInt8
            | UInt16
            | UInt32
            | UInt64
            | Float32
            | Float64
            | Decimal128 { .. }
            | Decimal256 { .. }
    )
}

/// A truth value in PostgreSQL's words.
pub(super) fn boolean(field: &str) -> Result<bool, String> {
    let text = field.trim_matches([' ', '\t']);
    let is = |words: [&str; 6]| words.iter().any(|word| word.eq_ignore_ascii_case(text));
    if is(["true", "t", "yes", "y", "on", "1"]) {
        return Ok(true);
    }
    if is(["false", "f", "no", "n", "off", "0"]) {
        return Ok(false);
    }
    match decode(PrimitiveType::Boolean, Encoding::String, text.as_bytes()) {
        Ok(ScalarRef::Boolean(value)) => Ok(value),
        Ok(other) => Err(format!("was read as {other:?}, which is of another type")),
        Err(bad) => Err(bad.reason),
    }
}

/// A JSON number in the plain digits that integers and decimals are read from: `1e2` is `100`, `5.0` as an integer
/// is `5`. Floats are left as they are.
pub(super) fn plain_number(ty: PrimitiveType, number: &str) -> Result<String, String> {
    if matches!(ty, PrimitiveType::Float32 | PrimitiveType::Float64) {
        return Ok(number.to_owned());
    }
    let (mantissa, exponent) = match number.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => {
            (mantissa, exponent.parse::<i32>().map_err(|_| "the exponent is too large")?)
        }
        None => (number, 0),
    };
    if !(-400..=400).contains(&exponent) {
        return Err("the exponent is too large".to_owned());
    }
    let (sign, digits) = match mantissa.strip_prefix('-') {
        Some(digits) => ("-", digits),
        None => ("", mantissa),
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let all = format!("{whole}{fraction}");
    let point = i32::try_from(whole.len()).unwrap_or(i32::MAX).saturating_add(exponent);
    let (whole, fraction) = match usize::try_from(point) {
        Ok(point) if point >= all.len() => (format!("{all:0<point$}"), String::new()),
        Ok(point) => {
            let (whole, fraction) = all.split_at(point);
            (whole.to_owned(), fraction.to_owned())
        }
        Err(_) => {
            let zeros = usize::try_from(point.unsigned_abs()).unwrap_or(0);
            (String::new(), format!("{}{all}", "0".repeat(zeros)))
        }
    };
    let whole = whole.trim_start_matches('0');
    let whole = if whole.is_empty() { "0" } else { whole };
    let fraction = fraction.trim_end_matches('0');
    Ok(if fraction.is_empty() { format!("{sign}{whole}") } else { format!("{sign}{whole}.{fraction}") })
}

/// Bytes as CSV files write them, by PostgreSQL's rules: `\x` and hex digits, or text with `\\` and `\ooo`.
pub(super) fn binary(field: &str) -> Result<Vec<u8>, String> {
    if let Some(digits) = field.strip_prefix("\\x").or_else(|| field.strip_prefix("\\X")) {
        return hex(digits);
    }
    let mut out = Vec::with_capacity(field.len());
    let mut rest = field.as_bytes();
    loop {
        match rest {
            [] => return Ok(out),
            [b'\\', b'\\', after @ ..] => {
                out.push(b'\\');
                rest = after;
            }
            [b'\\', a @ b'0'..=b'3', b @ b'0'..=b'7', c @ b'0'..=b'7', after @ ..] => {
                out.push(((a - b'0') << 6) | ((b - b'0') << 3) | (c - b'0'));
                rest = after;
            }
            [b'\\', ..] => {
                return Err(
                    "a backslash is written \\\\, a byte \\ooo in octal, or all in hex after \\x".to_owned()
                );
            }
            [byte, after @ ..] => {
                out.push(*byte);
                rest = after;
            }
        }
    }
}

/// Bytes from pairs of hex digits of either case.
pub(super) fn hex(digits: &str) -> Result<Vec<u8>, String> {
    let bytes = digits.as_bytes().chunks(2).map(|pair| match pair {
        [high, low] => {
            let digit = |byte: &u8| char::from(*byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
            Some(digit(high)? << 4 | digit(low)?)
        }
        _ => None,
    });
    bytes.collect::<Option<_>>().ok_or_else(|| "pairs of hex digits are wanted".to_owned())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn numbers_become_plain() {
        for (number, wanted) in [
            ("1e2", "100"),
            ("1.50", "1.5"),
            ("-1.5E1", "-15"),
            ("5.0", "5"),
            ("-0", "-0"),
            ("0.00", "0"),
            ("12e-3", "0.012"),
            ("100e-2", "1"),
            ("18446744073709551615", "18446744073709551615"),
        ] {
            assert_eq!(plain_number(PrimitiveType::Int64, number).as_deref(), Ok(wanted), "{number}");
        }
        assert!(plain_number(PrimitiveType::Int64, "1e999999999999").is_err());
        assert_eq!(plain_number(PrimitiveType::Float64, "1e-400").as_deref(), Ok("1e-400"));
    }

    #[test]
    fn bytes_are_read_by_both_rules() {
        assert_eq!(binary("\\xFf00"), Ok(vec![255, 0]));
        assert_eq!(binary("a\\\\\\377"), Ok(b"a\\\xff".to_vec()));
        assert_eq!(binary(""), Ok(vec![]));
        assert!(binary("\\xf").is_err());
        assert!(binary("a\\b").is_err());
        assert!(hex("0g").is_err());
    }

    #[test]
    fn truth_has_many_words() {
        for (field, value) in [("Yes", true), (" t\t", true), ("off", false), ("\rFALSE", false)] {
            assert_eq!(boolean(field), Ok(value), "{field}");
        }
        assert!(boolean("maybe").unwrap_err().contains("true or false"));
        assert!(boolean("").is_err());
    }

    proptest! {
        #[test]
        fn plain_numbers_keep_their_value(whole in 0u32..100_000, fraction in 0u32..1000, exponent in -6i32..6) {
            let plain = plain_number(PrimitiveType::Int64, &format!("{whole}.{fraction:03}e{exponent}")).unwrap();
            // Thousandths times ten to the exponent, in units of 1e-9.
            let wanted = i128::from(whole * 1000 + fraction) * 10i128.pow(6) * 10i128.pow(6);
            let wanted = if exponent < 0 { wanted / 10i128.pow(exponent.unsigned_abs()) } else { wanted * 10i128.pow(exponent.unsigned_abs()) };
            let (whole, fraction) = plain.split_once('.').unwrap_or((&plain, ""));
            let found: i128 = format!("{whole}{fraction:0<15}").parse().unwrap();
            prop_assert_eq!(found, wanted);
        }
    }
}
