use std::fmt;
use std::sync::Arc;

use crate::logical::Aggregated;
use crate::types::{Field, PigType};
use crate::value::Value;

/// What a function needs besides its arguments, and where it leaves its warnings.
pub trait CallContext {
    /// The time at which the script began, in milliseconds since 1970 (`CurrentTime`).
    fn started_millis(&self) -> i64;
    /// The next number, evenly between 0 and 1 (`RANDOM`).
    fn random(&mut self) -> f64;
    /// A number no other call of this run gets (`UniqueID`).
    fn unique(&mut self) -> u64;
    /// Counts a warning; its text is kept for the first of a kind.
    fn warn(&mut self, warning: Warning);
}

/// What happened to a value that was answered with null.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Warning {
    /// The kind it is counted under.
    pub kind: WarningKind,
    /// What happened, with the value: `'one' is not an int`.
    pub sample: String,
}

/// The kinds of warnings of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum WarningKind {
    /// A value could not become the type asked for.
    Conversion,
    /// Also for `%`.
    DivideByZero,
    /// An argument a function can do nothing with.
    Function,
}

impl fmt::Display for WarningKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Conversion => "conversion",
            Self::DivideByZero => "divide_by_zero",
            Self::Function => "function",
        })
    }
}

/// Why a call fails; it ends the run.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct FunctionError(pub String);

/// An evaluation function (Pig's `EvalFunc`), built in or registered, as DEFINE made it.
///
/// # Contract
/// * `exec` gets as many arguments as one of the overloads says, each null or of that overload's type; where an overload
///   leaves a type open, of the static type `resolve` was asked with.
/// * The result is null or of the type that `resolve` gave.
/// * Equal arguments give equal results unless [`EvalFunc::deterministic`] says otherwise.
pub trait EvalFunc: fmt::Debug + Send + Sync {
    /// The name under which it is called.
    fn name(&self) -> &str;

    /// Chooses an overload for arguments of these types (N35): the types they are cast to first, and the result.
    ///
    /// # Errors
    /// Says why there is none, and what there is; the caller adds function and place.
    fn resolve(&self, arguments: &[PigType]) -> Result<Resolved, String>;

    /// The function for a call with these arguments, if their names or types matter to it beyond the overload; it takes
    /// the place of this one before `resolve` is asked.
    ///
    /// # Errors
    /// Says why it cannot be called with them; the caller adds function and place.
    fn bind(&self, arguments: &[Field]) -> Result<Option<Arc<dyn EvalFunc>>, String> {
        let _ = arguments;
        Ok(None)
    }

    /// Computes one result.
    ///
    /// # Errors
    /// Only what must end the run. A value it can do nothing with gives null and a warning.
    fn exec(&self, arguments: &[Value], context: &mut dyn CallContext) -> Result<Value, FunctionError>;

    /// Checks the arguments that are known before the run, patterns above all (N33); others are none.
    ///
    /// # Errors
    /// Says what is wrong with one of them; the caller adds function and place.
    fn check_constants(&self, constants: &[Option<Value>]) -> Result<(), String> {
        let _ = constants;
        Ok(())
    }

    /// Whether equal arguments give equal results.
    fn deterministic(&self) -> bool {
        true
    }

    /// Which aggregate this is, if an engine may compute it over rows, without a bag (Pig's `Algebraic`).
    fn algebraic(&self) -> Option<Aggregated> {
        None
    }
}

/// An overload that was chosen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resolved {
    /// What each argument is cast to; equal to its own type where nothing is to be done.
    pub arguments: Vec<PigType>,
    /// The type of the result.
    pub result: PigType,
}
