//! [`Merge`]: sorted batches of several sources as one sorted sequence of batches.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::compute::interleave_record_batch;

use super::sorter::{SameId, SortFault, bytes_of, duplicate, ids_of};
use crate::error::Result;

type Merged<T> = std::result::Result<T, SortFault>;

/// Merges sources whose rows come in the order of their ids, in which later sources hold the later rows.
#[derive(Debug)]
pub(super) struct Merge<S> {
    sources: Vec<Source<S>>,
    /// The next row of every source that has one.
    heads: BinaryHeap<Reverse<Head>>,
    /// The batches of the rows that wait to be given; those of the sources are among them.
    held: Vec<RecordBatch>,
    /// Rows to be given, as places in `held`.
    rows: Vec<(usize, usize)>,
    /// The last row; another one with its id may follow.
    last: Option<Last>,
    same_id: SameId,
    batch_rows: usize,
    batch_bytes: usize,
    /// So many rows of what is held now make a batch.
    enough: usize,
    ended: bool,
}

#[derive(Debug)]
struct Source<S> {
    batches: S,
    /// Where its batch is in `held`, and the row of it that is its head.
    place: usize,
    row: usize,
}

#[derive(Debug, PartialEq, Eq)]
struct Head {
    id: Vec<u8>,
    source: usize,
}

#[derive(Debug)]
struct Last {
    id: Vec<u8>,
    place: (usize, usize),
}

impl Ord for Head {
    fn cmp(&self, other: &Self) -> Ordering {
        self.id.cmp(&other.id).then(self.source.cmp(&other.source))
    }
}

impl PartialOrd for Head {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<S: Iterator<Item = Result<RecordBatch>>> Merge<S> {
    /// Gives batches of at most so many rows and about so many bytes.
    pub(super) fn new(
        sources: Vec<S>,
        same_id: SameId,
        batch_rows: usize,
        batch_bytes: usize,
    ) -> Merged<Self> {
        let mut merge = Self {
            sources: Vec::new(),
            heads: BinaryHeap::new(),
            held: Vec::new(),
            rows: Vec::new(),
            last: None,
            same_id,
            batch_rows,
            batch_bytes,
            enough: 1,
            ended: false,
        };
        for (number, batches) in sources.into_iter().enumerate() {
            merge.sources.push(Source { batches, place: 0, row: 0 });
            merge.next_batch(number, Vec::new())?;
        }
        merge.measure();
        Ok(merge)
    }

    /// Takes the next batch of a source, and its first row for the source's head. `id` is memory for it.
    fn next_batch(&mut self, number: usize, id: Vec<u8>) -> Merged<()> {
        let Some(source) = self.sources.get_mut(number) else { return Ok(()) };
        for batch in source.batches.by_ref() {
            let batch = batch?;
            if batch.num_rows() > 0 {
                (source.place, source.row) = (self.held.len(), 0);
                self.held.push(batch);
                self.push_head(number, id);
                return Ok(());
            }
        }
        source.place = usize::MAX;
        Ok(())
    }

    fn push_head(&mut self, number: usize, mut id: Vec<u8>) {
        let Some(source) = self.sources.get(number) else { return };
        let ids = self.held.get(source.place).and_then(ids_of);
        if let Some(ids) = ids {
            id.clear();
            id.extend_from_slice(ids.value(source.row));
            self.heads.push(Reverse(Head { id, source: number }));
        }
    }

    /// Lets a source's next row be its head.
    fn advance(&mut self, number: usize, id: Vec<u8>) -> Merged<()> {
        let Some(source) = self.sources.get_mut(number) else { return Ok(()) };
        source.row += 1;
        let rows = self.held.get(source.place).map_or(0, RecordBatch::num_rows);
        if source.row < rows {
            self.push_head(number, id);
            return Ok(());
        }
        self.next_batch(number, id)
    }

    /// The rows that wait, and nothing held any more but the batches of the sources.
    fn give(&mut self) -> Merged<RecordBatch> {
        let batches: Vec<&RecordBatch> = self.held.iter().collect();
        let given = interleave_record_batch(&batches, &self.rows)?;
        self.rows.clear();
        let mut held = Vec::with_capacity(self.sources.len());
        for source in &mut self.sources {
            if let Some(batch) = self.held.get(source.place) {
                source.place = held.len();
                held.push(batch.clone());
            }
        }
        self.held = held;
        self.measure();
        Ok(given)
    }

    fn measure(&mut self) {
        let rows: usize = self.held.iter().map(RecordBatch::num_rows).sum();
        let bytes: usize = self.held.iter().map(bytes_of).sum();
        self.enough = (self.batch_bytes / (bytes / rows.max(1)).max(1)).clamp(1, self.batch_rows);
    }

    /// The batches that a source has left behind are held for the rows that wait.
    fn is_full(&self) -> bool {
        self.rows.len() >= self.enough || self.held.len() > 2 * self.sources.len()
    }

    /// Where the head of a source is.
    fn place_of(&self, number: usize) -> (usize, usize) {
        self.sources.get(number).map_or((usize::MAX, 0), |source| (source.place, source.row))
    }

    fn step(&mut self) -> Merged<Option<RecordBatch>> {
        loop {
            let Some(Reverse(head)) = self.heads.pop() else {
                self.ended = true;
                self.rows.extend(self.last.take().map(|last| last.place));
                return if self.rows.is_empty() { Ok(None) } else { self.give().map(Some) };
            };
            let mut given = None;
            match self.last.as_mut().filter(|last| last.id == head.id) {
                Some(_) if self.same_id == SameId::Refuse => {
                    let (batch, row) = self.place_of(head.source);
                    self.ended = true;
                    return Err(duplicate(self.held.get(batch), row));
                }
                Some(_) => {
                    let at = self.place_of(head.source);
                    if let Some(last) = &mut self.last {
                        last.place = at;
                    }
                }
                None => {
                    self.rows.extend(self.last.take().map(|last| last.place));
                    if !self.rows.is_empty() && self.is_full() {
                        given = Some(self.give()?);
                    }
                    let (id, place) = (head.id.clone(), self.place_of(head.source));
                    self.last = Some(Last { id, place });
                }
            }
            self.advance(head.source, head.id)?;
            if given.is_some() {
                return Ok(given);
            }
        }
    }
}

impl<S: Iterator<Item = Result<RecordBatch>>> Iterator for Merge<S> {
    type Item = Merged<RecordBatch>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        let step = self.step();
        self.ended |= step.is_err();
        step.transpose()
    }
}
