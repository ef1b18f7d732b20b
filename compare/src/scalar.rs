//! One value.
//!
//! [`ScalarRef`] borrows what it can from a cell, [`Scalar`] owns it. Both say a value's kind, not its exact type: a date
//! is an `Int`, a decimal an integer without its scale. The [`PrimitiveType`](crate::PrimitiveType) beside it says the
//! rest.

use std::cmp::Ordering;
use std::hash::{Hash, Hasher};

use arrow::datatypes::i256;

use crate::float_order::{index32, index64};

/// A value, borrowed where it has bytes.
///
/// `==` and hashing are by representation: `-0.0` differs from `0.0` and a NaN equals itself if its bits do. For the order
/// that SQL's operators see use [`compare`](Self::compare).
///
/// DataFusion 55 itself knows both: its operators, BETWEEN, and IN lists of up to three values take the zeros for equal,
/// while an IN list of four values or more looks floats up by their bits, so that `x IN (0.0, 1, 2, 3)` misses `-0.0`.
#[derive(Clone, Copy, Debug)]
pub enum ScalarRef<'a> {
    /// A boolean.
    Boolean(bool),
    /// A signed integer, date, time or timestamp, in the unit of its type.
    Int(i64),
    /// An unsigned integer.
    UInt(u64),
    /// A single.
    Float32(f32),
    /// A double.
    Float64(f64),
    /// The unscaled integer of a decimal.
    Decimal128(i128),
    /// The unscaled integer of a wide decimal.
    Decimal256(i256),
    /// Text.
    Utf8(&'a str),
    /// Bytes.
    Binary(&'a [u8]),
}

impl ScalarRef<'_> {
    /// An owned copy.
    pub fn to_owned(self) -> Scalar {
        match self {
            Self::Boolean(value) => Scalar::Boolean(value),
            Self::Int(value) => Scalar::Int(value),
            Self::UInt(value) => Scalar::UInt(value),
            Self::Float32(value) => Scalar::Float32(value),
            Self::Float64(value) => Scalar::Float64(value),
            Self::Decimal128(value) => Scalar::Decimal128(value),
            Self::Decimal256(value) => Scalar::Decimal256(value),
            Self::Utf8(value) => Scalar::Utf8(value.to_owned()),
            Self::Binary(value) => Scalar::Binary(value.to_owned()),
        }
    }

    /// The order of two values of one type, as DataFusion compares them; `None` if they are of different kinds.
    ///
    /// Decimals compare by their unscaled integers, temporal values by their numbers: both sides must have one scale or
    /// unit.
    pub fn compare(&self, other: &ScalarRef<'_>) -> Option<Ordering> {
        Some(match (self, other) {
            (Self::Boolean(a), ScalarRef::Boolean(b)) => a.cmp(b),
            (Self::Int(a), ScalarRef::Int(b)) => a.cmp(b),
            (Self::UInt(a), ScalarRef::UInt(b)) => a.cmp(b),
            (Self::Float32(a), ScalarRef::Float32(b)) => index32(*a).cmp(&index32(*b)),
            (Self::Float64(a), ScalarRef::Float64(b)) => index64(*a).cmp(&index64(*b)),
            (Self::Decimal128(a), ScalarRef::Decimal128(b)) => a.cmp(b),
            (Self::Decimal256(a), ScalarRef::Decimal256(b)) => a.cmp(b),
            (Self::Utf8(a), ScalarRef::Utf8(b)) => a.cmp(b),
            (Self::Binary(a), ScalarRef::Binary(b)) => a.cmp(b),
            _ => return None,
        })
    }
}

impl PartialEq for ScalarRef<'_> {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Boolean(a), Self::Boolean(b)) => a == b,
            (Self::Int(a), Self::Int(b)) => a == b,
            (Self::UInt(a), Self::UInt(b)) => a == b,
            (Self::Float32(a), Self::Float32(b)) => a.to_bits() == b.to_bits(),
            (Self::Float64(a), Self::Float64(b)) => a.to_bits() == b.to_bits(),
            (Self::Decimal128(a), Self::Decimal128(b)) => a == b,
            (Self::Decimal256(a), Self::Decimal256(b)) => a == b,
            (Self::Utf8(a), Self::Utf8(b)) => a == b,
            (Self::Binary(a), Self::Binary(b)) => a == b,
            _ => false,
        }
    }
}

impl Eq for ScalarRef<'_> {}

