//! Pig's values, one at a time: texts of them, casts, arithmetic, order and their order-preserving bytes.

pub mod arithmetic;
pub(crate) mod calendar;
pub mod cast;
pub mod encode;
mod function;
pub mod matcher;
pub mod order;
pub mod parse;
#[cfg(test)]
pub(crate) mod testing;
pub mod text;

pub use cast::cast;
pub use function::{CallContext, EvalFunc, FunctionError, Resolved, Warning, WarningKind};
pub use order::{compare, equal};
pub use parse::from_bytes;
pub use text::to_text;

use std::collections::BTreeMap;

use bigdecimal::BigDecimal;
use bigdecimal::num_bigint::BigInt;

/// A value with its type at run time.
#[derive(Debug, Clone)]
#[expect(missing_docs, reason = "Pig's names")]
pub enum Value {
    Null,
    Boolean(bool),
    Int(i32),
    Long(i64),
    Float(f32),
    Double(f64),
    Datetime(Datetime),
    Bytearray(Vec<u8>),
    Chararray(String),
    BigInteger(BigInt),
    BigDecimal(BigDecimal),
    Map(BTreeMap<String, Value>),
    Tuple(Vec<Value>),
    /// Each item is a tuple or null. The order means nothing, except behind a nested ORDER.
    Bag(Vec<Value>),
}

/// An instant, with the offset of the zone it is printed in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Datetime {
    /// Milliseconds since 1970-01-01T00:00:00Z.
    pub millis: i64,
    /// Minutes east of UTC.
    pub offset_minutes: i16,
}
