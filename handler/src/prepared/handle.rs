//! [`Prepared`].

use std::sync::Arc;

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::compute::concat_batches;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::common::ScalarValue;
use futures::TryStreamExt;

use super::parameter::Parameter;
use super::statement::{Answer, PreparedStatement};
use crate::error::{HandlerError, Result};
use crate::execute::{StatementExecutor, StatementOutcome, rows_of};

/// A statement that was parsed and planned, to be run with other values again and again.
///
/// It gives what the statement with the values as constants in its text gives: a number compares by its value whatever its
/// type, a comparison with NULL finds nothing. It follows the catalog and the settings of its session: a table that was
/// altered since is met as it is now, one that was dropped is an error.
///
/// A query by key that reads little is answered in the calling thread, without a plan or a task; it is of use to a
/// program that has no runtime, too, for the future is ready at once. Clones share everything and may be used by many
/// threads.
#[derive(Debug, Clone)]
pub struct Prepared {
    executor: StatementExecutor,
    statement: Arc<PreparedStatement>,
}

impl Prepared {
    pub(crate) fn new(executor: StatementExecutor, statement: PreparedStatement) -> Self {
        Self { executor, statement: Arc::new(statement) }
    }

    /// The parameters, in the order of their numbers.
    pub fn parameters(&self) -> Vec<Parameter> {
        self.statement.planned().parameters.clone()
    }

    /// The columns of a query's rows, as far as they are known before there are values; none if the statement writes.
    pub fn schema(&self) -> SchemaRef {
        Arc::clone(self.statement.planned().plan.schema().inner())
    }

    /// Runs the statement with one value for each parameter.
    ///
    /// # Errors
    /// `Invalid`: more or fewer values than parameters, or one that does not fit where it stands. Otherwise what the
    /// statement would report with the values in its text.
    pub async fn execute(&self, values: &[ScalarValue]) -> Result<StatementOutcome> {
        Ok(match self.statement.run(&self.executor, values).await? {
            Answer::Batch(batch) => rows_of(batch, self.executor.batch_rows()),
            Answer::Outcome(outcome) => outcome,
        })
    }

    /// Runs a query with one value for each parameter, and gives its rows as one batch.
    ///
    /// # Errors
    /// As [`execute`](Self::execute); `Invalid` if the statement is no query (it has been run then).
    pub async fn query(&self, values: &[ScalarValue]) -> Result<RecordBatch> {
        match self.statement.run(&self.executor, values).await? {
            Answer::Batch(batch) => Ok(batch),
            Answer::Outcome(StatementOutcome::Rows { schema, stream }) => {
                let batches: Vec<RecordBatch> = stream.try_collect().await?;
                Ok(concat_batches(&schema, &batches)?)
            }
            Answer::Outcome(_) => Err(HandlerError::invalid("the statement gives no rows; use execute")),
        }
    }
}
