//! Numbers and times written as text: decoded, then compared.

use std::cmp::Ordering;

use super::{PrimitiveCompare, bad};
use crate::{BadValue, Encoding, PrimitiveType, Scalar, decode};

#[derive(Debug)]
struct DecodedCompare {
    ty: PrimitiveType,
    encoding: Encoding,
    constant: Scalar,
}

pub(super) fn of(ty: PrimitiveType, encoding: Encoding, constant: &Scalar) -> Box<dyn PrimitiveCompare> {
    Box::new(DecodedCompare { ty, encoding, constant: constant.clone() })
}

impl PrimitiveCompare for DecodedCompare {
    fn value_type(&self) -> PrimitiveType {
        self.ty
    }

    fn compare(&self, cell: &[u8]) -> Result<Ordering, BadValue> {
        let value = decode(self.ty, self.encoding, cell)?;
        value.compare(&self.constant.as_ref()).ok_or_else(|| bad(self.ty, self.encoding, cell))
    }
}
