//! Reading single values.

use super::BadPacking;
use super::lane::{Lane, by_lane, low_bits};
use super::layout::{BLOCK, Packed, lanes};
use super::unpack::for_each_run;

/// From so many hits in one block on, unpacking it is faster than reading them one by one.
const DENSE: usize = 64;

/// The value of row `i`.
pub fn get(bytes: &[u8], bits: u8, n: usize, i: usize) -> Result<u64, BadPacking> {
    let packed = Packed::open(bytes, bits, n)?;
    if i >= n {
        return Err(BadPacking::Row { row: i, n });
    }
    Ok(at(&packed, i))
}

/// Appends the values of the rows `hits` to `out`. A row that is not there is an error; `out` then stays as it was.
///
/// Any order is right; rows in ascending order are fast.
pub fn gather(bytes: &[u8], bits: u8, n: usize, hits: &[u32], out: &mut Vec<u64>) -> Result<(), BadPacking> {
    let packed = Packed::open(bytes, bits, n)?;
    if let Some(&row) = hits.iter().max()
        && row as usize >= n
    {
        return Err(BadPacking::Row { row: row as usize, n });
    }
    out.reserve(hits.len());
    for near in hits.chunk_by(|a, b| *a as usize / BLOCK == *b as usize / BLOCK) {
        if near.len() < DENSE {
            out.extend(near.iter().map(|&row| at(&packed, row as usize)));
        } else {
            by_lane!(bits, T => gather_block::<T>(&packed, near, out));
        }
    }
    Ok(())
}

fn gather_block<T: Lane>(packed: &Packed<'_>, hits: &[u32], out: &mut Vec<u64>) {
    let first = hits.first().map_or(0, |&row| row as usize / BLOCK * BLOCK);
    for_each_run::<T>(packed, first..(first + BLOCK).min(packed.n()), |_, run| {
        out.extend(hits.iter().map(|&row| run.get(row as usize % BLOCK).map_or(0, |&value| value.widen())));
    });
}

/// The value of a row that is there.
fn at(packed: &Packed<'_>, i: usize) -> u64 {
    by_lane!(packed.bits(), T => at_lane::<T>(packed, i))
}

fn at_lane<T: Lane>(packed: &Packed<'_>, i: usize) -> u64 {
    if packed.bits() == 0 {
        return 0;
    }
    let (values, bytes) = packed.block(i / BLOCK);
    let lanes = lanes(values, packed.bits());
    let bits = u32::from(packed.bits());
    let start = (i % BLOCK / lanes) as u32 * bits;
    let (word, shift) = ((start / T::BITS) as usize * lanes + i % BLOCK % lanes, start % T::BITS);
    let words = T::words(bytes);
    let load = |word: usize| words.get(word).map_or(0, |&word| T::load(word).widen());
    let mut value = load(word) >> shift;
    if shift + bits > T::BITS {
        value |= load(word + lanes) << (T::BITS - shift);
    }
    value & low_bits::<u64>(bits)
}
