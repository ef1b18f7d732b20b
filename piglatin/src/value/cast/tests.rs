use std::collections::BTreeMap;

use bigdecimal::num_bigint::BigInt;
use proptest::prelude::*;

use super::{cast, cast_owned};
use crate::types::{Field, PigType, Schema};
use crate::value::testing::{Recorder, any_value, decimal, text};
use crate::value::text::to_text;
use crate::value::{Datetime, Value};

fn schema(types: Vec<PigType>) -> Schema {
    Schema::new(types.into_iter().map(Field::unnamed).collect())
}

fn casts(value: &Value, to: &PigType) -> (Value, usize) {
    let mut context = Recorder::default();
    let answer = cast(value, to, &mut context);
    (answer, context.warnings.len())
}

fn big(text: &str) -> Value {
    Value::BigInteger(text.parse().unwrap())
}

fn scalars() -> [PigType; 10] {
    [
        PigType::Boolean,
        PigType::Int,
        PigType::Long,
        PigType::Float,
        PigType::Double,
        PigType::BigInteger,
        PigType::BigDecimal,
        PigType::Chararray,
        PigType::Datetime,
        PigType::RAW,
    ]
}

#[test]
fn numbers_narrow_as_in_java() {
    for (value, to, answer) in [
        (Value::Long(4_294_967_299), PigType::Int, Value::Int(3)),
        (Value::Long(-4_294_967_299), PigType::Int, Value::Int(-3)),
        (Value::Double(3.99), PigType::Int, Value::Int(3)),
        (Value::Double(-3.99), PigType::Long, Value::Long(-3)),
        (Value::Double(1e20), PigType::Int, Value::Int(i32::MAX)),
        (Value::Double(-1e20), PigType::Long, Value::Long(i64::MIN)),
        (Value::Double(f64::NAN), PigType::Int, Value::Int(0)),
        (Value::Float(1e10), PigType::Int, Value::Int(i32::MAX)),
        (Value::Double(1e300), PigType::Float, Value::Float(f32::INFINITY)),
        (Value::Long(i64::MAX), PigType::Double, Value::Double(9_223_372_036_854_775_807.0)),
        (big("18446744073709551617"), PigType::Long, Value::Long(1)),
        (big("-18446744073709551617"), PigType::Long, Value::Long(-1)),
        (big("-4294967299"), PigType::Int, Value::Int(-3)),
        (big("100000000000000000000"), PigType::Double, Value::Double(1e20)),
        (decimal("-3.99"), PigType::Int, Value::Int(-3)),
        (decimal("0.1000000000000000000001"), PigType::Int, Value::Int(0)),
        (decimal("1E+3"), PigType::BigInteger, big("1000")),
        (decimal("0.1"), PigType::Float, Value::Float(0.1)),
        (decimal("0.1"), PigType::Double, Value::Double(0.1)),
    ] {
        assert_eq!(casts(&value, &to), (answer, 0), "{value:?} to {to:?}");
    }
}

#[test]
fn numbers_widen() {
    for (value, to, answer) in [
        (Value::Int(5), PigType::BigDecimal, decimal("5")),
        (Value::Long(-5), PigType::BigInteger, big("-5")),
        (Value::Double(0.1), PigType::BigDecimal, decimal("0.1")),
        (Value::Double(4.0), PigType::BigDecimal, decimal("4.0")),
        (Value::Float(0.1), PigType::Double, Value::Double(f64::from(0.1f32))),
        (Value::Double(1e20), PigType::BigInteger, big("100000000000000000000")),
        (Value::Double(-7.9), PigType::BigInteger, big("-7")),
        (big("12"), PigType::BigDecimal, decimal("12")),
    ] {
        assert_eq!(casts(&value, &to), (answer, 0), "{value:?} to {to:?}");
    }
    assert_eq!(casts(&Value::Double(f64::NAN), &PigType::BigInteger), (Value::Null, 1));
    assert_eq!(casts(&Value::Float(f32::INFINITY), &PigType::BigDecimal), (Value::Null, 1));
    let huge = Value::BigDecimal(bigdecimal::BigDecimal::new(BigInt::from(1), -2_000_000_000));
    assert_eq!(casts(&huge, &PigType::BigInteger), (Value::Null, 1));
    assert_eq!(casts(&huge, &PigType::Double), (Value::Double(f64::INFINITY), 0));
    let tiny = Value::BigDecimal(bigdecimal::BigDecimal::new(BigInt::from(-7), 2_000_000_000));
    assert_eq!(casts(&tiny, &PigType::Int), (Value::Int(0), 0));
}

