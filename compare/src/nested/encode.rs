//! Writing.

use std::ops::Range;

use super::{NestedType, VERSION, bytes_of_bits};
use crate::{BadValue, Encoding, PrimitiveType, ScalarRef, encode};

/// Nested values by their positions, as columns keep them. The parts of a struct, and the keys and values of a map, have
/// positions of their own.
pub trait NestedValues {
    /// Whether there is NULL at a position.
    fn is_null(&self, at: usize) -> bool;

    /// The value at a position, if these are plain values and it is not NULL.
    fn plain(&self, at: usize) -> Option<ScalarRef<'_>>;

    /// The positions in the parts of what a position holds: those of a list's elements or a map's entries, for a struct the
    /// one of its fields.
    fn positions(&self, at: usize) -> Range<usize>;

    /// A field of structs, the elements of lists (0), the keys (0) and values (1) of maps.
    fn part(&self, index: usize) -> Option<&Self>;
}

/// Appends the bytes of the value at a position, which is not NULL, to `out`, which is left as it was if a part of the value
/// is of another kind than its type, or out of its range.
pub fn encode_nested<V: NestedValues>(
    ty: &NestedType,
    values: &V,
    at: usize,
    out: &mut Vec<u8>,
) -> Result<(), BadValue> {
    let before = out.len();
    out.push(VERSION);
    let written = Writer { whole: ty, out }.write(ty, values, at);
    if written.is_err() {
        out.truncate(before);
    }
    written
}

struct Writer<'w> {
    whole: &'w NestedType,
    out: &'w mut Vec<u8>,
}

impl Writer<'_> {
    fn write<V: NestedValues>(&mut self, ty: &NestedType, values: &V, at: usize) -> Result<(), BadValue> {
        match ty {
            NestedType::Plain(ty) => {
                let value = values.plain(at).ok_or_else(|| self.misfit("NULL has no bytes"))?;
                self.write_plain(*ty, value)
            }
            NestedType::Struct(parts) => {
                let columns = (0..parts.len()).map(|i| values.part(i)).collect::<Option<Vec<_>>>();
                let columns = columns.ok_or_else(|| self.misfit("a struct lacks a field"))?;
                let inner = values.positions(at).start;
                self.write_bits(columns.iter().map(|column| !column.is_null(inner)));
                for (part, column) in parts.iter().zip(columns) {
                    if !column.is_null(inner) {
                        self.write(part, column, inner)?;
                    }
                }
                Ok(())
            }
            NestedType::List(item) => {
                let positions = values.positions(at);
                self.write_count(positions.len());
                let items = values.part(0).ok_or_else(|| self.misfit("a list lacks its elements"))?;
                self.write_all(item, items, positions)
            }
            NestedType::Map(key, value) => {
                let positions = values.positions(at);
                self.write_count(positions.len());
                let parts = values.part(0).zip(values.part(1));
                let (keys, items) = parts.ok_or_else(|| self.misfit("a map lacks its entries"))?;
                for position in positions.clone() {
                    let found = keys.plain(position);
                    let found = found.ok_or_else(|| self.misfit("a key of a map is NULL"))?;
                    self.write_plain(*key, found)?;
                }
                self.write_all(value, items, positions)
            }
        }
    }

    /// Writes which values are there, and those that are.
    fn write_all<V: NestedValues>(
        &mut self,
        ty: &NestedType,
        values: &V,
        positions: Range<usize>,
    ) -> Result<(), BadValue> {
        self.write_bits(positions.clone().map(|position| !values.is_null(position)));
        for position in positions {
            if !values.is_null(position) {
                self.write(ty, values, position)?;
            }
        }
        Ok(())
    }

    fn write_plain(&mut self, ty: PrimitiveType, value: ScalarRef<'_>) -> Result<(), BadValue> {
        match value {
            ScalarRef::Utf8(text) if ty == PrimitiveType::Utf8 => self.write_count(text.len()),
            ScalarRef::Binary(bytes) if ty == PrimitiveType::Binary => self.write_count(bytes.len()),
            _ => {}
        }
        encode(ty, Encoding::Native, value, self.out)
    }

    fn write_bits(&mut self, bits: impl ExactSizeIterator<Item = bool>) {
        let start = self.out.len();
        self.out.resize(start + bytes_of_bits(bits.len()), 0);
        for (i, _) in bits.enumerate().filter(|(_, bit)| *bit) {
            if let Some(byte) = self.out.get_mut(start + i / 8) {
                *byte |= 1 << (i % 8);
            }
        }
    }

    fn write_count(&mut self, mut count: usize) {
        while count > 0x7f {
            self.out.push((count & 0x7f) as u8 | 0x80);
            count >>= 7;
        }
        self.out.push(count as u8);
    }

    fn misfit(&self, reason: &str) -> BadValue {
        BadValue {
            wanted: format!("{} as native", self.whole),
            reason: reason.to_owned(),
            bytes_excerpt: "the value".to_owned(),
        }
    }
}
