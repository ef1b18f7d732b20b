//! Choosing the frame of reference of a column of integers.

use super::{FixedInput, Sink, ValidityInput};
use crate::columnar::integers::{HEADER, IntegerSpace};
use crate::packing;
use crate::{Error, Result};

/// A column's integers, brought into 64 bits.
#[derive(Debug, Clone, Copy)]
pub(super) struct Frame<'v> {
    width: u8,
    /// Added to each of `values`, it gives the column's value.
    offset: u128,
    /// One a row; rows without a value have that of another row.
    pub(super) values: &'v [u64],
    least: u64,
    most: u64,
}

impl<'v> Frame<'v> {
    /// Looks at the integers of a column; `None` if they are more than 64 bits apart.
    pub(super) fn of(
        fixed: &FixedInput<'v>,
        valid: Option<ValidityInput<'_>>,
        filled: &'v mut Vec<u64>,
    ) -> Result<Option<Self>> {
        let (offset, values): (u128, &[u64]) = match (fixed, valid) {
            (FixedInput::Narrow { values, .. }, None) => (0, values),
            (FixedInput::Narrow { values, .. }, Some(valid)) => {
                valid.fill(values, filled);
                (0, filled)
            }
            (FixedInput::Wide { values, .. }, _) => match narrowed(values, valid, filled) {
                Some(offset) => (offset, filled),
                None => return Ok(None),
            },
        };
        let (least, most) = extremes(values);
        let frame = Self { width: fixed.width(), offset, values, least, most };
        if frame.value(most) > fixed.limit() {
            return Err(Error::Unencodable { what: "a value does not fit its width", row: 0 });
        }
        Ok(Some(frame))
    }

    /// Integers that all rows have and that fit the width.
    pub(super) fn narrow(width: u8, values: &'v [u64]) -> Self {
        let (least, most) = extremes(values);
        Self { width, offset: 0, values, least, most }
    }

    fn value(&self, value: u64) -> u128 {
        // Where an offset was chosen, all values lie above it.
        self.offset.wrapping_add(u128::from(value))
    }

    /// Whether every value, as a byte string, is UTF-8.
    pub(super) fn is_utf8(&self) -> bool {
        const NOT_ASCII: u64 = 0x8080_8080_8080_8080;
        let low_offset = self.offset as u64;
        if low_offset == 0 {
            let high = (self.offset >> 64) as u64;
            let any = self.values.iter().fold(high, |any, value| any | value);
            if any & NOT_ASCII == 0 {
                return true;
            }
        }
        self.values.iter().all(|value| {
            let bytes = self.value(*value).to_be_bytes();
            let bytes = bytes.get(16 - usize::from(self.width)..).unwrap_or_default();
            std::str::from_utf8(bytes).is_ok()
        })
    }

    /// Sets `reduced` to what is packed for each row.
    pub(super) fn reduce(&self, reduced: &mut Vec<u64>) -> IntegerSpace {
        let least = self.least;
        let divisor = Divisor::common(self.values, least);
        reduced.clear();
        if divisor.step == 1 {
            reduced.extend(self.values.iter().map(|value| value - least));
        } else {
            reduced.extend(self.values.iter().map(|value| divisor.quotient(value - least)));
        }
        let top = divisor.quotient(self.most - least);
        IntegerSpace { width: self.width, base: self.value(least), step: divisor.step, top }
    }
}

/// Sets `filled` to the integers less the offset that is returned; `None` if they are more than 64 bits apart.
fn narrowed(values: &[u128], valid: Option<ValidityInput<'_>>, filled: &mut Vec<u64>) -> Option<u128> {
    filled.clear();
    let first = match valid {
        Some(valid) => valid.first(values.len()).and_then(|row| values.get(row)),
        None => values.first(),
    };
    let first = first.copied().unwrap_or(0);
    let high = first >> 64;
    match valid {
        None => {
            let differ = values.iter().fold(0, |differ, value| differ | ((value >> 64) ^ high));
            if differ == 0 {
                filled.extend(values.iter().map(|value| *value as u64));
                return Some(high << 64);
            }
            let (least, most) = extremes(values);
            u64::try_from(most - least).ok()?;
            filled.extend(values.iter().map(|value| (value - least) as u64));
            Some(least)
        }
        Some(valid) => {
            let mut whole = Vec::new();
            valid.fill(values, &mut whole);
            narrowed(&whole, None, filled)
        }
    }
}

