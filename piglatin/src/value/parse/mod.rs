//! Values out of the text of files: Pig's `Utf8StorageConverter` (N12, N19).

mod complex;
mod datetime;
mod number;
#[cfg(test)]
mod tests;

pub use datetime::parse_datetime;
pub use number::{
    parse_bigdecimal, parse_biginteger, parse_boolean, parse_double, parse_float, parse_int, parse_long,
};

use crate::types::PigType;
use crate::value::{CallContext, Value, Warning, WarningKind};

/// The text is not of the type asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bad;

/// Makes a value of a type out of its text.
///
/// Blanks around it do not count, but for a chararray. Nothing but blanks is null, without a warning; as a chararray,
/// which keeps its blanks, it is that text (an empty field of PigStorage never comes here: it is null before). Text that
/// is not of the type gives null and a warning: for a scalar inside of a complex value, null for that scalar; for a
/// malformed tuple, bag or map, null for all of it, but for a value of a map, whose entry stays with null.
///
/// Fields and map values without a type become bytearrays.
pub fn from_bytes(bytes: &[u8], to: &PigType, context: &mut dyn CallContext) -> Value {
    let mut warnings = Vec::new();
    let value = convert(bytes, to, &mut warnings);
    for warning in warnings {
        context.warn(warning);
    }
    value
}

fn convert(bytes: &[u8], to: &PigType, warnings: &mut Vec<Warning>) -> Value {
    let answer = match to {
        PigType::Bytearray(_) => return Value::Bytearray(bytes.to_vec()),
        PigType::Chararray => return Value::Chararray(String::from_utf8_lossy(bytes).into_owned()),
        PigType::Tuple(_) | PigType::Bag { .. } | PigType::Map(_) => complex::parse(bytes, to, warnings),
        scalar => parse_scalar(bytes, scalar).unwrap_or(Err(Bad)),
    };
    answer.map_or_else(
        |Bad| {
            warnings.push(not_of_type(&String::from_utf8_lossy(bytes), to));
            Value::Null
        },
        |value| value.unwrap_or(Value::Null),
    )
}

/// A boolean, number or datetime of a text; none for types of another sort.
pub(crate) fn parse_scalar(bytes: &[u8], to: &PigType) -> Option<Result<Option<Value>, Bad>> {
    Some(match to {
        PigType::Boolean => parse_boolean(bytes).map(|value| value.map(Value::Boolean)),
        PigType::Int => parse_int(bytes).map(|value| value.map(Value::Int)),
        PigType::Long => parse_long(bytes).map(|value| value.map(Value::Long)),
        PigType::Float => parse_float(bytes).map(|value| value.map(Value::Float)),
        PigType::Double => parse_double(bytes).map(|value| value.map(Value::Double)),
        PigType::Datetime => parse_datetime(bytes).map(|value| value.map(Value::Datetime)),
        PigType::BigInteger => parse_biginteger(bytes).map(|value| value.map(Value::BigInteger)),
        PigType::BigDecimal => parse_bigdecimal(bytes).map(|value| value.map(Value::BigDecimal)),
        _ => return None,
    })
}

/// The warning about a text that could not become a value: `'one' is not an int`.
#[must_use]
pub fn not_of_type(text: &str, to: &PigType) -> Warning {
    const LONGEST: usize = 80;
    let mut shown: String = text.chars().take(LONGEST).collect();
    if shown.len() < text.len() {
        shown.push('…');
    }
    Warning { kind: WarningKind::Conversion, sample: format!("'{shown}' is not {}", with_article(to)) }
}

/// `an int`, `a bag`.
pub(crate) fn with_article(ty: &PigType) -> &'static str {
    match ty {
        PigType::Boolean => "a boolean",
        PigType::Int => "an int",
        PigType::Long => "a long",
        PigType::Float => "a float",
        PigType::Double => "a double",
        PigType::Datetime => "a datetime",
        PigType::Bytearray(_) => "a bytearray",
        PigType::Chararray => "a chararray",
        PigType::BigInteger => "a biginteger",
        PigType::BigDecimal => "a bigdecimal",
        PigType::Tuple(_) => "a tuple",
        PigType::Bag { .. } => "a bag",
        PigType::Map(_) => "a map",
    }
}

/// Without the blanks around it: what Java's `String.trim` takes away.
fn trim(bytes: &[u8]) -> &[u8] {
    let start = bytes.iter().position(|byte| *byte > b' ').unwrap_or(bytes.len());
    let end = bytes.iter().rposition(|byte| *byte > b' ').map_or(start, |last| last + 1);
    &bytes[start..end]
}
