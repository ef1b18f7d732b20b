//! Exact decimal arithmetic for parsing, printing and range checks.
//!
//! Numbers are unscaled integers beside a scale, as in [`PrimitiveType::Decimal128`](crate::PrimitiveType). Nothing here
//! rounds: what does not fit is refused.

use arrow::datatypes::i256;

use crate::bad_value::Reason;

/// Powers of ten up to the 38 digits of a `Decimal128`.
const POW10: [u128; 39] = {
    let mut powers = [1u128; 39];
    let mut at = 1;
    while at < powers.len() {
        powers[at] = powers[at - 1] * 10;
        at += 1;
    }
    powers
};

/// The most digits an `i256` holds for sure.
pub(crate) const MAX_DIGITS: usize = 76;

/// Powers of ten up to the 76 digits of a `Decimal256`.
const WIDE_POW10: [i256; MAX_DIGITS + 1] = {
    let mut powers = [i256::ONE; MAX_DIGITS + 1];
    let mut at = 1;
    while at < powers.len() {
        powers[at] = powers[at - 1].wrapping_mul(i256::from_i128(10));
        at += 1;
    }
    powers
};

/// 10 to the power of `exponent`, at most 76.
pub(crate) fn pow10(exponent: u32) -> Option<i256> {
    WIDE_POW10.get(usize::try_from(exponent).ok()?).copied()
}

/// The greatest unscaled integer of `precision` digits; `None` if every one has at most so many.
pub(crate) fn greatest128(precision: u8) -> Option<i128> {
    let limit = POW10.get(usize::from(precision))?;
    i128::try_from(limit - 1).ok()
}

/// The greatest unscaled integer of `precision` digits; `None` if every one has at most so many.
pub(crate) fn greatest256(precision: u8) -> Option<i256> {
    pow10(precision.into()).map(|limit| limit.wrapping_sub(i256::ONE))
}

/// Whether the unscaled integer has at most `precision` digits.
pub(crate) fn fits128(value: i128, precision: u8) -> bool {
    POW10.get(usize::from(precision)).is_none_or(|limit| value.unsigned_abs() < *limit)
}

/// Whether the unscaled integer has at most `precision` digits.
pub(crate) fn fits256(value: i256, precision: u8) -> bool {
    match pow10(precision.into()) {
        Some(limit) => value < limit && value > limit.wrapping_neg(),
        None => true,
    }
}

/// Decimal digits and where their point is: `digits * 10^-places`, negated if `negative`.
pub(crate) struct Digits {
    pub(crate) negative: bool,
    /// ASCII digits without leading zeros; empty is zero.
    pub(crate) digits: Vec<u8>,
    pub(crate) places: i64,
}

/// Reads `[+-] digits [. digits] [e [+-] digits]`.
pub(crate) fn read_digits(text: &[u8]) -> Result<Digits, Reason> {
    const NOT_A_NUMBER: Reason = Reason::Borrowed("the text is not a decimal number");
    let (negative, rest) = match text.split_first() {
        Some((b'-', rest)) => (true, rest),
        Some((b'+', rest)) => (false, rest),
        _ => (false, text),
    };
    let (mantissa, exponent) = match rest.iter().position(|byte| matches!(byte, b'e' | b'E')) {
        Some(at) => (rest.get(..at).unwrap_or_default(), rest.get(at + 1..)),
        None => (rest, None),
    };
    let (whole, fraction) = match mantissa.iter().position(|byte| *byte == b'.') {
        Some(at) => (mantissa.get(..at).unwrap_or_default(), mantissa.get(at + 1..).unwrap_or_default()),
        None => (mantissa, &[][..]),
    };
    let all = whole.iter().chain(fraction);
    if whole.len() + fraction.len() == 0 || all.clone().any(|byte| !byte.is_ascii_digit()) {
        return Err(NOT_A_NUMBER);
    }
    let exponent: i64 = match exponent {
        None => 0,
        Some(text) => {
            let text = std::str::from_utf8(text).map_err(|_| NOT_A_NUMBER)?;
            text.parse::<i32>().map_err(|_| NOT_A_NUMBER)?.into()
        }
    };
    let digits: Vec<u8> = all.copied().skip_while(|byte| *byte == b'0').collect();
    Ok(Digits { negative, digits, places: fraction.len() as i64 - exponent })
}

/// The unscaled integer at `scale` of a number written in text.
pub(crate) fn parse(text: &[u8], scale: i8) -> Result<i256, Reason> {
    let number = read_digits(text)?;
    let (value, rest_is_zero) = number.truncated_at(scale)?;
    if rest_is_zero {
        Ok(value)
    } else {
        Err(format!("the number has more than {scale} digits after the decimal point").into())
    }
}

