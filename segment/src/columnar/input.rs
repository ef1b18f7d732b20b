//! What bulk encoding takes: whole columns, as they lie in Arrow arrays.

use super::{RowLayout, validity};

/// The row ids of a segment to be, strictly ascending.
#[derive(Debug, Clone, Copy)]
pub enum RowsInput<'a> {
    /// Row ids of fixed width, word by word; see [`RowLayout::words`](super::RowLayout::words). All words have one value a row.
    Words(&'a [FixedInput<'a>]),
    /// Any row ids: `offsets[i]..offsets[i + 1]` of `data` is the id of row `i`.
    Bytes {
        /// One more than rows.
        offsets: &'a [i32],
        /// The ids.
        data: &'a [u8],
        /// How to cut them.
        layout: &'a RowLayout,
    },
}

/// Values of one width as unsigned integers in big-endian order: the encoding keeps the order.
#[derive(Debug, Clone, Copy)]
pub enum FixedInput<'a> {
    /// At most 8 bytes wide.
    Narrow {
        /// Width in bytes, 1 to 8.
        width: u8,
        /// One value a row.
        values: &'a [u64],
    },
    /// At most 16 bytes wide.
    Wide {
        /// Width in bytes, 1 to 16.
        width: u8,
        /// One value a row.
        values: &'a [u128],
    },
}

/// One column of a segment to be: at most one cell a row, all with the time and label of the segment.
#[derive(Debug, Clone, Copy)]
pub struct ColumnInput<'a> {
    /// The column family.
    pub family: &'a [u8],
    /// The column qualifier.
    pub qualifier: &'a [u8],
    /// The values; those of rows without one are not looked at.
    pub values: ValuesInput<'a>,
    /// Which rows have a cell; `None`: all.
    pub valid: Option<ValidityInput<'a>>,
}

/// The values of a [`ColumnInput`].
#[derive(Debug, Clone, Copy)]
pub enum ValuesInput<'a> {
    /// Of one width.
    Fixed(FixedInput<'a>),
    /// `offsets[i]..offsets[i + 1]` of `data` is the value of row `i`.
    Bytes {
        /// One more than rows.
        offsets: &'a [i32],
        /// The values.
        data: &'a [u8],
    },
    /// The same in every row.
    Constant(&'a [u8]),
}

/// A bit a row, the least significant of a byte first, set where there is a value: Arrow's null buffer.
#[derive(Debug, Clone, Copy)]
pub struct ValidityInput<'a> {
    /// The bits.
    pub bits: &'a [u8],
    /// Which of them belongs to the first row.
    pub offset: usize,
}

impl RowsInput<'_> {
    /// How many rows there are.
    pub fn len(&self) -> usize {
        match self {
            Self::Words(words) => words.first().map_or(0, FixedInput::len),
            Self::Bytes { offsets, .. } => offsets.len().saturating_sub(1),
        }
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Appends the id of a row to `out`.
    pub fn append_id(&self, row: usize, out: &mut Vec<u8>) {
        match self {
            Self::Words(words) => words.iter().for_each(|word| word.append_bytes(row, out)),
            Self::Bytes { offsets, data, .. } => out.extend_from_slice(byte_string(offsets, data, row)),
        }
    }

    /// The bytes of all ids.
    pub fn byte_len(&self) -> usize {
        match self {
            Self::Words(words) => words.iter().map(FixedInput::byte_len).sum(),
            Self::Bytes { offsets, .. } => span(offsets),
        }
    }
}

impl ColumnInput<'_> {
    /// Appends the value of a row to `out`; `false`: it has no cell.
    pub fn append_value(&self, row: usize, out: &mut Vec<u8>) -> bool {
        if self.valid.is_some_and(|valid| !valid.is_set(row)) {
            return false;
        }
        match &self.values {
            ValuesInput::Fixed(fixed) => fixed.append_bytes(row, out),
            ValuesInput::Bytes { offsets, data } => out.extend_from_slice(byte_string(offsets, data, row)),
            ValuesInput::Constant(value) => out.extend_from_slice(value),
        }
        true
    }

    /// The bytes of all values, about: those of rows without a cell are counted as they lie there.
    pub fn byte_len(&self) -> usize {
        match &self.values {
            ValuesInput::Fixed(fixed) => fixed.byte_len(),
            ValuesInput::Bytes { offsets, .. } => span(offsets),
            ValuesInput::Constant(_) => 0,
        }
    }
}

