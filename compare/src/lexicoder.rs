//! Several values as one row id.
//!
//! [`KeyLexicoder`] writes the parts of a key ([`KeyPart`]) one after the other so that rows sort by the first part, then
//! the second, and so on, each ascending or descending. It decodes rows again, whole or one part, and (in
//! `key_range`) turns conditions on the parts into ranges of rows.
//!
//! A key part is never NULL; that is refused before values come here.

use std::fmt;
use std::ops::Range;

use crate::key_part::{self, Layout, canonical, one_zero};
use crate::{BadValue, Encoding, PrimitiveType, Scalar, ScalarRef, encode};

/// One part of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct KeyPart {
    /// Type of the values.
    pub ty: PrimitiveType,
    /// Whether rows sort from the greatest value to the least.
    pub descending: bool,
}

impl KeyPart {
    /// A part in ascending order.
    pub fn ascending(ty: PrimitiveType) -> Self {
        Self { ty, descending: false }
    }

    /// A part in descending order.
    pub fn descending(ty: PrimitiveType) -> Self {
        Self { ty, descending: true }
    }
}

/// Writes and reads row ids made of typed parts.
///
/// The bytes sort as the values do under DataFusion's order, with one exception that cannot be seen: a key holds one zero
/// (`-0.0` is stored as `0.0`) and one NaN (every NaN is stored as the positive quiet one), so equal keys are equal bytes.
///
/// ```
/// use ostracon_compare::{KeyLexicoder, KeyPart, PrimitiveType, Scalar, ScalarRef};
///
/// let key = KeyLexicoder::new(vec![
///     KeyPart::ascending(PrimitiveType::Utf8),
///     KeyPart::descending(PrimitiveType::Int32),
/// ]);
/// let newer = key.encode(&[ScalarRef::Utf8("a"), ScalarRef::Int(2)])?;
/// let older = key.encode(&[ScalarRef::Utf8("a"), ScalarRef::Int(-1)])?;
/// let other = key.encode(&[ScalarRef::Utf8("ab"), ScalarRef::Int(3)])?;
/// assert!(newer < older && older < other);
/// assert_eq!(key.decode(&older)?, [Scalar::Utf8("a".into()), Scalar::Int(-1)]);
/// # Ok::<(), ostracon_compare::BadValue>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct KeyLexicoder {
    parts: Vec<KeyPart>,
}

/// Which bits of a float are written.
#[derive(Clone, Copy)]
pub(crate) enum Floats {
    /// As keys hold them: one zero, one NaN.
    Stored,
    /// As they compare: one zero, each NaN by its bits.
    Compared,
}

impl KeyLexicoder {
    /// A lexicoder of the parts in their order.
    pub fn new(parts: Vec<KeyPart>) -> Self {
        Self { parts }
    }

    /// The parts.
    pub fn parts(&self) -> &[KeyPart] {
        &self.parts
    }

    /// The row id of a whole key: one value for each part.
    pub fn encode(&self, values: &[ScalarRef<'_>]) -> Result<Vec<u8>, BadValue> {
        if values.len() != self.parts.len() {
            let reason =
                format!("the key has {} parts, {} values were given", self.parts.len(), values.len());
            return Err(BadValue::of_key(self.to_string(), &[], reason.into()));
        }
        let mut row = Vec::new();
        for (index, value) in values.iter().enumerate() {
            self.encode_part(index, *value, &mut row)?;
        }
        Ok(row)
    }

    /// The bytes that rows with these first parts start with, for a *search*: every row whose first parts equal the values
    /// starts so and, if values for all but the last parts are given, no other row does. With a value for each part
    /// this is the row itself.
    ///
    /// A NaN other than the one that keys hold equals no key, and its prefix is accordingly that of no row. Use
    /// [`encode`](Self::encode) for the row of a key to be written.
    pub fn encode_prefix(&self, values: &[ScalarRef<'_>]) -> Result<Vec<u8>, BadValue> {
        let mut prefix = Vec::new();
        for (index, value) in values.iter().enumerate() {
            self.write_part(index, *value, Floats::Compared, &mut prefix)?;
        }
        Ok(prefix)
    }

    /// Appends one part of a key to `out`, which is left as it was on an error.
    pub fn encode_part(&self, index: usize, value: ScalarRef<'_>, out: &mut Vec<u8>) -> Result<(), BadValue> {
        self.write_part(index, value, Floats::Stored, out)
    }

    /// The values of a row id.
    pub fn decode(&self, row: &[u8]) -> Result<Vec<Scalar>, BadValue> {
        let mut scratch = Vec::new();
        let slices = self.part_slices(row)?;
        slices
            .into_iter()
            .enumerate()
            .map(|(index, slice)| self.read_part(row, index, slice, &mut scratch).map(ScalarRef::to_owned))
            .collect()
    }

    /// The value of one part of a row id. The parts before it are only skipped.
    pub fn decode_part(&self, row: &[u8], index: usize) -> Result<Scalar, BadValue> {
        let mut scratch = Vec::new();
        self.decode_part_ref(row, index, &mut scratch).map(ScalarRef::to_owned)
    }

    /// The value of one part of a row id, borrowed from the row or, where its bytes are not there in plain form, from
    /// `scratch`. Allocates nothing once the scratch has grown.
    pub fn decode_part_ref<'a>(
        &self,
        row: &'a [u8],
        index: usize,
        scratch: &'a mut Vec<u8>,
    ) -> Result<ScalarRef<'a>, BadValue> {
        let mut start = 0;
        for before in 0..index {
            start = self.slice(row, before, start)?.end;
        }
        let slice = self.slice(row, index, start)?;
        self.read_part(row, index, slice, scratch)
    }

