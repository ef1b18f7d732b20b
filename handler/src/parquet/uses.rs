//! What an expression looks at, if somebody looks at parts of its value.
//!
//! Every function that is not known here looks at all of its arguments.

use std::collections::BTreeMap;

use datafusion::arrow::datatypes::DataType;
use datafusion::common::tree_node::{TreeNode, TreeNodeRecursion};
use datafusion::common::{Column, DFSchema, DataFusionError, ScalarValue};
use datafusion::error::Result;
use datafusion::logical_expr::expr::{AggregateFunction, Case, HigherOrderFunction, ScalarFunction};
use datafusion::logical_expr::{Expr, ExprSchemable};

use super::access::{Access, ELEMENT, VALUE};

/// Gathers what expressions look at of their input's columns.
pub(super) struct Uses<'s> {
    schema: &'s DFSchema,
    /// Per column of the schema.
    columns: Vec<Access>,
    /// Per parameter of the lambdas that are being looked through.
    parameters: BTreeMap<String, Access>,
}

impl<'s> Uses<'s> {
    /// Nothing is looked at yet.
    pub(super) fn new(schema: &'s DFSchema) -> Self {
        let columns = vec![Access::presence(); schema.fields().len()];
        Self { schema, columns, parameters: BTreeMap::new() }
    }

    /// What was gathered, per column.
    pub(super) fn into_columns(self) -> Vec<Access> {
        self.columns
    }

    /// Looks at a part of a column by its place.
    pub(super) fn column_at(&mut self, index: usize, need: Access) -> Result<()> {
        match self.columns.get_mut(index) {
            Some(known) => {
                known.merge(need);
                Ok(())
            }
            None => Err(DataFusionError::Internal("a plan names a column that its input lacks".into())),
        }
    }

    /// Looks at a part of a column.
    pub(super) fn column(&mut self, column: &Column, need: Access) -> Result<()> {
        self.column_at(self.schema.index_of_column(column)?, need)
    }

    /// Looks at all that an expression gives.
    pub(super) fn whole(&mut self, expr: &Expr) -> Result<()> {
        self.expression(expr, Access::Whole)
    }

    /// Looks at parts of what an expression gives.
    pub(super) fn expression(&mut self, expr: &Expr, need: Access) -> Result<()> {
        match expr {
            Expr::Column(column) => self.column(column, need),
            Expr::Alias(alias) => self.expression(&alias.expr, need),
            Expr::IsNull(inner) | Expr::IsNotNull(inner) => self.expression(inner, Access::presence()),
            Expr::Case(case) => self.case(case, need),
            Expr::ScalarFunction(call) => self.call(expr, call, need),
            Expr::AggregateFunction(call) => self.aggregate(expr, call),
            Expr::HigherOrderFunction(call) => self.higher_order(expr, call, need),
            Expr::LambdaVariable(variable) => {
                match self.parameters.get_mut(&variable.name) {
                    Some(known) => known.merge(need),
                    None => {
                        self.parameters.insert(variable.name.clone(), need);
                    }
                }
                Ok(())
            }
            _ => self.children(expr),
        }
    }

    fn children(&mut self, expr: &Expr) -> Result<()> {
        expr.apply_children(|child| {
            self.whole(child)?;
            Ok(TreeNodeRecursion::Continue)
        })?;
        Ok(())
    }

    fn wholes(&mut self, expressions: &[Expr]) -> Result<()> {
        expressions.iter().try_for_each(|expr| self.whole(expr))
    }

    fn case(&mut self, case: &Case, need: Access) -> Result<()> {
        if let Some(operand) = &case.expr {
            self.whole(operand)?;
        }
        for (when, then) in &case.when_then_expr {
            self.whole(when)?;
            self.expression(then, need.clone())?;
        }
        case.else_expr.iter().try_for_each(|other| self.expression(other, need.clone()))
    }

    /// `count(x)` counts what is there.
    fn aggregate(&mut self, expr: &Expr, call: &AggregateFunction) -> Result<()> {
        let params = &call.params;
        if call.func.name() != "count" || params.distinct || !params.order_by.is_empty() {
            return self.children(expr);
        }
        for argument in &params.args {
            self.expression(argument, Access::presence())?;
        }
        params.filter.iter().try_for_each(|filter| self.whole(filter))
    }

