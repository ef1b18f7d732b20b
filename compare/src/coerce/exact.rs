//! Where a literal of one type lies among the values of another, exactly.

use std::cmp::Ordering;

use arrow::datatypes::{TimeUnit, i256};

use super::domain::{index_of, wide};
use crate::PrimitiveType as T;
use crate::Scalar;
use crate::calendar::{SECONDS_PER_DAY, per_second};
use crate::decimal::{Digits, read_digits};
use crate::float_order::{index32, index64};

/// Where a literal lies among the order indices of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// Below every value.
    BelowAll,
    /// Above every value.
    AboveAll,
    /// Equal to the value with this index, which may lie outside the column's range.
    At(i256),
    /// Between the value with this index and the next.
    Behind(i256),
}

/// The place of a literal; `None` if the types do not compare. The literal is of the type's kind.
pub(super) fn place(column: T, literal_type: T, literal: &Scalar) -> Option<Place> {
    if column == literal_type {
        return index_of(literal).map(Place::At);
    }
    if let (Some(column), Some(unit)) = (instant_nanos(column), instant_nanos(literal_type)) {
        return temporal(column, unit, literal);
    }
    if let (Some(column), Some(unit)) = (time_nanos(column), time_nanos(literal_type)) {
        return temporal(column, unit, literal);
    }
    match column {
        T::Float32 | T::Float64 => among_floats(column, literal_type, literal),
        _ => among_decimals(scale_of(column)?, literal_type, literal),
    }
}

/// The scale of a numeric type's unscaled integers.
fn scale_of(ty: T) -> Option<i8> {
    match ty {
        T::Int8 | T::Int16 | T::Int32 | T::Int64 | T::UInt8 | T::UInt16 | T::UInt32 | T::UInt64 => Some(0),
        T::Decimal128 { scale, .. } | T::Decimal256 { scale, .. } => Some(scale),
        _ => None,
    }
}

/// Nanoseconds of one unit of an instant.
fn instant_nanos(ty: T) -> Option<i64> {
    let nanos = per_second(TimeUnit::Nanosecond);
    match ty {
        T::Date32 => Some(SECONDS_PER_DAY * nanos),
        T::Date64 => Some(nanos / 1_000),
        T::Timestamp(unit) => Some(nanos / per_second(unit)),
        _ => None,
    }
}

/// Nanoseconds of one unit of a time of day.
fn time_nanos(ty: T) -> Option<i64> {
    match ty {
        T::Time32(unit) | T::Time64(unit) => Some(per_second(TimeUnit::Nanosecond) / per_second(unit)),
        _ => None,
    }
}

fn temporal(column_nanos: i64, literal_nanos: i64, literal: &Scalar) -> Option<Place> {
    let Scalar::Int(value) = literal else { return None };
    let nanos = i128::from(*value) * i128::from(literal_nanos);
    let unit = i128::from(column_nanos);
    let index = wide(nanos.div_euclid(unit));
    Some(if nanos.rem_euclid(unit) == 0 { Place::At(index) } else { Place::Behind(index) })
}

/// A numeric literal among unscaled integers.
fn among_decimals(scale: i8, literal_type: T, literal: &Scalar) -> Option<Place> {
    let digits = match literal {
        Scalar::Float32(value) => match float_digits(f64::from(*value)) {
            Ok(digits) => digits,
            Err(place) => return Some(place),
        },
        Scalar::Float64(value) => match float_digits(*value) {
            Ok(digits) => digits,
            Err(place) => return Some(place),
        },
        other => integer_digits(index_of(other)?, scale_of(literal_type)?)?,
    };
    Some(match digits.truncated_at(scale) {
        Ok((index, true)) => Place::At(index),
        // Cutting digits off moves towards zero; the value before the literal is the one below.
        Ok((index, false)) if digits.negative => Place::Behind(index.wrapping_sub(i256::ONE)),
        Ok((index, false)) => Place::Behind(index),
        Err(_) if digits.negative => Place::BelowAll,
        Err(_) => Place::AboveAll,
    })
}

/// A numeric literal among floats.
fn among_floats(column: T, literal_type: T, literal: &Scalar) -> Option<Place> {
    match (column, literal) {
        // Every single is a double.
        (T::Float64, Scalar::Float32(value)) => return Some(Place::At(wide(index64(f64::from(*value))))),
        (T::Float32, Scalar::Float64(value)) => {
            let nearest = *value as f32;
            let order = index64(f64::from(nearest)).cmp(&index64(*value));
            return Some(beside(wide(index32(nearest)), order));
        }
        _ => {}
    }
    let digits = integer_digits(index_of(literal)?, scale_of(literal_type)?)?;
    let text = digits.text()?;
    let (index, nearest) = if column == T::Float64 {
        let nearest: f64 = text.parse().ok()?;
        (wide(index64(nearest)), nearest)
    } else {
        let nearest: f32 = text.parse().ok()?;
        (wide(index32(nearest)), f64::from(nearest))
    };
    let order = match float_digits(nearest) {
        Ok(nearest) => nearest.compare(&digits)?,
        // The literal is finite, so a float that is not lies beyond it.
        Err(Place::AboveAll) => Ordering::Greater,
        Err(_) => Ordering::Less,
    };
    Some(beside(index, order))
}

/// The place of a literal to which the value with this index compares so.
fn beside(index: i256, order: Ordering) -> Place {
    match order {
        Ordering::Equal => Place::At(index),
        Ordering::Less => Place::Behind(index),
        Ordering::Greater => Place::Behind(index.wrapping_sub(i256::ONE)),
    }
}

/// The exact decimal digits of a float, or where it lies if it is not finite: beyond every number.
fn float_digits(value: f64) -> Result<Digits, Place> {
    let beyond = if value.is_sign_negative() { Place::BelowAll } else { Place::AboveAll };
    if !value.is_finite() {
        return Err(beyond);
    }
    // 1074 digits after the point are exact for every double; formatting does not round them.
    read_digits(format!("{value:.1074}").as_bytes()).map_err(|_| beyond)
}

fn integer_digits(value: i256, scale: i8) -> Option<Digits> {
    let mut digits = read_digits(value.to_string().as_bytes()).ok()?;
    digits.places = scale.into();
    Some(digits)
}

impl Digits {
    /// Text that a float can be parsed from.
    fn text(&self) -> Option<String> {
        let digits = std::str::from_utf8(&self.digits).ok()?;
        let digits = if digits.is_empty() { "0" } else { digits };
        Some(format!("{}{digits}e{}", if self.negative { "-" } else { "" }, -self.places))
    }

    /// The order of two numbers.
    fn compare(&self, other: &Self) -> Option<Ordering> {
        let sign = |number: &Self| match (number.digits.is_empty(), number.negative) {
            (true, _) => 0,
            (false, true) => -1,
            (false, false) => 1,
        };
        let by_sign = sign(self).cmp(&sign(other));
        if by_sign.is_ne() || sign(self) == 0 {
            return Some(by_sign);
        }
        // Where the first digit stands decides, then the digits from there on.
        let top = |number: &Self| number.digits.len() as i64 - number.places;
        let trimmed = |number: &Self| {
            let end = number.digits.iter().rposition(|digit| *digit != b'0').map_or(0, |at| at + 1);
            number.digits.get(..end).unwrap_or_default().to_vec()
        };
        let magnitude = top(self).cmp(&top(other)).then_with(|| trimmed(self).cmp(&trimmed(other)));
        Some(if self.negative { magnitude.reverse() } else { magnitude })
    }
}
