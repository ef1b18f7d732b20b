//! [`Run`]: the steps of a checked script, one after the other.

mod execute;
mod made;
mod program;
mod shared;

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::io::Write;
use std::sync::Arc;

use datafusion::execution::context::SessionContext;
use datafusion::logical_expr::{LogicalPlan as Plan, LogicalPlanBuilder};
use futures::StreamExt;
use ostracon_piglatin::ast::ShellCommand;
use ostracon_piglatin::logical::{LogicalOperator, LogicalPlan, NodeId, StepKind};
use ostracon_piglatin::types::Schema;
use ostracon_piglatin::value::Value;
use ostracon_piglatin::value::matcher::MatcherCache;
use parking_lot::Mutex;

use self::execute::Partitions;
use self::program::Program;
pub(crate) use self::program::fields_at;
use crate::error::{PigError, Result, from_datafusion, unwritable};
use crate::load::LoadFuncs;
use crate::plan::{Evaluation, Lowering, Source, reached, scalars_of};
use crate::progress::Progress;
use crate::store::{StoreFuncs, StoreInput, dump};
use crate::warnings::{RunContext, Warnings};

/// What a run needs besides the script.
#[derive(Clone)]
pub struct Environment {
    /// The DataFusion session that plans run in.
    pub context: SessionContext,
    /// Load functions by name.
    pub loads: LoadFuncs,
    /// Store functions by name.
    pub stores: StoreFuncs,
    /// Milliseconds since 1970 when the run began.
    pub started_millis: i64,
    /// Where random numbers begin.
    pub seed: u64,
}

impl std::fmt::Debug for Environment {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Environment").field("started_millis", &self.started_millis).finish_non_exhaustive()
    }
}

/// Who runs the commands of the shell, and shows what is said besides rows.
pub trait Host: Send {
    /// Where DUMP, DESCRIBE and the like write.
    fn output(&mut self) -> &mut (dyn Write + Send);

    /// Called when a STORE begins, with the counters of the run; what it gives is dropped when the STORE ends. By
    /// default nothing is shown.
    fn storing(&mut self, progress: &Progress) -> Option<Box<dyn Send>> {
        let _ = progress;
        None
    }

    /// A command that is no statement of Pig Latin.
    ///
    /// # Errors
    /// `Unsupported` if there is no such command here; whatever the command fails with.
    fn shell(&mut self, command: &ShellCommand) -> Result<()>;
}

/// The run of one script, or of the statements of a shell, which share settings and warnings.
#[derive(Debug)]
pub struct Run {
    environment: Environment,
    context: RunContext,
    strict: bool,
}

impl Run {
    /// A run that has done nothing yet.
    #[must_use]
    pub fn new(environment: Environment) -> Self {
        let context = RunContext::new(Warnings::default(), environment.started_millis, environment.seed);
        Self { environment, context, strict: false }
    }

    /// What became null so far.
    #[must_use]
    pub fn warnings(&self) -> &Warnings {
        self.context.warnings()
    }

    /// Does the steps of a plan from the given one on.
    ///
    /// # Errors
    /// What ends the run, with the place of its step.
    pub async fn steps(&mut self, plan: &LogicalPlan, from: usize, host: &mut dyn Host) -> Result<()> {
        let mut next = from;
        while let Some(step) = plan.steps.get(next) {
            let stores = plan.steps[next..].iter().take_while(|step| is_plain_store(&step.kind)).count();
            let at = |error: PigError| error.at(step.span);
            match &step.kind {
                StepKind::Store { .. } if stores > 1 => {
                    self.batch(plan, next, stores, host).await.map_err(at)?;
                    next += stores;
                    continue;
                }
                kind => self.step(plan, kind, host).await.map_err(at)?,
            }
            next += 1;
        }
        Ok(())
    }

    async fn step(&mut self, plan: &LogicalPlan, kind: &StepKind, host: &mut dyn Host) -> Result<()> {
        match kind {
            StepKind::Dump(input) => {
                let mut source = Source::default();
                let rows = self.rows(plan, *input, &mut source).await?;
                dump(rows, plan.nodes[input.0].schema.as_ref(), host.output()).await
            }
            StepKind::Store { .. } => {
                let _shown = host.storing(self.context.progress());
                self.store(plan, kind, &mut Source::default()).await
            }
            StepKind::Describe(text) => show(host, &format!("{text}\n")),
            StepKind::Explain { input, brief } => {
                let text = self.explain(plan, *input, *brief).await?;
                show(host, &text)
            }
            StepKind::Illustrate(input) => self.illustrate(plan, *input, host).await,
            StepKind::Set { key, value } => self.set(key, value),
            StepKind::Shell(command) if command.command.text == "exec" && command.arguments.is_empty() => {
                Ok(())
            }
            StepKind::Shell(command) => host.shell(command),
        }
    }

