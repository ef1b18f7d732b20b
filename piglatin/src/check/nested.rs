use crate::ast::{Expression, GenerateItem, NestedOperator, NestedStatement, OrderKey};
use crate::check::operators::boxed;
use crate::check::scope::{Named, Scope};
use crate::check::{Checked, Checker};
use crate::logical::{TypedExpression, TypedKind};
use crate::source::{Diagnostic, Span};
use crate::types::{Field, PigType, Schema, type_name};

impl Checker<'_> {
    /// The value of a statement of a block.
    pub(crate) fn nested_value(
        &mut self,
        statement: &NestedStatement,
        scope: &Scope<'_>,
    ) -> Checked<TypedExpression> {
        let span = statement.span;
        match &statement.operator {
            NestedOperator::Expression(expression) => self.expression(expression, scope),
            NestedOperator::Filter { input, condition } => {
                let (bag, fields) = self.bag_input(input, scope)?;
                let inner = scope.inside(fields.as_ref());
                let condition = self.condition(condition, &inner, "FILTER")?;
                let ty = bag.ty.clone();
                let kind = TypedKind::BagFilter { bag: boxed(bag), condition: boxed(condition) };
                Ok(TypedExpression { kind, ty, span })
            }
            NestedOperator::Order { input, keys } => {
                let (bag, fields) = self.bag_input(input, scope)?;
                let inner = scope.inside(fields.as_ref());
                let keys = self.sort_keys(keys, &inner)?;
                let ty = bag.ty.clone();
                Ok(TypedExpression { kind: TypedKind::BagOrder { bag: boxed(bag), keys }, ty, span })
            }
            NestedOperator::Distinct { input } => {
                let (bag, _) = self.bag_input(input, scope)?;
                let ty = bag.ty.clone();
                Ok(TypedExpression { kind: TypedKind::BagDistinct(boxed(bag)), ty, span })
            }
            NestedOperator::Limit { input, count } => {
                let (bag, _) = self.bag_input(input, scope)?;
                let count = self.whole_number(count, scope, "LIMIT")?;
                let ty = bag.ty.clone();
                let kind = TypedKind::BagLimit { bag: boxed(bag), count: boxed(count) };
                Ok(TypedExpression { kind, ty, span })
            }
            NestedOperator::Cross { inputs } => self.nested_cross(inputs, scope, span),
            NestedOperator::Foreach { input, items } => self.nested_foreach(input, items, scope, span),
        }
    }

    /// A bag, and the fields of its tuples.
    fn bag_input(
        &mut self,
        input: &Expression,
        scope: &Scope<'_>,
    ) -> Checked<(TypedExpression, Option<Schema>)> {
        let bag = self.expression(input, scope)?;
        match bag.ty.clone() {
            PigType::Bag { fields, .. } => Ok((bag, fields)),
            PigType::Bytearray(_) => {
                let ty = PigType::Bag { tuple_name: None, fields: None };
                Ok((bag.into_type(&ty), None))
            }
            ty => {
                let fault = format!("a nested operator works on a bag, not on {}", type_name(&ty));
                Err(self.fault(Diagnostic::invalid(fault, input.span)))
            }
        }
    }

    fn nested_cross(
        &mut self,
        inputs: &[Expression],
        scope: &Scope<'_>,
        span: Span,
    ) -> Checked<TypedExpression> {
        let mut bags = Vec::new();
        let mut all = Some(Vec::new());
        for input in inputs {
            let named = self.named(input, scope)?;
            let (bag, fields) = self.bag_input(input, scope)?;
            let prefixed = fields.map(|schema| {
                schema.fields.into_iter().map(|field| {
                    let name = match (&named.name, field.name) {
                        (Some(prefix), Some(name)) => Some(format!("{prefix}::{name}")),
                        (_, name) => name,
                    };
                    Field { name, ty: field.ty }
                })
            });
            match (&mut all, prefixed) {
                (Some(all), Some(fields)) => all.extend(fields),
                _ => all = None,
            }
            bags.push(bag);
        }
        let ty = PigType::Bag { tuple_name: None, fields: all.map(Schema::new) };
        Ok(TypedExpression { kind: TypedKind::BagCross(bags), ty, span })
    }

    fn nested_foreach(
        &mut self,
        input: &Expression,
        items: &[GenerateItem],
        scope: &Scope<'_>,
        span: Span,
    ) -> Checked<TypedExpression> {
        let (bag, fields) = self.bag_input(input, scope)?;
        let inner = scope.inside(fields.as_ref());
        let made = self.generate(items, &inner, span)?;
        let before = made.casts.as_ref().map(|(before, _)| before.clone()).or_else(|| made.schema.clone());
        let kind = TypedKind::BagForeach { bag: boxed(bag), items: made.items };
        let bag = TypedExpression { kind, ty: PigType::Bag { tuple_name: None, fields: before }, span };
        Ok(match made.casts {
            None => bag,
            Some((_, casts)) => {
                let ty = PigType::Bag { tuple_name: None, fields: made.schema };
                TypedExpression { kind: TypedKind::BagForeach { bag: boxed(bag), items: casts }, ty, span }
            }
        })
    }

    /// Keys over the tuples of a scope, and whether they descend.
    pub(crate) fn sort_keys(
        &mut self,
        keys: &[OrderKey],
        scope: &Scope<'_>,
    ) -> Checked<Vec<(TypedExpression, bool)>> {
        let mut all = Vec::new();
        for key in keys {
            for Named { expression, span, .. } in
                self.expanded(std::slice::from_ref(&key.expression), scope)?
            {
                if expression.ty.is_complex() {
                    let text = format!("rows cannot be ordered by a {}", type_name(&expression.ty));
                    return Err(self.invalid(text, span));
                }
                all.push((expression, key.descending));
            }
        }
        Ok(all)
    }

    /// A number of rows, as a long.
    pub(crate) fn whole_number(
        &mut self,
        count: &Expression,
        scope: &Scope<'_>,
        what: &str,
    ) -> Checked<TypedExpression> {
        let typed = self.expression(count, scope)?;
        match &typed.ty {
            PigType::Int | PigType::Long | PigType::Bytearray(_) => Ok(typed.into_type(&PigType::Long)),
            ty => {
                let text = format!("{what} takes a whole number, not {}", type_name(ty));
                Err(self.invalid(text, count.span))
            }
        }
    }
}
