//! Writing row ids.

use super::integers::{self, Frame};
use super::{Buffers, FixedInput, RowsInput, Sink, count};
use crate::columnar::RowLayout;
use crate::columnar::integers::{HEADER, ValueBytes};
use crate::columnar::layout::{MAX_WIDTH, MAX_WORDS};
use crate::columnar::rows::{FRONT_CODED_HEADER, FrontCoded, GROUP};
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

const DISORDER: &str = "rows are not in ascending order";

pub(super) fn write(
    input: &RowsInput<'_>,
    rows: usize,
    buffers: &mut Buffers,
    sink: &mut Sink<'_>,
) -> Result<Written> {
    match input {
        RowsInput::Words(words) => from_words(words, rows, buffers, sink),
        RowsInput::Bytes { offsets, data, layout } => {
            let ids = Ids::new(offsets, data, rows)?;
            from_bytes(&ids, layout, buffers, sink)
        }
    }
}

fn from_words(
    words: &[FixedInput<'_>],
    rows: usize,
    buffers: &mut Buffers,
    sink: &mut Sink<'_>,
) -> Result<Written> {
    let refuse = |what, row| Err(Error::Unencodable { what, row });
    if words.is_empty() && rows > 0 || words.len() > MAX_WORDS {
        return refuse("row ids have no words, or too many", 0);
    }
    for word in words {
        if word.len() != rows || !(1..=MAX_WIDTH).contains(&word.width()) {
            return refuse("a word of the row ids has a wrong length or width", 0);
        }
    }
    if let Some(row) = disorder(words, rows) {
        return refuse(DISORDER, row);
    }
    let id = |row: usize| {
        let mut id = Vec::new();
        for word in words.iter().filter(|_| row < rows) {
            id.extend_from_slice(ValueBytes::new(word.value(row), usize::from(word.width())).as_ref());
        }
        id
    };
    let (first, last) = (id(0), id(rows.saturating_sub(1)));
    let before = sink.here()?;
    if let Some(at) = write_words(words, buffers, sink)? {
        // No more than `MAX_WORDS`.
        return Ok(Written { at, words: words.len() as u8, first, last });
    }
    sink.back_to(before);
    let (mut offsets, mut data) = (vec![0], Vec::new());
    for row in 0..rows {
        data.extend_from_slice(&id(row));
        let end = i32::try_from(data.len());
        offsets.push(end.map_err(|_| Error::Unencodable { what: "row ids are larger than 2 GiB", row })?);
    }
    let at = write_bytes(&Ids::new(&offsets, &data, rows)?, buffers, sink)?;
    Ok(Written { at, words: 0, first, last })
}

/// The first row that is not above the one before.
fn disorder(words: &[FixedInput<'_>], rows: usize) -> Option<usize> {
    if let [FixedInput::Narrow { values: first, .. }, rest @ ..] = words {
        // Mostly the first word decides.
        let mut pairs = first.windows(2).zip(1..);
        return pairs.find_map(|(pair, row)| match pair {
            [a, b] if a < b => None,
            [a, b] if a == b && is_above(rest, row) => None,
            _ => Some(row),
        });
    }
    (1..rows).find(|row| !is_above(words, *row))
}

fn is_above(words: &[FixedInput<'_>], row: usize) -> bool {
    let id = |row: usize| words.iter().map(move |word| word.value(row));
    id(row).gt(id(row - 1))
}

/// `None` if some word is more than 64 bits apart.
fn write_words(words: &[FixedInput<'_>], buffers: &mut Buffers, sink: &mut Sink<'_>) -> Result<Option<u32>> {
    let Buffers { reduced, chunk } = buffers;
    let at = sink.leave(words.len() * HEADER)?;
    let mut headers = Vec::with_capacity(words.len() * HEADER);
    for word in words {
        let Some(frame) = Frame::of(word, None, &mut chunk.filled)? else { return Ok(None) };
        let space = frame.reduce(reduced);
        headers.extend_from_slice(&integers::pack(&space, reduced, sink)?);
    }
    sink.patch(at, &headers);
    Ok(Some(at))
}

/// Row ids as bytes.
#[derive(Debug, Clone, Copy)]
struct Ids<'a> {
    offsets: &'a [i32],
    data: &'a [u8],
}

impl<'a> Ids<'a> {
    /// Checks that they are there.
    fn new(offsets: &'a [i32], data: &'a [u8], rows: usize) -> Result<Self> {
        let wrong = Error::Unencodable { what: "the row ids have wrong offsets", row: 0 };
        let rising = offsets.is_sorted() && offsets.first().is_some_and(|first| *first >= 0);
        let within = offsets.last().is_some_and(|last| *last as usize <= data.len());
        if rising && within && offsets.len() == rows + 1 { Ok(Self { offsets, data }) } else { Err(wrong) }
    }

    fn len(&self) -> usize {
        self.offsets.len().saturating_sub(1)
    }

    fn get(&self, row: usize) -> &'a [u8] {
        let offset = |row: usize| self.offsets.get(row).map_or(0, |offset| *offset as usize);
        self.data.get(offset(row)..offset(row + 1)).unwrap_or_default()
    }

    fn iter(&self) -> impl Iterator<Item = &'a [u8]> + Clone {
        let ids = *self;
        (0..self.len()).map(move |row| ids.get(row))
    }

    fn width(&self) -> Option<usize> {
        let mut lengths =
            self.offsets.windows(2).map(|pair| if let [a, b] = pair { (b - a) as usize } else { 0 });
        let first = lengths.next()?;
        lengths.all(|length| length == first).then_some(first)
    }
}

fn from_bytes(
    ids: &Ids<'_>,
    layout: &RowLayout,
    buffers: &mut Buffers,
    sink: &mut Sink<'_>,
) -> Result<Written> {
    if let Some(row) = ids.iter().zip(ids.iter().skip(1)).position(|(a, b)| a >= b) {
        return Err(Error::Unencodable { what: DISORDER, row: row + 1 });
    }
    let first = ids.iter().next().unwrap_or_default().to_vec();
    let last = ids.iter().last().unwrap_or_default().to_vec();
    // Ids of one width are a word, if they are not known to be several.
    let one_word;
    let widths: &[u8] = match ids.width() {
        Some(width) if width > 0 && width == layout.row_len() => layout.widths(),
        Some(width @ 1..=16) => {
            one_word = [width as u8];
            &one_word
        }
        _ => &[],
    };
    if !widths.is_empty() {
        let before = sink.here()?;
        let mut start = 0;
        let words = widths.iter().map(|width| {
            let from = start;
            start += usize::from(*width);
            word_of(ids, *width, from..start)
        });
        let words: Vec<(u8, Vec<u128>)> = words.collect();
        let words: Vec<_> =
            words.iter().map(|(width, values)| FixedInput::Wide { width: *width, values }).collect();
        if let Some(at) = write_words(&words, buffers, sink)? {
            return Ok(Written { at, words: widths.len() as u8, first, last });
        }
        sink.back_to(before);
    }
    Ok(Written { at: write_bytes(ids, buffers, sink)?, words: 0, first, last })
}

fn word_of(ids: &Ids<'_>, width: u8, place: std::ops::Range<usize>) -> (u8, Vec<u128>) {
    let value = |id: &[u8]| {
        let part = id.get(place.clone()).unwrap_or_default();
        part.iter().fold(0u128, |value, byte| value << 8 | u128::from(*byte))
    };
    (width, ids.iter().map(value).collect())
}

fn write_bytes(ids: &Ids<'_>, buffers: &mut Buffers, sink: &mut Sink<'_>) -> Result<u32> {
    let first = ids.iter().next().unwrap_or_default();
    let last = ids.iter().last().unwrap_or_default();
    // Sorted: what the first and the last share, all share.
    let prefix = first.iter().zip(last).take_while(|(a, b)| a == b).count();
    let at = sink.leave(FRONT_CODED_HEADER)?;
    sink.bytes().extend_from_slice(first.get(..prefix).unwrap_or_default());
    let data_at = sink.here()?;
    let groups = &mut buffers.reduced;
    groups.clear();
    for from in (0..ids.len()).step_by(GROUP) {
        groups.push(u64::from(sink.here()? - data_at));
        let group =
            (from..(from + GROUP).min(ids.len())).map(|row| ids.get(row).get(prefix..).unwrap_or_default());
        FrontCoded::append_group(group, sink.bytes());
    }
    let groups_at = sink.here()?;
    let bits = packing::bits_for(groups.last().copied().unwrap_or(0));
    packing::pack(groups, bits, sink.bytes());
    let mut header = Vec::with_capacity(FRONT_CODED_HEADER);
    header.extend_from_slice(&count(prefix)?.to_le_bytes());
    header.extend_from_slice(&(groups_at - data_at).to_le_bytes());
    header.extend_from_slice(&[bits, 0, 0, 0]);
    header.extend_from_slice(&groups_at.to_le_bytes());
    sink.patch(at, &header);
    Ok(at)
}
