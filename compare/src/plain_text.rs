//! The plain forms of numbers and dates in text, read eight digits at a time.
//!
//! Every function here gives the value that the string encoding gives ([`decode`](crate::decode)), or `None` where the
//! text is not of the one plain form, which says nothing: blanks, a plus sign, an exponent or a zone may still make it a
//! value. Nothing here allocates or looks at a digit twice; files of millions of rows are read through it.

use arrow::datatypes::TimeUnit;

use crate::calendar::{SECONDS_PER_DAY, per_second};

/// An integer of at most 18 digits behind an optional minus sign.
#[inline]
pub fn plain_integer(text: &[u8]) -> Option<i64> {
    let (negative, magnitude) = signed(text);
    let value = i64::try_from(digits(magnitude)?).ok()?;
    Some(if negative { -value } else { value })
}

/// The unscaled integer at `scale` of a decimal with at most 18 digits, at most `precision` in all and no more behind its
/// point than the scale: `-12.5` at 2 is -1250.
#[inline]
pub fn plain_decimal(text: &[u8], precision: u8, scale: i8) -> Option<i64> {
    let scale = usize::try_from(scale).ok()?;
    let (negative, magnitude) = signed(text);
    let split = |point: usize| Some((magnitude.get(..point)?, magnitude.get(point + 1..)?));
    // Most files write every digit of the scale.
    let full = magnitude.len().checked_sub(scale + 1).filter(|at| magnitude.get(*at) == Some(&b'.'));
    let (whole, fraction) = match full {
        Some(point) => split(point)?,
        None => match magnitude.iter().position(|byte| *byte == b'.') {
            Some(point) => split(point)?,
            None => (magnitude, [].as_slice()),
        },
    };
    if whole.len() + scale > MOST_DIGITS {
        return None;
    }
    let mut value = digits(whole)? * power_of_ten(scale)?;
    if fraction.len() < magnitude.len() - whole.len() {
        // There is a point: a digit must follow.
        value += digits(fraction)? * power_of_ten(scale.checked_sub(fraction.len())?)?;
    }
    if power_of_ten(precision.into()).is_some_and(|limit| value >= limit) {
        return None;
    }
    let value = i64::try_from(value).ok()?;
    Some(if negative { -value } else { value })
}

/// A date of the form `2020-01-31`: days since 1970-01-01.
#[inline]
pub fn plain_date(text: &[u8]) -> Option<i32> {
    let [a, b, c, d, b'-', e, f, b'-', g, h] = *<&[u8; 10]>::try_from(text).ok()? else { return None };
    let digits = [a, b, c, d, e, f, g, h].map(|byte| byte.wrapping_sub(b'0'));
    if digits.iter().fold(0, |most, digit| most.max(*digit)) > 9 {
        return None;
    }
    let [a, b, c, d, e, f, g, h] = digits.map(i32::from);
    let (year, month, day) = (a * 1000 + b * 100 + c * 10 + d, e * 10 + f, g * 10 + h);
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let (before, length) = *MONTHS.get(usize::try_from(month - 1).ok()?)?;
    if day < 1 || day > length + i32::from(leap && month == 2) {
        return None;
    }
    // Leap years before this one, the year 0 among them.
    let leaps = (year + 3) / 4 - (year + 99) / 100 + (year + 399) / 400;
    Some(365 * year + leaps + before + i32::from(leap && month > 2) + day - 1 - DAYS_TO_1970)
}

/// A timestamp of the form `2020-01-31`, `2020-01-31T12:30:05` or `2020-01-31 12:30:05.25`, without a zone: the time
/// since 1970 in `unit`, if the unit is fine enough.
#[inline]
pub fn plain_timestamp(text: &[u8], unit: TimeUnit) -> Option<i64> {
    let (date, rest) = text.split_at_checked(10)?;
    let day = i64::from(plain_date(date)?);
    let (seconds, nanos) = match rest.split_first() {
        None => (0, 0),
        Some((b'T' | b' ', time)) => time_of_day(time)?,
        Some(_) => return None,
    };
    let step = per_second(TimeUnit::Nanosecond) / per_second(unit);
    let fraction = (nanos % step == 0).then_some(nanos / step)?;
    (day * SECONDS_PER_DAY + seconds).checked_mul(per_second(unit))?.checked_add(fraction)
}

