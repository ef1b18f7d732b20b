//! Reading ranges of packed values.

use std::ops::Range;

use super::BadPacking;
use super::block::for_each_block;
use super::lane::{Lane, by_lane};
use super::layout::Packed;

fn append<T: Lane, U: Lane>(packed: &Packed<'_>, rows: Range<usize>, out: &mut Vec<U>) {
    out.reserve(rows.len());
    for_each_block::<T>(packed, rows, |_, values| {
        out.extend(values.iter().map(|value| U::truncate(value.widen())));
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
            if bits > $room {
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
