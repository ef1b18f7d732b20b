use crate::ast::{GenerateItem, NestedStatement};
use crate::check::relation::Input;
use crate::check::scope::{Binding, Scope};
use crate::check::{Checked, Checker};
use crate::logical::{LogicalOperator, NodeId, TypedExpression};
use crate::source::Span;
use crate::types::{PigType, Unknown};

impl Checker<'_> {
    /// FOREACH; the types of names in its block are kept for DESCRIBE.
    pub(crate) fn foreach(
        &mut self,
        input: &Input,
        block: &[NestedStatement],
        items: &[GenerateItem],
        span: Span,
    ) -> Checked<(NodeId, Vec<(String, PigType)>)> {
        let schema = self.schema(input.id).cloned();
        let row = Scope::row(schema.as_ref(), self.rows_of(input.id)).of(input.id);
        let mut bindings: Vec<Binding> = Vec::new();
        let mut values: Vec<TypedExpression> = Vec::new();
        let mut faulty = None;
        for statement in block {
            let scope = Scope { bindings: &bindings, ..row };
            let (name, index) = (statement.alias.text.clone(), values.len());
            let value = self.nested_value(statement, &scope);
            let ty = value.as_ref().ok().map(|value| value.ty.clone());
            match value {
                Ok(value) => values.push(value),
                Err(fault) => faulty = Some(fault),
            }
            bindings.push(Binding { name, ty, index });
        }
        let scope = Scope { bindings: &bindings, ..row };
        let made = self.generate(items, &scope, span)?;
        if let Some(fault) = faulty {
            return Err(fault);
        }
        let before = made.made();
        let operator = LogicalOperator::Foreach { input: input.id, bindings: values, items: made.items };
        let mut id = self.add(operator, before, span, Unknown::Dynamic);
        if let Some(casts) = made.casts {
            let operator = LogicalOperator::Foreach { input: id, bindings: Vec::new(), items: casts.items };
            id = self.add(operator, made.schema, span, Unknown::Dynamic);
        }
        Ok((id, bindings.into_iter().filter_map(|binding| Some((binding.name, binding.ty?))).collect()))
    }
}
