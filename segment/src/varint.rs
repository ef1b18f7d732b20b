//! Variable-width integers: seven bits a byte, least significant first, the high bit says that more follow.
//!
//! A `u64` takes one to ten bytes. Signed numbers are folded ("zigzag") so that small ones of either sign stay short.

/// Appends `value` to `out`.
pub(crate) fn put(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        // The mask leaves seven bits, so the cast keeps them all.
        out.push((value & 0x7F) as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Appends the length of a byte string and its bytes to `out`.
pub(crate) fn put_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    put(out, bytes.len() as u64);
    out.extend_from_slice(bytes);
}

/// Appends a signed number to `out`.
pub(crate) fn put_signed(out: &mut Vec<u8>, value: i64) {
    put(out, ((value << 1) ^ (value >> 63)) as u64);
}

/// Why a number could not be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BadVarint {
    /// The bytes ended first.
    Truncated,
    /// More than 64 bits, or more bytes than the number needs to be told from another one.
    TooLong,
}

/// Reads a number from the front of `bytes`; gives it and how many bytes it took.
#[inline]
pub(crate) fn get(bytes: &[u8]) -> Result<(u64, usize), BadVarint> {
    // Lengths below 128 are nearly all there is.
    match bytes.first() {
        Some(&byte) if byte < 0x80 => Ok((u64::from(byte), 1)),
        Some(_) => get_long(bytes),
        None => Err(BadVarint::Truncated),
    }
}

fn get_long(bytes: &[u8]) -> Result<(u64, usize), BadVarint> {
    let mut value = 0u64;
    for (index, &byte) in bytes.iter().take(10).enumerate() {
        let bits = u64::from(byte & 0x7F);
        // The tenth byte has room for one bit.
        if index == 9 && bits > 1 {
            return Err(BadVarint::TooLong);
        }
        value |= bits << (7 * index);
        if byte & 0x80 == 0 {
            return Ok((value, index + 1));
        }
    }
    if bytes.len() < 10 { Err(BadVarint::Truncated) } else { Err(BadVarint::TooLong) }
}

/// Turns a folded number back into a signed one.
pub(crate) fn unfold(value: u64) -> i64 {
    ((value >> 1) as i64) ^ -((value & 1) as i64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_number_comes_back(value: u64, tail: Vec<u8>) {
            let mut bytes = Vec::new();
            put(&mut bytes, value);
            let written = bytes.len();
            bytes.extend_from_slice(&tail);
            prop_assert_eq!(get(&bytes), Ok((value, written)));
        }

        #[test]
        fn every_signed_number_comes_back(value: i64) {
            let mut bytes = Vec::new();
            put_signed(&mut bytes, value);
            let (folded, _) = get(&bytes).unwrap();
            prop_assert_eq!(unfold(folded), value);
        }

        #[test]
        fn any_bytes_are_read_or_refused(bytes: Vec<u8>) {
            if let Ok((_, width)) = get(&bytes) {
                prop_assert!(width <= bytes.len() && width <= 10);
            }
        }
    }

    #[test]
    fn ends_and_overlong_numbers_are_told_apart() {
        assert_eq!(get(&[]), Err(BadVarint::Truncated));
        assert_eq!(get(&[0x80, 0x80]), Err(BadVarint::Truncated));
        assert_eq!(get(&[0xFF; 11]), Err(BadVarint::TooLong));
        assert_eq!(get(&[0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01]), Ok((u64::MAX, 10)));
        assert_eq!(
            get(&[0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x02]),
            Err(BadVarint::TooLong)
        );
    }
}
