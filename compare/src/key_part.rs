//! The bytes of one part of a key.
//!
//! A fixed-width part is its native encoding. A part of varying width, unless it is the last one and ascending (and so ends
//! with the row), is escaped and terminated, so that a shorter value sorts before its continuations whatever follows:
//!
//! ```text
//! 00      -> 00 FF
//! the end -> 00 01
//! ```
//!
//! A descending part has all of its bytes complemented, the terminator included.

use crate::bad_value::Reason;
use crate::{Encoding, PrimitiveType, ScalarRef, decode};

/// How a part is laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Layout {
    /// So many bytes.
    Fixed(usize),
    /// Escaped and terminated.
    Terminated,
    /// The rest of the row.
    Raw,
}

impl Layout {
    pub(crate) fn of(ty: PrimitiveType, descending: bool, last: bool) -> Self {
        match ty.width() {
            Some(width) => Self::Fixed(width),
            None if last && !descending => Self::Raw,
            None => Self::Terminated,
        }
    }
}

/// The byte that `byte` stands for in a part, or is written as: complementing undoes itself.
fn turned(byte: u8, descending: bool) -> u8 {
    if descending { !byte } else { byte }
}

/// Complements what was written from `start` on, if the part is descending.
pub(crate) fn turn(out: &mut [u8], start: usize, descending: bool) {
    if descending {
        out.iter_mut().skip(start).for_each(|byte| *byte = !*byte);
    }
}

/// Appends the escaped form of `content` without its terminator.
pub(crate) fn write_escaped(content: &[u8], out: &mut Vec<u8>) {
    for byte in content {
        out.push(*byte);
        if *byte == 0 {
            out.push(0xff);
        }
    }
}

/// Ends an escaped part.
pub(crate) fn write_terminator(out: &mut Vec<u8>) {
    out.extend_from_slice(&[0, 1]);
}

/// The length of the part at the start of `rest`, its terminator included.
pub(crate) fn length(layout: Layout, descending: bool, rest: &[u8]) -> Result<usize, Reason> {
    match layout {
        Layout::Raw => Ok(rest.len()),
        Layout::Fixed(width) if rest.len() >= width => Ok(width),
        Layout::Fixed(width) => {
            Err(format!("the part needs {width} bytes, the row has {} left", rest.len()).into())
        }
        Layout::Terminated => {
            let mut at = 0;
            while let Some(found) =
                rest.get(at..).and_then(|tail| tail.iter().position(|byte| turned(*byte, descending) == 0))
            {
                match rest.get(at + found + 1).map(|byte| turned(*byte, descending)) {
                    Some(0xff) => at += found + 2,
                    Some(0x01) => return Ok(at + found + 2),
                    _ => return Err("a zero byte is neither escaped nor a terminator".into()),
                }
            }
            Err("the part has no terminator".into())
        }
    }
}

/// The value of a part's bytes, as [`length`] delimits them. `scratch` holds bytes that are not there in plain form.
pub(crate) fn value<'a>(
    ty: PrimitiveType,
    layout: Layout,
    descending: bool,
    part: &'a [u8],
    scratch: &'a mut Vec<u8>,
) -> Result<ScalarRef<'a>, Reason> {
    let content = match layout {
        Layout::Terminated => part.get(..part.len().saturating_sub(2)).unwrap_or_default(),
        Layout::Fixed(_) | Layout::Raw => part,
    };
    let escaped = layout == Layout::Terminated && content.iter().any(|byte| turned(*byte, descending) == 0);
    let plain = if escaped || descending {
        scratch.clear();
        let mut bytes = content.iter().map(|byte| turned(*byte, descending));
        while let Some(byte) = bytes.next() {
            scratch.push(byte);
            if escaped && byte == 0 {
                // The escape, as `length` has checked.
                bytes.next();
            }
        }
        scratch.as_slice()
    } else {
        content
    };
    let value = decode(ty, Encoding::Native, plain).map_err(|error| Reason::Owned(error.reason))?;
    if canonical(value) == value {
        Ok(value)
    } else {
        Err("the float is not in the one form that keys have".into())
    }
}

/// The value as a key holds it: one zero, one NaN.
pub(crate) fn canonical(value: ScalarRef<'_>) -> ScalarRef<'_> {
    match value {
        ScalarRef::Float32(float) if float.is_nan() => ScalarRef::Float32(f32::from_bits(0x7fc0_0000)),
        ScalarRef::Float64(float) if float.is_nan() => {
            ScalarRef::Float64(f64::from_bits(0x7ff8_0000_0000_0000))
        }
        other => one_zero(other),
    }
}

/// The value with `0.0` for `-0.0`, NaNs as they are.
pub(crate) fn one_zero(value: ScalarRef<'_>) -> ScalarRef<'_> {
    match value {
        ScalarRef::Float32(float) => ScalarRef::Float32(if float == 0.0 { 0.0 } else { float }),
        ScalarRef::Float64(float) => ScalarRef::Float64(if float == 0.0 { 0.0 } else { float }),
        other => other,
    }
}
