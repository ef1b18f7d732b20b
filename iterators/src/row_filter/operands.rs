//! Operands at run time: from a row to one [`Slot`] per operand.
//!
//! An operand is looked up, checked and, where it is not stored so already, brought into its *native*
//! (order-preserving) form once per row. All tests of the program then work on native bytes, whatever the
//! column's encoding is. Nothing is allocated per row: transcoded bytes go to a scratch buffer that is kept.

use ostracon_compare::{BadValue, Encoding, KeyLexicoder, PrimitiveType, ScalarRef, decode, encode};
use ostracon_data::RowBuffer;

use super::{Operand, OperandSource};
use crate::{Error, Result};

/// An operand's value in one row: NULL or native bytes.
#[derive(Debug, Clone, Copy)]
pub(super) enum Slot<'a> {
    /// No value.
    Null,
    /// Native bytes in the row itself.
    Bytes(&'a [u8]),
    /// Text in the row itself, known to be UTF-8.
    Text(&'a str),
    /// Native bytes in the scratch buffer, from `start` to `end`.
    Scratch { start: usize, end: usize },
}

impl<'a> Slot<'a> {
    /// The native bytes; `None` for NULL.
    pub(super) fn bytes(self, scratch: &'a [u8]) -> Option<&'a [u8]> {
        match self {
            Slot::Null => None,
            Slot::Bytes(bytes) => Some(bytes),
            Slot::Text(text) => Some(text.as_bytes()),
            Slot::Scratch { start, end } => scratch.get(start..end),
        }
    }

    /// The value as text; `None` for NULL. Only for text operands, whose bytes were checked.
    pub(super) fn text(self, scratch: &'a [u8]) -> Option<&'a str> {
        match self {
            Slot::Text(text) => Some(text),
            other => std::str::from_utf8(other.bytes(scratch)?).ok(),
        }
    }
}

/// Gives the storage of a finished row's slots to the next row: the vector is emptied, its memory is kept (the
/// standard library collects in place, since both element types are one but for the lifetime).
pub(super) fn recycle<'new>(mut slots: Vec<Slot<'_>>) -> Vec<Slot<'new>> {
    slots.clear();
    slots.into_iter().map(|_| Slot::Null).collect()
}

/// Buffers that are kept from row to row.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    /// Native bytes of the operands of one row that are not stored so.
    pub(super) native: Vec<u8>,
    /// One part of a row id while it is read.
    part: Vec<u8>,
}

/// An [`Operand`] made ready to be looked up.
#[derive(Debug, Clone)]
pub(super) struct BoundOperand {
    name: String,
    source: Source,
    ty: PrimitiveType,
    encoding: Encoding,
    null_sequence: Option<Vec<u8>>,
}

#[derive(Debug, Clone)]
enum Source {
    Row,
    RowPart { lexicoder: KeyLexicoder, index: usize },
    RowField { delimiter: Vec<u8>, index: usize },
    Cell { family: Vec<u8>, qualifier: Vec<u8> },
}

