//! Where a value lies: blocks, lanes, and what is checked before any byte is read.

use std::ops::Range;

use super::BadPacking;

/// How many values a full block has.
pub const BLOCK: usize = 1024;

/// The least width that holds `max`, in bits: 0 for 0, 64 for the largest.
///
/// ```
/// use ostracon_segment::packing::bits_for;
/// assert_eq!([0, 1, 255, 256, u64::MAX].map(bits_for), [0, 1, 8, 9, 64]);
/// ```
pub fn bits_for(max: u64) -> u8 {
    (u64::BITS - max.leading_zeros()) as u8
}

/// The width to store values up to `max` with: [`bits_for`], or the whole word of 8, 16, 32 or 64 bits where packing
/// would save no more than a sixteenth of it.
///
/// Packing costs little. On one core of an EPYC, built for baseline x86-64, the best of many short runs over 4096 values
/// in the cache, in 10^9 values a second ([`get`](super::get): nanoseconds; `cargo bench -p ostracon-segment` repeats it):
///
/// | bits      | 4  | 7   | 8   | 12  | 15  | 16  | 24  | 31  | 32  | 48  | 64  |
/// |-----------|----|-----|-----|-----|-----|-----|-----|-----|-----|-----|-----|
/// | unpack    | 24 | 18  | 27  | 12  | 11  | 14  | 5.7 | 5.0 | 6.4 | 2.7 | 3.2 |
/// | `between` | 19 | 14  | 22  | 10  | 9.4 | 12  | 5.4 | 4.9 | 6.1 | 2.1 | 1.8 |
/// | `get`     | 2.3| 2.7 | 1.4 | 2.6 | 2.8 | 1.4 | 2.5 | 2.8 | 1.4 | 2.8 | 1.4 |
///
/// A whole word is a third faster to scan and twice as fast to read a single value of: worth a little room, not much.
pub fn chosen_bits(max: u64) -> u8 {
    let bits = bits_for(max);
    let word = lane_bits(bits);
    // In u16: 16 * 64 is more than a u8 holds.
    if u16::from(bits) * 16 >= u16::from(word) * 15 { word } else { bits }
}

/// The width of the words that values of `bits` bits are packed into: 8, 16, 32 or 64.
pub const fn lane_bits(bits: u8) -> u8 {
    match bits {
        0..=8 => 8,
        9..=16 => 16,
        17..=32 => 32,
        _ => 64,
    }
}

/// How many bytes `n` values of `bits` bits take, `usize::MAX` if that cannot be counted. Above 64, `bits` counts as 64.
pub fn packed_len(n: usize, bits: u8) -> usize {
    let bits = bits.min(64);
    // A full block has no bit more than its values.
    let full = (n / BLOCK).saturating_mul(BLOCK / 8 * usize::from(bits));
    match n % BLOCK {
        0 => full,
        rest => full.saturating_add(block_len(rest, bits)),
    }
}

/// The lanes of a block of `m` values.
#[inline(always)]
pub(super) fn lanes(m: usize, bits: u8) -> usize {
    let word = lane_bits(bits);
    if bits == word { m } else { m.div_ceil(usize::from(word)) }
}

/// The bytes of a block of `m` values.
pub(super) fn block_len(m: usize, bits: u8) -> usize {
    let word = usize::from(lane_bits(bits));
    let lanes = lanes(m, bits);
    // A block without values has no lanes.
    let positions = m.div_ceil(lanes.max(1));
    (positions * usize::from(bits)).div_ceil(word) * lanes * (word / 8)
}

/// Packed values whose length has been checked.
#[derive(Debug, Clone, Copy)]
pub(super) struct Packed<'a> {
    bytes: &'a [u8],
    bits: u8,
    n: usize,
}

impl<'a> Packed<'a> {
    #[inline]
    pub(super) fn open(bytes: &'a [u8], bits: u8, n: usize) -> Result<Self, BadPacking> {
        if bits > 64 {
            return Err(BadPacking::Width { bits, room: 64 });
        }
        let needed = packed_len(n, bits);
        if bytes.len() < needed {
            return Err(BadPacking::Short { needed, found: bytes.len() });
        }
        Ok(Self { bytes, bits, n })
    }

    /// Checks nothing: for who reads with bounds of its own.
    #[inline(always)]
    pub(super) fn unchecked(bytes: &'a [u8], bits: u8, n: usize) -> Self {
        Self { bytes, bits, n }
    }

    /// Opens and checks a range of rows.
    pub(super) fn open_rows(
        bytes: &'a [u8],
        bits: u8,
        n: usize,
        rows: &Range<usize>,
    ) -> Result<Self, BadPacking> {
        let packed = Self::open(bytes, bits, n)?;
        match rows.start <= rows.end && rows.end <= n {
            true => Ok(packed),
            false => Err(BadPacking::Row { row: rows.start.max(rows.end), n }),
        }
    }

    /// Opens and checks a range of rows and a mask for it.
    pub(super) fn open_masked(
        bytes: &'a [u8],
        bits: u8,
        n: usize,
        rows: &Range<usize>,
        mask: &[u8],
    ) -> Result<Self, BadPacking> {
        let packed = Self::open_rows(bytes, bits, n, rows)?;
        match mask.len() == rows.len() {
            true => Ok(packed),
            false => Err(BadPacking::Mask { rows: rows.len(), found: mask.len() }),
        }
    }

    #[inline(always)]
    pub(super) fn bits(&self) -> u8 {
        self.bits
    }

    /// The block that starts at row `index * BLOCK`: how many values, and its bytes.
    #[inline(always)]
    pub(super) fn block(&self, index: usize) -> (usize, &'a [u8]) {
        let values = (self.n - (index * BLOCK).min(self.n)).min(BLOCK);
        // Of unchecked bytes, the number of blocks may be anything.
        let start = index.saturating_mul(BLOCK / 8 * usize::from(self.bits));
        (values, self.bytes.get(start..).unwrap_or_default())
    }

    /// The blocks that `rows` touch: index, and the rows wanted of it counted from its start.
    pub(super) fn blocks(&self, rows: Range<usize>) -> impl Iterator<Item = (usize, Range<usize>)> + use<> {
        let indexes = if rows.is_empty() { 0..0 } else { rows.start / BLOCK..rows.end.div_ceil(BLOCK) };
        indexes.map(move |index| {
            let first = index * BLOCK;
            (index, rows.start.saturating_sub(first)..(rows.end - first).min(BLOCK))
        })
    }
}
