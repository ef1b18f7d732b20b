use std::sync::Arc;

use crate::logical::NodeId;
use crate::value::matcher::{Matcher, PatternProblem};
use crate::value::{CallContext, FunctionError, Value};

/// What expressions need besides their row.
pub trait EvaluateContext: CallContext {
    /// A field of the only row of a relation: null if it has none.
    ///
    /// # Errors
    /// If it has several rows, or could not be computed.
    fn scalar(&mut self, relation: NodeId, index: usize) -> Result<Value, EvaluateError>;

    /// The matcher of a pattern; a [`crate::value::matcher::MatcherCache`] has those used last.
    ///
    /// # Errors
    /// If it is no pattern.
    fn matcher(&mut self, pattern: &str) -> Result<Arc<Matcher>, PatternProblem>;
}

/// Why an expression ends the run.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EvaluateError {
    /// A function failed.
    #[error("{function}: {source}")]
    Function {
        /// Its name.
        function: String,
        /// What it says.
        source: FunctionError,
    },
    /// A pattern that came from the data.
    #[error(transparent)]
    Pattern(#[from] PatternProblem),
    /// A relation that is used as a scalar.
    #[error("{0}")]
    Scalar(String),
    /// The number of a LIMIT is null or negative.
    #[error("LIMIT needs a number that is not negative, not {0}")]
    Limit(String),
    /// A value has not the type that the plan says; the plan is at fault, not the data.
    #[error("the plan expects {expected} where the value is '{found}'")]
    Type {
        /// What was expected.
        expected: &'static str,
        /// The value.
        found: String,
    },
}
