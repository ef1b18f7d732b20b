//! Comparison of stored values, and encodings whose bytes sort as the values do.
//!
//! A predicate can run inside the store only if it gives, from a cell's bytes, exactly the answer DataFusion gives from
//! the decoded value. Everything here serves that. In the order a value meets them:
//!
//! * [`PrimitiveType`] and [`Encoding`]: what a column holds, and how its cells are written;
//! * [`ScalarRef`] and [`Scalar`]: one value, borrowed or owned, and its order;
//! * [`encode`] and [`decode`]: value to bytes and back; [`BadValue`] says why bytes are no value;
//! * [`NestedType`], [`encode_nested`] and [`decode_nested`]: structs, lists and maps as the bytes of one cell;
//! * [`JsonValue`]: a value of JSON whose numbers keep their digits;
//! * [`KeyLexicoder`]: several values as one row id that sorts by them, part after part ([`KeyPart`]);
//! * [`CompareOp`], [`PrimitiveCompare`] and [`LikePattern`]: a cell's bytes against a constant;
//! * [`compare_ranges`]: the bytes that satisfy such a comparison, where they are a few ranges;
//! * [`coerce_cast`] and [`coerce`]: `CAST(column AS t) op literal` as a comparison of the column itself ([`Coerced`]).
//!
//! # The order
//!
//! Values compare as in DataFusion 55: numbers by size, text by the bytes of its UTF-8, `false` before `true`. For
//! floats `-0.0` equals `0.0`, and NaNs compare by their bits: a NaN is greater than every number, one with its sign
//! bit set lower than every number, and two NaNs are equal only if their bits are.
//!
//! This crate does no I/O and knows neither rows nor NULL; a missing cell is the caller's business. Of Arrow it uses
//! data types and the 256-bit integer.
//!
//! ```
//! use ostracon_compare::{CompareOp, Encoding, PrimitiveType, Scalar, primitive_compare, encode, ScalarRef};
//!
//! let mut cell = Vec::new();
//! encode(PrimitiveType::Int32, Encoding::Native, ScalarRef::Int(-7), &mut cell)?;
//! let against_five = primitive_compare(PrimitiveType::Int32, Encoding::Native, &Scalar::Int(5))?;
//! assert!(CompareOp::LessThan.accepts(against_five.compare(&cell)?));
//! # Ok::<(), ostracon_compare::BadValue>(())
//! ```

mod bad_value;
mod byte_ranges;
mod calendar;
mod coerce;
mod compare_op;
mod decimal;
mod encoding;
mod float_order;
mod json;
mod key_part;
mod key_place;
mod key_range;
mod lexicoder;
mod like;
mod literal_text;
mod nested;
mod plain_text;
mod primitive_compare;
mod primitive_type;
mod scalar;

pub use bad_value::BadValue;
pub use byte_ranges::{compare_ranges, value_ranges};
pub use coerce::{Coerced, coerce, coerce_cast};
pub use compare_op::CompareOp;
pub use encoding::{Encoding, Word, decode, encode, is_canonical, is_order_preserving, order_span};
pub use json::{JsonFault, JsonValue};
pub use key_place::RowPlace;
pub use lexicoder::{KeyLexicoder, KeyPart};
pub use like::{LikePattern, PatternError};
pub use literal_text::LiteralText;
pub use nested::{
    MAX_NESTING, NestedSink, NestedType, NestedValues, check_nested, decode_nested, encode_nested,
};
pub use plain_text::{plain_date, plain_decimal, plain_integer, plain_timestamp};
pub use primitive_compare::{PrimitiveCompare, primitive_compare};
pub use primitive_type::PrimitiveType;
pub use scalar::{Scalar, ScalarRef};
