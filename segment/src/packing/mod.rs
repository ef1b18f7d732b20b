//! Bit packing of unsigned integers, and kernels over the packed form.
//!
//! # Layout
//! `n` values of `bits` bits each (0..=64) lie in blocks of [`BLOCK`] values, the last one shorter. A block's bits are
//! cut into little-endian *words* of [`lane_bits`] bits: the narrowest of 8, 16, 32 and 64 that holds a value. A block
//! of `m` values has `L = ceil(m / word)` *lanes*; value `i` lies in lane `i % L` at position `i / L`, so that `L`
//! values in a row are unpacked, in order, by the same shift: that is the loop a compiler vectorises. A lane is a stream
//! of bits, lowest first; its `k`-th word is the block's word `k * L + lane`. A block takes
//! `L * ceil(ceil(m / L) * bits / word)` words: a full one `bits` bits a value, a short one at most a bit a value more.
//!
//! Where a value fills its word there is one position, and a lane for each value: a plain little-endian array. A width
//! of 0 takes no bytes; every value is 0.
//!
//! # Contract
//! Functions take the packed bytes, the width, the number of values and mostly a range of rows. They check once, at
//! entry, and answer [`BadPacking`] if that does not fit together; they never panic and allocate only for rows that are
//! there. Bytes after the last block are ignored. Any bytes of sufficient length are *some* values, none above
//! `2^bits - 1`.
//!
//! A mask has one byte a row, 0 or 1 (see [`crate::mask`]); its first byte belongs to the first row of the range.

mod aggregate;
mod block;
mod compare;
mod gather;
mod interval;
mod lane;
mod layout;
mod meet;
mod pack;
mod set;
#[cfg(test)]
mod tests;
mod unpack;

pub use aggregate::{max, max_where, min, min_where, sum, sum_where};
pub use compare::{and_between, and_in_intervals, between, in_intervals, or_between};
pub use gather::{gather, get};
pub use layout::{BLOCK, bits_for, chosen_bits, lane_bits, packed_len};
pub use pack::pack;
pub use set::{and_in_set, and_in_table, in_set, in_table};
pub use unpack::{unpack_u8, unpack_u16, unpack_u32, unpack_u64};

/// Why packed values could not be read: the bytes are damaged, or the caller's numbers do not belong to them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BadPacking {
    /// A width above 64 bits, or above that of the integers to unpack into.
    #[error("packed values of {bits} bits do not fit integers of {room} bits")]
    Width {
        /// The width of a packed value.
        bits: u8,
        /// The width there is room for.
        room: u8,
    },
    /// Fewer bytes than so many values take.
    #[error("packed values end after {found} bytes of {needed}: the chunk is damaged")]
    Short {
        /// What the values take, in bytes.
        needed: usize,
        /// What there is.
        found: usize,
    },
    /// A row outside of the chunk, or a range of rows that ends before it starts.
    #[error("row {row} asked of {n} packed values")]
    Row {
        /// The row asked for.
        row: usize,
        /// How many values there are.
        n: usize,
    },
    /// A mask that has not one byte for each row of the range.
    #[error("mask of {found} bytes for {rows} rows")]
    Mask {
        /// The rows asked for.
        rows: usize,
        /// The mask's length.
        found: usize,
    },
}
