use super::{check, check_warned, double, int, text};
use crate::value::Value;
use crate::value::testing::decimal;

fn call(format: &str, arguments: &[Value]) -> Vec<Value> {
    std::iter::once(text(format)).chain(arguments.iter().cloned()).collect()
}

fn table(calls: &[(&str, &[Value], &str)]) {
    let calls: Vec<_> = calls
        .iter()
        .map(|(format, arguments, expected)| ("SPRINTF", call(format, arguments), *expected))
        .collect();
    check(&calls);
}

#[test]
fn texts_and_indices() {
    table(&[
        ("%s-%s", &[text("a"), int(5)], "a-5"),
        ("%2$s %1$s %<s %s", &[text("a"), text("b")], "b a a a"),
        ("[%5s][%-5s][%.2s]", &[text("abc"), text("abc"), text("abc")], "[  abc][abc  ][ab]"),
        ("%S %%%n", &[text("abc")], "ABC %\n"),
        ("%b %B", &[Value::Boolean(false), int(0)], "false TRUE"),
        ("%c%c", &[int(65), int(233)], "Aé"),
        ("%s %d", &[Value::Null, int(1)], "null"),
        ("%s", &[int(1), Value::Null], "null"),
        ("cost $5", &[], "cost $5"),
        ("%d costs $", &[int(5)], "5 costs $"),
    ]);
}

#[test]
fn whole_numbers() {
    table(&[
        ("%d|%5d|%-5d|%05d", &[int(7), int(7), int(7), int(-7)], "7|    7|7    |-0007"),
        ("%,d %+d %(d % d", &[int(8_244_910), int(5), int(-5), int(5)], "8,244,910 +5 (5)  5"),
        ("%,d", &[int(-100)], "-100"),
        ("%x %X %o", &[int(255), Value::Long(-1), int(8)], "ff FFFFFFFFFFFFFFFF 10"),
        ("%x", &[int(-1)], "ffffffff"),
        ("%#x %#08x", &[int(255), int(255)], "0xff 0x0000ff"),
        ("%x", &[Value::BigInteger((-255).into())], "-ff"),
        ("%d", &[Value::BigInteger(12.into())], "12"),
    ]);
}

#[test]
fn numbers_with_a_point() {
    table(&[
        ("%f", &[double(1.5)], "1.500000"),
        ("%.1f %.1f", &[double(0.25), double(0.35)], "0.3 0.4"),
        ("%.0f %#.0f", &[double(2.5), double(2.0)], "3 2."),
        (
            "%10.3f|%-10.3f|%010.3f",
            &[double(1.5), double(1.5), double(-1.5)],
            "     1.500|1.500     |-00001.500",
        ),
        ("%,.2f", &[double(1_234_567.891)], "1,234,567.89"),
        ("%f %05.1f", &[double(f64::NAN), double(f64::NEG_INFINITY)], "NaN -Infinity"),
        ("%.2f", &[double(-0.0)], "-0.00"),
        ("%.3f", &[decimal("2.0005")], "2.001"),
        ("%e", &[double(12345.678)], "1.234568e+04"),
        ("%.2E %e", &[double(0.000_123), double(0.0)], "1.23E-04 0.000000e+00"),
        ("%.0e %.1e", &[double(9.6), double(9.99)], "1e+01 1.0e+01"),
        ("%.3f", &[Value::Float(1.1)], "1.100"),
    ]);
}

#[test]
fn what_java_refuses_is_null_with_a_warning() {
    let calls: [(&str, &[Value]); 11] = [
        ("%d", &[text("a")]),
        ("%s %s", &[text("a")]),
        ("%q", &[text("a")]),
        ("%tY", &[text("a")]),
        ("%", &[]),
        ("%-d", &[int(1)]),
        ("%.2d", &[int(1)]),
        ("%f", &[int(1)]),
        ("%99999999d", &[int(1)]),
        ("%<s", &[int(1)]),
        ("%f", &[decimal("1E+1000000000")]),
    ];
    let calls: Vec<_> =
        calls.iter().map(|(format, arguments)| ("SPRINTF", call(format, arguments))).collect();
    check_warned(&calls);
    check(&[("SPRINTF", vec![Value::Null, int(1)], "null")]);
}
