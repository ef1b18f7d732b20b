use crate::value::Value;

/// What an expression can read: the row or tuple it is evaluated for, and what stands around.
#[derive(Debug, Clone, Copy)]
pub struct Scope<'a> {
    row: &'a [Value],
    /// Those of the outermost scope.
    bindings: &'a [Value],
    outer: Option<&'a Scope<'a>>,
}

impl<'a> Scope<'a> {
    /// A row of an operator's input, and the values of the block's bindings that are known.
    #[must_use]
    pub fn new(row: &'a [Value], bindings: &'a [Value]) -> Self {
        Self { row, bindings, outer: None }
    }

    /// A tuple of a bag, inside of a scope.
    #[must_use]
    pub fn inside(row: &'a [Value], outer: &'a Scope<'a>) -> Self {
        Self { row, bindings: outer.bindings, outer: Some(outer) }
    }

    /// The fields of the row or tuple.
    #[must_use]
    pub fn fields(&self) -> &'a [Value] {
        self.row
    }

    /// The row so many scopes out; none if there are not so many.
    pub(super) fn row(&self, depth: usize) -> Option<&'a [Value]> {
        let mut scope = self;
        for _ in 0..depth {
            scope = scope.outer?;
        }
        Some(scope.row)
    }

    pub(super) fn binding(&self, index: usize) -> Option<&'a Value> {
        self.bindings.get(index)
    }
}