#[test]
fn booleans_are_one_and_zero() {
    for to in [PigType::Int, PigType::Long, PigType::Float, PigType::Double, PigType::BigInteger] {
        let (one, warnings) = casts(&Value::Boolean(true), &to);
        assert_eq!(casts(&one, &PigType::Boolean), (Value::Boolean(true), 0), "{to:?}");
        assert_eq!(to_text(&one).trim_end_matches(".0"), "1");
        assert_eq!(warnings, 0);
        let zero = casts(&Value::Boolean(false), &to).0;
        assert_eq!(casts(&zero, &PigType::Boolean), (Value::Boolean(false), 0), "{to:?}");
    }
    assert_eq!(casts(&Value::Boolean(true), &PigType::BigDecimal).0, decimal("1"));
    assert_eq!(casts(&Value::Boolean(true), &PigType::Chararray).0, text("true"));
    assert_eq!(casts(&Value::Boolean(true), &PigType::Datetime), (Value::Null, 1));
    assert_eq!(casts(&Value::Double(0.5), &PigType::Boolean).0, Value::Boolean(true));
    assert_eq!(casts(&decimal("0.00"), &PigType::Boolean).0, Value::Boolean(false));
}

#[test]
fn text_becomes_what_it_says() {
    for (from, to, answer) in [
        ("3.9", PigType::Int, Value::Int(3)),
        ("-3.9", PigType::Long, Value::Long(-3)),
        ("12", PigType::Double, Value::Double(12.0)),
        ("1.5", PigType::Float, Value::Float(1.5)),
        ("True", PigType::Boolean, Value::Boolean(true)),
        ("99999999999999999999", PigType::BigInteger, big("99999999999999999999")),
        ("0.10", PigType::BigDecimal, decimal("0.10")),
        (
            "1970-01-02",
            PigType::Datetime,
            Value::Datetime(Datetime { millis: 86_400_000, offset_minutes: 0 }),
        ),
        ("x", PigType::Chararray, text("x")),
    ] {
        assert_eq!(casts(&text(from), &to), (answer, 0), "{from}");
    }
    for to in &scalars()[..7] {
        assert_eq!(casts(&text("seven"), to), (Value::Null, 1), "{to:?}");
        assert_eq!(casts(&text(""), to), (Value::Null, 1), "{to:?}");
    }
    assert_eq!(casts(&text("9999999999"), &PigType::Int), (Value::Null, 1));
    assert_eq!(casts(&text("(1)"), &PigType::Tuple(None)), (Value::Null, 1));
}

#[test]
fn datetimes_are_milliseconds_and_text() {
    let value = Value::Datetime(Datetime { millis: 86_400_000, offset_minutes: 120 });
    assert_eq!(casts(&value, &PigType::Long).0, Value::Long(86_400_000));
    assert_eq!(casts(&value, &PigType::Double).0, Value::Double(8.64e7));
    assert_eq!(casts(&value, &PigType::BigInteger).0, big("86400000"));
    assert_eq!(casts(&value, &PigType::Chararray).0, text("1970-01-02T02:00:00.000+02:00"));
    assert_eq!(casts(&value, &PigType::Boolean), (Value::Null, 1));
    assert_eq!(
        casts(&Value::Long(86_400_000), &PigType::Datetime).0,
        Value::Datetime(Datetime { millis: 86_400_000, offset_minutes: 0 })
    );
}

