//! The program of a row filter, run on masks and on sets of outcomes.
//!
//! It is a program like the one that [`RowFilter`](crate::RowFilter) runs, over tests that were gathered: the register
//! and the stack hold a mask instead of an answer. A jump is taken when it would be taken for *each row that matters*.
//! Those are narrowed where the scalar program decides whether to jump: behind `a AND` matter only the rows that `a`
//! does not decide. Where only TRUE counts (anywhere but under NOT and IS), NULL decides an AND as FALSE does.

use std::mem;
use std::sync::Arc;

use super::gather::{Gathered, Skeleton, gather};
use super::{ColumnarOperand, LeafTest, Outcomes, TruthMask};
use crate::row_filter::RowFilterSpec;
use crate::row_filter::compile::{Step, compile_steps};
use crate::row_filter::operands::BoundOperand;
use crate::{Error, Result};

/// What copies of a filter share.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) operands: Vec<Arc<ColumnarOperand>>,
    pub(super) leaves: Vec<LeafTest>,
    steps: Vec<Planned>,
}

#[derive(Debug, Clone, Copy)]
struct Planned {
    step: Step,
    /// Whether of the answers around this step only TRUE counts.
    only_truth: bool,
}

/// Memory that is kept from block to block.
#[derive(Debug, Default)]
pub(super) struct Buffers {
    register: TruthMask,
    stack: Vec<TruthMask>,
    /// The rows that matter, the innermost list's last.
    wanted: Vec<Vec<u8>>,
    /// What `wanted` becomes if the step does not jump.
    narrowed: Vec<u8>,
    spare_masks: Vec<TruthMask>,
    spare_wanted: Vec<Vec<u8>>,
}

impl Plan {
    pub(super) fn new(spec: &RowFilterSpec) -> Result<Self> {
        let bound = spec.operands.iter().map(BoundOperand::bind).collect::<Result<Vec<_>>>()?;
        let operands: Vec<Arc<ColumnarOperand>> = spec
            .operands
            .iter()
            .zip(&bound)
            .map(|(operand, bound)| Arc::new(ColumnarOperand::new(operand.clone(), bound.clone())))
            .collect();
        let Skeleton { predicate, tests } = gather(&spec.predicate, &operands);
        let mut tests: Vec<Option<Gathered>> = tests.into_iter().map(Some).collect();
        let mut leaves = Vec::with_capacity(tests.len());
        let steps = compile_steps(&predicate, |placeholder| {
            let mut index = 0;
            placeholder.for_each_operand(|test| index = test);
            let test = tests.get_mut(index).and_then(Option::take);
            let test = test.ok_or_else(|| Error::InvalidFilter("a test was lost".to_owned()))?;
            leaves.push(LeafTest::bind(test, &bound, &operands)?);
            Ok(leaves.len() - 1)
        })?;
        Ok(Self { operands, leaves, steps: planned(&steps) })
    }

    pub(super) fn evaluate<'b, E>(
        &self,
        rows: usize,
        buffers: &'b mut Buffers,
        mut leaf: impl FnMut(&LeafTest, Option<&[u8]>, &mut TruthMask) -> Result<(), E>,
    ) -> Result<&'b [u8], E> {
        buffers.start(rows);
        let mut at = 0;
        while let Some(Planned { step, only_truth }) = self.steps.get(at).copied() {
            at += 1;
            match step {
                Step::Constant(truth) => buffers.fresh(rows).fill(truth),
                Step::Test(index) => {
                    let wanted = buffers.wanted.last().map(Vec::as_slice);
                    buffers.register.reset(rows);
                    if let Some(test) = self.leaves.get(index) {
                        leaf(test, wanted, &mut buffers.register)?;
                    }
                }
                Step::Not => buffers.register.not(),
                Step::IsTruth(truth) => buffers.register.is_truth(truth),
                Step::Push => buffers.push(),
                Step::And => buffers.pop(TruthMask::and),
                Step::Or => buffers.pop(TruthMask::or),
                Step::JumpIf { value, to } => {
                    if !buffers.narrow(value, only_truth) {
                        at = to;
                    }
                }
            }
        }
        Ok(buffers.register.truth())
    }

    pub(super) fn outcomes(&self, mut leaf: impl FnMut(&LeafTest) -> Outcomes) -> Outcomes {
        let mut register = Outcomes::NULL;
        let mut stack = Vec::new();
        let mut at = 0;
        while let Some(Planned { step, .. }) = self.steps.get(at).copied() {
            at += 1;
            let mut pop = || stack.pop().unwrap_or(Outcomes::ANY);
            register = match step {
                Step::Constant(truth) => Outcomes::of(truth),
                Step::Test(index) => self.leaves.get(index).map_or(Outcomes::ANY, &mut leaf),
                Step::Not => !register,
                Step::IsTruth(truth) => register.is_truth(truth),
                Step::And => pop().and(register),
                Step::Or => pop().or(register),
                Step::Push => {
                    stack.push(register);
                    register
                }
                Step::JumpIf { value, to } => {
                    if register == Outcomes::of(Some(value)) {
                        at = to;
                    }
                    register
                }
            };
        }
        register
    }
}

