//! Decisions about labels, remembered.
//!
//! [`VisibilityEvaluator`] answers for one reader whether a cell may be seen, parsing each distinct label once. Scans
//! meet the same few labels millions of times.

use std::collections::HashMap;

use crate::{Authorizations, ColumnVisibility};

/// How many decisions one generation of the cache keeps.
const GENERATION: usize = 1000;

/// Decides for one reader, remembering decisions.
///
/// An empty label is seen by all, a malformed one by nobody: the store refuses malformed labels on write, so one that
/// is found at rest is damage, and damage must not reveal anything.
///
/// The memory is bounded: at most two generations of 1000 labels; a label that is still in use when a generation is
/// full moves to the next.
#[derive(Clone, Debug)]
pub struct VisibilityEvaluator {
    authorizations: Authorizations,
    /// The label seen last and its decision: runs of one label are the common case.
    last_label: Vec<u8>,
    last_decision: bool,
    young: HashMap<Vec<u8>, bool>,
    old: HashMap<Vec<u8>, bool>,
}

impl VisibilityEvaluator {
    /// An evaluator for a reader who holds these authorizations.
    pub fn new(authorizations: Authorizations) -> Self {
        Self {
            authorizations,
            last_label: Vec::new(),
            // The empty label is seen by all.
            last_decision: true,
            young: HashMap::new(),
            old: HashMap::new(),
        }
    }

    /// The authorizations it decides by.
    pub fn authorizations(&self) -> &Authorizations {
        &self.authorizations
    }

    /// Whether the reader may see a cell with this label.
    pub fn can_see(&mut self, label: &[u8]) -> bool {
        if label.is_empty() {
            return true;
        }
        if label == self.last_label {
            return self.last_decision;
        }
        let decision = match self.young.get(label) {
            Some(decision) => *decision,
            None => self.decide(label),
        };
        self.last_label.clear();
        self.last_label.extend_from_slice(label);
        self.last_decision = decision;
        decision
    }

    fn decide(&mut self, label: &[u8]) -> bool {
        let decision = match self.old.get(label) {
            Some(decision) => *decision,
            None => ColumnVisibility::parse(label).is_ok_and(|parsed| parsed.evaluate(&self.authorizations)),
        };
        if self.young.len() >= GENERATION {
            self.old = std::mem::take(&mut self.young);
        }
        self.young.insert(label.to_vec(), decision);
        decision
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_is_seen_and_malformed_is_not() {
        let mut evaluator = VisibilityEvaluator::new(Authorizations::new(["A"]));
        for _ in 0..2 {
            assert!(evaluator.can_see(b""));
            assert!(evaluator.can_see(b"A"));
            assert!(!evaluator.can_see(b"B"));
            assert!(!evaluator.can_see(b"A&"));
            assert!(!evaluator.can_see(b"A|\"unclosed"));
        }
        let mut nobody = VisibilityEvaluator::new(Authorizations::empty());
        assert!(nobody.can_see(b"") && !nobody.can_see(b"A"));
    }

    #[test]
    fn the_cache_is_bounded_and_right() {
        let mut evaluator = VisibilityEvaluator::new(Authorizations::new(["t7", "t2500"]));
        for round in 0..3 {
            for number in 0..5000 {
                let label = format!("t{number}|x");
                let expected = number == 7 || number == 2500;
                assert_eq!(evaluator.can_see(label.as_bytes()), expected, "{round} {label}");
                assert!(evaluator.young.len() <= GENERATION && evaluator.old.len() <= GENERATION);
            }
        }
    }
}
