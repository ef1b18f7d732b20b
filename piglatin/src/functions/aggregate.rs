//! COUNT, COUNT_STAR, SUM and AVG over bags.

use std::num::NonZeroU64;

use bigdecimal::num_bigint::BigInt;
use bigdecimal::{BigDecimal, RoundingMode};

use crate::functions::builtin::{Builtin, Definition, Fault};
use crate::functions::signature::{Overload, Parameter};
use crate::logical::Aggregated;
use crate::types::PigType::{self, Double, Float, Int, Long};
use crate::value::Value;
use crate::value::arithmetic::add_decimals;

pub(super) fn functions() -> Vec<Definition> {
    vec![
        Definition::plain("COUNT", count),
        Definition::plain("COUNT_STAR", count_star),
        Definition::plain("SUM", sum),
        Definition::plain("AVG", avg),
    ]
}

/// The first fields of a bag's tuples that are there and not null.
pub(super) fn first_fields(bag: &[Value]) -> impl Iterator<Item = &Value> {
    bag.iter().filter_map(|item| match item {
        Value::Tuple(fields) => fields.first().filter(|field| !matches!(field, Value::Null)),
        _ => None,
    })
}

/// `COUNT`: the tuples whose first field is not null.
fn count() -> Builtin {
    let overloads = vec![Overload::new(vec![Parameter::Bag], Long)];
    Builtin::strict("COUNT", overloads, |arguments| match arguments {
        [Value::Bag(bag)] => Ok(length(first_fields(bag).count())),
        _ => Err(Fault::Arguments),
    })
    .aggregates(Aggregated::Count)
}

/// `COUNT_STAR`: all tuples; of a null bag null, as COUNT.
fn count_star() -> Builtin {
    let overloads = vec![Overload::new(vec![Parameter::Bag], Long)];
    Builtin::strict("COUNT_STAR", overloads, |arguments| match arguments {
        [Value::Bag(bag)] => Ok(length(bag.len())),
        _ => Err(Fault::Arguments),
    })
    .aggregates(Aggregated::CountStar)
}

/// A length as a long.
pub(super) fn length(length: usize) -> Value {
    Value::Long(i64::try_from(length).unwrap_or(i64::MAX))
}

/// A sum so far.
enum Sum {
    Long(i64),
    Double(f64),
    BigInteger(BigInt),
    BigDecimal(BigDecimal),
}

/// The sum of the first fields and how many there are; nothing if there are none. Longs wrap, as in Java.
fn total(bag: &[Value]) -> Result<Option<(Sum, NonZeroU64)>, Fault> {
    let mut total: Option<(Sum, NonZeroU64)> = None;
    for value in first_fields(bag) {
        let value = match value {
            Value::Int(x) => Sum::Long(i64::from(*x)),
            Value::Long(x) => Sum::Long(*x),
            Value::Float(x) => Sum::Double(f64::from(*x)),
            Value::Double(x) => Sum::Double(*x),
            Value::BigInteger(x) => Sum::BigInteger(x.clone()),
            Value::BigDecimal(x) => Sum::BigDecimal(x.clone()),
            _ => return Err(Fault::Arguments),
        };
        total = Some(match total {
            None => (value, NonZeroU64::MIN),
            Some((sum, count)) => (sum.plus(value)?, count.saturating_add(1)),
        });
    }
    Ok(total)
}

impl Sum {
    fn plus(self, other: Self) -> Result<Self, Fault> {
        Ok(match (self, other) {
            (Self::Long(sum), Self::Long(x)) => Self::Long(sum.wrapping_add(x)),
            (Self::Double(sum), Self::Double(x)) => Self::Double(sum + x),
            (Self::BigInteger(sum), Self::BigInteger(x)) => Self::BigInteger(sum + x),
            (Self::BigDecimal(sum), Self::BigDecimal(x)) => Self::BigDecimal(
                add_decimals(&sum, &x).map_err(|_| Fault::Value("the sum has too many digits".to_owned()))?,
            ),
            _ => return Err(Fault::Arguments),
        })
    }
}

/// `SUM`: of int and long a long, of float, double and bytes a double, of big numbers their own type.
fn sum() -> Builtin {
    let overloads = numeric_bags(&[
        (Int, Long),
        (Long, Long),
        (Float, Double),
        (Double, Double),
        (PigType::BigInteger, PigType::BigInteger),
        (PigType::BigDecimal, PigType::BigDecimal),
    ]);
    Builtin::strict("SUM", overloads, |arguments| match arguments {
        [Value::Bag(bag)] => Ok(match total(bag)? {
            None => Value::Null,
            Some((Sum::Long(sum), _)) => Value::Long(sum),
            Some((Sum::Double(sum), _)) => Value::Double(sum),
            Some((Sum::BigInteger(sum), _)) => Value::BigInteger(sum),
            Some((Sum::BigDecimal(sum), _)) => Value::BigDecimal(sum),
        }),
        _ => Err(Fault::Arguments),
    })
    .aggregates(Aggregated::Sum)
}

/// `AVG`: a double; of big numbers a bigdecimal of 34 digits (`MathContext.DECIMAL128`).
fn avg() -> Builtin {
    let overloads = numeric_bags(&[
        (Int, Double),
        (Long, Double),
        (Float, Double),
        (Double, Double),
        (PigType::BigInteger, PigType::BigDecimal),
        (PigType::BigDecimal, PigType::BigDecimal),
    ]);
    Builtin::strict("AVG", overloads, |arguments| match arguments {
        [Value::Bag(bag)] => Ok(match total(bag)? {
            None => Value::Null,
            Some((Sum::Long(sum), count)) => Value::Double(sum as f64 / count.get() as f64),
            Some((Sum::Double(sum), count)) => Value::Double(sum / count.get() as f64),
            Some((Sum::BigInteger(sum), count)) => average(sum.into(), count),
            Some((Sum::BigDecimal(sum), count)) => average(sum, count),
        }),
        _ => Err(Fault::Arguments),
    })
    .aggregates(Aggregated::Avg)
}

/// 34 digits, half even; an exact quotient keeps the scale of the sum.
fn average(sum: BigDecimal, count: NonZeroU64) -> Value {
    let scale = sum.fractional_digit_count();
    let digits = NonZeroU64::MIN.saturating_add(33);
    let quotient = sum / BigDecimal::from(count.get());
    let quotient = quotient.with_precision_round(digits, RoundingMode::HalfEven).normalized();
    let short = quotient.fractional_digit_count() < scale && quotient.digits() + scale.unsigned_abs() <= 34;
    Value::BigDecimal(if short { quotient.with_scale(scale) } else { quotient })
}

/// An overload for bags of each type, and the double one for bags of which nothing is known.
pub(super) fn numeric_bags(types: &[(PigType, PigType)]) -> Vec<Overload> {
    let mut overloads: Vec<Overload> = types
        .iter()
        .map(|(of, result)| Overload::new(vec![Parameter::BagOf(of.clone())], result.clone()))
        .collect();
    overloads.push(Overload::new(vec![Parameter::BagOfUntyped(Double)], Double));
    overloads
}
