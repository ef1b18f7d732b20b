//! A row as one value: Accumulo's form, byte for byte.
//!
//! ```text
//! count u32 | count times: family | qualifier | visibility | timestamp i64 | value
//! ```
//!
//! All numbers are big-endian; family, qualifier, visibility and value are each a length (u32) and that many bytes.
//! The row id itself is not in it, nor are delete flags: the key of the pair has the one, and rows are encoded above
//! the [`DeletingIterator`](crate::DeletingIterator).

use ostracon_data::{Key, Value};

use crate::{Error, Result};

/// Bytes of each cell beside its variable parts: four lengths and a timestamp.
const FIXED_BYTES_PER_CELL: usize = 4 * 4 + 8;

/// Writes the cells of one row; their row ids are not looked at.
///
/// Fails if a part is longer than the form can say (4 GiB), and on a delete marker, which would come back as a cell.
pub fn encode_row(cells: &[(Key, Value)], out: &mut Vec<u8>) -> Result<()> {
    put_length(cells.len(), out)?;
    for (key, value) in cells {
        if key.deleted {
            return Err(Error::Misuse(
                "a row with delete markers cannot be encoded; do so above the DeletingIterator",
            ));
        }
        for part in [&key.family, &key.qualifier, &key.visibility] {
            put_length(part.len(), out)?;
            out.extend_from_slice(part);
        }
        out.extend_from_slice(&key.timestamp.to_be_bytes());
        put_length(value.0.len(), out)?;
        out.extend_from_slice(&value.0);
    }
    Ok(())
}

/// Reads the cells of the row `row`. Any bytes may be given: what is no encoded row is [`Error::CorruptRow`].
pub fn decode_row(row: &[u8], encoded: &[u8]) -> Result<Vec<(Key, Value)>> {
    let mut reader = Reader { bytes: encoded, at: 0 };
    let count = reader.length("the number of cells")?;
    // A count that the bytes cannot hold must not reserve memory.
    let mut cells = Vec::with_capacity(count.min(encoded.len() / FIXED_BYTES_PER_CELL));
    for _ in 0..count {
        let family = reader.part("a family")?;
        let qualifier = reader.part("a qualifier")?;
        let visibility = reader.part("a visibility")?;
        let timestamp = i64::from_be_bytes(reader.array("a timestamp")?);
        let value = reader.part("a value")?;
        cells.push((Key::new(row, family, qualifier, visibility, timestamp), Value::from(value)));
    }
    if reader.at != encoded.len() {
        let surplus = encoded.len() - reader.at;
        return Err(Error::CorruptRow {
            offset: reader.at,
            reason: format!("{surplus} bytes follow the last cell"),
        });
    }
    Ok(cells)
}

fn put_length(length: usize, out: &mut Vec<u8>) -> Result<()> {
    let length = u32::try_from(length).map_err(|_| Error::CorruptRow {
        offset: out.len(),
        reason: format!("{length} does not fit the four bytes of a length"),
    })?;
    out.extend_from_slice(&length.to_be_bytes());
    Ok(())
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    fn take(&mut self, length: usize, what: &str) -> Result<&'a [u8]> {
        let end = self.at.checked_add(length);
        let taken = end.and_then(|end| self.bytes.get(self.at..end)).ok_or_else(|| Error::CorruptRow {
            offset: self.at,
            reason: format!(
                "{what} of {length} bytes is cut off, {} bytes are left",
                self.bytes.len() - self.at
            ),
        })?;
        self.at += length;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self, what: &str) -> Result<[u8; N]> {
        let mut array = [0; N];
        array.copy_from_slice(self.take(N, what)?);
        Ok(array)
    }

    fn length(&mut self, what: &str) -> Result<usize> {
        let length = u32::from_be_bytes(self.array(what)?);
        usize::try_from(length).map_err(|_| Error::CorruptRow {
            offset: self.at,
            reason: format!("{what} has {length} bytes, more than this machine can address"),
        })
    }

    fn part(&mut self, what: &str) -> Result<&'a [u8]> {
        let length = self.length(what)?;
        self.take(length, what)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_bytes_are_accumulos() {
        let mut out = Vec::new();
        encode_row(&[(Key::new("r", "f", "qq", "", 258), Value::from("v"))], &mut out).unwrap();
        assert_eq!(
            out,
            [
                &[0, 0, 0, 1][..],
                &[0, 0, 0, 1, b'f'],
                &[0, 0, 0, 2, b'q', b'q'],
                &[0, 0, 0, 0],
                &[0, 0, 0, 0, 0, 0, 1, 2],
                &[0, 0, 0, 1, b'v'],
            ]
            .concat()
        );
    }

    #[test]
    fn what_is_no_encoded_row_is_refused() {
        let error = decode_row(b"r", &[0xff; 8]).unwrap_err().to_string();
        assert!(error.contains("at byte 8"), "{error}");
        let marker = Key { deleted: true, ..Key::new("r", "f", "q", "", 1) };
        assert!(encode_row(&[(marker, Value::default())], &mut Vec::new()).is_err());
        assert!(decode_row(b"r", &[0, 0, 0, 0, 1]).unwrap_err().to_string().contains("1 bytes follow"));
    }

    fn part() -> impl Strategy<Value = Vec<u8>> {
        prop::collection::vec(any::<u8>(), 0..4)
    }

    proptest! {
        #[test]
        fn rows_round_trip(
            cells in prop::collection::vec((part(), part(), part(), any::<i64>(), part()), 0..6),
        ) {
            let cells: Vec<(Key, Value)> = cells
                .into_iter()
                .map(|(f, q, v, t, value)| (Key::new("row", f, q, v, t), Value::from(value)))
                .collect();
            let mut encoded = Vec::new();
            encode_row(&cells, &mut encoded).unwrap();
            prop_assert_eq!(&decode_row(b"row", &encoded).unwrap(), &cells);
            for cut in 0..encoded.len() {
                prop_assert!(decode_row(b"row", &encoded[..cut]).is_err());
            }
        }

        #[test]
        fn any_bytes_are_read_without_a_panic(bytes in prop::collection::vec(any::<u8>(), 0..64)) {
            if let Ok(cells) = decode_row(b"row", &bytes) {
                let mut again = Vec::new();
                encode_row(&cells, &mut again).unwrap();
                prop_assert_eq!(again, bytes);
            }
        }
    }
}
