use chrono::{DateTime, Offset as _, TimeZone as _};
use chrono_tz::Tz;

use crate::functions::time::local::Local;

/// A zone as `DateTimeZone.forID` knows it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Zone {
    /// Minutes east of UTC.
    Fixed(i16),
    /// Of the IANA database.
    Named(Tz),
}

impl Zone {
    /// UTC.
    pub(super) const UTC: Self = Self::Fixed(0);

    /// `UTC`, `+02:00`, `America/New_York`.
    pub(super) fn by_id(id: &str) -> Option<Self> {
        if id == "UTC" || id == "Z" {
            return Some(Self::UTC);
        }
        match offset_at(id) {
            Some((offset, "")) => Some(Self::Fixed(offset)),
            _ => id.parse().ok().map(Self::Named),
        }
    }

    /// The zone whose id a text begins with, the longest one, and what follows.
    pub(super) fn at_start(text: &str) -> Option<(Self, &str)> {
        if let Some((offset, after)) = offset_at(text) {
            return Some((Self::Fixed(offset), after));
        }
        let letter = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '/' | '+' | '-');
        let mut end = text.find(|other| !letter(other)).unwrap_or(text.len());
        while end > 0 {
            if let Some(zone) = Self::by_id(&text[..end]) {
                return Some((zone, &text[end..]));
            }
            end -= 1;
        }
        None
    }

    /// The offset at an instant, in minutes.
    pub(super) fn offset_at_instant(self, millis: i64) -> Option<i16> {
        match self {
            Self::Fixed(offset) => Some(offset),
            Self::Named(zone) => {
                let naive = DateTime::from_timestamp_millis(millis)?.naive_utc();
                i16::try_from(zone.offset_from_utc_datetime(&naive).fix().local_minus_utc() / 60).ok()
            }
        }
    }

    /// The offset at a local time, in minutes: the earlier instant, where the time comes twice; none, where clocks skip
    /// it.
    pub(super) fn offset(self, local: Local) -> Option<i16> {
        match self {
            Self::Fixed(offset) => Some(offset),
            Self::Named(zone) => {
                let naive = DateTime::from_timestamp_millis(local.millis()?)?.naive_utc();
                let offset = zone.offset_from_local_datetime(&naive).earliest()?;
                i16::try_from(offset.fix().local_minus_utc() / 60).ok()
            }
        }
    }
}

/// The names that a pattern's `z` reads.
pub(super) fn short_name_at(text: &str) -> Option<(Zone, &str)> {
    const NAMES: [(&str, i16); 11] = [
        ("UTC", 0),
        ("UT", 0),
        ("GMT", 0),
        ("EST", -300),
        ("EDT", -240),
        ("CST", -360),
        ("CDT", -300),
        ("MST", -420),
        ("MDT", -360),
        ("PST", -480),
        ("PDT", -420),
    ];
    NAMES.iter().find_map(|(name, offset)| Some((Zone::Fixed(*offset), text.strip_prefix(name)?)))
}

/// The offset that a text begins with, `+hh`, `+hh:mm` or `+hhmm`, in minutes, and what follows.
pub(super) fn offset_at(text: &str) -> Option<(i16, &str)> {
    let (sign, rest) = match text.strip_prefix('+') {
        Some(rest) => (1, rest),
        None => (-1, text.strip_prefix('-')?),
    };
    let (hours, rest) = two_digits(rest)?;
    let (minutes, rest) = two_digits(rest.strip_prefix(':').unwrap_or(rest)).unwrap_or((0, rest));
    if hours > 23 || minutes > 59 {
        return None;
    }
    Some((sign * (hours * 60 + minutes), rest))
}

fn two_digits(text: &str) -> Option<(i16, &str)> {
    let digits = text.get(..2).filter(|digits| digits.bytes().all(|digit| digit.is_ascii_digit()))?;
    Some((digits.parse().ok()?, &text[2..]))
}
