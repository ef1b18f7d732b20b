use super::{check, check_warned, double, int, text};
use crate::value::Value;

fn bytes(value: &str) -> Value {
    Value::Bytearray(value.into())
}

#[test]
fn abs_keeps_the_type_and_takes_bytes_as_double() {
    check(&[
        ("ABS", vec![int(-5)], "5"),
        ("ABS", vec![int(i32::MIN)], "-2147483648"),
        ("ABS", vec![Value::Long(-5)], "5"),
        ("ABS", vec![Value::Float(-5.0)], "5.0"),
        ("ABS", vec![double(-2.5)], "2.5"),
        ("ABS", vec![bytes("-5")], "5.0"),
        ("ABS", vec![Value::BigInteger((-7).into())], "7"),
        ("ABS", vec![Value::Null], "null"),
    ]);
}

#[test]
fn halves_round_up() {
    check(&[
        ("ROUND", vec![double(2.5)], "3"),
        ("ROUND", vec![double(-2.5)], "-2"),
        ("ROUND", vec![double(0.499_999_999_999_999_94)], "0"),
        ("ROUND", vec![double(4_503_599_627_370_497.0)], "4503599627370497"),
        ("ROUND", vec![double(f64::NAN)], "0"),
        ("ROUND", vec![double(1e300)], "9223372036854775807"),
        ("ROUND", vec![Value::Float(1e30)], "2147483647"),
        ("ROUND", vec![Value::Float(-0.5)], "0"),
        ("ROUND", vec![bytes("-5")], "-5"),
        ("ROUND", vec![Value::Null], "null"),
    ]);
}

#[test]
fn round_to_rounds_the_digits_that_print() {
    check(&[
        ("ROUND_TO", vec![double(7.9 / 3.0), int(2)], "2.63"),
        ("ROUND_TO", vec![double(0.987_654_3), int(3)], "0.988"),
        ("ROUND_TO", vec![double(0.987_654_3), int(0)], "1.0"),
        ("ROUND_TO", vec![double(1234.56), int(-2)], "1200.0"),
        ("ROUND_TO", vec![double(0.125), int(2)], "0.12"),
        ("ROUND_TO", vec![double(0.125), int(2), int(4)], "0.13"),
        ("ROUND_TO", vec![double(-0.125), int(2), int(0)], "-0.13"),
        ("ROUND_TO", vec![double(-0.125), int(2), int(1)], "-0.12"),
        ("ROUND_TO", vec![double(-0.121), int(2), int(2)], "-0.12"),
        ("ROUND_TO", vec![double(-0.121), int(2), int(3)], "-0.13"),
        ("ROUND_TO", vec![double(0.125), int(2), int(5)], "0.12"),
        ("ROUND_TO", vec![double(0.5), int(1_000_000_000)], "0.5"),
        ("ROUND_TO", vec![double(0.5), int(i32::MIN)], "0.0"),
        ("ROUND_TO", vec![Value::Float(0.35), int(1)], "0.3"),
        ("ROUND_TO", vec![bytes("2.345"), int(1)], "2.3"),
    ]);
    check_warned(&[
        ("ROUND_TO", vec![double(f64::NAN), int(1)]),
        ("ROUND_TO", vec![double(0.125), int(2), int(7)]),
        ("ROUND_TO", vec![double(0.125), int(2), int(9)]),
    ]);
}

#[test]
fn functions_of_java_lang_math() {
    check(&[
        ("CEIL", vec![double(7.1)], "8.0"),
        ("CEIL", vec![double(-0.5)], "-0.0"),
        ("FLOOR", vec![double(-2.5)], "-3.0"),
        ("FLOOR", vec![int(3)], "3.0"),
        ("CBRT", vec![double(-27.0)], "-3.0"),
        ("SQRT", vec![double(-1.0)], "NaN"),
        ("LOG", vec![double(0.0)], "-Infinity"),
        ("LOG10", vec![double(1000.0)], "3.0"),
        ("EXP", vec![double(0.0)], "1.0"),
        ("ATAN2", vec![double(0.0), double(1.0)], "0.0"),
        ("SIN", vec![double(0.0)], "0.0"),
        ("COS", vec![double(0.0)], "1.0"),
        ("ACOS", vec![double(1.0)], "0.0"),
        ("TANH", vec![bytes("0")], "0.0"),
        ("SINH", vec![Value::Null], "null"),
        ("RANDOM", vec![], "0.5"),
    ]);
}

#[test]
fn text_is_no_number() {
    let registry = crate::functions::FunctionRegistry::default();
    for name in ["ABS", "ROUND", "CEIL"] {
        let function = registry.create(name, &[]).unwrap();
        assert!(function.resolve(&[super::type_of(&text("1"))]).unwrap_err().contains("(double)"));
    }
}
