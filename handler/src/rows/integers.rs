//! Integers of segments into Arrow builders, in bulk.
//!
//! A segment keeps a value as the big-endian integer of its bytes, `base + step * v`. The encodings' own transformations
//! are undone on whole slices: native bytes of a signed integer have the sign flipped, which adds a constant.

use std::ops::RangeInclusive;

use ostracon_compare::{Encoding, PrimitiveType, value_ranges};
use ostracon_data::RowRanges;
use ostracon_segment::Integers;

use super::builder::{ValueBuilder, Values};

/// The integers that are values of a type in an encoding.
#[derive(Debug)]
pub(super) struct GoodIntegers {
    ty: PrimitiveType,
    encoding: Encoding,
    ranges: Vec<RangeInclusive<u128>>,
}

impl GoodIntegers {
    fn of(ty: PrimitiveType, encoding: Encoding) -> Self {
        let width = ty.width().unwrap_or(0);
        let ranges = match value_ranges(ty, encoding) {
            Some(RowRanges::All) => vec![0..=u128::MAX],
            Some(RowRanges::Set(ranges)) => {
                let end = |end: &Option<Vec<u8>>| match end {
                    Some(end) => integer_of(end, width).checked_sub(1),
                    None => Some(u128::MAX),
                };
                let range = |range: &ostracon_data::RowRange| {
                    Some(integer_of(&range.start, width)..=end(&range.end)?)
                };
                ranges.iter().filter_map(range).collect()
            }
            None => Vec::new(),
        };
        Self { ty, encoding, ranges }
    }

    /// Whether all of the integers are among them.
    fn cover(&self, integers: &Integers<'_>) -> bool {
        let (least, greatest) = (integers.base(), integers.value_of(integers.top()));
        self.ranges.iter().any(|range| range.contains(&least) && range.contains(&greatest))
    }
}

/// The least integer of that many bytes, in big-endian order, that is not below a bound of as many bytes or fewer.
fn integer_of(bound: &[u8], width: usize) -> u128 {
    let bytes = bound.iter().copied().chain(std::iter::repeat(0)).take(width);
    bytes.fold(0, |integer, byte| integer << 8 | u128::from(byte))
}

impl ValueBuilder {
    /// Whether [`append_integers`](Self::append_integers) gives the values that these bytes are: all of them are values of
    /// the type.
    pub(super) fn takes_integers(
        &mut self,
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
            Values::Decimal128(_) => {
                let asked = self.good.take().filter(|good| good.ty == ty && good.encoding == encoding);
                let good = asked.unwrap_or_else(|| GoodIntegers::of(ty, encoding));
                self.good.insert(good).cover(integers)
            }
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
            Values::Int8(numbers) => {
                let base = if sign { low as i8 ^ i8::MIN } else { low as i8 };
                numbers.extend(packed.iter().map(|v| base.wrapping_add(v.wrapping_mul(step) as i8)), valid);
            }
            Values::Int16(numbers) => {
                let base = if sign { low as i16 ^ i16::MIN } else { low as i16 };
                numbers.extend(packed.iter().map(|v| base.wrapping_add(v.wrapping_mul(step) as i16)), valid);
            }
            Values::Int32(numbers) => {
                let base = if sign { low as i32 ^ i32::MIN } else { low as i32 };
                numbers.extend(packed.iter().map(|v| base.wrapping_add(v.wrapping_mul(step) as i32)), valid);
            }
            Values::Int64(numbers) => {
                let base = if sign { low as i64 ^ i64::MIN } else { low as i64 };
                numbers.extend(packed.iter().map(|v| base.wrapping_add(v.wrapping_mul(step) as i64)), valid);
            }
            Values::UInt8(numbers) => {
                numbers.extend(
                    packed.iter().map(|v| (low as u8).wrapping_add(v.wrapping_mul(step) as u8)),
                    valid,
                );
            }
            Values::UInt16(numbers) => {
                numbers.extend(
                    packed.iter().map(|v| (low as u16).wrapping_add(v.wrapping_mul(step) as u16)),
                    valid,
                );
            }
            Values::UInt32(numbers) => {
                numbers.extend(
                    packed.iter().map(|v| (low as u32).wrapping_add(v.wrapping_mul(step) as u32)),
                    valid,
                );
            }
            Values::UInt64(numbers) => {
                numbers.extend(packed.iter().map(|v| low.wrapping_add(v.wrapping_mul(step))), valid);
            }
            Values::Decimal128(numbers) => {
                let base = if sign { base as i128 ^ i128::MIN } else { base as i128 };
                numbers.extend(
                    packed.iter().map(|v| base.wrapping_add(i128::from(v.wrapping_mul(step)))),
                    valid,
                );
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
