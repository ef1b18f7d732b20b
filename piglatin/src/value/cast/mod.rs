//! Casts of values (N7, N12 to N19).

mod number;
#[cfg(test)]
mod tests;

pub(crate) use number::{MOST_DIGITS, power_of_ten};
pub use number::{decimal_to_double, decimal_to_integer, double_to_decimal, double_to_integer, low_bits};

use bigdecimal::num_bigint::BigInt;
use bigdecimal::{BigDecimal, Zero as _};

use crate::types::{PigType, Schema};
use crate::value::parse::{Bad, from_bytes, not_of_type, parse_scalar, with_article};
use crate::value::text::to_text;
use crate::value::{CallContext, Datetime, Value, Warning, WarningKind};

/// Casts a value to a type, by the type that the value has now (N7): bytes by the converter of text, others by the table
/// of casts. What cannot be cast gives null and a warning. A bytearray keeps what it is: the cast of a value to the type
/// "not known" is that value.
///
/// Numbers narrow as in Java (N13): integers keep their low bits, fractions are cut, and what does not fit is the nearest
/// number that does. Tuples are cast field by field and must have as many fields; of maps and bags the entry or item that
/// cannot be cast is null.
pub fn cast(value: &Value, to: &PigType, context: &mut dyn CallContext) -> Value {
    match (value, to) {
        (Value::Null, _) => Value::Null,
        (value, PigType::Bytearray(_)) => value.clone(),
        (Value::Bytearray(bytes), to) => from_bytes(bytes, to, context),
        (Value::Tuple(fields), PigType::Tuple(schema)) => tuple(fields, schema.as_ref(), context),
        (Value::Bag(items), PigType::Bag { fields, .. }) => bag(items, fields.as_ref(), context),
        (Value::Map(entries), PigType::Map(ty)) => {
            Value::Map(entries.iter().map(|(key, value)| (key.clone(), cast(value, ty, context))).collect())
        }
        (Value::Chararray(text), to) => match from_text(text, to) {
            Some(Ok(value)) => value,
            Some(Err(Bad)) => {
                context.warn(not_of_type(text, to));
                Value::Null
            }
            None => impossible(value, to, context),
        },
        (value, to) => match between_scalars(value, to) {
            Some(value) => value,
            None => impossible(value, to, context),
        },
    }
}

/// [`cast`] of a value that is not needed any more: it is given back if it has the type already.
pub fn cast_owned(value: Value, to: &PigType, context: &mut dyn CallContext) -> Value {
    match (&value, to) {
        (Value::Null, _)
        | (_, PigType::Bytearray(_))
        | (Value::Boolean(_), PigType::Boolean)
        | (Value::Int(_), PigType::Int)
        | (Value::Long(_), PigType::Long)
        | (Value::Float(_), PigType::Float)
        | (Value::Double(_), PigType::Double)
        | (Value::Datetime(_), PigType::Datetime)
        | (Value::Chararray(_), PigType::Chararray)
        | (Value::BigInteger(_), PigType::BigInteger)
        | (Value::BigDecimal(_), PigType::BigDecimal)
        | (Value::Tuple(_), PigType::Tuple(None))
        | (Value::Bag(_), PigType::Bag { fields: None, .. }) => value,
        (Value::Map(_), PigType::Map(ty)) if matches!(**ty, PigType::Bytearray(_)) => value,
        _ => cast(&value, to, context),
    }
}

fn impossible(value: &Value, to: &PigType, context: &mut dyn CallContext) -> Value {
    let sample = format!("{} ({}) is not castable to {}", shorten(value), type_name(value), with_article(to));
    context.warn(Warning { kind: WarningKind::Conversion, sample });
    Value::Null
}

fn shorten(value: &Value) -> String {
    to_text(value).chars().take(80).collect()
}

fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Boolean(_) => "boolean",
        Value::Int(_) => "int",
        Value::Long(_) => "long",
        Value::Float(_) => "float",
        Value::Double(_) => "double",
        Value::Datetime(_) => "datetime",
        Value::Bytearray(_) => "bytearray",
        Value::Chararray(_) => "chararray",
        Value::BigInteger(_) => "biginteger",
        Value::BigDecimal(_) => "bigdecimal",
        Value::Map(_) => "map",
        Value::Tuple(_) => "tuple",
        Value::Bag(_) => "bag",
    }
}

fn tuple(fields: &[Value], schema: Option<&Schema>, context: &mut dyn CallContext) -> Value {
    let Some(schema) = schema.filter(|schema| !schema.fields.is_empty()) else {
        return Value::Tuple(fields.to_vec());
    };
    if schema.fields.len() != fields.len() {
        let sample = format!(
            "{} has {} fields, but {} are asked for",
            shorten(&Value::Tuple(fields.to_vec())),
            fields.len(),
            schema.fields.len()
        );
        context.warn(Warning { kind: WarningKind::Conversion, sample });
        return Value::Null;
    }
    Value::Tuple(
        fields.iter().zip(&schema.fields).map(|(value, field)| cast(value, &field.ty, context)).collect(),
    )
}

