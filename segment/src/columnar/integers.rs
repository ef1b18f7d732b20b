//! Columns of big-endian unsigned integers.

use std::ops::{Range, RangeInclusive};

use ostracon_data::{RowRange, RowRanges};

use super::field::{Fields, damaged, tail};
use super::layout::MAX_WIDTH;
use crate::packing::{self, BadPacking};
use crate::{Error, Result};

/// Byte strings of one width, 1 to 16 bytes, kept as the integers that they are in big-endian order.
///
/// A row's value is `base + step * v`, where `v` (0..=[`top`](Self::top)) is packed into [`bits`](Self::bits) bits. The order of
/// the `v` is the order of the byte strings. Absent rows have some `v` too: [`Chunk::present`](super::Chunk::present) tells.
#[derive(Debug, Clone, Copy)]
pub struct Integers<'a> {
    packed: &'a [u8],
    rows: usize,
    base: u128,
    step: u64,
    top: u64,
    width: u8,
    bits: u8,
}

/// Bytes of the header: width u8 | bits u8 | 0 u16 | packed at u32 | base u128 | step u64 | top u64.
pub(super) const HEADER: usize = 40;

impl<'a> Integers<'a> {
    /// Reads the header at `offset` and checks that the packed values are there.
    pub(super) fn open(segment: &'a [u8], offset: usize, rows: usize) -> Result<Self> {
        let item = "integers";
        let mut fields = Fields::at(segment, offset, HEADER, item)?;
        let (width, bits) = (fields.u8()?, fields.u8()?);
        fields.zeros::<2>()?;
        let at = fields.place()?;
        let (base, step, top) = (fields.u128()?, fields.u64()?, fields.u64()?);
        let largest = step.checked_mul(top).and_then(|span| base.checked_add(u128::from(span)));
        let limit = u128::MAX.checked_shr(128 - 8 * u32::from(width.min(MAX_WIDTH))).unwrap_or(0);
        let sound = (1..=MAX_WIDTH).contains(&width)
            && bits <= 64
            && packing::bits_for(top) <= bits
            && largest.is_some_and(|largest| largest <= limit);
        if !sound {
            return Err(damaged(item, offset));
        }
        Self::of_parts(segment, at, rows, bits, IntegerSpace { width, base, step, top })
    }

    /// Integers whose parts another header says.
    pub(super) fn of_parts(
        segment: &'a [u8],
        packed_at: usize,
        rows: usize,
        bits: u8,
        space: IntegerSpace,
    ) -> Result<Self> {
        let item = "packed integers";
        let packed = tail(segment, packed_at, item)?;
        let packed = packed.get(..packing::packed_len(rows, bits)).ok_or(damaged(item, packed_at))?;
        let IntegerSpace { width, base, step, top } = space;
        Ok(Self { packed, rows, base, step, top, width, bits })
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.rows
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.rows == 0
    }

    /// The length of every value in bytes.
    pub fn width(&self) -> usize {
        usize::from(self.width)
    }

    /// The least value.
    pub fn base(&self) -> u128 {
        self.base
    }

    /// What all differences between values are multiples of; at least 1.
    pub fn step(&self) -> u64 {
        self.step
    }

    /// The greatest `v`; 0 if all values are equal. `base + step * top` is the greatest value.
    pub fn top(&self) -> u64 {
        self.top
    }

    /// The bits of a packed `v`; 0 if all values are equal.
    pub fn bits(&self) -> u8 {
        self.bits
    }

    /// The packed `v`s, for the kernels of [`crate::packing`].
    pub fn packed(&self) -> &'a [u8] {
        self.packed
    }

    /// The value of `v`.
    #[inline]
    pub fn value_of(&self, v: u64) -> u128 {
        // Only damaged bytes have a `v` above `top`, for which this may wrap.
        self.base.wrapping_add(u128::from(v.wrapping_mul(self.step)))
    }

    /// The `v` of a row.
    ///
    /// # Errors
    /// There is no such row.
    #[inline]
    pub fn get(&self, row: usize) -> Result<u64> {
        packing::get(self.packed, self.bits, self.rows, row).map_err(|problem| self.refused(problem))
    }

    /// The value of a row.
    ///
    /// # Errors
    /// There is no such row.
    #[inline]
    pub fn value(&self, row: usize) -> Result<u128> {
        self.get(row).map(|v| self.value_of(v))
    }

    /// Appends the `v`s of the rows `hits`, in their order.
    ///
    /// # Errors
    /// There is no such row.
    pub fn gather(&self, hits: &[u32], out: &mut Vec<u64>) -> Result<()> {
        packing::gather(self.packed, self.bits, self.rows, hits, out).map_err(|problem| self.refused(problem))
    }

    /// Sets `mask` to 1 for those of `rows` whose value is wanted, to 0 for the others; absent rows get either.
    ///
    /// # Errors
    /// There are no such rows, or the mask has another length.
    pub fn contains(&self, wanted: &RowRanges, rows: Range<usize>, mask: &mut [u8]) -> Result<()> {
        check_rows(self.rows, &rows, mask.len())?;
        let intervals = self.intervals(wanted);
        match intervals.as_slice() {
            [] => mask.fill(0),
            [all] if *all == (0..=self.top) => mask.fill(1),
            [first, more @ ..] => {
                let refused = |problem| self.refused(problem);
                let (packed, bits, n) = (self.packed, self.bits, self.rows);
                packing::between(packed, bits, n, rows.clone(), *first.start(), *first.end(), mask)
                    .map_err(refused)?;
                for next in more {
                    packing::or_between(packed, bits, n, rows.clone(), *next.start(), *next.end(), mask)
                        .map_err(refused)?;
                }
            }
        }
        Ok(())
    }

    /// The `v`s of the wanted values, as ascending intervals within `0..=top`.
    pub fn intervals(&self, wanted: &RowRanges) -> Vec<RangeInclusive<u64>> {
        match wanted {
            RowRanges::All => vec![0..=self.top],
            RowRanges::Set(ranges) => ranges.iter().filter_map(|range| self.interval(range)).collect(),
        }
    }

    fn interval(&self, range: &RowRange) -> Option<RangeInclusive<u64>> {
        let first_not_below = |bytes: &[u8]| self.first_not_below(least_not_below(bytes, self.width())?);
        let first = first_not_below(&range.start)?;
        let last = match &range.end {
            // The end itself is not wanted. If it is not above the least value, nothing is.
            Some(end) => first_not_below(end).map_or(Some(self.top), |past| past.checked_sub(1))?,
            None => self.top,
        };
        (first <= last).then_some(first..=last)
    }

    /// The least `v` whose value is not below the bound; `None` if all are below.
    pub(super) fn first_not_below(&self, bound: u128) -> Option<u64> {
        let above = bound.saturating_sub(self.base);
        // Nothing is that far above, and 64 bits divide faster.
        let above = u64::try_from(above).ok()?;
        Some(above.div_ceil(self.step.max(1))).filter(|v| *v <= self.top)
    }

    pub(super) fn refused(&self, problem: BadPacking) -> Error {
        refused(problem, self.rows)
    }
}

