//! Comparisons across types as comparisons of the column itself.
//!
//! A planner meets `CAST(column AS t) op literal`; a store can only compare the column's own bytes. [`coerce_cast`] finds
//! the predicate on the column that has, for every value the column can hold, exactly the answer of DataFusion's cast and
//! comparison, or says that there is none. [`coerce`] does the same for an exact comparison without a cast, for callers
//! that have no planner.
//!
//! Both work on *order indices*: integers that number a type's values in their order without gaps (`domain`). A cast that
//! never fails and never reverses the order is a monotone map of indices (`cast`), so the values below, at and above a
//! literal are three runs, whose two boundaries a bisection finds by applying the cast itself: its rounding is then
//! reproduced, not modelled.
//!
//! NULL is not here: a NULL column gives NULL for every predicate.

mod cast;
mod domain;
mod exact;

use arrow::datatypes::i256;

use crate::primitive_compare::of_kind;
use crate::{CompareOp, PrimitiveType, Scalar};

/// A predicate on a column's own values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Coerced {
    /// `column op constant`.
    Compare {
        /// The operator.
        op: CompareOp,
        /// A constant of the column's type.
        constant: Scalar,
    },
    /// `column BETWEEN low AND high`, both inclusive, or its negation.
    Between {
        /// Least value of the column's type that is inside.
        low: Scalar,
        /// Greatest value of the column's type that is inside.
        high: Scalar,
        /// Whether the values outside are meant.
        negated: bool,
    },
    /// The same answer for every value but NULL, for which it stays NULL.
    Constant(bool),
}

/// `CAST(column AS cast) op literal` as a predicate on the column, with exactly the answer of DataFusion's cast and
/// comparison for every value of the column's type. The literal is of the type `cast`.
///
/// `None` if that cannot be promised: the cast fails for some value of the column's type (narrowing, a finer timestamp
/// unit, text to number), does not keep the order (number to text), or is not known here.
///
/// Time zones are not part of a [`PrimitiveType`]. The answer holds if the cast leaves the instant alone, as it does
/// between timestamps that both have a zone or both have none, or from one with a zone to one without; it does **not**
/// hold for a cast that applies a zone: from a timestamp or date without zone to a timestamp with one, or from a timestamp
/// with a zone to a date. Callers must not ask then.
///
/// ```
/// use ostracon_compare::{Coerced, CompareOp, PrimitiveType, Scalar, coerce_cast};
///
/// // CAST(i32 AS DOUBLE) < 5.5
/// let found = coerce_cast(
///     CompareOp::LessThan, PrimitiveType::Int32, PrimitiveType::Float64, &Scalar::Float64(5.5),
/// );
/// assert_eq!(found, Some(Coerced::Compare { op: CompareOp::LessThanOrEqual, constant: Scalar::Int(5) }));
/// ```
pub fn coerce_cast(
    op: CompareOp,
    column: PrimitiveType,
    cast: PrimitiveType,
    literal: &Scalar,
) -> Option<Coerced> {
    if !of_kind(cast, literal.as_ref()) {
        return None;
    }
    match (column, cast) {
        (PrimitiveType::Utf8, PrimitiveType::Utf8) | (PrimitiveType::Binary, PrimitiveType::Binary) => {
            return Some(Coerced::Compare { op, constant: literal.clone() });
        }
        (PrimitiveType::Utf8, PrimitiveType::Binary) => return text_as_bytes(op, literal),
        _ => {}
    }
    let map = cast::monotone(column, cast)?;
    if map.reorders_nans() && is_nan(literal) {
        return None;
    }
    let target = domain::index_of(literal)?;
    let (least, greatest) = domain::bounds(column)?;
    let from = first_where(least, greatest, |index| map.apply(index) >= target);
    let to = first_where(least, greatest, |index| map.apply(index) > target);
    Boundaries { column, least, greatest, from, to }.predicate(op)
}

/// `column op literal` where the literal is of another type, compared exactly: numbers as numbers whatever their types,
/// dates and timestamps as instants, times of day as such. `int < 5.5` is `int <= 5`, a literal beyond the column's range
/// gives a constant.
///
/// `None` if the two types do not compare (text and number), or the column has no value that could stand for the literal.
pub fn coerce(
    op: CompareOp,
    column: PrimitiveType,
    literal_type: PrimitiveType,
    literal: &Scalar,
) -> Option<Coerced> {
    if !of_kind(literal_type, literal.as_ref()) {
        return None;
    }
    match (column, literal_type, literal) {
        (PrimitiveType::Utf8, PrimitiveType::Utf8, _) | (PrimitiveType::Binary, PrimitiveType::Binary, _) => {
            return Some(Coerced::Compare { op, constant: literal.clone() });
        }
        (PrimitiveType::Utf8, PrimitiveType::Binary, _) => return text_as_bytes(op, literal),
        (PrimitiveType::Binary, PrimitiveType::Utf8, Scalar::Utf8(text)) => {
            return Some(Coerced::Compare { op, constant: Scalar::Binary(text.as_bytes().to_vec()) });
        }
        _ => {}
    }
    let (least, greatest) = domain::bounds(column)?;
    let place = exact::place(column, literal_type, literal)?;
    let clamp = |index: i256| index.clamp(least, greatest.wrapping_add(i256::ONE));
    let (from, to) = match place {
        exact::Place::BelowAll => (least, least),
        exact::Place::AboveAll => {
            (clamp(greatest.wrapping_add(i256::ONE)), clamp(greatest.wrapping_add(i256::ONE)))
        }
        exact::Place::At(index) => (clamp(index), clamp(index.wrapping_add(i256::ONE))),
        exact::Place::Behind(index) => {
            let behind = clamp(index.wrapping_add(i256::ONE));
            (behind, behind)
        }
    };
    Boundaries { column, least, greatest, from, to }.predicate(op)
}

