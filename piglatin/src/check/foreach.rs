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
        let row = Scope::row(schema.as_ref(), self.rows_of(input.id));
        let mut bindings: Vec<Binding> = Vec::new();
        let mut values: Vec<TypedExpression> = Vec::new();
        let mut faulty = None;
        for statement in block {
            let scope = Scope { bindings: &bindings, ..row };
            match self.nested_value(statement, &scope) {
                Ok(value) => {
                    let (name, ty) = (statement.alias.text.clone(), value.ty.clone());
                    bindings.push(Binding { name, ty, index: values.len() });
                    values.push(value);
                }
                Err(fault) => {
                    faulty = Some(fault);
                    // What reads it would only tell the same again.
                    break;
                }
            }
        }
        if let Some(fault) = faulty {
            return Err(fault);
        }
        let scope = Scope { bindings: &bindings, ..row };
        let made = self.generate(items, &scope, span)?;
        let before = made.casts.as_ref().map(|(before, _)| before.clone()).or_else(|| made.schema.clone());
        let operator = LogicalOperator::Foreach { input: input.id, bindings: values, items: made.items };
        let mut id = self.add(operator, before, span, Unknown::Dynamic);
        if let Some((_, casts)) = made.casts {
            let operator = LogicalOperator::Foreach { input: id, bindings: Vec::new(), items: casts };
            id = self.add(operator, made.schema, span, Unknown::Dynamic);
        }
        Ok((id, bindings.into_iter().map(|binding| (binding.name, binding.ty)).collect()))
    }
}
