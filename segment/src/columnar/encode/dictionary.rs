//! Finding the distinct values of a column.

use super::strings::Strings;
use super::{Sink, ValidityInput, count};
use crate::Result;
use crate::columnar::dictionary::{ANY_WIDTH, HEADER};
use crate::packing;

/// Distinct values in ascending order, one after the other. The rows' places among them are in the buffer that was filled.
#[derive(Debug, Default)]
pub(super) struct Entries {
    ends: Vec<u32>,
    data: Vec<u8>,
}

impl Entries {
    fn push(&mut self, entry: &[u8]) {
        self.data.extend_from_slice(entry);
        // Entries are no more than the column, whose offsets are so too.
        self.ends.push(self.data.len() as u32);
    }

    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    fn get(&self, code: usize) -> &[u8] {
        let end_of = |code: usize| self.ends.get(code).map_or(0, |end| *end as usize);
        let start = code.checked_sub(1).map_or(0, end_of);
        self.data.get(start..end_of(code)).unwrap_or_default()
    }

    pub(super) fn first(&self) -> &[u8] {
        self.get(0)
    }

    pub(super) fn last(&self) -> &[u8] {
        self.get(self.len().saturating_sub(1))
    }

    pub(super) fn is_utf8(&self) -> bool {
        (0..self.len()).all(|code| std::str::from_utf8(self.get(code)).is_ok())
    }

    /// The length of every entry, if it is the same.
    pub(super) fn width(&self) -> Option<u32> {
        let first = *self.ends.first()?;
        let same = self.ends.iter().zip(1..).all(|(end, entries)| first.checked_mul(entries) == Some(*end));
        same.then_some(first)
    }

    fn bits(&self) -> u8 {
        packing::bits_for(self.len().saturating_sub(1) as u64)
    }

    /// What writing this takes, in bytes.
    pub(super) fn size(&self, rows: usize) -> usize {
        self.data.len() + 4 * self.ends.len() + packing::packed_len(rows, self.bits())
    }

    /// Appends the entries and the rows' codes; gives their header.
    pub(super) fn write(&self, codes: &[u64], sink: &mut Sink<'_>) -> Result<[u8; HEADER]> {
        let ends_at = sink.here()?;
        sink.bytes().extend(self.ends.iter().flat_map(|end| end.to_le_bytes()));
        sink.bytes().extend_from_slice(&self.data);
        let codes_at = sink.here()?;
        packing::pack(codes, self.bits(), sink.bytes());
        let mut header = [0; HEADER];
        let fields = [
            self.width().unwrap_or(ANY_WIDTH),
            count(self.ends.len())?,
            ends_at,
            count(self.data.len())?,
            u32::from(self.bits()),
            codes_at,
        ];
        let fields = fields.into_iter().flat_map(u32::to_le_bytes);
        header.iter_mut().zip(fields).for_each(|(byte, field)| *byte = field);
        Ok(header)
    }
}

/// Numbers values in the order in which they come up.
#[derive(Debug)]
struct Numbering {
    /// A value's number + 1; 0: free. Never more than half full.
    slots: Vec<u32>,
    shift: u32,
}

impl Numbering {
    /// Room for up to `limit` values.
    fn new(limit: usize) -> Self {
        let slots = (2 * limit.max(1)).next_power_of_two().max(16);
        Self { slots: vec![0; slots], shift: u64::BITS - slots.trailing_zeros() }
    }

    /// The number of a value with this hash, for which `is_same` holds; `next` if it is new. No more than `limit` may be new.
    #[inline]
    fn number(&mut self, hash: u64, next: u32, is_same: impl Fn(u32) -> bool) -> u32 {
        let mask = self.slots.len() - 1;
        let mut place = (hash >> self.shift) as usize;
        loop {
            let Some(slot) = self.slots.get_mut(place & mask) else { return next };
            match *slot {
                0 => {
                    *slot = next + 1;
                    return next;
                }
                number if is_same(number - 1) => return number - 1,
                _ => place += 1,
            }
        }
    }
}

