//! The values of table properties: text to settings, strictly.
//!
//! Each function takes the key as written (for the message) and the value. A value is never guessed: what is
//! not exactly allowed is an error that says what is.

use std::str::FromStr;

use ostracon_compare::Encoding;
use ostracon_data::{Authorizations, ColumnVisibility};
use ostracon_iterators::{IteratorSetting, OnBadValue};
use ostracon_tablets::Durability;

use super::{CompositeRowId, InsertMode};
use crate::error::{HandlerError, Result};

fn bad(key: &str, value: &str, allowed: &str) -> HandlerError {
    HandlerError::invalid(format!("the property '{key}' cannot be '{value}'; it is {allowed}"))
}

/// One of a few words, without regard to case.
fn word<T: Copy>(key: &str, value: &str, words: &[(&str, T)]) -> Result<T> {
    words
        .iter()
        .find(|(name, _)| name.eq_ignore_ascii_case(value.trim()))
        .map(|(_, found)| *found)
        .ok_or_else(|| {
            let names: Vec<&str> = words.iter().map(|(name, _)| *name).collect();
            bad(key, value, &format!("one of {}", names.join(", ")))
        })
}

pub(super) fn boolean(key: &str, value: &str) -> Result<bool> {
    word(key, value, &[("true", true), ("false", false)])
}

pub(super) fn encoding(key: &str, value: &str) -> Result<Encoding> {
    word(
        key,
        value,
        &[("string", Encoding::String), ("binary", Encoding::Binary), ("native", Encoding::Native)],
    )
}

pub(super) fn on_bad_value(key: &str, value: &str) -> Result<OnBadValue> {
    word(
        key,
        value,
        &[("error", OnBadValue::Error), ("null", OnBadValue::Null), ("skip_row", OnBadValue::SkipRow)],
    )
}

pub(super) fn insert_mode(key: &str, value: &str) -> Result<InsertMode> {
    word(
        key,
        value,
        &[("upsert", InsertMode::Upsert), ("merge", InsertMode::Merge), ("error", InsertMode::Error)],
    )
}

pub(super) fn durability(key: &str, value: &str) -> Result<Durability> {
    word(
        key,
        value,
        &[
            ("sync", Durability::Sync),
            ("flush", Durability::Flush),
            ("log", Durability::Log),
            ("none", Durability::None),
        ],
    )
}

/// The name of a store table.
pub(super) fn name(key: &str, value: &str) -> Result<String> {
    match value.trim() {
        "" => Err(bad(key, value, "the name of a table of the store")),
        name => Ok(name.to_owned()),
    }
}

/// A count of at least one.
pub(super) fn count(key: &str, value: &str) -> Result<u32> {
    match u32::from_str(value.trim()) {
        Ok(count) if count > 0 => Ok(count),
        _ => Err(bad(key, value, "a whole number of at least 1")),
    }
}

/// Splits `45s` into its digits and its unit.
fn number_and_unit(value: &str) -> Option<(u64, &str)> {
    let value = value.trim();
    let digits = value.bytes().take_while(u8::is_ascii_digit).count();
    let (number, unit) = value.split_at_checked(digits)?;
    Some((u64::from_str(number).ok()?, unit.trim()))
}

/// A duration such as `500ms`, in milliseconds.
pub(super) fn duration(key: &str, value: &str) -> Result<u64> {
    let allowed = "a whole number with a unit: 500ms, 45s, 30m, 12h, 7d";
    let (number, unit) = number_and_unit(value).ok_or_else(|| bad(key, value, allowed))?;
    let factor = match unit {
        "ms" => 1,
        "s" => 1_000,
        "m" => 60_000,
        "h" => 3_600_000,
        "d" => 86_400_000,
        _ => return Err(bad(key, value, allowed)),
    };
    // A row expires by comparing its age, an i64 of milliseconds.
    number
        .checked_mul(factor)
        .filter(|ms| *ms > 0 && i64::try_from(*ms).is_ok())
        .ok_or_else(|| bad(key, value, "longer than zero and shorter than 292 million years"))
}

