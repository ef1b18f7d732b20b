//! Built-ins by tables of calls with what Java and Pig give for them, and the contract of all of them.

mod aggregates;
mod bags;
mod contract;
mod math;
mod patterns;
mod registry;
mod signature;
mod sprintf;
mod strings;
mod times;

use crate::functions::FunctionRegistry;
use crate::types::{Field, PigType, Schema};
use crate::value::testing::Recorder;
use crate::value::{Datetime, EvalFunc, Value, cast, to_text};

/// Calls a function as the checker would: resolves it for the types of the values, casts them, and executes it.
fn call_with(function: &dyn EvalFunc, arguments: &[Value], context: &mut Recorder) -> Result<Value, String> {
    let types: Vec<PigType> = arguments.iter().map(type_of).collect();
    let fields: Vec<Field> = types.iter().cloned().map(Field::unnamed).collect();
    let bound = function.bind(&fields)?;
    let function = bound.as_deref().unwrap_or(function);
    let resolved = function.resolve(&types)?;
    let arguments: Vec<Value> =
        arguments.iter().zip(&resolved.arguments).map(|(value, ty)| cast(value, ty, context)).collect();
    let value = function.exec(&arguments, context).map_err(|error| error.to_string())?;
    assert!(fits(&value, &resolved.result), "{value:?} is not of the type {:?}", resolved.result);
    Ok(value)
}

fn call(name: &str, arguments: &[Value]) -> (Value, Recorder) {
    let function = FunctionRegistry::default().create(name, &[]).unwrap();
    let mut context = Recorder::default();
    let value = call_with(function.as_ref(), arguments, &mut context)
        .unwrap_or_else(|error| panic!("{name} {arguments:?}: {error}"));
    (value, context)
}

/// The text of a result, `null` for null.
fn shown(value: &Value) -> String {
    if matches!(value, Value::Null) { "null".to_owned() } else { to_text(value) }
}

/// Calls without warnings, and their results.
fn check(calls: &[(&str, Vec<Value>, &str)]) {
    for (name, arguments, expected) in calls {
        let (value, context) = call(name, arguments);
        assert_eq!(shown(&value), *expected, "{name} {arguments:?}");
        assert_eq!(context.warnings, [], "{name} {arguments:?}");
    }
}

/// Calls that give null and one warning.
fn check_warned(calls: &[(&str, Vec<Value>)]) {
    for (name, arguments) in calls {
        let (value, context) = call(name, arguments);
        assert_eq!(shown(&value), "null", "{name} {arguments:?}");
        assert_eq!(context.warnings.len(), 1, "{name} {arguments:?} {:?}", context.warnings);
    }
}

fn text(value: &str) -> Value {
    Value::Chararray(value.to_owned())
}

fn int(value: i32) -> Value {
    Value::Int(value)
}

fn double(value: f64) -> Value {
    Value::Double(value)
}

fn tuple(fields: &[Value]) -> Value {
    Value::Tuple(fields.to_vec())
}

/// A bag of tuples of one field.
fn bag(values: &[Value]) -> Value {
    Value::Bag(values.iter().map(|value| tuple(std::slice::from_ref(value))).collect())
}

fn map(entries: &[(&str, Value)]) -> Value {
    Value::Map(entries.iter().map(|(key, value)| ((*key).to_owned(), value.clone())).collect())
}

/// A datetime of ISO 8601.
fn time(iso: &str) -> Value {
    let value = cast(&text(iso), &PigType::Datetime, &mut Recorder::default());
    assert!(matches!(value, Value::Datetime(Datetime { .. })), "{iso}");
    value
}

/// The type of a value; null is unknown.
fn type_of(value: &Value) -> PigType {
    match value {
        Value::Null => PigType::DYNAMIC,
        Value::Boolean(_) => PigType::Boolean,
        Value::Int(_) => PigType::Int,
        Value::Long(_) => PigType::Long,
        Value::Float(_) => PigType::Float,
        Value::Double(_) => PigType::Double,
        Value::Datetime(_) => PigType::Datetime,
        Value::Bytearray(_) => PigType::RAW,
        Value::Chararray(_) => PigType::Chararray,
        Value::BigInteger(_) => PigType::BigInteger,
        Value::BigDecimal(_) => PigType::BigDecimal,
        Value::Map(entries) => {
            let mut types = entries.values().filter(|value| !matches!(value, Value::Null)).map(type_of);
            let first = types.next().unwrap_or(PigType::DYNAMIC);
            PigType::Map(Box::new(if types.all(|ty| ty == first) { first } else { PigType::DYNAMIC }))
        }
        Value::Tuple(fields) => PigType::Tuple(Some(fields_of(fields))),
        Value::Bag(items) => {
            let known = items.iter().find_map(|item| match item {
                Value::Tuple(fields) if !fields.iter().any(|field| matches!(field, Value::Null)) => {
                    Some(fields)
                }
                _ => None,
            });
            PigType::Bag { tuple_name: None, fields: known.map(|fields| fields_of(fields)) }
        }
    }
}

fn fields_of(fields: &[Value]) -> Schema {
    Schema::new(fields.iter().map(|field| Field::unnamed(type_of(field))).collect())
}

/// Whether a value is null or of a type.
fn fits(value: &Value, ty: &PigType) -> bool {
    let fields_fit = |fields: &[Value], schema: &Option<Schema>| match schema {
        None => true,
        Some(schema) => {
            fields.len() == schema.fields.len()
                && fields.iter().zip(&schema.fields).all(|(value, field)| fits(value, &field.ty))
        }
    };
    match (value, ty) {
        (Value::Null, _) | (_, &PigType::DYNAMIC) => true,
        (Value::Tuple(fields), PigType::Tuple(schema)) => fields_fit(fields, schema),
        (Value::Bag(items), PigType::Bag { fields: schema, .. }) => items.iter().all(|item| match item {
            Value::Null => true,
            Value::Tuple(fields) => fields_fit(fields, schema),
            _ => false,
        }),
        (Value::Map(entries), PigType::Map(of)) => entries.values().all(|value| fits(value, of)),
        (Value::Bytearray(_), PigType::Bytearray(_)) => true,
        (Value::Tuple(_) | Value::Bag(_) | Value::Map(_), _) => false,
        (value, ty) => type_of(value) == *ty,
    }
}
