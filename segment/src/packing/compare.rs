//! Comparing packed values with constants, into masks.

use std::ops::Range;

use super::BadPacking;
use super::lane::{Lane, by_lane, low_bits};
use super::layout::{BLOCK, Packed};
use super::unpack::unpack_run;
use crate::mask;

/// How an answer meets what the mask holds.
trait Meet {
    /// Whether a mask of only zeros stays as it is.
    const KEEPS_ZERO: bool;
    fn meet(held: u8, answer: u8) -> u8;
}

struct Replace;
struct And;
struct Or;

impl Meet for Replace {
    const KEEPS_ZERO: bool = false;
    #[inline(always)]
    fn meet(_: u8, answer: u8) -> u8 {
        answer
    }
}

impl Meet for And {
    const KEEPS_ZERO: bool = true;
    #[inline(always)]
    fn meet(held: u8, answer: u8) -> u8 {
        held & answer
    }
}

impl Meet for Or {
    const KEEPS_ZERO: bool = false;
    #[inline(always)]
    fn meet(held: u8, answer: u8) -> u8 {
        held | answer
    }
}

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
    interval::<Replace>(bytes, bits, n, rows, low, high, mask)
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
    interval::<And>(bytes, bits, n, rows, low, high, mask)
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
    interval::<Or>(bytes, bits, n, rows, low, high, mask)
}

fn interval<M: Meet>(
    bytes: &[u8],
    bits: u8,
    n: usize,
    rows: Range<usize>,
    low: u64,
    high: u64,
    mask: &mut [u8],
) -> Result<(), BadPacking> {
    let packed = Packed::open_masked(bytes, bits, n, &rows, mask)?;
    let largest = low_bits::<u64>(u32::from(bits));
    if low > high || low > largest {
        fill::<M>(mask, 0);
    } else if low == 0 && high >= largest {
        fill::<M>(mask, 1);
    } else {
        let span = high.min(largest) - low;
        by_lane!(bits, T => {
            let (low, span) = (T::truncate(low), T::truncate(span));
            test::<T, M>(&packed, rows, mask, |value| value.minus(low) <= span)
        });
    }
    Ok(())
}

fn fill<M: Meet>(mask: &mut [u8], answer: u8) {
    mask.iter_mut().for_each(|held| *held = M::meet(*held, answer));
}

/// Sets the mask to a test's answers. `T` must be the lane of the width.
fn test<T: Lane, M: Meet>(
    packed: &Packed<'_>,
    rows: Range<usize>,
    mask: &mut [u8],
    test: impl Fn(T) -> bool,
) {
    let mut buffer = [T::default(); BLOCK];
    let mut rest = mask;
    for (index, wanted) in packed.blocks(rows) {
        let Some((here, after)) = std::mem::take(&mut rest).split_at_mut_checked(wanted.len()) else {
            return;
        };
        if !M::KEEPS_ZERO || mask::any(here) {
            let run = unpack_run::<T>(packed, index, wanted, &mut buffer);
            for (held, &value) in here.iter_mut().zip(run) {
                *held = M::meet(*held, u8::from(test(value)));
            }
        }
        rest = after;
    }
}

/// Sets the mask of `rows` to 1 where the value is one of `wanted`, to 0 elsewhere.
pub fn in_set(
    bytes: &[u8],
    bits: u8,
    n: usize,
    rows: Range<usize>,
    wanted: &[u64],
    mask: &mut [u8],
) -> Result<(), BadPacking> {
    set::<Replace>(bytes, bits, n, rows, wanted, mask)
}

/// As [`in_set`], but a row whose mask is 0 stays 0.
pub fn and_in_set(
    bytes: &[u8],
    bits: u8,
    n: usize,
    rows: Range<usize>,
    wanted: &[u64],
    mask: &mut [u8],
) -> Result<(), BadPacking> {
    set::<And>(bytes, bits, n, rows, wanted, mask)
}

fn set<M: Meet>(
    bytes: &[u8],
    bits: u8,
    n: usize,
    rows: Range<usize>,
    wanted: &[u64],
    mask: &mut [u8],
) -> Result<(), BadPacking> {
    let packed = Packed::open_masked(bytes, bits, n, &rows, mask)?;
    let mut sorted = wanted.to_vec();
    sorted.sort_unstable();
    by_lane!(bits, T => {
        test::<T, M>(&packed, rows, mask, |value| sorted.binary_search(&value.widen()).is_ok())
    });
    Ok(())
}

/// Sets the mask of `rows` to the table's entry for the value, to 0 where the table has none.
///
/// The table has 0 or 1 for each value from 0 on, mostly the answers of a test to the entries of a dictionary.
pub fn in_table(
    bytes: &[u8],
    bits: u8,
    n: usize,
    rows: Range<usize>,
    table: &[u8],
    mask: &mut [u8],
) -> Result<(), BadPacking> {
    look_up::<Replace>(bytes, bits, n, rows, table, mask)
}

/// As [`in_table`], but a row whose mask is 0 stays 0.
pub fn and_in_table(
    bytes: &[u8],
    bits: u8,
    n: usize,
    rows: Range<usize>,
    table: &[u8],
    mask: &mut [u8],
) -> Result<(), BadPacking> {
    look_up::<And>(bytes, bits, n, rows, table, mask)
}

fn look_up<M: Meet>(
    bytes: &[u8],
    bits: u8,
    n: usize,
    rows: Range<usize>,
    table: &[u8],
    mask: &mut [u8],
) -> Result<(), BadPacking> {
    let packed = Packed::open_masked(bytes, bits, n, &rows, mask)?;
    by_lane!(bits, T => test::<T, M>(&packed, rows, mask, |value| {
        usize::try_from(value.widen()).ok().and_then(|value| table.get(value)) == Some(&1)
    }));
    Ok(())
}
