//! The comparison all others come down to: does a value lie in one of a few intervals?

use std::ops::{Range, RangeInclusive};

use super::block::unpack_block;
use super::lane::{Lane, low_bits};
use super::layout::{BLOCK, Packed};
use super::meet::{Meet, Or, Replace, answer_all};
use crate::mask;

/// The values compared side by side. Their answers fill two vectors of bytes.
const GROUP: usize = 32;

/// An interval of the values that a width has, both ends included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Interval<T> {
    low: T,
    high: T,
}

impl<T: Lane> Interval<T> {
    /// The part of `wanted` that values of `bits` bits can be in.
    pub(super) fn within(wanted: &RangeInclusive<u64>, bits: u8) -> Option<Self> {
        let low = *wanted.start();
        let high = *wanted.end().min(&low_bits::<u64>(u32::from(bits)));
        (low <= high).then(|| Self { low: T::truncate(low), high: T::truncate(high) })
    }
}

/// The intervals that values of `bits` bits can be in, ascending and with gaps between them.
pub(super) fn intervals<T: Lane>(wanted: &[RangeInclusive<u64>], bits: u8) -> Vec<Interval<T>> {
    let mut parts: Vec<Interval<u64>> =
        wanted.iter().filter_map(|wanted| Interval::within(wanted, bits)).collect();
    parts.sort_unstable_by_key(|part| part.low);
    parts.dedup_by(|next, held| {
        let meets = next.low <= held.high.saturating_add(1);
        if meets {
            held.high = held.high.max(next.high);
        }
        meets
    });
    parts.iter().map(|part| Interval { low: T::truncate(part.low), high: T::truncate(part.high) }).collect()
}

/// Marks the rows whose value lies in one of the intervals. `T` must be the lane of the width.
pub(super) fn mark<T: Lane, M: Meet>(
    packed: &Packed<'_>,
    rows: Range<usize>,
    wanted: &[Interval<T>],
    mask: &mut [u8],
) {
    let bits = u32::from(packed.bits());
    match wanted {
        [] => answer_all::<M>(mask, 0),
        [Interval { low, high }] if *low == T::default() && *high == low_bits(bits) => {
            answer_all::<M>(mask, 1);
        }
        [one] => {
            mark_by::<T, M>(packed, rows, mask, |values, held| mark_values::<T, M>(values, bits, *one, held))
        }
        [first, more @ ..] => {
            // Of each block, the answers are collected before they meet the mask.
            let mut answers = [0; BLOCK];
            mark_by::<T, M>(packed, rows, mask, |values, held| {
                let answers = answers.get_mut(..values.len()).unwrap_or_default();
                mark_values::<T, Replace>(values, bits, *first, answers);
                for one in more {
                    mark_values::<T, Or>(values, bits, *one, answers);
                }
                held.iter_mut().zip(answers).for_each(|(held, answer)| *held = M::meet(*held, *answer));
            });
        }
    }
}

/// Has `test` mark the rows of each block, given the values and the mask so far. `T` must be the lane of the width.
#[inline(always)]
pub(super) fn mark_by<T: Lane, M: Meet>(
    packed: &Packed<'_>,
    rows: Range<usize>,
    mask: &mut [u8],
    mut test: impl FnMut(&[T], &mut [u8]),
) {
    let mut buffer = [T::default(); BLOCK];
    let mut rest = mask;
    for (index, wanted) in packed.blocks(rows) {
        let Some((held, after)) = std::mem::take(&mut rest).split_at_mut_checked(wanted.len()) else {
            return;
        };
        if !M::KEEPS_ZERO || mask::any(held) {
            test(unpack_block(packed, index, wanted, &mut buffer), held);
        }
        rest = after;
    }
}

/// Marks values of `bits` bits that lie in an interval.
// A function of its own: inlined into larger ones, the loop below is not vectorised as well.
#[inline(never)]
fn mark_values<T: Lane, M: Meet>(
    values: &[T],
    bits: u32,
    Interval { low, high }: Interval<T>,
    mask: &mut [u8],
) {
    if T::BITS == 64 && bits < 64 {
        // SSE2 does not compare 64-bit integers. Below 2^63, a difference is negative if its highest bit is set.
        let outside = |value: T| (value.minus(low) | high.minus(value)) >> 63;
        mark_groups::<T, M>(values, |value| T::from_bit(true).minus(outside(value)), mask);
    } else {
        let span = high.minus(low);
        mark_groups::<T, M>(values, |value| T::from_bit(value.minus(low) <= span), mask);
    }
}

// Loops over indexes of arrays: of the ways to write this, the one that is vectorised for all lanes.
#[allow(clippy::needless_range_loop)]
#[inline(always)]
fn mark_groups<T: Lane, M: Meet>(values: &[T], test: impl Fn(T) -> T, mask: &mut [u8]) {
    let (groups, last) = values.as_chunks::<GROUP>();
    let (masks, mask_last) = mask.as_chunks_mut::<GROUP>();
    for (group, mask) in groups.iter().zip(masks) {
        // In two steps: answers as wide as values, then narrowed all at once.
        let mut answers = [T::default(); GROUP];
        for i in 0..GROUP {
            answers[i] = test(group[i]);
        }
        for i in 0..GROUP {
            mask[i] = M::meet(mask[i], answers[i].low_byte());
        }
    }
    for (&value, held) in last.iter().zip(mask_last) {
        *held = M::meet(*held, test(value).low_byte());
    }
}
