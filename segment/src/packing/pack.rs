//! Writing packed values.

use super::lane::{Lane, by_lane, low_bits};
use super::layout::{BLOCK, block_len, lanes};

/// Appends `values`, `bits` bits each, to `out`: [`packed_len`](super::packed_len) bytes.
///
/// Higher bits of a value are cut off. Above 64, `bits` counts as 64.
pub fn pack(values: &[u64], bits: u8, out: &mut Vec<u8>) {
    let bits = bits.min(64);
    if bits == 0 {
        return;
    }
    out.reserve(super::packed_len(values.len(), bits));
    for block in values.chunks(BLOCK) {
        let start = out.len();
        out.resize(start + block_len(block.len(), bits), 0);
        let packed = out.get_mut(start..).unwrap_or_default();
        by_lane!(bits, T => pack_block::<T>(block, bits, T::words_mut(packed)));
    }
}

/// Packs a block into words that are 0.
fn pack_block<T: Lane>(values: &[u64], bits: u8, words: &mut [T::Bytes]) {
    let lanes = lanes(values.len(), bits);
    let bits = u32::from(bits);
    let cut = low_bits::<T>(bits);
    let mut shift = 0;
    let mut words = words.chunks_mut(lanes);
    let mut word = words.next().unwrap_or_default();
    // The values of one position go to the same bits of each lane.
    for row in values.chunks(lanes) {
        if shift == T::BITS {
            word = words.next().unwrap_or_default();
            shift = 0;
        }
        for (word, &value) in word.iter_mut().zip(row) {
            *word = (T::load(*word) | ((T::truncate(value) & cut) << shift)).store();
        }
        shift += bits;
        if shift > T::BITS {
            word = words.next().unwrap_or_default();
            shift -= T::BITS;
            for (word, &value) in word.iter_mut().zip(row) {
                *word = ((T::truncate(value) & cut) >> (bits - shift)).store();
            }
        }
    }
}
