use std::sync::Arc;

use super::{Matcher, PatternProblem};

/// Compiled patterns of expressions whose pattern is no constant; those used last are kept.
#[derive(Debug)]
pub struct MatcherCache {
    /// The latest first.
    kept: Vec<Arc<Matcher>>,
    capacity: usize,
}

impl MatcherCache {
    /// Keeps that many, at least one.
    #[must_use]
    pub fn new(capacity: usize) -> Self {
        Self { kept: Vec::new(), capacity: capacity.max(1) }
    }

    /// The matcher of a pattern.
    ///
    /// # Errors
    /// As of [`Matcher::new`].
    pub fn get(&mut self, pattern: &str) -> Result<Arc<Matcher>, PatternProblem> {
        if let Some(at) = self.kept.iter().position(|matcher| matcher.pattern() == pattern) {
            self.kept[..=at].rotate_right(1);
        } else {
            let matcher = Arc::new(Matcher::new(pattern)?);
            self.kept.truncate(self.capacity - 1);
            self.kept.insert(0, matcher);
        }
        Ok(Arc::clone(&self.kept[0]))
    }
}

impl Default for MatcherCache {
    fn default() -> Self {
        Self::new(32)
    }
}