fn extremes<T: Ord + Copy + Default>(values: &[T]) -> (T, T) {
    let first = values.first().copied().unwrap_or_default();
    values.iter().fold((first, first), |(least, most), value| (least.min(*value), most.max(*value)))
}

/// A number that integers are multiples of, and how to divide multiples of it without a division:
/// `step = odd * 2^shift`, and `odd * inverse = 1` modulo 2^64.
#[derive(Debug, Clone, Copy)]
struct Divisor {
    step: u64,
    shift: u32,
    inverse: u64,
    /// Exactly the multiples of `odd` times `inverse` do not exceed it.
    limit: u64,
}

impl Divisor {
    fn new(step: u64) -> Self {
        let step = step.max(1);
        let shift = step.trailing_zeros();
        let odd = step >> shift;
        // Newton: each round doubles the bits that are right; three are to begin with.
        let inverse =
            (0..5).fold(odd, |inverse, _| inverse.wrapping_mul(2u64.wrapping_sub(odd.wrapping_mul(inverse))));
        Self { step, shift, inverse, limit: u64::MAX / odd }
    }

    /// The greatest number that the distance of each of `values` to `least` is a multiple of; 1 if all are equal.
    fn common(values: &[u64], least: u64) -> Self {
        let mut known: Option<Self> = None;
        for value in values {
            let distance = value - least;
            if known.map_or(distance == 0, |divisor| divisor.divides(distance)) {
                continue;
            }
            let divisor =
                Self::new(greatest_common_divisor(known.map_or(0, |divisor| divisor.step), distance));
            if divisor.step == 1 {
                return divisor;
            }
            known = Some(divisor);
        }
        known.unwrap_or(Self::new(1))
    }

    #[inline]
    fn divides(&self, distance: u64) -> bool {
        distance.trailing_zeros() >= self.shift && self.quotient(distance) <= self.limit
    }

    /// The quotient of a multiple.
    #[inline]
    fn quotient(&self, multiple: u64) -> u64 {
        (multiple >> self.shift).wrapping_mul(self.inverse)
    }
}

fn greatest_common_divisor(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// Packs reduced values; gives their header.
pub(super) fn pack(space: &IntegerSpace, reduced: &[u64], sink: &mut Sink<'_>) -> Result<[u8; HEADER]> {
    let bits = packing::bits_for(space.top);
    if bits == 0 {
        return Ok(header(space, 0, 0));
    }
    let at = sink.here()?;
    packing::pack(reduced, bits, sink.bytes());
    Ok(header(space, bits, at))
}

/// The header of integers that are all the same.
pub(super) fn constant(value: u128, width: u8) -> [u8; HEADER] {
    header(&IntegerSpace { width, base: value, step: 1, top: 0 }, 0, 0)
}

fn header(space: &IntegerSpace, bits: u8, at: u32) -> [u8; HEADER] {
    let mut header = [0; HEADER];
    let fields = [space.width, bits, 0, 0]
        .into_iter()
        .chain(at.to_le_bytes())
        .chain(space.base.to_le_bytes())
        .chain(space.step.to_le_bytes())
        .chain(space.top.to_le_bytes());
    header.iter_mut().zip(fields).for_each(|(byte, field)| *byte = field);
    header
}

#[cfg(test)]
mod tests {
    use super::{Divisor, greatest_common_divisor};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_divisor_divides_as_division_does(step in prop_oneof![1u64..1000, any::<u64>()], number: u64, times in 0u64..1000) {
            let divisor = Divisor::new(step);
            prop_assert_eq!(divisor.divides(number), number % step.max(1) == 0);
            if let Some(multiple) = step.max(1).checked_mul(times) {
                prop_assert!(divisor.divides(multiple));
                prop_assert_eq!(divisor.quotient(multiple), times);
            }
        }

        #[test]
        fn the_common_divisor_is_the_greatest(times in proptest::collection::vec(0u64..1 << 20, 1..20), step in 1u64..1 << 20, least in 0u64..1 << 20) {
            let values: Vec<u64> = times.iter().map(|times| least + times * step).collect();
            let least = *values.iter().min().unwrap();
            let expected = values.iter().fold(0, |divisor, value| greatest_common_divisor(divisor, value - least));
            prop_assert_eq!(Divisor::common(&values, least).step, expected.max(1));
        }
    }
}
