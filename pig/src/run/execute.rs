//! Plans to rows.

use std::sync::Arc;

use arrow::record_batch::RecordBatch;
use datafusion::common::runtime::SpawnedTask;
use datafusion::error::{DataFusionError, Result};
use datafusion::execution::context::SessionContext;
use datafusion::execution::{SendableRecordBatchStream, SessionState, SessionStateBuilder};
use datafusion::logical_expr::LogicalPlan as Plan;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{ExecutionPlan, ExecutionPlanProperties, execute_stream};
use futures::{StreamExt, stream};
use tokio::sync::mpsc;

use crate::warnings::Warnings;

/// Batches that a partition may be ahead of the one whose turn it is.
const AHEAD: usize = 4;

/// How a plan is run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Partitions {
    /// As many as the session has.
    Many,
    /// One: rows are numbered in the order of the input.
    One,
}

/// The session's state for plans of so many partitions.
pub(crate) fn state_for(context: &SessionContext, partitions: Partitions) -> SessionState {
    let state = context.state();
    match partitions {
        Partitions::Many => state,
        Partitions::One => {
            let config = state.config().clone().with_target_partitions(1);
            SessionStateBuilder::new_from_existing(state).with_config(config).build()
        }
    }
}

/// The rows of a plan, partition after partition, so that rows of a file come in the file's order.
///
/// With `strict`, the first warning ends the rows with an error.
pub(crate) async fn rows(
    context: &SessionContext,
    plan: &Plan,
    partitions: Partitions,
    strict: Option<Warnings>,
) -> Result<SendableRecordBatchStream> {
    let physical = state_for(context, partitions).create_physical_plan(plan).await?;
    let stream = in_order(physical, context)?;
    let Some(warnings) = strict else { return Ok(stream) };
    let schema = stream.schema();
    let checked = move |batch: Result<RecordBatch>| match warnings.first() {
        Some((kind, sample)) => {
            let text = format!("pig.strict is true and there was a warning: {kind}: {sample}");
            Err(DataFusionError::Execution(text))
        }
        None => batch,
    };
    // A warning may come with the end of the rows: an empty batch behind them is checked like the others.
    let end = RecordBatch::new_empty(Arc::clone(&schema));
    let rows = stream.chain(stream::iter([Ok(end)])).map(checked);
    Ok(Box::pin(RecordBatchStreamAdapter::new(schema, rows)))
}

fn in_order(plan: Arc<dyn ExecutionPlan>, context: &SessionContext) -> Result<SendableRecordBatchStream> {
    let partitions = plan.output_partitioning().partition_count();
    if partitions <= 1 {
        return execute_stream(plan, context.task_ctx());
    }
    let schema = plan.schema();
    let mut sources = Vec::with_capacity(partitions);
    for partition in 0..partitions {
        let mut rows = plan.execute(partition, context.task_ctx())?;
        let (sender, receiver) = mpsc::channel(AHEAD);
        // The task ends with the stream that it feeds.
        let task = SpawnedTask::spawn(async move {
            while let Some(batch) = rows.next().await {
                if sender.send(batch).await.is_err() {
                    break;
                }
            }
        });
        sources.push((receiver, task));
    }
    let one_after_the_other = stream::iter(sources).flat_map(|source| {
        stream::unfold(source, |(mut receiver, task)| async move {
            let batch: Option<Result<RecordBatch>> = receiver.recv().await;
            batch.map(|batch| (batch, (receiver, task)))
        })
    });
    Ok(Box::pin(RecordBatchStreamAdapter::new(schema, one_after_the_other)))
}
