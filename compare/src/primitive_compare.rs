//! A cell's bytes against a constant.
//!
//! [`PrimitiveCompare`] is bound to a constant when it is made and then asked for each cell, without decoding into a
//! scalar where the bytes allow it. It is open: other crates may bring their own. [`primitive_compare`] makes the right
//! one of the files below, each for one kind of value.
//!
//! A comparison judges bytes exactly as [`decode`](crate::decode) does: what that refuses, this refuses too, so that a bad
//! cell gives the same error whether or not its predicate runs in the store.

mod boolean;
mod bytes;
mod decimal;
mod decoded;
mod float;
mod int;

use std::cmp::Ordering;
use std::fmt::Debug;

use crate::{BadValue, Encoding, PrimitiveType, Scalar, ScalarRef};

/// Compares cells of one column with the constant it was made with.
pub trait PrimitiveCompare: Debug + Send + Sync {
    /// The type of the values.
    fn value_type(&self) -> PrimitiveType;

    /// How the cell's value compares to the constant, in DataFusion's order; an error if the bytes are not a value.
    ///
    /// The constant may lie outside the type's range; it then compares as the number it is.
    fn compare(&self, cell: &[u8]) -> Result<Ordering, BadValue>;
}

/// A comparison of cells of the type and encoding with `constant`, which must be of the type's kind.
pub fn primitive_compare(
    ty: PrimitiveType,
    encoding: Encoding,
    constant: &Scalar,
) -> Result<Box<dyn PrimitiveCompare>, BadValue> {
    if !of_kind(ty, constant.as_ref()) {
        let reason = "the constant is of another kind than the column".into();
        return Err(BadValue::of_value(ty, encoding, constant.as_ref(), reason));
    }
    Ok(match (encoding, constant) {
        (_, Scalar::Utf8(text)) => bytes::text(text, encoding),
        (_, Scalar::Binary(constant)) => bytes::raw(constant),
        (Encoding::String, _) => decoded::of(ty, encoding, constant),
        (_, Scalar::Boolean(constant)) => boolean::of(encoding, *constant),
        (_, Scalar::Int(constant)) => int::signed(ty, encoding, *constant),
        (_, Scalar::UInt(constant)) => int::unsigned(ty, encoding, *constant),
        (_, Scalar::Float32(constant)) => float::single(encoding, *constant),
        (_, Scalar::Float64(constant)) => float::double(encoding, *constant),
        (_, Scalar::Decimal128(constant)) => decimal::narrow(ty, encoding, *constant),
        (_, Scalar::Decimal256(constant)) => decimal::wide(ty, encoding, *constant),
    })
}

/// Whether values of the type are of the scalar's kind.
pub(crate) fn of_kind(ty: PrimitiveType, value: ScalarRef<'_>) -> bool {
    match value {
        ScalarRef::Boolean(_) => ty == PrimitiveType::Boolean,
        ScalarRef::Int(_) => ty.int_bounds().is_some(),
        ScalarRef::UInt(_) => ty.uint_max().is_some(),
        ScalarRef::Float32(_) => ty == PrimitiveType::Float32,
        ScalarRef::Float64(_) => ty == PrimitiveType::Float64,
        ScalarRef::Decimal128(_) => matches!(ty, PrimitiveType::Decimal128 { .. }),
        ScalarRef::Decimal256(_) => matches!(ty, PrimitiveType::Decimal256 { .. }),
        ScalarRef::Utf8(_) => ty == PrimitiveType::Utf8,
        ScalarRef::Binary(_) => ty == PrimitiveType::Binary,
    }
}

/// The error [`decode`](crate::decode) gives for these bytes. Called once a cell is known to be bad.
fn bad(ty: PrimitiveType, encoding: Encoding, cell: &[u8]) -> BadValue {
    match crate::decode(ty, encoding, cell) {
        Err(error) => error,
        Ok(_) => BadValue::of_bytes(ty, encoding, cell, "the bytes cannot be compared".into()),
    }
}
