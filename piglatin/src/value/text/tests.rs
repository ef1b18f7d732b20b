use std::collections::BTreeMap;
use std::str::FromStr;

use bigdecimal::BigDecimal;
use bigdecimal::num_bigint::BigInt;
use proptest::prelude::*;

use super::{java_decimal, java_double, java_float, to_text, write_bytes};
use crate::value::{Datetime, Value};

#[test]
fn doubles_print_as_in_java() {
    for (value, text) in [
        (0.0, "0.0"),
        (-0.0, "-0.0"),
        (4.0, "4.0"),
        (-12.5, "-12.5"),
        (100.0, "100.0"),
        (123_456.0, "123456.0"),
        (9_999_999.0, "9999999.0"),
        (1.0e7, "1.0E7"),
        (12_345_678.9, "1.23456789E7"),
        (1e10, "1.0E10"),
        (-1.5e300, "-1.5E300"),
        (0.001, "0.001"),
        (0.0125, "0.0125"),
        (1e-4, "1.0E-4"),
        (0.000_999, "9.99E-4"),
        (0.1 + 0.2, "0.30000000000000004"),
        (f64::MAX, "1.7976931348623157E308"),
        (5e-324, "4.9E-324"),
        (1e23, "1.0E23"),
        (1_429_896_372_560_334.3, "1.4298963725603342E15"),
        (2f64.powi(-1074 + 52), "2.2250738585072014E-308"),
        (f64::NAN, "NaN"),
        (f64::INFINITY, "Infinity"),
        (f64::NEG_INFINITY, "-Infinity"),
    ] {
        assert_eq!(java_double(value), text);
    }
}

#[test]
fn floats_print_their_own_shortest_digits() {
    for (value, text) in [
        (1.5, "1.5"),
        (0.1, "0.1"),
        (1e10, "1.0E10"),
        (16_777_216.0, "1.6777216E7"),
        (f32::MAX, "3.4028235E38"),
        (-2_189_654.3, "-2189654.2"),
        (f32::from_bits(1), "1.4E-45"),
        (f32::NAN, "NaN"),
    ] {
        assert_eq!(java_float(value), text);
    }
}

#[test]
fn big_decimals_print_as_in_java() {
    for (unscaled, scale, text) in [
        ("0", 0, "0"),
        ("0", 2, "0.00"),
        ("0", 7, "0E-7"),
        ("0", -3, "0E+3"),
        ("150", 2, "1.50"),
        ("-150", 2, "-1.50"),
        ("5", 1, "0.5"),
        ("1", 6, "0.000001"),
        ("1", 7, "1E-7"),
        ("12", 8, "1.2E-7"),
        ("123", -1, "1.23E+3"),
        ("1", -3, "1E+3"),
        ("-123", 10, "-1.23E-8"),
        ("12345", 0, "12345"),
    ] {
        let value = BigDecimal::new(BigInt::from_str(unscaled).unwrap(), scale);
        assert_eq!(java_decimal(&value), text);
    }
}

#[test]
fn datetimes_print_with_milliseconds_and_zone() {
    for (millis, offset_minutes, text) in [
        (0, 0, "1970-01-01T00:00:00.000Z"),
        (1_577_934_245_006, 0, "2020-01-02T03:04:05.006Z"),
        (1_577_934_245_006, 120, "2020-01-02T05:04:05.006+02:00"),
        (1_577_934_245_006, -330, "2020-01-01T21:34:05.006-05:30"),
        (-1, 0, "1969-12-31T23:59:59.999Z"),
        (-62_167_219_200_001, 0, "-0001-12-31T23:59:59.999Z"),
        (253_402_300_800_000, 0, "10000-01-01T00:00:00.000Z"),
    ] {
        assert_eq!(to_text(&Value::Datetime(Datetime { millis, offset_minutes })), text);
    }
}

#[test]
fn complex_values_nest_and_null_is_nothing() {
    let tuple = Value::Tuple(vec![Value::Int(1), Value::Null, Value::Boolean(true)]);
    let map = Value::Map(BTreeMap::from([
        ("l".to_owned(), Value::Chararray("w".to_owned())),
        ("k".to_owned(), Value::Null),
    ]));
    let bag = Value::Bag(vec![tuple.clone(), Value::Tuple(vec![map])]);
    assert_eq!(to_text(&bag), "{(1,,true),([k#,l#w])}");
    assert_eq!(to_text(&Value::Null), "");
    assert_eq!(to_text(&Value::Bag(vec![])), "{}");
    assert_eq!(to_text(&Value::Tuple(vec![])), "()");
    assert_eq!(to_text(&Value::Map(BTreeMap::new())), "[]");
}

#[test]
fn bytes_go_out_as_they_are() {
    let value = Value::Tuple(vec![Value::Bytearray(vec![0xFF, b'a']), Value::Long(-3)]);
    let mut out = Vec::new();
    write_bytes(&value, &mut out);
    assert_eq!(out, b"(\xFFa,-3)");
    assert_eq!(to_text(&value), "(\u{FFFD}a,-3)");
}

proptest! {
    #[test]
    fn doubles_round_trip(bits in any::<u64>()) {
        let value = f64::from_bits(bits);
        prop_assume!(value.is_finite());
        prop_assert_eq!(java_double(value).parse::<f64>().unwrap().to_bits(), bits);
    }

    #[test]
    fn floats_round_trip(bits in any::<u32>()) {
        let value = f32::from_bits(bits);
        prop_assume!(value.is_finite());
        prop_assert_eq!(java_float(value).parse::<f32>().unwrap().to_bits(), bits);
    }
}
