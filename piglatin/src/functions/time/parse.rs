use crate::functions::time::local::Local;
use crate::functions::time::pattern::{Item, MONTHS, WEEKDAYS};
use crate::functions::time::zone::{Zone, offset_at, short_name_at};
use crate::value::calendar::{days_in_month, days_of, is_leap, weekday};

/// What a text says by a pattern.
#[derive(Debug, Default)]
struct Fields {
    before_christ: bool,
    year: Option<i64>,
    year_of_era: Option<i64>,
    century: Option<i64>,
    month: Option<i64>,
    day: Option<i64>,
    day_of_year: Option<i64>,
    week_year: Option<i64>,
    week: Option<i64>,
    weekday: Option<i64>,
    afternoon: Option<bool>,
    hour_of_half: Option<i64>,
    hour: Option<i64>,
    minute: Option<i64>,
    second: Option<i64>,
    millis: Option<i64>,
    zone: Option<Zone>,
}

/// Reads a text by a pattern: the local time, and the zone if the text says one. A year of two digits lies within 50
/// years of `pivot`.
///
/// # Errors
/// Says where the text and the pattern part.
pub(super) fn parse(items: &[Item], text: &str, pivot: i64) -> Result<(Local, Option<Zone>), String> {
    let mut fields = Fields::default();
    let mut rest = text;
    for (place, item) in items.iter().enumerate() {
        let numeric_next = items.get(place + 1).is_some_and(Item::is_numeric);
        let after = match item {
            Item::Literal(literal) => strip_ignoring_case(rest, literal),
            Item::Field { letter, count } => fields.take(*letter, *count, rest, numeric_next, pivot),
        };
        rest = after.ok_or_else(|| format!("'{text}' is malformed at '{rest}'"))?;
    }
    if !rest.is_empty() {
        return Err(format!("'{text}' is malformed at '{rest}'"));
    }
    let local = fields.local().map_err(|error| format!("'{text}': {error}"))?;
    Ok((local, fields.zone))
}

fn strip_ignoring_case<'a>(text: &'a str, prefix: &str) -> Option<&'a str> {
    let start = text.get(..prefix.len())?;
    start.eq_ignore_ascii_case(prefix).then(|| &text[prefix.len()..])
}

/// The number of at most so many digits that a text begins with.
fn digits(text: &str, most: usize) -> Option<(i64, &str)> {
    let end = text.bytes().take(most).take_while(u8::is_ascii_digit).count();
    Some((text[..end].parse().ok()?, &text[end..]))
}

fn signed_digits(text: &str, most: usize) -> Option<(i64, &str)> {
    match text.strip_prefix('-') {
        Some(rest) => digits(rest, most).map(|(number, rest)| (-number, rest)),
        None => digits(text.strip_prefix('+').unwrap_or(text), most),
    }
}

/// Two digits are a year near the pivot; in lenient places any other number is the year itself.
fn two_digit_year(text: &str, lenient: bool, pivot: i64) -> Option<(i64, &str)> {
    let count = text.bytes().take_while(u8::is_ascii_digit).count();
    if count != 2 && lenient {
        return signed_digits(text, 9);
    }
    let (year, rest) = digits(text, 2).filter(|_| count >= 2)?;
    let low = pivot - 50;
    Some((low + (year - low).rem_euclid(100), rest))
}

fn name<'a>(text: &'a str, names: &[&str]) -> Option<(i64, &'a str)> {
    let number = |place: usize| i64::try_from(place + 1).unwrap_or(0);
    let full = names
        .iter()
        .enumerate()
        .find_map(|(place, name)| Some((number(place), strip_ignoring_case(text, name)?)));
    full.or_else(|| {
        names
            .iter()
            .enumerate()
            .find_map(|(place, name)| Some((number(place), strip_ignoring_case(text, name.get(..3)?)?)))
    })
}