/// Finds out for each step whether only TRUE counts. Backwards, each node of the tree comes before its inputs and hands
/// its own state on to them, unless it is one that tells FALSE from NULL.
fn planned(steps: &[Step]) -> Vec<Planned> {
    let mut states = vec![true];
    let mut planned: Vec<Planned> = steps
        .iter()
        .rev()
        .map(|step| {
            // Between the inputs of a list, what is open is the state of the one before, which is the list's own.
            let only_truth = states.last().copied().unwrap_or_default();
            match step {
                Step::Constant(_) | Step::Test(_) => {
                    states.pop();
                }
                Step::Not | Step::IsTruth(_) => {
                    states.pop();
                    states.push(false);
                }
                Step::And | Step::Or => states.push(only_truth),
                Step::Push | Step::JumpIf { .. } => {}
            }
            Planned { step: *step, only_truth }
        })
        .collect();
    planned.reverse();
    planned
}

impl Buffers {
    /// Everything is spare: also what an evaluation left that ended with an error.
    fn start(&mut self, rows: usize) {
        self.spare_masks.append(&mut self.stack);
        self.spare_wanted.append(&mut self.wanted);
        self.register.reset(rows);
    }

    fn fresh(&mut self, rows: usize) -> &mut TruthMask {
        self.register.reset(rows);
        &mut self.register
    }

    /// Puts the register on the stack; what was narrowed matters from here on.
    fn push(&mut self) {
        let register = self.spare_masks.pop().unwrap_or_default();
        self.stack.push(mem::replace(&mut self.register, register));
        let narrowed = self.spare_wanted.pop().unwrap_or_default();
        self.wanted.push(mem::replace(&mut self.narrowed, narrowed));
    }

    /// Sets the register to what it is, combined with what is popped.
    fn pop(&mut self, combine: fn(&mut TruthMask, &TruthMask)) {
        if let Some(left) = self.stack.pop() {
            combine(&mut self.register, &left);
            self.spare_masks.push(left);
        }
        self.spare_wanted.extend(self.wanted.pop());
    }

    /// Narrows the rows that matter to those that the register does not decide, `decisive` being the answer that does.
    /// False if none is left.
    fn narrow(&mut self, decisive: bool, only_truth: bool) -> bool {
        let Self { register, wanted, narrowed, .. } = self;
        narrowed.clear();
        let (truth, null) = (register.truth(), register.null());
        match (decisive, only_truth) {
            (true, _) => narrowed.extend(truth.iter().map(|truth| truth ^ 1)),
            (false, true) => narrowed.extend_from_slice(truth),
            (false, false) => narrowed.extend(truth.iter().zip(null).map(|(truth, null)| truth | null)),
        }
        if let Some(wanted) = wanted.last() {
            narrowed.iter_mut().zip(wanted).for_each(|(narrowed, wanted)| *narrowed &= wanted);
        }
        narrowed.iter().fold(0, |any, row| any | row) != 0
    }
}

#[cfg(test)]
impl Buffers {
    /// Where the memory of all masks is.
    pub(super) fn memory(&self) -> Vec<usize> {
        let masks = self.spare_masks.iter().chain(&self.stack).chain([&self.register]);
        let wanted = self.spare_wanted.iter().chain(&self.wanted).chain([&self.narrowed]);
        let truth = masks.clone().map(TruthMask::truth);
        let all = truth.chain(masks.map(TruthMask::null)).chain(wanted.map(Vec::as_slice));
        all.map(|bytes| bytes.as_ptr() as usize).collect()
    }
}
