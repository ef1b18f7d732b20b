//! AddDuration and SubtractDuration.

use crate::functions::builtin::{Builtin, Definition, Fault, takes};
use crate::functions::time::local::Local;
use crate::types::PigType::{Chararray, Datetime};
use crate::value::{Value, to_text};

pub(super) fn functions() -> Vec<Definition> {
    vec![
        Definition::plain("AddDuration", || shift("AddDuration", 1)),
        Definition::plain("SubtractDuration", || shift("SubtractDuration", -1)),
    ]
}

/// A duration of ISO 8601, `P1Y2M3W4DT5H6M7.089S`. Any number in it may be negative.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
struct Period {
    years: i64,
    months: i64,
    weeks: i64,
    days: i64,
    hours: i64,
    minutes: i64,
    seconds: i64,
    millis: i64,
}

/// `AddDuration(datetime, duration)`, `SubtractDuration(datetime, duration)`: years first, then months, then what has
/// a length; the 31st of a shorter month is its last day.
fn shift(name: &'static str, sign: i64) -> Builtin {
    Builtin::strict(name, vec![takes([Datetime, Chararray], Datetime)], move |arguments| {
        let [Value::Datetime(datetime), Value::Chararray(duration)] = arguments else {
            return Err(Fault::Arguments);
        };
        let period =
            Period::parse(duration).ok_or_else(|| Fault::Value(format!("'{duration}' is no duration")))?;
        let shifted =
            period.add_to(Local::of(*datetime), sign).and_then(|local| local.at(datetime.offset_minutes));
        shifted.map(Value::Datetime).ok_or_else(|| {
            Fault::Value(format!("{} and {duration} are out of range", to_text(&arguments[0])))
        })
    })
}

impl Period {
    fn parse(text: &str) -> Option<Self> {
        let text = text.strip_prefix(['P', 'p'])?;
        let (date, time) = match text.split_once(['T', 't']) {
            Some((_, "")) => return None,
            Some((date, time)) => (date, time),
            None if text.is_empty() => return None,
            None => (text, ""),
        };
        let mut period = Self::default();
        let [years, months, weeks, days] = numbers(date, ['Y', 'M', 'W', 'D'])?;
        let [hours, minutes, seconds] = numbers(time, ['H', 'M', 'S'])?;
        (period.years, period.months) = (whole(years)?, whole(months)?);
        (period.weeks, period.days) = (whole(weeks)?, whole(days)?);
        (period.hours, period.minutes) = (whole(hours)?, whole(minutes)?);
        (period.seconds, period.millis) = with_fraction(seconds)?;
        Some(period)
    }

    fn add_to(self, local: Local, sign: i64) -> Option<Local> {
        let moved = |local: Local, months: i64| {
            let (year, month, day) = local.date();
            let months = year.checked_mul(12)?.checked_add(i64::from(month) - 1)?.checked_add(months)?;
            let month = u32::try_from(months.rem_euclid(12)).ok()? + 1;
            local.with_date(months.div_euclid(12), month, day)
        };
        let years = sign.checked_mul(self.years)?.checked_mul(12)?;
        let local = moved(moved(local, years)?, sign.checked_mul(self.months)?)?;
        let lengths = [
            (self.weeks, 604_800_000),
            (self.days, 86_400_000),
            (self.hours, 3_600_000),
            (self.minutes, 60_000),
            (self.seconds, 1000),
            (self.millis, 1),
        ];
        let mut millis = local.millis()?;
        for (count, length) in lengths {
            millis = millis.checked_add(sign.checked_mul(count)?.checked_mul(length)?)?;
        }
        Some(Local::of_millis(millis))
    }
}

/// The numbers before these letters, which stand in this order, each at most once.
fn numbers<const N: usize>(text: &str, letters: [char; N]) -> Option<[&str; N]> {
    let mut found = ["0"; N];
    let mut rest = text;
    for (place, letter) in letters.into_iter().enumerate() {
        let end = rest.find(|other: char| other.is_ascii_alphabetic());
        if let Some(end) = end
            && rest[end..].starts_with([letter, letter.to_ascii_lowercase()])
        {
            found[place] = rest.get(..end).filter(|number| !number.is_empty())?;
            rest = &rest[end + 1..];
        }
    }
    rest.is_empty().then_some(found)
}

fn whole(number: &str) -> Option<i64> {
    number.parse().ok()
}

/// Seconds, and milliseconds of the same sign; further digits are cut.
fn with_fraction(number: &str) -> Option<(i64, i64)> {
    let Some((seconds, fraction)) = number.split_once(['.', ',']) else {
        return Some((whole(number)?, 0));
    };
    if !fraction.bytes().all(|digit| digit.is_ascii_digit()) {
        return None;
    }
    let millis: String = fraction.chars().chain("000".chars()).take(3).collect();
    let sign = if seconds.starts_with('-') { -1 } else { 1 };
    let seconds = if matches!(seconds, "" | "-" | "+") { 0 } else { whole(seconds)? };
    Some((seconds, sign * whole(&millis)?))
}
