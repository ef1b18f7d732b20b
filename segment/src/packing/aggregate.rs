//! Sums and bounds of packed values.

use std::ops::Range;

use super::BadPacking;
use super::block::for_each_block;
use super::lane::{Lane, by_lane};
use super::layout::Packed;
use crate::mask;

/// The sum of the values of `rows`.
pub fn sum(bytes: &[u8], bits: u8, n: usize, rows: Range<usize>) -> Result<u128, BadPacking> {
    let packed = Packed::open_rows(bytes, bits, n, &rows)?;
    if bits == 0 {
        return Ok(0);
    }
    let mut sum = 0u128;
    by_lane!(bits, T => for_each_block::<T>(&packed, rows, |_, values| sum += sum_run(values.iter().copied())));
    Ok(sum)
}

/// The sum of the values of those `rows` whose mask is 1.
pub fn sum_where(
    bytes: &[u8],
    bits: u8,
    n: usize,
    rows: Range<usize>,
    mask: &[u8],
) -> Result<u128, BadPacking> {
    let packed = Packed::open_masked(bytes, bits, n, &rows, mask)?;
    if bits == 0 {
        return Ok(0);
    }
    let mut sum = 0u128;
    by_lane!(bits, T => for_each_block::<T>(&packed, rows, |before, values| {
        let mask = mask.get(before..).unwrap_or_default();
        sum += sum_run(values.iter().zip(mask).map(|(&value, &held)| value & all_or_none::<T>(held)));
    }));
    Ok(sum)
}

/// The sum of a run, at most a block.
#[inline(always)]
fn sum_run<T: Lane>(run: impl Iterator<Item = T>) -> u128 {
    match T::BITS {
        // None of these can overflow in a block.
        8 | 16 => u128::from(run.map(|value| value.widen() as u32).sum::<u32>()),
        32 => u128::from(run.map(|value| value.widen()).sum::<u64>()),
        _ => {
            let halves = run
                .map(|value| value.widen())
                .fold((0u64, 0u64), |(high, low), value| (high + (value >> 32), low + (value & 0xFFFF_FFFF)));
            (u128::from(halves.0) << 32) + u128::from(halves.1)
        }
    }
}

/// All bits for 1, none for 0.
#[inline(always)]
fn all_or_none<T: Lane>(held: u8) -> T {
    T::default().minus(T::from_byte(held))
}

/// The least value of `rows`; of no rows, there is none.
pub fn min(bytes: &[u8], bits: u8, n: usize, rows: Range<usize>) -> Result<Option<u64>, BadPacking> {
    let packed = Packed::open_rows(bytes, bits, n, &rows)?;
    if bits == 0 || rows.is_empty() {
        return Ok((!rows.is_empty()).then_some(0));
    }
    Ok(Some(by_lane!(bits, T => {
        let mut least = T::MAX;
        for_each_block::<T>(&packed, rows, |_, values| least = values.iter().fold(least, |least, &value| least.min(value)));
        least.widen()
    })))
}

/// The largest value of `rows`; of no rows, there is none.
pub fn max(bytes: &[u8], bits: u8, n: usize, rows: Range<usize>) -> Result<Option<u64>, BadPacking> {
    let packed = Packed::open_rows(bytes, bits, n, &rows)?;
    if bits == 0 || rows.is_empty() {
        return Ok((!rows.is_empty()).then_some(0));
    }
    Ok(Some(by_lane!(bits, T => {
        let mut most = T::default();
        for_each_block::<T>(&packed, rows, |_, values| most = values.iter().fold(most, |most, &value| most.max(value)));
        most.widen()
    })))
}

/// The least value of those `rows` whose mask is 1; where all are 0, there is none.
pub fn min_where(
    bytes: &[u8],
    bits: u8,
    n: usize,
    rows: Range<usize>,
    mask: &[u8],
) -> Result<Option<u64>, BadPacking> {
    let packed = Packed::open_masked(bytes, bits, n, &rows, mask)?;
    if !mask::any(mask) {
        return Ok(None);
    }
    Ok(Some(by_lane!(bits, T => {
        let mut least = T::MAX;
        for_each_block::<T>(&packed, rows, |before, values| {
            let mask = mask.get(before..).unwrap_or_default();
            // A row that does not count is the largest there could be.
            let values = values.iter().zip(mask).map(|(&value, &held)| value | all_or_none::<T>(held ^ 1));
            least = values.fold(least, Ord::min);
        });
        least.widen()
    })))
}

/// The largest value of those `rows` whose mask is 1; where all are 0, there is none.
pub fn max_where(
    bytes: &[u8],
    bits: u8,
    n: usize,
    rows: Range<usize>,
    mask: &[u8],
) -> Result<Option<u64>, BadPacking> {
    let packed = Packed::open_masked(bytes, bits, n, &rows, mask)?;
    if !mask::any(mask) {
        return Ok(None);
    }
    Ok(Some(by_lane!(bits, T => {
        let mut most = T::default();
        for_each_block::<T>(&packed, rows, |before, values| {
            let mask = mask.get(before..).unwrap_or_default();
            most = values.iter().zip(mask).map(|(&value, &held)| value & all_or_none::<T>(held)).fold(most, Ord::max);
        });
        most.widen()
    })))
}
