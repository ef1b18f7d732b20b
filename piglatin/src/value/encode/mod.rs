//! Values as bytes whose order is the order of the values: `encode(a).cmp(encode(b))` is `compare(a, b)`.
//!
//! Engines sort, group, join and store values of unknown type as these bytes (N47) and need no comparator of their own.
//!
//! A value is a tag, its type's place in the order of types (N48), and a payload that says itself where it ends:
//!
//! | Tag | Type | Payload |
//! |---|---|---|
//! | 1 | null | |
//! | 2 | boolean | 0 or 1 |
//! | 3, 4 | int, long | big-endian, the sign bit turned |
//! | 5, 6 | float, double | big-endian bits; of negative numbers all turned, of others the sign bit; one NaN |
//! | 7 | datetime | milliseconds as a long, then the offset, 2 bytes, the sign bit turned |
//! | 8, 9 | bytearray, chararray | bytes, 0 as 0 255; at the end 0 1 |
//! | 10 | biginteger | 1, or 3 if it is not negative; 4 bytes of length; magnitude. All after the 1 turned |
//! | 11 | bigdecimal | 1, 2 for zero or 3; see the module `decimal` |
//! | 12 | map | 4 bytes of size; in the order of keys: key as of a chararray without tag, value |
//! | 13 | tuple | 4 bytes of width; fields |
//! | 14 | bag | 4 bytes of size; items, sorted |
//!
//! Datetimes of one instant are ordered by their offset, which stands last, so that it can be printed again; bigdecimals
//! of one number by their scale. The order of a bag's items is lost, as it means nothing.

mod big;
mod decode;
mod seek;
#[cfg(test)]
mod tests;

pub use decode::{DecodeError, decode, decode_prefix};
pub use seek::{map_value, tuple_field, tuple_fields, tuple_width};

use crate::value::order::{canonical_double, canonical_float, sorted_items};
use crate::value::{Datetime, Value};

/// Tags of the types, in the order of N48.
#[expect(missing_docs, reason = "Pig's names")]
pub mod tag {
    pub const NULL: u8 = 1;
    pub const BOOLEAN: u8 = 2;
    pub const INT: u8 = 3;
    pub const LONG: u8 = 4;
    pub const FLOAT: u8 = 5;
    pub const DOUBLE: u8 = 6;
    pub const DATETIME: u8 = 7;
    pub const BYTEARRAY: u8 = 8;
    pub const CHARARRAY: u8 = 9;
    pub const BIGINTEGER: u8 = 10;
    pub const BIGDECIMAL: u8 = 11;
    pub const MAP: u8 = 12;
    pub const TUPLE: u8 = 13;
    pub const BAG: u8 = 14;
}

/// Appends a value. No tuple, map or bag may have four billion members; values that do not fit cannot be in memory.
pub fn encode(value: &Value, out: &mut Vec<u8>) {
    match value {
        Value::Null => encode_null(out),
        Value::Boolean(value) => encode_boolean(*value, out),
        Value::Int(value) => encode_int(*value, out),
        Value::Long(value) => encode_long(*value, out),
        Value::Float(value) => encode_float(*value, out),
        Value::Double(value) => encode_double(*value, out),
        Value::Datetime(value) => encode_datetime(*value, out),
        Value::Bytearray(value) => encode_bytearray(value, out),
        Value::Chararray(value) => encode_chararray(value, out),
        Value::BigInteger(value) => {
            out.push(tag::BIGINTEGER);
            big::write_integer(value, out);
        }
        Value::BigDecimal(value) => {
            out.push(tag::BIGDECIMAL);
            big::write_decimal(value, out);
        }
        Value::Map(entries) => {
            begin_map(entries.len(), out);
            for (key, value) in entries {
                map_key(key, out);
                encode(value, out);
            }
        }
        Value::Tuple(fields) => {
            begin_tuple(fields.len(), out);
            fields.iter().for_each(|field| encode(field, out));
        }
        Value::Bag(items) => {
            begin_bag(items.len(), out);
            sorted_items(items).into_iter().for_each(|item| encode(item, out));
        }
    }
}

