//! Writing packed values.

use super::lane::{Lane, by_lane};
use super::layout::{BLOCK, lanes};

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
        by_lane!(bits, T => pack_block::<T>(block, bits, out));
    }
}

fn pack_block<T: Lane>(values: &[u64], bits: u8, out: &mut Vec<u8>) {
    let lanes = lanes(values.len(), bits);
    let bits = u32::from(bits);
    let cut = super::lane::low_bits::<T>(bits);
    // Values of one position go to the same bits of `lanes` words; a word is written out when it is full.
    let mut words = [T::default(); BLOCK];
    let mut filled = 0;
    for row in values.chunks(lanes) {
        for (word, &value) in words.iter_mut().zip(row) {
            *word = *word | ((T::truncate(value) & cut) << filled);
        }
        filled += bits;
        if filled >= T::BITS {
            let (full, _) = words.split_at(lanes);
            T::store(full, out);
            filled -= T::BITS;
            words.fill(T::default());
            if filled > 0 {
                for (word, &value) in words.iter_mut().zip(row) {
                    *word = (T::truncate(value) & cut) >> (bits - filled);
                }
            }
        }
    }
    if filled > 0 {
        let (full, _) = words.split_at(lanes);
        T::store(full, out);
    }
}
