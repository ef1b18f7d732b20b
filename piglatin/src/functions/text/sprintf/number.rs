use std::str::FromStr as _;

use bigdecimal::num_bigint::BigInt;
use bigdecimal::{BigDecimal, RoundingMode, Zero as _};

use super::{LIMIT, Specifier, unfit};
use crate::value::Value;

/// `%d` of int, long and biginteger.
pub(super) fn decimal(specifier: &Specifier<'_>, value: &Value) -> Result<String, String> {
    specifier.check_flags("-+ 0,(")?;
    specifier.no_precision()?;
    let digits = match value {
        Value::Int(x) => x.to_string(),
        Value::Long(x) => x.to_string(),
        Value::BigInteger(x) => x.to_string(),
        other => return Err(unfit(specifier, other)),
    };
    signed(specifier, &digits)
}

/// `%x`, `%o`: of int and long the bits, of biginteger the number with its sign.
pub(super) fn radix(specifier: &Specifier<'_>, value: &Value, radix: u32) -> Result<String, String> {
    let big = matches!(value, Value::BigInteger(_));
    specifier.check_flags(if big { "-#+ 0(" } else { "-#0" })?;
    specifier.no_precision()?;
    let digits = match (value, radix) {
        (Value::Int(x), 16) => format!("{x:x}"),
        (Value::Int(x), _) => format!("{x:o}"),
        (Value::Long(x), 16) => format!("{x:x}"),
        (Value::Long(x), _) => format!("{x:o}"),
        (Value::BigInteger(x), radix) => x.to_str_radix(radix),
        (other, _) => return Err(unfit(specifier, other)),
    };
    let prefix = match (specifier.has('#'), radix) {
        (false, _) => "",
        (true, 16) => "0x",
        (true, _) => "0",
    };
    let (sign, digits) = digits.strip_prefix('-').map_or(("", digits.as_str()), |digits| ("-", digits));
    signed(specifier, &format!("{sign}{prefix}{digits}"))
}

/// `%f`: six digits behind the point, or as many as the precision says; halves go up.
pub(super) fn fixed(specifier: &Specifier<'_>, value: &Value) -> Result<String, String> {
    specifier.check_flags("-#+ 0,(")?;
    let precision = specifier.precision.unwrap_or(6);
    let number = match number(specifier, value)? {
        Number::Finite { negative, magnitude } => {
            let whole_digits =
                i128::from(magnitude.digits()) - i128::from(magnitude.fractional_digit_count());
            if whole_digits > LIMIT as i128 {
                return Err(format!("{} writes no number of {whole_digits} digits", specifier.text));
            }
            let places = i64::try_from(precision).unwrap_or(i64::MAX);
            let magnitude = magnitude.with_scale_round(places, RoundingMode::HalfUp).to_plain_string();
            let point = if precision == 0 && specifier.has('#') { "." } else { "" };
            format!("{}{magnitude}{point}", if negative { "-" } else { "" })
        }
        Number::Other(text) => return Ok(unusual(specifier, text)),
    };
    signed(specifier, &number)
}

/// `%e`: one digit before the point, and two or more of the exponent.
pub(super) fn scientific(specifier: &Specifier<'_>, value: &Value) -> Result<String, String> {
    specifier.check_flags("-#+ 0(")?;
    let precision = specifier.precision.unwrap_or(6);
    let (negative, magnitude) = match number(specifier, value)? {
        Number::Finite { negative, magnitude } => (negative, magnitude),
        Number::Other(text) => return Ok(unusual(specifier, text)),
    };
    let digits = u64::try_from(precision).unwrap_or(u64::MAX).saturating_add(1);
    let (mut digits, exponent) = if magnitude.is_zero() {
        ("0".to_owned(), 0)
    } else {
        let digits = std::num::NonZeroU64::MIN.saturating_add(digits - 1);
        let rounded = magnitude.with_precision_round(digits, RoundingMode::HalfUp);
        let (digits, scale): (BigInt, i64) = rounded.into_bigint_and_exponent();
        let digits = digits.to_string();
        let exponent = i64::try_from(digits.len()).unwrap_or(i64::MAX) - 1 - scale;
        (digits, exponent)
    };
    digits.extend(std::iter::repeat_n('0', (precision + 1).saturating_sub(digits.len())));
    let digits = digits.get(..=precision).unwrap_or(&digits);
    let (first, others) = digits.split_at(1);
    let point = if precision > 0 || specifier.has('#') { "." } else { "" };
    let sign = if exponent < 0 { '-' } else { '+' };
    let minus = if negative { "-" } else { "" };
    signed(specifier, &format!("{minus}{first}{point}{others}e{sign}{:02}", exponent.unsigned_abs()))
}

