use std::collections::BTreeMap;

use proptest::prelude::*;

use super::{DecodeError, decode, decode_prefix, map_value, tag, tag_of, to_bytes};
use super::{tuple_field, tuple_fields, tuple_width};
use crate::value::order::{compare, rank};
use crate::value::testing::{any_value, decimal, text};
use crate::value::{Datetime, Value};

#[test]
fn bytes_are_what_the_table_says() {
    for (value, bytes) in [
        (Value::Null, &[1][..]),
        (Value::Boolean(true), &[2, 1]),
        (Value::Int(1), &[3, 0x80, 0, 0, 1]),
        (Value::Int(-1), &[3, 0x7F, 255, 255, 255]),
        (Value::Double(-0.0), &[6, 0x7F, 255, 255, 255, 255, 255, 255, 255]),
        (Value::Double(0.0), &[6, 0x80, 0, 0, 0, 0, 0, 0, 0]),
        (text("a\u{0}"), &[9, b'a', 0, 255, 0, 1]),
        (Value::BigInteger(258.into()), &[10, 3, 0, 0, 0, 2, 1, 2]),
        (Value::BigInteger((-258).into()), &[10, 1, 255, 255, 255, 253, 254, 253]),
        (decimal("1.50"), &[11, 3, 0x80, 0, 0, 0, 0, 0, 0, 1, b'1', b'5', 0, 1, 0]),
        (Value::Tuple(vec![Value::Null]), &[13, 0, 0, 0, 1, 1]),
        (Value::Bag(vec![]), &[14, 0, 0, 0, 0]),
        (Value::Map(BTreeMap::from([("k".to_owned(), Value::Null)])), &[12, 0, 0, 0, 1, b'k', 0, 1, 1]),
    ] {
        assert_eq!(to_bytes(&value), bytes, "{value:?}");
        assert_eq!(decode(bytes), Ok(value));
    }
}

#[test]
fn offset_and_scale_come_back_and_stand_last() {
    let at = |millis, offset_minutes| Value::Datetime(Datetime { millis, offset_minutes });
    for value in [at(5, 120), at(5, -330), decimal("1.500"), decimal("0.000"), decimal("-20")] {
        assert_eq!(decode(&to_bytes(&value)), Ok(value));
    }
    assert!(to_bytes(&at(5, 840)) < to_bytes(&at(6, -720)));
    assert_eq!(to_bytes(&at(5, 1))[..9], to_bytes(&at(5, 2))[..9]);
    assert!(to_bytes(&decimal("-1.50")) > to_bytes(&decimal("-1.5")));
    assert!(to_bytes(&decimal("-1.50")) < to_bytes(&decimal("-1.49")));
}

#[test]
fn hostile_bytes_are_errors() {
    for (bytes, error) in [
        (&[][..], DecodeError::Truncated),
        (&[0], DecodeError::UnknownTag(0)),
        (&[15], DecodeError::UnknownTag(15)),
        (&[2, 2], DecodeError::Malformed("boolean")),
        (&[3, 1], DecodeError::Truncated),
        (&[1, 1], DecodeError::Trailing(1)),
        (&[9, 0xC0, 0, 1], DecodeError::Malformed("chararray")),
        (&[9, b'a', 0, 7], DecodeError::Malformed("text")),
        (&[9, b'a'], DecodeError::Truncated),
        (&[10, 3, 255, 255, 255, 255], DecodeError::Truncated),
        (&[11, 9], DecodeError::Malformed("sign")),
        (&[11, 3, 0x80, 0, 0, 0, 0, 0, 0, 1, b'x', 0, 0], DecodeError::Malformed("digit")),
        (&[11, 3, 0x80, 0, 0, 0, 0, 0, 0, 1, 0, 0], DecodeError::Malformed("digits")),
        (&[11, 3, 0, 0, 0, 0, 0, 0, 0, 0, b'1', 0, 0], DecodeError::Malformed("exponent")),
        (&[13, 255, 255, 255, 255, 1], DecodeError::Truncated),
        (&[14, 0, 0, 0, 1, 2, 1], DecodeError::Malformed("item of a bag")),
    ] {
        assert_eq!(decode(bytes), Err(error), "{bytes:?}");
    }
    let deep = [13, 0, 0, 0, 1].repeat(100_000);
    assert_eq!(decode(&deep), Err(DecodeError::TooDeep));
    assert_eq!(tuple_field(&deep, 0), Err(DecodeError::TooDeep));
}