    /// Several outputs: what they have in common is computed once.
    async fn batch(
        &mut self,
        plan: &LogicalPlan,
        first: usize,
        count: usize,
        host: &mut dyn Host,
    ) -> Result<()> {
        let _shown = host.storing(self.context.progress());
        let steps = &plan.steps[first..first + count];
        let outputs: Vec<NodeId> = steps
            .iter()
            .filter_map(|step| match &step.kind {
                StepKind::Store { input, .. } => Some(*input),
                _ => None,
            })
            .collect();
        let mut source = Source::default();
        for id in shared::shared(plan, &outputs) {
            let rows = self.rows(plan, id, &mut source).await?;
            let made = made::make(rows).await.map_err(from_datafusion)?;
            source.made.insert(id, made);
        }
        for step in steps {
            self.store(plan, &step.kind, &mut source).await.map_err(|error| error.at(step.span))?;
        }
        Ok(())
    }

    async fn store(&mut self, plan: &LogicalPlan, kind: &StepKind, source: &mut Source) -> Result<()> {
        let StepKind::Store { input, path, function, arguments } = kind else {
            return Err(PigError::internal("a STORE was due"));
        };
        let store = self.environment.stores.create(function, arguments)?;
        let schema = plan.nodes[input.0].schema.clone();
        store.check(path, schema.as_ref())?;
        let rows = self.rows(plan, *input, source).await?;
        store.store(&self.environment.context, path, StoreInput { rows, schema }).await?;
        Ok(())
    }

    fn set(&mut self, key: &str, value: &str) -> Result<()> {
        match (key, value) {
            ("pig.strict", "true") => self.strict = true,
            ("pig.strict", "false") => self.strict = false,
            ("pig.strict", _) => {
                return Err(PigError::invalid(format!("pig.strict is true or false, not {value}")));
            }
            // Settings of Hadoop and of Pig's own engine have no meaning here, and change no answer.
            _ => {}
        }
        Ok(())
    }

    /// The rows of a relation. What its plan needs is computed first, and left in `source`.
    async fn rows(
        &mut self,
        plan: &LogicalPlan,
        id: NodeId,
        source: &mut Source,
    ) -> Result<datafusion::execution::SendableRecordBatchStream> {
        let lowered = self.lower(plan, id, source).await?;
        self.open(&lowered, partitions(plan, id)).await
    }

    async fn open(
        &self,
        lowered: &Plan,
        partitions: Partitions,
    ) -> Result<datafusion::execution::SendableRecordBatchStream> {
        let strict = self.strict.then(|| self.warnings().clone());
        execute::rows(&self.environment.context, lowered, partitions, strict).await.map_err(from_datafusion)
    }

    async fn lower(&mut self, plan: &LogicalPlan, id: NodeId, source: &mut Source) -> Result<Plan> {
        let scalars = self.prepare(plan, id, source).await?;
        let matchers = Arc::new(Mutex::new(MatcherCache::default()));
        let evaluation = Evaluation { context: self.context.clone(), scalars: Arc::new(scalars), matchers };
        Lowering::new(plan, source, &evaluation).relation(id).map_err(from_datafusion)
    }

    /// Runs the programs of STREAMs, computes the rows that are used as scalars, and opens the scans.
    async fn prepare(
        &mut self,
        plan: &LogicalPlan,
        id: NodeId,
        source: &mut Source,
    ) -> Result<HashMap<NodeId, Vec<Value>>> {
        let mut scalars = HashMap::new();
        for node in Lowering::closure(plan, id, &source.made) {
            for scalar in scalars_of(&plan.nodes[node.0].operator) {
                if let Entry::Vacant(place) = scalars.entry(scalar) {
                    place.insert(Box::pin(self.scalar(plan, scalar, source)).await?);
                }
            }
            if let LogicalOperator::Stream { input, command } = &plan.nodes[node.0].operator {
                let program = Program::new(command)?;
                let rows = Box::pin(self.rows(plan, *input, source)).await?;
                let printed = program.run(rows, plan.nodes[input.0].schema.as_ref()).await?;
                let made = made::make(printed).await.map_err(from_datafusion)?;
                source.made.insert(node, made);
            }
        }
        for request in Lowering::requests(plan, id, &source.made) {
            if source.loads.iter().any(|(known, _)| *known == request) {
                continue;
            }
            let node = &plan.nodes[request.load.0];
            let LogicalOperator::Load { path, function, arguments } = &node.operator else { continue };
            let load = self.environment.loads.create(function, arguments)?;
            let scan = load
                .plan(&self.environment.context, path, &request.layout, &self.context)
                .await
                .map_err(|error| error.at(node.span))?;
            source.loads.push((request, scan));
        }
        Ok(scalars)
    }

