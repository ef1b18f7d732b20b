//! Dates and times as text.
//!
//! Days count from 1970-01-01 in the proleptic Gregorian calendar with a year 0; there are no leap seconds. Text is ISO
//! 8601; writing it is here, reading it in `parse`. Everything is exact over the whole range of the integers that hold it.

mod parse;

use arrow::datatypes::TimeUnit;

use crate::bad_value::Reason;

pub(crate) use parse::{parse_date, parse_time, parse_timestamp};

pub(crate) const SECONDS_PER_DAY: i64 = 86_400;
const NANOS_PER_SECOND: i64 = 1_000_000_000;

/// How many of the unit make a second.
pub(crate) fn per_second(unit: TimeUnit) -> i64 {
    match unit {
        TimeUnit::Second => 1,
        TimeUnit::Millisecond => 1_000,
        TimeUnit::Microsecond => 1_000_000,
        TimeUnit::Nanosecond => NANOS_PER_SECOND,
    }
}

/// The civil date of a day: year, month 1 to 12, day 1 to 31.
///
/// Computed over eras of 400 years that begin on 1 March, which puts the leap day last.
fn civil(days: i64) -> (i64, i64, i64) {
    // 1970-01-01 is day 719468 counted from 0000-03-01; an i64 of seconds gives far fewer days than overflow here.
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let day_of_era = days.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    (year_of_era + era * 400 + i64::from(month <= 2), month, day)
}

