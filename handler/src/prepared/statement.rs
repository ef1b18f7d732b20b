//! [`PreparedStatement`], and the statements that SQL's PREPARE names.

use std::collections::BTreeMap;
use std::sync::Arc;

use datafusion::arrow::array::{RecordBatch, RecordBatchOptions};
use datafusion::common::{DFSchema, ScalarValue};
use datafusion::execution::SessionState;
use datafusion::logical_expr::{ColumnarValue, Expr};
use datafusion::sql::parser::Statement as EngineStatement;
use datafusion::sql::sqlparser::ast::Statement as SqlStatement;
use parking_lot::Mutex;

use super::planned::{Circumstances, Planned};
use super::{bind, parameter};
use crate::error::{ErrorKind, HandlerError, Result};
use crate::execute::{StatementExecutor, StatementOutcome};

/// A statement with parameters, without the session that runs it.
#[derive(Debug)]
pub(crate) struct PreparedStatement {
    /// As it was parsed; a PREPARE if that made it.
    statement: EngineStatement,
    parameters: usize,
    planned: Mutex<Arc<Planned>>,
}

/// Rows that were read at once, or all else.
pub(crate) enum Answer {
    Batch(RecordBatch),
    Outcome(StatementOutcome),
}

impl PreparedStatement {
    /// Plans a statement with that many parameters.
    ///
    /// # Errors
    /// What is wrong with the statement; `Unsupported` if it is none to be prepared.
    pub(crate) async fn new(
        executor: &StatementExecutor,
        statement: EngineStatement,
        parameters: usize,
    ) -> Result<Self> {
        let circumstances = Circumstances::now(executor)?;
        let planned = plan(executor, &statement, parameters, circumstances).await?;
        Ok(Self { statement, parameters, planned: Mutex::new(Arc::new(planned)) })
    }

    pub(super) fn planned(&self) -> Arc<Planned> {
        Arc::clone(&self.planned.lock())
    }

    /// Runs the statement with these values.
    ///
    /// # Errors
    /// `Invalid` if the values do not fit; what a statement with the values in its text would report.
    pub(crate) async fn run(&self, executor: &StatementExecutor, values: &[ScalarValue]) -> Result<Answer> {
        let circumstances = Circumstances::now(executor)?;
        let planned = self.planned();
        let planned = if planned.is_current(&circumstances) {
            planned
        } else {
            let planned = plan(executor, &self.statement, self.parameters, circumstances.clone()).await?;
            let planned = Arc::new(planned);
            *self.planned.lock() = Arc::clone(&planned);
            planned
        };
        let parameters = &planned.parameters;
        let fitted;
        let values = if parameter::fit_as_they_are(parameters, values) {
            values
        } else {
            fitted = parameter::fit(parameters, values)?;
            &fitted
        };
        let explained = |error| parameter::with_types(error, parameters, values);
        let kind = planned.kind(executor, values).map_err(explained)?;
        if let (Some(template), Some(store)) = (&kind.template, &circumstances.store)
            && let Some(batch) = template.run(store, values)?
        {
            return Ok(Answer::Batch(batch));
        }
        let bound = bind::values_into(&planned.plan, values).map_err(|error| explained(error.into()))?;
        executor.run_plan(bound).await.map(Answer::Outcome).map_err(explained)
    }
}

async fn plan(
    executor: &StatementExecutor,
    statement: &EngineStatement,
    parameters: usize,
    circumstances: Circumstances,
) -> Result<Planned> {
    let types_declared = match statement {
        EngineStatement::Statement(sql) => {
            matches!(sql.as_ref(), SqlStatement::Prepare { data_types, .. } if !data_types.is_empty())
        }
        _ => false,
    };
    let plan = executor.plan(statement.clone()).await?;
    Planned::new(circumstances, plan, parameters, types_declared)
}

/// What PREPARE keeps for EXECUTE. Clones share it.
#[derive(Debug, Clone, Default)]
pub(crate) struct NamedStatements(Arc<Mutex<BTreeMap<String, Arc<PreparedStatement>>>>);

impl NamedStatements {
    /// # Errors
    /// `AlreadyExists`.
    pub(crate) fn add(&self, name: &str, statement: PreparedStatement) -> Result<()> {
        let mut statements = self.0.lock();
        if statements.contains_key(name) {
            return Err(HandlerError::new(
                ErrorKind::AlreadyExists,
                format!("there is a prepared statement {name} already; DEALLOCATE {name} first"),
            ));
        }
        statements.insert(name.to_owned(), Arc::new(statement));
        Ok(())
    }

    /// # Errors
    /// `NotFound`.
    pub(crate) fn get(&self, name: &str) -> Result<Arc<PreparedStatement>> {
        let statements = self.0.lock();
        statements.get(name).cloned().ok_or_else(|| not_found(name, &statements))
    }

    /// # Errors
    /// `NotFound`.
    pub(crate) fn remove(&self, name: &str) -> Result<()> {
        let mut statements = self.0.lock();
        if statements.remove(name).is_none() {
            return Err(not_found(name, &statements));
        }
        Ok(())
    }
}

fn not_found(name: &str, known: &BTreeMap<String, Arc<PreparedStatement>>) -> HandlerError {
    let hint = match crate::suggest::nearest(name, known.keys().map(String::as_str)) {
        Some(near) => format!("did you mean {near}?"),
        None => format!("PREPARE {name} AS ... makes one"),
    };
    HandlerError::new(ErrorKind::NotFound, format!("there is no prepared statement {name}; {hint}"))
}

/// The values of EXECUTE: expressions over no columns.
pub(crate) fn values_of(state: &SessionState, expressions: Vec<Expr>) -> Result<Vec<ScalarValue>> {
    expressions.into_iter().map(|expression| value_of(state, expression)).collect()
}

fn value_of(state: &SessionState, expression: Expr) -> Result<ScalarValue> {
    if let Expr::Literal(value, _) = expression {
        return Ok(value);
    }
    let nothing = DFSchema::empty();
    let physical = state.create_physical_expr(expression, &nothing)?;
    let options = RecordBatchOptions::new().with_row_count(Some(1));
    let one_row = RecordBatch::try_new_with_options(Arc::clone(nothing.inner()), Vec::new(), &options)?;
    Ok(match physical.evaluate(&one_row)? {
        ColumnarValue::Scalar(value) => value,
        ColumnarValue::Array(array) => ScalarValue::try_from_array(&array, 0)?,
    })
}
