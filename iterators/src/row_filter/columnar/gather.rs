//! From a predicate to the tests that a store is asked for: what lies next to each other and is about one operand
//! becomes one test.
//!
//! `a >= 5 AND b = 1 AND a < 9` gives the tests `a >= 5 AND a < 9`, which is one range, and `b = 1`. A test that ranges
//! decide is not joined with one for which every value must be looked at, nor with another one if the values that are not
//! accepted would then have two answers.

use std::collections::HashMap;
use std::mem;
use std::sync::Arc;

use super::ColumnarOperand;
use super::value_sets::ValueSets;
use crate::row_filter::RowPredicate;

/// A test with more ranges is not joined with what surrounds it: a chain of thousands of ORs, each within the next, would
/// take a time that grows with the square of its length.
const JOINED_RANGES: usize = 1024;

/// A test to be bound: a predicate on one operand, or a comparison of two.
#[derive(Debug)]
pub(super) struct Gathered {
    pub(super) operand: usize,
    pub(super) predicate: RowPredicate,
    pub(super) sets: ValueSets,
}

/// A predicate with `IsNull { operand: n }` in place of test `n`, so that it can be compiled as any other.
#[derive(Debug, Default)]
pub(super) struct Skeleton {
    pub(super) predicate: RowPredicate,
    pub(super) tests: Vec<Gathered>,
}

/// A subtree that has been looked at.
enum Built {
    /// It can be one test, alone or with what surrounds it.
    Test(Gathered),
    /// It cannot; its tests are placed.
    Tree(RowPredicate),
}

/// The inputs of a list that may become one.
enum Group {
    Tests(Vec<Gathered>),
    Tree(RowPredicate),
}

#[derive(Clone, Copy)]
enum List {
    And,
    Or,
}

/// Gathers the tests of a predicate.
pub(super) fn gather(predicate: &RowPredicate, operands: &[Arc<ColumnarOperand>]) -> Skeleton {
    let mut skeleton = Skeleton::default();
    let mut built: Vec<Built> = Vec::new();
    for node in predicate.postorder() {
        let inputs = built.split_off(built.len().saturating_sub(node.children().len()));
        built.push(match node {
            RowPredicate::And(_) => skeleton.list(List::And, inputs),
            RowPredicate::Or(_) => skeleton.list(List::Or, inputs),
            RowPredicate::Not(_) => {
                skeleton.over(inputs, |input| RowPredicate::Not(Box::new(input)), ValueSets::not)
            }
            RowPredicate::IsTruth { truth, .. } => skeleton.over(
                inputs,
                |input| RowPredicate::IsTruth { input: Box::new(input), truth: *truth },
                |sets| sets.tested_for(*truth),
            ),
            RowPredicate::Constant(truth) => Built::Tree(RowPredicate::Constant(*truth)),
            RowPredicate::CompareOperands { left, .. } => {
                let sets = ValueSets::unknown();
                Built::Tree(skeleton.place(Gathered { operand: *left, predicate: node.clone(), sets }))
            }
            test => Built::Test(of_one_operand(test, operands)),
        });
    }
    if let Some(root) = built.pop() {
        skeleton.predicate = skeleton.settle(root);
    }
    skeleton
}

fn of_one_operand(test: &RowPredicate, operands: &[Arc<ColumnarOperand>]) -> Gathered {
    let mut operand = 0;
    test.for_each_operand(|index| operand = index);
    // An operand that is not there is refused when the test is bound.
    let sets = operands.get(operand).map_or_else(ValueSets::unknown, |of| ValueSets::of_test(test, of));
    Gathered { operand, predicate: test.clone(), sets }
}

impl Skeleton {
    /// Keeps a test; gives what stands for it.
    fn place(&mut self, test: Gathered) -> RowPredicate {
        self.tests.push(test);
        RowPredicate::IsNull { operand: self.tests.len() - 1 }
    }

    fn settle(&mut self, built: Built) -> RowPredicate {
        match built {
            Built::Tree(tree) => tree,
            Built::Test(test) => self.place(test),
        }
    }

