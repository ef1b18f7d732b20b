//! Which packed values are in a set, or marked in a table?

use std::ops::{Range, RangeInclusive};

use super::BadPacking;
use super::interval::{intervals, mark, mark_by};
use super::lane::{Lane, by_lane, low_bits};
use super::layout::Packed;
use super::meet::{And, Meet, Replace};

/// A set with a larger value does not become a table.
const TABLE: u64 = 4096;

/// Up to so many intervals, comparing with one after the other is faster than a table: the wider a lane, the fewer
/// values a vector compares. (An interval costs 0.025 ns a value of 8 bits, 0.27 ns one of 64; a table 0.4 ns.)
const fn few(lane: u32) -> usize {
    (128 / lane) as usize
}

/// As [`few`], against a binary search: some 4 ns a value.
const fn few_to_search(lane: u32) -> usize {
    (1024 / lane) as usize
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
    let mut values: Vec<u64> = wanted.to_vec();
    values.retain(|&value| value <= low_bits::<u64>(u32::from(bits)));
    values.sort_unstable();
    let runs: Vec<RangeInclusive<u64>> =
        values.chunk_by(|a, b| b - a <= 1).filter_map(|run| Some(*run.first()?..=*run.last()?)).collect();
    let table = values.last().filter(|&&largest| largest < TABLE);
    by_lane!(bits, T => {
        if runs.len() <= if table.is_some() { few(T::BITS) } else { few_to_search(T::BITS) } {
            mark::<T, M>(&packed, rows, &intervals(&runs, bits), mask);
        } else if let Some(&largest) = table {
            let mut table = vec![0; largest as usize + 1];
            for &value in &values {
                table.get_mut(value as usize).into_iter().for_each(|entry| *entry = 1);
            }
            look_up::<T, M>(&packed, rows, &table, mask);
        } else {
            mark_by::<T, M>(&packed, rows, mask, |found, held| {
                for (value, held) in found.iter().zip(held) {
                    *held = M::meet(*held, u8::from(values.binary_search(&value.widen()).is_ok()));
                }
            });
        }
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
    by_table::<Replace>(bytes, bits, n, rows, table, mask)
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
    by_table::<And>(bytes, bits, n, rows, table, mask)
}

fn by_table<M: Meet>(
    bytes: &[u8],
    bits: u8,
    n: usize,
    rows: Range<usize>,
    table: &[u8],
    mask: &mut [u8],
) -> Result<(), BadPacking> {
    let packed = Packed::open_masked(bytes, bits, n, &rows, mask)?;
    by_lane!(bits, T => match few_runs(table, few(T::BITS)) {
        Some(runs) => mark::<T, M>(&packed, rows, &intervals(&runs, bits), mask),
        None => look_up::<T, M>(&packed, rows, table, mask),
    });
    Ok(())
}

/// The intervals of values whose entry is 1, if they are few: comparing vectorises, looking up does not.
fn few_runs(table: &[u8], few: usize) -> Option<Vec<RangeInclusive<u64>>> {
    let mut runs = Vec::new();
    let mut start = 0;
    for run in table.chunk_by(|a, b| a == b) {
        if run.first() == Some(&1) {
            if runs.len() == few {
                return None;
            }
            runs.push(start..=start + run.len() as u64 - 1);
        }
        start += run.len() as u64;
    }
    Some(runs)
}

fn look_up<T: Lane, M: Meet>(packed: &Packed<'_>, rows: Range<usize>, table: &[u8], mask: &mut [u8]) {
    if T::BITS == 8 {
        // A table that has every value needs no check.
        let mut full = [0; 256];
        full.iter_mut().zip(table).for_each(|(to, &entry)| *to = entry);
        mark_by::<T, M>(packed, rows, mask, |values, held| {
            for (value, held) in values.iter().zip(held) {
                *held = M::meet(*held, full[usize::from(value.low_byte())]);
            }
        });
    } else {
        mark_by::<T, M>(packed, rows, mask, |values, held| {
            for (value, held) in values.iter().zip(held) {
                let entry = usize::try_from(value.widen()).ok().and_then(|value| table.get(value));
                *held = M::meet(*held, entry.copied().unwrap_or(0));
            }
        });
    }
}
