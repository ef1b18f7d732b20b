use std::fmt::Write as _;

use crate::functions::time::local::Local;
use crate::functions::time::pattern::{Item, MONTHS, WEEKDAYS};
use crate::value::Datetime;

/// The text of a datetime by a pattern.
pub(super) fn format(items: &[Item], datetime: Datetime) -> String {
    let local = Local::of(datetime);
    let mut out = String::new();
    for item in items {
        match item {
            Item::Literal(text) => out.push_str(text),
            Item::Field { letter, count } => field(*letter, *count, local, datetime.offset_minutes, &mut out),
        }
    }
    out
}

fn field(letter: char, count: usize, local: Local, offset: i16, out: &mut String) {
    let (year, month, day) = local.date();
    let year_of_era = if year <= 0 { 1 - year } else { year };
    let (week_year, week) = local.week();
    let hour = local.hour();
    let number = match letter {
        'G' => return out.push_str(if year <= 0 { "BC" } else { "AD" }),
        'M' if count >= 3 => return name(&MONTHS, i64::from(month), count, out),
        'E' => return name(&WEEKDAYS, local.weekday(), count, out),
        'a' => return out.push_str(if hour < 12 { "AM" } else { "PM" }),
        'S' => return fraction(local.millisecond(), count, out),
        'Z' | 'z' => return zone(letter, count, offset, out),
        'y' if count == 2 => year.rem_euclid(100),
        'x' if count == 2 => week_year.rem_euclid(100),
        'Y' if count == 2 => year_of_era.rem_euclid(100),
        'y' => year,
        'Y' => year_of_era,
        'x' => week_year,
        'C' => year_of_era / 100,
        'M' => month.into(),
        'w' => week.into(),
        'd' => day.into(),
        'D' => local.day_of_year().into(),
        'e' => local.weekday(),
        'K' => hour % 12,
        'h' => (hour + 11) % 12 + 1,
        'k' => (hour + 23) % 24 + 1,
        'm' => local.minute(),
        's' => local.second(),
        // `parse_pattern` lets only H remain.
        _ => hour,
    };
    if number < 0 {
        out.push('-');
    }
    // Writing to a String does not fail.
    let _ = write!(out, "{:0count$}", number.unsigned_abs());
}

/// Up to three letters are the short name.
fn name(names: &[&str], number: i64, count: usize, out: &mut String) {
    let place = usize::try_from(number - 1).unwrap_or(0);
    let name = names.get(place).copied().unwrap_or_default();
    out.push_str(if count >= 4 { name } else { name.get(..3).unwrap_or(name) });
}

/// As many digits of the second's fraction: cut, or filled with zeros.
fn fraction(millis: i64, count: usize, out: &mut String) {
    let digits = format!("{millis:03}");
    out.push_str(digits.get(..count).unwrap_or(&digits));
    out.extend(std::iter::repeat_n('0', count.saturating_sub(3)));
}

/// `Z` is +0000, `ZZ` +00:00, `ZZZ` and `z` the id of the zone.
fn zone(letter: char, count: usize, offset: i16, out: &mut String) {
    if offset == 0 && (letter == 'z' || count >= 3) {
        out.push_str(if letter == 'z' && count >= 4 { "Coordinated Universal Time" } else { "UTC" });
        return;
    }
    let colon = if letter == 'Z' && count == 1 { "" } else { ":" };
    let sign = if offset < 0 { '-' } else { '+' };
    let offset = offset.unsigned_abs();
    let _ = write!(out, "{sign}{:02}{colon}{:02}", offset / 60, offset % 60);
}
