//! Row ids cut into integers.

use std::ops::Range;

use super::partition_point;
use crate::Result;
use crate::columnar::integers::{HEADER, Integers, ValueBytes, least_not_below};

/// Row ids of one width: the words of each, in big-endian order.
#[derive(Debug, Clone)]
pub(in crate::columnar) struct Words<'a> {
    words: Vec<Integers<'a>>,
    rows: usize,
}

impl<'a> Words<'a> {
    /// The headers of the words follow each other.
    pub(super) fn open(segment: &'a [u8], offset: usize, rows: usize, words: u8) -> Result<Self> {
        let headers = (0..usize::from(words)).map(|word| offset.saturating_add(word * HEADER));
        let words = headers.map(|at| Integers::open(segment, at, rows)).collect::<Result<_>>()?;
        Ok(Self { words, rows })
    }

    pub(super) fn list(&self) -> &[Integers<'a>] {
        &self.words
    }

    pub(super) fn get(&self, row: usize, out: &mut Vec<u8>) -> Result<()> {
        out.clear();
        for word in &self.words {
            out.extend_from_slice(ValueBytes::new(word.value(row)?, word.width()).as_ref());
        }
        Ok(())
    }

    pub(super) fn for_each(&self, rows: Range<usize>, mut visit: impl FnMut(usize, &[u8])) -> Result<()> {
        let mut columns = Vec::with_capacity(self.words.len());
        for word in &self.words {
            let mut values = Vec::with_capacity(rows.len());
            word.unpack_u64(rows.clone(), &mut values)?;
            columns.push((word, values));
        }
        let mut id = Vec::new();
        for (index, row) in rows.enumerate() {
            id.clear();
            for (word, values) in &columns {
                let value = values.get(index).map_or(0, |v| word.value_of(*v));
                id.extend_from_slice(ValueBytes::new(value, word.width()).as_ref());
            }
            visit(row, &id);
        }
        Ok(())
    }

    pub(super) fn lower_bound(&self, wanted: &[u8]) -> Result<usize> {
        let (mut low, mut high) = (0, self.rows);
        let mut rest = wanted;
        for (index, word) in self.words.iter().enumerate() {
            let last = index + 1 == self.words.len();
            // All of the rest for the last word, so that longer ids fall behind it; only its own bytes for the others.
            let part = if last { rest } else { rest.get(..word.width()).unwrap_or(rest) };
            let Some(bound) = least_not_below(part, word.width()) else { return Ok(high) };
            let first = word.first_not_below(bound);
            low = match first {
                Some(first) => partition_point(low, high, |row| Ok(word.get(row)? < first))?,
                None => high,
            };
            if last || low == high {
                return Ok(low);
            }
            if first.is_none_or(|first| word.value_of(first) != bound) {
                return Ok(low);
            }
            let first = first.unwrap_or(0);
            high = partition_point(low, high, |row| Ok(word.get(row)? <= first))?;
            rest = rest.get(word.width()..).unwrap_or_default();
        }
        Ok(low)
    }
}
