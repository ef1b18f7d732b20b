//! Writing row ids.

use super::{Buffers, FixedInput, RowsInput, Sink, count, integers};
use crate::columnar::rows::BYTES_HEADER;
use crate::packing;
use crate::{Error, Result};

/// Row ids that have been written.
#[derive(Debug)]
pub(super) struct Written {
    pub(super) at: u32,
    /// How many words; 0: bytes.
    pub(super) words: u8,
    pub(super) first: Vec<u8>,
    pub(super) last: Vec<u8>,
}

pub(super) fn write(
    input: &RowsInput<'_>,
    rows: usize,
    buffers: &mut Buffers,
    sink: &mut Sink<'_>,
) -> Result<Written> {
    match input {
        RowsInput::Words(words) => {
            let id = |row: usize| {
                let word = |word: &FixedInput<'_>| {
                    let start = 16 - usize::from(word.width().min(16));
                    word.value(row).to_be_bytes().get(start..).unwrap_or_default().to_vec()
                };
                if row < rows { words.iter().flat_map(word).collect() } else { Vec::new() }
            };
            for word in *words {
                let fits = word.len() == rows && (1..=16).contains(&word.width());
                if !fits || (0..rows).any(|row| word.value(row) > word.limit()) {
                    return Err(Error::Unencodable { what: "a word of the row ids does not fit", row: 0 });
                }
            }
            let above = |row: usize| {
                words.iter().map(|word| word.value(row)).gt(words.iter().map(|word| word.value(row - 1)))
            };
            if let Some(row) = (1..rows).find(|row| !above(*row)) {
                return Err(Error::Unencodable { what: "rows are not in ascending order", row });
            }
            let last = id(rows.saturating_sub(1));
            match write_words(words, buffers, sink)? {
                Some(at) => {
                    let words = u8::try_from(words.len());
                    let words = words
                        .map_err(|_| Error::Unencodable { what: "row ids have too many words", row: 0 })?;
                    Ok(Written { at, words, first: id(0), last })
                }
                None => {
                    let ids: Vec<Vec<u8>> = (0..rows).map(id).collect();
                    let at = write_bytes(&ids, sink)?;
                    Ok(Written { at, words: 0, first: id(0), last })
                }
            }
        }
        RowsInput::Bytes { offsets, data, layout } => {
            let wrong = Error::Unencodable { what: "the row ids have wrong offsets", row: 0 };
            let place = |row: usize| offsets.get(row).and_then(|offset| usize::try_from(*offset).ok());
            let id = |row: usize| data.get(place(row)?..place(row + 1)?);
            let ids: Option<Vec<&[u8]>> = (0..rows).map(id).collect();
            let ids = ids.filter(|_| offsets.len() == rows + 1).ok_or(wrong)?;
            if let Some(row) = ids.windows(2).position(|pair| !matches!(pair, [a, b] if a < b)) {
                return Err(Error::Unencodable { what: "rows are not in ascending order", row: row + 1 });
            }
            let (first, last) =
                (ids.first().copied().unwrap_or_default(), ids.last().copied().unwrap_or_default());
            let (first, last) = (first.to_vec(), last.to_vec());
            let width = layout.row_len();
            if width > 0 && rows > 0 && ids.iter().all(|id| id.len() == width) {
                let mut start = 0;
                let mut lists = Vec::new();
                for &word in layout.widths() {
                    let end = start + usize::from(word);
                    let value = |id: &&[u8]| {
                        let part = id.get(start..end).unwrap_or_default();
                        part.iter().fold(0u128, |value, &byte| value << 8 | u128::from(byte))
                    };
                    lists.push((word, ids.iter().map(value).collect::<Vec<_>>()));
                    start = end;
                }
                let words: Vec<_> =
                    lists.iter().map(|(width, values)| FixedInput::Wide { width: *width, values }).collect();
                if let Some(at) = write_words(&words, buffers, sink)? {
                    return Ok(Written { at, words: layout.widths().len() as u8, first, last });
                }
            }
            Ok(Written { at: write_bytes(&ids, sink)?, words: 0, first, last })
        }
    }
}

/// `None` if some word's range does not fit.
fn write_words(words: &[FixedInput<'_>], buffers: &mut Buffers, sink: &mut Sink<'_>) -> Result<Option<u32>> {
    let headers_at = sink.leave(words.len() * crate::columnar::integers::HEADER)?;
    let mut headers = Vec::new();
    for word in words {
        let Some(space) = integers::reduce(word, None, &mut buffers.reduced) else { return Ok(None) };
        headers.extend_from_slice(&integers::pack(&space, &buffers.reduced, sink)?);
    }
    sink.patch(headers_at, &headers);
    Ok(Some(headers_at))
}

fn write_bytes(ids: &[impl AsRef<[u8]>], sink: &mut Sink<'_>) -> Result<u32> {
    let first = ids.first().map_or(&[][..], AsRef::as_ref);
    let last = ids.last().map_or(&[][..], AsRef::as_ref);
    // Sorted: what the first and the last share, all share.
    let prefix = first.iter().zip(last).take_while(|(a, b)| a == b).count();
    let at = sink.leave(BYTES_HEADER)?;
    sink.bytes().extend_from_slice(first.get(..prefix).unwrap_or_default());
    let mut end = 0u64;
    let mut ends = Vec::with_capacity(ids.len());
    for id in ids {
        let rest = id.as_ref().get(prefix..).unwrap_or_default();
        sink.bytes().extend_from_slice(rest);
        end += rest.len() as u64;
        ends.push(end);
    }
    let ends_at = sink.here()?;
    let bits = packing::bits_for(end);
    packing::pack(&ends, bits, sink.bytes());
    let mut header = Vec::with_capacity(BYTES_HEADER);
    header.extend_from_slice(&count(prefix)?.to_le_bytes());
    header.extend_from_slice(&count(end as usize)?.to_le_bytes());
    header.extend_from_slice(&[bits, 0, 0, 0]);
    header.extend_from_slice(&ends_at.to_le_bytes());
    sink.patch(at, &header);
    Ok(at)
}
