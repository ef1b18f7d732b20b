//! The order of values (N48, N49) and the comparisons of the language.

mod decimal;
#[cfg(test)]
mod tests;

pub(crate) use decimal::Magnitude;

use std::cmp::Ordering;
use std::hash::{Hash, Hasher};

use crate::logical::Comparison;
use crate::value::{Datetime, Value};

/// The order of keys: null first, then by type, then by value (N48, N49).
///
/// Floats follow Java's total order: -0.0 before 0.0, NaN last. Tuples, maps and bags are compared by size first. A bag
/// is compared as its sorted items. Two datetimes of one instant are ordered by their offset, and two bigdecimals of one
/// number by their scale, so that values that are equal here are the same value and have the same bytes
/// ([`crate::value::encode::encode`]).
#[must_use]
pub fn compare(left: &Value, right: &Value) -> Ordering {
    order(left, right, Ties::Broken)
}

/// The order of ORDER and of the language's comparisons: as [`compare`], but datetimes of one instant are equal whatever
/// their offset, and bigdecimals of one number whatever their scale (Java's `compareTo`).
#[must_use]
pub fn compare_by_value(left: &Value, right: &Value) -> Ordering {
    order(left, right, Ties::Kept)
}

/// Whether two values are one key.
#[must_use]
pub fn equal(left: &Value, right: &Value) -> bool {
    compare(left, right).is_eq()
}

/// `==`, `<` and the others on two values of one type: null if one is null (N37). Numbers are compared as Java's
/// `Double.compareTo` does: NaN equals NaN and is above all others.
#[must_use]
pub fn compare_values(op: Comparison, left: &Value, right: &Value) -> Option<bool> {
    if matches!(left, Value::Null) || matches!(right, Value::Null) {
        return None;
    }
    Some(holds(op, compare_by_value(left, right)))
}

/// Whether a comparison holds for operands in this order.
#[must_use]
pub fn holds(op: Comparison, ordering: Ordering) -> bool {
    match op {
        Comparison::Equal => ordering.is_eq(),
        Comparison::NotEqual => ordering.is_ne(),
        Comparison::Less => ordering.is_lt(),
        Comparison::LessOrEqual => ordering.is_le(),
        Comparison::Greater => ordering.is_gt(),
        Comparison::GreaterOrEqual => ordering.is_ge(),
    }
}

/// Java's `Double.compare`.
#[must_use]
pub fn compare_doubles(left: f64, right: f64) -> Ordering {
    canonical_double(left).total_cmp(&canonical_double(right))
}

/// Java's `Float.compare`.
#[must_use]
pub fn compare_floats(left: f32, right: f32) -> Ordering {
    canonical_float(left).total_cmp(&canonical_float(right))
}

/// All NaNs are one value, above infinity.
pub(crate) fn canonical_double(value: f64) -> f64 {
    if value.is_nan() { f64::from_bits(0x7FF8_0000_0000_0000) } else { value }
}

pub(crate) fn canonical_float(value: f32) -> f32 {
    if value.is_nan() { f32::from_bits(0x7FC0_0000) } else { value }
}

/// The items of a bag in the order in which bags are compared.
pub(crate) fn sorted_items(items: &[Value]) -> Vec<&Value> {
    let mut sorted: Vec<&Value> = items.iter().collect();
    sorted.sort_unstable_by(|left, right| compare(left, right));
    sorted
}

/// What is said of two values that differ only in how they are printed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ties {
    Broken,
    Kept,
}