/// The bytes of a value.
#[must_use]
pub fn to_bytes(value: &Value) -> Vec<u8> {
    let mut out = Vec::new();
    encode(value, &mut out);
    out
}

/// The type of an encoded value, one of [`tag`]; none of no bytes.
#[must_use]
pub fn tag_of(bytes: &[u8]) -> Option<u8> {
    bytes.first().copied().filter(|tag| (tag::NULL..=tag::BAG).contains(tag))
}

/// Appends null.
pub fn encode_null(out: &mut Vec<u8>) {
    out.push(tag::NULL);
}

/// Appends a boolean.
pub fn encode_boolean(value: bool, out: &mut Vec<u8>) {
    out.extend_from_slice(&[tag::BOOLEAN, u8::from(value)]);
}

/// Appends an int.
pub fn encode_int(value: i32, out: &mut Vec<u8>) {
    out.push(tag::INT);
    out.extend_from_slice(&(value.cast_unsigned() ^ (1 << 31)).to_be_bytes());
}

/// Appends a long.
pub fn encode_long(value: i64, out: &mut Vec<u8>) {
    out.push(tag::LONG);
    out.extend_from_slice(&ordered_long(value));
}

/// Appends a float.
pub fn encode_float(value: f32, out: &mut Vec<u8>) {
    out.push(tag::FLOAT);
    let bits = canonical_float(value).to_bits();
    let turned = if bits >> 31 == 1 { !bits } else { bits | (1 << 31) };
    out.extend_from_slice(&turned.to_be_bytes());
}

/// Appends a double.
pub fn encode_double(value: f64, out: &mut Vec<u8>) {
    out.push(tag::DOUBLE);
    let bits = canonical_double(value).to_bits();
    let turned = if bits >> 63 == 1 { !bits } else { bits | (1 << 63) };
    out.extend_from_slice(&turned.to_be_bytes());
}

/// Appends a datetime.
pub fn encode_datetime(value: Datetime, out: &mut Vec<u8>) {
    out.push(tag::DATETIME);
    out.extend_from_slice(&ordered_long(value.millis));
    out.extend_from_slice(&(value.offset_minutes.cast_unsigned() ^ (1 << 15)).to_be_bytes());
}

/// Appends a bytearray.
pub fn encode_bytearray(value: &[u8], out: &mut Vec<u8>) {
    out.push(tag::BYTEARRAY);
    write_escaped(value, out);
}

/// Appends a chararray.
pub fn encode_chararray(value: &str, out: &mut Vec<u8>) {
    out.push(tag::CHARARRAY);
    write_escaped(value.as_bytes(), out);
}

/// Begins a tuple; that many values must follow.
pub fn begin_tuple(width: usize, out: &mut Vec<u8>) {
    out.push(tag::TUPLE);
    write_count(width, out);
}

/// Begins a bag; that many values must follow, in order.
pub fn begin_bag(size: usize, out: &mut Vec<u8>) {
    out.push(tag::BAG);
    write_count(size, out);
}

/// Begins a map; that many pairs of [`map_key`] and a value must follow, in the order of keys.
pub fn begin_map(size: usize, out: &mut Vec<u8>) {
    out.push(tag::MAP);
    write_count(size, out);
}

/// Appends the key of a map's entry.
pub fn map_key(key: &str, out: &mut Vec<u8>) {
    write_escaped(key.as_bytes(), out);
}

fn write_count(count: usize, out: &mut Vec<u8>) {
    out.extend_from_slice(&u32::try_from(count).unwrap_or(u32::MAX).to_be_bytes());
}

fn ordered_long(value: i64) -> [u8; 8] {
    (value.cast_unsigned() ^ (1 << 63)).to_be_bytes()
}

/// What ends a text is smaller than every text that goes on: 0 1, where a 0 inside is 0 255.
fn write_escaped(bytes: &[u8], out: &mut Vec<u8>) {
    let mut rest = bytes;
    while let Some(zero) = rest.iter().position(|byte| *byte == 0) {
        out.extend_from_slice(&rest[..=zero]);
        out.push(255);
        rest = &rest[zero + 1..];
    }
    out.extend_from_slice(rest);
    out.extend_from_slice(&[0, 1]);
}
