//! Scans of tablet tables as DataFusion plans.
//!
//! In the order data meets them: a [`ScanRequest`] says what a scan reads (the table, the output columns, the decomposed
//! predicate, as of which version); [`TabletScanExec`] is the plan node, *unary*: its input's rows are the row ranges,
//! one partition a tablet, so that whoever slices a plan's leaves slices the ranges with them; a reader on a blocking
//! thread assembles rows, decodes them and sends record batches over a bounded channel.
//!
//! Filters are decided elsewhere ([`crate::predicate`]); here they are only carried out and shown.

mod direct;
mod display;
mod exec;
mod idle;
mod metrics;
mod ranges;
mod reader;
mod request;
mod runtime_filter;

pub(crate) use direct::{DirectScan, Wanted};
pub(crate) use exec::Listener;
pub use exec::TabletScanExec;
pub(crate) use idle::IdleScans;
pub(crate) use metrics::PartitionMetrics;
pub(crate) use ranges::ScanPieces;
pub(crate) use reader::PartitionScan;
pub(crate) use request::{
    LABELS_COLUMN, Pushed, ROW_COLUMN, ScanRequest, Snapshot, StatementVersions, WriteVersion,
    extended_schema, order_of_rows,
};
