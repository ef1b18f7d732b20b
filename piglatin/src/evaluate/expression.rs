use std::borrow::Cow;

use super::bag;
use super::{EvaluateContext, EvaluateError, Scope};
use crate::logical::{TypedExpression, TypedKind};
use crate::types::PigType;
use crate::value::arithmetic::{arithmetic, negate};
use crate::value::cast::{cast, cast_owned};
use crate::value::order::compare_values;
use crate::value::{Value, to_text};

pub(super) type Answer<'a> = Result<Cow<'a, Value>, EvaluateError>;

const NULL: &Value = &Value::Null;

/// The value of an expression; fields of rows are borrowed, as bags may be large.
pub(super) fn value<'a>(
    expression: &'a TypedExpression,
    scope: &Scope<'a>,
    context: &mut dyn EvaluateContext,
) -> Answer<'a> {
    Ok(match &expression.kind {
        TypedKind::Constant(value) => Cow::Borrowed(value),
        TypedKind::Field { depth, index } | TypedKind::DynamicField { depth, index } => {
            Cow::Borrowed(row(scope, *depth)?.get(*index).unwrap_or(NULL))
        }
        TypedKind::Row { depth, from, to } => Cow::Owned(range(row(scope, *depth)?, *from, *to)),
        TypedKind::Binding { index } => Cow::Borrowed(
            scope
                .binding(*index)
                .ok_or(EvaluateError::Type { expected: "a binding", found: String::new() })?,
        ),
        TypedKind::TupleField { tuple, index } => project(
            value(tuple, scope, context)?,
            |fields| fields.get(*index),
            |mut fields| {
                if *index < fields.len() { fields.swap_remove(*index) } else { Value::Null }
            },
        )?,
        TypedKind::TupleProject { tuple, indices } => match &*value(tuple, scope, context)? {
            Value::Null => Cow::Borrowed(NULL),
            Value::Tuple(fields) => Cow::Owned(Value::Tuple(pick(fields, indices))),
            other => return Err(mismatch("a tuple", other)),
        },
        TypedKind::BagProject { bag, indices } => match &*value(bag, scope, context)? {
            Value::Null => Cow::Borrowed(NULL),
            Value::Bag(items) => Cow::Owned(Value::Bag(
                items.iter().map(|item| Value::Tuple(pick(bag::fields(item), indices))).collect(),
            )),
            other => return Err(mismatch("a bag", other)),
        },
        TypedKind::MapLookup { map, key } => match value(map, scope, context)? {
            Cow::Borrowed(Value::Map(entries)) => Cow::Borrowed(entries.get(key).unwrap_or(NULL)),
            Cow::Owned(Value::Map(mut entries)) => Cow::Owned(entries.remove(key).unwrap_or(Value::Null)),
            other if is_null(&other) => other,
            other => return Err(mismatch("a map", &other)),
        },
        TypedKind::Cast(inner) => match value(inner, scope, context)? {
            Cow::Owned(inner) => Cow::Owned(cast_owned(inner, &expression.ty, context)),
            borrowed if matches!(expression.ty, PigType::Bytearray(_)) => borrowed,
            borrowed => Cow::Owned(cast(&borrowed, &expression.ty, context)),
        },
        TypedKind::Arithmetic { op, left, right } => {
            let (left, right) = (value(left, scope, context)?, value(right, scope, context)?);
            let answer = arithmetic(*op, &left, &right, context);
            Cow::Owned(answer.ok_or_else(|| {
                mismatch("two numbers of one type", if is_number(&left) { &right } else { &left })
            })?)
        }
        TypedKind::Negate(inner) => {
            let inner = value(inner, scope, context)?;
            Cow::Owned(negate(&inner).ok_or_else(|| mismatch("a number", &inner))?)
        }
        TypedKind::Compare { op, left, right } => {
            let (left, right) = (value(left, scope, context)?, value(right, scope, context)?);
            truth(compare_values(*op, &left, &right))
        }
        TypedKind::Matches { value: tested, pattern } => {
            let (tested, pattern) = (value(tested, scope, context)?, value(pattern, scope, context)?);
            truth(matches(&tested, &pattern, context)?)
        }
        // The right side is not asked for where the left one decides.
        TypedKind::And(left, right) => match boolean(left, scope, context)? {
            Some(false) => truth(Some(false)),
            left => match (left, boolean(right, scope, context)?) {
                (_, Some(false)) => truth(Some(false)),
                (Some(true), Some(true)) => truth(Some(true)),
                _ => truth(None),
            },
        },
        TypedKind::Or(left, right) => match boolean(left, scope, context)? {
            Some(true) => truth(Some(true)),
            left => match (left, boolean(right, scope, context)?) {
                (_, Some(true)) => truth(Some(true)),
                (Some(false), Some(false)) => truth(Some(false)),
                _ => truth(None),
            },
        },
        TypedKind::Not(inner) => truth(boolean(inner, scope, context)?.map(|value| !value)),
        TypedKind::IsNull(inner) => truth(Some(is_null(&*value(inner, scope, context)?))),
        TypedKind::Bincond { condition, then, otherwise } => match boolean(condition, scope, context)? {
            Some(true) => value(then, scope, context)?,
            Some(false) => value(otherwise, scope, context)?,
            None => Cow::Borrowed(NULL),
        },
        TypedKind::Call { function, arguments } => {
            // Most functions of bags have one argument, which need not be copied then.
            let answer = match arguments.as_slice() {
                [only] => function.exec(std::slice::from_ref(&*value(only, scope, context)?), context),
                several => function.exec(&all(several, scope, context)?, context),
            };
            Cow::Owned(
                answer.map_err(|source| EvaluateError::Function {
                    function: function.name().to_owned(),
                    source,
                })?,
            )
        }
        TypedKind::Tuple(fields) => Cow::Owned(Value::Tuple(all(fields, scope, context)?)),
        TypedKind::Bag(items) => Cow::Owned(Value::Bag(all(items, scope, context)?)),
        TypedKind::Map(entries) => {
            let mut map = std::collections::BTreeMap::new();
            for (key, entry) in entries {
                // A null key has no entry.
                match value(key, scope, context)?.into_owned() {
                    Value::Null => {}
                    Value::Chararray(key) => {
                        map.insert(key, value(entry, scope, context)?.into_owned());
                    }
                    other => return Err(mismatch("a chararray", &other)),
                }
            }
            Cow::Owned(Value::Map(map))
        }
        TypedKind::Scalar { relation, index } => Cow::Owned(context.scalar(*relation, *index)?),
        TypedKind::BagFilter { .. }
        | TypedKind::BagOrder { .. }
        | TypedKind::BagDistinct(_)
        | TypedKind::BagLimit { .. }
        | TypedKind::BagCross(_)
        | TypedKind::BagForeach { .. } => bag::value(&expression.kind, scope, context)?,
    })
}

