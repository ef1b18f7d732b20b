//! Columns of byte strings on their way into a segment.

use super::{ValidityInput, ValuesInput};
use crate::{Error, Result};

/// Byte strings one after the other.
#[derive(Debug, Clone, Copy)]
pub(super) struct Strings<'a> {
    /// Where each starts, and the last one's end: one more than strings. The first is 0.
    offsets: &'a [u32],
    /// All of it belongs to the strings.
    data: &'a [u8],
}

/// Memory for [`Strings`].
#[derive(Debug, Default)]
pub(super) struct StringBuffers {
    offsets: Vec<u32>,
    data: Vec<u8>,
}

impl<'a> Strings<'a> {
    /// Strings with these offsets, ascending from 0 to the length of `data`.
    pub(super) fn new(offsets: &'a [u32], data: &'a [u8]) -> Self {
        Self { offsets, data }
    }

    /// The values of a column; rows without one get the empty string.
    pub(super) fn of(
        values: &ValuesInput<'a>,
        valid: Option<ValidityInput<'_>>,
        rows: usize,
        buffers: &'a mut StringBuffers,
    ) -> Result<Self> {
        let StringBuffers { offsets, data } = buffers;
        offsets.clear();
        data.clear();
        offsets.reserve(rows + 1);
        match values {
            ValuesInput::Constant(value) => {
                offsets.push(0);
                for row in 0..rows {
                    if valid.is_none_or(|valid| valid.is_set(row)) {
                        data.extend_from_slice(value);
                    }
                    offsets.push(super::count(data.len())?);
                }
                Ok(Self { offsets, data })
            }
            ValuesInput::Bytes { offsets: given, data: given_data } => {
                let wrong = || Error::Unencodable { what: "a column has wrong offsets", row: 0 };
                let (first, last) = (given.first().copied().unwrap_or(0), given.last().copied().unwrap_or(0));
                if valid.is_none_or(|valid| valid.absent_are_empty(given)) {
                    // They have been checked to ascend from 0 or more.
                    offsets.extend(given.iter().map(|offset| (offset - first) as u32));
                    let data = given_data.get(first as usize..last as usize).ok_or_else(wrong)?;
                    return Ok(Self { offsets, data });
                }
                offsets.push(0);
                for (row, pair) in given.windows(2).enumerate() {
                    if let (&[start, end], true) = (pair, valid.is_none_or(|valid| valid.is_set(row))) {
                        data.extend_from_slice(
                            given_data.get(start as usize..end as usize).ok_or_else(wrong)?,
                        );
                    }
                    offsets.push(super::count(data.len())?);
                }
                Ok(Self { offsets, data })
            }
            ValuesInput::Fixed(fixed) => {
                offsets.push(0);
                let start = 16 - usize::from(fixed.width());
                for row in 0..rows {
                    if valid.is_none_or(|valid| valid.is_set(row)) {
                        data.extend_from_slice(
                            fixed.value(row).to_be_bytes().get(start..).unwrap_or_default(),
                        );
                    }
                    offsets.push(super::count(data.len())?);
                }
                Ok(Self { offsets, data })
            }
        }
    }

    pub(super) fn len(&self) -> usize {
        self.offsets.len().saturating_sub(1)
    }

    pub(super) fn data(&self) -> &'a [u8] {
        self.data
    }

    pub(super) fn offsets(&self) -> &'a [u32] {
        self.offsets
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &'a [u8]> + Clone {
        let data = self.data;
        self.offsets.windows(2).map(move |pair| match pair {
            &[start, end] => data.get(start as usize..end as usize).unwrap_or_default(),
            _ => &[],
        })
    }

    /// The strings of the rows that have a value.
    fn present<'s>(&'s self, valid: Option<ValidityInput<'s>>) -> impl Iterator<Item = &'a [u8]> + 's {
        let has = move |row: usize| valid.is_none_or(|valid| valid.is_set(row));
        self.iter().enumerate().filter(move |(row, _)| has(*row)).map(|(_, value)| value)
    }

    /// The length of every value, if it is the same and there is one.
    pub(super) fn width(&self, valid: Option<ValidityInput<'_>>) -> Option<usize> {
        let lengths =
            || self.offsets.windows(2).map(|pair| if let [start, end] = pair { end - start } else { 0 });
        match valid {
            None => {
                let first = lengths().next()?;
                let differ = lengths().fold(0, |differ, length| differ | (length ^ first));
                (differ == 0).then_some(first as usize)
            }
            Some(valid) => {
                let mut present =
                    lengths().enumerate().filter(|(row, _)| valid.is_set(*row)).map(|(_, length)| length);
                let first = present.next()?;
                present.all(|length| length == first).then_some(first as usize)
            }
        }
    }

    /// The least and the greatest value.
    pub(super) fn extremes(&self, valid: Option<ValidityInput<'_>>) -> (&'a [u8], &'a [u8]) {
        let mut values = self.present(valid);
        let Some(first) = values.next() else { return (&[], &[]) };
        let (mut least, mut most) = (first, first);
        let (mut least_head, mut most_head) = (head(first), head(first));
        for value in values {
            // Eight bytes mostly decide, and faster than a call.
            let value_head = head(value);
            if value_head < least_head || value_head == least_head && value < least {
                (least, least_head) = (value, value_head);
            } else if value_head > most_head || value_head == most_head && value > most {
                (most, most_head) = (value, value_head);
            }
        }
        (least, most)
    }

    /// Whether every value is UTF-8.
    pub(super) fn is_utf8(&self) -> bool {
        if self.data.is_ascii() {
            return true;
        }
        let Ok(text) = std::str::from_utf8(self.data) else { return false };
        self.offsets.iter().all(|offset| text.is_char_boundary(*offset as usize))
    }

    /// Values of `width` bytes, 1 to 8, as integers; other lengths have 0.
    pub(super) fn narrow(&self, width: usize, integers: &mut Vec<u64>) {
        integers.clear();
        integers.extend(
            self.iter().map(|value| if value.len() == width { head(value) >> (64 - 8 * width) } else { 0 }),
        );
    }

    /// Values of up to 16 bytes as integers.
    pub(super) fn wide(&self, integers: &mut Vec<u128>) {
        integers.clear();
        integers.extend(
            self.iter().map(|value| value.iter().fold(0, |number, byte| number << 8 | u128::from(*byte))),
        );
    }
}

/// The first eight bytes as a number, zeros behind a shorter string: never less for a greater string.
#[inline]
fn head(value: &[u8]) -> u64 {
    match value.first_chunk() {
        Some(head) => u64::from_be_bytes(*head),
        None => {
            value.iter().fold(0, |number, byte| number << 8 | u64::from(*byte))
                << (8 * (7 - value.len()))
                << 8
        }
    }
}
