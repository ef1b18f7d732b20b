//! [`StatementExecutor`]: one statement after the other, in one session.
//!
//! A text is parsed ([`crate::statement`]); catalog statements go to [`crate::ddl`], `COPY` of text files to
//! [`crate::copy`], all else to DataFusion. The answer is a [`StatementOutcome`]. A statement that fails leaves the session
//! as it was.

use std::sync::Arc;

use datafusion::arrow::array::{AsArray, RecordBatch};
use datafusion::arrow::datatypes::{SchemaRef, UInt64Type};
use datafusion::common::TableReference;
use datafusion::dataframe::DataFrame;
use datafusion::execution::context::SessionContext;
use datafusion::execution::{SendableRecordBatchStream, SessionState};
use datafusion::logical_expr::{DdlStatement, LogicalPlan, Statement as PlanStatement};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::sql::parser::Statement as EngineStatement;
use datafusion::sql::sqlparser::dialect::dialect_from_str;
use parking_lot::Mutex;

use crate::catalog::SqlCatalog;
use crate::ddl::Ddl;
use crate::error::{HandlerError, Result};
use crate::lookup::TableReader;
use crate::prepared::{self, Answer, NamedStatements, Prepared, PreparedStatement};
use crate::scan::{IdleScans, StatementVersions};
use crate::statement::{Numbered, Prepare, Statement, parse_statement, parse_statement_in};
use crate::storage::{SessionAccess, StorageHandlerRegistry};
use crate::value_names::ValueNames;

/// What a statement gave.
pub enum StatementOutcome {
    /// Rows, of a query, an EXPLAIN or a SHOW.
    Rows {
        /// Their columns.
        schema: SchemaRef,
        /// The rows, as they come.
        stream: SendableRecordBatchStream,
    },
    /// The number of rows that were written.
    Count(u64),
    /// Nothing to show.
    Done,
}

impl std::fmt::Debug for StatementOutcome {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Rows { schema, .. } => {
                f.debug_struct("Rows").field("schema", schema).finish_non_exhaustive()
            }
            Self::Count(rows) => f.debug_tuple("Count").field(rows).finish(),
            Self::Done => f.write_str("Done"),
        }
    }
}

/// Runs the statements of a session.
#[derive(Clone)]
pub struct StatementExecutor {
    context: SessionContext,
    ddl: Ddl,
    warnings: Arc<Mutex<Vec<String>>>,
    idle: IdleScans,
    named: NamedStatements,
}

impl std::fmt::Debug for StatementExecutor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("StatementExecutor").field("ddl", &self.ddl).finish_non_exhaustive()
    }
}

impl StatementExecutor {
    /// An executor for a context that [`crate::register`] has prepared.
    pub fn new(
        context: SessionContext,
        catalog: SqlCatalog,
        handlers: StorageHandlerRegistry,
        access: SessionAccess,
    ) -> Self {
        Self {
            context,
            ddl: Ddl { catalog, handlers, access },
            warnings: Arc::default(),
            idle: IdleScans::default(),
            named: NamedStatements::default(),
        }
    }

    /// The DataFusion session.
    pub fn context(&self) -> &SessionContext {
        &self.context
    }

    /// The catalog.
    pub fn catalog(&self) -> &SqlCatalog {
        &self.ddl.catalog
    }

    /// The storage handlers.
    pub fn handlers(&self) -> &StorageHandlerRegistry {
        &self.ddl.handlers
    }

    /// What the session may see.
    pub fn access(&self) -> &SessionAccess {
        &self.ddl.access
    }

    /// The warnings of the statements since this was last asked.
    pub fn take_warnings(&self) -> Vec<String> {
        std::mem::take(&mut *self.warnings.lock())
    }

    /// A reader of a tablet table's rows by their key. `table` is a name as SQL has it.
    ///
    /// # Errors
    /// `NotFound`; `Unsupported` if the table is a view, lies in files, or has no key that a column shows.
    pub fn table_reader(&self, table: &str) -> Result<TableReader> {
        let name = crate::ddl::local_name(&TableReference::from(table))?;
        TableReader::new(&self.ddl.catalog, &self.ddl.access, &self.idle, &name)
    }

