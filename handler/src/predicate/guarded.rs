//! Comparisons of dates and times that hold between the ends of time alone.
//!
//! `CAST(ts AS DATE)`, `CAST(d AS TIMESTAMP)` and `date_trunc` are monotone, so that a comparison of them is one of
//! the column itself; but far from our days they overflow, and DataFusion then fails. A [`Guarded`] comparison says
//! what holds for the values from `low` to `high`; others must be left to DataFusion, with the error they give.

use arrow::datatypes::TimeUnit;
use ostracon_compare::{Coerced, CompareOp, PrimitiveType, Scalar};

/// A comparison of a column that is the one asked for where the column lies between two values.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Guarded {
    pub(super) coerced: Coerced,
    /// The least value for which it is known to be right.
    pub(super) low: i64,
    /// The greatest.
    pub(super) high: i64,
}

/// 0001-01-01 and 9999-12-31 in days from 1970-01-01.
const FIRST_DAY: i64 = -719_162;
const LAST_DAY: i64 = 2_932_896;
/// The days whose nanoseconds fit 64 bits, from the first to the last whole one.
const NANOSECOND_DAYS: i64 = 106_751;

/// `CAST(column AS cast) op constant`, if the cast is one that is known here.
pub(super) fn cast(
    op: CompareOp,
    column: PrimitiveType,
    cast: PrimitiveType,
    constant: &Scalar,
) -> Option<Guarded> {
    let Scalar::Int(constant) = constant else { return None };
    match (column, cast) {
        (PrimitiveType::Timestamp(unit), PrimitiveType::Date32) => {
            let day = 86_400 * ticks_per_second(unit);
            Some(Guarded {
                coerced: truncated(op, constant.checked_mul(day)?, day)?,
                low: FIRST_DAY.checked_mul(day)?,
                high: (LAST_DAY + 1).checked_mul(day)? - 1,
            })
        }
        (PrimitiveType::Date32, PrimitiveType::Timestamp(unit)) => {
            let days = if unit == TimeUnit::Nanosecond { NANOSECOND_DAYS } else { LAST_DAY };
            let coerced = multiplied(op, *constant, 86_400 * ticks_per_second(unit));
            Some(Guarded { coerced, low: -days, high: days })
        }
        _ => None,
    }
}

/// `date_trunc(...) op constant`, where the function cuts the column down to a multiple of `step`.
pub(super) fn truncation(op: CompareOp, constant: i64, step: i64) -> Option<Guarded> {
    // Before the first multiple there is none to cut down to.
    let low = i64::MIN.checked_add((-i64::MIN.rem_euclid(step)).rem_euclid(step))?;
    Some(Guarded { coerced: truncated(op, constant, step)?, low, high: i64::MAX })
}

fn ticks_per_second(unit: TimeUnit) -> i64 {
    match unit {
        TimeUnit::Second => 1,
        TimeUnit::Millisecond => 1_000,
        TimeUnit::Microsecond => 1_000_000,
        TimeUnit::Nanosecond => 1_000_000_000,
    }
}

/// `x * step op constant` as a comparison of `x`.
fn multiplied(op: CompareOp, constant: i64, step: i64) -> Coerced {
    let floor = constant.div_euclid(step);
    let whole = constant.rem_euclid(step) == 0;
    match op {
        CompareOp::Equal if !whole => Coerced::Constant(false),
        CompareOp::NotEqual if !whole => Coerced::Constant(true),
        // Between two multiples: the greater is the first above the constant, the lesser the last below it.
        CompareOp::LessThan if !whole => multiplied_compare(CompareOp::LessThanOrEqual, floor),
        CompareOp::GreaterThanOrEqual if !whole => multiplied_compare(CompareOp::GreaterThan, floor),
        op => multiplied_compare(op, floor),
    }
}

fn multiplied_compare(op: CompareOp, bound: i64) -> Coerced {
    Coerced::Compare { op, constant: Scalar::Int(bound) }
}

/// The length of a unit of `date_trunc` in units of the timestamp; 1 if truncation changes nothing.
pub(super) fn truncation_step(unit: &str, precision: TimeUnit) -> Option<i64> {
    let nanoseconds: i64 = match unit {
        "microsecond" => 1_000,
        "millisecond" => 1_000_000,
        "second" => 1_000_000_000,
        "minute" => 60_000_000_000,
        "hour" => 3_600_000_000_000,
        "day" => 86_400_000_000_000,
        _ => return None,
    };
    let tick: i64 = match precision {
        TimeUnit::Second => 1_000_000_000,
        TimeUnit::Millisecond => 1_000_000,
        TimeUnit::Microsecond => 1_000,
        TimeUnit::Nanosecond => 1,
    };
    Some((nanoseconds / tick).max(1))
}