fn row<'a>(scope: &Scope<'a>, depth: usize) -> Result<&'a [Value], EvaluateError> {
    scope.row(depth).ok_or_else(|| EvaluateError::Type { expected: "a scope", found: depth.to_string() })
}

fn all(
    expressions: &[TypedExpression],
    scope: &Scope<'_>,
    context: &mut dyn EvaluateContext,
) -> Result<Vec<Value>, EvaluateError> {
    expressions.iter().map(|inner| Ok(value(inner, scope, context)?.into_owned())).collect()
}

/// Fields of a row from one on; up to a last one, as many as asked for.
fn range(row: &[Value], from: usize, to: Option<usize>) -> Value {
    let mut fields = row.get(from..).unwrap_or_default().to_vec();
    if let Some(to) = to {
        fields.resize((to + 1).saturating_sub(from), Value::Null);
    }
    Value::Tuple(fields)
}

pub(super) fn pick(fields: &[Value], indices: &[usize]) -> Vec<Value> {
    indices.iter().map(|index| fields.get(*index).unwrap_or(NULL).clone()).collect()
}

/// A part of a tuple that is borrowed or owned; null of null.
fn project<'a>(
    tuple: Cow<'a, Value>,
    borrowed: impl FnOnce(&'a [Value]) -> Option<&'a Value>,
    owned: impl FnOnce(Vec<Value>) -> Value,
) -> Answer<'a> {
    match tuple {
        Cow::Borrowed(Value::Tuple(fields)) => Ok(Cow::Borrowed(borrowed(fields).unwrap_or(NULL))),
        Cow::Owned(Value::Tuple(fields)) => Ok(Cow::Owned(owned(fields))),
        other if is_null(&other) => Ok(other),
        other => Err(mismatch("a tuple", &other)),
    }
}

/// A boolean, or null.
pub(super) fn boolean(
    expression: &TypedExpression,
    scope: &Scope<'_>,
    context: &mut dyn EvaluateContext,
) -> Result<Option<bool>, EvaluateError> {
    match &*value(expression, scope, context)? {
        Value::Null => Ok(None),
        Value::Boolean(value) => Ok(Some(*value)),
        other => Err(mismatch("a boolean", other)),
    }
}

fn truth<'a>(value: Option<bool>) -> Cow<'a, Value> {
    Cow::Borrowed(match value {
        None => NULL,
        Some(true) => &Value::Boolean(true),
        Some(false) => &Value::Boolean(false),
    })
}

/// N33: bytes as they are; other values that carry their type, by their text.
fn matches(
    tested: &Value,
    pattern: &Value,
    context: &mut dyn EvaluateContext,
) -> Result<Option<bool>, EvaluateError> {
    let pattern = match pattern {
        Value::Null => return Ok(None),
        Value::Chararray(pattern) => pattern,
        other => return Err(mismatch("a chararray", other)),
    };
    Ok(match tested {
        Value::Null => None,
        Value::Chararray(text) => Some(context.matcher(pattern)?.matches(text)),
        Value::Bytearray(bytes) => Some(context.matcher(pattern)?.matches_bytes(bytes)?),
        other => match cast(other, &PigType::Chararray, context) {
            Value::Chararray(text) => Some(context.matcher(pattern)?.matches(&text)),
            _ => None,
        },
    })
}

pub(super) fn is_null(value: &Value) -> bool {
    matches!(value, Value::Null)
}

fn is_number(value: &Value) -> bool {
    negate(value).is_some()
}

pub(super) fn mismatch(expected: &'static str, found: &Value) -> EvaluateError {
    EvaluateError::Type { expected, found: to_text(found).chars().take(80).collect() }
}
