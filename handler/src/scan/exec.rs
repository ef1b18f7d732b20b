//! [`TabletScanExec`]: the plan node of a scan.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use datafusion::arrow::compute::SortOptions;
use datafusion::common::config::ConfigOptions;
use datafusion::common::stats::Precision;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::common::{Result, Statistics};
use datafusion::error::DataFusionError;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::expressions::Column;
use datafusion::physical_expr::{
    AcrossPartitions, ConstExpr, EquivalenceProperties, LexOrdering, Partitioning, PhysicalExpr,
    PhysicalSortExpr,
};
use datafusion::physical_plan::execution_plan::{Boundedness, EmissionType, apply_expression_roots};
use datafusion::physical_plan::filter_pushdown::{
    ChildPushdownResult, FilterPushdownPhase, FilterPushdownPropagation, PushedDown,
};
use datafusion::physical_plan::metrics::{ExecutionPlanMetricsSet, MetricsSet};
use datafusion::physical_plan::statistics::StatisticsArgs;
use datafusion::physical_plan::stream::{RecordBatchReceiverStreamBuilder, RecordBatchStreamAdapter};
use datafusion::physical_plan::{
    DisplayAs, DisplayFormatType, ExecutionPlan, ExecutionPlanProperties, PlanProperties,
    ReplaceChildrenOptions, SortOrderPushdownResult,
};
use futures::{StreamExt, TryStreamExt};
use ostracon_data::RowRanges;
use ostracon_tablets::{Clock, SystemClock};

use super::display::ScanLine;
use super::metrics::PartitionMetrics;
use super::ranges::{self, ScanPieces};
use super::reader::PartitionScan;
use super::request::ScanRequest;
use super::runtime_filter::RuntimeFilters;
use crate::error::HandlerError;

/// Batches that may wait between the reading thread and the plan above.
const CHANNEL_BATCHES: usize = 2;

/// Scans a tablet table. The input's rows are row ranges (`start`, `end`), one partition a tablet or a piece of
/// a large one; each partition gives
/// the rows of its ranges, in the order of the row ids, or backwards.
///
/// A `fetch` is the most rows that each partition gives.
#[derive(Debug, Clone)]
pub struct TabletScanExec {
    request: ScanRequest,
    input: Arc<dyn ExecutionPlan>,
    /// Tablets that the ranges touch: one less than the partitions where they touch none.
    tablets: usize,
    reverse: bool,
    fetch: Option<usize>,
    /// Filters over the output that become known while the query runs; they narrow the ranges and are applied above.
    runtime_filters: Vec<Arc<dyn PhysicalExpr>>,
    properties: Arc<PlanProperties>,
    metrics: ExecutionPlanMetricsSet,
    /// The metrics of the node that this one reads for, if it is not in the plan itself.
    counted_for: Option<ExecutionPlanMetricsSet>,
}

impl TabletScanExec {
    /// A scan of the request's ranges.
    pub(crate) fn try_new(request: ScanRequest, pieces: &ScanPieces, fetch: Option<usize>) -> Result<Self> {
        let ranges = &request.pushed.predicate.row_ranges;
        let tablets = ranges::by_extent(ranges, &pieces.tablets).len();
        let input = ranges::as_plan(&ranges::by_extent(ranges, &pieces.extents))?;
        Self::assemble(request, input, tablets, false, fetch, Vec::new())
    }

    fn assemble(
        request: ScanRequest,
        input: Arc<dyn ExecutionPlan>,
        tablets: usize,
        reverse: bool,
        fetch: Option<usize>,
        runtime_filters: Vec<Arc<dyn PhysicalExpr>>,
    ) -> Result<Self> {
        let partitions = input.output_partitioning().partition_count();
        let properties = PlanProperties::new(
            equivalences(&request, reverse)?,
            Partitioning::UnknownPartitioning(partitions),
            EmissionType::Incremental,
            Boundedness::Bounded,
        );
        Ok(Self {
            request,
            input,
            tablets,
            reverse,
            fetch,
            runtime_filters,
            properties: Arc::new(properties),
            metrics: ExecutionPlanMetricsSet::new(),
            counted_for: None,
        })
    }

    /// The same scan, in one partition, of other row ranges; what it reads is counted by another node.
    pub(crate) fn of_ranges(&self, ranges: RowRanges, counted_for: &ExecutionPlanMetricsSet) -> Result<Self> {
        let input = ranges::as_plan(&[ranges])?;
        let (request, filters) = (self.request.clone(), self.runtime_filters.clone());
        let scan = Self::assemble(request, input, 1, self.reverse, self.fetch, filters)?;
        Ok(Self { counted_for: Some(counted_for.clone()), ..scan })
    }

