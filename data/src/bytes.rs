//! Comparing byte strings of which many are empty: labels, the family of a typed table's columns.
//!
//! An empty `Vec` or slice literal points to no memory. `memcmp` of a common C library loads a masked vector from there
//! even for a length of zero, and some processors take hundreds of cycles to find that nothing was wanted. These
//! functions do not ask it about empty strings.

use std::cmp::Ordering;

/// Whether two byte strings are equal.
#[inline]
pub fn same_bytes(a: &[u8], b: &[u8]) -> bool {
    a.len() == b.len() && (a.is_empty() || a == b)
}

/// The order of two byte strings.
#[inline]
pub fn compare_bytes(a: &[u8], b: &[u8]) -> Ordering {
    if a.is_empty() || b.is_empty() { a.len().cmp(&b.len()) } else { a.cmp(b) }
}

/// The order of two columns, each a family and a qualifier.
#[inline]
pub fn compare_columns(a: (&[u8], &[u8]), b: (&[u8], &[u8])) -> Ordering {
    compare_bytes(a.0, b.0).then_with(|| compare_bytes(a.1, b.1))
}

/// Whether two columns, each a family and a qualifier, are the same.
#[inline]
pub fn same_columns(a: (&[u8], &[u8]), b: (&[u8], &[u8])) -> bool {
    same_bytes(a.0, b.0) && same_bytes(a.1, b.1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_slices() {
        let strings: [&[u8]; 5] = [b"", b"\0", b"a", b"ab", b"b"];
        for a in strings {
            for b in strings {
                assert_eq!(same_bytes(a, b), a == b);
                assert_eq!(compare_bytes(a, b), a.cmp(b));
                for c in strings {
                    assert_eq!(compare_columns((a, b), (c, b)), (a, b).cmp(&(c, b)));
                    assert_eq!(compare_columns((a, b), (a, c)), (a, b).cmp(&(a, c)));
                    assert_eq!(same_columns((a, b), (c, b)), a == c);
                    assert_eq!(same_columns((a, b), (a, c)), b == c);
                }
            }
        }
    }
}