    /// The one row of a relation; no values if it has none.
    async fn scalar(&mut self, plan: &LogicalPlan, id: NodeId, source: &mut Source) -> Result<Vec<Value>> {
        let two = first_rows(self.lower(plan, id, source).await?, 2)?;
        let node = &plan.nodes[id.0];
        let mut rows = self.open(&two, partitions(plan, id)).await?;
        let types = node.schema.as_ref().map(Schema::types);
        let mut found: Option<Vec<Value>> = None;
        while let Some(batch) = rows.next().await {
            let batch = batch.map_err(from_datafusion)?;
            for row in 0..batch.num_rows() {
                let values = fields_at(&batch, types.as_deref(), row).map_err(from_datafusion)?;
                if found.replace(values).is_some() {
                    let alias = node.alias.as_deref().unwrap_or("the relation");
                    return Err(PigError::invalid(format!(
                        "{alias} is used as a single value but has more than one row; \
                         to name a field of a join or group, write {alias}::field"
                    )));
                }
            }
        }
        Ok(found.unwrap_or_default())
    }

    async fn explain(&mut self, plan: &LogicalPlan, id: NodeId, brief: bool) -> Result<String> {
        let lowered = self.lower(plan, id, &mut Source::default()).await?;
        let state = execute::state_for(&self.environment.context, partitions(plan, id));
        let optimized = state.optimize(&lowered).map_err(from_datafusion)?;
        let mut text = format!("Logical plan\n{}\n", optimized.display_indent());
        if !brief {
            let physical = state.create_physical_plan(&lowered).await.map_err(from_datafusion)?;
            let shown = datafusion::physical_plan::displayable(physical.as_ref()).indent(false).to_string();
            text.push_str(&format!("\nPhysical plan\n{shown}"));
        }
        Ok(text)
    }

    /// Each relation that an alias names, on the way to the asked one, with its first rows.
    async fn illustrate(&mut self, plan: &LogicalPlan, id: NodeId, host: &mut dyn Host) -> Result<()> {
        const ROWS: usize = 5;
        for node in Lowering::closure(plan, id, &HashMap::new()) {
            let Some(alias) = &plan.nodes[node.0].alias else { continue };
            let few = first_rows(self.lower(plan, node, &mut Source::default()).await?, ROWS)?;
            let rows = execute::rows(&self.environment.context, &few, Partitions::One, None);
            let rows = rows.await.map_err(from_datafusion)?;
            writeln!(host.output(), "-- {alias}").map_err(unwritable)?;
            dump(rows, plan.nodes[node.0].schema.as_ref(), host.output()).await?;
        }
        Ok(())
    }
}

/// Text for the one who asked, who may be waiting for it.
fn show(host: &mut dyn Host, text: &str) -> Result<()> {
    let output = host.output();
    output.write_all(text.as_bytes()).and_then(|()| output.flush()).map_err(unwritable)
}

/// A plan of no more than so many rows of another.
fn first_rows(plan: Plan, count: usize) -> Result<Plan> {
    let few = LogicalPlanBuilder::from(plan).limit(0, Some(count)).and_then(LogicalPlanBuilder::build);
    few.map_err(from_datafusion)
}

fn is_plain_store(kind: &StepKind) -> bool {
    // Tables are written in the script's order, and a later LOAD sees an earlier STORE.
    matches!(kind, StepKind::Store { path, .. } if !path.starts_with("table:"))
}

/// Rows that are numbered as they come are read by one thread.
fn partitions(plan: &LogicalPlan, id: NodeId) -> Partitions {
    let numbers = |id: NodeId| matches!(&plan.nodes[id.0].operator, LogicalOperator::Rank { keys, .. } if keys.is_empty());
    match reached(plan, id).into_iter().any(numbers) {
        true => Partitions::One,
        false => Partitions::Many,
    }
}
