use super::{bag, call_with, check, double, int, shown, text, time, tuple};
use crate::functions::FunctionRegistry;
use crate::logical::Aggregated;
use crate::value::Value;
use crate::value::testing::{Recorder, decimal};

const NAN: Value = Value::Double(f64::NAN);

#[test]
fn counts_skip_a_null_first_field_only() {
    let items = Value::Bag(vec![
        tuple(&[int(1), Value::Null]),
        tuple(&[Value::Null, int(1)]),
        tuple(&[]),
        Value::Null,
        tuple(&[int(3), int(4)]),
    ]);
    check(&[
        ("COUNT", vec![items.clone()], "2"),
        ("COUNT_STAR", vec![items.clone()], "5"),
        ("SIZE", vec![items], "5"),
        ("COUNT", vec![Value::Bag(vec![])], "0"),
        ("COUNT_STAR", vec![Value::Bag(vec![])], "0"),
        ("COUNT", vec![Value::Null], "null"),
        ("COUNT_STAR", vec![Value::Null], "null"),
    ]);
}

#[test]
fn sums_widen() {
    let big = |number: i64| Value::BigInteger(number.into());
    check(&[
        ("SUM", vec![bag(&[int(1), Value::Null, int(2)])], "3"),
        ("SUM", vec![bag(&[int(i32::MAX), int(1)])], "2147483648"),
        ("SUM", vec![bag(&[Value::Long(i64::MAX), Value::Long(1)])], "-9223372036854775808"),
        ("SUM", vec![bag(&[Value::Float(2.5), Value::Float(0.5)])], "3.0"),
        ("SUM", vec![bag(&[double(0.1), double(0.2)])], "0.30000000000000004"),
        ("SUM", vec![bag(&[big(i64::MAX), big(1)])], "9223372036854775808"),
        ("SUM", vec![bag(&[decimal("1.10"), decimal("2.2")])], "3.30"),
        ("SUM", vec![bag(&[Value::Bytearray("7".into()), Value::Bytearray("10".into())])], "17.0"),
        ("SUM", vec![bag(&[Value::Null])], "null"),
        ("SUM", vec![Value::Bag(vec![])], "null"),
        ("SUM", vec![Value::Null], "null"),
    ]);
}

#[test]
fn a_sum_that_cannot_be_written_out_is_null() {
    super::check_warned(&[("SUM", vec![bag(&[decimal("1E+1000000000"), decimal("1")])])]);
}

#[test]
fn averages_are_double_or_bigdecimal() {
    check(&[
        ("AVG", vec![bag(&[int(1), int(2), Value::Null])], "1.5"),
        ("AVG", vec![bag(&[Value::Float(1.0), Value::Float(2.0)])], "1.5"),
        ("AVG", vec![bag(&[Value::Long(3)])], "3.0"),
        ("AVG", vec![bag(&[Value::BigInteger(1.into()), Value::BigInteger(2.into())])], "1.5"),
        ("AVG", vec![bag(&[decimal("2.00"), decimal("4.00")])], "3.00"),
        (
            "AVG",
            vec![bag(&[decimal("1"), decimal("0"), decimal("0")])],
            "0.3333333333333333333333333333333333",
        ),
        ("AVG", vec![bag(&[Value::Null])], "null"),
        ("AVG", vec![Value::Null], "null"),
    ]);
}

#[test]
fn extremes_keep_the_type() {
    check(&[
        ("MIN", vec![bag(&[int(3), int(1), Value::Null])], "1"),
        ("MAX", vec![bag(&[Value::Float(2.5), Value::Float(0.5)])], "2.5"),
        ("MIN", vec![bag(&[text("pear"), text("fig")])], "fig"),
        ("MAX", vec![bag(&[Value::Bytearray("7".into()), Value::Bytearray("10".into())])], "10.0"),
        ("MAX", vec![bag(&[time("2020-01-01"), time("2021-01-01")])], "2021-01-01T00:00:00.000Z"),
        ("MIN", vec![bag(&[decimal("1.5"), decimal("-2")])], "-2"),
        ("MIN", vec![bag(&[double(1.0), NAN, double(0.5)])], "NaN"),
        ("MAX", vec![bag(&[NAN, double(0.5)])], "NaN"),
        ("MIN", vec![bag(&[double(0.0), double(-0.0)])], "-0.0"),
        ("MIN", vec![Value::Bag(vec![])], "null"),
    ]);
}

#[test]
fn top_takes_the_largest_and_made_with_asc_the_smallest() {
    let items = Value::Bag(vec![
        tuple(&[int(3), text("a")]),
        tuple(&[int(9), text("b")]),
        tuple(&[int(5), text("c")]),
    ]);
    check(&[
        ("TOP", vec![int(2), int(0), items.clone()], "{(9,b),(5,c)}"),
        ("TOP", vec![int(9), int(1), items.clone()], "{(5,c),(9,b),(3,a)}"),
        ("TOP", vec![int(0), int(0), items.clone()], "{}"),
        ("TOP", vec![int(1), int(0), Value::Null], "null"),
    ]);
    super::check_warned(&[
        ("TOP", vec![int(-1), int(0), items.clone()]),
        ("TOP", vec![int(1), int(2), items.clone()]),
    ]);
    let registry = FunctionRegistry::default();
    let smallest = registry.create("TOP", &["ASC".to_owned()]).unwrap();
    let value = call_with(smallest.as_ref(), &[int(1), int(0), items], &mut Recorder::default()).unwrap();
    assert_eq!(shown(&value), "{(3,a)}");
    assert!(registry.create("TOP", &["UP".to_owned()]).is_err());
}

#[test]
fn aggregates_say_which_they_are() {
    let registry = FunctionRegistry::default();
    let algebraic = |name: &str| registry.create(name, &[]).unwrap().algebraic();
    assert_eq!(algebraic("COUNT"), Some(Aggregated::Count));
    assert_eq!(algebraic("COUNT_STAR"), Some(Aggregated::CountStar));
    assert_eq!(algebraic("SUM"), Some(Aggregated::Sum));
    assert_eq!(algebraic("AVG"), Some(Aggregated::Avg));
    assert_eq!(algebraic("MIN"), Some(Aggregated::Min));
    assert_eq!(algebraic("MAX"), Some(Aggregated::Max));
    assert_eq!(algebraic("SIZE"), None);
}
