//! Why bytes are not a value.
//!
//! [`BadValue`] is this crate's error: stored bytes that do not decode, or a value that does not fit its type. It names
//! neither row nor column; whoever knows them adds them.

use std::borrow::Cow;

use crate::{Encoding, PrimitiveType, ScalarRef};

/// Bytes that are not a value of the wanted type, or a value that cannot be written as it.
///
/// ```
/// use ostracon_compare::{Encoding, PrimitiveType, decode};
///
/// let error = decode(PrimitiveType::Int8, Encoding::String, b"300").unwrap_err();
/// assert_eq!(error.to_string(), "\"300\" is not a value of Int8 as string: the number is out of range");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{bytes_excerpt} is not a value of {wanted}: {reason}")]
pub struct BadValue {
    /// The type that was wanted, with its encoding.
    pub wanted: String,
    /// What is wrong.
    pub reason: String,
    /// The start of the offending bytes: printable text in double quotes, anything else as `X'hex'`.
    pub bytes_excerpt: String,
}

/// How many bytes of a bad value are shown.
const EXCERPT: usize = 32;

/// A reason before its bytes are known.
pub(crate) type Reason = Cow<'static, str>;

impl BadValue {
    pub(crate) fn of_bytes(ty: PrimitiveType, encoding: Encoding, bytes: &[u8], reason: Reason) -> Self {
        Self {
            wanted: format!("{ty} as {encoding}"),
            reason: reason.into_owned(),
            bytes_excerpt: excerpt(bytes),
        }
    }

    pub(crate) fn of_value(
        ty: PrimitiveType,
        encoding: Encoding,
        value: ScalarRef<'_>,
        reason: Reason,
    ) -> Self {
        Self {
            wanted: format!("{ty} as {encoding}"),
            reason: reason.into_owned(),
            bytes_excerpt: format!("{value:?}"),
        }
    }

    pub(crate) fn of_key(wanted: String, key: &[u8], reason: Reason) -> Self {
        Self { wanted, reason: reason.into_owned(), bytes_excerpt: excerpt(key) }
    }
}

fn excerpt(bytes: &[u8]) -> String {
    let shown = bytes.get(..EXCERPT).unwrap_or(bytes);
    let tail = if bytes.len() > shown.len() { format!("... ({} bytes)", bytes.len()) } else { String::new() };
    match std::str::from_utf8(shown) {
        Ok(text) if !text.chars().any(char::is_control) => format!("\"{text}\"{tail}"),
        _ => {
            let hex: String = shown.iter().map(|byte| format!("{byte:02x}")).collect();
            format!("X'{hex}'{tail}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn excerpts_are_short_and_printable() {
        assert_eq!(excerpt(b""), "\"\"");
        assert_eq!(excerpt("né".as_bytes()), "\"né\"");
        assert_eq!(excerpt(b"a\n"), "X'610a'");
        assert_eq!(excerpt(&[0xff]), "X'ff'");
        assert_eq!(excerpt(&[b'x'; 40]), format!("\"{}\"... (40 bytes)", "x".repeat(32)));
    }
}
