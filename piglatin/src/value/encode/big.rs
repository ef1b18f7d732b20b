//! Payloads of numbers of any size.
//!
//! A bigdecimal that is not zero is 0.d₁d₂… × 10^e with d₁ ≠ 0: after the sign, e as a long, the digits as ASCII without
//! the zeros at their end, 0, then a 1 for each of those zeros, and 0. The zeros are the scale, and a larger scale of the
//! same number comes later. All behind the sign of a negative number is turned, but for the zeros. Zero has its scale, as
//! a long.

use bigdecimal::BigDecimal;
use bigdecimal::num_bigint::{BigInt, BigUint, Sign};

use super::decode::{DecodeError, Input};
use super::ordered_long;
use crate::value::order::Magnitude;

const NEGATIVE: u8 = 1;
const ZERO: u8 = 2;
const POSITIVE: u8 = 3;

pub(super) fn write_integer(value: &BigInt, out: &mut Vec<u8>) {
    let (sign, magnitude) = value.to_bytes_be();
    let length = u32::try_from(magnitude.len()).unwrap_or(u32::MAX).to_be_bytes();
    if sign == Sign::Minus {
        out.push(NEGATIVE);
        out.extend(length.iter().chain(&magnitude).map(|byte| !byte));
    } else {
        out.push(POSITIVE);
        out.extend_from_slice(&length);
        out.extend_from_slice(&magnitude);
    }
}

pub(super) fn read_integer(input: &mut Input<'_>) -> Result<BigInt, DecodeError> {
    let negative = skip_sign(input)?;
    let length = integer_length(input, negative)?;
    let mut magnitude = input.take(length)?.to_vec();
    if negative {
        magnitude.iter_mut().for_each(|byte| *byte = !*byte);
    }
    let magnitude = BigUint::from_bytes_be(&magnitude);
    let sign = if negative { Sign::Minus } else { Sign::Plus };
    Ok(BigInt::from_biguint(sign, magnitude))
}

pub(super) fn skip_integer(input: &mut Input<'_>) -> Result<(), DecodeError> {
    let negative = skip_sign(input)?;
    let length = integer_length(input, negative)?;
    input.take(length).map(|_| ())
}

fn skip_sign(input: &mut Input<'_>) -> Result<bool, DecodeError> {
    match input.byte()? {
        NEGATIVE => Ok(true),
        POSITIVE => Ok(false),
        _ => Err(DecodeError::Malformed("sign")),
    }
}

fn integer_length(input: &mut Input<'_>, negative: bool) -> Result<usize, DecodeError> {
    let length = u32::from_be_bytes(input.array()?);
    usize::try_from(if negative { !length } else { length }).map_err(|_| DecodeError::Truncated)
}

pub(super) fn write_decimal(value: &BigDecimal, out: &mut Vec<u8>) {
    let (unscaled, scale) = value.as_bigint_and_scale();
    if unscaled.sign() == Sign::NoSign {
        out.push(ZERO);
        out.extend_from_slice(&ordered_long(scale));
        return;
    }
    let magnitude = Magnitude::of(&unscaled, scale);
    let size = ordered_long(magnitude.exponent);
    let digits = size.iter().chain(&magnitude.digits).chain(&[0]);
    if unscaled.sign() == Sign::Minus {
        out.push(NEGATIVE);
        out.extend(digits.map(|byte| !byte));
    } else {
        out.push(POSITIVE);
        out.extend(digits);
    }
    out.resize(out.len() + magnitude.zeros, 1);
    out.push(0);
}

pub(super) fn read_decimal(input: &mut Input<'_>) -> Result<BigDecimal, DecodeError> {
    let negative = match input.byte()? {
        ZERO => return Ok(BigDecimal::new(BigInt::default(), input.long()?)),
        NEGATIVE => true,
        POSITIVE => false,
        _ => return Err(DecodeError::Malformed("sign")),
    };
    let turn = if negative { 255 } else { 0 };
    let size: [u8; 8] = input.array()?;
    let exponent = (u64::from_be_bytes(size.map(|byte| byte ^ turn)) ^ (1 << 63)).cast_signed();
    let mut digits: Vec<u8> = input.until(turn)?.iter().map(|byte| byte ^ turn).collect();
    let zeros = input.until(0)?.len();
    digits.resize(digits.len() + zeros, b'0');
    if !digits.iter().all(u8::is_ascii_digit) {
        return Err(DecodeError::Malformed("digit"));
    }
    let count = i64::try_from(digits.len()).map_err(|_| DecodeError::Malformed("digits"))?;
    let scale = count.checked_sub(exponent).ok_or(DecodeError::Malformed("exponent"))?;
    let unscaled = BigInt::parse_bytes(&digits, 10).ok_or(DecodeError::Malformed("digits"))?;
    Ok(BigDecimal::new(if negative { -unscaled } else { unscaled }, scale))
}

pub(super) fn skip_decimal(input: &mut Input<'_>) -> Result<(), DecodeError> {
    let end = match input.byte()? {
        ZERO => return input.take(8).map(|_| ()),
        NEGATIVE => 255,
        POSITIVE => 0,
        _ => return Err(DecodeError::Malformed("sign")),
    };
    input.take(8)?;
    input.until(end)?;
    input.until(0)?;
    Ok(())
}
