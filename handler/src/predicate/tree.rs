//! The tree of a filter: AND, OR, NOT and truth tests over atoms, in one flat list.
//!
//! Every node comes after its inputs, so that passes are loops over the list and a filter of any depth needs no
//! stack. An atom is a leaf of a [`RowPredicate`]; what could not be understood is opaque and says why.

use ostracon_iterators::RowPredicate;

/// A position in the list.
pub(super) type NodeId = usize;

/// One node of a filter.
#[derive(Debug)]
pub(super) enum Node {
    /// A leaf predicate, one without inputs.
    Atom(RowPredicate),
    /// Something only DataFusion can evaluate.
    Opaque {
        /// What speaks against it; goes behind `because`.
        reason: String,
    },
    And(Vec<NodeId>),
    Or(Vec<NodeId>),
    Not(NodeId),
    /// `IS TRUE`, `IS FALSE`, `IS UNKNOWN`.
    IsTruth(NodeId, Option<bool>),
}

/// Filters as nodes; each node is the input of at most one other.
#[derive(Debug, Default)]
pub(super) struct Tree {
    nodes: Vec<Node>,
}

impl Tree {
    pub(super) fn push(&mut self, node: Node) -> NodeId {
        self.nodes.push(node);
        self.nodes.len() - 1
    }

    /// Why the node is not understood in full: the first reason below it, from the left.
    pub(super) fn reason(&self, root: NodeId) -> Option<&str> {
        let mut pending = vec![root];
        while let Some(id) = pending.pop() {
            match self.nodes.get(id)? {
                Node::Atom(_) => {}
                Node::Opaque { reason } => return Some(reason),
                Node::And(inputs) | Node::Or(inputs) => pending.extend(inputs.iter().rev()),
                Node::Not(input) | Node::IsTruth(input, _) => pending.push(*input),
            }
        }
        None
    }
}

/// Results of a pass, one a node, each taken once by the node above.
#[derive(Debug)]
pub(super) struct Results<T>(Vec<T>);

impl<T: Default> Results<T> {
    /// Computes a result for every node in order; `f` may take the results of the node's inputs.
    pub(super) fn compute(tree: &Tree, mut f: impl FnMut(&Node, &mut Results<T>) -> T) -> Self {
        let mut results = Results(Vec::with_capacity(tree.nodes.len()));
        for node in &tree.nodes {
            let result = f(node, &mut results);
            results.0.push(result);
        }
        results
    }

    /// The result of a node; its default is left behind.
    pub(super) fn take(&mut self, id: NodeId) -> T {
        self.0.get_mut(id).map(std::mem::take).unwrap_or_default()
    }
}