    /// What a partition is to read: known once its ranges and the filters of the moment are. The flag ends the reading.
    pub(crate) fn partition(
        &self,
        partition: usize,
        context: &Arc<TaskContext>,
        cancelled: Arc<AtomicBool>,
    ) -> Result<impl Future<Output = Result<PartitionScan>> + Send + use<>> {
        let batch_rows = context.session_config().batch_size();
        let version = self.request.snapshot.version()?;
        let (request, reverse, fetch) = (self.request.clone(), self.reverse, self.fetch);
        let filters = RuntimeFilters::new(self.runtime_filters.clone());
        let input = self.input.execute(partition, Arc::clone(context))?;
        Ok(async move {
            let ranges = ranges::read(input).await?.intersect(&filters.row_ranges(&request));
            let now_ms = SystemClock.now_ms();
            Ok(PartitionScan {
                request,
                version,
                ranges,
                filters,
                reverse,
                fetch,
                batch_rows,
                now_ms,
                cancelled,
            })
        })
    }

    /// Writes the scan's line, with what another node makes of the rows behind it.
    pub(crate) fn write_line(
        &self,
        more: &[(&'static str, String)],
        format: DisplayFormatType,
        f: &mut fmt::Formatter<'_>,
    ) -> fmt::Result {
        let line = ScanLine {
            more,
            request: &self.request,
            tablets: self.tablets,
            fetch: self.fetch,
            reverse: self.reverse,
            runtime_filters: &self.runtime_filters,
            tree: matches!(format, DisplayFormatType::TreeRender),
        };
        write!(f, "{line}")
    }

    /// Whether the rows come from last to first.
    pub(crate) fn reads_backwards(&self) -> bool {
        self.reverse
    }

    pub(crate) fn request(&self) -> &ScanRequest {
        &self.request
    }

    /// The same scan of the ranges that another plan gives.
    pub(crate) fn with_input(&self, mut children: Vec<Arc<dyn ExecutionPlan>>) -> Result<Self> {
        match (children.pop(), children.is_empty()) {
            (Some(input), true) => {
                let filters = self.runtime_filters.clone();
                let scan = Self::assemble(
                    self.request.clone(),
                    input,
                    self.tablets,
                    self.reverse,
                    self.fetch,
                    filters,
                )?;
                Ok(Self { counted_for: self.counted_for.clone(), ..scan })
            }
            _ => Err(HandlerError::internal("a tablet scan has one input: its ranges").into()),
        }
    }
}

/// What is known of the order of rows: the key, where its bytes sort as the values do, behind the parts that are the
/// same in every row.
fn equivalences(request: &ScanRequest, reverse: bool) -> Result<EquivalenceProperties> {
    let schema = request.schema();
    let column = |output: usize| {
        let name = schema.fields().get(output).map_or("", |field| field.name().as_str());
        Arc::new(Column::new(name, output))
    };
    let order = request.key_order().into_iter().map(|(output, options)| {
        PhysicalSortExpr::new(column(output), if reverse { turned(options) } else { options })
    });
    let mut known = match LexOrdering::new(order) {
        Some(order) => EquivalenceProperties::new_with_orderings(Arc::clone(&schema), [order]),
        None => EquivalenceProperties::new(Arc::clone(&schema)),
    };
    let constants = request.constant_outputs().into_iter();
    known.add_constants(
        constants.map(|output| ConstExpr::new(column(output), AcrossPartitions::Uniform(None))),
    )?;
    Ok(known)
}

/// The order of the same rows read backwards.
fn turned(options: SortOptions) -> SortOptions {
    SortOptions { descending: !options.descending, nulls_first: !options.nulls_first }
}

impl DisplayAs for TabletScanExec {
    fn fmt_as(&self, format: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write_line(&[], format, f)
    }
}

impl ExecutionPlan for TabletScanExec {
    fn name(&self) -> &str {
        "TabletScanExec"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        vec![&self.input]
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
        Ok(Arc::new(self.with_input(children)?))
    }

    fn with_new_children(
        self: Arc<Self>,
        children: Vec<Arc<dyn ExecutionPlan>>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        Ok(Arc::new(self.with_input(children)?))
    }

    fn apply_expressions(
        &self,
        visit: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        // The row filter is a program of its own, not expressions of DataFusion. Whoever makes a runtime filter looks
        // for its readers here.
        apply_expression_roots(self.runtime_filters.iter(), visit)
    }

    fn metrics(&self) -> Option<MetricsSet> {
        Some(self.metrics.clone_inner())
    }

    /// Never exact: labels hide rows, and rows that were written twice count twice.
    fn statistics_from_inputs(
        &self,
        _inputs: &[Arc<Statistics>],
        args: &StatisticsArgs,
    ) -> Result<Arc<Statistics>> {
        let mut statistics = Statistics::new_unknown(&self.schema());
        if self.request.access.admin && args.partition().is_none() {
            let rows = if self.tablets == 0 { 0 } else { self.request.approximate_rows };
            statistics.num_rows = Precision::Inexact(usize::try_from(rows).unwrap_or(usize::MAX));
        }
        Ok(Arc::new(statistics))
    }

    fn supports_limit_pushdown(&self) -> bool {
        false
    }

    fn fetch(&self) -> Option<usize> {
        self.fetch
    }

    fn with_fetch(&self, fetch: Option<usize>) -> Option<Arc<dyn ExecutionPlan>> {
        Some(Arc::new(Self { fetch, metrics: ExecutionPlanMetricsSet::new(), ..self.clone() }))
    }

    /// Filters that become known while the query runs are kept for the moment when the scan starts and after. They are
    /// not answered: whoever made them applies them.
    fn handle_child_pushdown_result(
        &self,
        phase: FilterPushdownPhase,
        offered: ChildPushdownResult,
        _options: &ConfigOptions,
    ) -> Result<FilterPushdownPropagation<Arc<dyn ExecutionPlan>>> {
        let answers = vec![PushedDown::No; offered.parent_filters.len()];
        let propagation = FilterPushdownPropagation::with_parent_pushdown_result(answers);
        // After a limit a filter means other rows than before it.
        let takes =
            phase == FilterPushdownPhase::Post && self.fetch.is_none() && self.request.pushed.at_run_time;
        if !takes || offered.parent_filters.is_empty() {
            return Ok(propagation);
        }
        let mut runtime_filters = self.runtime_filters.clone();
        runtime_filters.extend(offered.parent_filters.into_iter().map(|offer| offer.filter));
        Ok(propagation.with_updated_node(Arc::new(Self { runtime_filters, ..self.clone() })))
    }

    /// Rows can be read backwards: for an order that is the key's, turned. Parts of the order behind a whole key do
    /// not matter, for no two rows share it.
    fn try_pushdown_sort(
        &self,
        order: &[PhysicalSortExpr],
    ) -> Result<SortOrderPushdownResult<Arc<dyn ExecutionPlan>>> {
        let key = self.request.key_order();
        let constants = self.request.constant_outputs();
        let output_of = |sort: &PhysicalSortExpr| sort.expr.downcast_ref::<Column>().map(Column::index);
        let order: Vec<_> = order
            .iter()
            .filter(|sort| !output_of(sort).is_some_and(|output| constants.contains(&output)))
            .collect();
        let mut matched = 0;
        for (wanted, (output, options)) in order.iter().zip(&key) {
            let same = output_of(wanted) == Some(*output);
            if !same || wanted.options.descending != turned(*options).descending {
                break;
            }
            matched += 1;
        }
        let answers = matched > 0 && (matched == order.len() || self.request.is_whole_key(matched));
        if !answers || self.reverse {
            return Ok(SortOrderPushdownResult::Unsupported);
        }
        let request = self.request.clone();
        let filters = self.runtime_filters.clone();
        let inner =
            Self::assemble(request, Arc::clone(&self.input), self.tablets, true, self.fetch, filters)?;
        Ok(SortOrderPushdownResult::Exact { inner: Arc::new(inner) })
    }

    fn execute(&self, partition: usize, context: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        let schema = self.schema();
        let (admin, counted) = (self.request.access.admin, self.counted_for.as_ref());
        let metrics =
            PartitionMetrics::counted_for(counted.unwrap_or(&self.metrics), &self.metrics, partition, admin);
        let output = Arc::clone(&schema);
        let listener = Listener::default();
        let scan = self.partition(partition, &context, listener.flag())?;
        // The reading thread starts when somebody asks for the first batch.
        let stream = futures::stream::once(async move {
            let scan = scan.await?;
            let mut builder = RecordBatchReceiverStreamBuilder::new(output, CHANNEL_BATCHES);
            let channel = builder.tx();
            builder.spawn_blocking(move || {
                scan.run(&metrics, |batch| channel.blocking_send(Ok(batch)).is_ok())
                    .map_err(DataFusionError::from)
            });
            Ok::<_, DataFusionError>(builder.build())
        });
        let stream = stream.try_flatten().inspect(move |_| listener.listens());
        Ok(Box::pin(RecordBatchStreamAdapter::new(schema, stream)))
    }
}

/// Tells the reading thread when the stream is dropped, even if no row passes the filter for long.
#[derive(Debug, Default)]
pub(crate) struct Listener {
    gone: Arc<AtomicBool>,
}

impl Listener {
    /// The flag that is set when the listener is dropped.
    pub(crate) fn flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.gone)
    }

    /// Keeps the listener in the stream.
    pub(crate) fn listens(&self) {}
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.gone.store(true, Ordering::Relaxed);
    }
}
