use crate::ast::{
    Column, Expression, ExpressionKind, GenerateItem, NestedOperator, NestedStatement, OrderKey,
};
use crate::check::operators::boxed;
use crate::check::scope::{Named, Scope};
use crate::check::{Checked, Checker};
use crate::logical::{TypedExpression, TypedKind};
use crate::source::Span;
use crate::types::{Field, PigType, Schema, type_name};
use crate::value::Value;

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
        self.as_bag(bag, input.span)
    }

    fn as_bag(&mut self, bag: TypedExpression, span: Span) -> Checked<(TypedExpression, Option<Schema>)> {
        match bag.ty.clone() {
            PigType::Bag { fields, .. } => Ok((bag, fields)),
            PigType::Bytearray(_) => {
                let ty = PigType::Bag { tuple_name: None, fields: None };
                Ok((bag.into_type(&ty), None))
            }
            ty => {
                let fault = format!("a nested operator works on a bag, not on {}", type_name(&ty));
                Err(self.invalid(fault, span))
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
            let (bag, fields) = self.as_bag(named.expression, input.span)?;
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
        let before = made.made();
        let kind = TypedKind::BagForeach { bag: boxed(bag), items: made.items };
        let bag = TypedExpression { kind, ty: PigType::Bag { tuple_name: None, fields: before }, span };
        Ok(match made.casts {
            None => bag,
            Some(casts) => {
                let ty = PigType::Bag { tuple_name: None, fields: made.schema };
                let kind = TypedKind::BagForeach { bag: boxed(bag), items: casts.items };
                TypedExpression { kind, ty, span }
            }
        })
    }

    /// Keys over the tuples of a scope, and whether they descend.
    pub(crate) fn sort_keys(
        &mut self,
        keys: &[OrderKey],
        scope: &Scope<'_>,
    ) -> Checked<Vec<(TypedExpression, bool)>> {
        let before = keys.split_last().map_or(&[][..], |(_, before)| before);
        if scope.schema.is_none()
            && let Some(open) = before.iter().find(|key| open_from(&key.expression).is_some())
        {
            let text = "where the fields are not known, all columns from one on are the last key";
            return Err(self.invalid(text, open.expression.span));
        }
        let all: Vec<Checked<Vec<_>>> = keys.iter().map(|key| self.sort_key(key, scope)).collect();
        Ok(all.into_iter().collect::<Checked<Vec<_>>>()?.into_iter().flatten().collect())
    }

    fn sort_key(&mut self, key: &OrderKey, scope: &Scope<'_>) -> Checked<Vec<(TypedExpression, bool)>> {
        if let (Some(from), None) = (open_from(&key.expression), scope.schema) {
            // The rest of a row of any width, compared as one value.
            let (kind, span) = (TypedKind::Row { depth: 0, from, to: None }, key.expression.span);
            let row = TypedExpression { kind, ty: PigType::Tuple(None), span };
            return Ok(vec![(row.into_type(&PigType::DYNAMIC), key.descending)]);
        }
        let columns = self.expanded(std::slice::from_ref(&key.expression), scope)?;
        for Named { expression, span, .. } in &columns {
            if expression.ty.is_complex() {
                let text = format!("rows cannot be ordered by a {}", type_name(&expression.ty));
                return Err(self.invalid(text, *span));
            }
        }
        Ok(columns.into_iter().map(|column| (column.expression, key.descending)).collect())
    }

    /// A number of rows, as a long.
    pub(crate) fn whole_number(
        &mut self,
        count: &Expression,
        scope: &Scope<'_>,
        what: &str,
    ) -> Checked<TypedExpression> {
        let typed = self.expression(count, scope)?;
        if let TypedKind::Constant(Value::Int(i32::MIN..=-1) | Value::Long(i64::MIN..=-1)) = &typed.kind {
            return Err(self.invalid(format!("{what} takes a number that is not negative"), count.span));
        }
        match &typed.ty {
            PigType::Int | PigType::Long | PigType::Bytearray(_) => Ok(typed.into_type(&PigType::Long)),
            ty => {
                let text = format!("{what} takes a whole number, not {}", type_name(ty));
                Err(self.invalid(text, count.span))
            }
        }
    }
}

/// The first column of `*` or of a range of positions without an end.
fn open_from(expression: &Expression) -> Option<usize> {
    match &expression.kind {
        ExpressionKind::Star | ExpressionKind::Range { from: None, to: None } => Some(0),
        ExpressionKind::Range { from: Some(Column::Position { index, .. }), to: None } => Some(*index),
        _ => None,
    }
}
