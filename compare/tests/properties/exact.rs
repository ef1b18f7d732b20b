//! Exact comparison across types against arithmetic on integers wide enough for it.

use std::cmp::Ordering;

use arrow::datatypes::{TimeUnit, i256};
use ostracon_compare::{Coerced, CompareOp, PrimitiveType as T, Scalar, coerce};
use proptest::prelude::*;

use crate::casts::{constants, holds, neighbours};
use crate::values::{UNITS, value};

/// A number as `numerator / (2^twos * 10^tens)`, or where it lies if it is not finite.
enum Number {
    Finite { numerator: i256, twos: u32, tens: u32 },
    Below,
    Above,
}

/// Reads numbers whose comparison fits 256 bits; `None` for others.
fn number(ty: T, value: &Scalar) -> Option<Number> {
    let scale = match ty {
        T::Decimal128 { scale, .. } | T::Decimal256 { scale, .. } => scale,
        _ => 0,
    };
    let scaled = |value: i256| {
        let factor = i256::from_i128(10).checked_pow((-scale).max(0) as u32)?;
        Some(Number::Finite { numerator: value.checked_mul(factor)?, twos: 0, tens: scale.max(0) as u32 })
    };
    match value {
        Scalar::Int(value) => scaled(i256::from_i128((*value).into())),
        Scalar::UInt(value) => scaled(i256::from_i128((*value).into())),
        Scalar::Decimal128(value) => scaled(i256::from_i128(*value)),
        Scalar::Decimal256(value) => scaled(*value),
        Scalar::Float32(value) => double(f64::from(*value)),
        Scalar::Float64(value) => double(*value),
        _ => None,
    }
}

fn double(value: f64) -> Option<Number> {
    if !value.is_finite() {
        return Some(if value.is_sign_negative() { Number::Below } else { Number::Above });
    }
    let bits = value.to_bits();
    let exponent = ((bits >> 52) & 0x7ff) as i32;
    let fraction = (bits & ((1 << 52) - 1)) as i128;
    let (mantissa, power) =
        if exponent == 0 { (fraction, -1074) } else { (fraction | 1 << 52, exponent - 1075) };
    let mantissa = i256::from_i128(if value < 0.0 { -mantissa } else { mantissa });
    if !(-120..=100).contains(&power) {
        return (mantissa == i256::ZERO).then_some(Number::Finite {
            numerator: i256::ZERO,
            twos: 0,
            tens: 0,
        });
    }
    let up = i256::from_i128(2).checked_pow(power.max(0) as u32)?;
    Some(Number::Finite { numerator: mantissa.checked_mul(up)?, twos: (-power).max(0) as u32, tens: 0 })
}

fn order(a: &Number, b: &Number) -> Option<Ordering> {
    Some(match (a, b) {
        (Number::Finite { numerator: a, twos, tens }, Number::Finite { numerator: b, twos: q, tens: t }) => {
            let raise = |twos: u32, tens: u32| {
                i256::from_i128(2).checked_pow(twos)?.checked_mul(i256::from_i128(10).checked_pow(tens)?)
            };
            a.checked_mul(raise(*q, *t)?)?.cmp(&b.checked_mul(raise(*twos, *tens)?)?)
        }
        (Number::Below, Number::Finite { .. }) | (Number::Finite { .. }, Number::Above) => Ordering::Less,
        (Number::Above, Number::Finite { .. }) | (Number::Finite { .. }, Number::Below) => Ordering::Greater,
        _ => return None,
    })
}

fn numeric() -> Vec<T> {
    let mut types = vec![
        T::Int8,
        T::Int16,
        T::Int32,
        T::Int64,
        T::UInt8,
        T::UInt16,
        T::UInt32,
        T::UInt64,
        T::Float32,
        T::Float64,
    ];
    for (precision, scale) in [(38, 10), (20, 0), (10, 2), (5, 5), (5, -2)] {
        types.push(T::Decimal128 { precision, scale });
    }
    for (precision, scale) in [(60, 5), (21, 1)] {
        types.push(T::Decimal256 { precision, scale });
    }
    types
}

fn check(
    op: CompareOp,
    column: T,
    literal_type: T,
    literal: &Scalar,
    mut values: Vec<Scalar>,
    model: impl Fn(&Scalar) -> Option<Ordering>,
) -> Result<(), TestCaseError> {
    let predicate = coerce(op, column, literal_type, literal);
    prop_assert!(predicate.is_some(), "{} {} {:?}", column, literal_type, literal);
    let predicate = predicate.unwrap();
    for constant in constants(&predicate) {
        values.extend(neighbours(column, &constant));
    }
    for value in &values {
        let Some(order) = model(value) else { continue };
        prop_assert_eq!(
            holds(&predicate, value),
            op.accepts(order),
            "{:?}: {} {} {:?}: {} as {:?}",
            value,
            column,
            op,
            literal,
            literal_type,
            predicate
        );
    }
    Ok(())
}

