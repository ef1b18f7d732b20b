//! The order of floats as an order of integers.
//!
//! The order index of a float is an integer that compares as DataFusion compares the float: both zeros have index 0,
//! positive values their bits, negative values the negated bits of their magnitude; NaNs lie beyond the infinities by
//! their bits. Indices are dense: neighbours in the order differ by one, so a boundary can be found by bisection.

/// The index of a double.
pub(crate) fn index64(value: f64) -> i64 {
    let bits = value.to_bits();
    let magnitude = (bits & !SIGN64) as i64;
    if bits & SIGN64 == 0 { magnitude } else { -magnitude }
}

/// The double with an index; index 0 is `0.0`, and `i64::MIN`, which no float has, is taken for its neighbour.
pub(crate) fn from_index64(index: i64) -> f64 {
    let magnitude = index.unsigned_abs().min(i64::MAX as u64);
    f64::from_bits(if index < 0 { magnitude | SIGN64 } else { magnitude })
}

/// The index of a single.
pub(crate) fn index32(value: f32) -> i32 {
    let bits = value.to_bits();
    let magnitude = (bits & !SIGN32) as i32;
    if bits & SIGN32 == 0 { magnitude } else { -magnitude }
}

/// The single with an index; see [`from_index64`].
pub(crate) fn from_index32(index: i32) -> f32 {
    let magnitude = index.unsigned_abs().min(i32::MAX as u32);
    f32::from_bits(if index < 0 { magnitude | SIGN32 } else { magnitude })
}

/// Bits whose unsigned order is that of IEEE 754's total order (in which `-0.0` is below `0.0`).
pub(crate) fn flip64(bits: u64) -> u64 {
    if bits & SIGN64 == 0 { bits | SIGN64 } else { !bits }
}

/// The inverse of [`flip64`].
pub(crate) fn unflip64(flipped: u64) -> u64 {
    if flipped & SIGN64 == 0 { !flipped } else { flipped & !SIGN64 }
}

/// Bits whose unsigned order is that of IEEE 754's total order.
pub(crate) fn flip32(bits: u32) -> u32 {
    if bits & SIGN32 == 0 { bits | SIGN32 } else { !bits }
}

/// The inverse of [`flip32`].
pub(crate) fn unflip32(flipped: u32) -> u32 {
    if flipped & SIGN32 == 0 { !flipped } else { flipped & !SIGN32 }
}

const SIGN64: u64 = 1 << 63;
const SIGN32: u32 = 1 << 31;

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_index_orders_as_total_cmp_with_one_zero(a in any::<u64>(), b in any::<u64>()) {
            let (a, b) = (f64::from_bits(a), f64::from_bits(b));
            let plus = |v: f64| if v == 0.0 { 0.0 } else { v };
            prop_assert_eq!(index64(a).cmp(&index64(b)), plus(a).total_cmp(&plus(b)));
            prop_assert_eq!(from_index64(index64(a)).to_bits(), plus(a).to_bits());
            prop_assert_eq!(flip64(a.to_bits()).cmp(&flip64(b.to_bits())), a.total_cmp(&b));
            prop_assert_eq!(unflip64(flip64(a.to_bits())), a.to_bits());
        }

        #[test]
        fn singles_too(a in any::<u32>(), b in any::<u32>()) {
            let (a, b) = (f32::from_bits(a), f32::from_bits(b));
            let plus = |v: f32| if v == 0.0 { 0.0 } else { v };
            prop_assert_eq!(index32(a).cmp(&index32(b)), plus(a).total_cmp(&plus(b)));
            prop_assert_eq!(from_index32(index32(a)).to_bits(), plus(a).to_bits());
            prop_assert_eq!(flip32(a.to_bits()).cmp(&flip32(b.to_bits())), a.total_cmp(&b));
            prop_assert_eq!(unflip32(flip32(a.to_bits())), a.to_bits());
        }
    }

    #[test]
    fn the_ends_and_the_middle() {
        assert_eq!(index64(-0.0), index64(0.0));
        assert_eq!(from_index64(i64::MIN).to_bits(), u64::MAX);
        assert_eq!(from_index32(i32::MIN).to_bits(), u32::MAX);
        assert_eq!(index64(f64::INFINITY) + 1, index64(f64::from_bits(0x7ff0_0000_0000_0001)));
    }
}
