//! [`Engine`]: what scripts run with, and how one goes from its text to its results.

mod names;

use std::fmt;
use std::sync::Arc;

use datafusion::execution::context::SessionContext;
use ostracon_piglatin::check::Checker;
use ostracon_piglatin::functions::FunctionRegistry;
use ostracon_piglatin::logical::LogicalPlan;
use ostracon_piglatin::preprocess::{Progress, ScriptParser};
use ostracon_piglatin::source::{Diagnostic, DiagnosticKind, SourceMap};

use self::names::{Names, missing_inputs};
use crate::error::PigError;
use crate::load::{LoadFuncs, TableCatalog, builtin_loads};
use crate::run::{Environment, Host, Run};
use crate::store::{StoreFuncs, builtin_stores};
use crate::warnings::Warnings;

/// What scripts run with.
#[derive(Clone)]
pub struct Engine {
    context: SessionContext,
    /// Evaluation functions: programs add their own.
    pub functions: FunctionRegistry,
    /// Load functions: programs add their own.
    pub loads: LoadFuncs,
    /// Store functions: programs add their own.
    pub stores: StoreFuncs,
}

impl fmt::Debug for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Engine").field("functions", &self.functions).finish_non_exhaustive()
    }
}

/// Why a script did not end well.
#[derive(Debug, thiserror::Error)]
pub enum ScriptError {
    /// Faults that were found before anything ran: each with its place, for people.
    #[error("{rendered}")]
    Faults {
        /// How many.
        count: usize,
        /// All of them.
        rendered: String,
    },
    /// The run ended with an error.
    #[error("{rendered}")]
    Run {
        /// What it was.
        #[source]
        error: PigError,
        /// With its place, for people.
        rendered: String,
    },
}

impl Engine {
    /// An engine in a DataFusion session, with the tables of a catalog.
    #[must_use]
    pub fn new(context: SessionContext, catalog: Option<Arc<dyn TableCatalog>>) -> Self {
        Self {
            functions: FunctionRegistry::with_builtins(),
            loads: builtin_loads(context.clone(), catalog.clone()),
            stores: builtin_stores(catalog),
            context,
        }
    }

    /// A session that runs scripts and statements one after the other.
    ///
    /// `started_millis` is the time (milliseconds since 1970), `seed` begins the random numbers.
    #[must_use]
    pub fn session(&self, started_millis: i64, seed: u64) -> ScriptSession<'_> {
        let environment = Environment {
            context: self.context.clone(),
            loads: self.loads.clone(),
            stores: self.stores.clone(),
            started_millis,
            seed,
        };
        ScriptSession { names: Names::new(self), run: Run::new(environment) }
    }
}

/// The script after parameters and macros, statement by statement.
///
/// # Errors
/// All faults of its words.
pub fn expand(parser: ScriptParser<'_>, name: &str, text: &str) -> Result<String, ScriptError> {
    let parsed = parser.parse_script(name, text);
    faults(&parsed.diagnostics, &parsed.sources)?;
    Ok(parsed.dryrun())
}

/// A script that has no fault.
#[derive(Debug)]
pub struct CheckedScript {
    plan: LogicalPlan,
    sources: SourceMap,
    /// What is doubtful, for people.
    pub told: Vec<String>,
}

/// Checks and runs scripts.
#[derive(Debug)]
pub struct ScriptSession<'e> {
    names: Names<'e>,
    run: Run,
}

impl ScriptSession<'_> {
    /// Checks a script.
    ///
    /// # Errors
    /// All faults.
    pub fn check(
        &self,
        parser: ScriptParser<'_>,
        name: &str,
        text: &str,
    ) -> Result<CheckedScript, ScriptError> {
        let parsed = parser.parse_script(name, text);
        // What a statement that cannot be read defines is taken to be there.
        let unread = if parsed.has_errors() { assigned_names(text) } else { Vec::new() };
        let checked = ostracon_piglatin::check::check(&parsed.script, &self.names, unread);
        let mut all = parsed.diagnostics;
        all.extend(checked.diagnostics);
        if all.iter().all(|diagnostic| diagnostic.kind == DiagnosticKind::Warning) {
            all.extend(missing_inputs(&checked.plan, &self.names, 0));
        }
        faults(&all, &parsed.sources)?;
        let told = all.iter().map(|diagnostic| parsed.sources.render(diagnostic) + "\n").collect();
        Ok(CheckedScript { plan: checked.plan, sources: parsed.sources, told })
    }

    /// Runs a script that was checked.
    ///
    /// # Errors
    /// What ends the run.
    pub async fn run(&mut self, script: &CheckedScript, host: &mut dyn Host) -> Result<(), ScriptError> {
        self.run.steps(&script.plan, 0, host).await.map_err(|error| placed(error, &script.sources))
    }

    /// What became null so far.
    #[must_use]
    pub fn warnings(&self) -> &Warnings {
        self.run.warnings()
    }
}