fn operators() -> impl Strategy<Value = CompareOp> {
    prop::sample::select(CompareOp::ALL.to_vec())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn numbers_compare_as_numbers(
        (column, literal_type, values, literal) in
            (prop::sample::select(numeric()), prop::sample::select(numeric())).prop_flat_map(|(column, literal)| {
                (Just(column), Just(literal), prop::collection::vec(value(column), 4), value(literal))
            }),
        op in operators(),
    ) {
        let wanted = number(literal_type, &literal);
        // Two values that are not finite compare by another rule, and are not what this is about.
        check(op, column, literal_type, &literal, values, |value| order(&number(column, value)?, wanted.as_ref()?))?;
    }

    #[test]
    fn times_compare_as_instants(
        column in 0usize..6, literal in 0usize..6, seconds in -100_000_000i64..100_000_000, more in -2i64..3,
        op in operators(),
    ) {
        let types = [
            T::Date32, T::Date64, T::Timestamp(UNITS[0]), T::Timestamp(UNITS[1]), T::Timestamp(UNITS[2]),
            T::Timestamp(UNITS[3]),
        ];
        let unit = |ty: T| match ty {
            T::Date32 => 86_400_000_000_000i64,
            T::Date64 | T::Timestamp(TimeUnit::Millisecond) => 1_000_000,
            T::Timestamp(TimeUnit::Second) => 1_000_000_000,
            T::Timestamp(TimeUnit::Microsecond) => 1_000,
            _ => 1,
        };
        let (column, literal_type) = (types[column], types[literal]);
        let literal = (seconds * 1_000_000_000).div_euclid(unit(literal_type)) + more;
        let nanos = i128::from(literal) * i128::from(unit(literal_type));
        let near = i64::try_from(nanos.div_euclid(i128::from(unit(column)))).unwrap();
        let values = (near - 2..near + 3).map(Scalar::Int).collect();
        check(op, column, literal_type, &Scalar::Int(literal), values, |value| match value {
            Scalar::Int(value) => Some((i128::from(*value) * i128::from(unit(column))).cmp(&nanos)),
            _ => None,
        })?;
    }
}

#[test]
fn known_answers() {
    use CompareOp::*;
    let compare = |op, constant| Some(Coerced::Compare { op, constant });
    assert_eq!(
        coerce(LessThan, T::Int32, T::Float64, &Scalar::Float64(5.5)),
        compare(LessThanOrEqual, Scalar::Int(5))
    );
    assert_eq!(coerce(Equal, T::Int8, T::Int64, &Scalar::Int(128)), Some(Coerced::Constant(false)));
    assert_eq!(coerce(NotEqual, T::UInt8, T::Int64, &Scalar::Int(-1)), Some(Coerced::Constant(true)));
    // 2^53 + 1 is no double: exactly, nothing equals it, where a cast would round.
    let odd = Scalar::Int(9_007_199_254_740_993);
    assert_eq!(coerce(Equal, T::Float64, T::Int64, &odd), Some(Coerced::Constant(false)));
    assert_eq!(
        coerce(LessThan, T::Float64, T::Int64, &odd),
        compare(LessThanOrEqual, Scalar::Float64(9_007_199_254_740_992.0))
    );
    assert_eq!(coerce(Equal, T::Int64, T::Float64, &Scalar::Float64(-0.0)), compare(Equal, Scalar::Int(0)));
    assert_eq!(
        coerce(LessThan, T::Int64, T::Float64, &Scalar::Float64(f64::NAN)),
        Some(Coerced::Constant(true))
    );
    assert_eq!(
        coerce(Equal, T::Float32, T::Float64, &Scalar::Float64(f64::NAN)),
        compare(Equal, Scalar::Float32(f32::NAN))
    );
    // The greatest decimal is beyond the greatest single: only infinity and NaN are greater.
    let huge = T::Decimal256 { precision: 76, scale: 0 };
    let nines = i256::from_i128(10).checked_pow(76).unwrap().wrapping_sub(i256::ONE);
    assert_eq!(
        coerce(GreaterThan, T::Float32, huge, &Scalar::Decimal256(nines)),
        compare(GreaterThanOrEqual, Scalar::Float32(f32::INFINITY))
    );
    for (column, literal_type, literal) in [
        (T::Utf8, T::Int64, Scalar::Int(5)),
        (T::Int64, T::Utf8, Scalar::Utf8("5".into())),
        (T::Boolean, T::Int64, Scalar::Int(1)),
        (T::Date32, T::Int32, Scalar::Int(1)),
        (T::Date32, T::Time64(TimeUnit::Nanosecond), Scalar::Int(1)),
        (T::Int64, T::Int64, Scalar::UInt(1)),
    ] {
        assert_eq!(coerce(Equal, column, literal_type, &literal), None, "{column} {literal_type}");
    }
    assert_eq!(
        coerce(LessThan, T::Binary, T::Utf8, &Scalar::Utf8("é".into())),
        compare(LessThan, Scalar::Binary("é".as_bytes().to_vec()))
    );
    assert_eq!(
        coerce(Equal, T::Utf8, T::Binary, &Scalar::Binary(vec![0xff])),
        Some(Coerced::Constant(false))
    );
    assert_eq!(coerce(LessThan, T::Utf8, T::Binary, &Scalar::Binary(vec![0xff])), None);
    assert_eq!(
        coerce(Equal, T::Boolean, T::Boolean, &Scalar::Boolean(true)),
        compare(Equal, Scalar::Boolean(true))
    );
    assert_eq!(
        coerce(
            LessThanOrEqual,
            T::Time32(TimeUnit::Second),
            T::Time64(TimeUnit::Nanosecond),
            &Scalar::Int(1)
        ),
        compare(LessThanOrEqual, Scalar::Int(0))
    );
}
