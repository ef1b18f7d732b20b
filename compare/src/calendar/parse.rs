//! Reading dates and times.

use arrow::datatypes::TimeUnit;

use super::{NANOS_PER_SECOND, SECONDS_PER_DAY, civil, day_number, per_second};
use crate::bad_value::Reason;

/// Reads a date, which may carry a time of day of exactly midnight: days since 1970-01-01.
pub(crate) fn parse_date(text: &[u8]) -> Result<i64, Reason> {
    let mut cursor = Cursor(text);
    let moment = cursor.moment()?;
    if moment.offset.is_some() {
        return Err("a date has no time zone".into());
    }
    if moment.seconds_of_day != 0 || moment.nanos != 0 {
        return Err("a date has no time of day".into());
    }
    Ok(moment.day)
}

/// Reads a timestamp: a date, then optionally `T` or blank and a time of day, then optionally a zone (`Z`, `+01:00`), which
/// is converted to UTC. Without a zone the text is taken as it stands.
pub(crate) fn parse_timestamp(text: &[u8], unit: TimeUnit) -> Result<i64, Reason> {
    let mut cursor = Cursor(text);
    let moment = cursor.moment()?;
    let seconds = i128::from(moment.day) * i128::from(SECONDS_PER_DAY)
        + i128::from(moment.seconds_of_day - moment.offset.unwrap_or(0));
    let value = seconds * i128::from(per_second(unit)) + i128::from(in_unit(moment.nanos, unit)?);
    i64::try_from(value).map_err(|_| "the timestamp is out of range".into())
}

/// Reads a time of day.
pub(crate) fn parse_time(text: &[u8], unit: TimeUnit) -> Result<i64, Reason> {
    let mut cursor = Cursor(text);
    let (seconds, nanos) = cursor.time_of_day()?;
    cursor.end()?;
    Ok(seconds * per_second(unit) + in_unit(nanos, unit)?)
}

/// A fraction of a second in the unit, if the unit is fine enough.
fn in_unit(nanos: i64, unit: TimeUnit) -> Result<i64, Reason> {
    let step = NANOS_PER_SECOND / per_second(unit);
    if nanos % step == 0 {
        Ok(nanos / step)
    } else {
        Err(format!("the fraction of a second is finer than the unit {unit}").into())
    }
}

struct Moment {
    day: i64,
    seconds_of_day: i64,
    nanos: i64,
    /// Seconds east of UTC.
    offset: Option<i64>,
}

/// What is left of the text.
struct Cursor<'a>(&'a [u8]);

const FORM: Reason = Reason::Borrowed("the text is not a date or time in ISO 8601 form");

impl Cursor<'_> {
    fn take(&mut self, wanted: &[u8]) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        wanted.contains(first).then(|| {
            self.0 = rest;
            *first
        })
    }

    fn expect(&mut self, wanted: u8) -> Result<(), Reason> {
        self.take(&[wanted]).map(|_| ()).ok_or(FORM)
    }

    fn end(&self) -> Result<(), Reason> {
        if self.0.is_empty() { Ok(()) } else { Err(FORM) }
    }

    /// Reads `least` to `most` digits, as many as there are.
    fn number(&mut self, least: usize, most: usize) -> Result<i64, Reason> {
        let length = self.0.iter().take(most + 1).take_while(|byte| byte.is_ascii_digit()).count();
        if length < least || length > most {
            return Err(FORM);
        }
        let (digits, rest) = self.0.split_at(length);
        self.0 = rest;
        Ok(digits.iter().fold(0, |value, digit| value * 10 + i64::from(digit - b'0')))
    }

    fn moment(&mut self) -> Result<Moment, Reason> {
        let negative = self.take(b"+-") == Some(b'-');
        // An i64 of seconds spans about 3e11 years; twelve digits hold them and cannot overflow on the way.
        let year = self.number(4, 12)?;
        let year = if negative { -year } else { year };
        self.expect(b'-')?;
        let month = self.number(1, 2)?;
        self.expect(b'-')?;
        let day = self.number(1, 2)?;
        if !(1..=12).contains(&month) || !(1..=31).contains(&day) {
            return Err("there is no such month or day".into());
        }
        let day_number = day_number(year, month, day);
        if civil(day_number) != (year, month, day) {
            return Err("the month has no such day".into());
        }
        let mut moment = Moment { day: day_number, seconds_of_day: 0, nanos: 0, offset: None };
        if self.take(b"Tt ").is_some() {
            (moment.seconds_of_day, moment.nanos) = self.time_of_day()?;
            moment.offset = self.zone()?;
        }
        self.end()?;
        Ok(moment)
    }

    /// Reads `h:mm[:ss[.fraction]]` as seconds since midnight and nanoseconds.
    fn time_of_day(&mut self) -> Result<(i64, i64), Reason> {
        let hour = self.number(1, 2)?;
        self.expect(b':')?;
        let minute = self.number(2, 2)?;
        let mut second = 0;
        let mut nanos = 0;
        if self.take(b":").is_some() {
            second = self.number(2, 2)?;
            if self.take(b".").is_some() {
                nanos = self.fraction()?;
            }
        }
        if hour > 23 || minute > 59 || second > 59 {
            return Err("there is no such time of day".into());
        }
        Ok((hour * 3600 + minute * 60 + second, nanos))
    }

    fn fraction(&mut self) -> Result<i64, Reason> {
        let length = self.0.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let (digits, rest) = self.0.split_at(length);
        self.0 = rest;
        let (counted, beyond) = digits.split_at(length.min(9));
        if length == 0 {
            return Err(FORM);
        }
        if beyond.iter().any(|digit| *digit != b'0') {
            return Err("the fraction of a second is finer than a nanosecond".into());
        }
        let value = counted.iter().fold(0, |value, digit| value * 10 + i64::from(digit - b'0'));
        Ok((counted.len()..9).fold(value, |value, _| value * 10))
    }

    fn zone(&mut self) -> Result<Option<i64>, Reason> {
        if self.take(b"Zz").is_some() {
            return Ok(Some(0));
        }
        let Some(sign) = self.take(b"+-") else { return Ok(None) };
        let (hour, minute) = match self.number(4, 4) {
            Ok(both) => (both / 100, both % 100),
            Err(_) => {
                let hour = self.number(2, 2)?;
                (hour, if self.take(b":").is_some() { self.number(2, 2)? } else { 0 })
            }
        };
        if hour > 23 || minute > 59 {
            return Err("there is no such time zone offset".into());
        }
        let seconds = hour * 3600 + minute * 60;
        Ok(Some(if sign == b'-' { -seconds } else { seconds }))
    }
}
