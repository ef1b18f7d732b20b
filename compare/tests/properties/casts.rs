//! Coerced casts against Arrow's cast and comparison kernels.

use arrow::array::{Array, Scalar as Single};
use arrow::compute::kernels::cmp;
use arrow::compute::{CastOptions, cast_with_options};
use arrow::datatypes::TimeUnit;
use ostracon_compare::{Coerced, CompareOp, PrimitiveType as T, Scalar, coerce_cast};
use proptest::prelude::*;

use crate::values::{any_type, array, every_type, value, with_one_zero};

/// DataFusion's CAST: what cannot be cast is an error, not NULL.
const CAST: CastOptions<'static> =
    CastOptions { safe: false, format_options: arrow::util::display::FormatOptions::new() };

fn cast(column: T, values: &[Scalar], to: T) -> arrow::array::ArrayRef {
    cast_with_options(&array(column, values), &to.to_arrow(), &CAST).unwrap()
}

/// The answers of the cast and the comparison.
fn expected(op: CompareOp, column: T, to: T, values: &[Scalar], literal: &Scalar) -> Vec<bool> {
    let left = with_one_zero(cast(column, values, to));
    let right = Single::new(with_one_zero(array(to, std::slice::from_ref(literal))));
    let kernel = match op {
        CompareOp::Equal => cmp::eq,
        CompareOp::NotEqual => cmp::neq,
        CompareOp::LessThan => cmp::lt,
        CompareOp::LessThanOrEqual => cmp::lt_eq,
        CompareOp::GreaterThan => cmp::gt,
        CompareOp::GreaterThanOrEqual => cmp::gt_eq,
    };
    let answers = kernel(&left, &right).unwrap();
    assert_eq!(answers.null_count(), 0);
    answers.values().iter().collect()
}

pub(crate) fn holds(predicate: &Coerced, value: &Scalar) -> bool {
    let order = |constant: &Scalar| value.compare(constant).unwrap();
    match predicate {
        Coerced::Compare { op, constant } => op.accepts(order(constant)),
        Coerced::Between { low, high, negated } => (order(low).is_ge() && order(high).is_le()) != *negated,
        Coerced::Constant(answer) => *answer,
    }
}

pub(crate) fn constants(predicate: &Coerced) -> Vec<Scalar> {
    match predicate {
        Coerced::Compare { constant, .. } => vec![constant.clone()],
        Coerced::Between { low, high, .. } => vec![low.clone(), high.clone()],
        Coerced::Constant(_) => Vec::new(),
    }
}

/// The values of a type next to one, where mistakes by one would show.
pub(crate) fn neighbours(ty: T, value: &Scalar) -> Vec<Scalar> {
    match value {
        Scalar::Int(v) => {
            [v.checked_sub(1), Some(*v), v.checked_add(1)].into_iter().flatten().map(Scalar::Int).collect()
        }
        Scalar::UInt(v) => {
            [v.checked_sub(1), Some(*v), v.checked_add(1)].into_iter().flatten().map(Scalar::UInt).collect()
        }
        Scalar::Float32(v) => [v.next_down(), *v, v.next_up()].map(Scalar::Float32).to_vec(),
        Scalar::Float64(v) => [v.next_down(), *v, v.next_up()].map(Scalar::Float64).to_vec(),
        Scalar::Decimal128(v) => [v - 1, *v, v + 1].map(Scalar::Decimal128).to_vec(),
        Scalar::Decimal256(v) => {
            let one = arrow::datatypes::i256::ONE;
            [v.wrapping_sub(one), *v, v.wrapping_add(one)].map(Scalar::Decimal256).to_vec()
        }
        other => vec![other.clone()],
    }
    .into_iter()
    .filter(|value| {
        // Only values that the type has.
        let mut out = Vec::new();
        ostracon_compare::encode(ty, ostracon_compare::Encoding::Native, value.as_ref(), &mut out).is_ok()
    })
    .collect()
}

/// The literal that a value is cast to, so that some rows are equal to it.
fn image(column: T, to: T, value: &Scalar) -> Option<Scalar> {
    let cast = cast_with_options(&array(column, std::slice::from_ref(value)), &to.to_arrow(), &CAST).ok()?;
    let text = arrow::util::display::array_value_to_string(&cast, 0).ok()?;
    // The shortest text of a float, the ISO text of a time and the digits of a decimal all read back.
    ostracon_compare::decode(to, ostracon_compare::Encoding::String, text.as_bytes())
        .ok()
        .map(|found| found.to_owned())
}

