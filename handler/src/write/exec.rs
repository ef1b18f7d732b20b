//! [`TabletWriteExec`]: the plan node of a write.

use std::fmt;
use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, RecordBatch, UInt64Array};
use datafusion::arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use datafusion::common::Result;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::error::DataFusionError;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::{Distribution, EquivalenceProperties, Partitioning, PhysicalExpr};
use datafusion::physical_plan::execution_plan::{Boundedness, EmissionType};
use datafusion::physical_plan::metrics::{ExecutionPlanMetricsSet, MetricBuilder, MetricsSet};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{
    DisplayAs, DisplayFormatType, ExecutionPlan, InputDistributionRequirements, PlanProperties,
    ReplaceChildrenOptions,
};
use futures::StreamExt;

use super::WriteSink;
use crate::error::HandlerError;
use crate::scan::{Snapshot, TabletScanExec, WriteVersion};

/// Writes the rows of its one input partition, as one atomic statement; gives one row with their count.
#[derive(Debug, Clone)]
pub struct TabletWriteExec {
    input: Arc<dyn ExecutionPlan>,
    sink: Arc<dyn WriteSink>,
    properties: Arc<PlanProperties>,
    metrics: ExecutionPlanMetricsSet,
}

/// The output of every write.
fn count_schema() -> SchemaRef {
    Arc::new(Schema::new(vec![Field::new("count", DataType::UInt64, false)]))
}

impl TabletWriteExec {
    /// A write of `input`'s rows into `sink`.
    pub fn new(input: Arc<dyn ExecutionPlan>, sink: Arc<dyn WriteSink>) -> Self {
        let properties = PlanProperties::new(
            EquivalenceProperties::new(count_schema()),
            Partitioning::UnknownPartitioning(1),
            EmissionType::Final,
            Boundedness::Bounded,
        );
        Self { input, sink, properties: Arc::new(properties), metrics: ExecutionPlanMetricsSet::new() }
    }

    fn with_input(&self, mut children: Vec<Arc<dyn ExecutionPlan>>) -> Result<Arc<dyn ExecutionPlan>> {
        match (children.pop(), children.is_empty()) {
            (Some(input), true) => Ok(Arc::new(Self::new(input, Arc::clone(&self.sink)))),
            _ => Err(HandlerError::internal("a write has one input: its rows").into()),
        }
    }
}

impl DisplayAs for TabletWriteExec {
    fn fmt_as(&self, format: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match format {
            DisplayFormatType::TreeRender => f.write_str(&self.sink.describe()),
            _ => write!(f, "TabletWrite: {}", self.sink.describe()),
        }
    }
}

impl ExecutionPlan for TabletWriteExec {
    fn name(&self) -> &str {
        "TabletWriteExec"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        vec![&self.input]
    }

    fn input_distribution_requirements(&self) -> InputDistributionRequirements {
        InputDistributionRequirements::new(vec![Distribution::SinglePartition])
    }

    /// Of two rows with one key the later one wins: the input's order is the statement's.
    fn maintains_input_order(&self) -> Vec<bool> {
        vec![true]
    }

    fn benefits_from_input_partitioning(&self) -> Vec<bool> {
        vec![false]
    }

    fn replace_children(
        self: Arc<Self>,
        children: Vec<Arc<dyn ExecutionPlan>>,
        _options: ReplaceChildrenOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        self.with_input(children)
    }

    fn with_new_children(
        self: Arc<Self>,
        children: Vec<Arc<dyn ExecutionPlan>>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        self.with_input(children)
    }

    fn apply_expressions(
        &self,
        _visit: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        Ok(TreeNodeRecursion::Continue)
    }

    fn metrics(&self) -> Option<MetricsSet> {
        Some(self.metrics.clone_inner())
    }

    fn execute(&self, partition: usize, context: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        if partition != 0 {
            return Err(HandlerError::internal(format!(
                "a write has one partition, not a partition {partition}"
            ))
            .into());
        }
        let (input, sink) = (Arc::clone(&self.input), Arc::clone(&self.sink));
        let written = MetricBuilder::new(&self.metrics).counter("rows_written", partition);
        let stream = futures::stream::once(async move {
            let count = run(input, sink, context).await?;
            written.add(usize::try_from(count).unwrap_or(usize::MAX));
            let column: ArrayRef = Arc::new(UInt64Array::from(vec![count]));
            Ok(RecordBatch::try_new(count_schema(), vec![column])?)
        });
        Ok(Box::pin(RecordBatchStreamAdapter::new(count_schema(), stream)))
    }
}

/// The statement: begin, read and write, commit.
async fn run(
    input: Arc<dyn ExecutionPlan>,
    sink: Arc<dyn WriteSink>,
    context: Arc<TaskContext>,
) -> Result<u64> {
    let mut write = blocking(move || sink.begin()).await?;
    // The scans of this statement read as of now: the table is locked, nobody else changes it.
    let _reading = ReadAsOf::set(&input, &*write);
    let mut rows = input.execute(0, context)?;
    while let Some(batch) = rows.next().await {
        let batch = batch?;
        write = blocking(move || {
            write.write(&batch)?;
            Ok(write)
        })
        .await?;
    }
    drop(rows);
    blocking(move || write.commit()).await
}

/// Runs something that may wait for a lock or the disk.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> crate::error::Result<T> + Send + 'static,
) -> Result<T> {
    let done = tokio::task::spawn_blocking(work).await;
    Ok(done.map_err(|error| DataFusionError::ExecutionJoin(Box::new(error)))??)
}

/// Gives the statement's version to the scans below it, for as long as it lives.
struct ReadAsOf(Vec<WriteVersion>);

impl ReadAsOf {
    fn set(input: &Arc<dyn ExecutionPlan>, write: &dyn super::ActiveWrite) -> Self {
        let mut scans = Vec::new();
        collect(input, &mut scans);
        let version = write.version();
        for scan in &scans {
            scan.set(version.clone());
        }
        Self(scans)
    }
}

impl Drop for ReadAsOf {
    fn drop(&mut self) {
        for scan in &self.0 {
            scan.set(None);
        }
    }
}

fn collect(plan: &Arc<dyn ExecutionPlan>, into: &mut Vec<WriteVersion>) {
    if let Some(scan) = plan.downcast_ref::<TabletScanExec>()
        && let Snapshot::OfWrite(version) = &scan.request().snapshot
    {
        into.push(version.clone());
    }
    for child in plan.children() {
        collect(child, into);
    }
}