fn is_nan(literal: &Scalar) -> bool {
    match literal {
        Scalar::Float32(value) => value.is_nan(),
        Scalar::Float64(value) => value.is_nan(),
        _ => false,
    }
}

/// A text column compared as bytes: text sorts by its bytes, but only text can be its constant.
fn text_as_bytes(op: CompareOp, literal: &Scalar) -> Option<Coerced> {
    let Scalar::Binary(bytes) = literal else { return None };
    match (std::str::from_utf8(bytes), op) {
        (Ok(text), _) => Some(Coerced::Compare { op, constant: Scalar::Utf8(text.to_owned()) }),
        (Err(_), CompareOp::Equal) => Some(Coerced::Constant(false)),
        (Err(_), CompareOp::NotEqual) => Some(Coerced::Constant(true)),
        (Err(_), _) => None,
    }
}

/// The first index in `least..=greatest` for which a condition holds that, once it holds, goes on holding; the index
/// behind `greatest` if it holds nowhere.
fn first_where(least: i256, greatest: i256, holds: impl Fn(i256) -> bool) -> i256 {
    let (mut low, mut high) = (least, greatest.wrapping_add(i256::ONE));
    while low < high {
        let middle = low.wrapping_add(high.wrapping_sub(low) >> 1u8);
        if holds(middle) {
            high = middle;
        } else {
            low = middle.wrapping_add(i256::ONE);
        }
    }
    low
}

/// Where a literal lies among a column's values: those with index in `from..to` equal it, those before are less, those
/// from `to` on greater. Both lie within `least..=greatest + 1`.
struct Boundaries {
    column: PrimitiveType,
    least: i256,
    greatest: i256,
    from: i256,
    to: i256,
}

impl Boundaries {
    fn predicate(&self, op: CompareOp) -> Option<Coerced> {
        let some_equal = self.from < self.to;
        match op {
            CompareOp::LessThan if some_equal => self.before(self.from, Some(self.from)),
            CompareOp::LessThan => self.before(self.from, None),
            CompareOp::LessThanOrEqual => self.before(self.to, None),
            CompareOp::GreaterThanOrEqual => self.not(self.predicate(CompareOp::LessThan)?, some_equal),
            CompareOp::GreaterThan => self.not(self.predicate(CompareOp::LessThanOrEqual)?, some_equal),
            CompareOp::Equal => self.equal(),
            CompareOp::NotEqual => self.not(self.equal()?, some_equal),
        }
    }

    /// The values with an index below `end`; as `column < constant` if the constant is given, else as `column <= ` the
    /// last of them.
    fn before(&self, end: i256, constant: Option<i256>) -> Option<Coerced> {
        if end <= self.least {
            return Some(Coerced::Constant(false));
        }
        if end > self.greatest {
            return Some(Coerced::Constant(true));
        }
        Some(match constant {
            Some(index) => Coerced::Compare { op: CompareOp::LessThan, constant: self.value(index)? },
            None => Coerced::Compare { op: CompareOp::LessThanOrEqual, constant: self.value(previous(end))? },
        })
    }

    fn equal(&self) -> Option<Coerced> {
        let last = previous(self.to);
        if self.from >= self.to {
            return Some(Coerced::Constant(false));
        }
        if self.from == last {
            return Some(Coerced::Compare { op: CompareOp::Equal, constant: self.value(last)? });
        }
        Some(match (self.from <= self.least, self.to > self.greatest) {
            (true, true) => Coerced::Constant(true),
            (true, false) => Coerced::Compare { op: CompareOp::LessThanOrEqual, constant: self.value(last)? },
            (false, true) => {
                Coerced::Compare { op: CompareOp::GreaterThanOrEqual, constant: self.value(self.from)? }
            }
            (false, false) => {
                Coerced::Between { low: self.value(self.from)?, high: self.value(last)?, negated: false }
            }
        })
    }

    /// The opposite answer for every value. Where nothing equals the literal, a bound is moved to the next value on the
    /// other side, so that `int > 5.5` reads `int >= 6`.
    fn not(&self, predicate: Coerced, some_equal: bool) -> Option<Coerced> {
        Some(match predicate {
            Coerced::Constant(answer) => Coerced::Constant(!answer),
            Coerced::Between { low, high, negated } => Coerced::Between { low, high, negated: !negated },
            Coerced::Compare { op: CompareOp::LessThanOrEqual, .. } if !some_equal => {
                Coerced::Compare { op: CompareOp::GreaterThanOrEqual, constant: self.value(self.to)? }
            }
            Coerced::Compare { op, constant } => Coerced::Compare { op: op.negate(), constant },
        })
    }

    fn value(&self, index: i256) -> Option<Scalar> {
        domain::value_at(self.column, index)
    }
}

fn previous(index: i256) -> i256 {
    index.wrapping_sub(i256::ONE)
}
