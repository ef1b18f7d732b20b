use std::cell::{Cell, RefCell};
use std::sync::Arc;

use ostracon_piglatin::ast::ShellCommand;
use ostracon_piglatin::check::{Environment as CheckEnvironment, Loaded, Problem};
use ostracon_piglatin::functions::RegistryError;
use ostracon_piglatin::logical::{LogicalOperator, LogicalPlan, StepKind};
use ostracon_piglatin::source::{Diagnostic, DiagnosticKind};
use ostracon_piglatin::types::Schema;
use ostracon_piglatin::value::EvalFunc;

use crate::engine::Engine;
use crate::error::{PigError, PigErrorKind};
use crate::load::{LoadFunc, table_name};
use crate::plan::reached;

/// What the names of a script mean outside of it, and what it has made so far.
#[derive(Debug)]
pub(super) struct Names<'e> {
    engine: &'e Engine,
    /// Paths and tables that the script writes, and the fields that are kept with the data.
    written: RefCell<Vec<(String, Option<Schema>)>>,
    /// Whether a command may have moved files: then what is there shows only when it is needed.
    moved: Cell<bool>,
}

impl<'e> Names<'e> {
    pub(super) fn new(engine: &'e Engine) -> Self {
        Self { engine, written: RefCell::default(), moved: Cell::new(false) }
    }

    /// Whether the script makes an input before it reads it, and the fields kept with it.
    fn made(&self, path: &str, load: &dyn LoadFunc) -> Option<Option<Schema>> {
        let written = self.written.borrow();
        let found = written.iter().find(|(written, _)| match load.is_of_files() {
            true => path.contains(written.as_str()),
            false => table_name(path) == table_name(written),
        });
        match found {
            Some((_, kept)) => Some(kept.clone()),
            None => (load.is_of_files() && self.moved.get()).then_some(None),
        }
    }

    /// Why an input cannot be read, unless the script itself may make it.
    fn missing(&self, path: &str, function: &str, arguments: &[String]) -> Option<Problem> {
        let checked = self.engine.loads.create(function, arguments).and_then(|load| {
            match self.made(path, load.as_ref()) {
                Some(_) => Ok(()),
                None => load.check(path),
            }
        });
        checked.err().map(problem)
    }
}

impl CheckEnvironment for Names<'_> {
    fn function(&self, name: &str, arguments: &[String]) -> Result<Arc<dyn EvalFunc>, Problem> {
        self.engine.functions.create(name, arguments).map_err(|error| {
            let (kind, help) = match &error {
                RegistryError::Unknown { similar: Some(similar), .. } => {
                    (DiagnosticKind::Invalid, Some(format!("did you mean {similar}?")))
                }
                RegistryError::Unsupported { .. } => (DiagnosticKind::Unsupported, None),
                _ => (DiagnosticKind::Invalid, None),
            };
            Problem { kind, message: error.to_string(), help }
        })
    }

    fn is_storage(&self, name: &str) -> bool {
        self.engine.loads.contains(name) || self.engine.stores.contains(name)
    }

    fn load(&self, path: &str, function: &str, arguments: &[String]) -> Result<Loaded, Problem> {
        let load = self.engine.loads.create(function, arguments).map_err(problem)?;
        // Whether a file is there matters only to what is run: see `missing`.
        let schema = match self.made(path, load.as_ref()) {
            Some(kept) => load.schema_later(path, kept.as_ref()),
            None => load.schema(path),
        };
        Ok(Loaded { schema: schema.map_err(problem)?, caster: load.caster() })
    }

    fn store(
        &self,
        path: &str,
        function: &str,
        arguments: &[String],
        schema: Option<&Schema>,
    ) -> Result<(), Problem> {
        let store = self.engine.stores.create(function, arguments).map_err(problem)?;
        let again = self.written.borrow().iter().any(|(written, _)| table_name(written) == table_name(path));
        if again && !store.replaces() {
            let message = format!("{path} is written twice by this script");
            return Err(Problem { kind: DiagnosticKind::AlreadyExists, message, help: None });
        }
        let unsure = again || (store.is_of_files() && self.moved.get());
        if !unsure {
            store.check(path, schema).map_err(problem)?;
        }
        // The latest comes first: it is what a LOAD after it finds. A table stays as it was made.
        if !again || store.is_of_files() {
            let kept = schema.and_then(|schema| store.kept_schema(schema));
            self.written.borrow_mut().insert(0, (path.to_owned(), kept));
        }
        Ok(())
    }

    fn shell(&self, _: &ShellCommand) {
        self.moved.set(true);
    }
}

fn problem(error: PigError) -> Problem {
    let kind = match error.kind {
        PigErrorKind::NotFound => DiagnosticKind::NotFound,
        PigErrorKind::AlreadyExists => DiagnosticKind::AlreadyExists,
        PigErrorKind::Unsupported => DiagnosticKind::Unsupported,
        _ => DiagnosticKind::Invalid,
    };
    Problem { kind, message: error.message, help: None }
}

/// Inputs that steps read and that are not there; all of them, before anything runs.
pub(super) fn missing_inputs(plan: &LogicalPlan, names: &Names<'_>, from: usize) -> Vec<Diagnostic> {
    let mut wanted = Vec::new();
    for step in plan.steps.iter().skip(from) {
        if let StepKind::Dump(input) | StepKind::Store { input, .. } | StepKind::Illustrate(input) =
            &step.kind
        {
            wanted.extend(reached(plan, *input));
        }
    }
    wanted.sort_unstable();
    wanted.dedup();
    let missing = wanted.into_iter().filter_map(|id| {
        let node = plan.nodes.get(id.0)?;
        let LogicalOperator::Load { path, function, arguments } = &node.operator else { return None };
        let problem = names.missing(path, function, arguments)?;
        Some(Diagnostic { kind: problem.kind, message: problem.message, span: node.span, help: problem.help })
    });
    missing.collect()
}
