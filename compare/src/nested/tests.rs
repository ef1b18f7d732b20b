use std::sync::Arc;

use arrow::datatypes::{DataType, Field};

use super::*;
use crate::BadValue;

fn int() -> NestedType {
    NestedType::Plain(PrimitiveType::Int8)
}

fn text() -> NestedType {
    NestedType::Plain(PrimitiveType::Utf8)
}

fn reason(ty: &NestedType, bytes: &[u8]) -> String {
    match check_nested(ty, bytes) {
        Err(BadValue { reason, .. }) => reason,
        Ok(()) => "none".to_owned(),
    }
}

/// The bytes of the format: a change here breaks stores that exist. What encodes to them is tested by the properties.
#[test]
fn the_bytes_are_pinned() {
    let pair = NestedType::Struct(vec![int(), text()]);
    assert_eq!(check_nested(&pair, b"\x01\x03\x81\x02hi"), Ok(()));
    assert_eq!(check_nested(&pair, b"\x01\x02\x00"), Ok(()), "the first field NULL, the second empty");
    assert_eq!(check_nested(&pair, b"\x01\x00"), Ok(()), "both NULL");
    // The example of docs/format.md.
    let pair =
        NestedType::Struct(vec![NestedType::Plain(PrimitiveType::Int32), NestedType::List(Box::new(text()))]);
    assert_eq!(check_nested(&pair, b"\x01\x03\x80\x00\x00\x01\x02\x01\x02hi"), Ok(()));
    let list = NestedType::List(Box::new(int()));
    assert_eq!(check_nested(&list, b"\x01\x00"), Ok(()), "no element");
    assert_eq!(check_nested(&list, b"\x01\x03\x05\x81\x83"), Ok(()), "1, NULL, 3");
    let map = NestedType::Map(PrimitiveType::Utf8, Box::new(int()));
    assert_eq!(check_nested(&map, b"\x01\x02\x01a\x01b\x02\x80"), Ok(()), "a: NULL, b: 0");
}

#[test]
fn damaged_bytes_say_what_is_wrong() {
    let list = NestedType::List(Box::new(text()));
    assert_eq!(reason(&list, b""), "the bytes end before the value does");
    assert_eq!(reason(&list, b"\x02\x00"), "version 2 of nested values is not known, only 1 is");
    assert_eq!(reason(&list, b"\x01\x01\x01\x05abc"), "the bytes end before the value does");
    assert_eq!(reason(&list, b"\x01\x00\x00"), "bytes follow the value");
    assert_eq!(reason(&list, b"\x01\x01\x03\x00"), "there are more bits than parts");
    assert_eq!(reason(&list, b"\x01\x80\x00"), "a number is written with too many bytes");
    assert_eq!(reason(&list, &[&[1][..], &[0xff; 12]].concat()), "a number is written with too many bytes");
    assert!(reason(&list, b"\x01\x01\x01\x01\xff").contains("UTF-8"));
    let error = check_nested(&list, b"\x01\x01").unwrap_err();
    assert_eq!(
        error.to_string(),
        "X'0101' is not a value of List(Utf8) as native: the bytes end before the value does"
    );
}

/// A few bytes that claim many elements are refused before anything is kept.
#[test]
fn a_length_is_not_believed() {
    let map = NestedType::Map(PrimitiveType::Binary, Box::new(int()));
    assert_eq!(
        reason(&map, b"\x01\xff\xff\xff\xff\xff\xff\xff\x7f\x00"),
        "the bytes end before the value does"
    );
    let list = NestedType::List(Box::new(NestedType::List(Box::new(int()))));
    assert_eq!(reason(&list, b"\x01\xff\xff\xff\xff\x0f"), "the bytes end before the value does");
}

#[test]
fn arrow_types_that_are_stored() {
    let field = |name: &str, ty| Field::new(name, ty, true);
    let list = |ty| DataType::List(Arc::new(field("item", ty)));
    let map = |key, value| {
        let pair = DataType::Struct(vec![field("key", key), field("value", value)].into());
        DataType::Map(Arc::new(Field::new("entries", pair, false)), false)
    };
    let row = DataType::Struct(vec![field("a", list(DataType::Utf8View)), field("b", DataType::Int8)].into());
    assert_eq!(
        NestedType::from_arrow(&map(DataType::Utf8, row)).map(|ty| ty.to_string()),
        Ok("Map(Utf8, Struct(List(Utf8), Int8))".to_owned())
    );
    let refused = |ty: &DataType| NestedType::from_arrow(ty).unwrap_err();
    assert_eq!(refused(&list(DataType::Float16)), "the store has no encoding for values of type Float16");
    assert_eq!(
        refused(&map(list(DataType::Int8), DataType::Int8)),
        "the keys of a map must be plain values, not List(Int8)"
    );
    assert_eq!(
        refused(&DataType::Struct(arrow::datatypes::Fields::empty())),
        "a struct without fields is not stored"
    );
    let deep = |levels: usize| (0..levels).fold(DataType::Int8, |ty, _| list(ty));
    assert!(NestedType::from_arrow(&deep(MAX_NESTING)).is_ok());
    assert_eq!(refused(&deep(MAX_NESTING + 1)), "types nested deeper than 64 levels are not stored");
}
