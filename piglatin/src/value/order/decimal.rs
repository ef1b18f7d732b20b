//! Decimal numbers of any size by value, without writing out the zeros between two scales.

use std::cmp::Ordering;

use bigdecimal::num_bigint::{BigInt, Sign};

/// A number other than 0, without its sign: 0.d₁d₂d₃… × 10^exponent, d₁ not 0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Magnitude {
    /// The place of the point: above all else it decides which of two is larger.
    pub(crate) exponent: i64,
    /// Its digits as ASCII, trailing zeros left out.
    pub(crate) digits: Vec<u8>,
    /// How many trailing zeros were left out.
    pub(crate) zeros: usize,
}

impl Magnitude {
    pub(crate) fn of(unscaled: &BigInt, scale: i64) -> Self {
        let mut digits = unscaled.magnitude().to_string().into_bytes();
        let count = digits.len();
        while digits.last() == Some(&b'0') {
            digits.pop();
        }
        let exponent = i64::try_from(count).unwrap_or(i64::MAX).saturating_sub(scale);
        Self { exponent, zeros: count - digits.len(), digits }
    }
}

/// Compares unscaled × 10^-scale.
pub(super) fn compare_numbers(left: (&BigInt, i64), right: (&BigInt, i64)) -> Ordering {
    if left.1 == right.1 {
        return left.0.cmp(right.0);
    }
    let by_sign = left.0.sign().cmp(&right.0.sign());
    if by_sign.is_ne() || left.0.sign() == Sign::NoSign {
        return by_sign;
    }
    let (size_left, size_right) = (Magnitude::of(left.0, left.1), Magnitude::of(right.0, right.1));
    let by_size =
        size_left.exponent.cmp(&size_right.exponent).then_with(|| size_left.digits.cmp(&size_right.digits));
    if left.0.sign() == Sign::Minus { by_size.reverse() } else { by_size }
}
