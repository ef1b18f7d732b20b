//! The suite itself: each way to break the contract that has bitten somebody is caught, under the right rule.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use ostracon_data::{Key, PartialKey, Range};
use ostracon_iterators::contract::{ContractSuite, Violation, clip, sample_cells};
use ostracon_iterators::{
    ColumnFamilies, ColumnFamilySkippingIterator, Error, Result, SortedKeyValueIterator,
};
use std::sync::{Arc, Mutex};

type Boxed = Box<dyn SortedKeyValueIterator>;

#[derive(Clone, Copy, Debug, PartialEq)]
enum Fault {
    /// Counts versions from wherever the seek begins.
    ForgetsVersionsBeforeTheStart,
    /// Treats an exclusive start as an inclusive one.
    DoublesTheStart,
    /// Takes an error of the source for the end.
    SwallowsErrors,
    /// Goes on as if nothing had been, after an error.
    KeepsItsTopAfterAnError,
    /// Answers `next` at the end.
    NextAtTheEnd,
    /// Ignores families.
    IgnoresFamilies,
    /// Hands the copy its own source.
    SharesItsSource,
    /// Reads when constructed.
    ReadsEarly,
    /// Keeps state from one seek to the next.
    RemembersTheLastSeek,
}

/// A broken iterator that keeps the newest version of each cell.
struct Broken {
    source: Arc<Mutex<Boxed>>,
    fault: Fault,
    column: Option<Key>,
    top: Option<(Key, Vec<u8>)>,
    range: Range,
    families: ColumnFamilies,
}

impl Broken {
    fn build(source: Boxed, fault: Fault) -> Result<Boxed> {
        let mut source: Boxed = if fault == Fault::IgnoresFamilies {
            source
        } else {
            Box::new(ColumnFamilySkippingIterator::new(source))
        };
        if fault == Fault::ReadsEarly {
            let _ = source.seek(&Range::all(), &ColumnFamilies::all());
        }
        Ok(Box::new(Self::over(Arc::new(Mutex::new(source)), fault)))
    }

    fn over(source: Arc<Mutex<Boxed>>, fault: Fault) -> Self {
        Self { source, fault, column: None, top: None, range: Range::all(), families: ColumnFamilies::all() }
    }

    fn find(&mut self) -> Result<()> {
        let source = Arc::clone(&self.source);
        let mut source = source.lock().unwrap();
        let before = self.top.take();
        while let (Some(key), Some(value)) =
            (source.top_key().cloned(), source.top_value().map(<[u8]>::to_vec))
        {
            if let Err(error) = source.next() {
                match self.fault {
                    Fault::SwallowsErrors => return Ok(()),
                    Fault::KeepsItsTopAfterAnError => self.top = before,
                    _ => {}
                }
                return Err(error);
            }
            let seen = self
                .column
                .as_ref()
                .is_some_and(|column| column.agrees(&key, PartialKey::RowFamilyQualifierVisibility));
            self.column = Some(key.clone());
            if !seen && !self.range.before_start(&key) {
                self.top = Some((key, value));
                return Ok(());
            }
        }
        Ok(())
    }
}

impl SortedKeyValueIterator for Broken {
    fn seek(&mut self, range: &Range, families: &ColumnFamilies) -> Result<()> {
        self.range = range.clone();
        self.families = families.clone();
        if self.fault != Fault::RemembersTheLastSeek {
            self.column = None;
        }
        self.top = None;
        let start = range.start().map(|key| Key { timestamp: i64::MAX, deleted: true, ..key.clone() });
        let sought = match self.fault {
            Fault::ForgetsVersionsBeforeTheStart => range.clone(),
            Fault::DoublesTheStart => {
                self.range =
                    Range::new(range.start().cloned(), true, range.end().cloned(), range.end_inclusive());
                Range::new(start, true, range.end().cloned(), range.end_inclusive())
            }
            _ => Range::new(start, true, range.end().cloned(), range.end_inclusive()),
        };
        self.source.lock().unwrap().seek(&sought, families)?;
        self.find()
    }

    fn has_top(&self) -> bool {
        self.top.is_some()
    }

    fn top_key(&self) -> Option<&Key> {
        self.top.as_ref().map(|(key, _)| key)
    }

    fn top_value(&self) -> Option<&[u8]> {
        self.top.as_ref().map(|(_, value)| value.as_slice())
    }

    fn next(&mut self) -> Result<()> {
        if self.top.is_none() && self.fault != Fault::NextAtTheEnd {
            return Err(Error::Misuse("no top"));
        }
        self.find()
    }

    fn deep_copy(&self) -> Result<Boxed> {
        let source = match self.fault {
            Fault::SharesItsSource => Arc::clone(&self.source),
            _ => Arc::new(Mutex::new(self.source.lock().unwrap().deep_copy()?)),
        };
        Ok(Box::new(Self::over(source, self.fault)))
    }
}

fn check(fault: Fault) -> Result<(), Violation> {
    let newest = |cells: &[(Key, ostracon_data::Value)]| {
        let mut kept: Vec<(Key, ostracon_data::Value)> = Vec::new();
        for cell in cells {
            let known = kept
                .last()
                .is_some_and(|(last, _)| last.agrees(&cell.0, PartialKey::RowFamilyQualifierVisibility));
            if !known {
                kept.push(cell.clone());
            }
        }
        kept
    };
    ContractSuite::iterator(
        move |source| Broken::build(source, fault),
        move |cells, range, families| clip(&newest(cells), range, families),
    )
    .check(&sample_cells())
}

#[test]
fn each_fault_is_caught_under_its_rule() {
    for (fault, rules) in [
        (Fault::ForgetsVersionsBeforeTheStart, &["ranges"][..]),
        (Fault::DoublesTheStart, &["ranges"]),
        (Fault::SwallowsErrors, &["errors"]),
        (Fault::KeepsItsTopAfterAnError, &["after an error"]),
        (Fault::NextAtTheEnd, &["construction"]),
        (Fault::IgnoresFamilies, &["families"]),
        (Fault::SharesItsSource, &["deep copy"]),
        (Fault::ReadsEarly, &["construction"]),
        (Fault::RemembersTheLastSeek, &["re-seek"]),
    ] {
        let violation = check(fault).expect_err(&format!("{fault:?} was not caught"));
        assert!(rules.contains(&violation.rule), "{fault:?} was caught as {violation}");
    }
}

#[test]
fn unsorted_cells_are_refused() {
    let mut cells = sample_cells();
    cells.swap(0, 1);
    let suite = ContractSuite::iterator(Ok, clip);
    assert_eq!(suite.check(&cells).unwrap_err().rule, "set-up");
}
