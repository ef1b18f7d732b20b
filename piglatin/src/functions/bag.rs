//! What reads bags: BagToString, BagToTuple, IsEmpty, DIFF, SUBTRACT.

use crate::functions::builtin::{Builtin, Definition, Fault};
use crate::functions::signature::{Overload, Parameter, Signature, bag_of, common_type};
use crate::types::PigType;
use crate::value::text::write_text;
use crate::value::{Value, compare, equal};

pub(super) fn functions() -> Vec<Definition> {
    vec![
        Definition::plain("BagToString", bag_to_string),
        Definition::plain("BagToTuple", bag_to_tuple),
        Definition::plain("IsEmpty", is_empty),
        Definition::plain("DIFF", diff),
        Definition::plain("SUBTRACT", subtract),
    ]
}

/// `BagToString(bag [, delimiter])`: all fields of all tuples, `_` between them. A null field reads `null`, and no
/// delimiter stands before the first text that is not empty, as in Pig.
fn bag_to_string() -> Builtin {
    let overloads = vec![
        Overload::new(vec![Parameter::Bag], PigType::Chararray),
        Overload::new(vec![Parameter::Bag, Parameter::Is(PigType::Chararray)], PigType::Chararray),
    ];
    Builtin::strict("BagToString", overloads, |arguments| {
        let (bag, delimiter) = match arguments {
            [Value::Bag(bag)] => (bag, "_"),
            [Value::Bag(bag), Value::Chararray(delimiter)] => (bag, delimiter.as_str()),
            _ => return Err(Fault::Arguments),
        };
        let mut text = String::new();
        for field in fields(bag) {
            if !text.is_empty() {
                text.push_str(delimiter);
            }
            match field {
                Value::Null => text.push_str("null"),
                field => write_text(field, &mut text),
            }
        }
        Ok(Value::Chararray(text))
    })
}

/// `BagToTuple`: all fields of all tuples as one tuple, of a width that no schema says.
fn bag_to_tuple() -> Builtin {
    let overloads = vec![Overload::new(vec![Parameter::Bag], PigType::Tuple(None))];
    Builtin::strict("BagToTuple", overloads, |arguments| match arguments {
        [Value::Bag(bag)] => Ok(Value::Tuple(fields(bag).cloned().collect())),
        _ => Err(Fault::Arguments),
    })
}

fn fields(bag: &[Value]) -> impl Iterator<Item = &Value> {
    bag.iter().flat_map(|item| match item {
        Value::Tuple(fields) => fields.as_slice(),
        _ => &[],
    })
}

/// `IsEmpty`: of a bag or a map; of null null, where Pig ends the run.
fn is_empty() -> Builtin {
    let overloads = vec![
        Overload::new(vec![Parameter::Bag], PigType::Boolean),
        Overload::new(vec![Parameter::Map], PigType::Boolean),
    ];
    Builtin::strict("IsEmpty", overloads, |arguments| match arguments {
        [Value::Bag(bag)] => Ok(Value::Boolean(bag.is_empty())),
        [Value::Map(map)] => Ok(Value::Boolean(map.is_empty())),
        _ => Err(Fault::Arguments),
    })
}

/// A bag of unknown tuples.
const UNKNOWN: PigType = PigType::Bag { tuple_name: None, fields: None };

/// `DIFF`: of two bags the tuples that only one of them has, each once; of other values both, if they differ. A null
/// bag is an empty one.
fn diff() -> Builtin {
    let overloads = vec![
        Overload::with(vec![Parameter::Bag, Parameter::Bag], |arguments| {
            common_type(arguments.iter()).unwrap_or(UNKNOWN)
        }),
        Overload::with(vec![Parameter::Any, Parameter::Any], |arguments| {
            common_type(arguments.iter()).map_or(UNKNOWN, bag_of)
        }),
    ];
    Builtin::lenient("DIFF", Signature::Overloads(overloads), |arguments| match arguments {
        [Value::Null, Value::Null] => Ok(Value::Null),
        [Value::Bag(left), Value::Bag(right)] => {
            let (left, right) = (distinct(left), distinct(right));
            let mut only = without(&left, &right);
            only.extend(without(&right, &left));
            Ok(Value::Bag(only))
        }
        [Value::Bag(bag), Value::Null] | [Value::Null, Value::Bag(bag)] => Ok(Value::Bag(distinct(bag))),
        [left, right] if equal(left, right) => Ok(Value::Bag(Vec::new())),
        [left, right] => {
            Ok(Value::Bag(vec![Value::Tuple(vec![left.clone()]), Value::Tuple(vec![right.clone()])]))
        }
        _ => Err(Fault::Arguments),
    })
}

/// `SUBTRACT`: the tuples of the first bag that the second has not, each once; a null bag is an empty one.
fn subtract() -> Builtin {
    let overloads =
        vec![Overload::with(vec![Parameter::Bag, Parameter::Bag], |arguments| arguments[0].clone())];
    Builtin::lenient("SUBTRACT", Signature::Overloads(overloads), |arguments| match arguments {
        [Value::Null, Value::Null | Value::Bag(_)] => Ok(Value::Bag(Vec::new())),
        [Value::Bag(bag), Value::Null] => Ok(Value::Bag(distinct(bag))),
        [Value::Bag(left), Value::Bag(right)] => Ok(Value::Bag(without(&distinct(left), &distinct(right)))),
        _ => Err(Fault::Arguments),
    })
}

/// Sorted, each item once.
pub(super) fn distinct(items: &[Value]) -> Vec<Value> {
    let mut items = items.to_vec();
    items.sort_by(compare);
    items.dedup_by(|left, right| compare(left, right).is_eq());
    items
}

/// The items of a sorted list that another sorted list has not.
fn without(items: &[Value], others: &[Value]) -> Vec<Value> {
    let absent = |item: &&Value| others.binary_search_by(|other| compare(other, item)).is_err();
    items.iter().filter(absent).cloned().collect()
}