impl Fields {
    /// Takes a field off the text; gives what follows.
    fn take<'a>(
        &mut self,
        letter: char,
        count: usize,
        text: &'a str,
        numeric_next: bool,
        pivot: i64,
    ) -> Option<&'a str> {
        // No calendar has years of more digits.
        let year_digits = if numeric_next { count.min(9) } else { 9 };
        let (number, rest) = match letter {
            'G' => {
                let (era, rest) = text.split_at_checked(2)?;
                self.before_christ = match era.to_ascii_uppercase().as_str() {
                    "BC" => true,
                    "AD" => false,
                    _ => return None,
                };
                return Some(rest);
            }
            'a' => {
                let (half, rest) = text.split_at_checked(2)?;
                self.afternoon = Some(match half.to_ascii_uppercase().as_str() {
                    "AM" => false,
                    "PM" => true,
                    _ => return None,
                });
                return Some(rest);
            }
            'z' | 'Z' => {
                let (zone, rest) = zone(letter, count, text)?;
                self.zone = Some(zone);
                return Some(rest);
            }
            'S' => {
                let taken = text.bytes().take(count).take_while(u8::is_ascii_digit).count();
                let fraction = text.get(..taken).filter(|fraction| !fraction.is_empty())?;
                let padded: String = fraction.chars().chain("00".chars()).take(3).collect();
                self.millis = Some(padded.parse().ok()?);
                return Some(&text[taken..]);
            }
            'M' if count >= 3 => name(text, &MONTHS)?,
            'E' => name(text, &WEEKDAYS)?,
            'y' | 'Y' | 'x' if count == 2 => two_digit_year(text, !numeric_next, pivot)?,
            'y' | 'Y' | 'x' => signed_digits(text, year_digits)?,
            'C' => signed_digits(text, count.min(7))?,
            'D' => digits(text, 3)?,
            'e' => digits(text, 1)?,
            _ => digits(text, 2)?,
        };
        let field = match letter {
            'y' => &mut self.year,
            'Y' => &mut self.year_of_era,
            'x' => &mut self.week_year,
            'C' => &mut self.century,
            'M' => &mut self.month,
            'w' => &mut self.week,
            'd' => &mut self.day,
            'D' => &mut self.day_of_year,
            'e' | 'E' => &mut self.weekday,
            'm' => &mut self.minute,
            's' => &mut self.second,
            'K' | 'h' => &mut self.hour_of_half,
            _ => &mut self.hour,
        };
        *field = Some(match letter {
            'h' if (1..=12).contains(&number) => number % 12,
            'h' => 99,
            'k' if (1..=24).contains(&number) => number % 24,
            'k' => 99,
            _ => number,
        });
        Some(rest)
    }

    fn local(&self) -> Result<Local, String> {
        let hour = match (self.hour, self.hour_of_half) {
            (Some(hour), _) => in_range(hour, 0, 23, "hour")?,
            (None, Some(hour)) => {
                in_range(hour, 0, 11, "hour")? + if self.afternoon == Some(true) { 12 } else { 0 }
            }
            (None, None) => 0,
        };
        let minute = in_range(self.minute.unwrap_or(0), 0, 59, "minute")?;
        let second = in_range(self.second.unwrap_or(0), 0, 59, "second")?;
        let millis_of_day = ((hour * 60 + minute) * 60 + second) * 1000 + self.millis.unwrap_or(0);
        Ok(Local { days: self.days()?, millis_of_day })
    }

    fn days(&self) -> Result<i64, String> {
        let no_date = || "there is no such date".to_owned();
        let by_week = self.week.is_some() || self.week_year.is_some();
        let mut days = if by_week && self.month.is_none() && self.day.is_none() {
            let year = self.week_year.or(self.year).unwrap_or(1970);
            // The fourth of January is always in the first week.
            let fourth = days_of(year, 1, 4).ok_or_else(no_date)?;
            let week = in_range(self.week.unwrap_or(1), 1, weeks_of(year, fourth), "week")?;
            fourth + 1 - weekday(fourth) + (week - 1) * 7
        } else {
            let year = self.year();
            if let Some(day) = self.day_of_year {
                let last = if is_leap(year) { 366 } else { 365 };
                days_of(year, 1, 1).ok_or_else(no_date)? + in_range(day, 1, last, "day of the year")? - 1
            } else {
                let month = in_range(self.month.unwrap_or(1), 1, 12, "month")?;
                let month = u32::try_from(month).map_err(|_| no_date())?;
                let last = i64::from(days_in_month(year, month));
                let day = in_range(self.day.unwrap_or(1), 1, last, "day")?;
                days_of(year, month, u32::try_from(day).map_err(|_| no_date())?).ok_or_else(no_date)?
            }
        };
        if let Some(wanted) = self.weekday {
            days += in_range(wanted, 1, 7, "day of the week")? - weekday(days);
        }
        Ok(days)
    }

    /// Without a year a date is of 2000 and a time of 1970, as in Joda-Time.
    fn year(&self) -> i64 {
        if let Some(year) = self.year {
            return year;
        }
        let year_of_era = match (self.year_of_era, self.century) {
            (Some(year), None) => year,
            (None, Some(century)) => century * 100,
            (Some(year), Some(century)) => century * 100 + year.rem_euclid(100),
            (None, None) => {
                let date = self.month.is_some() || self.day.is_some() || self.day_of_year.is_some();
                return if date { 2000 } else { 1970 };
            }
        };
        if self.before_christ { 1 - year_of_era } else { year_of_era }
    }
}

/// A year that begins on a Thursday has 53 weeks, also a leap year that begins on a Wednesday.
fn weeks_of(year: i64, fourth: i64) -> i64 {
    let first = weekday(fourth - 3);
    if first == 4 || (first == 3 && is_leap(year)) { 53 } else { 52 }
}

fn zone(letter: char, count: usize, text: &str) -> Option<(Zone, &str)> {
    match (letter, count) {
        ('z', _) => short_name_at(text),
        (_, 1 | 2) => match text.strip_prefix('Z') {
            Some(rest) => Some((Zone::UTC, rest)),
            None => offset_at(text).map(|(offset, rest)| (Zone::Fixed(offset), rest)),
        },
        _ => Zone::at_start(text),
    }
}

fn in_range(number: i64, low: i64, high: i64, what: &str) -> Result<i64, String> {
    if (low..=high).contains(&number) { Ok(number) } else { Err(format!("{what} is out of range")) }
}