fn byte_string<'a>(offsets: &[i32], data: &'a [u8], row: usize) -> &'a [u8] {
    let place = |at: usize| offsets.get(at).and_then(|offset| usize::try_from(*offset).ok());
    let string = place(row).zip(place(row + 1)).and_then(|(start, end)| data.get(start..end));
    string.unwrap_or_default()
}

fn span(offsets: &[i32]) -> usize {
    let ends = offsets.first().zip(offsets.last());
    ends.and_then(|(start, end)| usize::try_from(end - start).ok()).unwrap_or(0)
}

impl FixedInput<'_> {
    pub(super) fn width(&self) -> u8 {
        let (Self::Narrow { width, .. } | Self::Wide { width, .. }) = self;
        *width
    }

    pub(super) fn len(&self) -> usize {
        match self {
            Self::Narrow { values, .. } => values.len(),
            Self::Wide { values, .. } => values.len(),
        }
    }

    /// The value of a row; 0 past the end.
    pub(super) fn value(&self, row: usize) -> u128 {
        match self {
            Self::Narrow { values, .. } => values.get(row).map_or(0, |value| u128::from(*value)),
            Self::Wide { values, .. } => values.get(row).copied().unwrap_or(0),
        }
    }

    fn append_bytes(&self, row: usize, out: &mut Vec<u8>) {
        let start = 16 - usize::from(self.width().min(16));
        out.extend_from_slice(self.value(row).to_be_bytes().get(start..).unwrap_or_default());
    }

    fn byte_len(&self) -> usize {
        self.len() * usize::from(self.width())
    }

    /// The largest value of the width.
    pub(super) fn limit(&self) -> u128 {
        u128::MAX.checked_shr(128 - 8 * u32::from(self.width().min(16))).unwrap_or(0)
    }
}

impl ValidityInput<'_> {
    #[inline]
    pub(super) fn is_set(&self, row: usize) -> bool {
        validity::is_set(self.bits, self.offset + row)
    }

    /// The bits of up to 64 of `rows` rows, from row `from` on.
    fn word(&self, from: usize, rows: usize) -> u64 {
        let at = self.offset + from;
        let bytes = self.bits.get(at / 8..).unwrap_or_default();
        let shift = at % 8;
        let low = match bytes.first_chunk() {
            Some(word) => u64::from_le_bytes(*word),
            None => bytes.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte)),
        };
        let high = bytes.get(8).map_or(0, |byte| u64::from(*byte));
        let word = if shift == 0 { low } else { low >> shift | high << (64 - shift) };
        let wanted = rows.saturating_sub(from).min(64) as u32;
        word & u64::MAX.checked_shr(64 - wanted).unwrap_or(0)
    }

    fn words(&self, rows: usize) -> impl Iterator<Item = u64> {
        (0..rows).step_by(64).map(move |from| self.word(from, rows))
    }

    /// How many of the first `rows` rows have a value.
    pub(super) fn count(&self, rows: usize) -> usize {
        self.words(rows).map(|word| word.count_ones() as usize).sum()
    }

    /// The first of `rows` rows that has a value.
    pub(super) fn first(&self, rows: usize) -> Option<usize> {
        let found = self.words(rows).enumerate().find(|(_, word)| *word != 0);
        found.map(|(index, word)| index * 64 + word.trailing_zeros() as usize)
    }

    /// Appends the bits of `rows` rows, those past them 0.
    pub(super) fn append(&self, rows: usize, out: &mut Vec<u8>) {
        let end = out.len() + rows.div_ceil(8);
        out.extend(self.words(rows).flat_map(u64::to_le_bytes));
        out.truncate(end);
    }

    /// Sets `filled` to the values of rows that have one, and elsewhere to the first such value.
    pub(super) fn fill<T: Copy + Default>(&self, values: &[T], filled: &mut Vec<T>) {
        let first = self.first(values.len()).and_then(|row| values.get(row)).copied().unwrap_or_default();
        filled.clear();
        for (part, word) in values.chunks(64).zip(self.words(values.len())) {
            if word == u64::MAX {
                filled.extend_from_slice(part);
            } else {
                filled.extend(
                    part.iter()
                        .enumerate()
                        .map(|(bit, value)| if word >> bit & 1 == 1 { *value } else { first }),
                );
            }
        }
    }

    /// Whether rows without a value have no bytes either.
    pub(super) fn absent_are_empty(&self, offsets: &[i32]) -> bool {
        let lengths = offsets.windows(2).map(|pair| if let [start, end] = pair { end - start } else { 0 });
        lengths.enumerate().all(|(row, length)| length == 0 || self.is_set(row))
    }
}
