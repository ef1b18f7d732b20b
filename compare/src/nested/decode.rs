//! Reading.

use super::{NestedType, VERSION, bytes_of_bits};
use crate::bad_value::Reason;
use crate::{BadValue, Encoding, PrimitiveType, ScalarRef, decode};

/// Takes nested values, as builders of columns do: one value after the other, each into the parts it is made of.
pub trait NestedSink {
    /// Why a value cannot be taken.
    type Error: From<BadValue>;

    /// Takes NULL.
    fn null(&mut self) -> Result<(), Self::Error>;

    /// Takes a plain value.
    fn plain(&mut self, value: ScalarRef<'_>) -> Result<(), Self::Error>;

    /// Takes a struct; each of its parts is given one value next.
    fn fields(&mut self) -> Result<(), Self::Error>;

    /// Takes a list or map; its parts are given so many values next.
    fn entries(&mut self, count: usize) -> Result<(), Self::Error>;

    /// A field of structs, the elements of lists (0), the keys (0) and values (1) of maps.
    fn part(&mut self, index: usize) -> Option<&mut Self>;
}

/// Gives the value of a cell's bytes to `sink`, which has taken parts of it where the bytes turn out to be none; see
/// [`check_nested`].
pub fn decode_nested<S: NestedSink>(ty: &NestedType, bytes: &[u8], sink: &mut S) -> Result<(), S::Error> {
    let mut reader = Reader { whole: ty, bytes, rest: bytes };
    let [version] = reader.array()?;
    if version != VERSION {
        let text = format!("version {version} of nested values is not known, only {VERSION} is");
        return Err(reader.bad(text.into()).into());
    }
    reader.read(ty, sink)?;
    if reader.rest.is_empty() { Ok(()) } else { Err(reader.bad("bytes follow the value".into()).into()) }
}

/// Whether bytes are a value.
pub fn check_nested(ty: &NestedType, bytes: &[u8]) -> Result<(), BadValue> {
    decode_nested(ty, bytes, &mut Nowhere)
}

/// A sink that keeps nothing.
struct Nowhere;

impl NestedSink for Nowhere {
    type Error = BadValue;

    fn null(&mut self) -> Result<(), BadValue> {
        Ok(())
    }

    fn plain(&mut self, _: ScalarRef<'_>) -> Result<(), BadValue> {
        Ok(())
    }

    fn fields(&mut self) -> Result<(), BadValue> {
        Ok(())
    }

    fn entries(&mut self, _: usize) -> Result<(), BadValue> {
        Ok(())
    }

    fn part(&mut self, _: usize) -> Option<&mut Self> {
        Some(self)
    }
}

struct Reader<'r> {
    whole: &'r NestedType,
    /// Of the whole cell, for what errors say.
    bytes: &'r [u8],
    rest: &'r [u8],
}

impl<'r> Reader<'r> {
    fn read<S: NestedSink>(&mut self, ty: &NestedType, sink: &mut S) -> Result<(), S::Error> {
        match ty {
            NestedType::Plain(ty) => sink.plain(self.plain(*ty)?),
            NestedType::Struct(parts) => {
                let present = self.bits(parts.len())?;
                sink.fields()?;
                for (i, part) in parts.iter().enumerate() {
                    let inner = self.part(sink, i)?;
                    if bit(present, i) { self.read(part, inner)? } else { inner.null()? }
                }
                Ok(())
            }
            NestedType::List(item) => {
                let count = self.count()?;
                let present = self.bits(count)?;
                sink.entries(count)?;
                let inner = self.part(sink, 0)?;
                self.read_all(item, count, present, inner)
            }
            NestedType::Map(key, value) => {
                let count = self.count()?;
                // Before anything is kept: every key takes a byte.
                if count > self.rest.len() {
                    return Err(self.ends().into());
                }
                sink.entries(count)?;
                let keys = self.part(sink, 0)?;
                for _ in 0..count {
                    keys.plain(self.plain(*key)?)?;
                }
                let present = self.bits(count)?;
                let inner = self.part(sink, 1)?;
                self.read_all(value, count, present, inner)
            }
        }
    }

    fn read_all<S: NestedSink>(
        &mut self,
        ty: &NestedType,
        count: usize,
        present: &[u8],
        sink: &mut S,
    ) -> Result<(), S::Error> {
        for i in 0..count {
            if bit(present, i) { self.read(ty, sink)? } else { sink.null()? }
        }
        Ok(())
    }

    fn part<'s, S: NestedSink>(&self, sink: &'s mut S, index: usize) -> Result<&'s mut S, S::Error> {
        sink.part(index).ok_or_else(|| self.bad("its reader lacks a part of the type".into()).into())
    }

    fn plain(&mut self, ty: PrimitiveType) -> Result<ScalarRef<'r>, BadValue> {
        let len = match ty.width() {
            Some(width) => width,
            None => self.count()?,
        };
        let bytes = self.take(len)?;
        decode(ty, Encoding::Native, bytes).map_err(|bad| self.bad(bad.to_string().into()))
    }

    /// Bits in whole bytes; those behind the last one are 0.
    fn bits(&mut self, count: usize) -> Result<&'r [u8], BadValue> {
        let bits = self.take(bytes_of_bits(count))?;
        let used = count % 8;
        match bits.last() {
            Some(last) if used > 0 && last >> used != 0 => {
                Err(self.bad("there are more bits than parts".into()))
            }
            _ => Ok(bits),
        }
    }

    fn count(&mut self) -> Result<usize, BadValue> {
        let mut count: u64 = 0;
        for shift in (0..63).step_by(7) {
            let [byte] = self.array()?;
            count |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                if byte == 0 && shift > 0 {
                    break;
                }
                return usize::try_from(count).map_err(|_| self.ends());
            }
        }
        Err(self.bad("a number is written with too many bytes".into()))
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], BadValue> {
        let (first, rest) = self.rest.split_first_chunk().ok_or_else(|| self.ends())?;
        self.rest = rest;
        Ok(*first)
    }

    fn take(&mut self, len: usize) -> Result<&'r [u8], BadValue> {
        let (taken, rest) = self.rest.split_at_checked(len).ok_or_else(|| self.ends())?;
        self.rest = rest;
        Ok(taken)
    }

    fn ends(&self) -> BadValue {
        self.bad("the bytes end before the value does".into())
    }

    fn bad(&self, reason: Reason) -> BadValue {
        BadValue::of_key(format!("{} as native", self.whole), self.bytes, reason)
    }
}

fn bit(bits: &[u8], i: usize) -> bool {
    bits.get(i / 8).is_some_and(|byte| byte >> (i % 8) & 1 == 1)
}