/// The day of a civil date; the inverse of [`civil`].
fn day_number(year: i64, month: i64, day: i64) -> i64 {
    let year = year - i64::from(month <= 2);
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let shifted_month = if month > 2 { month - 3 } else { month + 9 };
    let day_of_year = (153 * shifted_month + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * 146_097 + day_of_era - 719_468
}

/// Writes a day as `2020-01-31`; years outside 0 to 9999 carry a sign.
pub(crate) fn write_date(days: i64, out: &mut Vec<u8>) {
    let (year, month, day) = civil(days);
    let year = if (0..=9999).contains(&year) { format!("{year:04}") } else { format!("{year:+05}") };
    out.extend_from_slice(format!("{year}-{month:02}-{day:02}").as_bytes());
}

/// Writes a time of day as `12:30:05`, with 3, 6 or 9 digits of a fraction if there is one.
fn write_time_of_day(seconds: i64, nanos: i64, out: &mut Vec<u8>) {
    let (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    let fraction = match nanos {
        0 => String::new(),
        _ if nanos % 1_000_000 == 0 => format!(".{:03}", nanos / 1_000_000),
        _ if nanos % 1_000 == 0 => format!(".{:06}", nanos / 1_000),
        _ => format!(".{nanos:09}"),
    };
    let text = format!("{hour:02}:{minute:02}:{second:02}{fraction}");
    out.extend_from_slice(text.as_bytes());
}

/// Writes a timestamp as `2020-01-31T12:30:05.000001`.
pub(crate) fn write_timestamp(value: i64, unit: TimeUnit, out: &mut Vec<u8>) {
    let per_second = per_second(unit);
    let seconds = value.div_euclid(per_second);
    let nanos = value.rem_euclid(per_second) * (NANOS_PER_SECOND / per_second);
    write_date(seconds.div_euclid(SECONDS_PER_DAY), out);
    out.push(b'T');
    write_time_of_day(seconds.rem_euclid(SECONDS_PER_DAY), nanos, out);
}

/// Writes a time of day; refuses a value that is not within one day.
pub(crate) fn write_time(value: i64, unit: TimeUnit, out: &mut Vec<u8>) -> Result<(), Reason> {
    let per_second = per_second(unit);
    if !(0..SECONDS_PER_DAY * per_second).contains(&value) {
        return Err("the time is not within one day".into());
    }
    write_time_of_day(value / per_second, value % per_second * (NANOS_PER_SECOND / per_second), out);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn date(days: i64) -> String {
        let mut out = Vec::new();
        write_date(days, &mut out);
        String::from_utf8(out).unwrap()
    }

    fn timestamp(value: i64, unit: TimeUnit) -> String {
        let mut out = Vec::new();
        write_timestamp(value, unit, &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn known_days() {
        for (days, text) in [
            (0, "1970-01-01"),
            (-1, "1969-12-31"),
            (11_016, "2000-02-29"),
            (-719_528, "0000-01-01"),
            (-719_529, "-0001-12-31"),
            (2_932_896, "9999-12-31"),
            (2_932_897, "+10000-01-01"),
        ] {
            assert_eq!(date(days), text);
            assert_eq!(parse_date(text.as_bytes()), Ok(days), "{text}");
        }
    }

    #[test]
    fn fractions_have_three_six_or_nine_digits() {
        assert_eq!(timestamp(0, TimeUnit::Second), "1970-01-01T00:00:00");
        assert_eq!(timestamp(1_577_836_800_000_001, TimeUnit::Microsecond), "2020-01-01T00:00:00.000001");
        assert_eq!(timestamp(-1, TimeUnit::Nanosecond), "1969-12-31T23:59:59.999999999");
        assert_eq!(timestamp(1_500, TimeUnit::Millisecond), "1970-01-01T00:00:01.500");
    }

    #[test]
    fn lenient_forms_mean_the_same() {
        let micros = |text: &str| parse_timestamp(text.as_bytes(), TimeUnit::Microsecond);
        let expected = Ok(1_577_836_800_000_000);
        for text in [
            "2020-01-01",
            "2020-1-1 0:00",
            "2020-01-01T00:00:00",
            "2020-01-01 00:00:00.0",
            "2020-01-01t00:00:00.000000000000Z",
            "2020-01-01T01:00:00+01:00",
            "2020-01-01T01:00:00+0100",
            "2019-12-31T22:00-02",
        ] {
            assert_eq!(micros(text), expected, "{text}");
        }
        for text in [
            "",
            "2020",
            "2020-01",
            "20-01-01",
            "2020-13-01",
            "2020-02-30",
            "2020-01-01T",
            "2020-01-01T24:00",
            "2020-01-01T00:60",
            "2020-01-01T00:00:60",
            "2020-01-01T00:00:00.",
            "2020-01-01T00:00:00.0000001",
            "2020-01-01T00:00:00.0000000001",
            "2020-01-01 00:00 x",
            "2020-01-01T00:00+1",
            "2020-01-01T00:00+24:00",
            "999999999999-01-01",
        ] {
            assert!(micros(text).is_err(), "{text}");
        }
        assert_eq!(parse_date(b"2020-01-01T00:00:00"), Ok(18_262));
        assert!(parse_date(b"2020-01-01T00:00:01").is_err() && parse_date(b"2020-01-01T00:00Z").is_err());
        assert_eq!(parse_time(b"23:59:59.999", TimeUnit::Millisecond), Ok(86_399_999));
        assert!(parse_time(b"23:59:59.9999", TimeUnit::Millisecond).is_err());
    }

    #[test]
    fn a_time_lies_within_one_day() {
        let mut out = Vec::new();
        assert!(write_time(86_400, TimeUnit::Second, &mut out).is_err());
        assert!(write_time(-1, TimeUnit::Second, &mut out).is_err());
        assert!(out.is_empty());
        write_time(45_005, TimeUnit::Second, &mut out).unwrap();
        assert_eq!(out, b"12:30:05");
    }

    const UNITS: [TimeUnit; 4] =
        [TimeUnit::Second, TimeUnit::Millisecond, TimeUnit::Microsecond, TimeUnit::Nanosecond];

    proptest! {
        #[test]
        fn days_round_trip(days in any::<i32>()) {
            let (year, month, day) = civil(days.into());
            prop_assert_eq!(day_number(year, month, day), i64::from(days));
            prop_assert_eq!(parse_date(date(days.into()).as_bytes()), Ok(i64::from(days)));
        }

        #[test]
        fn timestamps_round_trip(value in any::<i64>(), unit in 0usize..4) {
            let unit = UNITS[unit];
            prop_assert_eq!(parse_timestamp(timestamp(value, unit).as_bytes(), unit), Ok(value));
        }

        #[test]
        fn times_round_trip(value in 0i64..86_400_000_000_000) {
            for unit in UNITS {
                let value = value / (NANOS_PER_SECOND / per_second(unit));
                let mut out = Vec::new();
                write_time(value, unit, &mut out).unwrap();
                prop_assert_eq!(parse_time(&out, unit), Ok(value));
            }
        }

        #[test]
        fn parsing_never_panics(text in "[-+0-9TZ:. ]{0,30}") {
            let _ = parse_timestamp(text.as_bytes(), TimeUnit::Nanosecond);
            let _ = parse_date(text.as_bytes());
            let _ = parse_time(text.as_bytes(), TimeUnit::Second);
        }
    }
}
