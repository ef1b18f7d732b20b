//! [`VisibilityFilter`]: the cells that a session may see.
//!
//! It stands below every iterator of a user and below every predicate, so that nothing a query computes, counts or
//! fails on depends on hidden cells. A malformed label at rest hides its cell.

use ostracon_data::{Authorizations, Key, VisibilityEvaluator};

use crate::SortedKeyValueIterator;
use crate::filter::{CellPredicate, Filter};

/// The predicate of a [`VisibilityFilter`].
pub struct CanSee {
    evaluator: VisibilityEvaluator,
    authorizations: Authorizations,
}

impl Clone for CanSee {
    /// The copy judges alike but has a cache of its own.
    fn clone(&self) -> Self {
        Self::new(self.authorizations.clone())
    }
}

impl CanSee {
    fn new(authorizations: Authorizations) -> Self {
        Self { evaluator: VisibilityEvaluator::new(authorizations.clone()), authorizations }
    }
}

impl CellPredicate for CanSee {
    const JUDGES_MARKERS: bool = true;

    fn accept(&mut self, key: &Key, _value: &[u8]) -> bool {
        self.evaluator.can_see(&key.visibility)
    }
}

/// An iterator over the cells whose label the authorizations satisfy. Unlabelled cells are for everyone.
pub type VisibilityFilter = Filter<CanSee>;

impl VisibilityFilter {
    /// Leaves out what the authorizations may not see.
    pub fn new(source: Box<dyn SortedKeyValueIterator>, authorizations: Authorizations) -> Self {
        Filter::over(source, CanSee::new(authorizations))
    }
}