impl Digits {
    /// The number times `10^scale`, digits after the point cut off; and whether those were all zeros.
    pub(crate) fn truncated_at(&self, scale: i8) -> Result<(i256, bool), Reason> {
        const TOO_LARGE: Reason = Reason::Borrowed("the number has too many digits");
        if self.digits.is_empty() {
            return Ok((i256::ZERO, true));
        }
        let shift = i64::from(scale) - self.places;
        let kept = usize::try_from((self.digits.len() as i64).saturating_add(shift.min(0))).unwrap_or(0);
        let (whole, rest) = self.digits.split_at(kept.min(self.digits.len()));
        let zeros = usize::try_from(shift.max(0)).unwrap_or(usize::MAX);
        if !whole.is_empty() && whole.len().saturating_add(zeros) > MAX_DIGITS + 1 {
            return Err(TOO_LARGE);
        }
        let mut value = i256::ZERO;
        for digit in whole {
            let digit = i256::from_i128((digit - b'0').into());
            let next = value.checked_mul(i256::from_i128(10)).and_then(|value| value.checked_add(digit));
            value = next.ok_or(TOO_LARGE)?;
        }
        if !whole.is_empty() {
            let factor = u32::try_from(zeros).ok().and_then(pow10).ok_or(TOO_LARGE)?;
            value = value.checked_mul(factor).ok_or(TOO_LARGE)?;
        }
        let value = if self.negative { value.wrapping_neg() } else { value };
        Ok((value, rest.iter().all(|digit| *digit == b'0')))
    }
}

/// Writes an unscaled integer with its point, all digits of the scale: `1050` at scale 2 is `10.50`.
pub(crate) fn write(value: i256, scale: i8, out: &mut Vec<u8>) {
    let text = value.to_string();
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => ("-", digits),
        None => ("", text.as_str()),
    };
    out.extend_from_slice(sign.as_bytes());
    let places = usize::from(scale.unsigned_abs());
    if scale <= 0 {
        out.extend_from_slice(digits.as_bytes());
        if value != i256::ZERO {
            out.resize(out.len() + places, b'0');
        }
        return;
    }
    let padded = format!("{digits:0>width$}", width = places + 1);
    let (whole, fraction) = padded.split_at(padded.len() - places);
    out.extend_from_slice(whole.as_bytes());
    out.push(b'.');
    out.extend_from_slice(fraction.as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn parsed(text: &str, scale: i8) -> Result<String, String> {
        parse(text.as_bytes(), scale).map(|value| value.to_string()).map_err(|reason| reason.into_owned())
    }

    #[test]
    fn parsing_is_exact_or_refused() {
        for (text, scale, value) in [
            ("10.5", 2, "1050"),
            ("-0.05", 2, "-5"),
            ("+007", 0, "7"),
            (".5", 1, "5"),
            ("5.", 0, "5"),
            ("5.000", 0, "5"),
            ("1.5e3", 0, "1500"),
            ("15e-1", 1, "15"),
            ("1200", -2, "12"),
            ("0e99999", 2, "0"),
            ("0.000", 2, "0"),
        ] {
            assert_eq!(parsed(text, scale), Ok(value.to_owned()), "{text}");
        }
        for text in ["", "-", ".", "1.2.3", "1e", "e1", "0x1", "1 2", "--1", "1e1e1", "NaN", "1e99999999999"]
        {
            assert!(parsed(text, 2).is_err(), "{text}");
        }
        assert!(parsed("5.555", 2).is_err_and(|reason| reason.contains("more than 2 digits")));
        assert!(parsed("1250", -2).is_err());
        assert!(parsed("1e77", 0).is_err() && parsed("1e2000000000", 0).is_err());
        assert!(parsed("1e-2000000000", 0).is_err());
        assert_eq!(parsed(&"9".repeat(76), 0), Ok("9".repeat(76)));
    }

    #[test]
    fn writing_keeps_every_digit_of_the_scale() {
        let written = |value: i128, scale| {
            let mut out = Vec::new();
            write(i256::from_i128(value), scale, &mut out);
            String::from_utf8(out).unwrap()
        };
        assert_eq!(written(1050, 2), "10.50");
        assert_eq!(written(-5, 2), "-0.05");
        assert_eq!(written(0, 3), "0.000");
        assert_eq!(written(12, -2), "1200");
        assert_eq!(written(0, -2), "0");
        assert_eq!(written(7, 0), "7");
    }

    #[test]
    fn precision_counts_digits() {
        assert!(fits128(99, 2) && fits128(-99, 2) && !fits128(100, 2) && !fits128(-100, 2));
        assert!(!fits128(i128::MIN, 38) && fits128(i128::MAX, 39));
        let limit = pow10(76).unwrap();
        assert!(!fits256(limit, 76) && fits256(limit.wrapping_sub(i256::ONE), 76) && !fits256(i256::MIN, 76));
    }

    proptest! {
        #[test]
        fn written_parses_back(value in any::<i128>(), scale in -4i8..39) {
            let mut out = Vec::new();
            write(i256::from_i128(value), scale, &mut out);
            prop_assert_eq!(parse(&out, scale).unwrap(), i256::from_i128(value));
        }

        #[test]
        fn parsing_never_panics(text in "[-+0-9.eE ]{0,90}", scale in any::<i8>()) {
            let _ = parse(text.as_bytes(), scale);
        }
    }
}