    /// Runs one statement. Rows are read as the caller asks for them; everything else is done when this returns.
    pub async fn execute(&self, text: &str) -> Result<StatementOutcome> {
        match self.parse(text)? {
            Statement::CreateTable(create) => {
                let created = self.ddl.create_table(&self.context, &create).await?;
                self.warn(created.warnings);
                Ok(created.rows.map_or(StatementOutcome::Done, StatementOutcome::Count))
            }
            Statement::CreateView(view) => {
                self.ddl.create_view(&self.context, &view).await?;
                Ok(StatementOutcome::Done)
            }
            Statement::Drop(drop) => {
                self.ddl.drop(&drop)?;
                self.idle.clear();
                Ok(StatementOutcome::Done)
            }
            Statement::AlterProperties(alter) => {
                let warnings = self.ddl.alter(&alter)?;
                self.warn(warnings);
                Ok(StatementOutcome::Done)
            }
            Statement::AlterColumns(alter) => {
                self.ddl.alter_columns(&alter)?;
                self.idle.clear();
                Ok(StatementOutcome::Done)
            }
            Statement::Show(show) => Ok(one_batch(self.ddl.show(&self.context, &show).await?)),
            Statement::CopyTo(copy) => crate::copy::copy_to(self, &copy).await.map(StatementOutcome::Count),
            Statement::CopyFrom(copy) => {
                crate::copy::copy_from(self, &copy).await.map(StatementOutcome::Count)
            }
            Statement::Prepare(prepare) => self.prepare_named(*prepare).await,
            Statement::Unsupported { what, hint } => {
                Err(HandlerError::unsupported(format!("{what} is not supported: {hint}")))
            }
            Statement::Engine(statement) => self.execute_engine(*statement).await,
        }
    }

    fn warn(&self, warnings: Vec<String>) {
        self.warnings.lock().extend(warnings);
    }

    /// Prepares a statement whose parameters are `?` or `$1`, `$2`, ...: it is parsed and planned now, and run with
    /// other values as often as wanted.
    ///
    /// # Errors
    /// What is wrong with the statement; `Unsupported` if it is neither a query nor INSERT, UPDATE or DELETE.
    pub async fn prepare(&self, text: &str) -> Result<Prepared> {
        let numbered = Numbered::new(text)?;
        let prepared = async {
            match self.parse(&numbered.text)? {
                Statement::Engine(statement) => {
                    PreparedStatement::new(self, *statement, numbered.parameters).await
                }
                _ => Err(prepared::not_prepared()),
            }
        };
        let prepared = prepared.await.map_err(|error| numbered.place_back(error))?;
        Ok(Prepared::new(self.clone(), prepared))
    }

    fn parse(&self, text: &str) -> Result<Statement> {
        let config = self.context.copied_config();
        let options = config.options();
        let time_zone = options.execution.time_zone.as_deref();
        match dialect_from_str(options.sql_parser.dialect) {
            Some(dialect) => parse_statement_in(text, time_zone, dialect.as_ref()),
            None => parse_statement(text, time_zone),
        }
    }

    /// DataFusion's plan of a statement.
    pub(crate) async fn plan(&self, statement: EngineStatement) -> Result<LogicalPlan> {
        let plan = self.context.state().statement_to_plan(statement).await;
        plan.map_err(|error| self.better(error.into()))
    }

    async fn prepare_named(&self, prepare: Prepare) -> Result<StatementOutcome> {
        let Prepare { name, numbered, statement } = prepare;
        let prepared = PreparedStatement::new(self, statement, numbered.parameters).await;
        self.named.add(&name, prepared.map_err(|error| numbered.place_back(error))?)?;
        Ok(StatementOutcome::Done)
    }

    async fn execute_engine(&self, statement: EngineStatement) -> Result<StatementOutcome> {
        match self.plan(statement).await? {
            LogicalPlan::Statement(PlanStatement::Execute(execute)) => {
                let prepared = self.named.get(&execute.name)?;
                let values = prepared::values_of(&self.context.state(), execute.parameters)?;
                Ok(match prepared.run(self, &values).await? {
                    Answer::Batch(batch) => rows_of(batch, self.batch_rows()),
                    Answer::Outcome(outcome) => outcome,
                })
            }
            LogicalPlan::Statement(PlanStatement::Deallocate(deallocate)) => {
                self.named.remove(&deallocate.name)?;
                Ok(StatementOutcome::Done)
            }
            plan => {
                if let LogicalPlan::Ddl(ddl) = &plan {
                    refuse_volatile(ddl)?;
                }
                let (_, plan) = self.context.execute_logical_plan(plan).await?.into_parts();
                self.run_plan(plan).await
            }
        }
    }

