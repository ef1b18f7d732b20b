//! Bigdecimals as Java computes them: the scale of a result follows from the scales of the operands.

use bigdecimal::num_bigint::{BigInt, Sign};
use bigdecimal::{BigDecimal, Signed as _, Zero as _};

use super::Fault;
use crate::value::cast::{MOST_DIGITS, power_of_ten};

/// The exact sum, with the larger scale.
///
/// # Errors
/// If the operands are too far apart to be written out.
pub fn add_decimals(left: &BigDecimal, right: &BigDecimal) -> Result<BigDecimal, Fault> {
    let (left, right, scale) = align(left, right)?;
    Ok(BigDecimal::new(left + right, scale))
}

/// The exact difference, with the larger scale.
///
/// # Errors
/// As of [`add_decimals`].
pub fn subtract_decimals(left: &BigDecimal, right: &BigDecimal) -> Result<BigDecimal, Fault> {
    let (left, right, scale) = align(left, right)?;
    Ok(BigDecimal::new(left - right, scale))
}

/// The exact product, with the sum of the scales.
///
/// # Errors
/// If the scale leaves 32 bits, which Java refuses too.
pub fn multiply_decimals(left: &BigDecimal, right: &BigDecimal) -> Result<BigDecimal, Fault> {
    let ((left, scale_left), (right, scale_right)) =
        (left.as_bigint_and_scale(), right.as_bigint_and_scale());
    let scale = checked_scale(scale_left.checked_add(scale_right))?;
    Ok(BigDecimal::new(left.as_ref() * right.as_ref(), scale))
}

/// The quotient with max(6, s + p + 1) digits behind the point, half up.
///
/// # Errors
/// Division by zero, and what is too large to be written out.
pub fn divide_decimals(left: &BigDecimal, right: &BigDecimal) -> Result<BigDecimal, Fault> {
    let ((dividend, scale_left), (divisor, scale_right)) =
        (left.as_bigint_and_scale(), right.as_bigint_and_scale());
    if divisor.is_zero() {
        return Err(Fault::DivideByZero);
    }
    let precision = i64::try_from(divisor.magnitude().to_string().len()).map_err(|_| Fault::TooLarge)?;
    let scale = scale_left.saturating_add(precision).saturating_add(1).max(6);
    let scale = checked_scale(Some(scale))?;
    // dividend × 10^shift / divisor has the scale wanted.
    let shift = scale.checked_sub(scale_left).and_then(|shift| shift.checked_add(scale_right));
    let shift = shift.filter(|shift| shift.unsigned_abs() <= MOST_DIGITS).ok_or(Fault::TooLarge)?;
    let power = power_of_ten(shift.unsigned_abs());
    let quotient = if shift >= 0 {
        half_up(&(dividend.as_ref() * power), divisor.as_ref())
    } else {
        half_up(dividend.as_ref(), &(divisor.as_ref() * power))
    };
    Ok(BigDecimal::new(quotient, scale))
}

/// The nearest integer; of two equally near ones that farther from zero.
fn half_up(dividend: &BigInt, divisor: &BigInt) -> BigInt {
    let quotient = dividend / divisor;
    let remainder: BigInt = dividend % divisor;
    if remainder.abs() * 2u8 < divisor.abs() {
        return quotient;
    }
    if dividend.sign() == divisor.sign() { quotient + 1u8 } else { quotient - 1u8 }
}

/// Both as integers of one scale.
fn align(left: &BigDecimal, right: &BigDecimal) -> Result<(BigInt, BigInt, i64), Fault> {
    let ((left, scale_left), (right, scale_right)) =
        (left.as_bigint_and_scale(), right.as_bigint_and_scale());
    let scale = scale_left.max(scale_right);
    Ok((widen(&left, scale_left, scale)?, widen(&right, scale_right, scale)?, scale))
}

fn widen(unscaled: &BigInt, from: i64, to: i64) -> Result<BigInt, Fault> {
    let zeros = to.abs_diff(from);
    if zeros == 0 || unscaled.sign() == Sign::NoSign {
        return Ok(unscaled.clone());
    }
    if zeros > MOST_DIGITS {
        return Err(Fault::TooLarge);
    }
    Ok(unscaled * power_of_ten(zeros))
}

fn checked_scale(scale: Option<i64>) -> Result<i64, Fault> {
    scale.filter(|scale| i32::try_from(*scale).is_ok()).ok_or(Fault::TooLarge)
}
