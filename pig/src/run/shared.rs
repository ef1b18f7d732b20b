//! Which relations several STOREs have in common.

use std::collections::BTreeSet;

use ostracon_piglatin::logical::{LogicalOperator, LogicalPlan, NodeId};

use crate::plan::inputs_of;

/// The relations that are to be computed once for several outputs, inputs first.
///
/// A relation is shared if more than one output reads it, by more than one way: where all outputs read it through one
/// other relation, that one is shared in its place. A bare LOAD is not: what is read of it is, through AS, another
/// relation, which may well be.
#[must_use]
pub(crate) fn shared(plan: &LogicalPlan, outputs: &[NodeId]) -> Vec<NodeId> {
    let mut readers: Vec<BTreeSet<Option<NodeId>>> = vec![BTreeSet::new(); plan.nodes.len()];
    let mut reached: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); plan.nodes.len()];
    for (number, output) in outputs.iter().enumerate() {
        readers[output.0].insert(None);
        let mut open = vec![*output];
        while let Some(id) = open.pop() {
            if !reached[id.0].insert(number) {
                continue;
            }
            let below = inputs_of(plan, id);
            for input in below {
                readers[input.0].insert(Some(id));
                open.push(input);
            }
        }
    }
    (0..plan.nodes.len())
        .filter(|&index| {
            let output = outputs.iter().filter(|output| output.0 == index).count();
            reached[index].len() > 1
                && (readers[index].len() > 1 || output > 1)
                && !matches!(plan.nodes[index].operator, LogicalOperator::Load { .. })
        })
        .map(NodeId)
        .collect()
}
