//! Choosing the frame of reference.

use super::{FixedInput, Sink, ValidityInput};
use crate::Result;
use crate::columnar::integers::{HEADER, IntegerSpace};
use crate::packing;

/// Sets `reduced` to what is packed for each row, 0 where there is no value; `None` if the range has more than 64 bits.
pub(super) fn reduce(
    values: &FixedInput<'_>,
    valid: Option<ValidityInput<'_>>,
    reduced: &mut Vec<u64>,
) -> Option<IntegerSpace> {
    let present = |row: &usize| valid.is_none_or(|valid| valid.is_set(*row));
    let rows = 0..values.len();
    let held = || rows.clone().filter(present).map(|row| values.value(row));
    let (base, largest) = (held().min().unwrap_or(0), held().max().unwrap_or(0));
    u64::try_from(largest - base).ok()?;
    let step = held().fold(0, |step, value| common_divisor(step, (value - base) as u64)).max(1);
    reduced.clear();
    reduced.extend(
        rows.clone().map(|row| if present(&row) { (values.value(row) - base) as u64 / step } else { 0 }),
    );
    Some(IntegerSpace { width: values.width(), base, step, top: (largest - base) as u64 / step })
}

fn common_divisor(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// Packs reduced values; gives their header.
pub(super) fn pack(space: &IntegerSpace, reduced: &[u64], sink: &mut Sink<'_>) -> Result<[u8; HEADER]> {
    let at = sink.here()?;
    let bits = packing::bits_for(space.top);
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
