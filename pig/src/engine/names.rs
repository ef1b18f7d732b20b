use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::sync::Arc;

use ostracon_piglatin::ast::ShellCommand;
use ostracon_piglatin::check::{Environment as CheckEnvironment, Loaded, Problem};
use ostracon_piglatin::functions::RegistryError;
use ostracon_piglatin::logical::{LogicalOperator, LogicalPlan, StepKind};
use ostracon_piglatin::source::{Diagnostic, DiagnosticKind};
use ostracon_piglatin::types::{Caster, Schema};
use ostracon_piglatin::value::EvalFunc;

use crate::engine::Engine;
use crate::error::{PigError, PigErrorKind};
use crate::load::table_name;
use crate::plan::reached;

/// What the names of a script mean outside of it, and what it has made so far.
#[derive(Debug)]
pub(super) struct Names<'e> {
    engine: &'e Engine,
    /// Tables that the script makes.
    made: RefCell<HashMap<String, Schema>>,
    /// Paths that the script writes.
    written: RefCell<Vec<String>>,
    /// Whether a command may have moved files: then what is there shows only when it is needed.
    moved: Cell<bool>,
}

impl<'e> Names<'e> {
    pub(super) fn new(engine: &'e Engine) -> Self {
        Self { engine, made: RefCell::default(), written: RefCell::default(), moved: Cell::new(false) }
    }

    /// Why an input cannot be read, unless the script itself may make it.
    fn missing(&self, path: &str, function: &str, arguments: &[String]) -> Option<Problem> {
        let later = self.moved.get()
            || self.made.borrow().contains_key(table_name(path))
            || self.written.borrow().iter().any(|written| path.contains(written.as_str()));
        if later {
            return None;
        }
        let load = self.engine.loads.create(function, arguments).and_then(|load| load.check(path));
        load.err().map(problem)
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
        if let Some(schema) = self.made.borrow().get(table_name(path)) {
            return Ok(Loaded { schema: Some(schema.clone()), caster: Caster::Utf8 });
        }
        let later =
            self.moved.get() || self.written.borrow().iter().any(|written| path.contains(written.as_str()));
        if later {
            return Ok(Loaded { schema: None, caster: load.caster() });
        }
        // Whether a file is there matters only to what is run: see `missing`.
        Ok(Loaded { schema: load.schema(path).map_err(problem)?, caster: load.caster() })
    }

    fn store(
        &self,
        path: &str,
        function: &str,
        arguments: &[String],
        schema: Option<&Schema>,
    ) -> Result<(), Problem> {
        let store = self.engine.stores.create(function, arguments).map_err(problem)?;
        if self.written.borrow().iter().any(|written| written == path) && !path.starts_with("table:") {
            let message = format!("{path} is written twice by this script");
            return Err(Problem { kind: DiagnosticKind::AlreadyExists, message, help: None });
        }
        let known = self.made.borrow().contains_key(table_name(path));
        if !self.moved.get() && !known {
            store.check(path, schema).map_err(problem)?;
        }
        if function.ends_with("TableStorer") {
            if let Some(schema) = schema
                && !known
            {
                let table = self.engine.loads.create("TableLoader", &[]).and_then(|load| load.schema(path));
                if !matches!(table, Ok(Some(_))) {
                    self.made.borrow_mut().insert(table_name(path).to_owned(), unprefixed(schema));
                }
            }
        } else {
            self.written.borrow_mut().push(path.to_owned());
        }
        Ok(())
    }

    fn shell(&self, _: &ShellCommand) {
        self.moved.set(true);
    }
}

/// The columns that a table gets: names without what a join put before them.
fn unprefixed(schema: &Schema) -> Schema {
    let mut schema = schema.clone();
    for field in &mut schema.fields {
        field.name = field.name.as_deref().map(|name| name.rsplit("::").next().unwrap_or(name).to_owned());
    }
    schema
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