fn check(
    op: CompareOp,
    column: T,
    to: T,
    literal: &Scalar,
    mut values: Vec<Scalar>,
) -> Result<bool, TestCaseError> {
    let Some(predicate) = coerce_cast(op, column, to, literal) else { return Ok(false) };
    for constant in constants(&predicate) {
        values.extend(neighbours(column, &constant));
    }
    let answers = expected(op, column, to, &values, literal);
    for (value, answer) in values.iter().zip(answers) {
        prop_assert_eq!(
            holds(&predicate, value),
            answer,
            "CAST({:?}: {} AS {}) {} {:?} as {:?}",
            value,
            column,
            to,
            op,
            literal,
            predicate
        );
    }
    Ok(true)
}

fn any_pair() -> impl Strategy<Value = (T, T)> {
    // Pairs of which an answer is known come often: most pairs cannot be coerced.
    let known: Vec<(T, T)> = every_type()
        .into_iter()
        .flat_map(|from| every_type().into_iter().map(move |to| (from, to)))
        .filter(|(from, to)| is_coerced(*from, *to))
        .collect();
    assert!(known.len() > 200, "{}", known.len());
    prop_oneof![20 => prop::sample::select(known), 1 => (any_type(), any_type())]
}

/// Whether a cast is coerced at all, asked with a literal that every type of the kind has.
fn is_coerced(column: T, to: T) -> bool {
    let literal = match to {
        T::Boolean => Scalar::Boolean(true),
        T::UInt8 | T::UInt16 | T::UInt32 | T::UInt64 => Scalar::UInt(1),
        T::Float32 => Scalar::Float32(1.0),
        T::Float64 => Scalar::Float64(1.0),
        T::Decimal128 { .. } => Scalar::Decimal128(1),
        T::Decimal256 { .. } => Scalar::Decimal256(arrow::datatypes::i256::ONE),
        T::Utf8 => Scalar::Utf8("a".into()),
        T::Binary => Scalar::Binary(b"a".to_vec()),
        _ => Scalar::Int(1),
    };
    coerce_cast(CompareOp::LessThan, column, to, &literal).is_some()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(6000))]

    #[test]
    fn answers_are_those_of_the_cast(
        (column, to, values, literal) in any_pair().prop_flat_map(|(column, to)| {
            (Just(column), Just(to), prop::collection::vec(value(column), 6), value(to))
        }),
        op in prop::sample::select(CompareOp::ALL.to_vec()),
    ) {
        if column == T::Boolean && to == T::Boolean {
            return Ok(());
        }
        // Every type's text is readable, but Arrow does not cast bytes that are not text.
        if !is_coerced(column, to) {
            return Ok(());
        }
        check(op, column, to, &literal, values.clone())?;
        if let Some(literal) = image(column, to, &values[0]) {
            check(op, column, to, &literal, values.clone())?;
            for literal in neighbours(to, &literal) {
                check(op, column, to, &literal, values.clone())?;
            }
        }
    }
}

/// Every pair that is coerced, in full: each operator, at every hard value and its neighbours.
#[test]
fn boundaries_of_small_integers_are_exact_for_every_operator() {
    let all: Vec<Scalar> = (i8::MIN..=i8::MAX).map(|value| Scalar::Int(value.into())).collect();
    for to in every_type().into_iter().filter(|to| is_coerced(T::Int8, *to)) {
        let mut literals: Vec<Scalar> = Vec::new();
        for value in &all {
            if let Some(literal) = image(T::Int8, to, value) {
                literals.extend(neighbours(to, &literal));
            }
        }
        for literal in literals {
            for op in CompareOp::ALL {
                assert!(check(op, T::Int8, to, &literal, all.clone()).unwrap(), "{to} {op} {literal:?}");
            }
        }
    }
}

fn found(op: CompareOp, column: T, to: T, literal: Scalar) -> Option<Coerced> {
    coerce_cast(op, column, to, &literal)
}

fn compare(op: CompareOp, constant: Scalar) -> Option<Coerced> {
    Some(Coerced::Compare { op, constant })
}

