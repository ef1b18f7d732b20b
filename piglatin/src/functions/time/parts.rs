//! Parts of datetimes, GetYear to GetMilliSecond, GetWeek, GetWeekYear; and the whole units from one to another,
//! YearsBetween to MilliSecondsBetween.

use crate::functions::builtin::{Builtin, Definition, Fault, takes};
use crate::functions::time::local::{DAY, Local};
use crate::types::PigType::{self, Int, Long};
use crate::value::calendar::{days_in_month, is_leap};
use crate::value::{Datetime, Value};

pub(super) fn functions() -> Vec<Definition> {
    vec![
        Definition::plain("GetYear", || part("GetYear", |local| local.date().0)),
        Definition::plain("GetMonth", || part("GetMonth", |local| local.date().1.into())),
        Definition::plain("GetDay", || part("GetDay", |local| local.date().2.into())),
        Definition::plain("GetHour", || part("GetHour", Local::hour)),
        Definition::plain("GetMinute", || part("GetMinute", Local::minute)),
        Definition::plain("GetSecond", || part("GetSecond", Local::second)),
        Definition::plain("GetMilliSecond", || part("GetMilliSecond", Local::millisecond)),
        Definition::plain("GetWeek", || part("GetWeek", |local| local.week().1.into())),
        Definition::plain("GetWeekYear", || part("GetWeekYear", |local| local.week().0)),
        Definition::plain("YearsBetween", || by_calendar("YearsBetween", years)),
        Definition::plain("MonthsBetween", || by_calendar("MonthsBetween", months)),
        Definition::plain("WeeksBetween", || by_length("WeeksBetween", 7 * DAY)),
        Definition::plain("DaysBetween", || by_length("DaysBetween", DAY)),
        Definition::plain("HoursBetween", || by_length("HoursBetween", 3_600_000)),
        Definition::plain("MinutesBetween", || by_length("MinutesBetween", 60_000)),
        Definition::plain("SecondsBetween", || by_length("SecondsBetween", 1000)),
        Definition::plain("MilliSecondsBetween", || by_length("MilliSecondsBetween", 1)),
    ]
}

/// A part of a datetime, as an int. Weeks are those of ISO 8601.
fn part(name: &'static str, part: fn(Local) -> i64) -> Builtin {
    Builtin::strict(name, vec![takes([PigType::Datetime], Int)], move |arguments| match arguments {
        [Value::Datetime(datetime)] => i32::try_from(part(Local::of(*datetime)))
            .map(Value::Int)
            .map_err(|_| Fault::Value("the year is out of range".to_owned())),
        _ => Err(Fault::Arguments),
    })
}

/// The units from the second datetime to the first.
fn between(
    name: &'static str,
    compute: impl Fn(Datetime, Datetime) -> Option<i64> + Send + Sync + 'static,
) -> Builtin {
    let overloads = vec![takes([PigType::Datetime, PigType::Datetime], Long)];
    Builtin::strict(name, overloads, move |arguments| match arguments {
        [Value::Datetime(end), Value::Datetime(start)] => compute(*start, *end)
            .map(Value::Long)
            .ok_or_else(|| Fault::Value("the difference is out of range".to_owned())),
        _ => Err(Fault::Arguments),
    })
}

/// Units of a fixed length; the rest is cut toward zero.
fn by_length(name: &'static str, length: i64) -> Builtin {
    between(name, move |start, end| Some(end.millis.checked_sub(start.millis)? / length))
}

/// Months and years, by the calendar of the zone of the second datetime.
fn by_calendar(name: &'static str, compute: fn(Local, Local) -> i64) -> Builtin {
    between(name, move |start, end| {
        let end = Local::of(Datetime { offset_minutes: start.offset_minutes, ..end });
        let start = Local::of(start);
        Some(if end < start { -compute(end, start) } else { compute(start, end) })
    })
}

/// From the 31st to the last day of a shorter month is a whole month.
fn months(start: Local, end: Local) -> i64 {
    let ((start_year, start_month, start_day), (end_year, end_month, end_day)) = (start.date(), end.date());
    let months = (end_year - start_year) * 12 + i64::from(end_month) - i64::from(start_month);
    let last = end_day == days_in_month(end_year, end_month);
    let start_day = if last { start_day.min(end_day) } else { start_day };
    let whole = (start_day, start.millis_of_day) <= (end_day, end.millis_of_day);
    months - i64::from(!whole)
}

/// From the 29th of February to the 28th is a whole year.
fn years(start: Local, end: Local) -> i64 {
    let place = |local: Local| {
        let (year, day) = (local.date().0, local.day_of_year());
        let leap_day_over = day >= 60 && is_leap(year);
        (if leap_day_over { day - 1 } else { day }, local.millis_of_day)
    };
    let years = end.date().0 - start.date().0;
    years - i64::from(place(start) > place(end))
}