    fn call(&mut self, expr: &Expr, call: &ScalarFunction, need: Access) -> Result<()> {
        let Some((first, rest)) = call.args.split_first() else { return Ok(()) };
        let element = || need.of(ELEMENT).cloned().unwrap_or_else(Access::presence);
        let of_value = |need: Access| match first.get_type(self.schema) {
            Ok(DataType::Map(_, _)) => Access::part(VALUE, need),
            _ => Access::Whole,
        };
        let access = match call.func.name() {
            "get_field" => match self.field_path(first, rest, need) {
                Some(access) => return self.expression(first, access),
                None => return self.children(expr),
            },
            "array_element" => match first.get_type(self.schema) {
                Ok(DataType::List(_)) => Access::part(ELEMENT, need),
                _ => Access::Whole,
            },
            "cardinality" | "empty" => Access::presence(),
            "array_length" if rest.is_empty() => Access::presence(),
            "map_keys" => Access::presence(),
            "map_values" | "map_extract" => of_value(element()),
            "map_entries" => of_value(element().of(VALUE).cloned().unwrap_or_else(Access::presence)),
            "array_slice" | "array_reverse" | "array_pop_back" | "array_pop_front" => need,
            "coalesce" => {
                return call.args.iter().try_for_each(|argument| self.expression(argument, need.clone()));
            }
            "named_struct" => return self.named_struct(&call.args, &need),
            _ => return self.children(expr),
        };
        self.expression(first, access)?;
        self.wholes(rest)
    }

    /// What `get_field` looks at of its first argument; None where a key is not written out.
    fn field_path(&self, source: &Expr, keys: &[Expr], need: Access) -> Option<Access> {
        let mut data_type = source.get_type(self.schema).ok()?;
        let mut steps = Vec::new();
        for key in keys {
            let Expr::Literal(key, _) = key else { return None };
            let next = match &data_type {
                DataType::Struct(fields) => {
                    let name = text(key)?;
                    steps.push(name.to_owned());
                    fields.iter().find(|field| field.name() == name)?.data_type().clone()
                }
                DataType::Map(entries, _) => {
                    steps.push(VALUE.to_owned());
                    let DataType::Struct(pair) = entries.data_type() else { return None };
                    pair.get(1)?.data_type().clone()
                }
                _ => return None,
            };
            data_type = next;
        }
        Some(steps.into_iter().rev().fold(need, |inner, step| Access::part(step, inner)))
    }

    fn named_struct(&mut self, args: &[Expr], need: &Access) -> Result<()> {
        for pair in args.chunks(2) {
            if let [Expr::Literal(name, _), value] = pair {
                let part = text(name).and_then(|name| need.of(name)).cloned();
                self.expression(value, part.unwrap_or_else(Access::presence))?;
            } else {
                self.wholes(pair)?;
            }
        }
        Ok(())
    }

    /// A function of a list and of what is done with each element.
    fn higher_order(&mut self, expr: &Expr, call: &HigherOrderFunction, need: Access) -> Result<()> {
        let (Some(list), Some(Expr::Lambda(lambda)), 2) =
            (call.args.first(), call.args.get(1), call.args.len())
        else {
            return self.children(expr);
        };
        let inner = match call.func.name() {
            "array_transform" => need.of(ELEMENT).cloned().unwrap_or_else(Access::presence),
            "array_filter" | "array_any_match" => Access::Whole,
            _ => return self.children(expr),
        };
        let [parameter] = lambda.params.as_slice() else { return self.children(expr) };
        // A parameter hides one of the same name further out.
        let hidden = self.parameters.remove(parameter);
        self.expression(&lambda.body, inner)?;
        let element = self.parameters.remove(parameter).unwrap_or_else(Access::presence);
        if let Some(hidden) = hidden {
            self.parameters.insert(parameter.clone(), hidden);
        }
        let mut access = Access::part(ELEMENT, element);
        if call.func.name() == "array_filter" {
            access.merge(need);
        }
        self.expression(list, access)
    }
}

/// The name that a key gives.
fn text(key: &ScalarValue) -> Option<&str> {
    key.try_as_str().flatten()
}