/// A size such as `64M`, in bytes.
pub(super) fn size(key: &str, value: &str) -> Result<u64> {
    let allowed = "a whole number of bytes of at least 1, or one with a unit: 512K, 64M, 1G";
    let (number, unit) = number_and_unit(value).ok_or_else(|| bad(key, value, allowed))?;
    let factor: u64 = match unit.to_ascii_uppercase().as_str() {
        "" | "B" => 1,
        "K" | "KB" | "KIB" => 1 << 10,
        "M" | "MB" | "MIB" => 1 << 20,
        "G" | "GB" | "GIB" => 1 << 30,
        _ => return Err(bad(key, value, allowed)),
    };
    number.checked_mul(factor).filter(|bytes| *bytes > 0).ok_or_else(|| bad(key, value, allowed))
}

/// A list of names separated by commas.
pub(super) fn list(key: &str, value: &str) -> Result<Vec<String>> {
    let names: Vec<String> = value.split(',').map(|name| name.trim().to_owned()).collect();
    if names.iter().any(String::is_empty) {
        return Err(bad(key, value, "a list of families or columns separated by commas"));
    }
    Ok(names)
}

/// A visibility expression that parses.
pub(super) fn label(key: &str, value: &str) -> Result<Vec<u8>> {
    match ColumnVisibility::parse(value.as_bytes()) {
        Ok(_) => Ok(value.as_bytes().to_vec()),
        Err(error) => {
            Err(bad(key, value, &format!("a visibility expression such as A&(B|C): {error}"))
                .with_source(error))
        }
    }
}

pub(super) fn authorizations(key: &str, value: &str) -> Result<Authorizations> {
    Authorizations::parse(value).map_err(|error| {
        bad(key, value, &format!("a list of labels separated by commas: {error}")).with_source(error)
    })
}

pub(super) fn composite_row_id(key: &str, value: &str) -> Result<CompositeRowId> {
    match value {
        "" => Err(bad(key, value, "the text between the parts of a row id, or 'native'")),
        native if native.eq_ignore_ascii_case("native") => Ok(CompositeRowId::Native),
        delimiter => Ok(CompositeRowId::Delimiter(delimiter.as_bytes().to_vec())),
    }
}

/// `priority,class`.
pub(super) fn iterator(key: &str, value: &str, name: &str) -> Result<IteratorSetting> {
    let allowed = "'priority,class', for example '20,VersioningIterator'";
    let (priority, class) = value.split_once(',').ok_or_else(|| bad(key, value, allowed))?;
    let class = class.trim();
    match u32::from_str(priority.trim()) {
        Ok(priority) if priority > 0 && !class.is_empty() => Ok(IteratorSetting::new(name, priority, class)),
        _ => Err(bad(key, value, allowed)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_a_unit_and_do_not_overflow() {
        assert_eq!(duration("ttl", "500ms").unwrap(), 500);
        assert_eq!(duration("ttl", "45s").unwrap(), 45_000);
        assert_eq!(duration("ttl", "30m").unwrap(), 1_800_000);
        assert_eq!(duration("ttl", "12h").unwrap(), 43_200_000);
        assert_eq!(duration("ttl", " 7d ").unwrap(), 604_800_000);
        for bad in ["", "5", "ms", "-1s", "1.5h", "1w", "0s", "99999999999999999999s", "9999999999999999d"] {
            let message = duration("ttl", bad).unwrap_err().to_string();
            assert!(message.contains("'ttl'") && message.contains(bad), "{message}");
        }
    }

    #[test]
    fn sizes_take_units() {
        assert_eq!(size("split.threshold", "1").unwrap(), 1);
        assert_eq!(size("split.threshold", "512K").unwrap(), 524_288);
        assert_eq!(size("split.threshold", "64 MB").unwrap(), 67_108_864);
        assert_eq!(size("split.threshold", "1g").unwrap(), 1 << 30);
        for bad in ["", "0", "G", "1T", "-5", "99999999999G"] {
            assert!(size("split.threshold", bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_label_is_a_visibility_expression() {
        assert_eq!(label("visibility.label", "A&(B|C)").unwrap(), b"A&(B|C)");
        assert_eq!(label("visibility.label", "").unwrap(), b"");
        assert!(label("visibility.label", "A&").unwrap_err().to_string().contains("A&"));
    }

    #[test]
    fn an_iterator_has_a_priority_and_a_class() {
        let setting = iterator("iterator.scan.s", " 10 , SummingCombiner", "s").unwrap();
        assert_eq!(
            (setting.priority, setting.class.as_str(), setting.name.as_str()),
            (10, "SummingCombiner", "s")
        );
        for bad in ["", "10", "0,X", "x,Y", "10,"] {
            assert!(iterator("iterator.scan.s", bad, "s").is_err(), "{bad}");
        }
    }
}
