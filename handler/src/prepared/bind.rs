//! Values into plans and filters.

use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::common::{ParamValues, Result, ScalarValue};
use datafusion::logical_expr::expr::Placeholder;
use datafusion::logical_expr::{Cast, DmlStatement, Expr, LogicalPlan, Projection};
use std::sync::Arc;

use datafusion::arrow::datatypes::{DataType, Field};

/// The plan with the values as constants in the place of parameters.
pub(super) fn values_into(plan: &LogicalPlan, values: &[ScalarValue]) -> Result<LogicalPlan> {
    let values = ParamValues::from(values.to_vec());
    let bound = plan.clone().replace_params_with_values(&values)?;
    match (plan, bound) {
        (LogicalPlan::Dml(before), LogicalPlan::Dml(bound)) => as_written(before, bound),
        (_, bound) => Ok(bound),
    }
}

/// A parameter that is written was expected to have its column's type, so that no cast was planned; where the value has
/// another one the cast is planned now.
fn as_written(before: &DmlStatement, bound: DmlStatement) -> Result<LogicalPlan> {
    let (expected, found) = (before.input.schema(), bound.input.schema());
    let same = |index: usize| expected.field(index).data_type() == found.field(index).data_type();
    if expected.fields().len() != found.fields().len() || (0..found.fields().len()).all(same) {
        return Ok(LogicalPlan::Dml(bound));
    }
    // Whoever rewrites the statement later looks for its values in the topmost projection.
    let (values, input) = match bound.input.as_ref() {
        LogicalPlan::Projection(values) => (values.expr.clone(), Arc::clone(&values.input)),
        _ => (found.columns().into_iter().map(Expr::Column).collect(), Arc::clone(&bound.input)),
    };
    let cast = |(index, value): (usize, Expr)| {
        if same(index) {
            return value;
        }
        let (qualifier, field) = expected.qualified_field(index);
        let cast = Expr::Cast(Cast::new(Box::new(value.unalias()), field.data_type().clone()));
        cast.alias_qualified(qualifier.cloned(), field.name())
    };
    let values = values.into_iter().enumerate().map(cast).collect();
    let input = Arc::new(LogicalPlan::Projection(Projection::try_new(values, input)?));
    Ok(LogicalPlan::Dml(DmlStatement { input, ..bound }))
}

/// The plan with parameters of these types.
pub(super) fn types_into(plan: &LogicalPlan, types: &[DataType]) -> Result<LogicalPlan> {
    let typed = plan.clone().transform_up_with_subqueries(|node| {
        let typed = node.map_expressions(|expr| {
            expr.transform_up(|part| match part {
                Expr::Placeholder(Placeholder { id, .. }) => {
                    let field = index_of(&id).and_then(|index| types.get(index));
                    let field = field.map(|data_type| Arc::new(Field::new(&id, data_type.clone(), true)));
                    Ok(Transformed::yes(Expr::Placeholder(Placeholder::new_with_field(id, field))))
                }
                other => Ok(Transformed::no(other)),
            })
        })?;
        if typed.transformed { typed.map_data(LogicalPlan::recompute_schema) } else { Ok(typed) }
    })?;
    Ok(typed.data)
}

/// The position of a parameter, from 0.
pub(super) fn index_of(id: &str) -> Option<usize> {
    id.strip_prefix('$')?.parse::<usize>().ok()?.checked_sub(1)
}

/// The filter with the values as constants. A constant under a cast is cast: the plan had to leave that open.
///
/// # Errors
/// A value cannot be cast; planned as a constant it may never be.
pub(super) fn values_into_filter(filter: &Expr, values: &[ScalarValue]) -> Result<Expr> {
    let bound = filter.clone().transform_up(|part| match part {
        Expr::Placeholder(Placeholder { ref id, .. }) => {
            match index_of(id).and_then(|index| values.get(index)) {
                Some(value) => Ok(Transformed::yes(Expr::Literal(value.clone(), None))),
                None => Ok(Transformed::no(part)),
            }
        }
        Expr::Cast(Cast { ref expr, ref field }) => match expr.as_ref() {
            Expr::Literal(value, _) => {
                Ok(Transformed::yes(Expr::Literal(value.cast_to(field.data_type())?, None)))
            }
            _ => Ok(Transformed::no(part)),
        },
        other => Ok(Transformed::no(other)),
    })?;
    Ok(bound.data)
}