    /// Where the parts lie in a row id, escapes and terminators included.
    pub fn part_slices(&self, row: &[u8]) -> Result<Vec<Range<usize>>, BadValue> {
        let mut slices = Vec::with_capacity(self.parts.len());
        let mut start = 0;
        for index in 0..self.parts.len() {
            let slice = self.slice(row, index, start)?;
            start = slice.end;
            slices.push(slice);
        }
        if self.parts.is_empty() && !row.is_empty() {
            return Err(BadValue::of_key(self.to_string(), row, "the key has no parts".into()));
        }
        Ok(slices)
    }

    pub(crate) fn write_part(
        &self,
        index: usize,
        value: ScalarRef<'_>,
        floats: Floats,
        out: &mut Vec<u8>,
    ) -> Result<(), BadValue> {
        let (part, layout) = self.part(index)?;
        let value = match floats {
            Floats::Stored => canonical(value),
            Floats::Compared => one_zero(value),
        };
        let start = out.len();
        match (layout, value) {
            (Layout::Terminated, ScalarRef::Utf8(text)) if part.ty == PrimitiveType::Utf8 => {
                key_part::write_escaped(text.as_bytes(), out);
                key_part::write_terminator(out);
            }
            (Layout::Terminated, ScalarRef::Binary(bytes)) if part.ty == PrimitiveType::Binary => {
                key_part::write_escaped(bytes, out);
                key_part::write_terminator(out);
            }
            _ => encode(part.ty, Encoding::Native, value, out)?,
        }
        key_part::turn(out, start, part.descending);
        Ok(())
    }

    pub(crate) fn part(&self, index: usize) -> Result<(KeyPart, Layout), BadValue> {
        match self.parts.get(index) {
            Some(part) => Ok((*part, Layout::of(part.ty, part.descending, index + 1 == self.parts.len()))),
            None => {
                let reason =
                    format!("the key has {} parts, part {} was asked for", self.parts.len(), index + 1);
                Err(BadValue::of_key(self.to_string(), &[], reason.into()))
            }
        }
    }

    /// Where part `index`, which starts at `start`, lies.
    fn slice(&self, row: &[u8], index: usize, start: usize) -> Result<Range<usize>, BadValue> {
        let (part, layout) = self.part(index)?;
        let rest = row.get(start..).unwrap_or_default();
        let length = key_part::length(layout, part.descending, rest)
            .map_err(|reason| BadValue::of_key(self.part_name(index), row, reason))?;
        if index + 1 == self.parts.len() && length < rest.len() {
            let reason = format!("the row has {} bytes behind its last part", rest.len() - length);
            return Err(BadValue::of_key(self.part_name(index), row, reason.into()));
        }
        Ok(start..start + length)
    }

    fn read_part<'a>(
        &self,
        row: &'a [u8],
        index: usize,
        slice: Range<usize>,
        scratch: &'a mut Vec<u8>,
    ) -> Result<ScalarRef<'a>, BadValue> {
        let (part, layout) = self.part(index)?;
        let bytes = row.get(slice).unwrap_or_default();
        key_part::value(part.ty, layout, part.descending, bytes, scratch)
            .map_err(|reason| BadValue::of_key(self.part_name(index), row, reason))
    }

    fn part_name(&self, index: usize) -> String {
        format!("part {} of {self}", index + 1)
    }
}