/// A number to be written with a point.
enum Number {
    Finite { negative: bool, magnitude: BigDecimal },
    Other(&'static str),
}

/// The decimal number that a double prints as; a float is written as the double it is.
fn number(specifier: &Specifier<'_>, value: &Value) -> Result<Number, String> {
    let x = match value {
        Value::Float(x) => f64::from(*x),
        Value::Double(x) => *x,
        Value::BigDecimal(x) => {
            return Ok(Number::Finite { negative: x < &BigDecimal::zero(), magnitude: x.abs() });
        }
        other => return Err(unfit(specifier, other)),
    };
    if x.is_nan() {
        return Ok(Number::Other("NaN"));
    }
    if x.is_infinite() {
        return Ok(Number::Other(if x < 0.0 { "-Infinity" } else { "Infinity" }));
    }
    let magnitude = BigDecimal::from_str(&format!("{:e}", x.abs())).map_err(|_| unfit(specifier, value))?;
    Ok(Number::Finite { negative: x.is_sign_negative(), magnitude })
}

/// NaN and the infinities have signs, but neither zeros nor groups.
fn unusual(specifier: &Specifier<'_>, text: &'static str) -> String {
    match text.strip_prefix('-') {
        Some(magnitude) if specifier.has('(') => format!("({magnitude})"),
        None if text != "NaN" && specifier.has('+') => format!("+{text}"),
        None if text != "NaN" && specifier.has(' ') => format!(" {text}"),
        _ => text.to_owned(),
    }
}

/// Sign, groups of three, and zeros up to the width.
fn signed(specifier: &Specifier<'_>, number: &str) -> Result<String, String> {
    if specifier.has('+') && specifier.has(' ') {
        return Err(format!("{} cannot have both '+' and ' '", specifier.text));
    }
    let (negative, magnitude) = number.strip_prefix('-').map_or((false, number), |rest| (true, rest));
    let (before, after) = match (negative, specifier.has('(')) {
        (true, true) => ("(", ")"),
        (true, false) => ("-", ""),
        (false, _) if specifier.has('+') => ("+", ""),
        (false, _) if specifier.has(' ') => (" ", ""),
        (false, _) => ("", ""),
    };
    let mut magnitude = if specifier.has(',') { grouped(magnitude) } else { magnitude.to_owned() };
    if specifier.has('0') {
        let length = before.len() + magnitude.len() + after.len();
        let zeros = "0".repeat(specifier.width.unwrap_or(0).saturating_sub(length));
        let place = if magnitude.starts_with("0x") { 2 } else { 0 };
        magnitude.insert_str(place, &zeros);
    }
    Ok(format!("{before}{magnitude}{after}"))
}

/// `1234567.5` as `1,234,567.5`.
fn grouped(magnitude: &str) -> String {
    let whole = magnitude.find('.').unwrap_or(magnitude.len());
    let mut out = String::with_capacity(magnitude.len() + whole / 3);
    for (place, letter) in magnitude.char_indices() {
        if place > 0 && place < whole && (whole - place).is_multiple_of(3) {
            out.push(',');
        }
        out.push(letter);
    }
    out
}
