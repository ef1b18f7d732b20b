//! Conditions on a value as ranges of its bytes.
//!
//! `column < 5` is a question about bytes wherever the bytes of the values that answer it can be listed as a few ranges.
//! [`compare_ranges`] lists them, so that a store may decide the condition without decoding: by a comparison of integers, a
//! range of dictionary codes, or the least and greatest bytes of a block. [`value_ranges`] lists the bytes that are values
//! at all.
//!
//! Ranges speak of the bytes of *values*. What they say of other byte strings, which [`decode`](crate::decode) refuses, is
//! nothing; where every value of the type lies on one side of a bound, the bound is therefore left out.

use std::cmp::Ordering;

use arrow::datatypes::i256;
use ostracon_data::{RowRange, RowRanges, row_successor};

use crate::decimal::{greatest128, greatest256};
use crate::primitive_compare::of_kind;
use crate::{BadValue, CompareOp, Encoding, PrimitiveType, ScalarRef, encode, order_span};

/// The bytes of the values for which `value op constant` holds; `None` if they are not a few ranges (numbers as text).
///
/// Bounds of a type of fixed width have that width, so neighbouring values give one range. The constant may lie outside the
/// type's range: it then compares as the number it is. An error if it is of another kind than the type.
///
/// ```
/// use ostracon_compare::{CompareOp, Encoding, PrimitiveType, ScalarRef, compare_ranges};
///
/// let ranges = |op, value| compare_ranges(PrimitiveType::Int16, Encoding::Native, op, ScalarRef::Int(value));
/// let equal = ranges(CompareOp::Equal, 1)?.map(|ranges| ranges.to_string());
/// assert_eq!(equal.as_deref(), Some(r"[\x80\x01, \x80\x02)"));
/// assert_eq!(ranges(CompareOp::LessThan, 40_000)?.map(|ranges| ranges.is_all()), Some(true));
/// # Ok::<(), ostracon_compare::BadValue>(())
/// ```
pub fn compare_ranges(
    ty: PrimitiveType,
    encoding: Encoding,
    op: CompareOp,
    constant: ScalarRef<'_>,
) -> Result<Option<RowRanges>, BadValue> {
    if !of_kind(ty, constant) {
        let reason = "the constant is of another kind than the column".into();
        return Err(BadValue::of_value(ty, encoding, constant, reason));
    }
    Ok(match spans(ty, op, constant) {
        Some(spans) => fixed_ranges(ty, encoding, &spans),
        None => order_span(ty, encoding, constant)?.map(|span| text_ranges(op, span.start())),
    })
}

/// The bytes of [`width`](PrimitiveType::width) that are values of the type: all of them, but for booleans and decimals.
/// `None` for a type or an encoding of varying width.
pub fn value_ranges(ty: PrimitiveType, encoding: Encoding) -> Option<RowRanges> {
    fixed_ranges(ty, encoding, &[value_span(ty)?])
}

/// The native bytes of the type's values, floats of every bit pattern among them; `None` if their width varies.
pub(crate) fn value_span(ty: PrimitiveType) -> Option<Span> {
    domain(ty).map(|domain| Span { first: domain.least, last: domain.greatest })
}

/// Bytes of a fixed width in the native encoding, both ends included: never empty.
#[derive(Clone, Debug)]
pub(crate) struct Span {
    pub(crate) first: Vec<u8>,
    pub(crate) last: Vec<u8>,
}

/// The native bytes of the least and the greatest value of a type of fixed width.
struct Domain {
    least: Vec<u8>,
    greatest: Vec<u8>,
    /// The two as values.
    bounds: (ScalarRef<'static>, ScalarRef<'static>),
}

fn domain(ty: PrimitiveType) -> Option<Domain> {
    let bounds = match ty {
        PrimitiveType::Boolean => (ScalarRef::Boolean(false), ScalarRef::Boolean(true)),
        // The NaNs of the greatest magnitude; their order is that of their bits.
        PrimitiveType::Float32 => {
            (ScalarRef::Float32(f32::from_bits(u32::MAX)), ScalarRef::Float32(f32::from_bits(u32::MAX >> 1)))
        }
        PrimitiveType::Float64 => {
            (ScalarRef::Float64(f64::from_bits(u64::MAX)), ScalarRef::Float64(f64::from_bits(u64::MAX >> 1)))
        }
        PrimitiveType::Decimal128 { precision, .. } => match greatest128(precision) {
            Some(greatest) => (ScalarRef::Decimal128(-greatest), ScalarRef::Decimal128(greatest)),
            None => (ScalarRef::Decimal128(i128::MIN), ScalarRef::Decimal128(i128::MAX)),
        },
        PrimitiveType::Decimal256 { precision, .. } => match greatest256(precision) {
            Some(greatest) => {
                (ScalarRef::Decimal256(greatest.wrapping_neg()), ScalarRef::Decimal256(greatest))
            }
            None => (ScalarRef::Decimal256(i256::MIN), ScalarRef::Decimal256(i256::MAX)),
        },
        other => match (other.int_bounds(), other.uint_max()) {
            (Some((least, greatest)), _) => (ScalarRef::Int(least), ScalarRef::Int(greatest)),
            (None, Some(greatest)) => (ScalarRef::UInt(0), ScalarRef::UInt(greatest)),
            (None, None) => return None,
        },
    };
    Some(Domain { least: native(ty, bounds.0)?, greatest: native(ty, bounds.1)?, bounds })
}

/// The native bytes of a value that the type can hold.
pub(crate) fn native(ty: PrimitiveType, value: ScalarRef<'_>) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    encode(ty, Encoding::Native, value, &mut bytes).ok().map(|()| bytes)
}

