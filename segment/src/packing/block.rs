//! The loop under all kernels: a block, unpacked into a buffer that stays in the nearest cache.
//!
//! The shift is a variable in the loop over positions and fixed in the loop over lanes, which a compiler vectorises: vector
//! shifts take one count for all lanes. Kernels with the width as a constant, one for each of 60 widths, were measured
//! too: within 5 % of these, for 39 KB of code. Comparing while unpacking, without a buffer, is a fifth faster where the
//! compiler sees through it and several times slower where it does not.

use std::ops::Range;

use super::lane::{Lane, low_bits};
use super::layout::{BLOCK, Packed, lanes};

/// Shows `visit` the values of `rows`, in order and a block at a time, with how many rows came before.
///
/// `T` must be the lane of the width.
#[inline(always)]
pub(super) fn for_each_block<T: Lane>(
    packed: &Packed<'_>,
    rows: Range<usize>,
    mut visit: impl FnMut(usize, &[T]),
) {
    let mut buffer = [T::default(); BLOCK];
    let mut before = 0;
    for (index, wanted) in packed.blocks(rows) {
        let values = unpack_block(packed, index, wanted, &mut buffer);
        visit(before, values);
        before += values.len();
    }
}

/// The values of the rows `wanted` of a block, counted from its start.
#[inline]
pub(super) fn unpack_block<'b, T: Lane>(
    packed: &Packed<'_>,
    index: usize,
    wanted: Range<usize>,
    buffer: &'b mut [T; BLOCK],
) -> &'b [T] {
    let (values, bytes) = packed.block(index);
    let words = T::words(bytes);
    let bits = u32::from(packed.bits());
    if bits == T::BITS {
        let words = words.get(wanted.clone()).unwrap_or_default();
        let values = buffer.get_mut(wanted.clone()).unwrap_or_default();
        values.iter_mut().zip(words).for_each(|(value, &word)| *value = T::load(word));
    } else if bits == 0 {
        buffer.fill(T::default());
    } else if wanted == (0..BLOCK) {
        unpack_all(words, bits, buffer);
    } else {
        let lanes = lanes(values, packed.bits());
        unpack_positions(words, bits, lanes, wanted.start / lanes..wanted.end.div_ceil(lanes), buffer);
    }
    buffer.get(wanted).unwrap_or_default()
}

/// Unpacks a full block: all lengths are known to the compiler.
// Not inlined, so that kernels do not each bring a copy, and that words and buffer are known not to overlap.
#[inline(never)]
fn unpack_all<T: Lane>(words: &[T::Bytes], bits: u32, buffer: &mut [T; BLOCK]) {
    let lanes = BLOCK / T::BITS as usize;
    for (position, out) in buffer.chunks_exact_mut(lanes).enumerate() {
        unpack_position(words, bits, lanes, position, out);
    }
}

/// Unpacks some positions of a block of any length.
#[inline(never)]
fn unpack_positions<T: Lane>(
    words: &[T::Bytes],
    bits: u32,
    lanes: usize,
    wanted: Range<usize>,
    buffer: &mut [T; BLOCK],
) {
    for (position, out) in buffer.chunks_mut(lanes).enumerate().take(wanted.end).skip(wanted.start) {
        unpack_position(words, bits, lanes, position, out);
    }
}

/// The values of the lanes at a position; of the block's last one, `out` may have fewer.
#[inline(always)]
fn unpack_position<T: Lane>(words: &[T::Bytes], bits: u32, lanes: usize, position: usize, out: &mut [T]) {
    let cut = low_bits::<T>(bits);
    let bit = position as u32 * bits;
    let (word, shift) = ((bit / T::BITS) as usize * lanes, bit % T::BITS);
    // The words are there: `Packed::open` has seen to it. Asked this way, the compiler knows their number.
    let Some(low) = words.get(word..word + lanes) else { return };
    if shift + bits <= T::BITS {
        for (value, &low) in out.iter_mut().zip(low) {
            *value = (T::load(low) >> shift) & cut;
        }
    } else {
        let Some(high) = words.get(word + lanes..word + 2 * lanes) else { return };
        for ((value, &low), &high) in out.iter_mut().zip(low).zip(high) {
            *value = ((T::load(low) >> shift) | (T::load(high) << (T::BITS - shift))) & cut;
        }
    }
}
