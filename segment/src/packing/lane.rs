//! The integers that lanes are made of.

use std::ops::{BitAnd, BitOr, Shl, Shr};

/// An unsigned integer that is the word of a lane.
pub(super) trait Lane:
    Copy
    + Default
    + Ord
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + Shl<u32, Output = Self>
    + Shr<u32, Output = Self>
{
    /// Its width in bits.
    const BITS: u32;
    /// Its bytes at rest.
    type Bytes: Copy + Default;

    /// The words in `bytes`; an incomplete last one is left out.
    fn words(bytes: &[u8]) -> &[Self::Bytes];
    /// As [`words`](Lane::words), to write.
    fn words_mut(bytes: &mut [u8]) -> &mut [Self::Bytes];
    /// From its bytes, least significant first.
    fn load(bytes: Self::Bytes) -> Self;
    /// Its bytes, least significant first.
    fn store(self) -> Self::Bytes;
    /// The low bits of `value`.
    fn truncate(value: u64) -> Self;
    /// The same number.
    fn widen(self) -> u64;
    /// `self - other`, modulo the width.
    fn minus(self, other: Self) -> Self;
    /// 1 or 0.
    fn from_bit(bit: bool) -> Self;
    /// All bits of `byte`, and zeros above.
    fn from_byte(byte: u8) -> Self;
    /// The lowest eight bits.
    fn low_byte(self) -> u8;
}

macro_rules! lane {
    ($int:ty) => {
        impl Lane for $int {
            const BITS: u32 = <$int>::BITS;
            type Bytes = [u8; size_of::<$int>()];

            #[inline(always)]
            fn words(bytes: &[u8]) -> &[Self::Bytes] {
                bytes.as_chunks().0
            }

            #[inline(always)]
            fn words_mut(bytes: &mut [u8]) -> &mut [Self::Bytes] {
                bytes.as_chunks_mut().0
            }

            #[inline(always)]
            fn load(bytes: Self::Bytes) -> Self {
                Self::from_le_bytes(bytes)
            }

            #[inline(always)]
            fn store(self) -> Self::Bytes {
                self.to_le_bytes()
            }

            #[inline(always)]
            fn truncate(value: u64) -> Self {
                value as Self
            }

            #[inline(always)]
            fn widen(self) -> u64 {
                u64::from(self)
            }

            #[inline(always)]
            fn minus(self, other: Self) -> Self {
                self.wrapping_sub(other)
            }

            #[inline(always)]
            fn from_bit(bit: bool) -> Self {
                Self::from(bit)
            }

            #[inline(always)]
            fn from_byte(byte: u8) -> Self {
                Self::from(byte)
            }

            #[inline(always)]
            fn low_byte(self) -> u8 {
                self as u8
            }
        }
    };
}

lane!(u8);
lane!(u16);
lane!(u32);
lane!(u64);

/// The bits a value of `bits` bits may have, as a word of its lane.
#[inline(always)]
pub(super) fn low_bits<T: Lane>(bits: u32) -> T {
    T::truncate(u64::MAX.checked_shr(64 - bits.min(64)).unwrap_or(0))
}

/// Evaluates an expression with `$lane` as the lane of a width.
macro_rules! by_lane {
    ($bits:expr, $lane:ident => $body:expr) => {
        match $crate::packing::lane_bits($bits) {
            8 => {
                type $lane = u8;
                $body
            }
            16 => {
                type $lane = u16;
                $body
            }
            32 => {
                type $lane = u32;
                $body
            }
            _ => {
                type $lane = u64;
                $body
            }
        }
    };
}
pub(super) use by_lane;
