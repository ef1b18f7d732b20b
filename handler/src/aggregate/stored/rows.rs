//! [`Rows`]: which rows of a segment are looked at.

use std::ops::Range;

use super::Read;
use crate::rows::{StoredColumn, StoredPlace};

/// As many rows are added up at a time: the results of all steps stay in the processor's caches.
const BLOCK: usize = 1024;

/// Rows of a segment, ascending.
#[derive(Debug, Clone)]
pub(super) enum Rows<'h> {
    /// All from one to another, and which of them do not count, if any.
    Span(Range<usize>, &'h [u32]),
    /// Few of many.
    Each(&'h [u32]),
}

impl<'h> Rows<'h> {
    /// The rows of some hits; `None` if there are none, or they are not ascending. With `gaps`, rows among them that do not
    /// count may be looked at too.
    pub(super) fn of(hits: &'h [u32], gaps: bool) -> Option<Self> {
        let (first, last) = (*hits.first()?, *hits.last()?);
        let span = (last.checked_sub(first)? as usize) + 1;
        let dense = if gaps { hits.len() * 2 >= span } else { hits.len() == span };
        Some(if dense { Self::Span(first as usize..last as usize + 1, hits) } else { Self::Each(hits) })
    }

    /// How many are looked at.
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Span(rows, _) => rows.len(),
            Self::Each(hits) => hits.len(),
        }
    }

    /// The rows in parts, each with its place among all.
    pub(super) fn blocks(&self) -> impl Iterator<Item = (usize, Self)> + use<'h> {
        let (count, whole) = (self.len(), self.clone());
        (0..count).step_by(BLOCK).map(move |at| {
            let end = (at + BLOCK).min(count);
            let part = match &whole {
                Self::Span(rows, hits) => Self::Span(rows.start + at..rows.start + end, hits),
                Self::Each(hits) => Self::Each(hits.get(at..end).unwrap_or_default()),
            };
            (at, part)
        })
    }

    /// Sets what stands for the rows that do not count to `apart`. The rows are all, not a part of them.
    pub(super) fn set_apart(&self, ids: &mut [u16], apart: u16) {
        let Self::Span(rows, hits) = self else { return };
        if hits.len() == rows.len() {
            return;
        }
        let mut next = rows.start;
        for some in hits.chunks(32) {
            let (first, last) = match some {
                [first, .., last] => (*first as usize, *last as usize),
                [one] => (*one as usize, *one as usize),
                [] => continue,
            };
            // Most chunks have no gap.
            if first == next && last - first + 1 == some.len() {
                next = last + 1;
                continue;
            }
            for hit in some {
                let hit = *hit as usize;
                if hit > next
                    && let Some(gap) = ids.get_mut(next - rows.start..hit - rows.start)
                {
                    gap.fill(apart);
                }
                next = hit + 1;
            }
        }
    }

    /// Sets `mask` to 1 for rows that have a value, to 0 for others; to nothing if all have one.
    pub(super) fn present(&self, column: &StoredColumn<'_>, mask: &mut Vec<u8>) -> Read<()> {
        mask.clear();
        match (column.place, self) {
            (StoredPlace::Nowhere, _) => mask.resize(self.len(), 0),
            (StoredPlace::Word(_), _) => {}
            (StoredPlace::Chunk(chunk), _) if chunk.absent() == 0 => {}
            (StoredPlace::Chunk(chunk), Self::Span(rows, _)) => {
                mask.resize(rows.len(), 0);
                chunk.present(rows.clone(), mask)?;
            }
            (StoredPlace::Chunk(chunk), Self::Each(hits)) => {
                mask.extend(hits.iter().map(|hit| u8::from(chunk.is_present(*hit as usize))));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_close_together_are_a_span_whose_gaps_are_set_apart() {
        for missing in [vec![], vec![3], vec![40, 41, 42, 90], vec![33, 64, 65, 96, 97]] {
            let hits: Vec<u32> = (2..100).filter(|row| !missing.contains(row)).collect();
            let rows = Rows::of(&hits, true).unwrap();
            assert!(matches!(&rows, Rows::Span(span, _) if *span == (2..100)), "{rows:?}");
            let mut ids = vec![0; rows.len()];
            rows.set_apart(&mut ids, 7);
            let apart: Vec<u32> = (2..100).filter(|row| ids[*row as usize - 2] == 7).collect();
            assert_eq!(apart, missing);
        }
    }

    #[test]
    fn rows_far_apart_are_looked_at_one_by_one() {
        assert!(matches!(Rows::of(&[1, 9, 30], true), Some(Rows::Each(_))));
        assert!(matches!(Rows::of(&[1, 2, 4], false), Some(Rows::Each(_))));
        assert!(matches!(Rows::of(&[1, 2, 3], false), Some(Rows::Span(..))));
        assert!(Rows::of(&[], true).is_none() && Rows::of(&[3, 2], true).is_none());
    }

    #[test]
    fn blocks_are_all_rows_in_order() {
        let hits: Vec<u32> = (5..2500).collect();
        let blocks: Vec<(usize, Rows<'_>)> = Rows::of(&hits, true).unwrap().blocks().collect();
        let spans: Vec<(usize, Range<usize>)> = blocks
            .iter()
            .map(|(at, rows)| match rows {
                Rows::Span(span, _) => (*at, span.clone()),
                Rows::Each(_) => panic!("{rows:?}"),
            })
            .collect();
        assert_eq!(spans, [(0, 5..1029), (1024, 1029..2053), (2048, 2053..2500)]);
    }
}
