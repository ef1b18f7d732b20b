use crate::logical::NodeId;
use crate::source::Span;
use crate::types::{PigType, Schema, Unknown};

/// What names mean inside an expression.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Scope<'a> {
    /// The relation whose rows are read, if this is no tuple of a bag.
    pub(crate) relation: Option<NodeId>,
    /// The fields of the row or tuple, if they are known.
    pub(crate) schema: Option<&'a Schema>,
    /// What a field is where they are not known.
    pub(crate) unknown: Unknown,
    /// Names of the block.
    pub(crate) bindings: &'a [Binding],
    /// Around a bag.
    pub(crate) outer: Option<&'a Scope<'a>>,
}

/// A name of a block.
#[derive(Debug, Clone)]
pub(crate) struct Binding {
    pub(crate) name: String,
    /// None if its definition has a fault.
    pub(crate) ty: Option<PigType>,
    pub(crate) index: usize,
}

/// A field that was found, so many scopes out.
#[derive(Debug, Clone)]
pub(crate) struct Found {
    pub(crate) depth: usize,
    pub(crate) index: usize,
    pub(crate) ty: PigType,
    pub(crate) name: Option<String>,
}

impl<'a> Scope<'a> {
    pub(crate) fn row(schema: Option<&'a Schema>, unknown: Unknown) -> Self {
        Self { relation: None, schema, unknown, bindings: &[], outer: None }
    }

    /// The rows of a relation.
    pub(crate) fn of(self, relation: NodeId) -> Self {
        Self { relation: Some(relation), ..self }
    }

    /// The relation whose rows are read, in this scope or around it.
    pub(crate) fn reads(&self) -> Option<NodeId> {
        self.relation.or_else(|| self.outer.and_then(Scope::reads))
    }

    /// The tuples of a bag that stands in this scope.
    pub(crate) fn inside(&'a self, schema: Option<&'a Schema>) -> Self {
        let (bindings, unknown) = (self.bindings, Unknown::Dynamic);
        Self { relation: None, schema, unknown, bindings, outer: Some(self) }
    }

    pub(crate) fn binding(&self, name: &str) -> Option<&'a Binding> {
        // A name may be given anew: the last one counts.
        self.bindings.iter().rev().find(|binding| binding.name == name)
    }
}

/// An expression and the name that its field gets.
#[derive(Debug, Clone)]
pub(crate) struct Named {
    pub(crate) expression: crate::logical::TypedExpression,
    pub(crate) name: Option<String>,
    pub(crate) span: Span,
}