    /// A node of one input.
    fn over(
        &mut self,
        mut inputs: Vec<Built>,
        node: impl Fn(RowPredicate) -> RowPredicate,
        of_node: impl Fn(ValueSets) -> ValueSets,
    ) -> Built {
        match inputs.pop() {
            Some(Built::Test(mut test)) => {
                let sets = of_node(test.sets.clone());
                if !is_one_test(&sets) {
                    return Built::Tree(node(self.place(test)));
                }
                let predicate = node(mem::take(&mut test.predicate));
                Built::Test(Gathered { predicate, sets, ..test })
            }
            Some(Built::Tree(tree)) => Built::Tree(node(tree)),
            None => Built::Tree(node(RowPredicate::default())),
        }
    }

    /// An AND or OR: the tests of one operand, wherever they stand in it, become one at the place of the first of them.
    fn list(&mut self, list: List, inputs: Vec<Built>) -> Built {
        let mut groups: Vec<Group> = Vec::new();
        let mut of_operand: HashMap<(usize, bool), usize> = HashMap::new();
        for input in inputs {
            let test = match input {
                Built::Test(test) => test,
                Built::Tree(tree) => {
                    groups.push(Group::Tree(tree));
                    continue;
                }
            };
            let at = if test.sets.ranges() <= JOINED_RANGES {
                *of_operand.entry((test.operand, test.sets.exact)).or_insert(groups.len())
            } else {
                groups.len()
            };
            match groups.get_mut(at) {
                Some(Group::Tests(tests)) => tests.push(test),
                _ => groups.push(Group::Tests(vec![test])),
            }
        }
        let mut parts = Vec::with_capacity(groups.len());
        for group in groups {
            match group {
                Group::Tree(tree) => parts.push(Built::Tree(tree)),
                Group::Tests(tests) => parts.extend(list.join(tests).into_iter().map(Built::Test)),
            }
        }
        // What must look at values comes last: by then few rows may matter.
        parts.sort_by_key(|part| matches!(part, Built::Test(test) if !test.sets.exact));
        match parts.pop() {
            Some(only) if parts.is_empty() => only,
            last => {
                parts.extend(last);
                Built::Tree(list.node(parts.into_iter().map(|part| self.settle(part)).collect()))
            }
        }
    }
}

/// Whether a predicate with these sets can be one test: if ranges decide it, what is not accepted must have one answer.
fn is_one_test(sets: &ValueSets) -> bool {
    !sets.exact || sets.otherwise().is_some()
}

impl List {
    fn node(self, parts: Vec<RowPredicate>) -> RowPredicate {
        match self {
            Self::And => RowPredicate::And(parts),
            Self::Or => RowPredicate::Or(parts),
        }
    }

    /// One test of several of one operand; the several, if that would not be one test.
    fn join(self, mut tests: Vec<Gathered>) -> Vec<Gathered> {
        if tests.len() < 2 {
            return tests;
        }
        match (self.combined(&tests), tests.first()) {
            (Some(sets), Some(&Gathered { operand, .. })) if is_one_test(&sets) => {
                let parts = tests.iter_mut().map(|test| mem::take(&mut test.predicate)).collect();
                vec![Gathered { operand, predicate: self.node(parts), sets }]
            }
            _ => tests,
        }
    }

    /// By pairs, pairs of pairs and so on: a range is copied as often as there are levels, not as there are tests.
    fn combined(self, tests: &[Gathered]) -> Option<ValueSets> {
        let mut level: Vec<ValueSets> = tests.iter().map(|test| test.sets.clone()).collect();
        while level.len() > 1 {
            let mut pairs = level.into_iter();
            level = Vec::with_capacity(pairs.len().div_ceil(2));
            while let Some(left) = pairs.next() {
                level.push(match (self, pairs.next()) {
                    (Self::And, Some(right)) => left.and(&right),
                    (Self::Or, Some(right)) => left.or(&right),
                    (_, None) => left,
                });
            }
        }
        level.pop()
    }
}
