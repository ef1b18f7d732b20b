//! Running the steps of a program: one answer, from the answers of its tests.

use super::compile::Step;

/// Runs the steps. `answer` gives the answer of the test with an index; `stack` is memory that is kept.
pub(super) fn run<E>(
    steps: &[Step],
    stack: &mut Vec<Option<bool>>,
    mut answer: impl FnMut(usize) -> Result<Option<bool>, E>,
) -> Result<Option<bool>, E> {
    stack.clear();
    let mut register = None;
    let mut at = 0;
    while let Some(&step) = steps.get(at) {
        at += 1;
        match step {
            Step::Constant(truth) => register = truth,
            Step::Test(index) => register = answer(index)?,
            Step::Not => register = register.map(|known| !known),
            Step::IsTruth(truth) => register = Some(register == truth),
            Step::Push => stack.push(register),
            Step::And => register = and(stack.pop().flatten(), register),
            Step::Or => register = or(stack.pop().flatten(), register),
            Step::JumpIf { value, to } => {
                if register == Some(value) {
                    at = to;
                }
            }
        }
    }
    Ok(register)
}

/// AND of two answers.
pub(super) fn and(left: Option<bool>, right: Option<bool>) -> Option<bool> {
    match (left, right) {
        (Some(false), _) | (_, Some(false)) => Some(false),
        (Some(true), Some(true)) => Some(true),
        _ => None,
    }
}

/// OR of two answers.
pub(super) fn or(left: Option<bool>, right: Option<bool>) -> Option<bool> {
    match (left, right) {
        (Some(true), _) | (_, Some(true)) => Some(true),
        (Some(false), Some(false)) => Some(false),
        _ => None,
    }
}
