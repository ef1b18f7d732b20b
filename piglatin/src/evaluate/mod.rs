//! What typed expressions mean: a value for each row. Engines may compute otherwise; their answers are these.

mod bag;
mod context;
mod expression;
mod flatten;
mod scope;
#[cfg(test)]
mod tests;

pub use context::{EvaluateContext, EvaluateError};
pub use flatten::{FlattenItem, flatten_rows};
pub use scope::Scope;

use crate::logical::{ForeachItem, TypedExpression};
use crate::value::Value;

/// The value of an expression for one row.
///
/// # Errors
/// What ends a run: a function that fails, a pattern of the data that is none, a scalar relation of several rows, a LIMIT
/// that is no number; and a plan whose types are not those of its values.
pub fn evaluate(
    expression: &TypedExpression,
    scope: &Scope<'_>,
    context: &mut dyn EvaluateContext,
) -> Result<Value, EvaluateError> {
    expression::value(expression, scope, context).map(std::borrow::Cow::into_owned)
}

/// The rows that the items of a GENERATE make of one row: one, unless there is a FLATTEN (N43).
///
/// # Errors
/// As of [`evaluate`].
pub fn generate(
    items: &[ForeachItem],
    scope: &Scope<'_>,
    context: &mut dyn EvaluateContext,
) -> Result<Vec<Vec<Value>>, EvaluateError> {
    let values = items
        .iter()
        .map(|item| {
            let value = evaluate(&item.expression, scope, context)?;
            Ok(FlattenItem { value, ty: &item.expression.ty, flatten: item.flatten.as_ref() })
        })
        .collect::<Result<Vec<_>, EvaluateError>>()?;
    Ok(flatten_rows(values))
}

/// The values of a block's bindings, each over those before it.
///
/// # Errors
/// As of [`evaluate`].
pub fn bind(
    bindings: &[TypedExpression],
    row: &[Value],
    context: &mut dyn EvaluateContext,
) -> Result<Vec<Value>, EvaluateError> {
    let mut values = Vec::with_capacity(bindings.len());
    for binding in bindings {
        let value = evaluate(binding, &Scope::new(row, &values), context)?;
        values.push(value);
    }
    Ok(values)
}
