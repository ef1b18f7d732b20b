//! ABS, the functions of `java.lang.Math`, RANDOM, ROUND and ROUND_TO.

use std::str::FromStr as _;

use bigdecimal::{RoundingMode, Signed as _};

use crate::functions::builtin::{Builtin, Definition, Fault, takes};
use crate::functions::signature::{Overload, Parameter, Signature};
use crate::types::PigType::{BigDecimal, BigInteger, Double, Float, Int, Long};
use crate::value::Value;

pub(super) fn functions() -> Vec<Definition> {
    vec![
        Definition::plain("ABS", abs),
        Definition::plain("ACOS", || of_double("ACOS", f64::acos)),
        Definition::plain("ASIN", || of_double("ASIN", f64::asin)),
        Definition::plain("ATAN", || of_double("ATAN", f64::atan)),
        Definition::plain("ATAN2", atan2),
        Definition::plain("CBRT", || of_double("CBRT", f64::cbrt)),
        Definition::plain("CEIL", || of_double("CEIL", f64::ceil)),
        Definition::plain("COS", || of_double("COS", f64::cos)),
        Definition::plain("COSH", || of_double("COSH", f64::cosh)),
        Definition::plain("EXP", || of_double("EXP", f64::exp)),
        Definition::plain("FLOOR", || of_double("FLOOR", f64::floor)),
        Definition::plain("LOG", || of_double("LOG", f64::ln)),
        Definition::plain("LOG10", || of_double("LOG10", f64::log10)),
        Definition::plain("RANDOM", random),
        Definition::plain("ROUND", round),
        Definition::plain("ROUND_TO", round_to),
        Definition::plain("SIN", || of_double("SIN", f64::sin)),
        Definition::plain("SINH", || of_double("SINH", f64::sinh)),
        Definition::plain("SQRT", || of_double("SQRT", f64::sqrt)),
        Definition::plain("TAN", || of_double("TAN", f64::tan)),
        Definition::plain("TANH", || of_double("TANH", f64::tanh)),
    ]
}

/// A function from double to double; smaller numbers and bytes become double first.
fn of_double(name: &'static str, compute: fn(f64) -> f64) -> Builtin {
    Builtin::strict(name, vec![takes([Double], Double)], move |arguments| match arguments {
        [Value::Double(x)] => Ok(Value::Double(compute(*x))),
        _ => Err(Fault::Arguments),
    })
}

/// `ABS`: keeps the type; bytes count as double. The smallest int and long stay negative, as in Java.
fn abs() -> Builtin {
    let mut overloads: Vec<Overload> =
        [Int, Long, Float, Double, BigInteger, BigDecimal].map(|ty| takes([ty.clone()], ty)).into();
    overloads.push(Overload::new(vec![Parameter::Untyped(Double)], Double));
    Builtin::strict("ABS", overloads, |arguments| {
        Ok(match arguments {
            [Value::Int(x)] => Value::Int(x.wrapping_abs()),
            [Value::Long(x)] => Value::Long(x.wrapping_abs()),
            [Value::Float(x)] => Value::Float(x.abs()),
            [Value::Double(x)] => Value::Double(x.abs()),
            [Value::BigInteger(x)] => Value::BigInteger(x.abs()),
            [Value::BigDecimal(x)] => Value::BigDecimal(x.abs()),
            _ => return Err(Fault::Arguments),
        })
    })
}

/// `ATAN2(y, x)`, of piggybank.
fn atan2() -> Builtin {
    Builtin::strict("ATAN2", vec![takes([Double, Double], Double)], |arguments| match arguments {
        [Value::Double(y), Value::Double(x)] => Ok(Value::Double(y.atan2(*x))),
        _ => Err(Fault::Arguments),
    })
}

/// `RANDOM`: evenly from 0 to 1, without 1.
fn random() -> Builtin {
    let signature = Signature::Overloads(vec![takes([], Double)]);
    Builtin::with_context("RANDOM", signature, |_, context| Ok(Value::Double(context.random()))).volatile()
}

/// `ROUND`: of a float an int, of a double a long; halves go up, as in `Math.round`.
fn round() -> Builtin {
    let untyped = Overload::new(vec![Parameter::Untyped(Double)], Long);
    let overloads = vec![takes([Float], Int), takes([Double], Long), untyped];
    Builtin::strict("ROUND", overloads, |arguments| match arguments {
        // The casts saturate, and make 0 of NaN, as in Java.
        [Value::Float(x)] => Ok(Value::Int(half_up(f64::from(*x)) as i32)),
        [Value::Double(x)] => Ok(Value::Long(half_up(*x) as i64)),
        _ => Err(Fault::Arguments),
    })
}

/// The difference to the floor is exact, the sum `x + 0.5` is not.
fn half_up(x: f64) -> f64 {
    let floor = x.floor();
    if x - floor >= 0.5 { floor + 1.0 } else { floor }
}

/// `ROUND_TO(x, digits [, mode])`: the mode is the number of a `java.math.RoundingMode`, HALF_EVEN without.
fn round_to() -> Builtin {
    let untyped = |more: Vec<Parameter>| {
        let mut parameters = vec![Parameter::Untyped(Double), Parameter::Is(Int)];
        parameters.extend(more);
        Overload::new(parameters, Double)
    };
    let overloads = vec![
        takes([Double, Int], Double),
        takes([Double, Int, Int], Double),
        takes([Float, Int], Float),
        takes([Float, Int, Int], Float),
        untyped(vec![]),
        untyped(vec![Parameter::Is(Int)]),
    ];
    Builtin::strict("ROUND_TO", overloads, |arguments| {
        let (number, digits, mode) = match arguments {
            [number, Value::Int(digits)] => (number, *digits, 6),
            [number, Value::Int(digits), Value::Int(mode)] => (number, *digits, *mode),
            _ => return Err(Fault::Arguments),
        };
        match number {
            Value::Double(x) => Ok(Value::Double(rounded(*x, digits, mode)?)),
            Value::Float(x) => Ok(Value::Float(rounded(f64::from(*x), digits, mode)? as f32)),
            _ => Err(Fault::Arguments),
        }
    })
}

/// Rounds the decimal number that a double prints as. No double has digits beyond these.
fn rounded(x: f64, digits: i32, mode: i32) -> Result<f64, Fault> {
    let decimal = bigdecimal::BigDecimal::from_str(&format!("{x:e}"))
        .map_err(|_| Fault::Value(format!("{x} has no digits")))?;
    let digits = i64::from(digits.clamp(-400, 400));
    let exact = decimal.fractional_digit_count() <= digits;
    let mode = match mode {
        0 => RoundingMode::Up,
        1 => RoundingMode::Down,
        2 => RoundingMode::Ceiling,
        3 => RoundingMode::Floor,
        4 => RoundingMode::HalfUp,
        5 => RoundingMode::HalfDown,
        6 => RoundingMode::HalfEven,
        7 if exact => RoundingMode::Down,
        7 => return Err(Fault::Value(format!("rounding of {x} is necessary"))),
        _ => return Err(Fault::Value(format!("{mode} is no rounding mode"))),
    };
    if exact {
        return Ok(x);
    }
    let text = decimal.with_scale_round(digits, mode).to_scientific_notation();
    text.parse().map_err(|_| Fault::Value(format!("{x} cannot be rounded")))
}
