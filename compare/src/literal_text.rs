//! Values as SQL literals, for plans and messages.
//!
//! [`LiteralText`] shows a value of a known type: a date as a date, a decimal with its point, text in quotes. It is for
//! reading; nothing parses it back.

use std::fmt;

use crate::{Encoding, PrimitiveType, Scalar, ScalarRef, encode};

/// Shows a value as a SQL literal of its type.
///
/// ```
/// use ostracon_compare::{LiteralText, PrimitiveType, Scalar};
///
/// let show = |ty, value: &Scalar| LiteralText::new(ty, value).to_string();
/// assert_eq!(show(PrimitiveType::Utf8, &Scalar::Utf8("it's".into())), "'it''s'");
/// assert_eq!(show(PrimitiveType::Date32, &Scalar::Int(18_262)), "'2020-01-01'");
/// assert_eq!(show(PrimitiveType::Decimal128 { precision: 5, scale: 2 }, &Scalar::Decimal128(150)), "1.50");
/// assert_eq!(show(PrimitiveType::Binary, &Scalar::Binary(vec![0xab])), "X'ab'");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct LiteralText<'a> {
    ty: PrimitiveType,
    value: ScalarRef<'a>,
}

impl<'a> LiteralText<'a> {
    /// A value to show as one of the type.
    pub fn new(ty: PrimitiveType, value: &'a Scalar) -> Self {
        Self { ty, value: value.as_ref() }
    }

    /// The same for a borrowed value.
    pub fn of_ref(ty: PrimitiveType, value: ScalarRef<'a>) -> Self {
        Self { ty, value }
    }
}

impl fmt::Display for LiteralText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.value {
            ScalarRef::Utf8(text) => return write!(f, "'{}'", text.replace('\'', "''")),
            ScalarRef::Binary(bytes) => {
                f.write_str("X'")?;
                bytes.iter().try_for_each(|byte| write!(f, "{byte:02x}"))?;
                return f.write_str("'");
            }
            _ => {}
        }
        let mut text = Vec::new();
        if encode(self.ty, Encoding::String, self.value, &mut text).is_err() {
            // A value that its type cannot hold is shown all the same: this is for messages.
            return write!(f, "{:?}", self.value);
        }
        let text = String::from_utf8_lossy(&text);
        let quoted = matches!(
            self.ty,
            PrimitiveType::Date32
                | PrimitiveType::Date64
                | PrimitiveType::Time32(_)
                | PrimitiveType::Time64(_)
                | PrimitiveType::Timestamp(_)
        );
        if quoted { write!(f, "'{text}'") } else { f.write_str(&text) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow::datatypes::TimeUnit;

    #[test]
    fn every_kind_is_readable() {
        let show = |ty, value| LiteralText::of_ref(ty, value).to_string();
        assert_eq!(show(PrimitiveType::Int8, ScalarRef::Int(-5)), "-5");
        assert_eq!(show(PrimitiveType::Float64, ScalarRef::Float64(-0.0)), "-0.0");
        assert_eq!(show(PrimitiveType::Boolean, ScalarRef::Boolean(true)), "true");
        assert_eq!(
            show(PrimitiveType::Timestamp(TimeUnit::Second), ScalarRef::Int(1)),
            "'1970-01-01T00:00:01'"
        );
        assert_eq!(show(PrimitiveType::Int8, ScalarRef::Int(500)), "Int(500)");
    }
}
