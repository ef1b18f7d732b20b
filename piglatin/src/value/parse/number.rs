//! Numbers and booleans out of text. Blanks around them do not count; nothing but blanks is null.

use std::str::FromStr;

use bigdecimal::BigDecimal;
use bigdecimal::num_bigint::BigInt;

use super::{Bad, trim};

/// An int: an integer, or a decimal number, whose fraction is cut (N12).
///
/// # Errors
/// If it is no number, or none of 32 bits.
pub fn parse_int(bytes: &[u8]) -> Result<Option<i32>, Bad> {
    let text = trim(bytes);
    match integer(text) {
        Some(value) => i32::try_from(value).map(Some).map_err(|_| Bad),
        None if text.is_empty() => Ok(None),
        None => {
            let value = double(text)?;
            if value > -2_147_483_649.0 && value < 2_147_483_648.0 {
                #[expect(clippy::cast_possible_truncation, reason = "checked, and the fraction is cut")]
                Ok(Some(value as i32))
            } else {
                Err(Bad)
            }
        }
    }
}

/// A long, by the rules of [`parse_int`]; it may end in `L`.
///
/// # Errors
/// If it is no number, or none of 64 bits.
pub fn parse_long(bytes: &[u8]) -> Result<Option<i64>, Bad> {
    let text = trim(bytes);
    if let Some(value) = integer(text.strip_suffix(b"L").or(text.strip_suffix(b"l")).unwrap_or(text)) {
        return Ok(Some(value));
    }
    if text.is_empty() {
        return Ok(None);
    }
    const END: f64 = 9_223_372_036_854_775_808.0;
    let value = double(text)?;
    if (-END..END).contains(&value) {
        #[expect(clippy::cast_possible_truncation, reason = "checked, and the fraction is cut")]
        Ok(Some(value as i64))
    } else {
        Err(Bad)
    }
}

/// A float, as Java's `Float.valueOf` reads it; it may end in `f` or `d`.
///
/// # Errors
/// If it is no number.
pub fn parse_float(bytes: &[u8]) -> Result<Option<f32>, Bad> {
    let text = trim(bytes);
    if text.is_empty() {
        return Ok(None);
    }
    floating(text)?.parse().map(Some).map_err(|_| Bad)
}

/// A double, as Java's `Double.valueOf` reads it; it may end in `f` or `d`.
///
/// # Errors
/// If it is no number.
pub fn parse_double(bytes: &[u8]) -> Result<Option<f64>, Bad> {
    let text = trim(bytes);
    if text.is_empty() { Ok(None) } else { double(text).map(Some) }
}

/// `true` or `false` in any case.
///
/// # Errors
/// If it is neither.
pub fn parse_boolean(bytes: &[u8]) -> Result<Option<bool>, Bad> {
    match trim(bytes) {
        b"" => Ok(None),
        text if text.eq_ignore_ascii_case(b"true") => Ok(Some(true)),
        text if text.eq_ignore_ascii_case(b"false") => Ok(Some(false)),
        _ => Err(Bad),
    }
}

/// An integer of any size.
///
/// # Errors
/// If it is no integer.
pub fn parse_biginteger(bytes: &[u8]) -> Result<Option<BigInt>, Bad> {
    let text = trim(bytes);
    if text.is_empty() {
        return Ok(None);
    }
    let (sign, digits) = split_sign(text);
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return Err(Bad);
    }
    let value = BigInt::parse_bytes(digits, 10).ok_or(Bad)?;
    Ok(Some(if sign == Some(b'-') { -value } else { value }))
}

/// A decimal number of any size, with as many digits behind the point as are written. As in Java the scale has 32 bits.
///
/// # Errors
/// If it is no decimal number.
pub fn parse_bigdecimal(bytes: &[u8]) -> Result<Option<BigDecimal>, Bad> {
    let text = trim(bytes);
    if text.is_empty() {
        return Ok(None);
    }
    let (sign, unsigned) = split_sign(text);
    let (mantissa, exponent) = match unsigned.iter().position(|byte| matches!(byte, b'e' | b'E')) {
        Some(at) => (&unsigned[..at], integer(&unsigned[at + 1..]).ok_or(Bad)?),
        None => (unsigned, 0),
    };
    let (whole, fraction) = match mantissa.iter().position(|byte| *byte == b'.') {
        Some(at) => (&mantissa[..at], &mantissa[at + 1..]),
        None => (mantissa, &[][..]),
    };
    let digits = [whole, fraction].concat();
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return Err(Bad);
    }
    let scale = i64::try_from(fraction.len()).map_err(|_| Bad)?.checked_sub(exponent).ok_or(Bad)?;
    i32::try_from(scale).map_err(|_| Bad)?;
    let unscaled = BigInt::parse_bytes(&digits, 10).ok_or(Bad)?;
    Ok(Some(BigDecimal::new(if sign == Some(b'-') { -unscaled } else { unscaled }, scale)))
}

/// A sign or none, and digits, if they fit.
fn integer(text: &[u8]) -> Option<i64> {
    let (sign, digits) = split_sign(text);
    if digits.is_empty() {
        return None;
    }
    let mut value = 0i64;
    for byte in digits {
        if !byte.is_ascii_digit() {
            return None;
        }
        // Downward, so that the smallest number has room.
        value = value.checked_mul(10)?.checked_sub(i64::from(byte - b'0'))?;
    }
    if sign == Some(b'-') { Some(value) } else { value.checked_neg() }
}

fn split_sign(text: &[u8]) -> (Option<u8>, &[u8]) {
    match text.split_first() {
        Some((sign @ (b'+' | b'-'), rest)) => (Some(*sign), rest),
        _ => (None, text),
    }
}

fn double(text: &[u8]) -> Result<f64, Bad> {
    f64::from_str(floating(text)?).map_err(|_| Bad)
}

/// What Java takes for a floating-point number, in the form in which Rust takes it. Rust knows more names of infinity
/// and no suffixes; hexadecimal floats are known to neither here.
fn floating(text: &[u8]) -> Result<&str, Bad> {
    let (_, unsigned) = split_sign(text);
    if unsigned == b"NaN" || unsigned == b"Infinity" {
        return std::str::from_utf8(text).map_err(|_| Bad);
    }
    let text = match text.split_last() {
        Some((b'f' | b'F' | b'd' | b'D', rest)) => rest,
        _ => text,
    };
    let text = std::str::from_utf8(text).map_err(|_| Bad)?;
    if text.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'+' | b'-' | b'.' | b'e' | b'E')) {
        Ok(text)
    } else {
        Err(Bad)
    }
}