#[test]
fn bytes_go_through_the_converter_and_others_keep_their_type() {
    let bytes = Value::Bytearray(b" 42 ".to_vec());
    assert_eq!(casts(&bytes, &PigType::Int), (Value::Int(42), 0));
    assert_eq!(casts(&Value::Bytearray(vec![]), &PigType::Int), (Value::Null, 0));
    assert_eq!(casts(&bytes, &PigType::Chararray), (text(" 42 "), 0));
    assert_eq!(casts(&Value::Int(7), &PigType::DYNAMIC), (Value::Int(7), 0));
    assert_eq!(casts(&bytes, &PigType::RAW), (bytes, 0));
    let tuple = PigType::Tuple(Some(schema(vec![PigType::Int])));
    assert_eq!(casts(&Value::Bytearray(b"(8)".to_vec()), &tuple).0, Value::Tuple(vec![Value::Int(8)]));
}

#[test]
fn complex_values_are_cast_inside() {
    let pair = PigType::Tuple(Some(schema(vec![PigType::Chararray, PigType::Int])));
    let value = Value::Tuple(vec![Value::Int(7), Value::Double(2.5)]);
    assert_eq!(casts(&value, &pair), (Value::Tuple(vec![text("7"), Value::Int(2)]), 0));
    assert_eq!(casts(&Value::Tuple(vec![Value::Int(7)]), &pair), (Value::Null, 1));
    assert_eq!(casts(&value, &PigType::Tuple(None)), (value.clone(), 0));
    assert_eq!(casts(&value, &PigType::Tuple(Some(Schema::default()))), (value.clone(), 0));

    let longs = PigType::bag(schema(vec![PigType::Long]));
    let items = vec![Value::Tuple(vec![Value::Int(1)]), Value::Null, Value::Tuple(vec![])];
    assert_eq!(casts(&Value::Bag(items), &longs), {
        (Value::Bag(vec![Value::Tuple(vec![Value::Long(1)]), Value::Null, Value::Null]), 1)
    });

    let entries = [("a", Value::Bytearray(b"1".to_vec())), ("b", text("x")), ("c", Value::Null)];
    let map = Value::Map(BTreeMap::from(entries.map(|(key, value)| (key.to_owned(), value))));
    let (answer, warnings) = casts(&map, &PigType::Map(Box::new(PigType::Int)));
    assert_eq!((to_text(&answer).as_str(), warnings), ("[a#1,b#,c#]", 1));
    assert_eq!(casts(&map, &PigType::untyped_map()), (map.clone(), 0));
}

#[test]
fn kinds_do_not_mix() {
    let bag = PigType::Bag { tuple_name: None, fields: None };
    let complex = [Value::Tuple(vec![]), Value::Bag(vec![]), Value::Map(BTreeMap::new())];
    for value in &complex {
        for to in &scalars()[..9] {
            assert_eq!(casts(value, to), (Value::Null, 1), "{value:?} to {to:?}");
        }
    }
    assert_eq!(casts(&complex[0], &bag), (Value::Null, 1));
    assert_eq!(casts(&complex[1], &PigType::untyped_map()), (Value::Null, 1));
    assert_eq!(casts(&complex[2], &PigType::Tuple(None)), (Value::Null, 1));
    assert_eq!(casts(&Value::Int(1), &bag), (Value::Null, 1));
    let mut context = Recorder::default();
    cast(&Value::Int(1), &bag, &mut context);
    assert_eq!(context.warnings[0].sample, "1 (int) is not castable to a bag");
}

proptest! {
    #[test]
    fn owned_and_borrowed_agree(value in any_value(), to in 0usize..10) {
        let to = scalars()[to].clone();
        let (answer, warnings) = casts(&value, &to);
        let mut context = Recorder::default();
        prop_assert_eq!(cast_owned(value.clone(), &to, &mut context), answer.clone());
        prop_assert_eq!(context.warnings.len(), warnings);
        prop_assert!(warnings <= 1);
        if warnings == 1 {
            prop_assert_eq!(answer, Value::Null);
        }
    }
}
