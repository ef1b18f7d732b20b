//! Datetimes in ISO 8601: what Joda's `dateOptionalTimeParser` reads.

use super::{Bad, trim};
use crate::value::Datetime;
use crate::value::calendar::{days_of, is_leap, weekday};

/// A date, by month and day (`2020-01-02`, `2020-01`, `2020`), day of the year (`2020-002`) or week (`2020-W01-4`); then,
/// after `T`, a time (`03`, `03:04`, `03:04:05`, each with a fraction) and a zone (`Z`, `+02`, `+02:00`, `+0200`). Without
/// a zone it is UTC.
///
/// # Errors
/// If it is none of these, or not in the calendar.
pub fn parse_datetime(bytes: &[u8]) -> Result<Option<Datetime>, Bad> {
    let text = trim(bytes);
    if text.is_empty() {
        return Ok(None);
    }
    let mut cursor = Cursor { rest: text };
    let days = cursor.date()?;
    let (mut time, mut offset_minutes) = (0, 0);
    if cursor.take(b"T") {
        if cursor.rest.first().is_some_and(u8::is_ascii_digit) {
            time = cursor.time()?;
        }
        offset_minutes = cursor.zone()?;
    }
    if !cursor.rest.is_empty() {
        return Err(Bad);
    }
    let millis = days * 86_400_000 + time - i64::from(offset_minutes) * 60_000;
    Ok(Some(Datetime { millis, offset_minutes }))
}

struct Cursor<'a> {
    rest: &'a [u8],
}

impl Cursor<'_> {
    fn take(&mut self, any_of: &[u8]) -> bool {
        match self.rest.split_first() {
            Some((first, rest)) if any_of.contains(first) => {
                self.rest = rest;
                true
            }
            _ => false,
        }
    }

    /// At most so many digits, and how many there were.
    fn digits(&mut self, most: usize) -> Result<(i64, usize), Bad> {
        let count = self.rest.iter().take(most).take_while(|byte| byte.is_ascii_digit()).count();
        if count == 0 {
            return Err(Bad);
        }
        let (digits, rest) = self.rest.split_at(count);
        self.rest = rest;
        Ok((digits.iter().fold(0, |value, digit| value * 10 + i64::from(digit - b'0')), count))
    }

    /// A number of one or two digits below an end.
    fn below(&mut self, end: i64) -> Result<i64, Bad> {
        let (value, _) = self.digits(2)?;
        if value < end { Ok(value) } else { Err(Bad) }
    }

    fn date(&mut self) -> Result<i64, Bad> {
        let negative = self.take(b"-");
        if !negative {
            self.take(b"+");
        }
        // Years of more digits are no time that has 64 bits of milliseconds.
        let (year, _) = self.digits(8)?;
        let year = if negative { -year } else { year };
        if !self.take(b"-") {
            return days_of(year, 1, 1).ok_or(Bad);
        }
        if self.take(b"W") {
            return self.week(year);
        }
        let (number, count) = self.digits(3)?;
        if count == 3 {
            let length = if is_leap(year) { 366 } else { 365 };
            let first = days_of(year, 1, 1).ok_or(Bad)?;
            return if (1..=length).contains(&number) { Ok(first + number - 1) } else { Err(Bad) };
        }
        let month = u32::try_from(number).map_err(|_| Bad)?;
        let day = if self.take(b"-") { self.digits(2)?.0 } else { 1 };
        days_of(year, month, u32::try_from(day).map_err(|_| Bad)?).ok_or(Bad)
    }

    /// Weeks begin on Monday; the first of a year is that of the fourth of January.
    fn week(&mut self, year: i64) -> Result<i64, Bad> {
        let first = |year| days_of(year, 1, 4).map(|day| day - weekday(day) + 1).ok_or(Bad);
        let (week, _) = self.digits(2)?;
        let day = if self.take(b"-") { self.digits(1)?.0 } else { 1 };
        let monday = first(year)? + (week - 1) * 7;
        if week < 1 || monday >= first(year + 1)? || !(1..=7).contains(&day) {
            return Err(Bad);
        }
        Ok(monday + day - 1)
    }

    fn time(&mut self) -> Result<i64, Bad> {
        let mut millis = self.below(24)? * 3_600_000;
        let mut unit = 3_600_000;
        for smaller in [60_000, 1000] {
            if !self.take(b":") {
                break;
            }
            millis += self.below(60)? * smaller;
            unit = smaller;
        }
        if self.take(b".,") {
            let (fraction, count) = self.digits(9)?;
            let denominator = 10i64.pow(u32::try_from(count).map_err(|_| Bad)?);
            millis += fraction * unit / denominator;
            let more = self.rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
            self.rest = &self.rest[more..];
        }
        Ok(millis)
    }

    fn zone(&mut self) -> Result<i16, Bad> {
        if self.rest.is_empty() || self.take(b"Z") {
            return Ok(0);
        }
        let negative = self.take(b"-");
        if !negative && !self.take(b"+") {
            return Err(Bad);
        }
        let (hours, count) = self.digits(2)?;
        let minutes = if self.take(b":") || !self.rest.is_empty() { self.below(60)? } else { 0 };
        if count != 2 || hours > 23 {
            return Err(Bad);
        }
        let minutes = i16::try_from(hours * 60 + minutes).map_err(|_| Bad)?;
        Ok(if negative { -minutes } else { minutes })
    }
}
