//! From the tree to the row filter: which part of a filter a program on cells can answer.

use ostracon_iterators::{Operand, RowFilterSpec, RowPredicate};

use super::tree::{Node, Results, Tree};
use crate::definition::TableDefinition;

/// The program of a node: TRUE for every row where the node is TRUE.
#[derive(Debug)]
pub(super) struct Pushed {
    pub(super) predicate: RowPredicate,
    /// Whether it has the node's own answer (TRUE, FALSE or NULL) for every row.
    pub(super) exact: bool,
}

/// The programs of all nodes; `None` where there is nothing to push.
pub(super) fn of_tree(tree: &Tree) -> Results<Option<Pushed>> {
    Results::compute(tree, |node, results| match node {
        Node::Atom(predicate) => Some(Pushed { predicate: predicate.clone(), exact: true }),
        Node::Opaque { .. } => None,
        Node::And(inputs) => {
            // A conjunct that is left out lets more rows through, never fewer.
            let mut exact = true;
            let parts: Vec<RowPredicate> = inputs
                .iter()
                .filter_map(|input| {
                    let part: Option<Pushed> = results.take(*input);
                    exact &= part.as_ref().is_some_and(|part| part.exact);
                    part.map(|part| part.predicate)
                })
                .collect();
            let nothing = parts.is_empty() && !exact;
            (!nothing).then(|| Pushed { predicate: RowPredicate::conjunction(parts), exact })
        }
        Node::Or(inputs) => {
            let parts = inputs.iter().map(|input| results.take(*input)).collect::<Option<Vec<Pushed>>>()?;
            let exact = parts.iter().all(|part| part.exact);
            let parts = parts.into_iter().map(|part| part.predicate);
            Some(Pushed { predicate: RowPredicate::disjunction(parts), exact })
        }
        Node::Not(input) => {
            let input = results.take(*input).filter(|input| input.exact)?;
            Some(Pushed { predicate: !input.predicate, exact: true })
        }
        Node::IsTruth(input, truth) => {
            let input = results.take(*input)?;
            match truth {
                // Where the input is TRUE a wider program is, too.
                Some(true) if !input.exact => Some(input),
                _ if !input.exact => None,
                Some(true) if is_decided(&input.predicate) => Some(input),
                truth => {
                    let predicate = RowPredicate::IsTruth { input: Box::new(input.predicate), truth: *truth };
                    Some(Pushed { predicate, exact: true })
                }
            }
        }
    })
}

/// Whether a predicate is, to be seen at a glance, never NULL.
fn is_decided(predicate: &RowPredicate) -> bool {
    match predicate {
        RowPredicate::IsNull { .. } | RowPredicate::IsTruth { .. } | RowPredicate::Constant(Some(_)) => true,
        RowPredicate::Not(input) => {
            matches!(**input, RowPredicate::IsNull { .. } | RowPredicate::IsTruth { .. })
        }
        _ => false,
    }
}

/// The row filter with the operands that it uses.
pub(super) fn specification(
    mut predicate: RowPredicate,
    operands: Vec<Operand>,
    definition: &TableDefinition,
) -> RowFilterSpec {
    let mut used: Vec<usize> = Vec::new();
    predicate.for_each_operand(|operand| used.push(operand));
    used.sort_unstable();
    used.dedup();
    if used.len() < operands.len() {
        renumber(&mut predicate, &used);
    }
    let kept = operands.into_iter().enumerate().filter(|(i, _)| used.binary_search(i).is_ok());
    RowFilterSpec {
        operands: kept.map(|(_, operand)| operand).collect(),
        predicate,
        on_bad_value: definition.properties.on_bad_value,
    }
}

/// Gives each operand its position among those used.
fn renumber(predicate: &mut RowPredicate, used: &[usize]) {
    let position = |operand: &mut usize| *operand = used.binary_search(operand).unwrap_or_default();
    let mut pending = vec![predicate];
    while let Some(node) = pending.pop() {
        match node {
            RowPredicate::And(parts) | RowPredicate::Or(parts) => pending.extend(parts),
            RowPredicate::Not(input) | RowPredicate::IsTruth { input, .. } => pending.push(input),
            RowPredicate::Compare { operand, .. }
            | RowPredicate::Between { operand, .. }
            | RowPredicate::In { operand, .. }
            | RowPredicate::Like { operand, .. }
            | RowPredicate::IsNull { operand }
            | RowPredicate::ConstantUnlessNull { operand, .. } => position(operand),
            RowPredicate::CompareOperands { left, right, .. } => {
                position(left);
                position(right);
            }
            RowPredicate::Constant(_) => {}
        }
    }
}
