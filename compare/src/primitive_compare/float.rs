//! Floats: by their order index, which has one zero and orders NaNs by their bits.

use std::cmp::Ordering;

use super::{PrimitiveCompare, bad};
use crate::float_order::{index32, index64, unflip32, unflip64};
use crate::{BadValue, Encoding, PrimitiveType};

#[derive(Debug)]
struct SingleCompare {
    encoding: Encoding,
    constant: i32,
}

pub(super) fn single(encoding: Encoding, constant: f32) -> Box<dyn PrimitiveCompare> {
    Box::new(SingleCompare { encoding, constant: index32(constant) })
}

impl PrimitiveCompare for SingleCompare {
    fn value_type(&self) -> PrimitiveType {
        PrimitiveType::Float32
    }

    fn compare(&self, cell: &[u8]) -> Result<Ordering, BadValue> {
        let Ok(bytes) = <[u8; 4]>::try_from(cell) else {
            return Err(bad(PrimitiveType::Float32, self.encoding, cell));
        };
        let stored = u32::from_be_bytes(bytes);
        let bits = if self.encoding == Encoding::Native { unflip32(stored) } else { stored };
        Ok(index32(f32::from_bits(bits)).cmp(&self.constant))
    }
}

#[derive(Debug)]
struct DoubleCompare {
    encoding: Encoding,
    constant: i64,
}

pub(super) fn double(encoding: Encoding, constant: f64) -> Box<dyn PrimitiveCompare> {
    Box::new(DoubleCompare { encoding, constant: index64(constant) })
}

impl PrimitiveCompare for DoubleCompare {
    fn value_type(&self) -> PrimitiveType {
        PrimitiveType::Float64
    }

    fn compare(&self, cell: &[u8]) -> Result<Ordering, BadValue> {
        let Ok(bytes) = <[u8; 8]>::try_from(cell) else {
            return Err(bad(PrimitiveType::Float64, self.encoding, cell));
        };
        let stored = u64::from_be_bytes(bytes);
        let bits = if self.encoding == Encoding::Native { unflip64(stored) } else { stored };
        Ok(index64(f64::from_bits(bits)).cmp(&self.constant))
    }
}
