//! Casts that never fail and keep the order, as maps of order indices.
//!
//! Each is Arrow 59's cast, to which DataFusion adds only a check that refuses what would overflow. A cast that can fail for
//! one value of the column's type is not here, even if no stored value is such: the answer must not depend on the data.

use arrow::datatypes::{TimeUnit, i256};

use super::domain::{bounds, wide};
use crate::PrimitiveType as T;
use crate::calendar::{SECONDS_PER_DAY, per_second};
use crate::decimal::pow10;
use crate::float_order::{from_index32, from_index64, index32, index64};

/// A monotone map from the order indices of one type to those of another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Monotone {
    /// The same number.
    Same,
    /// Times a constant.
    Times(i256),
    /// Divided by a constant, the fraction cut off.
    Truncate(i256),
    /// Divided by a constant, rounded down.
    Floor(i256),
    /// Divided by a constant, rounded to the nearest, halves away from zero.
    Round(i256),
    /// Always zero.
    Zero,
    /// An integer as a double.
    ToDouble,
    /// An integer as a single.
    ToSingle,
    /// An unscaled integer as a double divided by this power of ten.
    ScaledToDouble(f64),
    /// The same, then as a single.
    ScaledToSingle(f64),
    /// A single as a double.
    Widen,
    /// A double as a single.
    Narrow,
}

impl Monotone {
    /// Whether NaNs do not keep their order among each other, only towards all other values: a processor that converts a
    /// signalling NaN makes it quiet, which lifts it above others.
    pub(super) fn reorders_nans(self) -> bool {
        matches!(self, Self::Widen | Self::Narrow)
    }

    pub(super) fn apply(self, index: i256) -> i256 {
        let double = |index: i256| index.as_i128() as f64;
        match self {
            Self::Same => index,
            Self::Times(factor) => index.wrapping_mul(factor),
            Self::Truncate(divisor) => index.wrapping_div(divisor),
            Self::Floor(divisor) => {
                let remainder = index.wrapping_rem(divisor);
                let down = if remainder.is_negative() { i256::ONE } else { i256::ZERO };
                index.wrapping_div(divisor).wrapping_sub(down)
            }
            Self::Round(divisor) => {
                let half = divisor.wrapping_div(wide(2));
                let remainder = index.wrapping_rem(divisor);
                let away = if remainder >= half {
                    i256::ONE
                } else if remainder <= half.wrapping_neg() {
                    i256::MINUS_ONE
                } else {
                    i256::ZERO
                };
                index.wrapping_div(divisor).wrapping_add(away)
            }
            Self::Zero => i256::ZERO,
            Self::ToDouble => wide(index64(double(index))),
            Self::ToSingle => wide(index32(index.as_i128() as f32)),
            Self::ScaledToDouble(power) => wide(index64(double(index) / power)),
            Self::ScaledToSingle(power) => wide(index32((double(index) / power) as f32)),
            Self::Widen => wide(index64(f64::from(from_index32(index.as_i128() as i32)))),
            Self::Narrow => wide(index32(from_index64(index.as_i128() as i64) as f32)),
        }
    }
}

/// The map of a cast, if it is one that never fails and keeps the order.
pub(super) fn monotone(from: T, to: T) -> Option<Monotone> {
    if from == to {
        return bounds(from).map(|_| Monotone::Same);
    }
    match (from, to) {
        (T::Boolean, _) if is_integer(to) || is_float(to) => integer(from, to),
        // Temporal values stand for their integers.
        (T::Date32, T::Int32 | T::Int64)
        | (T::Time32(TimeUnit::Second | TimeUnit::Millisecond), T::Int32 | T::Int64)
        | (T::Date64, T::Int64)
        | (T::Time64(TimeUnit::Microsecond | TimeUnit::Nanosecond), T::Int64)
        | (T::Int32, T::Date32 | T::Time32(TimeUnit::Second | TimeUnit::Millisecond))
        | (T::Int64, T::Date64 | T::Time64(TimeUnit::Microsecond | TimeUnit::Nanosecond)) => {
            Some(Monotone::Same)
        }
        (
            T::Timestamp(_),
            T::Int64 | T::Float32 | T::Float64 | T::Decimal128 { .. } | T::Decimal256 { .. },
        ) => integer(from, to),
        (_, T::Timestamp(_)) if is_integer(from) => within(from, T::Int64).then_some(Monotone::Same),
        (T::Date32, _) | (T::Date64, _) | (T::Timestamp(_), _) => instant(from, to),
        (T::Time32(_) | T::Time64(_), T::Time32(_) | T::Time64(_)) => time_of_day(from, to),
        (T::Float32, T::Float64) => Some(Monotone::Widen),
        (T::Float64, T::Float32) => Some(Monotone::Narrow),
        (T::Decimal128 { .. } | T::Decimal256 { .. }, T::Decimal128 { .. } | T::Decimal256 { .. }) => {
            decimal(from, to)
        }
        // The power is computed as Arrow computes it, for its rounding.
        (T::Decimal128 { scale, .. }, T::Float64) => Some(Monotone::ScaledToDouble(10f64.powi(scale.into()))),
        (T::Decimal128 { scale, .. }, T::Float32) => Some(Monotone::ScaledToSingle(10f64.powi(scale.into()))),
        _ if is_integer(from) => integer(from, to),
        _ => None,
    }
}

