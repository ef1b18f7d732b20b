//! Reading single values.

use super::BadPacking;
use super::block::unpack_block;
use super::lane::{Lane, by_lane, low_bits};
use super::layout::{BLOCK, Packed, lanes, packed_len};

/// The value of row `i`. Of the bytes, only those that hold it need be there.
#[inline]
pub fn get(bytes: &[u8], bits: u8, n: usize, i: usize) -> Result<u64, BadPacking> {
    if i >= n {
        return Err(BadPacking::Row { row: i, n });
    }
    if bits > 64 {
        return Err(BadPacking::Width { bits, room: 64 });
    }
    let packed = Packed::unchecked(bytes, bits, n);
    match by_lane!(bits, T => Place::<T>::of(&packed, i / BLOCK).value(i % BLOCK)) {
        Some(value) => Ok(value),
        None => Err(BadPacking::Short { needed: packed_len(n, bits), found: bytes.len() }),
    }
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
    by_lane!(bits, T => gather_lane::<T>(&packed, hits, out));
    Ok(())
}

fn gather_lane<T: Lane>(packed: &Packed<'_>, hits: &[u32], out: &mut Vec<u64>) {
    // What unpacking a block costs, in single reads: wider lanes unpack more slowly.
    let dense = 2 * T::BITS as usize;
    let mut buffer = None;
    for near in hits.chunk_by(|a, b| *a as usize / BLOCK == *b as usize / BLOCK) {
        let index = near.first().map_or(0, |&row| row as usize / BLOCK);
        if near.len() < dense {
            let place = Place::<T>::of(packed, index);
            out.extend(near.iter().map(|&row| place.value(row as usize % BLOCK).unwrap_or(0)));
        } else {
            let buffer = buffer.get_or_insert([T::default(); BLOCK]);
            unpack_block(packed, index, 0..packed.block(index).0, buffer);
            // The remainder is below the buffer's length: no check is left.
            out.extend(near.iter().map(|&row| buffer[row as usize % BLOCK].widen()));
        }
    }
}

/// A block to read single values of.
#[derive(Clone, Copy)]
struct Place<'a, T: Lane> {
    words: &'a [T::Bytes],
    bits: u32,
    lanes: usize,
}

impl<'a, T: Lane> Place<'a, T> {
    /// The lanes of a full block.
    const LANES: usize = BLOCK / T::BITS as usize;

    #[inline(always)]
    fn of(packed: &Packed<'a>, index: usize) -> Self {
        let (values, bytes) = packed.block(index);
        Self { words: T::words(bytes), bits: u32::from(packed.bits()), lanes: lanes(values, packed.bits()) }
    }

    /// The value of a row, counted from the block's start; `None` if the bytes end before it.
    #[inline(always)]
    fn value(&self, i: usize) -> Option<u64> {
        if self.bits == T::BITS {
            return self.words.get(i).map(|&word| T::load(word).widen());
        }
        if self.bits == 0 {
            return Some(0);
        }
        // The divisor of a full block is a constant.
        let (position, lane) = match self.lanes {
            lanes if lanes == Self::LANES => (i / Self::LANES, i % Self::LANES),
            lanes => (i / lanes, i % lanes),
        };
        let start = position as u32 * self.bits;
        let (word, shift) = ((start / T::BITS) as usize * self.lanes + lane, start % T::BITS);
        let mut value = T::load(*self.words.get(word)?) >> shift;
        if shift + self.bits > T::BITS {
            value = value | (T::load(*self.words.get(word + self.lanes)?) << (T::BITS - shift));
        }
        Some((value & low_bits::<T>(self.bits)).widen())
    }
}