/// `12:30:05` or `12:30:05.25` as seconds since midnight and nanoseconds.
fn time_of_day(text: &[u8]) -> Option<(i64, i64)> {
    let (whole, fraction) = text.split_at_checked(8)?;
    let [a, b, b':', c, d, b':', e, f] = *<&[u8; 8]>::try_from(whole).ok()? else { return None };
    let pair = |tens: u8, ones: u8| digits(&[tens, ones]).and_then(|value| i64::try_from(value).ok());
    let (hour, minute, second) = (pair(a, b)?, pair(c, d)?, pair(e, f)?);
    if hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    let nanos = match fraction.split_first() {
        None => 0,
        Some((b'.', rest)) if rest.len() <= 9 => digits(rest)? * power_of_ten(9 - rest.len())?,
        Some(_) => return None,
    };
    Some((hour * 3600 + minute * 60 + second, i64::try_from(nanos).ok()?))
}

/// So many digits fit an `i64`, and a product of two such numbers below fits a `u64`.
const MOST_DIGITS: usize = 18;

/// From 0000-01-01 to 1970-01-01.
const DAYS_TO_1970: i32 = 719_528;

/// Days of a common year before a month, and of the month.
const MONTHS: [(i32, i32); 12] = [
    (0, 31),
    (31, 28),
    (59, 31),
    (90, 30),
    (120, 31),
    (151, 30),
    (181, 31),
    (212, 31),
    (243, 30),
    (273, 31),
    (304, 30),
    (334, 31),
];

#[inline]
fn signed(text: &[u8]) -> (bool, &[u8]) {
    match text.split_first() {
        Some((b'-', magnitude)) => (true, magnitude),
        _ => (false, text),
    }
}

#[inline]
fn power_of_ten(exponent: usize) -> Option<u64> {
    const POWERS: [u64; MOST_DIGITS + 1] = {
        let mut powers = [1; MOST_DIGITS + 1];
        let mut at = 1;
        while at < powers.len() {
            powers[at] = powers[at - 1] * 10;
            at += 1;
        }
        powers
    };
    POWERS.get(exponent).copied()
}

/// The number of 1 to 18 digits.
#[inline]
fn digits(text: &[u8]) -> Option<u64> {
    const EIGHT: u64 = 100_000_000;
    let (rest, last) = match text.split_last_chunk::<8>() {
        None => return up_to_eight(text),
        Some((rest, last)) => (rest, eight(u64::from_le_bytes(*last) ^ ZEROS)?),
    };
    match rest.split_last_chunk::<8>() {
        None if rest.is_empty() => Some(last),
        None => Some(up_to_eight(rest)? * EIGHT + last),
        Some((first, middle)) => {
            let middle = eight(u64::from_le_bytes(*middle) ^ ZEROS)?;
            let first = match first.len() {
                0 => 0,
                1 | 2 => up_to_eight(first)?,
                _ => return None,
            };
            Some((first * EIGHT + middle) * EIGHT + last)
        }
    }
}

/// Eight times `0`.
const ZEROS: u64 = 0x3030_3030_3030_3030;

/// The number of 1 to 7 digits: they are moved to the end of a word, as if zeros stood before them.
#[inline]
fn up_to_eight(text: &[u8]) -> Option<u64> {
    let shift = 64 - 8 * u32::try_from(text.len()).ok()?;
    let word = match (text.first_chunk::<4>(), text.last_chunk::<4>()) {
        (Some(first), Some(last)) => {
            u64::from(u32::from_le_bytes(*first)) << shift | u64::from(u32::from_le_bytes(*last)) << 32
        }
        _ => match *text {
            [a] => u64::from(a) << 56,
            [a, b] => u64::from(a) << 48 | u64::from(b) << 56,
            [a, b, c] => u64::from(a) << 40 | u64::from(b) << 48 | u64::from(c) << 56,
            _ => return None,
        },
    };
    eight(word ^ (ZEROS << shift))
}