/// The native bytes that satisfy a comparison with a constant of the type's kind, as disjoint spans in order; those that
/// reach an end of the domain go on to the end of the width. `None` for a type of varying width.
pub(crate) fn spans(ty: PrimitiveType, op: CompareOp, constant: ScalarRef<'_>) -> Option<Vec<Span>> {
    let domain = domain(ty)?;
    let width = domain.least.len();
    let all = Span { first: vec![0; width], last: vec![0xff; width] };
    // Of a constant that no value equals, all values lie on one side.
    for (bound, side) in [(domain.bounds.0, Ordering::Less), (domain.bounds.1, Ordering::Greater)] {
        if constant.compare(&bound) == Some(side) {
            return Some(if op.accepts(side.reverse()) { vec![all] } else { Vec::new() });
        }
    }
    let (first, last) = order_span(ty, Encoding::Native, constant).ok()??.into_inner();
    let (lowest, highest) = (first == domain.least, last == domain.greatest);
    let below = if lowest { None } else { before(&first) };
    let above = if highest { None } else { after(&last) };
    let equal = Span {
        first: if lowest { all.first.clone() } else { first },
        last: if highest { all.last.clone() } else { last },
    };
    let sides = [
        (Ordering::Less, below.map(|last| Span { first: all.first, last })),
        (Ordering::Equal, Some(equal)),
        (Ordering::Greater, above.map(|first| Span { first, last: all.last })),
    ];
    Some(sides.into_iter().filter(|(order, _)| op.accepts(*order)).filter_map(|(_, span)| span).collect())
}

/// Native spans as ranges of the bytes of an encoding; `None` for text.
fn fixed_ranges(ty: PrimitiveType, encoding: Encoding, spans: &[Span]) -> Option<RowRanges> {
    let signed = match ty {
        PrimitiveType::Boolean => false,
        other => other.uint_max().is_none(),
    };
    let float = matches!(ty, PrimitiveType::Float32 | PrimitiveType::Float64);
    match encoding {
        Encoding::String => None,
        Encoding::Binary if signed => {
            let halves = spans.iter().flat_map(Span::halves);
            Some(Span::ranges(halves.map(|(negative, span)| match (negative, float) {
                (true, true) => span.complement(),
                _ => span.with_sign_flipped(),
            })))
        }
        Encoding::Binary | Encoding::Native => Some(Span::ranges(spans.iter().cloned())),
    }
}

impl Span {
    /// The spans as a set; an end of the width is an open end.
    pub(crate) fn ranges(spans: impl Iterator<Item = Self>) -> RowRanges {
        RowRanges::from_ranges(spans.map(Self::into_range).collect())
    }

    fn into_range(self) -> RowRange {
        let start = if self.first.iter().all(|byte| *byte == 0) { Vec::new() } else { self.first };
        RowRange { start, end: after(&self.last) }
    }

    /// The span of the complemented bytes.
    pub(crate) fn complement(self) -> Self {
        let turn = |bytes: Vec<u8>| bytes.into_iter().map(|byte| !byte).collect();
        Self { first: turn(self.last), last: turn(self.first) }
    }

    /// The parts below (true) and not below the middle of the width, where the native bytes of zero are.
    fn halves(&self) -> impl Iterator<Item = (bool, Self)> + use<> {
        let width = self.first.len();
        let edge = |first: u8, rest: u8| {
            let mut bytes = vec![rest; width];
            if let Some(byte) = bytes.first_mut() {
                *byte = first;
            }
            bytes
        };
        let below = Self { first: self.first.clone(), last: self.last.clone().min(edge(0x7f, 0xff)) };
        let above = Self { first: self.first.clone().max(edge(0x80, 0)), last: self.last.clone() };
        [(true, below), (false, above)].into_iter().filter(|(_, span)| span.first <= span.last)
    }

    fn with_sign_flipped(mut self) -> Self {
        for bytes in [&mut self.first, &mut self.last] {
            if let Some(byte) = bytes.first_mut() {
                *byte ^= 0x80;
            }
        }
        self
    }
}

/// The bytes of varying width that satisfy a comparison with `constant`.
fn text_ranges(op: CompareOp, constant: &[u8]) -> RowRanges {
    let sides = [
        (Ordering::Less, RowRange::new([], Some(constant.to_vec()))),
        (Ordering::Equal, RowRange::point(constant)),
        (Ordering::Greater, RowRange::new(row_successor(constant), None)),
    ];
    RowRanges::from_ranges(
        sides.into_iter().filter(|(order, _)| op.accepts(*order)).map(|(_, range)| range).collect(),
    )
}

/// The next byte string of the same width; `None` behind the last one.
pub(crate) fn after(bytes: &[u8]) -> Option<Vec<u8>> {
    let at = bytes.iter().rposition(|byte| *byte != 0xff)?;
    Some(bytes.iter().enumerate().map(|(i, byte)| step(i, at, *byte, byte.wrapping_add(1), 0)).collect())
}

/// The byte string of the same width before; `None` before the first one.
pub(crate) fn before(bytes: &[u8]) -> Option<Vec<u8>> {
    let at = bytes.iter().rposition(|byte| *byte != 0)?;
    Some(bytes.iter().enumerate().map(|(i, byte)| step(i, at, *byte, byte.wrapping_sub(1), 0xff)).collect())
}

/// A byte left of the one that changes, that one, or one right of it.
fn step(index: usize, at: usize, kept: u8, changed: u8, behind: u8) -> u8 {
    match index.cmp(&at) {
        Ordering::Less => kept,
        Ordering::Equal => changed,
        Ordering::Greater => behind,
    }
}