impl fmt::Display for KeyLexicoder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("key (")?;
        for (index, part) in self.parts.iter().enumerate() {
            let comma = if index == 0 { "" } else { ", " };
            write!(f, "{comma}{}{}", part.ty, if part.descending { " DESC" } else { "" })?;
        }
        f.write_str(")")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lexicoder(parts: &[(PrimitiveType, bool)]) -> KeyLexicoder {
        KeyLexicoder::new(
            parts.iter().map(|(ty, descending)| KeyPart { ty: *ty, descending: *descending }).collect(),
        )
    }

    /// The bytes of the format: a change here breaks stores that exist.
    #[test]
    fn the_bytes_are_pinned() {
        let key = lexicoder(&[
            (PrimitiveType::Utf8, false),
            (PrimitiveType::Binary, true),
            (PrimitiveType::Int16, true),
            (PrimitiveType::Utf8, false),
        ]);
        let row = key
            .encode(&[
                ScalarRef::Utf8("a\0"),
                ScalarRef::Binary(&[0, 0xff]),
                ScalarRef::Int(1),
                ScalarRef::Utf8("z\0"),
            ])
            .unwrap();
        let expected: &[&[u8]] =
            &[b"a\x00\xff\x00\x01", &[0xff, 0x00, 0x00, 0xff, 0xfe], &[0x7f, 0xfe], b"z\x00"];
        assert_eq!(row, expected.concat());
        let slices = key.part_slices(&row).unwrap();
        assert_eq!(slices, [0..5, 5..10, 10..12, 12..14]);
        assert_eq!(key.decode_part(&row, 2), Ok(Scalar::Int(1)));
        assert_eq!(key.to_string(), "key (Utf8, Binary DESC, Int16 DESC, Utf8)");
        let last = lexicoder(&[(PrimitiveType::Utf8, true)]);
        assert_eq!(last.encode(&[ScalarRef::Utf8("a")]).unwrap(), [!b'a', 0xff, 0xfe]);
    }

    #[test]
    fn keys_have_one_zero_and_one_nan() {
        let key = lexicoder(&[(PrimitiveType::Float64, false)]);
        let row = |value| key.encode(&[ScalarRef::Float64(value)]).unwrap();
        assert_eq!(row(0.0), row(-0.0));
        assert_eq!(row(f64::NAN), row(-f64::NAN));
        assert_eq!(row(f64::NAN), row(f64::from_bits(0x7ff0_0000_0000_0001)));
        assert!(row(f64::INFINITY) < row(f64::NAN));
        // Bytes that no key has are damage, not another zero.
        assert!(key.decode(&[0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]).is_err());
        // A search for another NaN finds nothing.
        let other = key.encode_prefix(&[ScalarRef::Float64(-f64::NAN)]).unwrap();
        assert_ne!(other, row(f64::NAN));
        assert_eq!(key.encode_prefix(&[ScalarRef::Float64(-0.0)]).unwrap(), row(0.0));
    }

    #[test]
    fn wrong_rows_and_values_are_refused() {
        let key = lexicoder(&[(PrimitiveType::Utf8, false), (PrimitiveType::Int32, false)]);
        for row in [
            &b""[..],
            b"a",
            b"a\0",
            b"a\0\x02",
            b"a\0\x01",
            b"a\0\x01\0\0\0",
            b"a\0\x01\0\0\0\0\0",
            b"\xff\0\x01\0\0\0\0",
        ] {
            let error = key.decode(row).unwrap_err();
            assert!(error.to_string().contains("of key (Utf8, Int32)"), "{error}");
        }
        assert!(key.encode(&[ScalarRef::Utf8("a")]).is_err());
        assert!(key.encode_prefix(&[ScalarRef::Utf8("a")]).is_ok());
        assert!(key.encode(&[ScalarRef::Int(1), ScalarRef::Int(1)]).is_err());
        assert!(key.decode_part(b"a\0\x01\0\0\0\0", 2).is_err());
        let mut out = b"kept".to_vec();
        assert!(key.encode_part(1, ScalarRef::Int(1 << 40), &mut out).is_err());
        assert!(key.encode_part(2, ScalarRef::Int(1), &mut out).is_err());
        assert_eq!(out, b"kept");
        assert!(lexicoder(&[]).decode(b"x").is_err());
        assert_eq!(lexicoder(&[]).decode(b""), Ok(vec![]));
    }
}