#[test]
fn the_shapes_that_datafusion_hands_over() {
    use CompareOp::*;
    // i32 < 3000000000 arrives as CAST(i32 AS Int64) < ...
    assert_eq!(
        found(LessThan, T::Int32, T::Int64, Scalar::Int(3_000_000_000)),
        Some(Coerced::Constant(true))
    );
    assert_eq!(found(Equal, T::Int32, T::Int64, Scalar::Int(3_000_000_000)), Some(Coerced::Constant(false)));
    assert_eq!(found(NotEqual, T::Int32, T::Int64, Scalar::Int(7)), compare(NotEqual, Scalar::Int(7)));
    // i32 = 1.5 and i32 > 5.5 as CAST(i32 AS Float64)
    assert_eq!(found(Equal, T::Int32, T::Float64, Scalar::Float64(1.5)), Some(Coerced::Constant(false)));
    assert_eq!(found(Equal, T::Int32, T::Float64, Scalar::Float64(5.0)), compare(Equal, Scalar::Int(5)));
    assert_eq!(
        found(GreaterThan, T::Int32, T::Float64, Scalar::Float64(5.5)),
        compare(GreaterThanOrEqual, Scalar::Int(6))
    );
    assert_eq!(
        found(GreaterThan, T::Int32, T::Float64, Scalar::Float64(5.0)),
        compare(GreaterThan, Scalar::Int(5))
    );
    assert_eq!(
        found(LessThan, T::Int32, T::Float64, Scalar::Float64(f64::NAN)),
        Some(Coerced::Constant(true))
    );
    // A double has fewer digits than a BIGINT: several integers are one double.
    assert_eq!(
        found(Equal, T::Int64, T::Float64, Scalar::Float64(9_007_199_254_740_992.0)),
        Some(Coerced::Between {
            low: Scalar::Int(9_007_199_254_740_992),
            high: Scalar::Int(9_007_199_254_740_993),
            negated: false,
        })
    );
    // u64 = -1 and i64 = 18446744073709551615 as CAST(... AS Decimal128(20, 0))
    let wide = T::Decimal128 { precision: 20, scale: 0 };
    assert_eq!(found(Equal, T::UInt64, wide, Scalar::Decimal128(-1)), Some(Coerced::Constant(false)));
    assert_eq!(found(GreaterThan, T::UInt64, wide, Scalar::Decimal128(-1)), Some(Coerced::Constant(true)));
    // de < 5.555 as CAST(de AS Decimal128(30, 15))
    let (narrow, cast) =
        (T::Decimal128 { precision: 10, scale: 2 }, T::Decimal128 { precision: 30, scale: 15 });
    let literal = Scalar::Decimal128(5_555_000_000_000_000);
    assert_eq!(found(LessThan, narrow, cast, literal), compare(LessThanOrEqual, Scalar::Decimal128(555)));
    // r = 0.1 as CAST(r AS Float64): no single is that double.
    assert_eq!(found(Equal, T::Float32, T::Float64, Scalar::Float64(0.1)), Some(Coerced::Constant(false)));
    // cast(ts as date) = DATE '1970-01-02', before and after the epoch
    let day = 86_400_000_000_000;
    let nanos = T::Timestamp(TimeUnit::Nanosecond);
    assert_eq!(
        found(Equal, nanos, T::Date32, Scalar::Int(-1)),
        Some(Coerced::Between { low: Scalar::Int(-day), high: Scalar::Int(-1), negated: false })
    );
    assert_eq!(
        found(GreaterThan, nanos, T::Date32, Scalar::Int(1)),
        compare(GreaterThan, Scalar::Int(2 * day - 1))
    );
}

#[test]
fn casts_that_can_fail_or_lose_the_order_are_left_alone() {
    for (column, to, literal) in [
        (T::Int64, T::Int32, Scalar::Int(1)),
        (T::Int64, T::UInt64, Scalar::UInt(1)),
        (T::UInt64, T::Int64, Scalar::Int(1)),
        (T::Utf8, T::Int64, Scalar::Int(5)),
        (T::Int64, T::Utf8, Scalar::Utf8("5".into())),
        (T::Binary, T::Utf8, Scalar::Utf8("a".into())),
        (T::Float64, T::Int64, Scalar::Int(5)),
        (T::Date32, T::Timestamp(TimeUnit::Nanosecond), Scalar::Int(5)),
        (T::Date32, T::Timestamp(TimeUnit::Microsecond), Scalar::Int(5)),
        (T::Timestamp(TimeUnit::Second), T::Timestamp(TimeUnit::Nanosecond), Scalar::Int(5)),
        (T::Timestamp(TimeUnit::Microsecond), T::Date32, Scalar::Int(5)),
        (T::Int64, T::Decimal128 { precision: 18, scale: 0 }, Scalar::Decimal128(5)),
        (
            T::Decimal128 { precision: 10, scale: 2 },
            T::Decimal128 { precision: 10, scale: 3 },
            Scalar::Decimal128(5),
        ),
        (T::Float32, T::Float64, Scalar::Float64(f64::NAN)),
        (T::Int32, T::Int64, Scalar::UInt(5)),
    ] {
        for op in CompareOp::ALL {
            assert_eq!(coerce_cast(op, column, to, &literal), None, "{column} {to}");
        }
    }
}

/// The order is kept and no value fails: these casts are seen through, not left to a filter above the scan.
#[test]
fn integers_cast_to_timestamps_are_seen_through() {
    let instant = T::Timestamp(TimeUnit::Second);
    let op = CompareOp::LessThanOrEqual;
    for (column, seconds) in [(T::Int8, 5), (T::Int32, -7), (T::Int64, 1 << 40)] {
        let seconds = Scalar::Int(seconds);
        assert_eq!(found(op, column, instant, seconds.clone()), compare(op, seconds), "{column}");
    }
    assert_eq!(found(op, T::UInt64, instant, Scalar::Int(5)), None, "large ones overflow");
}
