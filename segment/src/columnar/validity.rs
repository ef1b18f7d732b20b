//! Which rows have a value: a bit a row, the least significant of a byte first.

/// Whether the bit of a row is set; not past the end.
#[inline]
pub(super) fn is_set(bits: &[u8], row: usize) -> bool {
    bits.get(row / 8).is_some_and(|byte| byte >> (row % 8) & 1 == 1)
}

/// Sets `mask` to the bits from row `start` on, a byte each.
pub(super) fn expand(bits: &[u8], start: usize, mask: &mut [u8]) {
    for (row, held) in (start..).zip(mask) {
        *held = u8::from(is_set(bits, row));
    }
}

/// Makes 0 of those of `mask` whose bit is not set, the first being that of row `start`.
pub(super) fn and(bits: &[u8], start: usize, mask: &mut [u8]) {
    for (row, held) in (start..).zip(mask) {
        *held &= u8::from(is_set(bits, row));
    }
}