fn bag(items: &[Value], schema: Option<&Schema>, context: &mut dyn CallContext) -> Value {
    let Some(schema) = schema else {
        return Value::Bag(items.to_vec());
    };
    Value::Bag(
        items
            .iter()
            .map(|item| match item {
                Value::Tuple(fields) => tuple(fields, Some(schema), context),
                _ => Value::Null,
            })
            .collect(),
    )
}

/// None if no text can become that type.
fn from_text(text: &str, to: &PigType) -> Option<Result<Value, Bad>> {
    if *to == PigType::Chararray {
        return Some(Ok(Value::Chararray(text.to_owned())));
    }
    let parsed = parse_scalar(text.as_bytes(), to)?;
    // A chararray of nothing is text that is no number; bytes of nothing are null (N12).
    Some(parsed.and_then(|value| value.ok_or(Bad)))
}

/// None if there is no such cast, or the number has no such value.
fn between_scalars(value: &Value, to: &PigType) -> Option<Value> {
    Some(match to {
        PigType::Boolean => Value::Boolean(match value {
            Value::Boolean(value) => *value,
            Value::Int(value) => *value != 0,
            Value::Long(value) => *value != 0,
            Value::Float(value) => *value != 0.0,
            Value::Double(value) => *value != 0.0,
            Value::BigInteger(value) => !value.is_zero(),
            Value::BigDecimal(value) => !value.is_zero(),
            _ => return None,
        }),
        #[expect(clippy::cast_possible_truncation, reason = "as in Java")]
        PigType::Int => Value::Int(match value {
            Value::Float(value) => *value as i32,
            Value::Double(value) => *value as i32,
            value => long(value)? as i32,
        }),
        PigType::Long => Value::Long(long(value)?),
        #[expect(clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "as in Java")]
        PigType::Float => Value::Float(match value {
            Value::Float(value) => *value,
            Value::Long(value) => *value as f32,
            Value::Datetime(value) => value.millis as f32,
            Value::BigInteger(value) => number::integer_to_float(value),
            Value::BigDecimal(value) => number::decimal_to_float(value),
            value => double(value)? as f32,
        }),
        PigType::Double => Value::Double(double(value)?),
        PigType::BigInteger => Value::BigInteger(match value {
            Value::Float(value) => double_to_integer(f64::from(*value))?,
            Value::Double(value) => double_to_integer(*value)?,
            Value::BigInteger(value) => value.clone(),
            Value::BigDecimal(value) => decimal_to_integer(value)?,
            value => BigInt::from(long(value)?),
        }),
        PigType::BigDecimal => Value::BigDecimal(match value {
            Value::Float(value) => double_to_decimal(f64::from(*value))?,
            Value::Double(value) => double_to_decimal(*value)?,
            Value::BigInteger(value) => BigDecimal::new(value.clone(), 0),
            Value::BigDecimal(value) => value.clone(),
            value => BigDecimal::new(BigInt::from(long(value)?), 0),
        }),
        PigType::Datetime => match value {
            Value::Datetime(value) => Value::Datetime(*value),
            Value::Boolean(_) => return None,
            value => Value::Datetime(Datetime { millis: long(value)?, offset_minutes: 0 }),
        },
        PigType::Chararray => match value {
            Value::Map(_) | Value::Tuple(_) | Value::Bag(_) => return None,
            value => Value::Chararray(to_text(value)),
        },
        PigType::Bytearray(_) | PigType::Tuple(_) | PigType::Bag { .. } | PigType::Map(_) => return None,
    })
}

fn long(value: &Value) -> Option<i64> {
    #[expect(clippy::cast_possible_truncation, reason = "as in Java: cut, and the nearest that fits")]
    Some(match value {
        Value::Boolean(value) => i64::from(*value),
        Value::Int(value) => i64::from(*value),
        Value::Long(value) => *value,
        Value::Float(value) => *value as i64,
        Value::Double(value) => *value as i64,
        Value::Datetime(value) => value.millis,
        Value::BigInteger(value) => low_bits(value),
        Value::BigDecimal(value) => low_bits(&decimal_to_integer(value)?),
        _ => return None,
    })
}

fn double(value: &Value) -> Option<f64> {
    #[expect(clippy::cast_precision_loss, reason = "as in Java")]
    Some(match value {
        Value::Boolean(value) => f64::from(u8::from(*value)),
        Value::Int(value) => f64::from(*value),
        Value::Long(value) => *value as f64,
        Value::Float(value) => f64::from(*value),
        Value::Double(value) => *value,
        Value::Datetime(value) => value.millis as f64,
        Value::BigInteger(value) => number::integer_to_double(value),
        Value::BigDecimal(value) => decimal_to_double(value),
        _ => return None,
    })
}
