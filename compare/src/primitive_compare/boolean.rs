//! Booleans: one byte, 0 or 1.

use std::cmp::Ordering;

use super::{PrimitiveCompare, bad};
use crate::{BadValue, Encoding, PrimitiveType};

#[derive(Debug)]
struct BooleanCompare {
    encoding: Encoding,
    constant: u8,
}

pub(super) fn of(encoding: Encoding, constant: bool) -> Box<dyn PrimitiveCompare> {
    Box::new(BooleanCompare { encoding, constant: constant.into() })
}

impl PrimitiveCompare for BooleanCompare {
    fn value_type(&self) -> PrimitiveType {
        PrimitiveType::Boolean
    }

    fn compare(&self, cell: &[u8]) -> Result<Ordering, BadValue> {
        match cell {
            [byte @ (0 | 1)] => Ok(byte.cmp(&self.constant)),
            _ => Err(bad(PrimitiveType::Boolean, self.encoding, cell)),
        }
    }
}
