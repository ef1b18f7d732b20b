//! [`Value`]: values by hand, what a request makes of them, and how they are told.

use crate::random::Random;
use crate::types::{Node, Shape};

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Value {
    Null,
    Number(i64),
    Text(String),
    Struct(Vec<(String, Value)>),
    List(Vec<Value>),
    Map(Vec<(Value, Value)>),
}

/// A value of a file's field.
pub(crate) fn value(random: &mut Random, node: &Node) -> Value {
    if node.optional && random.once_in(4) {
        return Value::Null;
    }
    match &node.shape {
        Shape::Int => Value::Number(i64::try_from(random.below(2000)).unwrap() - 1000),
        Shape::Long => Value::Number(i64::from_ne_bytes(random.next().to_ne_bytes()) >> random.below(60)),
        Shape::Text => Value::Text(["", "a", "ü", "zwölf", "x y"][random.below(5)].to_owned()),
        Shape::Struct(fields) => {
            Value::Struct(fields.iter().map(|field| (field.name.clone(), value(random, field))).collect())
        }
        Shape::List(element, _) => {
            let items = random.below(4);
            Value::List((0..items).map(|_| value(random, element)).collect())
        }
        Shape::Map(key, of, _) => {
            let mut entries: Vec<(Value, Value)> = Vec::new();
            for _ in 0..random.below(4) {
                let key = value(random, key);
                // Keys are unique here: which of two counts is another test's.
                if !entries.iter().any(|(known, _)| *known == key) {
                    entries.push((key, value(random, of)));
                }
            }
            Value::Map(entries)
        }
    }
}

/// What a request makes of a value.
pub(crate) fn projected(value: &Value, wanted: &Shape) -> Value {
    match (value, wanted) {
        (Value::Struct(fields), Shape::Struct(wanted)) => Value::Struct(
            wanted
                .iter()
                .map(|field| {
                    let found = fields.iter().find(|(name, _)| *name == field.name);
                    let value = found.map_or(Value::Null, |(_, value)| projected(value, &field.shape));
                    (field.name.clone(), value)
                })
                .collect(),
        ),
        (Value::List(items), Shape::List(element, _)) => {
            Value::List(items.iter().map(|item| projected(item, &element.shape)).collect())
        }
        (Value::Map(entries), Shape::Map(key, of, _)) => {
            let entries = entries.iter();
            let entries =
                entries.map(|(known, value)| (projected(known, &key.shape), projected(value, &of.shape)));
            Value::Map(entries.collect())
        }
        (other, _) => other.clone(),
    }
}

/// A value as text: fields by name, entries by key, as their order has no meaning.
pub(crate) fn told(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Number(number) => number.to_string(),
        Value::Text(text) => format!("{text:?}"),
        Value::Struct(fields) => {
            let mut fields: Vec<String> =
                fields.iter().map(|(name, value)| format!("{name}: {}", told(value))).collect();
            fields.sort();
            format!("{{{}}}", fields.join(", "))
        }
        Value::List(items) => format!("[{}]", items.iter().map(told).collect::<Vec<_>>().join(", ")),
        Value::Map(entries) => {
            let mut entries: Vec<String> =
                entries.iter().map(|(key, value)| format!("{} => {}", told(key), told(value))).collect();
            entries.sort();
            format!("<{}>", entries.join(", "))
        }
    }
}
