use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use crate::functions::builtin::Fault;
use crate::value::Value;
use crate::value::matcher::{Matcher, MatcherCache, PatternProblem};

/// The compiled patterns of one call in a script. A constant pattern is the only one, compiled once and found without a
/// lock (N33).
#[derive(Debug)]
pub(super) struct Patterns {
    first: OnceLock<Arc<Matcher>>,
    others: Mutex<MatcherCache>,
}

impl Patterns {
    /// How many patterns that are no constants are kept.
    const KEPT: usize = 16;

    pub(super) fn new() -> Self {
        Self { first: OnceLock::new(), others: Mutex::new(MatcherCache::new(Self::KEPT)) }
    }

    /// The matcher of a pattern.
    pub(super) fn get(&self, pattern: &str) -> Result<Arc<Matcher>, PatternProblem> {
        if let Some(first) = self.first.get() {
            if first.pattern() == pattern {
                return Ok(Arc::clone(first));
            }
            // Each entry is whole, also if another thread panicked.
            return self.others.lock().unwrap_or_else(PoisonError::into_inner).get(pattern);
        }
        let matcher = Arc::new(Matcher::new(pattern)?);
        // Another thread may have been first, with another pattern; this one is compiled again when it comes.
        let _ = self.first.set(Arc::clone(&matcher));
        Ok(matcher)
    }
}

/// A pattern in the second argument that is known before the run must be one.
pub(super) fn check(constants: &[Option<Value>]) -> Result<(), String> {
    match constants.get(1) {
        Some(Some(Value::Chararray(pattern))) => {
            Matcher::new(pattern).map(drop).map_err(|problem| problem.to_string())
        }
        _ => Ok(()),
    }
}

/// For functions that end the run for a wrong pattern, as Pig does.
pub(super) fn fatal(problem: PatternProblem) -> Fault {
    Fault::Run(problem.to_string())
}

/// For functions that give null for a wrong pattern; one that only Java can match ends the run all the same, as null
/// would be a wrong answer.
pub(super) fn null(problem: PatternProblem) -> Fault {
    match problem {
        PatternProblem::Unsupported(_) => fatal(problem),
        PatternProblem::Invalid(_) => Fault::Value(problem.to_string()),
    }
}
