//! Keys as people type them, brought to the bytes of rows.
//!
//! A KEY is the text of the key's type: ISO 8601 for dates and times, `\xHH` for bytes, the parts of a composite key between
//! commas (`\,` is a comma within a part). A table without a typed key takes the row's bytes, with `\xHH`.

use ostracon_compare::{Encoding, KeyLexicoder, PrimitiveType, Scalar, ScalarRef, decode, encode};
use ostracon_data::{RowRange, prefix_end, row_successor};
use ostracon_handler::definition::{RowIdLayout, TableDefinition};

use crate::error::{CliError, Result};

/// What a key's text means for a table.
#[derive(Debug, Clone)]
pub(crate) struct KeyReader {
    layout: RowIdLayout,
    table: String,
}

/// A key: the bytes that its rows are or begin with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Key {
    pub(crate) row: Vec<u8>,
    /// Only the leading parts of a composite key were given.
    pub(crate) is_prefix: bool,
}

impl KeyReader {
    /// Keys of a table of the SQL catalog.
    pub(crate) fn of(definition: &TableDefinition) -> Self {
        Self { layout: definition.row_id.clone(), table: definition.name.clone() }
    }

    /// Keys of a table that only the store knows: bytes.
    pub(crate) fn bytes(table: &str) -> Self {
        Self { layout: RowIdLayout::None, table: table.to_owned() }
    }

    /// Reads a key.
    pub(crate) fn read(&self, text: &str) -> Result<Key> {
        self.try_read(text).map_err(|reason| {
            CliError::invalid(format!("'{text}' is no key of table {}: {reason}", self.table))
        })
    }

    /// The rows from `begin` to `end`, both included; an absent bound is open.
    pub(crate) fn range(&self, begin: Option<&str>, end: Option<&str>) -> Result<RowRange> {
        let start = begin.map(|text| self.read(text)).transpose()?.map_or_else(Vec::new, |key| key.row);
        let end = match end.map(|text| self.read(text)).transpose()? {
            None => None,
            Some(Key { row, is_prefix: false }) => Some(row_successor(&row)),
            Some(Key { row, is_prefix: true }) => prefix_end(&row),
        };
        Ok(RowRange { start, end })
    }

    fn try_read(&self, text: &str) -> Result<Key, String> {
        let whole = |row| Key { row, is_prefix: false };
        match &self.layout {
            RowIdLayout::Single { ty, encoding, .. } => single(*ty, *encoding, text).map(whole),
            RowIdLayout::Native { lexicoder, .. } | RowIdLayout::NativeStruct { lexicoder, .. } => {
                composite(lexicoder, text)
            }
            RowIdLayout::Delimited { delimiter, fields, .. } => {
                let parts = split_parts(text, fields.len())?;
                let is_prefix = parts.len() < fields.len();
                let mut row = Vec::new();
                for (index, (part, ty)) in parts.iter().zip(fields).enumerate() {
                    if index > 0 {
                        row.extend_from_slice(delimiter);
                    }
                    row.extend(single(*ty, Encoding::String, part)?);
                }
                if is_prefix {
                    row.extend_from_slice(delimiter);
                }
                Ok(Key { row, is_prefix })
            }
            RowIdLayout::Hidden => {
                let number: u64 = text.parse().map_err(|_| "the hidden row id is a number".to_owned())?;
                Ok(whole(number.to_be_bytes().to_vec()))
            }
            RowIdLayout::None => unescape(text).map(whole),
        }
    }
}

/// A key of one value. In text encoding the bytes are the text as it was typed: `05` and `5` are two rows there.
fn single(ty: PrimitiveType, encoding: Encoding, text: &str) -> Result<Vec<u8>, String> {
    let value = scalar(ty, text)?;
    if encoding == Encoding::String && ty != PrimitiveType::Binary {
        return Ok(text.as_bytes().to_vec());
    }
    let mut row = Vec::new();
    encode(ty, encoding, value.as_ref(), &mut row).map_err(|bad| bad.to_string())?;
    Ok(row)
}

fn composite(lexicoder: &KeyLexicoder, text: &str) -> Result<Key, String> {
    let wanted = lexicoder.parts();
    let parts = split_parts(text, wanted.len())?;
    let values = parts.iter().zip(wanted).map(|(part, wanted)| scalar(wanted.ty, part));
    let values = values.collect::<Result<Vec<_>, String>>()?;
    let values: Vec<ScalarRef<'_>> = values.iter().map(Scalar::as_ref).collect();
    let is_prefix = values.len() < wanted.len();
    let row = if is_prefix { lexicoder.encode_prefix(&values) } else { lexicoder.encode(&values) };
    Ok(Key { row: row.map_err(|bad| bad.to_string())?, is_prefix })
}

fn scalar(ty: PrimitiveType, text: &str) -> Result<Scalar, String> {
    if ty == PrimitiveType::Binary {
        return unescape(text).map(Scalar::Binary);
    }
    let value = decode(ty, Encoding::String, text.as_bytes()).map_err(|bad| bad.to_string())?;
    Ok(value.to_owned())
}