/// The names that a text assigns to, for statements that cannot be read.
fn assigned_names(text: &str) -> Vec<String> {
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let parts = text.split('=').filter_map(|before| {
        let before = before.trim_end();
        let start = before.rfind(|c| !word(c)).map_or(0, |at| at + 1);
        (start < before.len()).then(|| before[start..].to_owned())
    });
    parts.collect()
}

/// Statements as they are typed.
pub struct Grunt<'s> {
    names: &'s Names<'s>,
    checker: Checker<'s>,
    parser: ScriptParser<'s>,
    run: &'s mut Run,
    done: usize,
}

impl fmt::Debug for Grunt<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Grunt").field("checker", &self.checker).finish_non_exhaustive()
    }
}

/// What became of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Taken {
    /// It ends within a statement: more lines are due.
    Incomplete,
    /// It was run.
    Done,
}

impl<'s> Grunt<'s> {
    /// A shell in a session.
    #[must_use]
    pub fn new(session: &'s mut ScriptSession<'s>, parser: ScriptParser<'s>) -> Self {
        let ScriptSession { names, run } = session;
        Self { names, checker: Checker::new(names), parser, run, done: 0 }
    }

    /// Checks and runs what was typed; relations and macros stay known.
    ///
    /// # Errors
    /// All faults; what ends the run.
    pub async fn take(
        &mut self,
        text: &str,
        host: &mut dyn Host,
        tell: &mut (dyn FnMut(&str) + Send),
    ) -> Result<Taken, ScriptError> {
        let Progress::Complete { statements, diagnostics } = self.parser.parse_statements("<input>", text)
        else {
            return Ok(Taken::Incomplete);
        };
        let sources = self.parser.sources();
        faults(&diagnostics, sources)?;
        for statement in &statements {
            self.checker.statement(statement);
        }
        let from = std::mem::replace(&mut self.done, self.checker.plan().steps.len());
        let mut told = self.checker.take_diagnostics();
        told.extend(missing_inputs(self.checker.plan(), self.names, from));
        faults(&told, sources)?;
        told.iter().for_each(|diagnostic| tell(&(sources.render(diagnostic) + "\n")));
        let done = self.run.steps(self.checker.plan(), from, host).await;
        done.map(|()| Taken::Done).map_err(|error| placed(error, self.parser.sources()))
    }

    /// The names of relations so far.
    pub fn aliases(&self) -> impl Iterator<Item = &str> {
        self.checker.aliases()
    }

    /// What became null so far.
    #[must_use]
    pub fn warnings(&self) -> &Warnings {
        self.run.warnings()
    }
}

fn faults(diagnostics: &[Diagnostic], sources: &SourceMap) -> Result<(), ScriptError> {
    let faults: Vec<&Diagnostic> =
        diagnostics.iter().filter(|diagnostic| diagnostic.kind != DiagnosticKind::Warning).collect();
    if faults.is_empty() {
        return Ok(());
    }
    let rendered = faults.iter().map(|fault| sources.render(fault) + "\n").collect();
    Err(ScriptError::Faults { count: faults.len(), rendered })
}

fn placed(error: PigError, sources: &SourceMap) -> ScriptError {
    let rendered = match error.span {
        Some(span) => {
            let plain = sources.render(&Diagnostic::invalid(error.message.as_str(), span));
            plain.replacen("error: invalid: ", &format!("error: {}: ", error.kind.as_str()), 1) + "\n"
        }
        None => format!("error: {}: {}\n", error.kind.as_str(), error.message.replace(['\n', '\r'], " ")),
    };
    ScriptError::Run { error, rendered }
}
