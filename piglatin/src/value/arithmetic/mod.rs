//! `+ - * / %` and unary minus (N23, N24).

mod decimal;
#[cfg(test)]
mod tests;

use bigdecimal::Zero as _;

pub use decimal::{add_decimals, divide_decimals, multiply_decimals, subtract_decimals};

use crate::logical::ArithmeticOp;
use crate::value::text::to_text;
use crate::value::{CallContext, Value, Warning, WarningKind};

/// Computes on two numbers of one type; null if one is null, and `None` if they are no such numbers.
///
/// Ints and longs wrap as in Java. A division by zero, of floats too, is null and a warning (N23); so is `% 0`. Integers
/// are divided toward zero, and the remainder has the sign of the left operand. A quotient of bigdecimals has
/// max(6, s + p + 1) digits behind the point, where s is the scale of the dividend and p the number of digits of the
/// divisor, rounded half up (N24). Bigdecimals of more than a million digits are null and a warning.
pub fn arithmetic(
    op: ArithmeticOp,
    left: &Value,
    right: &Value,
    context: &mut dyn CallContext,
) -> Option<Value> {
    let answer = match (left, right) {
        (Value::Null, _) | (_, Value::Null) => return Some(Value::Null),
        (Value::Int(left), Value::Int(right)) => int(op, *left, *right).map(Value::Int),
        (Value::Long(left), Value::Long(right)) => long(op, *left, *right).map(Value::Long),
        (Value::Float(left), Value::Float(right)) => float(op, *left, *right).map(Value::Float),
        (Value::Double(left), Value::Double(right)) => double(op, *left, *right).map(Value::Double),
        (Value::BigInteger(left), Value::BigInteger(right)) => match op {
            ArithmeticOp::Add => Ok(Value::BigInteger(left + right)),
            ArithmeticOp::Subtract => Ok(Value::BigInteger(left - right)),
            ArithmeticOp::Multiply => Ok(Value::BigInteger(left * right)),
            ArithmeticOp::Divide | ArithmeticOp::Modulo if right.is_zero() => Err(Fault::DivideByZero),
            ArithmeticOp::Divide => Ok(Value::BigInteger(left / right)),
            ArithmeticOp::Modulo => Ok(Value::BigInteger(left % right)),
        },
        (Value::BigDecimal(left), Value::BigDecimal(right)) => match op {
            ArithmeticOp::Add => add_decimals(left, right),
            ArithmeticOp::Subtract => subtract_decimals(left, right),
            ArithmeticOp::Multiply => multiply_decimals(left, right),
            ArithmeticOp::Divide => divide_decimals(left, right),
            ArithmeticOp::Modulo => return None,
        }
        .map(Value::BigDecimal),
        _ => return None,
    };
    Some(answer.unwrap_or_else(|fault| {
        context.warn(warning(fault, op, left, right));
        Value::Null
    }))
}

/// `-x`; `None` if it is no number. As in Java the smallest int is its own negative.
#[must_use]
pub fn negate(value: &Value) -> Option<Value> {
    Some(match value {
        Value::Null => Value::Null,
        Value::Int(value) => Value::Int(value.wrapping_neg()),
        Value::Long(value) => Value::Long(value.wrapping_neg()),
        Value::Float(value) => Value::Float(-value),
        Value::Double(value) => Value::Double(-value),
        Value::BigInteger(value) => Value::BigInteger(-value),
        Value::BigDecimal(value) => Value::BigDecimal(-value),
        _ => return None,
    })
}

/// Why there is no result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// Also of `%`.
    DivideByZero,
    /// Too many digits to be written out.
    TooLarge,
}

fn warning(fault: Fault, op: ArithmeticOp, left: &Value, right: &Value) -> Warning {
    let sign = match op {
        ArithmeticOp::Add => '+',
        ArithmeticOp::Subtract => '-',
        ArithmeticOp::Multiply => '*',
        ArithmeticOp::Divide => '/',
        ArithmeticOp::Modulo => '%',
    };
    let term: String = format!("{} {sign} {}", to_text(left), to_text(right)).chars().take(120).collect();
    match fault {
        Fault::DivideByZero => Warning { kind: WarningKind::DivideByZero, sample: term },
        Fault::TooLarge => Warning {
            kind: WarningKind::Conversion,
            sample: format!("{term} has too many digits for a bigdecimal"),
        },
    }
}

/// Java's int arithmetic.
///
/// # Errors
/// Division by zero.
pub fn int(op: ArithmeticOp, left: i32, right: i32) -> Result<i32, Fault> {
    Ok(match op {
        ArithmeticOp::Add => left.wrapping_add(right),
        ArithmeticOp::Subtract => left.wrapping_sub(right),
        ArithmeticOp::Multiply => left.wrapping_mul(right),
        ArithmeticOp::Divide | ArithmeticOp::Modulo if right == 0 => return Err(Fault::DivideByZero),
        ArithmeticOp::Divide => left.wrapping_div(right),
        ArithmeticOp::Modulo => left.wrapping_rem(right),
    })
}

/// Java's long arithmetic.
///
/// # Errors
/// Division by zero.
pub fn long(op: ArithmeticOp, left: i64, right: i64) -> Result<i64, Fault> {
    Ok(match op {
        ArithmeticOp::Add => left.wrapping_add(right),
        ArithmeticOp::Subtract => left.wrapping_sub(right),
        ArithmeticOp::Multiply => left.wrapping_mul(right),
        ArithmeticOp::Divide | ArithmeticOp::Modulo if right == 0 => return Err(Fault::DivideByZero),
        ArithmeticOp::Divide => left.wrapping_div(right),
        ArithmeticOp::Modulo => left.wrapping_rem(right),
    })
}

/// Java's float arithmetic, but for the division by zero.
///
/// # Errors
/// Division by zero.
pub fn float(op: ArithmeticOp, left: f32, right: f32) -> Result<f32, Fault> {
    Ok(match op {
        ArithmeticOp::Add => left + right,
        ArithmeticOp::Subtract => left - right,
        ArithmeticOp::Multiply => left * right,
        ArithmeticOp::Divide | ArithmeticOp::Modulo if right == 0.0 => return Err(Fault::DivideByZero),
        ArithmeticOp::Divide => left / right,
        ArithmeticOp::Modulo => left % right,
    })
}

/// Java's double arithmetic, but for the division by zero.
///
/// # Errors
/// Division by zero.
pub fn double(op: ArithmeticOp, left: f64, right: f64) -> Result<f64, Fault> {
    Ok(match op {
        ArithmeticOp::Add => left + right,
        ArithmeticOp::Subtract => left - right,
        ArithmeticOp::Multiply => left * right,
        ArithmeticOp::Divide | ArithmeticOp::Modulo if right == 0.0 => return Err(Fault::DivideByZero),
        ArithmeticOp::Divide => left / right,
        ArithmeticOp::Modulo => left % right,
    })
}
