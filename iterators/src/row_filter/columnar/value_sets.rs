//! [`ValueSets`]: for which values of its operand a predicate is TRUE, FALSE or NULL, as ranges of bytes.
//!
//! AND, OR, NOT and IS of predicates on *one* operand are unions and intersections of their sets, so that a whole subtree
//! may be decided as one test. "Values" are clean ones that are not NULL.

use ostracon_compare::{CompareOp, KeyLexicoder, LikePattern, Scalar, compare_ranges};
use ostracon_data::{RowRange, RowRanges};

use super::ColumnarOperand;
use super::operand::is_plain;
use crate::row_filter::{Operand, OperandSource, RowPredicate};

/// Three sets that hold every value between them.
#[derive(Debug, Clone)]
pub(super) struct ValueSets {
    pub(super) truth: RowRanges,
    pub(super) falsity: RowRanges,
    pub(super) null: RowRanges,
    /// Whether each value is in one set only; else a set may hold more than the values that give its answer.
    pub(super) exact: bool,
}

impl ValueSets {
    /// The sets of one test of `operand`.
    pub(super) fn of_test(test: &RowPredicate, operand: &ColumnarOperand) -> Self {
        let accepted = match test {
            RowPredicate::Compare { op, constant, .. } => compared(operand, *op, constant),
            RowPredicate::Between { low, high, .. } => between(operand, low, high),
            RowPredicate::In { values, .. } => any_of(operand, values),
            RowPredicate::Like { pattern, case_insensitive: false, .. } => return like(operand, pattern),
            RowPredicate::ConstantUnlessNull { value: true, .. } => Some(RowRanges::all()),
            RowPredicate::ConstantUnlessNull { value: false, .. } | RowPredicate::IsNull { .. } => {
                Some(RowRanges::none())
            }
            _ => None,
        };
        let refuses_by_null = matches!(test, RowPredicate::In { has_null: true, .. });
        let (exact, truth) = (accepted.is_some(), accepted.unwrap_or(RowRanges::All));
        let rest = if exact { truth.complement() } else { RowRanges::All };
        let (falsity, null) =
            if refuses_by_null { (RowRanges::none(), rest) } else { (rest, RowRanges::none()) };
        Self { truth, falsity, null, exact }
    }

    /// Each answer is possible for each value.
    pub(super) fn unknown() -> Self {
        let all = || RowRanges::All;
        Self { truth: all(), falsity: all(), null: all(), exact: false }
    }

    /// The sets of NOT.
    pub(super) fn not(self) -> Self {
        Self { truth: self.falsity, falsity: self.truth, ..self }
    }

    /// The sets of `IS TRUE`, `IS FALSE` or (`None`) `IS UNKNOWN`.
    pub(super) fn tested_for(self, wanted: Option<bool>) -> Self {
        let Self { truth, falsity, null, exact } = self;
        let (truth, falsity) = match wanted {
            Some(true) => (truth, falsity.union(&null)),
            Some(false) => (falsity, truth.union(&null)),
            None => (null, truth.union(&falsity)),
        };
        Self { truth, falsity, null: RowRanges::none(), exact }
    }

    /// The sets of AND.
    pub(super) fn and(&self, other: &Self) -> Self {
        // NULL: one of them is, and the other one is not FALSE.
        let known = self.truth.intersect(&other.null).union(&self.null.intersect(&other.truth));
        Self {
            truth: self.truth.intersect(&other.truth),
            falsity: self.falsity.union(&other.falsity),
            null: self.null.intersect(&other.null).union(&known),
            exact: self.exact && other.exact,
        }
    }

    /// The sets of OR.
    pub(super) fn or(&self, other: &Self) -> Self {
        let neither = self.clone().not().and(&other.clone().not());
        neither.not()
    }

    /// The answer for all values for which the predicate is not TRUE; `None` if they have two, or are not known.
    pub(super) fn otherwise(&self) -> Option<Option<bool>> {
        match (self.exact, self.null.is_empty(), self.falsity.is_empty()) {
            (true, true, _) => Some(Some(false)),
            (true, false, true) => Some(None),
            _ => None,
        }
    }

    /// The number of ranges: what work with the sets costs.
    pub(super) fn ranges(&self) -> usize {
        [&self.truth, &self.falsity, &self.null].map(|set| set.ranges().len()).into_iter().sum()
    }
}

/// LIKE: where a wildcard follows its literal start, the matches have that start, but not all with that start match.
fn like(operand: &ColumnarOperand, pattern: &str) -> ValueSets {
    let exactly = |truth: RowRanges| ValueSets {
        falsity: truth.complement(),
        truth,
        null: RowRanges::none(),
        exact: true,
    };
    match LikePattern::compile(pattern, false) {
        Ok(pattern) if is_plain(operand.operand().ty) && operand.has_values() => {
            let start = pattern.prefix().as_bytes();
            if pattern.is_exact() {
                exactly(RowRanges::point(start))
            } else if pattern.is_prefix_only() {
                exactly(RowRange::prefix(start).into())
            } else {
                let falsity = RowRanges::All;
                ValueSets { falsity, exact: false, ..exactly(RowRange::prefix(start).into()) }
            }
        }
        _ => ValueSets { null: RowRanges::none(), ..ValueSets::unknown() },
    }
}

fn compared(operand: &ColumnarOperand, op: CompareOp, constant: &Scalar) -> Option<RowRanges> {
    let Operand { source, ty, encoding, .. } = operand.operand();
    // A constant of another kind is refused when the test is bound.
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