/// The parts of a composite key; a key of one part is taken as it is, commas and all.
fn split_parts(text: &str, most: usize) -> Result<Vec<String>, String> {
    if most == 1 {
        return Ok(vec![text.to_owned()]);
    }
    let mut parts = vec![String::new()];
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let last = parts.last_mut().ok_or("no part")?;
        match c {
            '\\' if chars.peek() == Some(&',') => {
                last.push(',');
                chars.next();
            }
            ',' => parts.push(String::new()),
            _ => last.push(c),
        }
    }
    match parts.len() > most {
        true => Err(format!(
            "it has {} parts, the key has {most} (write \\, for a comma within a part)",
            parts.len()
        )),
        false => Ok(parts),
    }
}

/// Bytes: text with `\xHH` for a byte and `\\` for a backslash.
pub(crate) fn unescape(text: &str) -> Result<Vec<u8>, String> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    loop {
        match rest {
            [] => return Ok(out),
            [b'\\', b'\\', after @ ..] => {
                out.push(b'\\');
                rest = after;
            }
            [b'\\', b'x' | b'X', high, low, after @ ..] => {
                let digit =
                    |byte: &u8| char::from(*byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
                match (digit(high), digit(low)) {
                    (Some(high), Some(low)) => out.push(high << 4 | low),
                    _ => return Err("\\x wants two hex digits".to_owned()),
                }
                rest = after;
            }
            [b'\\', ..] => return Err("a byte is written \\xHH, a backslash \\\\".to_owned()),
            [byte, after @ ..] => {
                out.push(*byte);
                rest = after;
            }
        }
    }
}

/// Bytes for the eye: printable ASCII as it is, the rest as [`unescape`] reads it.
pub(crate) fn escape(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len());
    for byte in bytes {
        match byte {
            b'\\' => out.push_str("\\\\"),
            0x20..=0x7e => out.push(char::from(*byte)),
            _ => out.push_str(&format!("\\x{byte:02x}")),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use arrow::datatypes::TimeUnit;
    use ostracon_compare::KeyPart;
    use proptest::prelude::*;

    use super::*;

    fn native(types: &[PrimitiveType]) -> KeyReader {
        let parts = types.iter().map(|ty| KeyPart { ty: *ty, descending: false }).collect();
        let layout =
            RowIdLayout::Native { columns: (0..types.len()).collect(), lexicoder: KeyLexicoder::new(parts) };
        KeyReader { layout, table: "t".to_owned() }
    }

    #[test]
    fn typed_keys_are_encoded() {
        let reader = native(&[PrimitiveType::Int32]);
        assert_eq!(reader.read("-1").unwrap().row, [0x7f, 0xff, 0xff, 0xff]);
        assert!(reader.read("x").is_err());
        assert!(reader.read("1,2").is_err());
        let date = native(&[PrimitiveType::Date32]);
        assert!(date.read("2020-01-02").unwrap().row < date.read("2020-01-03").unwrap().row);
        let stamp = native(&[PrimitiveType::Timestamp(TimeUnit::Nanosecond)]);
        assert_eq!(stamp.read("2020-01-02").unwrap(), stamp.read("2020-01-02T00:00:00").unwrap());
        assert_eq!(native(&[PrimitiveType::Utf8]).read("a,b").unwrap().row, b"a,b");
    }

    #[test]
    fn leading_parts_are_a_prefix() {
        let reader = native(&[PrimitiveType::Utf8, PrimitiveType::Int32]);
        let prefix = reader.read("a\\,b").unwrap();
        let whole = reader.read("a\\,b,7").unwrap();
        assert!(prefix.is_prefix && !whole.is_prefix);
        assert!(whole.row.starts_with(&prefix.row));
        let range = reader.range(Some("a\\,b"), Some("a\\,b")).unwrap();
        assert!(range.start <= whole.row && range.end.unwrap() > whole.row);
        assert!(reader.read("a,1,2").is_err());
    }

    #[test]
    fn text_keys_stay_as_typed() {
        let layout = RowIdLayout::Single { column: 0, ty: PrimitiveType::Int32, encoding: Encoding::String };
        let reader = KeyReader { layout, table: "t".to_owned() };
        assert_eq!(reader.read("05").unwrap().row, b"05");
        assert!(reader.read("5x").is_err());
        let range = reader.range(None, Some("05")).unwrap();
        assert_eq!((range.start, range.end), (vec![], Some(b"05\0".to_vec())));
    }

    #[test]
    fn bytes_are_escaped() {
        let reader = KeyReader::bytes("t");
        assert_eq!(reader.read("a\\xff\\\\").unwrap().row, b"a\xff\\");
        assert!(reader.read("\\q").is_err());
        assert!(reader.read("\\x1").is_err());
    }

    proptest! {
        #[test]
        fn escapes_read_back(bytes in prop::collection::vec(any::<u8>(), 0..20)) {
            prop_assert_eq!(unescape(&escape(&bytes)), Ok(bytes));
        }
    }
}
