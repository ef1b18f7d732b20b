//! The tests at the leaves of a program: a comparison, an IN list, a pattern, each with its constants bound.
//!
//! Slots hold native bytes of values that were checked, so a test compares bytes: by
//! [`PrimitiveCompare`] for one constant, by a sorted or hashed set for a list. A test answers `None` for NULL
//! and does not fail on data.

use std::cmp::Ordering;
use std::collections::HashSet;

use ostracon_compare::{
    BadValue, CompareOp, Encoding, LikePattern, PrimitiveCompare, PrimitiveType, Scalar, decode, encode,
    is_canonical, primitive_compare,
};

use super::operands::Slot;

/// One leaf of a compiled program.
#[derive(Debug)]
pub(super) enum Test {
    Compare {
        operand: usize,
        op: CompareOp,
        constant: Box<dyn PrimitiveCompare>,
    },
    Between {
        operand: usize,
        low: Box<dyn PrimitiveCompare>,
        high: Box<dyn PrimitiveCompare>,
    },
    /// `unknown_null`: whether a NULL operand gives NULL; only the empty list answers FALSE.
    In {
        operand: usize,
        values: ValueSet,
        has_null: bool,
        unknown_null: bool,
    },
    Like {
        operand: usize,
        pattern: LikePattern,
    },
    IsNull {
        operand: usize,
    },
    ConstantUnlessNull {
        operand: usize,
        value: bool,
    },
    CompareOperands {
        left: usize,
        op: CompareOp,
        right: usize,
        ty: PrimitiveType,
    },
}

impl Test {
    /// The operand tested, the first of two.
    pub(super) fn operand(&self) -> usize {
        match self {
            Test::Compare { operand, .. }
            | Test::Between { operand, .. }
            | Test::In { operand, .. }
            | Test::Like { operand, .. }
            | Test::IsNull { operand }
            | Test::ConstantUnlessNull { operand, .. }
            | Test::CompareOperands { left: operand, .. } => *operand,
        }
    }

    /// The answer for the slots that `slot` gives for each operand.
    pub(super) fn apply<'a>(
        &self,
        slot: impl Fn(usize) -> Slot<'a>,
        scratch: &'a [u8],
    ) -> Result<Option<bool>, BadValue> {
        let bytes = |operand: usize| slot(operand).bytes(scratch);
        Ok(match self {
            Test::Compare { operand, op, constant } => match bytes(*operand) {
                Some(value) => Some(op.accepts(constant.compare(value)?)),
                None => None,
            },
            Test::Between { operand, low, high } => match bytes(*operand) {
                Some(value) => Some(low.compare(value)?.is_ge() && high.compare(value)?.is_le()),
                None => None,
            },
            Test::In { operand, values, has_null, unknown_null } => match bytes(*operand) {
                None if *unknown_null => None,
                Some(value) if values.contains(value)? => Some(true),
                _ if *has_null => None,
                _ => Some(false),
            },
            Test::Like { operand, pattern } => slot(*operand).text(scratch).map(|text| pattern.matches(text)),
            Test::IsNull { operand } => Some(matches!(slot(*operand), Slot::Null)),
            Test::ConstantUnlessNull { operand, value } => match slot(*operand) {
                Slot::Null => None,
                _ => Some(*value),
            },
            Test::CompareOperands { left, op, right, ty } => match (bytes(*left), bytes(*right)) {
                (Some(left), Some(right)) => Some(op.accepts(compare_native(*ty, left, right)?)),
                _ => None,
            },
        })
    }
}

/// Two native values of one type, under DataFusion's order.
fn compare_native(ty: PrimitiveType, left: &[u8], right: &[u8]) -> Result<Ordering, BadValue> {
    let by_bytes = left.cmp(right);
    if is_canonical(ty, Encoding::Native) || by_bytes.is_eq() {
        return Ok(by_bytes);
    }
    // Floats: -0.0 and 0.0 are equal values of different bytes.
    let (left, right) = (decode(ty, Encoding::Native, left)?, decode(ty, Encoding::Native, right)?);
    Ok(left.compare(&right).unwrap_or(by_bytes))
}

/// The values of an IN list.
#[derive(Debug)]
pub(super) enum ValueSet {
    /// Types of at most 16 native bytes, all of one width, as big-endian words, sorted.
    Words(Vec<u128>),
    /// Types of any width, by their bytes.
    Bytes(HashSet<Box<[u8]>>),
    /// Floats, whose equal values may differ in bytes: sorted under DataFusion's order.
    Values(PrimitiveType, Vec<Scalar>),
}

impl ValueSet {
    /// The set of the values' native forms; an error for a value of another kind than the type.
    pub(super) fn new(ty: PrimitiveType, values: &[Scalar]) -> Result<Self, BadValue> {
        let mut possible = Vec::with_capacity(values.len());
        for value in values {
            primitive_compare(ty, Encoding::Native, value)?;
            let mut native = Vec::new();
            // A value of the right kind that the type cannot hold equals no cell, so the set does without it.
            if encode(ty, Encoding::Native, value.as_ref(), &mut native).is_ok() {
                possible.push((native, value));
            }
        }
        if !is_canonical(ty, Encoding::Native) {
            let mut sorted: Vec<Scalar> = possible.into_iter().map(|(_, value)| value.clone()).collect();
            sorted.sort_by(|a, b| a.compare(b).unwrap_or(Ordering::Equal));
            return Ok(ValueSet::Values(ty, sorted));
        }
        if ty.width().is_none_or(|width| width > size_of::<u128>()) {
            return Ok(ValueSet::Bytes(
                possible.into_iter().map(|(native, _)| native.into_boxed_slice()).collect(),
            ));
        }
        let mut words: Vec<u128> = possible.iter().map(|(native, _)| word(native)).collect();
        words.sort_unstable();
        words.dedup();
        Ok(ValueSet::Words(words))
    }

    fn contains(&self, value: &[u8]) -> Result<bool, BadValue> {
        Ok(match self {
            ValueSet::Words(words) => words.binary_search(&word(value)).is_ok(),
            ValueSet::Bytes(set) => set.contains(value),
            ValueSet::Values(ty, sorted) => {
                let value = decode(*ty, Encoding::Native, value)?.to_owned();
                sorted
                    .binary_search_by(|known| known.compare(&value).unwrap_or(std::cmp::Ordering::Less))
                    .is_ok()
            }
        })
    }
}

/// Up to 16 bytes as one number. Values of one type have one width, so different values give different numbers.
fn word(bytes: &[u8]) -> u128 {
    bytes.iter().fold(0, |word, byte| word << 8 | u128::from(*byte))
}
