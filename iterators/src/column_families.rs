//! The column families a seek is limited to.
//!
//! [`ColumnFamilies`] is the second argument of [`seek`](crate::SortedKeyValueIterator::seek): a set and whether
//! it names the families wanted or those not wanted. It says nothing of qualifiers; see
//! [`ColumnQualifierFilter`](crate::ColumnQualifierFilter).

use std::collections::BTreeSet;

/// A set of column families, either the wanted ones (`inclusive`) or the unwanted ones.
///
/// As in Accumulo, the empty exclusive set means every family. The empty *inclusive* set means none at all.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct ColumnFamilies {
    /// The families.
    pub families: BTreeSet<Vec<u8>>,
    /// Whether the set names the families wanted (true) or not wanted (false).
    pub inclusive: bool,
}

impl ColumnFamilies {
    /// Every family.
    pub fn all() -> Self {
        Self::default()
    }

    /// Only these families.
    pub fn only<F: Into<Vec<u8>>>(families: impl IntoIterator<Item = F>) -> Self {
        Self { families: families.into_iter().map(Into::into).collect(), inclusive: true }
    }

    /// Every family but these.
    pub fn except<F: Into<Vec<u8>>>(families: impl IntoIterator<Item = F>) -> Self {
        Self { families: families.into_iter().map(Into::into).collect(), inclusive: false }
    }

    /// Whether cells of the family are wanted.
    pub fn contains(&self, family: &[u8]) -> bool {
        self.families.contains(family) == self.inclusive
    }

    /// Whether every family is wanted.
    pub fn is_all(&self) -> bool {
        !self.inclusive && self.families.is_empty()
    }

    /// These families and also `family`.
    pub fn with(mut self, family: &[u8]) -> Self {
        if self.inclusive {
            self.families.insert(family.to_vec());
        } else {
            self.families.remove(family);
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inclusive_and_exclusive_sets() {
        assert!(ColumnFamilies::all().is_all() && ColumnFamilies::all().contains(b"x"));
        let only = ColumnFamilies::only(["a", "c"]);
        assert!(only.contains(b"a") && !only.contains(b"b") && !only.is_all());
        let except = ColumnFamilies::except(["a"]);
        assert!(!except.contains(b"a") && except.contains(b"b"));
        assert!(
            !ColumnFamilies::only(Vec::<Vec<u8>>::new()).contains(b"a"),
            "an empty inclusive set is nothing"
        );
    }

    #[test]
    fn with_widens_either_form() {
        assert!(ColumnFamilies::only(["a"]).with(b"b").contains(b"b"));
        assert!(ColumnFamilies::except(["a"]).with(b"a").is_all());
        assert!(ColumnFamilies::all().with(b"a").is_all());
    }
}
