//! [`GrepIterator`]: cells that hold a byte string somewhere.

use ostracon_data::Key;

use crate::SortedKeyValueIterator;
use crate::filter::{CellPredicate, Filter};

/// The predicate of a [`GrepIterator`].
#[derive(Debug, Clone)]
pub struct HoldsTerm {
    term: Vec<u8>,
}

impl CellPredicate for HoldsTerm {
    fn accept(&mut self, key: &Key, value: &[u8]) -> bool {
        let holds = |bytes: &[u8]| {
            self.term.is_empty() || bytes.windows(self.term.len()).any(|window| window == self.term)
        };
        holds(value) || holds(&key.row) || holds(&key.family) || holds(&key.qualifier)
    }
}

/// An iterator over the cells whose value, row, family or qualifier contains a term.
pub type GrepIterator = Filter<HoldsTerm>;

impl GrepIterator {
    /// Leaves out cells that do not hold `term` (the exact bytes).
    pub fn new(source: Box<dyn SortedKeyValueIterator>, term: impl Into<Vec<u8>>) -> Self {
        Filter::over(source, HoldsTerm { term: term.into() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn looks_at_value_row_family_and_qualifier() {
        let key = Key::new("row", "fam", "qual", "label", 1);
        let holds = |term: &str| HoldsTerm { term: term.into() }.accept(&key, b"value");
        assert!(["ow", "fam", "ual", "alu", ""].into_iter().all(holds));
        assert!(!["label", "rowfam", "values", "ROW"].into_iter().any(holds));
    }
}