impl BoundOperand {
    /// Checks an operand's description.
    pub(super) fn bind(operand: &Operand) -> Result<Self> {
        let refuse = |reason: String| Error::InvalidFilter(format!("operand \"{}\": {reason}", operand.name));
        let source = match &operand.source {
            OperandSource::Row => Source::Row,
            OperandSource::RowPart { parts, index } => {
                let part = parts.get(*index).ok_or_else(|| {
                    refuse(format!("part {index} of a row id that has {} parts", parts.len()))
                })?;
                if part.ty != operand.ty || operand.encoding != Encoding::Native {
                    return Err(refuse(format!(
                        "is {} in {:?} encoding, but part {index} of the row id is {} in Native encoding",
                        operand.ty, operand.encoding, part.ty
                    )));
                }
                Source::RowPart { lexicoder: KeyLexicoder::new(parts.clone()), index: *index }
            }
            OperandSource::RowField { delimiter, index } => {
                if delimiter.is_empty() {
                    return Err(refuse("the delimiter of the row id's fields is empty".to_owned()));
                }
                Source::RowField { delimiter: delimiter.clone(), index: *index }
            }
            OperandSource::Cell { family, qualifier } => {
                Source::Cell { family: family.clone(), qualifier: qualifier.clone() }
            }
        };
        Ok(Self {
            name: operand.name.clone(),
            source,
            ty: operand.ty,
            encoding: operand.encoding,
            null_sequence: operand.null_sequence.clone(),
        })
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    pub(super) fn ty(&self) -> PrimitiveType {
        self.ty
    }

    /// The operand's value in `row`; an error if its bytes are not a value of the type. `hint` is the operand's own
    /// memory of where its cell was in the row before; it changes the speed and not the answer.
    pub(super) fn resolve<'a>(
        &self,
        row: &'a RowBuffer,
        hint: &mut usize,
        scratch: &mut Scratch,
    ) -> Result<Slot<'a>, BadValue> {
        match &self.source {
            Source::Cell { family, qualifier } => match row.position_near(*hint, family, qualifier) {
                Some(position) => {
                    *hint = position;
                    self.resolve_stored(row.cell(position).value, scratch)
                }
                None => Ok(Slot::Null),
            },
            Source::Row | Source::RowField { .. } | Source::RowPart { .. } => {
                self.resolve_bytes(row.row(), scratch)
            }
        }
    }

    /// The operand's value in the bytes it is read from: its cell's value or, if it is of the row id, the whole of that.
    pub(super) fn resolve_bytes<'a>(
        &self,
        bytes: &'a [u8],
        scratch: &mut Scratch,
    ) -> Result<Slot<'a>, BadValue> {
        match &self.source {
            Source::Row | Source::Cell { .. } => self.resolve_stored(bytes, scratch),
            Source::RowField { delimiter, index } => match field(bytes, delimiter, *index) {
                Some(field) => self.resolve_stored(field, scratch),
                None => Ok(Slot::Null),
            },
            Source::RowPart { lexicoder, index } => {
                let value = lexicoder.decode_part_ref(bytes, *index, &mut scratch.part)?;
                self.transcode(value, &mut scratch.native)
            }
        }
    }

    /// The value, or NULL, that stored bytes are in the operand's encoding.
    fn resolve_stored<'a>(&self, stored: &'a [u8], scratch: &mut Scratch) -> Result<Slot<'a>, BadValue> {
        if self.null_sequence.as_deref() == Some(stored) {
            return Ok(Slot::Null);
        }
        match decode(self.ty, self.encoding, stored)? {
            ScalarRef::Utf8(text) => Ok(Slot::Text(text)),
            ScalarRef::Binary(bytes) => Ok(Slot::Bytes(bytes)),
            _ if self.encoding == Encoding::Native => Ok(Slot::Bytes(stored)),
            value => self.transcode(value, &mut scratch.native),
        }
    }

    fn transcode<'a>(&self, value: ScalarRef<'_>, native: &mut Vec<u8>) -> Result<Slot<'a>, BadValue> {
        let start = native.len();
        encode(self.ty, Encoding::Native, value, native)?;
        Ok(Slot::Scratch { start, end: native.len() })
    }
}

/// What lies before the first delimiter (index 0), between two of them, or after the last.
fn field<'a>(row: &'a [u8], delimiter: &[u8], index: usize) -> Option<&'a [u8]> {
    let mut rest = row;
    for _ in 0..index {
        let at = find(rest, delimiter)?;
        rest = rest.get(at + delimiter.len()..)?;
    }
    match find(rest, delimiter) {
        Some(end) => rest.get(..end),
        None => Some(rest),
    }
}

fn find(bytes: &[u8], delimiter: &[u8]) -> Option<usize> {
    match delimiter {
        [single] => bytes.iter().position(|byte| byte == single),
        _ => bytes.windows(delimiter.len()).position(|window| window == delimiter),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_split_from_left_to_right() {
        let fields = |row: &'static [u8], delimiter: &[u8]| -> Vec<Option<&'static [u8]>> {
            (0..4).map(|index| field(row, delimiter, index)).collect()
        };
        assert_eq!(fields(b"a$b$c", b"$"), [Some(&b"a"[..]), Some(b"b"), Some(b"c"), None]);
        assert_eq!(fields(b"", b"$"), [Some(&b""[..]), None, None, None]);
        assert_eq!(fields(b"$$", b"$"), [Some(&b""[..]), Some(b""), Some(b""), None]);
        assert_eq!(fields(b"a:::b", b"::"), [Some(&b"a"[..]), Some(b":b"), None, None]);
        assert_eq!(fields(b"ab", b"abc"), [Some(&b"ab"[..]), None, None, None]);
    }

    #[test]
    fn recycling_keeps_the_memory() {
        let mut slots: Vec<Slot<'_>> = Vec::with_capacity(100);
        slots.push(Slot::Bytes(b"x"));
        let address = slots.as_ptr() as usize;
        let again: Vec<Slot<'static>> = recycle(slots);
        assert!(again.is_empty());
        assert_eq!((again.capacity(), again.as_ptr() as usize), (100, address));
    }
}
