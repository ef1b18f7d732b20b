//! [`ColumnQualifierFilter`]: the columns a scan asked for, below the level of families.
//!
//! A seek names families only; which qualifiers of them are wanted is fixed when the stack is built. Families with
//! no entry here are not wanted at all.

use std::collections::BTreeMap;

use ostracon_data::Key;

use crate::filter::{CellPredicate, Filter};
use crate::{ColumnFamilies, SortedKeyValueIterator};

/// Some columns of one family.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FetchedColumns {
    /// The family.
    pub family: Vec<u8>,
    /// Which of its qualifiers.
    pub qualifiers: Qualifiers,
}

/// A choice of qualifiers.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Qualifiers {
    /// Every qualifier.
    All,
    /// This one.
    Exact(Vec<u8>),
    /// Those that start so.
    Prefix(Vec<u8>),
}

/// The predicate of a [`ColumnQualifierFilter`]: the union of some [`FetchedColumns`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ColumnChoice {
    families: BTreeMap<Vec<u8>, FamilyChoice>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct FamilyChoice {
    all: bool,
    /// Sorted.
    exact: Vec<Vec<u8>>,
    prefixes: Vec<Vec<u8>>,
}

impl ColumnChoice {
    /// The union of the columns; no columns choose nothing.
    pub fn new(columns: impl IntoIterator<Item = FetchedColumns>) -> Self {
        let mut choice = Self::default();
        for FetchedColumns { family, qualifiers } in columns {
            let family = choice.families.entry(family).or_default();
            match qualifiers {
                Qualifiers::All => family.all = true,
                Qualifiers::Prefix(prefix) if prefix.is_empty() => family.all = true,
                Qualifiers::Exact(qualifier) => family.exact.push(qualifier),
                Qualifiers::Prefix(prefix) => family.prefixes.push(prefix),
            }
        }
        for family in choice.families.values_mut() {
            family.exact.sort_unstable();
            family.exact.dedup();
        }
        choice
    }

    /// Whether the column is wanted.
    pub fn contains(&self, family: &[u8], qualifier: &[u8]) -> bool {
        self.families.get(family).is_some_and(|choice| {
            choice.all
                || choice.exact.binary_search_by(|known| known.as_slice().cmp(qualifier)).is_ok()
                || choice.prefixes.iter().any(|prefix| qualifier.starts_with(prefix))
        })
    }

    /// The families in which anything is wanted: what to seek with.
    pub fn column_families(&self) -> ColumnFamilies {
        ColumnFamilies::only(self.families.keys().cloned())
    }
}

impl CellPredicate for ColumnChoice {
    const JUDGES_MARKERS: bool = true;

    fn accept(&mut self, key: &Key, _value: &[u8]) -> bool {
        self.contains(&key.family, &key.qualifier)
    }
}

/// An iterator over the chosen columns only.
pub type ColumnQualifierFilter = Filter<ColumnChoice>;

impl ColumnQualifierFilter {
    /// Leaves out what is not among the columns.
    pub fn new(
        source: Box<dyn SortedKeyValueIterator>,
        columns: impl IntoIterator<Item = FetchedColumns>,
    ) -> Self {
        Filter::over(source, ColumnChoice::new(columns))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_choice_is_the_union_of_its_columns() {
        let columns = |family: &str, qualifiers| FetchedColumns { family: family.into(), qualifiers };
        let choice = ColumnChoice::new([
            columns("a", Qualifiers::Exact(b"z".to_vec())),
            columns("a", Qualifiers::Exact(b"x".to_vec())),
            columns("a", Qualifiers::Prefix(b"p".to_vec())),
            columns("b", Qualifiers::All),
            columns("c", Qualifiers::Prefix(Vec::new())),
        ]);
        let wanted = [("a", "x"), ("a", "z"), ("a", "p"), ("a", "pq"), ("b", ""), ("c", "anything")];
        let unwanted = [("a", ""), ("a", "y"), ("a", "xx"), ("d", "x")];
        assert!(wanted.iter().all(|(f, q)| choice.contains(f.as_bytes(), q.as_bytes())));
        assert!(!unwanted.iter().any(|(f, q)| choice.contains(f.as_bytes(), q.as_bytes())));
        assert_eq!(choice.column_families(), ColumnFamilies::only(["a", "b", "c"]));
        assert!(!ColumnChoice::new([]).contains(b"", b""));
    }
}
