use proptest::prelude::*;

use super::{arithmetic, negate};
use crate::logical::ArithmeticOp::{self, Add, Divide, Modulo, Multiply, Subtract};
use crate::value::testing::{Recorder, decimal, text};
use crate::value::{Value, WarningKind};

fn compute(op: ArithmeticOp, left: &Value, right: &Value) -> (Option<Value>, Vec<WarningKind>) {
    let mut context = Recorder::default();
    let answer = arithmetic(op, left, right, &mut context);
    (answer, context.warnings.iter().map(|warning| warning.kind).collect())
}

fn big(text: &str) -> Value {
    Value::BigInteger(text.parse().unwrap())
}

#[test]
fn integers_wrap_and_divide_toward_zero() {
    for (op, left, right, answer) in [
        (Add, i32::MAX, 1, i32::MIN),
        (Subtract, i32::MIN, 1, i32::MAX),
        (Multiply, 65_536, 65_536, 0),
        (Multiply, i32::MIN, -1, i32::MIN),
        (Divide, 7, 2, 3),
        (Divide, -7, 2, -3),
        (Divide, i32::MIN, -1, i32::MIN),
        (Modulo, -7, 3, -1),
        (Modulo, 7, -3, 1),
        (Modulo, i32::MIN, -1, 0),
    ] {
        assert_eq!(compute(op, &Value::Int(left), &Value::Int(right)), (Some(Value::Int(answer)), vec![]));
    }
    assert_eq!(compute(Modulo, &Value::Long(-10_000_000_001), &Value::Long(2)).0, Some(Value::Long(-1)));
    assert_eq!(compute(Divide, &Value::Long(i64::MIN), &Value::Long(-1)).0, Some(Value::Long(i64::MIN)));
    assert_eq!(compute(Divide, &big("-7"), &big("2")).0, Some(big("-3")));
    assert_eq!(compute(Modulo, &big("100000000000000000001"), &big("10")).0, Some(big("1")));
    assert_eq!(compute(Multiply, &big("20000000000"), &big("100000000000000000000")).0, {
        Some(big("2000000000000000000000000000000"))
    });
}

#[test]
fn division_by_zero_is_null_with_a_warning() {
    for (zero, one) in [
        (Value::Int(0), Value::Int(1)),
        (Value::Long(0), Value::Long(1)),
        (Value::Float(-0.0), Value::Float(1.0)),
        (Value::Double(0.0), Value::Double(1.0)),
        (big("0"), big("1")),
        (decimal("0.00"), decimal("1")),
    ] {
        let by_zero = (Some(Value::Null), vec![WarningKind::DivideByZero]);
        assert_eq!(compute(Divide, &one, &zero), by_zero);
        if matches!(one, Value::Int(_) | Value::Long(_) | Value::BigInteger(_)) {
            assert_eq!(compute(Modulo, &one, &zero), by_zero);
        }
    }
    let mut context = Recorder::default();
    arithmetic(Divide, &Value::Int(7), &Value::Int(0), &mut context);
    assert_eq!(context.warnings[0].sample, "7 / 0");
}

#[test]
fn decimals_have_the_scale_of_java() {
    for (op, left, right, answer) in [
        (Add, "1.50", "2.5", "4.00"),
        (Subtract, "1", "0.001", "0.999"),
        (Multiply, "1.50", "0.20", "0.3000"),
        (Divide, "1", "3", "0.333333"),
        (Divide, "2", "3", "0.666667"),
        (Divide, "-2", "3", "-0.666667"),
        (Divide, "1.25", "12345", "0.00010126"),
        (Divide, "1E+3", "2", "500.000000"),
        (Divide, "0.0000005", "1", "5.00E-7"),
        (Divide, "1", "2000000", "5.0E-7"),
        (Divide, "1", "1E+6", "0.000001"),
    ] {
        let (found, warnings) = compute(op, &decimal(left), &decimal(right));
        let found = found.map(|value| crate::value::to_text(&value));
        assert_eq!((found.as_deref(), warnings), (Some(answer), vec![]), "{left} {op:?} {right}");
    }
}

#[test]
fn decimals_that_cannot_be_written_out_are_null_with_a_warning() {
    let huge = decimal("1E+2000000000");
    let too_large = (Some(Value::Null), vec![WarningKind::Conversion]);
    assert_eq!(compute(Add, &huge, &decimal("1")), too_large);
    assert_eq!(compute(Subtract, &decimal("1"), &huge), too_large);
    assert_eq!(compute(Divide, &huge, &decimal("3")), too_large);
    assert_eq!(compute(Multiply, &huge, &huge), too_large);
    assert_eq!(compute(Add, &huge, &huge).0, Some(decimal("2E+2000000000")));
}

#[test]
fn null_is_null_and_other_types_are_refused() {
    assert_eq!(compute(Add, &Value::Null, &Value::Int(1)), (Some(Value::Null), vec![]));
    assert_eq!(compute(Divide, &Value::Null, &Value::Int(0)), (Some(Value::Null), vec![]));
    assert_eq!(compute(Add, &Value::Int(1), &Value::Long(1)).0, None);
    assert_eq!(compute(Add, &text("1"), &text("1")).0, None);
    assert_eq!(compute(Modulo, &decimal("1"), &decimal("1")).0, None);
}

#[test]
fn minus_keeps_the_type() {
    for (value, answer) in [
        (Value::Int(i32::MIN), Value::Int(i32::MIN)),
        (Value::Long(5), Value::Long(-5)),
        (Value::Double(0.0), Value::Double(-0.0)),
        (Value::Float(1.5), Value::Float(-1.5)),
        (big("-3"), big("3")),
        (decimal("1.50"), decimal("-1.50")),
        (Value::Null, Value::Null),
    ] {
        assert_eq!(negate(&value), Some(answer));
    }
    assert_eq!(negate(&text("1")), None);
}

proptest! {
    #[test]
    fn quotients_are_within_half_a_digit(a in -100_000i64..100_000, s in 0i64..4, b in 1i64..100_000, t in 0i64..4) {
        let number = |unscaled: i64, scale| Value::BigDecimal(bigdecimal::BigDecimal::new(unscaled.into(), scale));
        let (left, right) = (number(a, s), number(b, t));
        let Some(Value::BigDecimal(quotient)) = compute(Divide, &left, &right).0 else { panic!("no quotient") };
        let (unscaled, scale) = quotient.as_bigint_and_scale();
        let precision = i64::try_from(b.to_string().len()).unwrap();
        prop_assert_eq!(scale, (s + precision + 1).max(6));
        // |q × b - a| ≤ b / 2, all in units of the last place.
        let shift = u32::try_from(scale - s + t).unwrap();
        let exact = bigdecimal::num_bigint::BigInt::from(a) * bigdecimal::num_bigint::BigInt::from(10).pow(shift);
        let off = unscaled.as_ref() * b - exact;
        prop_assert!(off.magnitude() * 2u8 <= u64::try_from(b).unwrap().into());
    }
}
