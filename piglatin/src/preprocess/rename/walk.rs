//! Names in expressions.

use super::scope::{Bags, Scope};
use crate::ast::{Column, Expression, ExpressionKind, Name, NestedOperator, NestedStatement};

impl Scope<'_> {
    pub(super) fn nested(&mut self, statement: &NestedStatement, bags: &Bags) {
        match &statement.operator {
            NestedOperator::Expression(input) | NestedOperator::Distinct { input } => {
                self.expression(input, bags)
            }
            NestedOperator::Filter { input, condition: other }
            | NestedOperator::Limit { input, count: other } => {
                self.expression(input, bags);
                self.expression(other, bags);
            }
            NestedOperator::Order { input, keys } => {
                self.expression(input, bags);
                keys.iter().for_each(|key| self.expression(&key.expression, bags));
            }
            NestedOperator::Cross { inputs } => inputs.iter().for_each(|input| self.expression(input, bags)),
            NestedOperator::Foreach { input, items } => {
                self.expression(input, bags);
                items.iter().for_each(|item| self.expression(&item.expression, bags));
            }
        }
        self.nested.insert(statement.alias.text.clone());
    }

    /// Names in an expression over a relation with these bags.
    pub(super) fn expression(&mut self, expression: &Expression, bags: &Bags) {
        match &expression.kind {
            ExpressionKind::Constant(_) | ExpressionKind::Star => {}
            ExpressionKind::Column(column) => self.column(column, bags),
            ExpressionKind::Range { from, to } => {
                from.iter().chain(to).for_each(|column| self.column(column, bags));
            }
            ExpressionKind::Dereference { base, fields, .. } => {
                match &base.kind {
                    ExpressionKind::Column(Column::Name(name)) if self.is_relation(&name.text) => {
                        self.edit(name, 0, &name.text);
                    }
                    _ => self.expression(base, bags),
                }
                // Behind the dot only the prefix of a field is a relation's name.
                let none = Bags::new();
                fields.iter().for_each(|field| self.column(field, &none));
            }
            ExpressionKind::MapLookup { base: operand, .. }
            | ExpressionKind::Cast { operand, .. }
            | ExpressionKind::Unary { operand, .. }
            | ExpressionKind::IsNull { operand, .. }
            | ExpressionKind::Flatten(operand) => self.expression(operand, bags),
            ExpressionKind::Call { arguments: parts, .. }
            | ExpressionKind::Tuple(parts)
            | ExpressionKind::Bag(parts) => parts.iter().for_each(|part| self.expression(part, bags)),
            ExpressionKind::Binary { left, right, .. } => {
                self.expression(left, bags);
                self.expression(right, bags);
            }
            ExpressionKind::In { operand, list } => {
                self.expression(operand, bags);
                list.iter().for_each(|one| self.expression(one, bags));
            }
            ExpressionKind::Bincond { condition, then, otherwise } => {
                [condition, then, otherwise].into_iter().for_each(|part| self.expression(part, bags));
            }
            ExpressionKind::Case { operand, branches, otherwise } => {
                operand.iter().chain(otherwise).for_each(|part| self.expression(part, bags));
                for branch in branches {
                    self.expression(&branch.when, bags);
                    self.expression(&branch.then, bags);
                }
            }
            ExpressionKind::Map(entries) => entries.iter().for_each(|(key, value)| {
                self.expression(key, bags);
                self.expression(value, bags);
            }),
        }
    }

    fn is_relation(&self, name: &str) -> bool {
        self.made.contains_key(name) && !self.nested.contains(name)
    }

    fn column(&mut self, column: &Column, bags: &Bags) {
        let Column::Name(name) = column else { return };
        if name.text.contains("::") {
            self.prefixes(name);
        } else if bags.contains(&name.text) && !self.nested.contains(&name.text) {
            self.edit(name, 0, &name.text);
        } else if let Some(ranked) = name.text.strip_prefix("rank_")
            && self.is_relation(ranked)
        {
            // RANK names its field after the relation.
            self.edit(name, "rank_".len(), ranked);
        }
    }

    /// `A::B::x`: all but the last part.
    fn prefixes(&mut self, name: &Name) {
        let mut from = 0;
        let mut parts = name.text.split("::").peekable();
        while let Some(part) = parts.next() {
            if parts.peek().is_some() && self.made.contains_key(part) {
                self.edit(name, from, part);
            }
            from += part.len() + 2;
        }
    }
}