fn is_integer(ty: T) -> bool {
    matches!(ty, T::Int8 | T::Int16 | T::Int32 | T::Int64 | T::UInt8 | T::UInt16 | T::UInt32 | T::UInt64)
}

fn is_float(ty: T) -> bool {
    matches!(ty, T::Float32 | T::Float64)
}

/// Whether every value of one type is, as a number, one of the other.
fn within(inner: T, outer: T) -> bool {
    match (bounds(inner), bounds(outer)) {
        (Some((least, greatest)), Some((low, high))) => low <= least && greatest <= high,
        _ => false,
    }
}

/// From integers, or what stands for integers.
fn integer(from: T, to: T) -> Option<Monotone> {
    match to {
        T::Float64 => Some(Monotone::ToDouble),
        T::Float32 => Some(Monotone::ToSingle),
        T::Decimal128 { scale, .. } | T::Decimal256 { scale, .. } => {
            let factor = pow10(scale.unsigned_abs().into())?;
            let map = if scale < 0 { Monotone::Truncate(factor) } else { Monotone::Times(factor) };
            // The extremes must fit the precision; a 64-bit integer times the factor of any legal scale fits 256 bits,
            // but the check is cheap.
            let (least, greatest) = bounds(from)?;
            let (low, high) = bounds(to)?;
            if scale > 0 && (least.checked_mul(factor).is_none() || greatest.checked_mul(factor).is_none()) {
                return None;
            }
            (map.apply(least) >= low && map.apply(greatest) <= high).then_some(map)
        }
        _ if is_integer(to) => within(from, to).then_some(Monotone::Same),
        _ => None,
    }
}

/// Between dates and timestamps.
fn instant(from: T, to: T) -> Option<Monotone> {
    Some(match (from, to) {
        (T::Date32, T::Date64 | T::Timestamp(TimeUnit::Millisecond)) => {
            Monotone::Times(wide(SECONDS_PER_DAY * 1_000))
        }
        (T::Date32, T::Timestamp(TimeUnit::Second)) => Monotone::Times(wide(SECONDS_PER_DAY)),
        (T::Date64, T::Timestamp(TimeUnit::Millisecond)) => Monotone::Same,
        (T::Date64, T::Timestamp(TimeUnit::Second)) => Monotone::Truncate(wide(1_000)),
        // Only nanoseconds stay within the years that Arrow's calendar knows.
        (T::Timestamp(TimeUnit::Nanosecond), T::Date32) => {
            Monotone::Floor(wide(SECONDS_PER_DAY * per_second(TimeUnit::Nanosecond)))
        }
        (T::Timestamp(TimeUnit::Millisecond), T::Date64) => Monotone::Same,
        (T::Timestamp(unit @ (TimeUnit::Microsecond | TimeUnit::Nanosecond)), T::Date64) => {
            Monotone::Truncate(wide(per_second(unit) / 1_000))
        }
        (T::Timestamp(fine), T::Timestamp(coarse)) if per_second(fine) > per_second(coarse) => {
            Monotone::Truncate(wide(per_second(fine) / per_second(coarse)))
        }
        _ => return None,
    })
}

/// Between times of day, where no value of the narrower type overflows the wider.
fn time_of_day(from: T, to: T) -> Option<Monotone> {
    Some(match (from, to) {
        (T::Time32(TimeUnit::Millisecond), T::Time32(TimeUnit::Second)) => Monotone::Truncate(wide(1_000)),
        (T::Time64(TimeUnit::Nanosecond), T::Time64(TimeUnit::Microsecond)) => {
            Monotone::Truncate(wide(1_000))
        }
        (
            T::Time32(coarse @ (TimeUnit::Second | TimeUnit::Millisecond)),
            T::Time64(fine @ (TimeUnit::Microsecond | TimeUnit::Nanosecond)),
        ) => Monotone::Times(wide(per_second(fine) / per_second(coarse))),
        _ => return None,
    })
}

/// Between decimals. Arrow knows powers of ten up to the precision of the type; what it cannot scale up is an error, what it
/// cannot scale down is zero.
fn decimal(from: T, to: T) -> Option<Monotone> {
    let parts = |ty| match ty {
        T::Decimal128 { precision, scale } => Some((precision, scale, 38)),
        T::Decimal256 { precision, scale } => Some((precision, scale, 76)),
        _ => None,
    };
    let (from_precision, from_scale, from_powers) = parts(from)?;
    let (to_precision, to_scale, to_powers) = parts(to)?;
    let (from_precision, to_precision) = (i32::from(from_precision), i32::from(to_precision));
    let more = i32::from(to_scale) - i32::from(from_scale);
    if more >= 0 {
        let safe = more <= to_powers && from_precision + more <= to_precision;
        return if safe { Some(Monotone::Times(pow10(more.unsigned_abs())?)) } else { None };
    }
    let fewer = -more;
    if fewer > from_powers {
        return Some(Monotone::Zero);
    }
    // One digit to spare, for what rounding up may add.
    let safe = from_precision - fewer < to_precision;
    if safe { Some(Monotone::Round(pow10(fewer.unsigned_abs())?)) } else { None }
}
