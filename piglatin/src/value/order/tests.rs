use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::str::FromStr;

use bigdecimal::BigDecimal;
use bigdecimal::num_bigint::BigInt;
use proptest::prelude::*;

use super::{compare, compare_by_value, compare_values};
use crate::logical::Comparison;
use crate::value::testing::{any_value, decimal};
use crate::value::{Datetime, Value};

fn text(value: &str) -> Value {
    Value::Chararray(value.to_owned())
}

#[test]
fn types_follow_the_order_of_n48() {
    let values = [
        Value::Null,
        Value::Boolean(false),
        Value::Boolean(true),
        Value::Int(i32::MAX),
        Value::Long(i64::MIN),
        Value::Float(f32::NEG_INFINITY),
        Value::Float(-0.0),
        Value::Float(0.0),
        Value::Float(f32::NAN),
        Value::Double(f64::NEG_INFINITY),
        Value::Double(-0.0),
        Value::Double(0.0),
        Value::Double(f64::INFINITY),
        Value::Double(f64::NAN),
        Value::Datetime(Datetime { millis: -5, offset_minutes: 60 }),
        Value::Datetime(Datetime { millis: 7, offset_minutes: 0 }),
        Value::Bytearray(vec![0]),
        text(""),
        text("a"),
        Value::BigInteger(BigInt::from(-1)),
        Value::BigInteger(BigInt::from(1)),
        decimal("-0.5"),
        decimal("0.25"),
        Value::Map(BTreeMap::new()),
        Value::Map(BTreeMap::from([("a".to_owned(), Value::Int(2))])),
        Value::Map(BTreeMap::from([("b".to_owned(), Value::Int(1))])),
        Value::Tuple(vec![text("z")]),
        Value::Tuple(vec![Value::Null, Value::Null]),
        Value::Bag(vec![]),
        Value::Bag(vec![Value::Null]),
    ];
    assert!(values.is_sorted_by(|left, right| compare(left, right).is_lt()));
}

#[test]
fn bags_do_not_heed_their_order() {
    let one = Value::Tuple(vec![Value::Int(1)]);
    let two = Value::Tuple(vec![Value::Int(2)]);
    let left = Value::Bag(vec![one.clone(), two.clone()]);
    let right = Value::Bag(vec![two, one.clone()]);
    assert_eq!(left, right);
    assert_ne!(left, Value::Bag(vec![one.clone(), one]));
}

#[test]
fn decimals_compare_without_writing_out_zeros() {
    let huge = Value::BigDecimal(BigDecimal::new(BigInt::from(1), -2_000_000_000));
    let tiny = Value::BigDecimal(BigDecimal::new(BigInt::from(1), 2_000_000_000));
    assert_eq!(compare(&huge, &tiny), Ordering::Greater);
    assert_eq!(compare(&decimal("-12.5"), &decimal("-3")), Ordering::Less);
    assert_eq!(compare(&decimal("0.00"), &decimal("0.0")), Ordering::Greater);
    assert_eq!(compare_by_value(&decimal("0.00"), &decimal("0.0")), Ordering::Equal);
}

#[test]
fn the_language_compares_by_value() {
    let compare = |op, left: &Value, right: &Value| compare_values(op, left, right);
    assert_eq!(compare(Comparison::Equal, &decimal("1.50"), &decimal("1.5")), Some(true));
    assert_ne!(decimal("1.50"), decimal("1.5"));
    let noon = |offset_minutes| Value::Datetime(Datetime { millis: 0, offset_minutes });
    assert_eq!(compare(Comparison::Equal, &noon(0), &noon(60)), Some(true));
    assert_eq!(compare(Comparison::Less, &Value::Null, &Value::Int(1)), None);
    let nan = Value::Double(f64::NAN);
    assert_eq!(compare(Comparison::Equal, &nan, &nan), Some(true));
    assert_eq!(compare(Comparison::Greater, &nan, &Value::Double(f64::INFINITY)), Some(true));
    assert_eq!(compare(Comparison::NotEqual, &Value::Int(1), &Value::Int(1)), Some(false));
    assert_eq!(compare(Comparison::LessOrEqual, &text("9"), &text("10")), Some(false));
    assert_eq!(compare(Comparison::GreaterOrEqual, &text("9"), &text("10")), Some(true));
}

fn hash(value: &Value) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

proptest! {
    #[test]
    fn the_order_is_total(a in any_value(), b in any_value(), c in any_value()) {
        prop_assert_eq!(compare(&a, &b), compare(&b, &a).reverse());
        if compare(&a, &b).is_le() && compare(&b, &c).is_le() {
            prop_assert!(compare(&a, &c).is_le());
        }
        prop_assert_eq!(compare(&a, &a), Ordering::Equal);
    }

    #[test]
    fn equal_values_hash_alike(mut items in proptest::collection::vec(any_value(), 0..6), turn in 0usize..6) {
        let left = Value::Bag(items.clone());
        let turn = turn.min(items.len());
        items.rotate_left(turn);
        let right = Value::Bag(items);
        prop_assert_eq!(&left, &right);
        prop_assert_eq!(hash(&left), hash(&right));
    }

    #[test]
    fn decimals_follow_their_numbers(a in -2000i64..2000, b in -2000i64..2000, s in 0i64..5, t in 0i64..5) {
        let number = |unscaled: i64, scale: i64| unscaled * 10i64.pow(u32::try_from(5 - scale).unwrap());
        let left = Value::BigDecimal(BigDecimal::new(BigInt::from(a), s));
        let right = Value::BigDecimal(BigDecimal::new(BigInt::from_str(&b.to_string()).unwrap(), t));
        prop_assert_eq!(compare_by_value(&left, &right), number(a, s).cmp(&number(b, t)));
    }
}
