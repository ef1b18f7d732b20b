//! The text of values, as DUMP and PigStorage print them: what Java's `toString` makes of them.

mod number;
#[cfg(test)]
mod tests;

pub use number::{java_decimal, java_double, java_float};

use std::fmt::Write as _;

use crate::value::{Datetime, Value};

/// The text of a value: nothing for null, `(a,b)`, `{(a),(b)}`, `[k#v,l#w]`. Bytes that are no UTF-8 are replaced;
/// [`write_bytes`] keeps them.
#[must_use]
pub fn to_text(value: &Value) -> String {
    let mut out = String::new();
    write_text(value, &mut out);
    out
}

/// Appends the text of a value, as [`to_text`] makes it.
pub fn write_text(value: &Value, out: &mut String) {
    write(value, out);
}

/// Appends the text of a value, bytes as they are.
pub fn write_bytes(value: &Value, out: &mut Vec<u8>) {
    write(value, out);
}

/// Appends a datetime: ISO 8601 with milliseconds and zone, `2020-01-02T03:04:05.006+02:00`.
pub fn write_datetime(value: Datetime, out: &mut String) {
    let local = value.millis.saturating_add(i64::from(value.offset_minutes) * 60_000);
    let (days, millis) = (local.div_euclid(86_400_000), local.rem_euclid(86_400_000));
    let (year, month, day) = super::calendar::date_of(days);
    if year < 0 {
        out.push('-');
    }
    let (hour, minute, second, millis) =
        (millis / 3_600_000, millis / 60_000 % 60, millis / 1000 % 60, millis % 1000);
    let year = year.unsigned_abs();
    // Writing to a String does not fail.
    let _ = write!(out, "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{millis:03}");
    if value.offset_minutes == 0 {
        out.push('Z');
        return;
    }
    let sign = if value.offset_minutes < 0 { '-' } else { '+' };
    let offset = value.offset_minutes.unsigned_abs();
    let _ = write!(out, "{sign}{:02}:{:02}", offset / 60, offset % 60);
}

/// Where text goes: a String, or bytes.
trait Sink {
    fn text(&mut self, text: &str);
    fn bytes(&mut self, bytes: &[u8]);
}

impl Sink for String {
    fn text(&mut self, text: &str) {
        self.push_str(text);
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.push_str(&Self::from_utf8_lossy(bytes));
    }
}

impl Sink for Vec<u8> {
    fn text(&mut self, text: &str) {
        self.extend_from_slice(text.as_bytes());
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.extend_from_slice(bytes);
    }
}

fn write(value: &Value, out: &mut impl Sink) {
    match value {
        Value::Null => {}
        Value::Boolean(value) => out.text(if *value { "true" } else { "false" }),
        Value::Int(value) => number::integer(i64::from(*value), |text| out.text(text)),
        Value::Long(value) => number::integer(*value, |text| out.text(text)),
        Value::Float(value) => number::float(*value, |text| out.text(text)),
        Value::Double(value) => number::double(*value, |text| out.text(text)),
        Value::Datetime(value) => {
            let mut text = String::with_capacity(32);
            write_datetime(*value, &mut text);
            out.text(&text);
        }
        Value::Bytearray(value) => out.bytes(value),
        Value::Chararray(value) => out.text(value),
        Value::BigInteger(value) => out.text(&value.to_string()),
        Value::BigDecimal(value) => out.text(&java_decimal(value)),
        Value::Map(entries) => {
            out.text("[");
            for (index, (key, value)) in entries.iter().enumerate() {
                if index > 0 {
                    out.text(",");
                }
                out.text(key);
                out.text("#");
                write(value, out);
            }
            out.text("]");
        }
        Value::Tuple(fields) => list("(", fields, ")", out),
        Value::Bag(items) => list("{", items, "}", out),
    }
}

fn list(open: &str, items: &[Value], close: &str, out: &mut impl Sink) {
    out.text(open);
    for (index, item) in items.iter().enumerate() {
        if index > 0 {
            out.text(",");
        }
        write(item, out);
    }
    out.text(close);
}
