use std::sync::Arc;

use crate::ast::ShellCommand;
use crate::source::DiagnosticKind;
use crate::types::{Caster, Schema};
use crate::value::EvalFunc;

/// What a script may name besides its own relations.
///
/// # Contract
/// * Nothing is read but what tells a schema, and nothing is written.
/// * Calls come in the script's order: a table that `store` was told of may be asked for by `load`.
pub trait Environment {
    /// An evaluation function, made with its constructor's arguments.
    ///
    /// # Errors
    /// If there is no such function, or its constructor refuses the arguments.
    fn function(&self, name: &str, arguments: &[String]) -> Result<Arc<dyn EvalFunc>, Problem>;

    /// Whether this is a load or store function.
    fn is_storage(&self, name: &str) -> bool;

    /// What a load function knows of its rows.
    ///
    /// # Errors
    /// If there is no such function or input.
    fn load(&self, path: &str, function: &str, arguments: &[String]) -> Result<Loaded, Problem>;

    /// Whether a store function can write rows of this schema.
    ///
    /// # Errors
    /// If there is no such function, or it cannot write there.
    fn store(
        &self,
        path: &str,
        function: &str,
        arguments: &[String],
        schema: Option<&Schema>,
    ) -> Result<(), Problem>;

    /// A command of the shell stands here: it may change what is there.
    fn shell(&self, command: &ShellCommand);
}

/// What a load function knows of its rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loaded {
    /// The fields, if they are known.
    pub schema: Option<Schema>,
    /// Who turns the bytes of other fields into values.
    pub caster: Caster,
}

/// Why something cannot be had; the checker adds the place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The sort of fault.
    pub kind: DiagnosticKind,
    /// What.
    pub message: String,
    /// What to do.
    pub help: Option<String>,
}