/// The number of eight digits, each the byte 0 to 9, the first one lowest.
#[inline]
fn eight(word: u64) -> Option<u64> {
    const HIGH: u64 = 0x8080_8080_8080_8080;
    if (word.wrapping_add(0x7676_7676_7676_7676) | word) & HIGH != 0 {
        return None;
    }
    // Neighbours are joined to pairs, pairs to fours, fours to the whole; what lies above a lane is cut off.
    let pairs = (word * 10 + (word >> 8)) & 0x00FF_00FF_00FF_00FF;
    let fours = (pairs * 100 + (pairs >> 16)) & 0x0000_FFFF_0000_FFFF;
    Some((fours * 10_000 + (fours >> 32)) & 0xFFFF_FFFF)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{calendar, decimal};

    /// Texts that are plain, nearly plain or anything.
    fn numbers() -> impl Strategy<Value = String> {
        prop_oneof![
            "-?[0-9]{0,20}",
            "-?[0-9]{0,12}\\.[0-9]{0,9}",
            "[-+ ]?[0-9]{0,6}[.e]?[0-9:/]{0,4} ?",
            "\\PC{0,12}",
        ]
    }

    fn dates() -> impl Strategy<Value = String> {
        prop_oneof![
            "[0-9]{4}-[01][0-9]-[0-3][0-9]",
            "[0-9]{4}-[01][0-9]-[0-3][0-9][T ][0-2][0-9]:[0-6][0-9]:[0-6][0-9](\\.[0-9]{0,10})?",
            "[-+0-9TZ: .]{0,24}",
        ]
    }

    const UNITS: [TimeUnit; 4] =
        [TimeUnit::Second, TimeUnit::Millisecond, TimeUnit::Microsecond, TimeUnit::Nanosecond];

    #[test]
    fn plain_forms_are_taken() {
        assert_eq!(plain_integer(b"-999999999999999999"), Some(-999_999_999_999_999_999));
        for (text, value) in
            [("7", 700), ("-0.05", -5), ("104949.50", 10_494_950), ("17.5", 1750), ("0012.00", 1200)]
        {
            assert_eq!(plain_decimal(text.as_bytes(), 15, 2), Some(value), "{text}");
        }
        assert_eq!(plain_decimal(b"99.99", 4, 2), Some(9999));
        assert_eq!(plain_decimal(b"100.00", 4, 2), None);
        assert_eq!(plain_date(b"1970-01-01"), Some(0));
        assert_eq!(plain_date(b"2000-02-29"), Some(11_016));
        assert_eq!(plain_date(b"1900-02-29"), None);
        let text = b"2020-01-01 00:00:01.25";
        assert_eq!(plain_timestamp(text, TimeUnit::Millisecond), Some(1_577_836_801_250));
        assert_eq!(plain_timestamp(text, TimeUnit::Second), None);
    }

    #[test]
    fn every_digit_is_looked_at() {
        for length in 1..=MOST_DIGITS {
            let text = "123456789012345678".get(..length).unwrap();
            assert_eq!(plain_integer(text.as_bytes()), text.parse().ok(), "{text}");
            for at in 0..length {
                for other in [b'/', b':', b' ', b'.', 0, 0x80, 0xff, b'0' + 0x10, b'0' - 0x10] {
                    let mut text = text.as_bytes().to_vec();
                    text[at] = other;
                    assert_eq!(plain_integer(&text), None, "{text:?}");
                }
            }
        }
        for text in ["", "-", "+1", "1.", ".1", "1234567890123456789"] {
            assert_eq!(plain_integer(text.as_bytes()), None, "{text}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn what_is_plain_means_what_it_always_means(text in numbers(), precision in 1u8..30, scale in -3i8..20) {
            if let Some(value) = plain_integer(text.as_bytes()) {
                prop_assert_eq!(Ok(value), text.parse::<i64>());
            }
            if let Some(value) = plain_decimal(text.as_bytes(), precision, scale) {
                let wanted = decimal::parse(text.as_bytes(), scale).unwrap().to_i128().unwrap();
                prop_assert_eq!(i128::from(value), wanted);
                prop_assert!(decimal::fits128(wanted, precision));
            }
        }

        #[test]
        fn moments_mean_what_they_always_mean(text in dates(), unit in 0usize..4) {
            if let Some(day) = plain_date(text.as_bytes()) {
                prop_assert_eq!(Ok(i64::from(day)), calendar::parse_date(text.as_bytes()));
            }
            if let Some(value) = plain_timestamp(text.as_bytes(), UNITS[unit]) {
                prop_assert_eq!(Ok(value), calendar::parse_timestamp(text.as_bytes(), UNITS[unit]));
            }
        }

        /// What is written is plain, but for years of more than four digits.
        #[test]
        fn what_is_written_is_taken(value in -999_999_999_999_999_999i64..=999_999_999_999_999_999, scale in 0i8..18, day in -719_528i64..2_932_896) {
            prop_assert_eq!(plain_integer(value.to_string().as_bytes()), Some(value));
            let mut text = Vec::new();
            decimal::write(arrow::datatypes::i256::from_i128(value.into()), scale, &mut text);
            if text.len() < 19 {
                prop_assert_eq!(plain_decimal(&text, 18, scale), Some(value));
            }
            text.clear();
            calendar::write_date(day, &mut text);
            prop_assert_eq!(plain_date(&text).map(i64::from), Some(day));
        }
    }
}
