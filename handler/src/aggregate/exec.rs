//! [`TabletAggregateExec`]: a scan that gives partial states in place of rows.

use std::fmt;
use std::sync::Arc;

use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::error::{DataFusionError, Result};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::{EquivalenceProperties, Partitioning, PhysicalExpr};
use datafusion::physical_plan::execution_plan::{Boundedness, EmissionType};
use datafusion::physical_plan::metrics::{ExecutionPlanMetricsSet, MetricBuilder, MetricsSet, RecordOutput};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{
    ChildrenPropertiesMode, DisplayAs, DisplayFormatType, ExecutionPlan, PlanProperties,
    ReplaceChildrenOptions,
};
use futures::{StreamExt, TryStreamExt};
use ostracon_data::RowRanges;

use super::partition::aggregate;
use super::recognise::Chain;
use super::spec::AggregateSpec;
use crate::scan::{Listener, PartitionMetrics};

/// Computes the first half of an aggregate while it scans: one batch of partial states a partition, as DataFusion's own
/// partial aggregation would give it. The input is the scan's: row ranges, a partition a tablet.
///
/// Rows for which the answer could differ from DataFusion's (an overflow, more groups than are kept) are handed back:
/// DataFusion's own operator aggregates them.
#[derive(Debug, Clone)]
pub struct TabletAggregateExec {
    spec: Arc<AggregateSpec>,
    chain: Arc<Chain>,
    /// DataFusion's partial aggregation over the chain.
    engine: Arc<dyn ExecutionPlan>,
    properties: Arc<PlanProperties>,
    metrics: ExecutionPlanMetricsSet,
}

impl TabletAggregateExec {
    /// The node that does what `engine`, a partial aggregation over the chain, does.
    pub(super) fn new(spec: AggregateSpec, chain: Chain, engine: Arc<dyn ExecutionPlan>) -> Self {
        let properties = PlanProperties::new(
            EquivalenceProperties::new(Arc::clone(&spec.schema)),
            Partitioning::UnknownPartitioning(
                chain.scan.properties().output_partitioning().partition_count(),
            ),
            EmissionType::Final,
            Boundedness::Bounded,
        );
        Self {
            spec: Arc::new(spec),
            chain: Arc::new(chain),
            engine,
            properties: Arc::new(properties),
            metrics: ExecutionPlanMetricsSet::new(),
        }
    }

    fn with_input(&self, children: Vec<Arc<dyn ExecutionPlan>>) -> Result<Arc<dyn ExecutionPlan>> {
        let scan = self.chain.scan.with_input(children)?;
        let chain = Chain { scan, projections: self.chain.projections.clone() };
        let engine = Arc::clone(&self.engine);
        Ok(Arc::new(Self::new(self.spec.as_ref().clone(), chain, engine)))
    }

    /// DataFusion's own partial aggregation of these ranges.
    fn handed_back(&self, ranges: RowRanges) -> Result<Arc<dyn ExecutionPlan>> {
        let scan = self.chain.scan.of_ranges(ranges, &self.metrics)?;
        let rows = self.chain.over(Arc::new(scan))?;
        let anew = ReplaceChildrenOptions::new(ChildrenPropertiesMode::Recompute);
        Arc::clone(&self.engine).replace_children(vec![rows], anew)
    }
}

impl DisplayAs for TabletAggregateExec {
    fn fmt_as(&self, format: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rows = self.chain.scan.schema();
        let fields = self.spec.groups.iter().filter_map(|column| rows.fields().get(*column));
        let groups: Vec<&str> = fields.map(|field| field.name().as_str()).collect();
        let more = [
            ("groups", format!("[{}]", groups.join(", "))),
            ("aggregates", format!("[{}]", self.spec.labels.join(", "))),
        ];
        self.chain.scan.write_line(&more, format, f)
    }
}

impl ExecutionPlan for TabletAggregateExec {
    fn name(&self) -> &str {
        "TabletAggregateExec"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        self.chain.scan.children()
    }

    /// More partitions of ranges than tablets bring nothing.
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
        visit: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        self.chain.scan.apply_expressions(visit)
    }

    fn metrics(&self) -> Option<MetricsSet> {
        Some(self.metrics.clone_inner())
    }

    fn execute(&self, partition: usize, context: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        let admin = self.chain.scan.request().access.admin;
        let metrics = PartitionMetrics::new(&self.metrics, partition, admin);
        let schema = self.schema();
        let listener = Listener::default();
        let scan = self.chain.scan.partition(partition, &context, listener.flag())?;
        let node = self.clone();
        // The reading thread starts when somebody asks for the first batch.
        let stream = futures::stream::once(async move {
            let scan = scan.await?;
            let spec = Arc::clone(&node.spec);
            let counted = metrics.clone();
            let reading = move || aggregate(&scan, &spec, &counted);
            let done = tokio::task::spawn_blocking(reading).await;
            let done = done.map_err(|error| DataFusionError::External(Box::new(error)))??;
            if admin && done.summarized > 0 {
                let counter = MetricBuilder::new(&node.metrics).counter("segments_summarized", partition);
                counter.add(done.summarized);
            }
            let states = done.states.map(|states| states.record_output(&metrics.baseline));
            let own = futures::stream::iter(states.map(Ok));
            let Some(ranges) = done.handed_back else { return Ok(own.boxed()) };
            MetricBuilder::new(&node.metrics).counter("handed_back", partition).add(1);
            let rest = node.handed_back(ranges)?.execute(0, context)?;
            let rest = rest.map_ok(move |states| states.record_output(&metrics.baseline));
            Ok::<_, DataFusionError>(own.chain(rest).boxed())
        });
        let stream = stream.try_flatten().inspect(move |_| listener.listens());
        Ok(Box::pin(RecordBatchStreamAdapter::new(schema, stream)))
    }
}