    /// Runs a plan that neither changes the catalog nor the session.
    pub(crate) async fn run_plan(&self, plan: LogicalPlan) -> Result<StatementOutcome> {
        let frame = DataFrame::new(self.statement_state(&plan), plan);
        match frame.logical_plan() {
            LogicalPlan::Dml(dml) => {
                // What writes may replace what is read: nothing is kept for the sake of idle scans.
                self.idle.clear();
                let names = ValueNames::of(&dml.input);
                let count = count_of(frame).await.map_err(|error| names.say(error))?;
                Ok(StatementOutcome::Count(count))
            }
            LogicalPlan::Copy(_) => count_of(frame).await.map(StatementOutcome::Count),
            LogicalPlan::EmptyRelation(_) | LogicalPlan::Ddl(_) if frame.schema().fields().is_empty() => {
                frame.collect().await?;
                Ok(StatementOutcome::Done)
            }
            _ => {
                let schema = Arc::clone(frame.schema().inner());
                let stream = frame.execute_stream().await?;
                Ok(StatementOutcome::Rows { schema, stream })
            }
        }
    }

    /// Scans that wait to be used again.
    pub(crate) fn idle_scans(&self) -> &IdleScans {
        &self.idle
    }

    /// Rows of a batch, as the session has it.
    pub(crate) fn batch_rows(&self) -> usize {
        self.context.state_ref().read().config_options().execution.batch_size.get()
    }

    /// The state that one statement is planned and run with: all its scans of a table read one version of it.
    fn statement_state(&self, plan: &LogicalPlan) -> SessionState {
        let mut state = self.context.state();
        let config = state.config_mut();
        config.set_extension(Arc::new(StatementVersions::default()));
        if writes(plan) {
            // Of two rows with one key the later one wins: rows that come in an order are to stay in it.
            config.options_mut().optimizer.enable_round_robin_repartition = false;
        }
        state
    }

    /// Says which table may have been meant where DataFusion only says that there is none.
    fn better(&self, error: HandlerError) -> HandlerError {
        let name = error.message.strip_prefix("table '").and_then(|rest| rest.strip_suffix("' not found"));
        let Some(name) = name.map(TableReference::from) else { return error };
        let better = match crate::ddl::local_name(&name) {
            Ok(name) => self.ddl.catalog.not_found(&name),
            Err(no_schema) => no_schema,
        };
        HandlerError { position: error.position, ..better }
    }
}

/// Whether a plan writes rows, or explains one that does.
fn writes(plan: &LogicalPlan) -> bool {
    match plan {
        LogicalPlan::Dml(_) => true,
        LogicalPlan::Explain(explain) => writes(&explain.plan),
        LogicalPlan::Analyze(analyze) => writes(&analyze.input),
        _ => false,
    }
}

/// What DataFusion would make for this session only, and the user would miss after it.
fn refuse_volatile(ddl: &DdlStatement) -> Result<()> {
    let what = match ddl {
        DdlStatement::CreateCatalogSchema(_) | DdlStatement::DropCatalogSchema(_) => "a schema of one's own",
        DdlStatement::CreateCatalog(_) => "a catalog of one's own",
        _ => return Ok(()),
    };
    Err(HandlerError::unsupported(format!(
        "{what} is not supported: all tables are in the schema {}",
        crate::ddl::SCHEMA
    )))
}

/// Runs a plan that writes, and gives its count.
pub(crate) async fn count_of(frame: DataFrame) -> Result<u64> {
    let batches = frame.collect().await?;
    let mut count = 0;
    for batch in &batches {
        let column = batch.columns().first().and_then(|column| column.as_primitive_opt::<UInt64Type>());
        count += column.map_or(0, |column| column.iter().flatten().sum::<u64>());
    }
    Ok(count)
}

fn one_batch(batch: RecordBatch) -> StatementOutcome {
    let rows = batch.num_rows();
    rows_of(batch, rows)
}

/// Rows that are all there, handed out in batches of the size that is asked for; no rows are no batch.
pub(crate) fn rows_of(batch: RecordBatch, batch_rows: usize) -> StatementOutcome {
    let schema = batch.schema();
    let (rows, step) = (batch.num_rows(), batch_rows.max(1));
    let slices = (0..rows).step_by(step).map(move |start| Ok(batch.slice(start, step.min(rows - start))));
    let stream = Box::pin(RecordBatchStreamAdapter::new(Arc::clone(&schema), futures::stream::iter(slices)));
    StatementOutcome::Rows { schema, stream }
}
