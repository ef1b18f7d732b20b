//! [`LeafTest`]: one test of the predicate, to be decided by whoever holds the values.
//!
//! It may be several tests of the predicate and the connectives between them, so long as all are of one operand.

use std::sync::Arc;

use ostracon_compare::{BadValue, RowPlace};
use ostracon_data::RowRanges;

use super::gather::Gathered;
use super::value_sets::ValueSets;
use super::{ColumnarOperand, TruthMask};
use crate::row_filter::compile::{Step, compile_tests};
use crate::row_filter::operands::{BoundOperand, Scratch, Slot};
use crate::row_filter::run::run;
use crate::row_filter::test::Test;
use crate::row_filter::{Operand, RowPredicate};
use crate::{Error, Result};

/// A predicate on one operand, or a comparison of two.
#[derive(Debug)]
pub struct LeafTest {
    index: usize,
    operand: Arc<ColumnarOperand>,
    /// The right side of a comparison of operands.
    other: Option<(usize, Arc<ColumnarOperand>)>,
    tests: Vec<Test>,
    steps: Vec<Step>,
    /// For values that are not NULL.
    sets: ValueSets,
    accepted: Option<RowRanges>,
    when_absent: Option<bool>,
    when_not_accepted: Option<bool>,
}

/// Memory for [`LeafTest::on_values_with`], kept from value to value.
#[derive(Debug, Default)]
pub struct LeafScratch {
    scratch: Scratch,
    stack: Vec<Option<bool>>,
}

impl LeafTest {
    /// Binds a test; an error for what [`RowFilter::compile`](crate::RowFilter::compile) refuses.
    pub(super) fn bind(
        test: Gathered,
        bound: &[BoundOperand],
        operands: &[Arc<ColumnarOperand>],
    ) -> Result<Self> {
        let Gathered { operand: index, predicate, sets } = test;
        let (tests, steps) = compile_tests(&predicate, bound)?;
        let find = |index: usize| operands.get(index).map(Arc::clone).ok_or_else(missing);
        let other = match &predicate {
            RowPredicate::CompareOperands { right, .. } => Some((*right, find(*right)?)),
            _ => None,
        };
        let mut leaf = Self {
            index,
            operand: find(index)?,
            other,
            tests,
            steps,
            accepted: None,
            when_absent: None,
            when_not_accepted: sets.otherwise().unwrap_or(Some(false)),
            sets,
        };
        leaf.when_absent = leaf
            .run(Slot::Null, Slot::Null, &mut LeafScratch::default())
            .map_err(|reason| Error::InvalidFilter(reason.to_string()))?;
        leaf.leave_null_out();
        Ok(leaf)
    }

    /// The null sequence may be a value of the type, but is none: it is accepted if NULL is.
    fn leave_null_out(&mut self) {
        let Self { operand, sets, accepted, when_absent, .. } = self;
        if let Some(null) = operand.null_values() {
            let others = null.complement();
            for set in [&mut sets.truth, &mut sets.falsity, &mut sets.null] {
                *set = set.intersect(&others);
            }
        }
        if sets.exact {
            *accepted = Some(match operand.null_values() {
                Some(null) if *when_absent == Some(true) => sets.truth.union(null),
                _ => sets.truth.clone(),
            });
        }
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

    /// The right operand, for a comparison of two.
    pub fn other(&self) -> Option<&Operand> {
        self.other.as_ref().map(|(_, operand)| operand.operand())
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
        self.accepted.as_ref()
    }

    /// Which answers the values that are not NULL may have.
    pub(super) fn sets(&self) -> &ValueSets {
        &self.sets
    }

    /// Whether ranges can speak of its operand.
    pub(super) fn has_values(&self) -> bool {
        self.operand.has_values()
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

    /// The answer for the values of both operands, `None` where a row has none; the right one counts only for a
    /// comparison of two. See [`on_value`](Self::on_value).
    pub fn on_values(&self, left: Option<&[u8]>, right: Option<&[u8]>) -> Result<Option<bool>, BadValue> {
        self.on_values_with(left, right, &mut LeafScratch::default())
    }

    /// As [`on_values`](Self::on_values), in memory that is kept: for many values that are not stored as they compare.
    pub fn on_values_with(
        &self,
        left: Option<&[u8]>,
        right: Option<&[u8]>,
        memory: &mut LeafScratch,
    ) -> Result<Option<bool>, BadValue> {
        memory.scratch.native.clear();
        let mut slot = |operand: &ColumnarOperand, bytes| match bytes {
            Some(bytes) => operand.resolve(bytes, &mut memory.scratch),
            None => Ok(Slot::Null),
        };
        let left = slot(&self.operand, left)?;
        let right = match &self.other {
            Some((_, operand)) => slot(operand, right)?,
            None => Slot::Null,
        };
        self.run(left, right, memory)
    }

    fn run(
        &self,
        left: Slot<'_>,
        right: Slot<'_>,
        memory: &mut LeafScratch,
    ) -> Result<Option<bool>, BadValue> {
        let LeafScratch { scratch, stack } = memory;
        let slot = |index| if index == self.index { left } else { right };
        run(&self.steps, stack, |test| match self.tests.get(test) {
            Some(test) => test.apply(slot, &scratch.native),
            None => Ok(None),
        })
    }
}

fn missing() -> Error {
    Error::InvalidFilter("an operand of a test is not there".to_owned())
}