impl Hash for ScalarRef<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        std::mem::discriminant(self).hash(state);
        match self {
            Self::Boolean(value) => value.hash(state),
            Self::Int(value) => value.hash(state),
            Self::UInt(value) => value.hash(state),
            Self::Float32(value) => value.to_bits().hash(state),
            Self::Float64(value) => value.to_bits().hash(state),
            Self::Decimal128(value) => value.hash(state),
            Self::Decimal256(value) => value.hash(state),
            Self::Utf8(value) => value.hash(state),
            Self::Binary(value) => value.hash(state),
        }
    }
}

/// A value that owns its bytes. `==` is by representation, as for [`ScalarRef`].
#[derive(Clone, Debug)]
pub enum Scalar {
    /// A boolean.
    Boolean(bool),
    /// A signed integer, date, time or timestamp, in the unit of its type.
    Int(i64),
    /// An unsigned integer.
    UInt(u64),
    /// A single.
    Float32(f32),
    /// A double.
    Float64(f64),
    /// The unscaled integer of a decimal.
    Decimal128(i128),
    /// The unscaled integer of a wide decimal.
    Decimal256(i256),
    /// Text.
    Utf8(String),
    /// Bytes.
    Binary(Vec<u8>),
}

impl Scalar {
    /// The value, borrowed.
    pub fn as_ref(&self) -> ScalarRef<'_> {
        match self {
            Self::Boolean(value) => ScalarRef::Boolean(*value),
            Self::Int(value) => ScalarRef::Int(*value),
            Self::UInt(value) => ScalarRef::UInt(*value),
            Self::Float32(value) => ScalarRef::Float32(*value),
            Self::Float64(value) => ScalarRef::Float64(*value),
            Self::Decimal128(value) => ScalarRef::Decimal128(*value),
            Self::Decimal256(value) => ScalarRef::Decimal256(*value),
            Self::Utf8(value) => ScalarRef::Utf8(value),
            Self::Binary(value) => ScalarRef::Binary(value),
        }
    }

    /// The order of two values of one type, as DataFusion compares them; `None` if they are of different kinds. See
    /// [`ScalarRef::compare`].
    pub fn compare(&self, other: &Self) -> Option<Ordering> {
        self.as_ref().compare(&other.as_ref())
    }
}

impl PartialEq for Scalar {
    fn eq(&self, other: &Self) -> bool {
        self.as_ref() == other.as_ref()
    }
}

impl Eq for Scalar {}

impl Hash for Scalar {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.as_ref().hash(state);
    }
}

impl From<ScalarRef<'_>> for Scalar {
    fn from(value: ScalarRef<'_>) -> Self {
        value.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_compare_as_datafusion_does() {
        let ladder = [
            -f64::NAN,
            f64::NEG_INFINITY,
            f64::MIN,
            -f64::MIN_POSITIVE,
            0.0,
            f64::MIN_POSITIVE,
            f64::MAX,
            f64::INFINITY,
            f64::NAN,
        ];
        for (i, a) in ladder.iter().enumerate() {
            for (j, b) in ladder.iter().enumerate() {
                assert_eq!(Scalar::Float64(*a).compare(&Scalar::Float64(*b)), Some(i.cmp(&j)), "{a} {b}");
            }
        }
        let (plus, minus) = (Scalar::Float32(0.0), Scalar::Float32(-0.0));
        assert_eq!(plus.compare(&minus), Some(Ordering::Equal));
        assert_ne!(plus, minus);
        assert_eq!(Scalar::Float32(f32::NAN), Scalar::Float32(f32::NAN));
    }

    #[test]
    fn different_kinds_have_no_order() {
        assert_eq!(Scalar::Int(1).compare(&Scalar::UInt(1)), None);
        assert_eq!(Scalar::Utf8("a".into()).compare(&Scalar::Binary(b"a".to_vec())), None);
        assert_ne!(Scalar::Int(1), Scalar::UInt(1));
    }

    #[test]
    fn text_compares_by_bytes() {
        // UTF-16 would order these two the other way round.
        let (private, astral) = (Scalar::Utf8("\u{e000}".into()), Scalar::Utf8("\u{1f600}".into()));
        assert_eq!(private.compare(&astral), Some(Ordering::Less));
        assert_eq!(Scalar::Utf8("a".into()).compare(&Scalar::Utf8("a\0".into())), Some(Ordering::Less));
    }
}
