//! From a [`RowFilterSpec`] to a [`Program`]: flat steps with forward jumps, no recursion here or when they are
//! [`run`](super::run::run).
//!
//! The program computes in one register and a stack. For `a AND b AND c` it is
//!
//! ```text
//!     a           register = a
//!     jump if FALSE -> end
//!     push        remember what is so far (TRUE or NULL)
//!     b
//!     and         register = pop AND register
//!     jump if FALSE -> end
//!     push
//!     c
//!     and
//! end:
//! ```
//!
//! and the same with OR and TRUE. A jump that lands on another jump of its kind goes on to that one's goal.

use ostracon_compare::{Encoding, LikePattern, PrimitiveType, Scalar, primitive_compare};

use super::operands::BoundOperand;
use super::test::{Test, ValueSet};
use super::{OnBadValue, RowFilterSpec, RowPredicate};
use crate::{Error, Result};

/// A compiled filter: shared by copies, never changed.
#[derive(Debug)]
pub(super) struct Program {
    pub(super) operands: Vec<BoundOperand>,
    pub(super) tests: Vec<Test>,
    pub(super) steps: Vec<Step>,
    pub(super) on_bad_value: OnBadValue,
}

/// One step on the register (and the stack).
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Step {
    /// Sets the register.
    Constant(Option<bool>),
    /// Sets the register to the answer of the test with this index.
    Test(usize),
    /// NOT of the register.
    Not,
    /// Whether the register is this.
    IsTruth(Option<bool>),
    /// Puts the register on the stack.
    Push,
    /// Sets the register to what is popped AND the register.
    And,
    /// Sets the register to what is popped OR the register.
    Or,
    /// Goes on at step `to` if the register is `value`.
    JumpIf { value: bool, to: usize },
}

/// What is still to be compiled, last first.
enum Task<'a> {
    Compile(&'a RowPredicate),
    Emit(Step),
    /// Emits a jump whose goal is set by the `Land` of the list it belongs to.
    Jump {
        value: bool,
        list: usize,
    },
    /// Lets all jumps of a list end here.
    Land {
        list: usize,
    },
}

impl Program {
    /// Compiles, or says what is wrong with the description.
    pub(super) fn compile(spec: &RowFilterSpec) -> Result<Self> {
        let operands = spec.operands.iter().map(BoundOperand::bind).collect::<Result<Vec<_>>>()?;
        let (tests, steps) = compile_tests(&spec.predicate, &operands)?;
        Ok(Program { operands, tests, steps, on_bad_value: spec.on_bad_value })
    }
}

/// The tests of a predicate, bound to its operands, and the steps over them.
pub(super) fn compile_tests(
    predicate: &RowPredicate,
    operands: &[BoundOperand],
) -> Result<(Vec<Test>, Vec<Step>)> {
    let mut tests = Vec::new();
    let steps = compile_steps(predicate, |leaf| {
        tests.push(bind_test(leaf, operands)?);
        Ok(tests.len() - 1)
    })?;
    Ok((tests, steps))
}

/// The steps of a predicate. `bind` is called for each test in the order in which they are evaluated, and gives its index.
pub(super) fn compile_steps(
    predicate: &RowPredicate,
    mut bind: impl FnMut(&RowPredicate) -> Result<usize>,
) -> Result<Vec<Step>> {
    let mut steps = Vec::new();
    // The jumps of each AND or OR list, by where they stand in `steps`.
    let mut lists: Vec<Vec<usize>> = Vec::new();
    let mut tasks = vec![Task::Compile(predicate)];
    while let Some(task) = tasks.pop() {
        match task {
            Task::Emit(step) => steps.push(step),
            Task::Jump { value, list } => {
                if let Some(jumps) = lists.get_mut(list) {
                    jumps.push(steps.len());
                }
                steps.push(Step::JumpIf { value, to: steps.len() + 1 });
            }
            Task::Land { list } => {
                let end = steps.len();
                for jump in lists.get_mut(list).map(std::mem::take).unwrap_or_default() {
                    if let Some(Step::JumpIf { to, .. }) = steps.get_mut(jump) {
                        *to = end;
                    }
                }
            }
            Task::Compile(RowPredicate::And(parts)) => {
                compile_list(parts, Step::And, &mut lists, &mut tasks);
            }
            Task::Compile(RowPredicate::Or(parts)) => {
                compile_list(parts, Step::Or, &mut lists, &mut tasks);
            }
            Task::Compile(RowPredicate::Not(input)) => {
                tasks.extend([Task::Emit(Step::Not), Task::Compile(input)]);
            }
            Task::Compile(RowPredicate::IsTruth { input, truth }) => {
                tasks.extend([Task::Emit(Step::IsTruth(*truth)), Task::Compile(input)]);
            }
            Task::Compile(RowPredicate::Constant(truth)) => steps.push(Step::Constant(*truth)),
            Task::Compile(leaf) => {
                steps.push(Step::Test(bind(leaf)?));
            }
        }
    }
    thread_jumps(&mut steps);
    Ok(steps)
}

fn compile_list<'a>(
    parts: &'a [RowPredicate],
    combine: Step,
    lists: &mut Vec<Vec<usize>>,
    tasks: &mut Vec<Task<'a>>,
) {
    // FALSE decides an AND, TRUE decides an OR; the other one is the empty list.
    let decisive = combine == Step::Or;
    let Some((first, rest)) = parts.split_first() else {
        tasks.push(Task::Emit(Step::Constant(Some(!decisive))));
        return;
    };
    let list = lists.len();
    lists.push(Vec::new());
    tasks.push(Task::Land { list });
    for part in rest.iter().rev() {
        tasks.extend([
            Task::Emit(combine),
            Task::Compile(part),
            Task::Emit(Step::Push),
            Task::Jump { value: decisive, list },
        ]);
    }
    tasks.push(Task::Compile(first));
}

