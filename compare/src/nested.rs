//! Nested values as the bytes of one cell: structs, lists and maps of any depth.
//!
//! A cell is the version byte `1` and the value. A value is, by its [`NestedType`]:
//!
//! ```text
//! plain    its native bytes; text and bytes have their length before them
//! struct   a bit a field in whole bytes, lowest first, set where the field has a value; the values, in the fields' order
//! list     the number of elements; a bit an element, as above; the values
//! map      the number of entries; the keys; a bit an entry, set where its key has a value; the values
//! ```
//!
//! Numbers and lengths are unsigned LEB128 of the fewest bytes, bits behind the last one are 0, and nothing follows the
//! value: equal values, floats by their bits, have equal bytes. NULL as a whole has no bytes, it is a cell that is not there.
//!
//! Every value that is there takes at least one byte and every NULL one bit, so that what a cell makes a reader keep is
//! bounded by its size. How deep a reader goes is bounded by the type.

mod decode;
mod encode;

use std::fmt;

use arrow::datatypes::DataType;

use crate::PrimitiveType;

pub use decode::{NestedSink, check_nested, decode_nested};
pub use encode::{NestedValues, encode_nested};

/// The first byte of every cell.
const VERSION: u8 = 1;

/// The deepest nesting that is stored: reading and writing go down by recursion.
pub const MAX_NESTING: usize = 64;

/// A type whose values are stored in one cell, made of others.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum NestedType {
    /// A leaf.
    Plain(PrimitiveType),
    /// A value, or none, for each field.
    Struct(Vec<NestedType>),
    /// Values, some of them NULL.
    List(Box<NestedType>),
    /// Keys, none of them NULL, and a value, or none, for each.
    Map(PrimitiveType, Box<NestedType>),
}

impl NestedType {
    /// The nested type of values of an Arrow type.
    ///
    /// # Errors
    /// What part of the type is not stored, and why.
    pub fn from_arrow(data_type: &DataType) -> Result<Self, String> {
        Self::at_depth(data_type, 0)
    }

    fn at_depth(data_type: &DataType, depth: usize) -> Result<Self, String> {
        if depth > MAX_NESTING {
            return Err(format!("types nested deeper than {MAX_NESTING} levels are not stored"));
        }
        Ok(match data_type {
            DataType::Struct(fields) if fields.is_empty() => {
                return Err("a struct without fields is not stored".to_owned());
            }
            DataType::Struct(fields) => {
                let parts = fields.iter().map(|field| Self::at_depth(field.data_type(), depth + 1));
                Self::Struct(parts.collect::<Result<_, _>>()?)
            }
            DataType::List(item)
            | DataType::LargeList(item)
            | DataType::ListView(item)
            | DataType::LargeListView(item)
            | DataType::FixedSizeList(item, _) => {
                Self::List(Box::new(Self::at_depth(item.data_type(), depth + 1)?))
            }
            DataType::Map(entries, _) => {
                let DataType::Struct(pair) = entries.data_type() else {
                    return Err("a map without keys and values is not stored".to_owned());
                };
                let [key, value] = pair.as_ref() else {
                    return Err("a map without keys and values is not stored".to_owned());
                };
                let key = PrimitiveType::from_arrow(key.data_type()).ok_or_else(|| {
                    format!("the keys of a map must be plain values, not {}", key.data_type())
                })?;
                Self::Map(key, Box::new(Self::at_depth(value.data_type(), depth + 1)?))
            }
            plain => {
                let ty = PrimitiveType::from_arrow(plain);
                Self::Plain(
                    ty.ok_or_else(|| format!("the store has no encoding for values of type {plain}"))?,
                )
            }
        })
    }
}

impl fmt::Display for NestedType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Plain(ty) => ty.fmt(f),
            Self::Struct(parts) => {
                f.write_str("Struct(")?;
                for (i, part) in parts.iter().enumerate() {
                    f.write_str(if i > 0 { ", " } else { "" })?;
                    part.fmt(f)?;
                }
                f.write_str(")")
            }
            Self::List(item) => write!(f, "List({item})"),
            Self::Map(key, value) => write!(f, "Map({key}, {value})"),
        }
    }
}

/// Bytes of as many bits.
fn bytes_of_bits(bits: usize) -> usize {
    bits.div_ceil(8)
}

#[cfg(test)]
mod tests;
