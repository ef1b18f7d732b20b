//! Row ids cut into integers.

use std::cmp::Ordering;
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

    /// The first row whose id is not below `wanted`; the number of rows if all are.
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

    /// As [`lower_bound`](Self::lower_bound): steps that double lead away from the row `from` until the bound lies between
    /// two of them.
    pub(super) fn lower_bound_near(&self, from: usize, wanted: &[u8]) -> Result<usize> {
        let Some(nearby) = Nearby::new(self, wanted) else { return self.lower_bound(wanted) };
        let (mut low, mut high, mut step) = (0, self.rows, 1);
        if from < high && nearby.is_below(from)? {
            low = from + 1;
            while let Some(probe) = low.checked_add(step - 1).filter(|probe| *probe < self.rows) {
                if !nearby.is_below(probe)? {
                    high = probe;
                    break;
                }
                (low, step) = (probe + 1, step * 2);
            }
        } else {
            high = high.min(from);
            while let Some(probe) = high.checked_sub(step) {
                if nearby.is_below(probe)? {
                    low = probe + 1;
                    break;
                }
                (high, step) = (probe, step * 2);
            }
        }
        partition_point(low, high, |row| nearby.is_below(row))
    }
}

/// A row id that rows are compared with: mostly the first word tells.
struct Nearby<'w, 'a> {
    words: &'w Words<'a>,
    wanted: &'w [u8],
    first: &'w Integers<'a>,
    /// The first word of the least id that is not below.
    least: u64,
    /// Its value is that of the id's first word.
    exact: bool,
}

impl<'w, 'a> Nearby<'w, 'a> {
    /// `None` if every row is below, as far as first words tell.
    fn new(words: &'w Words<'a>, wanted: &'w [u8]) -> Option<Self> {
        let first = words.words.first()?;
        let bound = least_not_below(wanted.get(..first.width()).unwrap_or(wanted), first.width())?;
        let least = first.first_not_below(bound)?;
        let exact = first.value_of(least) == bound;
        Some(Self { words, wanted, first, least, exact })
    }

    fn is_below(&self, row: usize) -> Result<bool> {
        match self.first.get(row)?.cmp(&self.least) {
            Ordering::Less => return Ok(true),
            Ordering::Greater => return Ok(false),
            Ordering::Equal if !self.exact => return Ok(false),
            Ordering::Equal => {}
        }
        let mut rest = self.wanted;
        for word in &self.words.words {
            let value = ValueBytes::new(word.value(row)?, word.width());
            let (part, after) = rest.split_at(word.width().min(rest.len()));
            match value.as_ref().cmp(part) {
                Ordering::Less => return Ok(true),
                Ordering::Greater => return Ok(false),
                Ordering::Equal => rest = after,
            }
        }
        Ok(!rest.is_empty())
    }
}
