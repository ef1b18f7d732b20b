//! Reading ranges of packed values.

use std::ops::Range;

use super::BadPacking;
use super::lane::{Lane, by_lane, low_bits};
use super::layout::{BLOCK, Packed, lanes};

/// Shows `visit` the values of `rows`, a block or less at a time and in order, with how many rows came before them.
///
/// `T` must be the lane of the width.
pub(super) fn for_each_run<T: Lane>(
    packed: &Packed<'_>,
    rows: Range<usize>,
    mut visit: impl FnMut(usize, &[T]),
) {
    let mut buffer = [T::default(); BLOCK];
    let mut before = 0;
    for (index, wanted) in packed.blocks(rows) {
        let run = unpack_run(packed, index, wanted, &mut buffer);
        visit(before, run);
        before += run.len();
    }
}

/// The values of the rows `wanted` of a block, counted from its start.
pub(super) fn unpack_run<'b, T: Lane>(
    packed: &Packed<'_>,
    index: usize,
    wanted: Range<usize>,
    buffer: &'b mut [T; BLOCK],
) -> &'b [T] {
    let (values, bytes) = packed.block(index);
    let block = buffer.get_mut(..values).unwrap_or_default();
    unpack_block(T::words(bytes), packed.bits(), block);
    block.get(wanted).unwrap_or_default()
}

/// Unpacks a block whose values fill `out`.
fn unpack_block<T: Lane>(words: &[T::Bytes], bits: u8, out: &mut [T]) {
    if bits == 0 || out.is_empty() {
        out.fill(T::default());
        return;
    }
    let lanes = lanes(out.len(), bits);
    let bits = u32::from(bits);
    let cut = low_bits::<T>(bits);
    let mut shift = 0;
    let mut ahead = words.chunks(lanes);
    let mut words = ahead.next().unwrap_or_default();
    for row in out.chunks_mut(lanes) {
        if shift + bits <= T::BITS {
            for (value, &word) in row.iter_mut().zip(words) {
                *value = (T::load(word) >> shift) & cut;
            }
            shift += bits;
            if shift == T::BITS {
                words = ahead.next().unwrap_or_default();
                shift = 0;
            }
        } else {
            let next = ahead.next().unwrap_or_default();
            for ((value, &low), &high) in row.iter_mut().zip(words).zip(next) {
                *value = ((T::load(low) >> shift) | (T::load(high) << (T::BITS - shift))) & cut;
            }
            words = next;
            shift = shift + bits - T::BITS;
        }
    }
}

fn append<T: Lane, U: Copy + Default + TryFrom<u64>>(
    packed: &Packed<'_>,
    rows: Range<usize>,
    out: &mut Vec<U>,
) {
    for_each_run::<T>(packed, rows, |_, run| {
        out.extend(run.iter().map(|&value| U::try_from(value.widen()).unwrap_or_default()));
    });
}

macro_rules! unpack {
    ($name:ident, $int:ident, $room:literal) => {
        #[doc = concat!("Appends the values of `rows` to `out`, in order; a width above ", $room, " bits is refused.")]
        pub fn $name(
            bytes: &[u8],
            bits: u8,
            n: usize,
            rows: Range<usize>,
            out: &mut Vec<$int>,
        ) -> Result<(), BadPacking> {
            let packed = Packed::open_rows(bytes, bits, n, &rows)?;
            if u32::from(bits) > $int::BITS {
                return Err(BadPacking::Width { bits, room: $room });
            }
            by_lane!(bits, T => append::<T, _>(&packed, rows, out));
            Ok(())
        }
    };
}

unpack!(unpack_u8, u8, 8);
unpack!(unpack_u16, u16, 16);
unpack!(unpack_u32, u32, 32);
unpack!(unpack_u64, u64, 64);
