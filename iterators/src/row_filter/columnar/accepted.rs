//! [`Accepted`]: the values for which a test is TRUE, as ranges of bytes.

use ostracon_compare::{CompareOp, KeyLexicoder, LikePattern, Scalar, compare_ranges};
use ostracon_data::{RowRange, RowRanges};

use super::ColumnarOperand;
use super::operand::is_plain;
use crate::row_filter::{Operand, OperandSource, RowPredicate};

/// The accepted values, exactly or from outside.
#[derive(Debug)]
pub(super) struct Accepted {
    ranges: RowRanges,
    exact: bool,
}

impl Accepted {
    /// What the test of `node` accepts of its operand's clean values.
    pub(super) fn of(node: &RowPredicate, operand: &ColumnarOperand, when_absent: Option<bool>) -> Self {
        let mut accepted = Self::of_values(node, operand);
        if let Some(null) = operand.null_values() {
            // The null sequence may be a value of the type, but is none.
            accepted.ranges = match when_absent {
                Some(true) => accepted.ranges.union(null),
                _ => accepted.ranges.intersect(&null.complement()),
            };
        }
        accepted
    }

    fn of_values(node: &RowPredicate, operand: &ColumnarOperand) -> Self {
        let ranges = match node {
            RowPredicate::Compare { op, constant, .. } => compared(operand, *op, constant),
            RowPredicate::Between { low, high, .. } => between(operand, low, high),
            RowPredicate::In { values, .. } => any_of(operand, values),
            RowPredicate::Like { pattern, case_insensitive, .. } => {
                return Self::like(operand, pattern, *case_insensitive);
            }
            RowPredicate::IsNull { .. } => Some(RowRanges::none()),
            RowPredicate::ConstantUnlessNull { value: true, .. } => Some(RowRanges::all()),
            RowPredicate::ConstantUnlessNull { value: false, .. } => Some(RowRanges::none()),
            RowPredicate::CompareOperands { .. }
            | RowPredicate::And(_)
            | RowPredicate::Or(_)
            | RowPredicate::Not(_)
            | RowPredicate::IsTruth { .. }
            | RowPredicate::Constant(_) => None,
        };
        match ranges {
            Some(ranges) => Self { ranges, exact: true },
            None => Self::unknown(),
        }
    }

    fn like(operand: &ColumnarOperand, pattern: &str, case_insensitive: bool) -> Self {
        if case_insensitive {
            return Self::unknown();
        }
        let Ok(pattern) = LikePattern::compile(pattern, false) else { return Self::unknown() };
        if !is_plain(operand.operand().ty) || (operand.place().is_none() && !operand.is_its_value()) {
            return Self::unknown();
        }
        let prefix = pattern.prefix().as_bytes();
        let range = if pattern.is_exact() { RowRange::point(prefix) } else { RowRange::prefix(prefix) };
        Self { ranges: range.into(), exact: pattern.is_exact() || pattern.is_prefix_only() }
    }

    fn unknown() -> Self {
        Self { ranges: RowRanges::all(), exact: false }
    }

    pub(super) fn exact(&self) -> Option<&RowRanges> {
        self.exact.then_some(&self.ranges)
    }

    /// A superset of what is accepted.
    pub(super) fn bounds(&self) -> &RowRanges {
        &self.ranges
    }
}

fn compared(operand: &ColumnarOperand, op: CompareOp, constant: &Scalar) -> Option<RowRanges> {
    let Operand { source, ty, encoding, .. } = operand.operand();
    // A constant of another kind was refused before.
    match source {
        OperandSource::Row | OperandSource::Cell { .. } => {
            compare_ranges(*ty, *encoding, op, constant.as_ref()).ok()?
        }
        OperandSource::RowPart { parts, index } => {
            operand.place()?;
            KeyLexicoder::new(parts.clone()).part_ranges(*index, op, constant.as_ref()).ok()?
        }
        OperandSource::RowField { .. } => None,
    }
}

fn between(operand: &ColumnarOperand, low: &Scalar, high: &Scalar) -> Option<RowRanges> {
    let not_below = compared(operand, CompareOp::GreaterThanOrEqual, low)?;
    Some(not_below.intersect(&compared(operand, CompareOp::LessThanOrEqual, high)?))
}

fn any_of(operand: &ColumnarOperand, values: &[Scalar]) -> Option<RowRanges> {
    let mut ranges = Vec::with_capacity(values.len());
    for value in values {
        ranges.extend(compared(operand, CompareOp::Equal, value)?.ranges().into_owned());
    }
    Some(RowRanges::from_ranges(ranges))
}
