use std::borrow::Cow;
use std::collections::BTreeMap;

use super::{big, tag};
use crate::value::{Datetime, Value};

/// Bytes that [`super::encode`] did not make.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DecodeError {
    /// The value does not end where the bytes do.
    #[error("an encoded value is cut off")]
    Truncated,
    /// Bytes follow the value.
    #[error("{0} bytes follow an encoded value")]
    Trailing(usize),
    /// No type has this tag.
    #[error("no type of values has the tag {0}")]
    UnknownTag(u8),
    /// The payload is not of the type.
    #[error("an encoded value has a malformed {0}")]
    Malformed(&'static str),
    /// Nested beyond what is read.
    #[error("an encoded value is nested deeper than {DEEPEST} levels")]
    TooDeep,
}

/// How deep values are nested at most: types of scripts are far from it, and bytes of others must not end the process.
pub(super) const DEEPEST: usize = 200;

/// The value of these bytes.
///
/// # Errors
/// If they are not those of one value.
pub fn decode(bytes: &[u8]) -> Result<Value, DecodeError> {
    let (value, rest) = decode_prefix(bytes)?;
    if rest.is_empty() { Ok(value) } else { Err(DecodeError::Trailing(rest.len())) }
}

/// The value at the beginning of bytes, and what follows it.
///
/// # Errors
/// If no value begins them.
pub fn decode_prefix(bytes: &[u8]) -> Result<(Value, &[u8]), DecodeError> {
    let mut input = Input { rest: bytes };
    let value = read(&mut input, DEEPEST)?;
    Ok((value, input.rest))
}

fn read(input: &mut Input<'_>, depth: usize) -> Result<Value, DecodeError> {
    let inner = depth.checked_sub(1).ok_or(DecodeError::TooDeep)?;
    Ok(match input.byte()? {
        tag::NULL => Value::Null,
        tag::BOOLEAN => match input.byte()? {
            0 => Value::Boolean(false),
            1 => Value::Boolean(true),
            _ => return Err(DecodeError::Malformed("boolean")),
        },
        tag::INT => Value::Int((u32::from_be_bytes(input.array()?) ^ (1 << 31)).cast_signed()),
        tag::LONG => Value::Long(input.long()?),
        tag::FLOAT => {
            let bits = u32::from_be_bytes(input.array()?);
            Value::Float(f32::from_bits(if bits >> 31 == 1 { bits ^ (1 << 31) } else { !bits }))
        }
        tag::DOUBLE => {
            let bits = u64::from_be_bytes(input.array()?);
            Value::Double(f64::from_bits(if bits >> 63 == 1 { bits ^ (1 << 63) } else { !bits }))
        }
        tag::DATETIME => {
            let millis = input.long()?;
            let offset_minutes = (u16::from_be_bytes(input.array()?) ^ (1 << 15)).cast_signed();
            Value::Datetime(Datetime { millis, offset_minutes })
        }
        tag::BYTEARRAY => Value::Bytearray(input.escaped()?.into_owned()),
        tag::CHARARRAY => Value::Chararray(input.text()?),
        tag::BIGINTEGER => Value::BigInteger(big::read_integer(input)?),
        tag::BIGDECIMAL => Value::BigDecimal(big::read_decimal(input)?),
        tag::MAP => {
            let mut entries = BTreeMap::new();
            for _ in 0..input.count()? {
                let key = input.text()?;
                entries.insert(key, read(input, inner)?);
            }
            Value::Map(entries)
        }
        tag::TUPLE => Value::Tuple(sequence(input, inner)?),
        tag::BAG => {
            let items = sequence(input, inner)?;
            if !items.iter().all(|item| matches!(item, Value::Null | Value::Tuple(_))) {
                return Err(DecodeError::Malformed("item of a bag"));
            }
            Value::Bag(items)
        }
        other => return Err(DecodeError::UnknownTag(other)),
    })
}

fn sequence(input: &mut Input<'_>, depth: usize) -> Result<Vec<Value>, DecodeError> {
    let count = input.count()?;
    // Each value has a byte or more, so a count beyond the bytes asks for no room.
    let mut values = Vec::with_capacity(count.min(input.rest.len()));
    for _ in 0..count {
        values.push(read(input, depth)?);
    }
    Ok(values)
}

