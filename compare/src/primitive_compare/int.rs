//! Integers and temporal values: a width check, one load, one comparison.

use std::cmp::Ordering;

use super::{PrimitiveCompare, bad};
use crate::{BadValue, Encoding, PrimitiveType};

/// Signed values of `WIDTH` bytes.
#[derive(Debug)]
struct SignedCompare<const WIDTH: usize> {
    ty: PrimitiveType,
    encoding: Encoding,
    /// Turns the stored sign bit into that of two's complement.
    sign: u8,
    constant: i64,
}

pub(super) fn signed(ty: PrimitiveType, encoding: Encoding, constant: i64) -> Box<dyn PrimitiveCompare> {
    let sign = if encoding == Encoding::Native { 0x80 } else { 0 };
    match ty.width() {
        Some(1) => Box::new(SignedCompare::<1> { ty, encoding, sign, constant }),
        Some(2) => Box::new(SignedCompare::<2> { ty, encoding, sign, constant }),
        Some(4) => Box::new(SignedCompare::<4> { ty, encoding, sign, constant }),
        _ => Box::new(SignedCompare::<8> { ty, encoding, sign, constant }),
    }
}

impl<const WIDTH: usize> PrimitiveCompare for SignedCompare<WIDTH> {
    fn value_type(&self) -> PrimitiveType {
        self.ty
    }

    fn compare(&self, cell: &[u8]) -> Result<Ordering, BadValue> {
        let Ok(mut bytes) = <[u8; WIDTH]>::try_from(cell) else {
            return Err(bad(self.ty, self.encoding, cell));
        };
        if let Some(first) = bytes.first_mut() {
            *first ^= self.sign;
        }
        // Widened by moving the value to the top of 64 bits and shifting it down with its sign.
        let mut wide = [0; 8];
        wide.iter_mut().zip(bytes).for_each(|(to, from)| *to = from);
        let value = i64::from_be_bytes(wide) >> (64 - 8 * WIDTH);
        Ok(value.cmp(&self.constant))
    }
}

/// Unsigned values of `WIDTH` bytes; binary and native are the same.
#[derive(Debug)]
struct UnsignedCompare<const WIDTH: usize> {
    ty: PrimitiveType,
    encoding: Encoding,
    constant: u64,
}

pub(super) fn unsigned(ty: PrimitiveType, encoding: Encoding, constant: u64) -> Box<dyn PrimitiveCompare> {
    match ty.width() {
        Some(1) => Box::new(UnsignedCompare::<1> { ty, encoding, constant }),
        Some(2) => Box::new(UnsignedCompare::<2> { ty, encoding, constant }),
        Some(4) => Box::new(UnsignedCompare::<4> { ty, encoding, constant }),
        _ => Box::new(UnsignedCompare::<8> { ty, encoding, constant }),
    }
}

impl<const WIDTH: usize> PrimitiveCompare for UnsignedCompare<WIDTH> {
    fn value_type(&self) -> PrimitiveType {
        self.ty
    }

    fn compare(&self, cell: &[u8]) -> Result<Ordering, BadValue> {
        let Ok(bytes) = <[u8; WIDTH]>::try_from(cell) else { return Err(bad(self.ty, self.encoding, cell)) };
        let mut wide = [0; 8];
        wide.iter_mut().zip(bytes).for_each(|(to, from)| *to = from);
        let value = u64::from_be_bytes(wide) >> (64 - 8 * WIDTH);
        Ok(value.cmp(&self.constant))
    }
}
