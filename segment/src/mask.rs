//! Masks: one byte a row, 0 or 1, so that the loops over them vectorise.
//!
//! Two masks that meet have one length; rows that only one of them has stay as they are.

/// How many rows are 1.
pub fn count_ones(mask: &[u8]) -> usize {
    // Bytes add up without overflow for 255 rounds; only then are they widened.
    let mut ones = 0;
    for part in mask.chunks(255 * LANES) {
        let (whole, rest) = part.as_chunks::<LANES>();
        let mut sums = [0u8; LANES];
        for chunk in whole {
            for (sum, &held) in sums.iter_mut().zip(chunk) {
                *sum = sum.wrapping_add(held);
            }
        }
        ones += sums.iter().chain(rest).map(|&count| usize::from(count)).sum::<usize>();
    }
    ones
}

/// The bytes summed side by side.
const LANES: usize = 32;

/// Whether any row is 1.
pub fn any(mask: &[u8]) -> bool {
    mask.iter().fold(0, |held, &byte| held | byte) != 0
}

/// Appends the numbers of the rows that are 1 to `out`, ascending; the mask's first row is number `offset`. They must fit
/// a `u32`.
///
/// No branch depends on a single row, so that no density is slow: eight rows select eight numbers from a table, all are
/// written, and as many as are 1 stay.
pub fn hits(mask: &[u8], offset: u32, out: &mut Vec<u32>) {
    let mut at = out.len();
    out.resize(at + count_ones(mask) + 8, 0);
    let mut first = offset;
    for part in mask.chunks(STRETCH) {
        if any(part) {
            let (eights, rest) = part.as_chunks::<8>();
            let mut number = first;
            for &eight in eights {
                at += select(eight, number, out, at);
                number = number.wrapping_add(8);
            }
            let mut eight = [0; 8];
            eight.iter_mut().zip(rest).for_each(|(to, &held)| *to = held);
            at += select(eight, number, out, at);
        }
        first = first.wrapping_add(part.len() as u32);
    }
    out.truncate(at);
}

/// Writes the numbers of those of eight rows that are 1 to `out`, from `at` on, and says how many. All eight places are
/// written.
#[inline(always)]
fn select(eight: [u8; 8], first: u32, out: &mut [u32], at: usize) -> usize {
    let eight = u64::from_le_bytes(eight);
    // The lowest bits of the bytes, side by side; their sum.
    let bits = eight.wrapping_mul(0x0102_0408_1020_4080) >> 56;
    let count = eight.wrapping_mul(0x0101_0101_0101_0101) >> 56;
    let places = &PLACES[usize::from(bits as u8)];
    if let Some(out) = out.get_mut(at..at + 8) {
        for i in 0..8 {
            out[i] = first.wrapping_add(u32::from(places[i]));
        }
    }
    count as usize
}

/// Rows passed over at once if none is 1.
const STRETCH: usize = 256;

/// For each byte, the numbers of its bits that are 1, and zeros.
static PLACES: [[u8; 8]; 256] = {
    let mut places = [[0; 8]; 256];
    let mut byte = 0;
    while byte < 256 {
        let (mut place, mut found) = (0, 0);
        while place < 8 {
            if byte >> place & 1 == 1 {
                places[byte][found] = place;
                found += 1;
            }
            place += 1;
        }
        byte += 1;
    }
    places
};

/// Leaves those rows of `mask` 1 that are 1 in both.
pub fn and(mask: &mut [u8], other: &[u8]) {
    mask.iter_mut().zip(other).for_each(|(held, &byte)| *held &= byte);
}

/// Makes those rows of `mask` 1 that are 1 in `other`.
pub fn or(mask: &mut [u8], other: &[u8]) {
    mask.iter_mut().zip(other).for_each(|(held, &byte)| *held |= byte);
}

/// Makes those rows of `mask` 0 that are 1 in `other`.
pub fn and_not(mask: &mut [u8], other: &[u8]) {
    mask.iter_mut().zip(other).for_each(|(held, &byte)| *held &= byte ^ 1);
}

/// Makes 1 of 0 and 0 of 1.
pub fn not(mask: &mut [u8]) {
    mask.iter_mut().for_each(|held| *held ^= 1);
}

#[cfg(test)]
mod tests {
    use super::{and, and_not, any as some, count_ones, hits, not, or};
    use proptest::prelude::*;

    fn masks() -> impl Strategy<Value = Vec<(bool, bool)>> {
        // Dense, sparse and long enough for every loop and its rest.
        prop_oneof![Just(0.01), Just(0.5), Just(0.99)].prop_flat_map(|p| {
            proptest::collection::vec((proptest::bool::weighted(p), proptest::bool::ANY), 0..9000)
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn masks_do_as_sets_of_rows(rows in masks(), offset in 0..1_000_000u32) {
            let a: Vec<u8> = rows.iter().map(|row| u8::from(row.0)).collect();
            let b: Vec<u8> = rows.iter().map(|row| u8::from(row.1)).collect();
            let model = |f: fn(bool, bool) -> bool| {
                rows.iter().map(|row| u8::from(f(row.0, row.1))).collect::<Vec<_>>()
            };
            let run = |f: &dyn Fn(&mut [u8])| { let mut mask = a.clone(); f(&mut mask); mask };
            prop_assert_eq!(run(&|mask| and(mask, &b)), model(|a, b| a && b));
            prop_assert_eq!(run(&|mask| or(mask, &b)), model(|a, b| a || b));
            prop_assert_eq!(run(&|mask| and_not(mask, &b)), model(|a, b| a && !b));
            prop_assert_eq!(run(&|mask| not(mask)), model(|a, _| !a));

            let held: Vec<u32> =
                (offset..).zip(&rows).filter(|(_, row)| row.0).map(|(row, _)| row).collect();
            prop_assert_eq!(count_ones(&a), held.len());
            prop_assert_eq!(some(&a), !held.is_empty());
            let mut found = vec![7];
            hits(&a, offset, &mut found);
            prop_assert_eq!(&found[..1], &[7]);
            prop_assert_eq!(&found[1..], &held[..]);
        }
    }

    #[test]
    fn rows_of_one_mask_only_stay_as_they_are() {
        let mut mask = [1, 1, 0];
        and(&mut mask, &[0]);
        assert_eq!(mask, [0, 1, 0]);
        or(&mut mask, &[1, 0, 0, 1]);
        assert_eq!(mask, [1, 1, 0]);
    }
}
