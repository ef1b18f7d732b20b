//! The contract suite: any [`SortedKeyValueIterator`] is run through it, in this crate and outside.
//!
//! In the order data meets them: [`sample_cells`] (or any cells of a test's own) feed a leaf or a source; a
//! [`ContractSuite`] knows how to build the iterator under test on it and, by a *model*, what it must answer for a
//! range and a set of families; [`ContractSuite::check`] tries everything that the contract speaks of and gives the
//! first [`Violation`].
//!
//! * construction reads nothing and leaves the iterator without a position;
//! * ranges that start and end anywhere, in the middle of a row, a column or the versions of a cell;
//! * families wanted and unwanted; tops that are asked for many times;
//! * seeks upon seeks, on one iterator, from any position;
//! * tear-down after each cell, and a new iterator that goes on behind it;
//! * deep copies that share nothing, also on another thread;
//! * sources that fail at any call: the error comes up, and a new seek heals.
//!
//! It does not judge speed, and it knows the meaning of an iterator only by the model it is given.
//!
//! ```
//! use ostracon_iterators::contract::{ContractSuite, clip, sample_cells};
//! use ostracon_iterators::{ColumnFamilySkippingIterator, SortedKeyValueIterator};
//!
//! ContractSuite::iterator(
//!     |source| Ok(Box::new(ColumnFamilySkippingIterator::new(source)) as Box<dyn SortedKeyValueIterator>),
//!     |cells, range, families| clip(cells, range, families),
//! )
//! .check(&sample_cells())?;
//! # Ok::<(), ostracon_iterators::contract::Violation>(())
//! ```

mod cases;
mod checks;
mod faulty_source;

use std::fmt;

use ostracon_data::{Key, Range, Value};

use crate::{ColumnFamilies, Result, SortedKeyValueIterator, SortedMapIterator};

pub use self::cases::{family_cases, range_cases, sample_cells};
pub use self::faulty_source::{FaultySource, FaultyTrigger};

/// A cell, as tests hold it.
pub type Cell = (Key, Value);

type Boxed = Box<dyn SortedKeyValueIterator>;
type BuildLeaf<'a> = Box<dyn Fn(&[Cell]) -> Result<Boxed> + 'a>;
type BuildIterator<'a> = Box<dyn Fn(Boxed) -> Result<Boxed> + 'a>;

/// What the iterator under test must answer: all cells of the source, the range and the families it is sought with,
/// to the cells it hands out.
type Model<'a> = Box<dyn Fn(&[Cell], &Range, &ColumnFamilies) -> Vec<Cell> + 'a>;

/// How the iterator under test is made.
enum Build<'a> {
    Leaf(BuildLeaf<'a>),
    Iterator(BuildIterator<'a>),
}

/// An iterator under test and its model.
pub struct ContractSuite<'a> {
    build: Build<'a>,
    model: Model<'a>,
}

impl<'a> ContractSuite<'a> {
    /// For a leaf, made of the cells it is to hold.
    pub fn leaf(
        build: impl Fn(&[Cell]) -> Result<Box<dyn SortedKeyValueIterator>> + 'a,
        model: impl Fn(&[Cell], &Range, &ColumnFamilies) -> Vec<Cell> + 'a,
    ) -> Self {
        Self { build: Build::Leaf(Box::new(build)), model: Box::new(model) }
    }

    /// For an iterator or a stack, made on a source. Sources that fail are tried too.
    pub fn iterator(
        build: impl Fn(Box<dyn SortedKeyValueIterator>) -> Result<Box<dyn SortedKeyValueIterator>> + 'a,
        model: impl Fn(&[Cell], &Range, &ColumnFamilies) -> Vec<Cell> + 'a,
    ) -> Self {
        Self { build: Build::Iterator(Box::new(build)), model: Box::new(model) }
    }

    /// Runs every check on these cells, sorted and each key once, and reports the first breach.
    ///
    /// The number of seeks grows with the square of the number of cells; a few dozen cells are right.
    pub fn check(&self, cells: &[Cell]) -> Result<(), Violation> {
        if let Some(pair) = cells.windows(2).find(|pair| pair.first() >= pair.last()) {
            let message = format!("the cells given to the suite are not sorted by key: {pair:?}");
            return Err(Violation::new("set-up", message));
        }
        checks::all(self, cells)
    }

    fn build(&self, cells: &[Cell]) -> Result<Boxed, Violation> {
        let built = match &self.build {
            Build::Leaf(build) => build(cells),
            Build::Iterator(build) => build(Box::new(SortedMapIterator::new(cells.iter().cloned()))),
        };
        built.map_err(|error| Violation::new("construction", error.to_string()))
    }

    /// The iterator on a source that fails at the given call, construction included; `None` for leaves.
    fn build_faulty(
        &self,
        cells: &[Cell],
        fail_at: usize,
    ) -> Result<Option<(Boxed, FaultyTrigger)>, Violation> {
        let Build::Iterator(build) = &self.build else { return Ok(None) };
        let (source, trigger) = FaultySource::new(Box::new(SortedMapIterator::new(cells.iter().cloned())));
        trigger.fail_at(fail_at);
        let iterator =
            build(Box::new(source)).map_err(|error| Violation::new("construction", error.to_string()))?;
        Ok(Some((iterator, trigger)))
    }

    fn expected(&self, cells: &[Cell], range: &Range, families: &ColumnFamilies) -> Vec<Cell> {
        (self.model)(cells, range, families)
    }
}

/// The cells in the range and of the families: the model of an iterator that changes nothing, and the last step of
/// most others.
pub fn clip(cells: &[Cell], range: &Range, families: &ColumnFamilies) -> Vec<Cell> {
    cells.iter().filter(|(key, _)| range.contains(key) && families.contains(&key.family)).cloned().collect()
}

/// A breach of the contract.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    /// The part of the contract.
    pub rule: &'static str,
    /// What was done, what came, and what was expected.
    pub detail: String,
}

impl Violation {
    fn new(rule: &'static str, detail: impl Into<String>) -> Self {
        Self { rule, detail: detail.into() }
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "iterator contract broken ({}): {}", self.rule, self.detail)
    }
}

impl std::error::Error for Violation {}
