//! The operators of nested blocks, over bags.

use std::borrow::Cow;
use std::cmp::Ordering;

use super::expression::{self, Answer, boolean, mismatch};
use super::{EvaluateContext, EvaluateError, Scope, generate};
use crate::logical::{TypedExpression, TypedKind};
use crate::types::PigType;
use crate::value::Value;
use crate::value::order::{compare, compare_by_value};

/// The value of a bag operator. A null bag is to it as one without items.
pub(super) fn value<'a>(
    kind: &'a TypedKind,
    scope: &Scope<'a>,
    context: &mut dyn EvaluateContext,
) -> Answer<'a> {
    let items = match kind {
        TypedKind::BagFilter { bag, condition } => {
            filter(read(bag, scope, context)?, condition, scope, context)?
        }
        TypedKind::BagOrder { bag, keys } => {
            order(read(bag, scope, context)?.into_owned(), keys, scope, context)?
        }
        TypedKind::BagDistinct(bag) => {
            let mut items = read(bag, scope, context)?.into_owned();
            items.sort_by(compare);
            items.dedup();
            items
        }
        TypedKind::BagLimit { bag, count } => {
            let items = read(bag, scope, context)?;
            let count = limit(count, scope, context)?.min(items.len());
            match items {
                Cow::Borrowed(items) => items[..count].to_vec(),
                Cow::Owned(mut items) => {
                    items.truncate(count);
                    items
                }
            }
        }
        TypedKind::BagCross(bags) => cross(bags, scope, context)?,
        TypedKind::BagForeach { bag, items } => {
            let tuples = read(bag, scope, context)?;
            let mut made = Vec::with_capacity(tuples.len());
            for tuple in tuples.iter() {
                let rows = generate(items, &Scope::inside(fields(tuple), scope), context)?;
                made.extend(rows.into_iter().map(Value::Tuple));
            }
            made
        }
        _ => return Err(EvaluateError::Type { expected: "a bag operator", found: String::new() }),
    };
    Ok(Cow::Owned(Value::Bag(items)))
}

/// The fields of a bag's item; a null item has none, so each of them is null.
pub(super) fn fields(item: &Value) -> &[Value] {
    match item {
        Value::Tuple(fields) => fields,
        _ => &[],
    }
}

fn read<'a>(
    bag: &'a TypedExpression,
    scope: &Scope<'a>,
    context: &mut dyn EvaluateContext,
) -> Result<Cow<'a, [Value]>, EvaluateError> {
    match expression::value(bag, scope, context)? {
        Cow::Borrowed(Value::Null) | Cow::Owned(Value::Null) => Ok(Cow::Borrowed(&[])),
        Cow::Borrowed(Value::Bag(items)) => Ok(Cow::Borrowed(items)),
        Cow::Owned(Value::Bag(items)) => Ok(Cow::Owned(items)),
        other => Err(mismatch("a bag", &other)),
    }
}

fn filter(
    items: Cow<'_, [Value]>,
    condition: &TypedExpression,
    scope: &Scope<'_>,
    context: &mut dyn EvaluateContext,
) -> Result<Vec<Value>, EvaluateError> {
    let mut keep = |item: &Value| -> Result<bool, EvaluateError> {
        Ok(boolean(condition, &Scope::inside(fields(item), scope), context)? == Some(true))
    };
    let mut kept = Vec::new();
    match items {
        Cow::Borrowed(items) => {
            for item in items {
                if keep(item)? {
                    kept.push(item.clone());
                }
            }
        }
        Cow::Owned(items) => {
            for item in items {
                if keep(&item)? {
                    kept.push(item);
                }
            }
        }
    }
    Ok(kept)
}

/// Items of equal keys stay in order. Null is the smallest value, also of a descending key (N41).
fn order(
    items: Vec<Value>,
    keys: &[(TypedExpression, bool)],
    scope: &Scope<'_>,
    context: &mut dyn EvaluateContext,
) -> Result<Vec<Value>, EvaluateError> {
    let mut keyed = Vec::with_capacity(items.len());
    for item in items {
        let inner = Scope::inside(fields(&item), scope);
        let values = keys
            .iter()
            .map(|(key, _)| Ok(expression::value(key, &inner, context)?.into_owned()))
            .collect::<Result<Vec<_>, EvaluateError>>()?;
        keyed.push((values, item));
    }
    keyed.sort_by(|(left, _), (right, _)| {
        left.iter()
            .zip(right)
            .zip(keys)
            .map(|((left, right), (_, descending))| {
                let ordering = compare_by_value(left, right);
                if *descending { ordering.reverse() } else { ordering }
            })
            .find(|ordering| ordering.is_ne())
            .unwrap_or(Ordering::Equal)
    });
    Ok(keyed.into_iter().map(|(_, item)| item).collect())
}

fn limit(
    count: &TypedExpression,
    scope: &Scope<'_>,
    context: &mut dyn EvaluateContext,
) -> Result<usize, EvaluateError> {
    match &*expression::value(count, scope, context)? {
        // Beyond what a bag can hold there is no limit.
        Value::Long(count) if *count >= 0 => Ok(usize::try_from(*count).unwrap_or(usize::MAX)),
        Value::Long(count) => Err(EvaluateError::Limit(count.to_string())),
        Value::Null => Err(EvaluateError::Limit("null".to_owned())),
        other => Err(mismatch("a long", other)),
    }
}

/// Every combination of the tuples, the last bag's changing first.
fn cross(
    bags: &[TypedExpression],
    scope: &Scope<'_>,
    context: &mut dyn EvaluateContext,
) -> Result<Vec<Value>, EvaluateError> {
    let mut rows = vec![Vec::new()];
    for bag in bags {
        let items = read(bag, scope, context)?;
        let width = match &bag.ty {
            PigType::Bag { fields: Some(schema), .. } => schema.fields.len(),
            _ => 0,
        };
        // A null tuple takes the place of its fields.
        let nulls = vec![Value::Null; width];
        rows = rows
            .iter()
            .flat_map(|row: &Vec<Value>| {
                items.iter().map(|item| match item {
                    Value::Tuple(fields) => [row.as_slice(), fields].concat(),
                    _ => [row.as_slice(), &nulls].concat(),
                })
            })
            .collect();
    }
    Ok(rows.into_iter().map(Value::Tuple).collect())
}
