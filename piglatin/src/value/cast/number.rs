//! Numbers of any size to those of 32 and 64 bits and back, as Java's `intValue`, `doubleValue` and `valueOf` do it.

use bigdecimal::num_bigint::{BigInt, Sign};
use bigdecimal::{BigDecimal, FromPrimitive as _};

use crate::value::parse::parse_bigdecimal;
use crate::value::text::{java_decimal, java_double};

/// The longest number that is written out with all its zeros. A bigdecimal may say `1E2000000000` in a few bytes.
pub(crate) const MOST_DIGITS: u64 = 1_000_000;

/// `BigInteger.longValue`: the low 64 bits of the two's complement.
#[must_use]
pub fn low_bits(value: &BigInt) -> i64 {
    let low = value.iter_u64_digits().next().unwrap_or(0).cast_signed();
    if value.sign() == Sign::Minus { low.wrapping_neg() } else { low }
}

/// `BigDecimal.toBigInteger`: the fraction is cut. None of a number with more than a million zeros at its end.
#[must_use]
pub fn decimal_to_integer(value: &BigDecimal) -> Option<BigInt> {
    let (unscaled, scale) = value.as_bigint_and_scale();
    if scale <= 0 {
        let zeros = scale.unsigned_abs();
        if unscaled.sign() == Sign::NoSign || zeros > MOST_DIGITS {
            return (unscaled.sign() == Sign::NoSign).then(BigInt::default);
        }
        return Some(unscaled.as_ref() * power_of_ten(zeros));
    }
    // More places than digits: nothing stands before the point. A decimal digit has more than three bits.
    if scale.unsigned_abs() > unscaled.bits() / 3 + 1 {
        return Some(BigInt::default());
    }
    Some(unscaled.as_ref() / power_of_ten(scale.unsigned_abs()))
}

/// `BigDecimal.doubleValue`: the nearest double.
#[must_use]
pub fn decimal_to_double(value: &BigDecimal) -> f64 {
    // Rust rounds text correctly, and this text is never longer than the digits.
    java_decimal(value).parse().unwrap_or(f64::NAN)
}

pub(super) fn decimal_to_float(value: &BigDecimal) -> f32 {
    java_decimal(value).parse().unwrap_or(f32::NAN)
}

pub(super) fn integer_to_double(value: &BigInt) -> f64 {
    value.to_string().parse().unwrap_or(f64::NAN)
}

pub(super) fn integer_to_float(value: &BigInt) -> f32 {
    value.to_string().parse().unwrap_or(f32::NAN)
}

/// The integer that a double is without its fraction; none of NaN and the infinities.
#[must_use]
pub fn double_to_integer(value: f64) -> Option<BigInt> {
    BigInt::from_f64(value.trunc())
}

/// `BigDecimal.valueOf`: the number that the double's text names; none of NaN and the infinities.
#[must_use]
pub fn double_to_decimal(value: f64) -> Option<BigDecimal> {
    if !value.is_finite() {
        return None;
    }
    parse_bigdecimal(java_double(value).as_bytes()).ok().flatten()
}

/// 10^exponent.
pub(crate) fn power_of_ten(exponent: u64) -> BigInt {
    BigInt::from(10u8).pow(u32::try_from(exponent).unwrap_or(u32::MAX))
}
