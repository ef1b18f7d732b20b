//! [`LeafTest`]: one test of the predicate, to be decided by whoever holds the values.

use std::sync::Arc;

use ostracon_compare::{BadValue, RowPlace};
use ostracon_data::RowRanges;

use super::accepted::Accepted;
use super::{ColumnarOperand, TruthMask};
use crate::row_filter::operands::{Scratch, Slot};
use crate::row_filter::test::Test;
use crate::row_filter::{Operand, RowPredicate};
use crate::{Error, Result};

/// A test of one operand, or a comparison of two.
#[derive(Debug)]
pub struct LeafTest {
    index: usize,
    operand: Arc<ColumnarOperand>,
    /// The right side of a comparison of operands.
    other: Option<(usize, Arc<ColumnarOperand>)>,
    test: Test,
    accepted: Accepted,
    when_absent: Option<bool>,
    when_not_accepted: Option<bool>,
}

/// Pairs the bound tests of a program with the nodes that they were bound from, which come in one order.
pub(super) fn leaves(
    predicate: &RowPredicate,
    operands: &[Arc<ColumnarOperand>],
    tests: Vec<Test>,
) -> Result<Vec<LeafTest>> {
    let nodes = predicate.postorder().filter(|node| match node {
        RowPredicate::And(_)
        | RowPredicate::Or(_)
        | RowPredicate::Not(_)
        | RowPredicate::IsTruth { .. }
        | RowPredicate::Constant(_) => false,
        RowPredicate::Compare { .. }
        | RowPredicate::Between { .. }
        | RowPredicate::In { .. }
        | RowPredicate::Like { .. }
        | RowPredicate::IsNull { .. }
        | RowPredicate::ConstantUnlessNull { .. }
        | RowPredicate::CompareOperands { .. } => true,
    });
    nodes.zip(tests).map(|(node, test)| LeafTest::new(node, test, operands)).collect()
}

impl LeafTest {
    fn new(node: &RowPredicate, test: Test, operands: &[Arc<ColumnarOperand>]) -> Result<Self> {
        let missing = || Error::InvalidFilter(format!("an operand of \"{node:?}\" is not there"));
        let find = |index: usize| operands.get(index).map(Arc::clone).ok_or_else(missing);
        let index = test.operand();
        let operand = find(index)?;
        let other = match node {
            RowPredicate::CompareOperands { right, .. } => Some((*right, find(*right)?)),
            _ => None,
        };
        let when_absent = test.apply(|_| Slot::Null, &[]).unwrap_or_default();
        let when_not_accepted = match node {
            RowPredicate::In { has_null: true, .. } => None,
            _ => Some(false),
        };
        let accepted = Accepted::of(node, &operand, when_absent);
        Ok(Self { index, operand, other, test, accepted, when_absent, when_not_accepted })
    }

    /// The operand tested; the left one of two.
    pub fn operand(&self) -> &Operand {
        self.operand.operand()
    }

    /// Which of [`ColumnarFilter::operands`](super::ColumnarFilter::operands) that is.
    pub fn operand_index(&self) -> usize {
        self.index
    }

    /// Which operand is on the right, for a comparison of two.
    pub fn other_index(&self) -> Option<usize> {
        self.other.as_ref().map(|(index, _)| *index)
    }

    /// Where the operand lies in the row id, if it lies there at one place; see [`ColumnarOperand::place`].
    pub fn place(&self) -> Option<RowPlace> {
        self.operand.place()
    }

    /// The values for which the test is TRUE, exactly, among clean ones; `None` if they are no few ranges of bytes.
    ///
    /// Values are a cell's or the bytes at [`place`](Self::place), as they are stored there (a descending part of a key is
    /// stored complemented). One that is not accepted gives [`when_not_accepted`](Self::when_not_accepted), unless it is
    /// among the [`null_values`](Self::null_values): that one gives [`when_absent`](Self::when_absent).
    pub fn accepted(&self) -> Option<&RowRanges> {
        self.accepted.exact()
    }

    /// A superset of the values for which the test is TRUE.
    pub(super) fn bounds(&self) -> &RowRanges {
        self.accepted.bounds()
    }

    /// Whether what [`on_value`](Self::on_value) takes are the values that the ranges speak of.
    pub(super) fn is_of_value(&self) -> bool {
        self.operand.is_its_value()
    }

    /// The answer for a row without a value: NULL for most tests.
    pub fn when_absent(&self) -> Option<bool> {
        self.when_absent
    }

    /// The answer for a value that is not accepted: FALSE, or NULL for an IN list that holds a NULL.
    pub fn when_not_accepted(&self) -> Option<bool> {
        self.when_not_accepted
    }

    /// The values that stand for NULL; see [`ColumnarOperand::null_values`].
    pub fn null_values(&self) -> Option<&RowRanges> {
        self.operand.null_values()
    }

    /// Completes a mask whose [`truth_mut`](TruthMask::truth_mut) is 1 where the value is [`accepted`](Self::accepted).
    ///
    /// `present` is 0 for the rows without a value and for those whose value is among the
    /// [`null_values`](Self::null_values), else 1; `None` is all 1. Whatever the mask holds for absent rows is replaced.
    pub fn settle(&self, present: Option<&[u8]>, mask: &mut TruthMask) {
        mask.settle(present, self.when_absent, self.when_not_accepted);
    }

    /// The answer for one value: a cell's or, for an operand of the row id, the *whole* row id.
    ///
    /// An error if the bytes are no value of the operand, and for a comparison of two operands, which needs
    /// [`on_values`](Self::on_values).
    pub fn on_value(&self, bytes: &[u8]) -> Result<Option<bool>, BadValue> {
        match &self.other {
            None => self.on_values(Some(bytes), None),
            Some(_) => Err(BadValue {
                wanted: "a comparison of two operands".to_owned(),
                reason: "one value was given".to_owned(),
                bytes_excerpt: format!("a value of {} bytes", bytes.len()),
            }),
        }
    }

    /// The answer for the values of both operands, `None` where a row has none; the right one counts only for a comparison of
    /// two. See [`on_value`](Self::on_value).
    pub fn on_values(&self, left: Option<&[u8]>, right: Option<&[u8]>) -> Result<Option<bool>, BadValue> {
        let mut scratch = Scratch::default();
        let mut slot = |operand: &ColumnarOperand, bytes| match bytes {
            Some(bytes) => operand.resolve(bytes, &mut scratch),
            None => Ok(Slot::Null),
        };
        let left = slot(&self.operand, left)?;
        let right = match &self.other {
            Some((_, operand)) => slot(operand, right)?,
            None => Slot::Null,
        };
        self.test.apply(|index| if index == self.index { left } else { right }, &scratch.native)
    }
}