macro_rules! unpack {
    ($name:ident, $int:ident) => {
        impl Integers<'_> {
            /// Appends the `v`s of `rows`.
            ///
            /// # Errors
            /// There are no such rows, or [`bits`](Self::bits) is more than the integers have.
            pub fn $name(&self, rows: Range<usize>, out: &mut Vec<$int>) -> Result<()> {
                packing::$name(self.packed, self.bits, self.rows, rows, out)
                    .map_err(|problem| self.refused(problem))
            }
        }
    };
}
unpack!(unpack_u8, u8);
unpack!(unpack_u16, u16);
unpack!(unpack_u32, u32);
unpack!(unpack_u64, u64);

/// What packed integers mean.
#[derive(Debug, Clone, Copy)]
pub(super) struct IntegerSpace {
    pub(super) width: u8,
    pub(super) base: u128,
    pub(super) step: u64,
    pub(super) top: u64,
}

/// A value as the bytes that it stands for.
#[derive(Debug, Clone, Copy)]
pub(super) struct ValueBytes {
    bytes: [u8; 16],
    start: usize,
}

impl ValueBytes {
    pub(super) fn new(value: u128, width: usize) -> Self {
        Self { bytes: value.to_be_bytes(), start: 16usize.saturating_sub(width) }
    }
}

impl AsRef<[u8]> for ValueBytes {
    #[inline]
    fn as_ref(&self) -> &[u8] {
        self.bytes.get(self.start..).unwrap_or_default()
    }
}

impl IntegerSpace {
    /// The bytes of the value of `v`.
    pub(super) fn bytes(&self, v: u64) -> ValueBytes {
        ValueBytes::new(
            self.base.wrapping_add(u128::from(v.wrapping_mul(self.step))),
            usize::from(self.width),
        )
    }
}

/// The least integer of `width` bytes that, as a byte string, is not below `bytes`; `None` if all are below.
pub(super) fn least_not_below(bytes: &[u8], width: usize) -> Option<u128> {
    let (head, longer) = match bytes.split_at_checked(width) {
        Some((head, tail)) => (head, !tail.is_empty()),
        None => (bytes, false),
    };
    let value = head.iter().fold(0u128, |value, &byte| value << 8 | u128::from(byte));
    // A shorter string is the beginning of those that follow it: the first of them ends with zeros.
    let value = value.checked_shl(8 * (width - head.len()) as u32).unwrap_or(0);
    if !longer {
        return Some(value);
    }
    // A longer string is above its own beginning.
    let next = value.checked_add(1)?;
    let limit = u128::MAX.checked_shr(128 - 8 * width as u32).unwrap_or(0);
    (next <= limit).then_some(next)
}

/// Refuses rows that are not there and places that are not as many.
pub(super) fn check_rows(n: usize, rows: &Range<usize>, room: usize) -> Result<()> {
    if rows.start <= rows.end && rows.end <= n && rows.len() == room {
        return Ok(());
    }
    Err(Error::RowsOutOfRange { start: rows.start, end: rows.end, room, rows: n })
}

/// A kernel's refusal, as an error of this crate: headers have been checked, so that it is about the caller's rows.
fn refused(problem: BadPacking, rows: usize) -> Error {
    match problem {
        BadPacking::Row { row, n } => {
            Error::RowsOutOfRange { start: row, end: row.saturating_add(1), room: 1, rows: n }
        }
        BadPacking::Mask { rows: wanted, found } => {
            Error::RowsOutOfRange { start: 0, end: wanted, room: found, rows }
        }
        BadPacking::Width { .. } => Error::RowsOutOfRange { start: 0, end: rows, room: 0, rows },
        BadPacking::Short { found, .. } => damaged("packed integers", found),
    }
}
