//! What scripts of the tests find outside: the built-in functions, loaders without schema, and a few tables.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;

use ostracon_piglatin::ast::ShellCommand;
use ostracon_piglatin::check::{Environment, Loaded, Problem};
use ostracon_piglatin::functions::{FunctionRegistry, RegistryError};
use ostracon_piglatin::source::DiagnosticKind;
use ostracon_piglatin::types::{Caster, Field, PigType, Schema};
use ostracon_piglatin::value::EvalFunc;

/// Paths with `missing` in them are not there. `BinStorage` has no caster; `table:goods` has three columns.
pub(crate) struct Files {
    functions: FunctionRegistry,
    tables: RefCell<BTreeMap<String, Schema>>,
}

impl Files {
    pub(crate) fn new() -> Self {
        let goods = Schema::new(vec![
            Field::named("sku", PigType::Int),
            Field::named("name", PigType::Chararray),
            Field::named("price", PigType::Double),
        ]);
        let tables = BTreeMap::from([("table:goods".to_owned(), goods)]);
        Self { functions: FunctionRegistry::with_builtins(), tables: RefCell::new(tables) }
    }
}

fn problem(kind: DiagnosticKind, message: String) -> Problem {
    Problem { kind, message, help: None }
}

impl Environment for Files {
    fn function(&self, name: &str, arguments: &[String]) -> Result<Arc<dyn EvalFunc>, Problem> {
        self.functions.create(name, arguments).map_err(|error| {
            let help = match &error {
                RegistryError::Unknown { similar: Some(similar), .. } => {
                    Some(format!("did you mean {similar}?"))
                }
                _ => None,
            };
            Problem { help, ..problem(DiagnosticKind::Invalid, error.to_string()) }
        })
    }

    fn is_storage(&self, name: &str) -> bool {
        ["PigStorage", "TextLoader", "BinStorage", "TableLoader", "TableStorer"].contains(&name)
    }

    fn load(&self, path: &str, function: &str, _: &[String]) -> Result<Loaded, Problem> {
        if !self.is_storage(function) {
            let message = format!("there is no load function {function}");
            return Err(problem(DiagnosticKind::Invalid, message));
        }
        let caster = if function == "BinStorage" { Caster::None } else { Caster::Utf8 };
        let schema = self.tables.borrow().get(path).cloned();
        if path.contains("missing") || (path.starts_with("table:") && schema.is_none()) {
            return Err(problem(DiagnosticKind::NotFound, format!("{path} is not there")));
        }
        Ok(Loaded { schema, caster })
    }

    fn store(
        &self,
        path: &str,
        function: &str,
        _: &[String],
        schema: Option<&Schema>,
    ) -> Result<(), Problem> {
        if !self.is_storage(function) {
            let message = format!("there is no store function {function}");
            return Err(problem(DiagnosticKind::Invalid, message));
        }
        if let Some(schema) = schema
            && path.starts_with("table:")
        {
            self.tables.borrow_mut().insert(path.to_owned(), schema.clone());
        }
        Ok(())
    }

    fn shell(&self, _: &ShellCommand) {}
}
