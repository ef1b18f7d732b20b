//! What of its row an expression reads.

use std::collections::BTreeSet;

use ostracon_piglatin::logical::{NodeId, TypedExpression, TypedKind, for_each_child};

/// What of the outermost row an expression reads.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct References {
    /// Fields of a row with a schema.
    pub(crate) fields: BTreeSet<usize>,
    /// Bindings of the FOREACH.
    pub(crate) bindings: BTreeSet<usize>,
    /// A row without a schema, or all of it.
    pub(crate) row: bool,
    /// Relations of which one row is read.
    pub(crate) scalars: BTreeSet<NodeId>,
}

impl References {
    /// What an expression over a row reads.
    pub(crate) fn of<'a>(expressions: impl IntoIterator<Item = &'a TypedExpression>) -> Self {
        let mut references = Self::default();
        for expression in expressions {
            references.add(expression, 0);
        }
        references
    }

    /// What an expression reads of the row `outer` scopes further out.
    pub(crate) fn at(expression: &TypedExpression, outer: usize) -> Self {
        let mut references = Self::default();
        references.add(expression, outer);
        references
    }

    fn add(&mut self, expression: &TypedExpression, outer: usize) {
        match &expression.kind {
            TypedKind::Field { depth, index } if *depth == outer => {
                self.fields.insert(*index);
            }
            TypedKind::DynamicField { depth, .. } | TypedKind::Row { depth, .. } if *depth == outer => {
                self.row = true;
            }
            TypedKind::Binding { index } => {
                self.bindings.insert(*index);
            }
            TypedKind::Scalar { relation, .. } => {
                self.scalars.insert(*relation);
            }
            _ => {}
        }
        for_each_child(expression, |child, deeper| self.add(child, outer + usize::from(deeper)));
    }
}
