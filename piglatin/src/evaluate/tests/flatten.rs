use std::collections::BTreeMap;

use super::{ints, schema};
use crate::evaluate::{FlattenItem, flatten_rows};
use crate::logical::Flatten;
use crate::types::PigType;
use crate::value::Value;
use crate::value::testing::text;

fn pair() -> PigType {
    PigType::Tuple(Some(schema(vec![PigType::Int, PigType::Int])))
}

fn pairs() -> PigType {
    PigType::bag(schema(vec![PigType::Int, PigType::Int]))
}

fn flatten(value: Value, ty: &PigType, width: Option<usize>) -> Vec<Vec<Value>> {
    let flatten = Flatten { width };
    flatten_rows(vec![
        FlattenItem { value, ty, flatten: Some(&flatten) },
        FlattenItem { value: text("end"), ty: &PigType::Chararray, flatten: None },
    ])
    .into_iter()
    .map(|mut row| {
        assert_eq!(row.pop(), Some(text("end")));
        row
    })
    .collect()
}

#[test]
fn what_flatten_makes_of_each_kind() {
    let map = |entries: &[(&str, i32)]| {
        let entries = entries.iter().map(|(key, value)| ((*key).to_owned(), Value::Int(*value)));
        Value::Map(entries.collect::<BTreeMap<_, _>>())
    };
    let ints_of = |values: &[i32]| values.iter().map(|value| Value::Int(*value)).collect::<Vec<_>>();
    let nulls = |count| vec![Value::Null; count];
    let untyped_bag = PigType::Bag { tuple_name: None, fields: None };
    for (value, ty, width, rows) in [
        (ints(&[1, 2]), pair(), None, vec![ints_of(&[1, 2])]),
        (ints(&[1, 2]), pair(), Some(3), vec![vec![Value::Int(1), Value::Int(2), Value::Null]]),
        (ints(&[1, 2, 3, 4]), PigType::Tuple(None), Some(3), vec![ints_of(&[1, 2, 3])]),
        (Value::Null, pair(), None, vec![nulls(2)]),
        (Value::Null, pair(), Some(3), vec![nulls(3)]),
        (Value::Null, PigType::Tuple(None), None, vec![nulls(1)]),
        (Value::Tuple(vec![]), PigType::Tuple(None), None, vec![vec![]]),
        (
            Value::Bag(vec![ints(&[1, 2]), ints(&[3, 4])]),
            pairs(),
            None,
            vec![ints_of(&[1, 2]), ints_of(&[3, 4])],
        ),
        (Value::Bag(vec![]), pairs(), None, vec![]),
        (Value::Null, pairs(), None, vec![nulls(2)]),
        (Value::Null, untyped_bag.clone(), None, vec![nulls(1)]),
        (Value::Bag(vec![Value::Null]), pairs(), None, vec![nulls(2)]),
        (
            Value::Bag(vec![ints(&[1]), ints(&[2, 3, 4])]),
            untyped_bag,
            Some(2),
            vec![vec![Value::Int(1), Value::Null], ints_of(&[2, 3])],
        ),
        (
            map(&[("x", 1), ("y", 2)]),
            PigType::untyped_map(),
            None,
            vec![vec![text("x"), Value::Int(1)], vec![text("y"), Value::Int(2)]],
        ),
        (map(&[]), PigType::untyped_map(), None, vec![]),
        (Value::Null, PigType::untyped_map(), None, vec![nulls(2)]),
        (Value::Int(5), PigType::Int, None, vec![ints_of(&[5])]),
        (Value::Null, PigType::Int, None, vec![nulls(1)]),
        (ints(&[1, 2]), PigType::DYNAMIC, None, vec![ints_of(&[1, 2])]),
    ] {
        let shown = format!("{value:?} {ty:?} {width:?}");
        assert_eq!(flatten(value, &ty, width), rows, "{shown}");
    }
}

#[test]
fn several_are_combined() {
    let plain = Flatten { width: None };
    let (pairs, ints_bag) = (pairs(), PigType::bag(schema(vec![PigType::Int])));
    let item = |value, ty, flatten| FlattenItem { value, ty, flatten };
    let rows = flatten_rows(vec![
        item(Value::Bag(vec![ints(&[1, 2]), ints(&[3, 4])]), &pairs, Some(&plain)),
        item(text("k"), &PigType::Chararray, None),
        item(Value::Bag(vec![ints(&[5]), ints(&[6])]), &ints_bag, Some(&plain)),
    ]);
    let row = |a, b, c| vec![Value::Int(a), Value::Int(b), text("k"), Value::Int(c)];
    assert_eq!(rows, [row(1, 2, 5), row(1, 2, 6), row(3, 4, 5), row(3, 4, 6)]);
    let rows = flatten_rows(vec![
        item(Value::Bag(vec![ints(&[1, 2])]), &pairs, Some(&plain)),
        item(Value::Bag(vec![]), &ints_bag, Some(&plain)),
    ]);
    assert!(rows.is_empty());
    assert_eq!(flatten_rows(vec![]), [vec![]]);
}
