//! Trees to typed plans: names, operators, casts (N1 to N51).
//!
//! [`Checker`] goes through statements in order and tells every fault once: an expression with a fault gives no further
//! ones, and what reads a relation with a fault is passed over in silence.

mod access;
mod bytes;
mod call;
mod choice;
mod combine;
mod cube;
mod environment;
mod expression;
mod foreach;
mod generate;
mod group;
mod load;
mod names;
mod nested;
mod operators;
mod output;
mod relation;
mod scope;
mod sort;
mod statement;

pub use environment::{Environment, Loaded, Problem};

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::ast::{CommandSpec, Script, Statement};
use crate::logical::{LogicalOperator, LogicalPlan, Node, NodeId};
use crate::source::{Diagnostic, DiagnosticKind, Span};
use crate::types::{PigType, Schema, TypeProblem, Unknown};
use crate::value::EvalFunc;

/// A fault that was told, or that follows from one that was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Fault;

pub(crate) type Checked<T> = Result<T, Fault>;

/// What a name stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Alias {
    Relation(NodeId),
    /// Its definition has a fault.
    Faulty,
}

/// A function of DEFINE.
#[derive(Debug, Clone)]
pub(crate) struct DefinedFunction {
    pub(crate) function: Arc<dyn EvalFunc>,
    /// Types of arguments and result, if they were declared (N34).
    pub(crate) signature: Option<(Vec<PigType>, PigType)>,
}

/// Checks statements, and keeps what they define.
pub struct Checker<'e> {
    environment: &'e dyn Environment,
    plan: LogicalPlan,
    diagnostics: Vec<Diagnostic>,
    aliases: BTreeMap<String, Alias>,
    /// What names meant before a definition with a fault, since diagnostics were last taken.
    replaced: BTreeMap<String, NodeId>,
    /// Functions of DEFINE; none where the definition has a fault.
    functions: BTreeMap<String, Option<DefinedFunction>>,
    commands: BTreeMap<String, CommandSpec>,
    /// Load and store functions of DEFINE, with their arguments.
    storages: BTreeMap<String, (String, Vec<String>)>,
    /// The types of names in the block that a relation was made by.
    nested: BTreeMap<(String, String), PigType>,
    /// What the statement before made: `@`.
    previous: Option<Alias>,
    /// Names that statements define which could not be read.
    unread: Vec<String>,
    /// Branches of the CASEs around the expression at hand.
    branches: usize,
    /// What fields of a relation without a schema are.
    rows: BTreeMap<NodeId, Unknown>,
}

impl std::fmt::Debug for Checker<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Checker")
            .field("plan", &self.plan)
            .field("aliases", &self.aliases)
            .finish_non_exhaustive()
    }
}

/// A script that was checked.
#[derive(Debug)]
pub struct CheckedScript {
    /// The plan; only without faults is it whole.
    pub plan: LogicalPlan,
    /// Faults and warnings.
    pub diagnostics: Vec<Diagnostic>,
}

impl CheckedScript {
    /// Whether nothing but warnings was told.
    #[must_use]
    pub fn is_ok(&self) -> bool {
        self.diagnostics.iter().all(|diagnostic| diagnostic.kind == DiagnosticKind::Warning)
    }
}

/// Checks a script. `unread` are the names that statements define which could not be read: nothing is told of those who
/// use them.
pub fn check(script: &Script, environment: &dyn Environment, unread: Vec<String>) -> CheckedScript {
    let mut checker = Checker::new(environment);
    checker.unread = unread;
    for statement in &script.statements {
        checker.statement(statement);
    }
    CheckedScript { plan: checker.plan, diagnostics: checker.diagnostics }
}

impl<'e> Checker<'e> {
    /// A checker that knows no relation yet.
    #[must_use]
    pub fn new(environment: &'e dyn Environment) -> Self {
        Self {
            environment,
            plan: LogicalPlan::default(),
            diagnostics: Vec::new(),
            aliases: BTreeMap::new(),
            replaced: BTreeMap::new(),
            functions: BTreeMap::new(),
            commands: BTreeMap::new(),
            storages: BTreeMap::new(),
            nested: BTreeMap::new(),
            previous: None,
            unread: Vec::new(),
            branches: 0,
            rows: BTreeMap::new(),
        }
    }

    /// Checks one statement and adds it to the plan.
    pub fn statement(&mut self, statement: &Statement) {
        // A fault was told where it was found.
        let _ = self.check_statement(statement);
    }

    /// The plan so far.
    #[must_use]
    pub fn plan(&self) -> &LogicalPlan {
        &self.plan
    }

    /// What was told since this was last asked. Names whose definition had a fault mean again what they did before, or
    /// nothing: a session goes on as if the definition had not been typed.
    pub fn take_diagnostics(&mut self) -> Vec<Diagnostic> {
        let replaced = std::mem::take(&mut self.replaced);
        for (name, id) in replaced {
            if let Some(alias @ Alias::Faulty) = self.aliases.get_mut(&name) {
                *alias = Alias::Relation(id);
            }
        }
        self.aliases.retain(|_, alias| *alias != Alias::Faulty);
        self.functions.retain(|_, function| function.is_some());
        self.previous = self.previous.filter(|previous| *previous != Alias::Faulty);
        std::mem::take(&mut self.diagnostics)
    }

    /// The names of relations, for completion.
    pub fn aliases(&self) -> impl Iterator<Item = &str> {
        self.aliases.keys().map(String::as_str)
    }

    pub(crate) fn fault(&mut self, diagnostic: Diagnostic) -> Fault {
        self.diagnostics.push(diagnostic);
        Fault
    }

    pub(crate) fn invalid(&mut self, message: impl Into<String>, span: Span) -> Fault {
        self.fault(Diagnostic::invalid(message, span))
    }

    pub(crate) fn problem(&mut self, problem: TypeProblem, span: Span) -> Fault {
        self.fault(Diagnostic {
            kind: DiagnosticKind::Invalid,
            message: problem.message,
            span,
            help: problem.help,
        })
    }

    pub(crate) fn outside(&mut self, problem: Problem, span: Span) -> Fault {
        self.fault(Diagnostic { kind: problem.kind, message: problem.message, span, help: problem.help })
    }

    pub(crate) fn warn(&mut self, message: impl Into<String>, span: Span) {
        self.diagnostics.push(Diagnostic {
            kind: DiagnosticKind::Warning,
            message: message.into(),
            span,
            help: None,
        });
    }

    pub(crate) fn add(
        &mut self,
        operator: LogicalOperator,
        schema: Option<Schema>,
        span: Span,
        rows: Unknown,
    ) -> NodeId {
        self.casts_of_bytes(&operator);
        let id = NodeId(self.plan.nodes.len());
        if schema.is_none() {
            self.rows.insert(id, rows);
        }
        self.plan.nodes.push(Node { operator, schema, alias: None, span });
        id
    }

    pub(crate) fn schema(&self, id: NodeId) -> Option<&Schema> {
        self.plan.nodes.get(id.0).and_then(|node| node.schema.as_ref())
    }

    /// What a field of the relation is where its fields are not known.
    pub(crate) fn rows_of(&self, id: NodeId) -> Unknown {
        self.rows.get(&id).copied().unwrap_or(Unknown::Dynamic)
    }
}