/// Passes over one value.
pub(super) fn skip(input: &mut Input<'_>, depth: usize) -> Result<(), DecodeError> {
    let inner = depth.checked_sub(1).ok_or(DecodeError::TooDeep)?;
    match input.byte()? {
        tag::NULL => Ok(()),
        tag::BOOLEAN => input.take(1).map(|_| ()),
        tag::INT | tag::FLOAT => input.take(4).map(|_| ()),
        tag::LONG | tag::DOUBLE => input.take(8).map(|_| ()),
        tag::DATETIME => input.take(10).map(|_| ()),
        tag::BYTEARRAY | tag::CHARARRAY => input.raw_escaped().map(|_| ()),
        tag::BIGINTEGER => big::skip_integer(input),
        tag::BIGDECIMAL => big::skip_decimal(input),
        tag::MAP => {
            for _ in 0..input.count()? {
                input.raw_escaped()?;
                skip(input, inner)?;
            }
            Ok(())
        }
        tag::TUPLE | tag::BAG => {
            for _ in 0..input.count()? {
                skip(input, inner)?;
            }
            Ok(())
        }
        other => Err(DecodeError::UnknownTag(other)),
    }
}

/// Bytes that are read from their beginning.
pub(super) struct Input<'a> {
    pub(super) rest: &'a [u8],
}

impl<'a> Input<'a> {
    pub(super) fn take(&mut self, length: usize) -> Result<&'a [u8], DecodeError> {
        let (taken, rest) = self.rest.split_at_checked(length).ok_or(DecodeError::Truncated)?;
        self.rest = rest;
        Ok(taken)
    }

    pub(super) fn byte(&mut self) -> Result<u8, DecodeError> {
        let [byte] = self.array()?;
        Ok(byte)
    }

    pub(super) fn array<const N: usize>(&mut self) -> Result<[u8; N], DecodeError> {
        let (taken, rest) = self.rest.split_first_chunk().ok_or(DecodeError::Truncated)?;
        self.rest = rest;
        Ok(*taken)
    }

    pub(super) fn long(&mut self) -> Result<i64, DecodeError> {
        Ok((u64::from_be_bytes(self.array()?) ^ (1 << 63)).cast_signed())
    }

    pub(super) fn count(&mut self) -> Result<usize, DecodeError> {
        usize::try_from(u32::from_be_bytes(self.array()?)).map_err(|_| DecodeError::Truncated)
    }

    /// What stands before this byte, which is passed over.
    pub(super) fn until(&mut self, end: u8) -> Result<&'a [u8], DecodeError> {
        let length = self.rest.iter().position(|byte| *byte == end).ok_or(DecodeError::Truncated)?;
        let taken = self.take(length)?;
        self.take(1)?;
        Ok(taken)
    }

    /// A text as it is stored, without its end.
    pub(super) fn raw_escaped(&mut self) -> Result<&'a [u8], DecodeError> {
        let mut at = 0;
        loop {
            let zero = self.rest[at..].iter().position(|byte| *byte == 0).ok_or(DecodeError::Truncated)?;
            at += zero;
            match self.rest.get(at + 1) {
                Some(255) => at += 2,
                Some(1) => {
                    let taken = self.take(at)?;
                    self.take(2)?;
                    return Ok(taken);
                }
                Some(_) => return Err(DecodeError::Malformed("text")),
                None => return Err(DecodeError::Truncated),
            }
        }
    }

    fn escaped(&mut self) -> Result<Cow<'a, [u8]>, DecodeError> {
        Ok(unescape(self.raw_escaped()?))
    }

    pub(super) fn text(&mut self) -> Result<String, DecodeError> {
        String::from_utf8(self.escaped()?.into_owned()).map_err(|_| DecodeError::Malformed("chararray"))
    }
}

/// Takes out what [`super::encode`] put behind each 0.
pub(super) fn unescape(raw: &[u8]) -> Cow<'_, [u8]> {
    if !raw.contains(&0) {
        return Cow::Borrowed(raw);
    }
    let mut out = Vec::with_capacity(raw.len());
    let mut bytes = raw.iter();
    while let Some(byte) = bytes.next() {
        out.push(*byte);
        if *byte == 0 {
            bytes.next();
        }
    }
    Cow::Owned(out)
}