/// Mixes so that the high bits depend on all of them.
#[inline]
fn hash(value: u64) -> u64 {
    let value = value.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    (value ^ (value >> 32)).wrapping_mul(0xD6E8_FEB8_6659_FD93)
}

#[inline]
fn hash_bytes(bytes: &[u8]) -> u64 {
    let (words, rest) = bytes.as_chunks::<8>();
    let tail = rest.iter().fold(bytes.len() as u64, |tail, byte| tail << 8 | u64::from(*byte));
    words.iter().fold(hash(tail), |mixed, word| hash(mixed.rotate_left(23) ^ u64::from_le_bytes(*word)))
}

/// Turns numbers in order of appearance into places in ascending order.
fn rank(codes: &mut [u64], order: &[u32]) {
    let mut ranks = vec![0u64; order.len()];
    for (place, number) in (0..).zip(order) {
        if let Some(rank) = ranks.get_mut(*number as usize) {
            *rank = place;
        }
    }
    codes.iter_mut().for_each(|code| *code = ranks.get(*code as usize).copied().unwrap_or(0));
}

/// The distinct integers, ascending, and in `codes` each row's place among them; `None` if there are more than `limit`.
pub(super) fn of_integers(values: &[u64], limit: usize, codes: &mut Vec<u64>) -> Option<Vec<u64>> {
    let mut numbering = Numbering::new(limit);
    let mut found: Vec<u64> = Vec::with_capacity(limit);
    codes.clear();
    for value in values {
        let number = numbering
            .number(hash(*value), found.len() as u32, |number| found.get(number as usize) == Some(value));
        if number as usize == found.len() {
            if found.len() == limit {
                return None;
            }
            found.push(*value);
        }
        codes.push(u64::from(number));
    }
    let mut order: Vec<u32> = (0..found.len() as u32).collect();
    order.sort_unstable_by_key(|number| found.get(*number as usize));
    rank(codes, &order);
    found.sort_unstable();
    Some(found)
}

/// Entries of integers whose bytes `bytes` gives.
pub(super) fn entries_of_integers<B: AsRef<[u8]>>(found: &[u64], bytes: impl Fn(u64) -> B) -> Entries {
    let mut entries = Entries::default();
    found.iter().for_each(|value| entries.push(bytes(*value).as_ref()));
    entries
}

/// After so many values, most of them have to have come up before.
const TRIAL: usize = 256;

/// The distinct strings, and in `codes` each row's place among them; `None` if there are more than a dictionary is good for.
pub(super) fn of_strings(
    strings: &Strings<'_>,
    valid: Option<ValidityInput<'_>>,
    codes: &mut Vec<u64>,
) -> Option<Entries> {
    let limit = (strings.len() / 4).max(1);
    let mut numbering = Numbering::new(limit);
    let mut found: Vec<&[u8]> = Vec::with_capacity(limit.min(TRIAL));
    codes.clear();
    for (row, value) in strings.iter().enumerate() {
        if valid.is_some_and(|valid| !valid.is_set(row)) {
            codes.push(0);
            continue;
        }
        let number = numbering.number(hash_bytes(value), found.len() as u32, |number| {
            found.get(number as usize) == Some(&value)
        });
        if number as usize == found.len() {
            if found.len() == limit || (row == TRIAL && found.len() > TRIAL / 8 * 7) {
                return None;
            }
            found.push(value);
        }
        codes.push(u64::from(number));
    }
    let mut order: Vec<u32> = (0..found.len() as u32).collect();
    order.sort_unstable_by_key(|number| found.get(*number as usize));
    rank(codes, &order);
    found.sort_unstable();
    let mut entries = Entries::default();
    found.iter().for_each(|entry| entries.push(entry));
    Some(entries)
}