fn order(left: &Value, right: &Value, ties: Ties) -> Ordering {
    match (left, right) {
        (Value::Boolean(left), Value::Boolean(right)) => left.cmp(right),
        (Value::Int(left), Value::Int(right)) => left.cmp(right),
        (Value::Long(left), Value::Long(right)) => left.cmp(right),
        (Value::Float(left), Value::Float(right)) => compare_floats(*left, *right),
        (Value::Double(left), Value::Double(right)) => compare_doubles(*left, *right),
        (Value::Datetime(left), Value::Datetime(right)) => instants(*left, *right, ties),
        (Value::Bytearray(left), Value::Bytearray(right)) => left.cmp(right),
        (Value::Chararray(left), Value::Chararray(right)) => left.cmp(right),
        (Value::BigInteger(left), Value::BigInteger(right)) => left.cmp(right),
        (Value::BigDecimal(left), Value::BigDecimal(right)) => {
            let (left, right) = (left.as_bigint_and_scale(), right.as_bigint_and_scale());
            let by_value = decimal::compare_numbers((&left.0, left.1), (&right.0, right.1));
            by_value.then_with(|| if ties == Ties::Broken { left.1.cmp(&right.1) } else { Ordering::Equal })
        }
        (Value::Map(left), Value::Map(right)) => left.len().cmp(&right.len()).then_with(|| {
            left.iter()
                .zip(right)
                .map(|(left, right)| left.0.cmp(right.0).then_with(|| order(left.1, right.1, ties)))
                .find(|ordering| ordering.is_ne())
                .unwrap_or(Ordering::Equal)
        }),
        (Value::Tuple(left), Value::Tuple(right)) => {
            left.len().cmp(&right.len()).then_with(|| members(left, right, ties))
        }
        (Value::Bag(left), Value::Bag(right)) => {
            left.len().cmp(&right.len()).then_with(|| members(sorted_items(left), sorted_items(right), ties))
        }
        _ => rank(left).cmp(&rank(right)),
    }
}

fn members<'a>(
    left: impl IntoIterator<Item = &'a Value>,
    right: impl IntoIterator<Item = &'a Value>,
    ties: Ties,
) -> Ordering {
    left.into_iter()
        .zip(right)
        .map(|(left, right)| order(left, right, ties))
        .find(|ordering| ordering.is_ne())
        .unwrap_or(Ordering::Equal)
}

fn instants(left: Datetime, right: Datetime, ties: Ties) -> Ordering {
    left.millis.cmp(&right.millis).then_with(|| {
        if ties == Ties::Broken { left.offset_minutes.cmp(&right.offset_minutes) } else { Ordering::Equal }
    })
}

/// The place of a value's type in the order of types (N48).
#[must_use]
pub fn rank(value: &Value) -> u8 {
    match value {
        Value::Null => 0,
        Value::Boolean(_) => 1,
        Value::Int(_) => 2,
        Value::Long(_) => 3,
        Value::Float(_) => 4,
        Value::Double(_) => 5,
        Value::Datetime(_) => 6,
        Value::Bytearray(_) => 7,
        Value::Chararray(_) => 8,
        Value::BigInteger(_) => 9,
        Value::BigDecimal(_) => 10,
        Value::Map(_) => 11,
        Value::Tuple(_) => 12,
        Value::Bag(_) => 13,
    }
}

impl PartialEq for Value {
    fn eq(&self, other: &Self) -> bool {
        equal(self, other)
    }
}

impl Eq for Value {}

impl PartialOrd for Value {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Value {
    fn cmp(&self, other: &Self) -> Ordering {
        compare(self, other)
    }
}

impl Hash for Value {
    fn hash<H: Hasher>(&self, state: &mut H) {
        rank(self).hash(state);
        match self {
            Self::Null => {}
            Self::Boolean(value) => value.hash(state),
            Self::Int(value) => value.hash(state),
            Self::Long(value) => value.hash(state),
            Self::Float(value) => canonical_float(*value).to_bits().hash(state),
            Self::Double(value) => canonical_double(*value).to_bits().hash(state),
            Self::Datetime(value) => value.hash(state),
            Self::Bytearray(value) => value.hash(state),
            Self::Chararray(value) => value.hash(state),
            Self::BigInteger(value) => value.hash(state),
            // Equal means the same number and scale, so the digits are the same too.
            Self::BigDecimal(value) => {
                let (unscaled, scale) = value.as_bigint_and_scale();
                unscaled.hash(state);
                scale.hash(state);
            }
            Self::Map(entries) => entries.hash(state),
            Self::Tuple(fields) => fields.hash(state),
            Self::Bag(items) => sorted_items(items).hash(state),
        }
    }
}