#[test]
fn parts_are_found_without_decoding() {
    let map = Value::Map(BTreeMap::from([
        ("a\u{0}".to_owned(), text("x")),
        ("b".to_owned(), decimal("-1.20")),
        ("c".to_owned(), Value::Int(3)),
    ]));
    let bytes = to_bytes(&map);
    for (key, value) in
        [("a\u{0}", Some(text("x"))), ("b", Some(decimal("-1.20"))), ("c", Some(Value::Int(3)))]
    {
        assert_eq!(map_value(&bytes, key).unwrap().map(|bytes| decode(bytes).unwrap()), value);
    }
    for key in ["", "a", "bb", "d"] {
        assert_eq!(map_value(&bytes, key), Ok(None));
    }
    assert_eq!(map_value(&[tag::NULL], "a"), Ok(None));
    assert_eq!(map_value(&[tag::BOOLEAN, 1], "a"), Err(DecodeError::Malformed("map")));

    let fields = vec![map, Value::BigInteger((-7).into()), Value::Bag(vec![Value::Null]), Value::Null];
    let bytes = to_bytes(&Value::Tuple(fields.clone()));
    for (index, field) in fields.iter().enumerate() {
        assert_eq!(decode(tuple_field(&bytes, index).unwrap().unwrap()).as_ref(), Ok(field));
    }
    assert_eq!(tuple_field(&bytes, 4), Ok(None));
    assert_eq!(tuple_fields(&bytes).unwrap().unwrap().len(), 4);
    assert_eq!(tuple_width(&bytes), Ok(Some(4)));
    assert_eq!(tuple_field(&[tag::NULL], 0), Ok(None));
    assert_eq!(tuple_width(&[tag::BAG, 0, 0, 0, 0]), Err(DecodeError::Malformed("tuple")));
}

proptest! {
    #[test]
    fn bytes_have_the_order_of_values(a in any_value(), b in any_value()) {
        let (left, right) = (to_bytes(&a), to_bytes(&b));
        prop_assert_eq!(left.cmp(&right), compare(&a, &b));
    }

    #[test]
    fn values_come_back(value in any_value()) {
        let bytes = to_bytes(&value);
        prop_assert_eq!(tag_of(&bytes), Some(rank(&value) + 1));
        prop_assert_eq!(to_bytes(&decode(&bytes).unwrap()), &bytes[..]);
        prop_assert_eq!(decode(&bytes), Ok(value));
    }

    #[test]
    fn values_say_where_they_end(a in any_value(), b in any_value()) {
        let mut bytes = to_bytes(&a);
        bytes.extend(to_bytes(&b));
        let (value, rest) = decode_prefix(&bytes).unwrap();
        prop_assert_eq!(value, a.clone());
        prop_assert_eq!(decode(rest), Ok(b.clone()));
        let pair = to_bytes(&Value::Tuple(vec![a, b.clone()]));
        prop_assert_eq!(decode(tuple_field(&pair, 1).unwrap().unwrap()), Ok(b));
    }

    #[test]
    fn damaged_bytes_do_no_harm(value in any_value(), at in any::<usize>(), byte in any::<u8>(), cut in any::<usize>()) {
        let mut bytes = to_bytes(&value);
        let length = bytes.len();
        bytes[at % length] = byte;
        bytes.truncate(cut % (length + 1));
        if let Ok(value) = decode(&bytes) {
            prop_assert_eq!(decode(&to_bytes(&value)), Ok(value));
        }
        let _ = tuple_fields(&bytes);
        let _ = map_value(&bytes, "a");
    }
}