/// Lets a jump whose goal is a jump on the same value go straight to the last goal. All jumps go forward, so one
/// walk from the end suffices.
fn thread_jumps(steps: &mut [Step]) {
    for index in (0..steps.len()).rev() {
        if let Some(&Step::JumpIf { value, to }) = steps.get(index)
            && let Some(&Step::JumpIf { value: next_value, to: next }) = steps.get(to)
            && value == next_value
            && let Some(step) = steps.get_mut(index)
        {
            *step = Step::JumpIf { value, to: next };
        }
    }
}

/// Binds a leaf's constants to its operand's native form.
fn bind_test(leaf: &RowPredicate, operands: &[BoundOperand]) -> Result<Test> {
    let find = |operand: usize| {
        operands.get(operand).ok_or_else(|| {
            Error::InvalidFilter(format!(
                "operand #{operand} is used, but there are {} operands",
                operands.len()
            ))
        })
    };
    let constant = |operand: usize, value: &Scalar| {
        let bound = find(operand)?;
        primitive_compare(bound.ty(), Encoding::Native, value).map_err(|reason| bad_constant(bound, &reason))
    };
    Ok(match leaf {
        RowPredicate::Compare { operand, op, constant: value } => {
            Test::Compare { operand: *operand, op: *op, constant: constant(*operand, value)? }
        }
        RowPredicate::Between { operand, low, high } => Test::Between {
            operand: *operand,
            low: constant(*operand, low)?,
            high: constant(*operand, high)?,
        },
        RowPredicate::In { operand, values, has_null } => {
            let bound = find(*operand)?;
            let unknown_null = *has_null || !values.is_empty();
            let values = ValueSet::new(bound.ty(), values).map_err(|reason| bad_constant(bound, &reason))?;
            Test::In { operand: *operand, values, has_null: *has_null, unknown_null }
        }
        RowPredicate::Like { operand, pattern, case_insensitive } => {
            let bound = find(*operand)?;
            if bound.ty() != PrimitiveType::Utf8 {
                return Err(Error::InvalidFilter(format!(
                    "LIKE needs text, but operand \"{}\" is {}",
                    bound.name(),
                    bound.ty()
                )));
            }
            let pattern = LikePattern::compile(pattern, *case_insensitive).map_err(|reason| {
                Error::InvalidFilter(format!("pattern for operand \"{}\": {reason}", bound.name()))
            })?;
            Test::Like { operand: *operand, pattern }
        }
        RowPredicate::IsNull { operand } => {
            find(*operand)?;
            Test::IsNull { operand: *operand }
        }
        RowPredicate::ConstantUnlessNull { operand, value } => {
            find(*operand)?;
            Test::ConstantUnlessNull { operand: *operand, value: *value }
        }
        RowPredicate::CompareOperands { left, op, right } => {
            let (left_operand, right_operand) = (find(*left)?, find(*right)?);
            if left_operand.ty() != right_operand.ty() {
                return Err(Error::InvalidFilter(format!(
                    "\"{}\" is {} and \"{}\" is {}: operands of two types cannot be compared",
                    left_operand.name(),
                    left_operand.ty(),
                    right_operand.name(),
                    right_operand.ty()
                )));
            }
            Test::CompareOperands { left: *left, op: *op, right: *right, ty: left_operand.ty() }
        }
        RowPredicate::And(_)
        | RowPredicate::Or(_)
        | RowPredicate::Not(_)
        | RowPredicate::IsTruth { .. }
        | RowPredicate::Constant(_) => {
            return Err(Error::InvalidFilter("a connective was taken for a test".to_owned()));
        }
    })
}

fn bad_constant(operand: &BoundOperand, reason: &ostracon_compare::BadValue) -> Error {
    Error::InvalidFilter(format!("constant for operand \"{}\": {reason}", operand.name()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn steps(predicate: RowPredicate) -> Vec<Step> {
        let spec = RowFilterSpec { operands: Vec::new(), predicate, on_bad_value: OnBadValue::Error };
        Program::compile(&spec).unwrap().steps
    }

    #[test]
    fn lists_jump_to_their_end_and_through_nested_lists() {
        let leaf = || RowPredicate::Constant(None);
        let nested = RowPredicate::And(vec![RowPredicate::And(vec![leaf(), leaf()]), leaf()]);
        use Step::*;
        assert_eq!(
            steps(nested),
            [
                Constant(None),
                JumpIf { value: false, to: 8 },
                Push,
                Constant(None),
                And,
                JumpIf { value: false, to: 8 },
                Push,
                Constant(None),
                And,
            ]
            .map(|step| if let JumpIf { value, .. } = step {
                JumpIf { value, to: 9 }
            } else {
                step
            })
        );
        assert_eq!(steps(RowPredicate::And(vec![])), [Constant(Some(true))]);
        assert_eq!(steps(RowPredicate::Or(vec![])), [Constant(Some(false))]);
        assert_eq!(steps(RowPredicate::Or(vec![leaf()])), [Constant(None)]);
    }

    #[test]
    fn defects_of_the_description_are_refused() {
        let spec =
            |predicate| RowFilterSpec { operands: Vec::new(), predicate, on_bad_value: OnBadValue::Error };
        for predicate in [
            RowPredicate::IsNull { operand: 0 },
            RowPredicate::Not(Box::new(RowPredicate::ConstantUnlessNull { operand: 7, value: true })),
            RowPredicate::In { operand: 1, values: vec![], has_null: false },
        ] {
            let error = Program::compile(&spec(predicate)).unwrap_err().to_string();
            assert!(error.contains("there are 0 operands"), "{error}");
        }
    }
}
