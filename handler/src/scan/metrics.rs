//! What a scan counts.

use datafusion::physical_plan::metrics::{BaselineMetrics, Count, ExecutionPlanMetricsSet, MetricBuilder};
use ostracon_tablets::ScanMetrics;

/// The counters of one partition. Those that hidden rows could show in are kept only for sessions that may see them.
#[derive(Debug, Clone)]
pub(crate) struct PartitionMetrics {
    pub(crate) baseline: BaselineMetrics,
    counts: Option<Counts>,
}

#[derive(Debug, Clone)]
struct Counts {
    rows_read: Count,
    rows_returned: Count,
    cells_read: Count,
    bytes_read: Count,
    segments_read: Count,
    segments_pruned: Count,
    seeks: Count,
}

impl PartitionMetrics {
    pub(crate) fn new(set: &ExecutionPlanMetricsSet, partition: usize, admin: bool) -> Self {
        Self::counted_for(set, set, partition, admin)
    }

    /// Metrics whose counters are those of another node, for which this one reads.
    pub(super) fn counted_for(
        other: &ExecutionPlanMetricsSet,
        set: &ExecutionPlanMetricsSet,
        partition: usize,
        admin: bool,
    ) -> Self {
        let counter = |name: &'static str| MetricBuilder::new(other).counter(name, partition);
        Self {
            baseline: BaselineMetrics::new(set, partition),
            counts: admin.then(|| Counts {
                rows_read: counter("rows_read"),
                rows_returned: counter("rows_returned"),
                cells_read: counter("cells_read"),
                bytes_read: counter("bytes_read"),
                segments_read: counter("segments_read"),
                segments_pruned: counter("segments_pruned"),
                seeks: counter("seeks"),
            }),
        }
    }

    /// Adds what a scanner has counted since `before`.
    pub(crate) fn add(&self, before: &ScanMetrics, now: &ScanMetrics) {
        let Some(counts) = &self.counts else { return };
        let add = |count: &Count, before: u64, now: u64| {
            count.add(usize::try_from(now.saturating_sub(before)).unwrap_or(usize::MAX));
        };
        add(&counts.rows_read, before.rows_read, now.rows_read);
        add(&counts.rows_returned, before.rows_returned, now.rows_returned);
        add(&counts.cells_read, before.cells_read, now.cells_read);
        add(&counts.bytes_read, before.bytes_read, now.bytes_read);
        add(&counts.segments_read, before.segments_read, now.segments_read);
        add(&counts.segments_pruned, before.segments_pruned, now.segments_pruned);
        add(&counts.seeks, before.seeks, now.seeks);
    }
}
