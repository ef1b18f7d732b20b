//! Text and bytes: their bytes as they are, in every encoding.

use std::cmp::Ordering;

use super::{PrimitiveCompare, bad};
use crate::{BadValue, Encoding, PrimitiveType};

#[derive(Debug)]
struct TextCompare {
    encoding: Encoding,
    constant: Vec<u8>,
}

pub(super) fn text(constant: &str, encoding: Encoding) -> Box<dyn PrimitiveCompare> {
    Box::new(TextCompare { encoding, constant: constant.as_bytes().to_vec() })
}

impl PrimitiveCompare for TextCompare {
    fn value_type(&self) -> PrimitiveType {
        PrimitiveType::Utf8
    }

    fn compare(&self, cell: &[u8]) -> Result<Ordering, BadValue> {
        // Equal bytes are valid because the constant is; others must be looked at.
        if cell == self.constant {
            return Ok(Ordering::Equal);
        }
        if std::str::from_utf8(cell).is_err() {
            return Err(bad(PrimitiveType::Utf8, self.encoding, cell));
        }
        Ok(cell.cmp(&self.constant))
    }
}

#[derive(Debug)]
struct BinaryCompare {
    constant: Vec<u8>,
}

pub(super) fn raw(constant: &[u8]) -> Box<dyn PrimitiveCompare> {
    Box::new(BinaryCompare { constant: constant.to_vec() })
}

impl PrimitiveCompare for BinaryCompare {
    fn value_type(&self) -> PrimitiveType {
        PrimitiveType::Binary
    }

    fn compare(&self, cell: &[u8]) -> Result<Ordering, BadValue> {
        Ok(cell.cmp(&self.constant))
    }
}
