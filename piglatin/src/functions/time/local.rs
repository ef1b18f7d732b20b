use crate::value::Datetime;
use crate::value::calendar::{date_of, days_in_month, days_of, weekday};

/// Milliseconds of a day.
pub(super) const DAY: i64 = 86_400_000;

/// What the calendar and the clock of a zone show.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Local {
    /// Days since 1970-01-01.
    pub(super) days: i64,
    /// From 0.
    pub(super) millis_of_day: i64,
}

impl Local {
    /// In the zone of the value.
    pub(super) fn of(datetime: Datetime) -> Self {
        Self::of_millis(datetime.millis.saturating_add(i64::from(datetime.offset_minutes) * 60_000))
    }

    /// Of local milliseconds since 1970.
    pub(super) fn of_millis(millis: i64) -> Self {
        Self { days: millis.div_euclid(DAY), millis_of_day: millis.rem_euclid(DAY) }
    }

    /// Local milliseconds since 1970, if a long holds them.
    pub(super) fn millis(self) -> Option<i64> {
        self.days.checked_mul(DAY)?.checked_add(self.millis_of_day)
    }

    /// The instant in a zone of this offset.
    pub(super) fn at(self, offset_minutes: i16) -> Option<Datetime> {
        let millis = self.millis()?.checked_sub(i64::from(offset_minutes) * 60_000)?;
        Some(Datetime { millis, offset_minutes })
    }

    /// Year, month and day.
    pub(super) fn date(self) -> (i64, u32, u32) {
        date_of(self.days)
    }

    /// The same time of another day; a day that the month has not is its last.
    pub(super) fn with_date(self, year: i64, month: u32, day: u32) -> Option<Self> {
        let days = days_of(year, month, day.min(days_in_month(year, month)))?;
        Some(Self { days, ..self })
    }

    /// From 1.
    pub(super) fn day_of_year(self) -> u32 {
        day_of_year(self.days)
    }

    /// Monday is 1.
    pub(super) fn weekday(self) -> i64 {
        weekday(self.days)
    }

    /// Year and number of the ISO week: those of its Thursday.
    pub(super) fn week(self) -> (i64, u32) {
        let thursday = self.days + 4 - self.weekday();
        (date_of(thursday).0, (day_of_year(thursday) - 1) / 7 + 1)
    }

    /// From 0 to 23.
    pub(super) fn hour(self) -> i64 {
        self.millis_of_day / 3_600_000
    }

    /// From 0 to 59.
    pub(super) fn minute(self) -> i64 {
        self.millis_of_day / 60_000 % 60
    }

    /// From 0 to 59.
    pub(super) fn second(self) -> i64 {
        self.millis_of_day / 1000 % 60
    }

    /// From 0 to 999.
    pub(super) fn millisecond(self) -> i64 {
        self.millis_of_day % 1000
    }
}

fn day_of_year(days: i64) -> u32 {
    let (year, month, day) = date_of(days);
    (1..month).map(|month| days_in_month(year, month)).sum::<u32>() + day
}
