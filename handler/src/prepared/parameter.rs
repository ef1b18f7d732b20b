//! The parameters of a statement, and the values given for them.

use datafusion::arrow::datatypes::DataType;
use datafusion::common::ScalarValue;
use datafusion::logical_expr::LogicalPlan;

use crate::error::{HandlerError, Result};
use crate::statement::sql_type_name;

/// A parameter of a prepared statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parameter {
    /// The type that the statement expects: the declared one, or that of what the parameter is compared with or written
    /// to. `None` if the statement does not tell.
    pub data_type: Option<DataType>,
    /// Whether PREPARE declared the type. A value is cast to a declared type; otherwise it keeps its own, as a constant in
    /// the text would.
    pub declared: bool,
}

/// The parameters of a plan: `count` of them, with the types that PREPARE declared, if it did.
pub(super) fn of_plan(plan: &LogicalPlan, count: usize, declared: &[DataType]) -> Vec<Parameter> {
    // A parameter that stands in two places may be expected to have two types; then it has none in particular.
    let expected = plan.get_parameter_fields().unwrap_or_default();
    let parameter = |number: usize| match declared.get(number - 1) {
        Some(data_type) => Parameter { data_type: Some(data_type.clone()), declared: true },
        None => {
            let field = expected.get(&format!("${number}")).cloned().flatten();
            Parameter { data_type: field.map(|field| field.data_type().clone()), declared: false }
        }
    };
    (1..=count).map(parameter).collect()
}

/// Whether the values can be used as they are: there are as many as parameters, and no type was declared.
pub(super) fn fit_as_they_are(parameters: &[Parameter], values: &[ScalarValue]) -> bool {
    parameters.len() == values.len() && !parameters.iter().any(|parameter| parameter.declared)
}

/// The values as the statement takes them.
///
/// # Errors
/// `Invalid`: more or fewer values than parameters, or one that cannot be cast to its declared type.
pub(super) fn fit(parameters: &[Parameter], values: &[ScalarValue]) -> Result<Vec<ScalarValue>> {
    if parameters.len() != values.len() {
        let takes = match parameters {
            [] => "takes no parameters".to_owned(),
            [_] => "takes one parameter".to_owned(),
            many => format!("takes {} parameters", many.len()),
        };
        return Err(HandlerError::invalid(format!(
            "the statement {takes}{}, {} values were given",
            signature(parameters),
            values.len()
        )));
    }
    let cast = |(number, (parameter, value)): (usize, (&Parameter, &ScalarValue))| {
        let Some(data_type) = parameter.data_type.as_ref().filter(|_| parameter.declared) else {
            return Ok(value.clone());
        };
        value.cast_to(data_type).map_err(|error| {
            let reason = HandlerError::from(error).message;
            HandlerError::invalid(format!(
                "${number} was declared {}, the value {value} cannot be cast to it: {reason}",
                sql_type_name(data_type)
            ))
        })
    };
    (1..).zip(parameters.iter().zip(values)).map(cast).collect()
}

/// The types of the parameters for an error, in parentheses.
pub(super) fn signature(parameters: &[Parameter]) -> String {
    if parameters.is_empty() {
        return String::new();
    }
    let name = |(number, parameter): (usize, &Parameter)| match &parameter.data_type {
        Some(data_type) => format!("${number} {}", sql_type_name(data_type)),
        None => format!("${number}"),
    };
    let names: Vec<String> = (1..).zip(parameters).map(name).collect();
    format!(" ({})", names.join(", "))
}

/// The same error with the parameters and the values' types, where values that do not fit may be the reason.
pub(super) fn with_types(
    error: HandlerError,
    parameters: &[Parameter],
    values: &[ScalarValue],
) -> HandlerError {
    let same = |(parameter, value): (&Parameter, &ScalarValue)| {
        value.is_null() || parameter.data_type.as_ref().is_none_or(|expected| *expected == value.data_type())
    };
    if parameters.iter().zip(values).all(same) {
        return error;
    }
    let given: Vec<String> = (1..)
        .zip(values)
        .map(|(number, value)| format!("${number} {}", sql_type_name(&value.data_type())))
        .collect();
    let message = format!(
        "{}; the values are {}, the parameters{}",
        error.message,
        given.join(", "),
        signature(parameters)
    );
    HandlerError { message, ..error }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parameter(data_type: Option<DataType>, declared: bool) -> Parameter {
        Parameter { data_type, declared }
    }

    #[test]
    fn values_are_counted_and_cast_to_what_was_declared() {
        let int = || parameter(Some(DataType::Int32), true);
        let free = || parameter(Some(DataType::Int32), false);
        let value = |value: i64| ScalarValue::Int64(Some(value));
        assert!(fit_as_they_are(&[free()], &[value(1)]) && !fit_as_they_are(&[int()], &[value(1)]));
        assert_eq!(fit(&[int(), free()], &[value(1), value(2)]).unwrap(), [1_i32.into(), value(2)]);
        assert_eq!(fit(&[int()], &[ScalarValue::Null]).unwrap(), [ScalarValue::Int32(None)]);
        let error = fit(&[int()], &["x".into()]).unwrap_err();
        assert!(error.message.starts_with("$1 was declared INT"), "{error}");
        let error = fit(&[int()], &[value(1 << 40)]).unwrap_err();
        assert!(error.message.contains("cannot be cast"), "{error}");
        let error = fit(&[free(), parameter(None, false)], &[]).unwrap_err();
        assert_eq!(error.message, "the statement takes 2 parameters ($1 INT, $2), 0 values were given");
        let error = fit(&[], &[value(1)]).unwrap_err();
        assert_eq!(error.message, "the statement takes no parameters, 1 values were given");
    }

    #[test]
    fn types_are_told_where_they_differ() {
        let parameters = [parameter(Some(DataType::Int64), false)];
        let told =
            |value: ScalarValue| with_types(HandlerError::invalid("no"), &parameters, &[value]).message;
        assert_eq!(told(1_i64.into()), "no");
        assert_eq!(told(ScalarValue::Null), "no");
        assert_eq!(told(true.into()), "no; the values are $1 BOOLEAN, the parameters ($1 BIGINT)");
    }
}
