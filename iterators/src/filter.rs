//! [`Filter`]: the iterator of everything that judges cells one by one.
//!
//! A [`CellPredicate`] says of a cell whether it stays; [`Filter`] does the rest of the contract. A predicate must
//! judge a cell by itself (not by what came before), since a scan may start anywhere. `Filter` knows nothing of
//! classes and options; see [`IteratorRegistry`](crate::IteratorRegistry).

use ostracon_data::{Key, Range};

use crate::sorted_key_value_iterator::no_top;
use crate::{ColumnFamilies, Result, SortedKeyValueIterator};

/// A test of single cells. `&mut` is for caches only: the answer depends on nothing but the cell.
pub trait CellPredicate: Clone + Send + 'static {
    /// Whether delete markers are judged like cells. By default they stay whatever the predicate says, negated or
    /// not: a marker that is dropped revives what it hides in another run.
    const JUDGES_MARKERS: bool = false;

    /// Whether the cell stays.
    fn accept(&mut self, key: &Key, value: &[u8]) -> bool;
}

/// An iterator that leaves out the cells a predicate does not accept (or, negated, those it accepts).
pub struct Filter<P> {
    source: Box<dyn SortedKeyValueIterator>,
    predicate: P,
    negated: bool,
    /// False until the source stands on an accepted cell.
    has_top: bool,
}

impl<P: CellPredicate> Filter<P> {
    /// Accepts what the predicate accepts.
    pub fn over(source: Box<dyn SortedKeyValueIterator>, predicate: P) -> Self {
        Self { source, predicate, negated: false, has_top: false }
    }

    /// Accepts what it refused, and the other way round: Accumulo's option `negate`.
    pub fn negated(mut self, negated: bool) -> Self {
        self.negated = negated;
        self
    }

    fn find_top(&mut self) -> Result<()> {
        while let (Some(key), Some(value)) = (self.source.top_key(), self.source.top_value()) {
            let stays =
                (key.deleted && !P::JUDGES_MARKERS) || self.predicate.accept(key, value) != self.negated;
            if stays {
                self.has_top = true;
                return Ok(());
            }
            self.source.next()?;
        }
        Ok(())
    }
}

impl<P: CellPredicate> SortedKeyValueIterator for Filter<P> {
    fn seek(&mut self, range: &Range, families: &ColumnFamilies) -> Result<()> {
        self.has_top = false;
        self.source.seek(range, families)?;
        self.find_top()
    }

    fn has_top(&self) -> bool {
        self.has_top
    }

    fn top_key(&self) -> Option<&Key> {
        if self.has_top { self.source.top_key() } else { None }
    }

    fn top_value(&self) -> Option<&[u8]> {
        if self.has_top { self.source.top_value() } else { None }
    }

    fn next(&mut self) -> Result<()> {
        if !self.has_top {
            return Err(no_top());
        }
        self.has_top = false;
        self.source.next()?;
        self.find_top()
    }

    fn deep_copy(&self) -> Result<Box<dyn SortedKeyValueIterator>> {
        let copy = Filter::over(self.source.deep_copy()?, self.predicate.clone()).negated(self.negated);
        Ok(Box::new(copy))
    }
}
