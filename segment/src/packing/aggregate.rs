//! Sums and bounds of packed values.

use std::ops::Range;

use super::BadPacking;
use super::lane::{Lane, by_lane};
use super::layout::Packed;
use super::unpack::for_each_run;

/// The sum of the values of `rows`.
pub fn sum(bytes: &[u8], bits: u8, n: usize, rows: Range<usize>) -> Result<u128, BadPacking> {
    let packed = Packed::open_rows(bytes, bits, n, &rows)?;
    let mut sum = 0u128;
    by_lane!(bits, T => for_each_run::<T>(&packed, rows, |_, run| {
        sum += run.iter().map(|&value| u128::from(value.widen())).sum::<u128>();
    }));
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
    let mut sum = 0u128;
    by_lane!(bits, T => for_each_run::<T>(&packed, rows, |before, run| {
        let mask = mask.get(before..).unwrap_or_default();
        sum += run.iter().zip(mask).map(|(&value, &held)| u128::from(value.widen()) * u128::from(held)).sum::<u128>();
    }));
    Ok(sum)
}

/// The least value of `rows`; of no rows, there is none.
pub fn min(bytes: &[u8], bits: u8, n: usize, rows: Range<usize>) -> Result<Option<u64>, BadPacking> {
    let packed = Packed::open_rows(bytes, bits, n, &rows)?;
    let mut least: Option<u64> = None;
    by_lane!(bits, T => for_each_run::<T>(&packed, rows, |_, run| {
        let here = run.iter().min().map(|value| value.widen());
        least = least.into_iter().chain(here).min();
    }));
    Ok(least)
}

/// The largest value of `rows`; of no rows, there is none.
pub fn max(bytes: &[u8], bits: u8, n: usize, rows: Range<usize>) -> Result<Option<u64>, BadPacking> {
    let packed = Packed::open_rows(bytes, bits, n, &rows)?;
    let mut largest: Option<u64> = None;
    by_lane!(bits, T => for_each_run::<T>(&packed, rows, |_, run| {
        largest = largest.max(run.iter().max().map(|value| value.widen()));
    }));
    Ok(largest)
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
    let mut least: Option<u64> = None;
    by_lane!(bits, T => for_each_run::<T>(&packed, rows, |before, run| {
        let mask = mask.get(before..).unwrap_or_default();
        let hits = run.iter().zip(mask).filter(|(_, held)| **held != 0);
        let here = hits.map(|(value, _)| *value).min().map(|value| value.widen());
        least = least.into_iter().chain(here).min();
    }));
    Ok(least)
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
    let mut largest: Option<u64> = None;
    by_lane!(bits, T => for_each_run::<T>(&packed, rows, |before, run| {
        let mask = mask.get(before..).unwrap_or_default();
        let hits = run.iter().zip(mask).filter(|(_, held)| **held != 0);
        largest = largest.max(hits.map(|(value, _)| *value).max().map(|value| value.widen()));
    }));
    Ok(largest)
}