/// `floor(x, step) op constant` as a comparison of `x`. Rounding down is monotone and `floor(x) = f` holds for
/// exactly the x from f to f + step - 1.
fn truncated(op: CompareOp, constant: i64, step: i64) -> Option<Coerced> {
    let remainder = constant.rem_euclid(step);
    let floor = constant.checked_sub(remainder)?;
    let next = floor.checked_add(step)?;
    // The least multiple of the step that is not below the constant.
    let ceiling = if remainder == 0 { floor } else { next };
    let compare = |op, bound| Some(Coerced::Compare { op, constant: Scalar::Int(bound) });
    let within = |negated| {
        Some(Coerced::Between { low: Scalar::Int(floor), high: Scalar::Int(next.checked_sub(1)?), negated })
    };
    match op {
        CompareOp::Equal if remainder != 0 => Some(Coerced::Constant(false)),
        CompareOp::NotEqual if remainder != 0 => Some(Coerced::Constant(true)),
        CompareOp::Equal => within(false),
        CompareOp::NotEqual => within(true),
        CompareOp::LessThan => compare(CompareOp::LessThan, ceiling),
        CompareOp::LessThanOrEqual => compare(CompareOp::LessThan, next),
        CompareOp::GreaterThan => compare(CompareOp::GreaterThanOrEqual, next),
        CompareOp::GreaterThanOrEqual => compare(CompareOp::GreaterThanOrEqual, ceiling),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn accepts(coerced: &Coerced, x: i64) -> bool {
        let value = Scalar::Int(x);
        match coerced {
            Coerced::Constant(answer) => *answer,
            Coerced::Compare { op, constant } => op.accepts(value.compare(constant).unwrap()),
            Coerced::Between { low, high, negated } => {
                let inside = value.compare(low).unwrap().is_ge() && value.compare(high).unwrap().is_le();
                inside != *negated
            }
        }
    }

    const OPS: [CompareOp; 6] = [
        CompareOp::Equal,
        CompareOp::NotEqual,
        CompareOp::LessThan,
        CompareOp::LessThanOrEqual,
        CompareOp::GreaterThan,
        CompareOp::GreaterThanOrEqual,
    ];

    proptest! {
        #[test]
        fn multiplication_is_seen_through(x in -20_i64..20, constant in -99_i64..99, step in 2_i64..12) {
            for op in OPS {
                let coerced = multiplied(op, constant, step);
                prop_assert_eq!(accepts(&coerced, x), op.accepts((x * step).cmp(&constant)), "{:?} {:?}", op, coerced);
            }
        }

        #[test]
        fn truncation_is_seen_through(x in -50_i64..50, constant in -50_i64..50, step in 2_i64..12) {
            let floor = x - x.rem_euclid(step);
            for op in OPS {
                let coerced = truncated(op, constant, step).unwrap();
                prop_assert_eq!(accepts(&coerced, x), op.accepts(floor.cmp(&constant)), "{:?} {:?}", op, coerced);
            }
        }
    }

    #[test]
    fn truncation_at_the_ends_of_time_is_left_alone() {
        assert!(truncated(CompareOp::Equal, i64::MAX, 10).is_none());
        assert!(truncated(CompareOp::Equal, i64::MIN, 10).is_none());
    }

    #[test]
    fn truncation_is_known_from_the_first_multiple_on() {
        for step in [7, 1_000, 86_400_000_000_000] {
            let guarded = truncation(CompareOp::Equal, 0, step).unwrap();
            assert_eq!(guarded.low.rem_euclid(step), 0);
            assert!(guarded.low.checked_sub(step).is_none());
        }
    }

    #[test]
    fn casts_are_known_within_their_days() {
        let day = PrimitiveType::Date32;
        let micros = PrimitiveType::Timestamp(TimeUnit::Microsecond);
        let guarded = cast(CompareOp::Equal, micros, day, &Scalar::Int(1)).unwrap();
        assert!(accepts(&guarded.coerced, 86_400_000_000) && !accepts(&guarded.coerced, 86_399_999_999));
        assert!(accepts(&guarded.coerced, 172_799_999_999) && !accepts(&guarded.coerced, 172_800_000_000));
        assert_eq!(guarded.low, -719_162 * 86_400_000_000);
        let nanos = PrimitiveType::Timestamp(TimeUnit::Nanosecond);
        let guarded = cast(CompareOp::GreaterThan, day, nanos, &Scalar::Int(1)).unwrap();
        assert!(accepts(&guarded.coerced, 1) && !accepts(&guarded.coerced, 0));
        assert!(guarded.high.checked_mul(86_400_000_000_000).is_some());
        assert!((guarded.high + 1).checked_mul(86_400_000_000_000).is_none());
        assert_eq!(cast(CompareOp::Equal, day, PrimitiveType::Utf8, &Scalar::Int(1)), None);
    }

    #[test]
    fn steps_are_in_the_unit_of_the_column() {
        assert_eq!(truncation_step("day", TimeUnit::Second), Some(86_400));
        assert_eq!(truncation_step("day", TimeUnit::Nanosecond), Some(86_400_000_000_000));
        assert_eq!(truncation_step("millisecond", TimeUnit::Second), Some(1), "nothing to cut off");
        assert_eq!(truncation_step("month", TimeUnit::Second), None);
    }
}
