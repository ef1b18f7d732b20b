//! Integers of segments into Arrow builders, in bulk.
//!
//! A segment keeps a value as the big-endian integer of its bytes, `base + step * v`. The encodings' own transformations
//! are undone on whole slices: native bytes of a signed integer have the sign flipped, which adds a constant.

use arrow::array::{ArrowPrimitiveType, PrimitiveBuilder};
use ostracon_compare::{Encoding, PrimitiveType, value_ranges};
use ostracon_data::{RowRange, row_successor};
use ostracon_segment::Integers;

use super::builder::{ValueBuilder, Values};

impl ValueBuilder {
    /// Whether [`append_integers`](Self::append_integers) gives the values that these bytes are: all of them are values of
    /// the type.
    pub(super) fn takes_integers(
        &self,
        integers: &Integers<'_>,
        ty: PrimitiveType,
        encoding: Encoding,
    ) -> bool {
        if encoding == Encoding::String || ty.width() != Some(integers.width()) {
            return false;
        }
        match self.values {
            Values::Boolean(_)
            | Values::Float32(_)
            | Values::Float64(_)
            | Values::Decimal256(_)
            | Values::Utf8(_)
            | Values::Binary(_) => false,
            Values::Decimal128(_) => match value_ranges(ty, encoding) {
                Some(good) => good.covers(&range_of(integers)),
                None => false,
            },
            _ => true,
        }
    }

    /// Appends `base + step * v` for each of `packed`, NULL where `valid` is false.
    pub(super) fn append_integers(
        &mut self,
        integers: &Integers<'_>,
        packed: &[u64],
        valid: Option<&[bool]>,
        encoding: Encoding,
    ) {
        let step = integers.step();
        let sign = encoding == Encoding::Native;
        let base = integers.base();
        // Truncation is meant: the integers have as many bytes as the type, and what wraps around wraps back.
        let low = base as u64;
        match &mut self.values {
            Values::Int8(builder) => {
                let base = if sign { low as i8 ^ i8::MIN } else { low as i8 };
                append(builder, packed, valid, |v| base.wrapping_add(v.wrapping_mul(step) as i8));
            }
            Values::Int16(builder) => {
                let base = if sign { low as i16 ^ i16::MIN } else { low as i16 };
                append(builder, packed, valid, |v| base.wrapping_add(v.wrapping_mul(step) as i16));
            }
            Values::Int32(builder) => {
                let base = if sign { low as i32 ^ i32::MIN } else { low as i32 };
                append(builder, packed, valid, |v| base.wrapping_add(v.wrapping_mul(step) as i32));
            }
            Values::Int64(builder) => {
                let base = if sign { low as i64 ^ i64::MIN } else { low as i64 };
                append(builder, packed, valid, |v| base.wrapping_add(v.wrapping_mul(step) as i64));
            }
            Values::UInt8(builder) => {
                append(builder, packed, valid, |v| (low as u8).wrapping_add(v.wrapping_mul(step) as u8));
            }
            Values::UInt16(builder) => {
                append(builder, packed, valid, |v| (low as u16).wrapping_add(v.wrapping_mul(step) as u16));
            }
            Values::UInt32(builder) => {
                append(builder, packed, valid, |v| (low as u32).wrapping_add(v.wrapping_mul(step) as u32));
            }
            Values::UInt64(builder) => {
                append(builder, packed, valid, |v| low.wrapping_add(v.wrapping_mul(step)));
            }
            Values::Decimal128(builder) => {
                let base = if sign { base as i128 ^ i128::MIN } else { base as i128 };
                append(builder, packed, valid, |v| base.wrapping_add(i128::from(v.wrapping_mul(step))));
            }
            Values::Boolean(_)
            | Values::Float32(_)
            | Values::Float64(_)
            | Values::Decimal256(_)
            | Values::Utf8(_)
            | Values::Binary(_) => {}
        }
    }
}

fn append<T: ArrowPrimitiveType>(
    builder: &mut PrimitiveBuilder<T>,
    packed: &[u64],
    valid: Option<&[bool]>,
    value: impl Fn(u64) -> T::Native,
) {
    let values: Vec<T::Native> = packed.iter().map(|v| value(*v)).collect();
    match valid {
        Some(valid) => builder.append_values(&values, valid),
        None => builder.append_slice(&values),
    }
}

/// The bytes among which the values are.
fn range_of(integers: &Integers<'_>) -> RowRange {
    let bytes = |value: u128| {
        let bytes = value.to_be_bytes();
        bytes.get(bytes.len().saturating_sub(integers.width())..).unwrap_or_default().to_vec()
    };
    let max = bytes(integers.value_of(integers.top()));
    RowRange::new(bytes(integers.base()), Some(row_successor(&max)))
}
