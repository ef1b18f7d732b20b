//! Comparing packed values with constants, into masks.

use std::ops::{Range, RangeInclusive};

use super::BadPacking;
use super::interval::{Interval, intervals, mark};
use super::lane::by_lane;
use super::layout::Packed;
use super::meet::{And, Meet, Or, Replace};

/// Sets the mask of `rows` to 1 where `low <= value <= high`, to 0 elsewhere.
pub fn between(
    bytes: &[u8],
    bits: u8,
    n: usize,
    rows: Range<usize>,
    low: u64,
    high: u64,
    mask: &mut [u8],
) -> Result<(), BadPacking> {
    test::<Replace>(bytes, bits, n, rows, &[low..=high], mask)
}

/// As [`between`], but a row whose mask is 0 stays 0. Blocks without a 1 are not unpacked.
pub fn and_between(
    bytes: &[u8],
    bits: u8,
    n: usize,
    rows: Range<usize>,
    low: u64,
    high: u64,
    mask: &mut [u8],
) -> Result<(), BadPacking> {
    test::<And>(bytes, bits, n, rows, &[low..=high], mask)
}

/// As [`between`], but a row whose mask is 1 stays 1.
pub fn or_between(
    bytes: &[u8],
    bits: u8,
    n: usize,
    rows: Range<usize>,
    low: u64,
    high: u64,
    mask: &mut [u8],
) -> Result<(), BadPacking> {
    test::<Or>(bytes, bits, n, rows, &[low..=high], mask)
}

/// Sets the mask of `rows` to 1 where the value lies in one of the `wanted` intervals, to 0 elsewhere.
///
/// Intervals may overlap and come in any order. Faster than [`between`] and [`or_between`] one after the other.
pub fn in_intervals(
    bytes: &[u8],
    bits: u8,
    n: usize,
    rows: Range<usize>,
    wanted: &[RangeInclusive<u64>],
    mask: &mut [u8],
) -> Result<(), BadPacking> {
    test::<Replace>(bytes, bits, n, rows, wanted, mask)
}

/// As [`in_intervals`], but a row whose mask is 0 stays 0. Blocks without a 1 are not unpacked.
pub fn and_in_intervals(
    bytes: &[u8],
    bits: u8,
    n: usize,
    rows: Range<usize>,
    wanted: &[RangeInclusive<u64>],
    mask: &mut [u8],
) -> Result<(), BadPacking> {
    test::<And>(bytes, bits, n, rows, wanted, mask)
}

fn test<M: Meet>(
    bytes: &[u8],
    bits: u8,
    n: usize,
    rows: Range<usize>,
    wanted: &[RangeInclusive<u64>],
    mask: &mut [u8],
) -> Result<(), BadPacking> {
    let packed = Packed::open_masked(bytes, bits, n, &rows, mask)?;
    by_lane!(bits, T => {
        // One interval, the common case, needs no list.
        match wanted {
            [one] => mark::<T, M>(&packed, rows, Interval::within(one, bits).as_slice(), mask),
            many => mark::<T, M>(&packed, rows, &intervals(many, bits), mask),
        }
    });
    Ok(())
}
