//! The tests of a filter, answered for the rows of a segment by the cheapest means its columns allow.

use std::ops::Range;

use ostracon_compare::RowPlace;
use ostracon_iterators::{LeafTest, Operand, OperandSource, TruthMask};
use ostracon_segment::{Chunk, Dictionary, Integers, Scratch, Segment};

use super::Problem;
use crate::scan::metrics::ScanMetrics;

/// Some rows of a segment, as tests look at them.
pub(super) struct Leaves<'a> {
    pub(super) segment: &'a Segment<'a>,
    pub(super) rows: Range<usize>,
    pub(super) scratch: &'a mut Scratch,
    /// Memory for masks.
    pub(super) present: &'a mut Vec<u8>,
    pub(super) other: &'a mut Vec<u8>,
    pub(super) metrics: &'a mut ScanMetrics,
}

impl Leaves<'_> {
    /// Fills `mask`, which is all FALSE, with the test's answers for the rows that are `wanted` (1; `None` is all).
    pub(super) fn decide(
        &mut self,
        leaf: &LeafTest,
        wanted: Option<&[u8]>,
        mask: &mut TruthMask,
    ) -> Result<(), Problem> {
        self.metrics.cells_read += self.rows.len() as u64;
        if leaf.other_index().is_some() {
            return self.each(leaf, wanted, mask);
        }
        match &leaf.operand().source {
            OperandSource::Cell { family, qualifier } => match self.segment.column(family, qualifier) {
                Some(column) => self.decide_chunk(leaf, &column.chunk().clone(), wanted, mask),
                None => {
                    mask.fill(leaf.when_absent());
                    Ok(())
                }
            },
            _ => match (leaf.accepted(), leaf.place().and_then(|place| word_at(self.segment, place))) {
                (Some(accepted), Some(word)) => {
                    word.contains(accepted, self.rows.clone(), mask.truth_mut())?;
                    leaf.settle(None, mask);
                    Ok(())
                }
                _ => self.each(leaf, wanted, mask),
            },
        }
    }

    fn decide_chunk(
        &mut self,
        leaf: &LeafTest,
        chunk: &Chunk<'_>,
        wanted: Option<&[u8]>,
        mask: &mut TruthMask,
    ) -> Result<(), Problem> {
        match (leaf.accepted(), chunk.dictionary()) {
            (Some(accepted), _) => {
                chunk.contains(accepted, self.rows.clone(), self.scratch, mask.truth_mut())?
            }
            (None, Some(dictionary)) => return self.by_entry(leaf, chunk, dictionary, mask),
            (None, None) => return self.each(leaf, wanted, mask),
        }
        let absent = chunk.absent() > 0;
        if !absent && leaf.null_values().is_none() {
            leaf.settle(None, mask);
            return Ok(());
        }
        self.present(chunk)?;
        if let Some(null) = leaf.null_values() {
            self.other.clear();
            self.other.resize(self.rows.len(), 0);
            chunk.contains(null, self.rows.clone(), self.scratch, self.other)?;
            ostracon_segment::mask::and_not(self.present, self.other);
        }
        leaf.settle(Some(self.present), mask);
        Ok(())
    }

    /// Sets `self.present` to the rows with a value.
    fn present(&mut self, chunk: &Chunk<'_>) -> Result<(), Problem> {
        self.present.clear();
        self.present.resize(self.rows.len(), 1);
        if chunk.absent() > 0 {
            chunk.present(self.rows.clone(), self.present)?;
        }
        Ok(())
    }

    /// Any test, asked once for each entry of a dictionary.
    fn by_entry(
        &mut self,
        leaf: &LeafTest,
        chunk: &Chunk<'_>,
        dictionary: &Dictionary<'_>,
        mask: &mut TruthMask,
    ) -> Result<(), Problem> {
        let mut truths = Vec::with_capacity(dictionary.entries());
        let mut nulls = Vec::with_capacity(dictionary.entries());
        dictionary.for_each_entry(|_, entry| {
            // An entry that only absent rows have may be no value; its answer is replaced below.
            let answer = match leaf.on_value(entry) {
                Ok(answer) => answer,
                Err(_) if chunk.absent() > 0 && entry.is_empty() => None,
                Err(bad) => return Err(Problem::bad(leaf.operand(), &bad)),
            };
            truths.push(u8::from(answer == Some(true)));
            nulls.push(u8::from(answer.is_none()));
            Ok::<(), Problem>(())
        })?;
        let (truth, null) = mask.masks_mut();
        dictionary.where_entry(&truths, self.rows.clone(), truth)?;
        dictionary.where_entry(&nulls, self.rows.clone(), null)?;
        if chunk.absent() > 0 {
            self.present(chunk)?;
            let absent = leaf.when_absent();
            for (row, present) in self.present.iter().enumerate() {
                if *present == 0 {
                    mask.set(row, absent);
                }
            }
        }
        Ok(())
    }

    /// Any test, asked for each row that is wanted.
    fn each(&mut self, leaf: &LeafTest, wanted: Option<&[u8]>, mask: &mut TruthMask) -> Result<(), Problem> {
        let (mut left, mut right) = (Vec::new(), Vec::new());
        for (place, row) in self.rows.clone().enumerate() {
            if wanted.is_some_and(|wanted| wanted.get(place) == Some(&0)) {
                continue;
            }
            let has_left = self.value(leaf.operand(), row, &mut left)?;
            let has_right = match leaf.other() {
                Some(other) => self.value(other, row, &mut right)?,
                None => false,
            };
            let answer = leaf.on_values(has_left.then_some(&left), has_right.then_some(&right));
            mask.set(place, answer.map_err(|bad| Problem::bad(leaf.operand(), &bad))?);
        }
        Ok(())
    }

    /// Sets `out` to an operand's bytes in a row: a cell's value, or the row id. False if there are none.
    fn value(&mut self, operand: &Operand, row: usize, out: &mut Vec<u8>) -> Result<bool, Problem> {
        let OperandSource::Cell { family, qualifier } = &operand.source else {
            self.segment.row_into(row, out)?;
            return Ok(true);
        };
        out.clear();
        let Some(column) = self.segment.column(family, qualifier) else { return Ok(false) };
        let Some(value) = column.chunk().value(row, self.scratch)? else { return Ok(false) };
        out.extend_from_slice(value);
        Ok(true)
    }
}

/// The word of the row ids at a place, if the segment cuts them so.
pub(super) fn word_at<'s, 'a>(segment: &'s Segment<'a>, place: RowPlace) -> Option<&'s Integers<'a>> {
    let words = segment.row_words()?;
    let mut offset = 0;
    for (index, word) in words.iter().enumerate() {
        if offset == place.offset {
            let is_last = index + 1 == words.len();
            let as_wide = place.width.map_or(is_last, |width| width == word.width());
            return (as_wide && (is_last || !place.last)).then_some(word);
        }
        offset += word.width();
    }
    None
}
