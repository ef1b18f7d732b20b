//! Reads the rows of one partition, on a thread that may block.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use datafusion::arrow::array::{ArrayRef, BinaryArray, RecordBatch, RecordBatchOptions};
use datafusion::physical_plan::metrics::RecordOutput;
use ostracon_data::{ROW_MARKER_FAMILY, RowBuffer, RowRanges};
use ostracon_iterators::IteratorScope;
use ostracon_segment::Scratch;
use ostracon_tablets::{ColumnFilter, ColumnSelection, Piece, ScanSpec, Scanner, Version};

use super::metrics::PartitionMetrics;
use super::request::ScanRequest;
use super::runtime_filter::RuntimeFilters;
use crate::dml::RowLabels;
use crate::error::{HandlerError, Result};
use crate::rows::{Appended, RowDecoder};

/// What one partition is to read.
#[derive(Debug)]
pub(crate) struct PartitionScan {
    pub(super) request: ScanRequest,
    pub(super) version: Arc<Version>,
    pub(crate) ranges: RowRanges,
    pub(super) filters: RuntimeFilters,
    pub(super) reverse: bool,
    pub(super) fetch: Option<usize>,
    pub(crate) batch_rows: usize,
    pub(super) now_ms: i64,
    /// Set when nobody waits for the rows any more.
    pub(super) cancelled: Arc<AtomicBool>,
}

impl PartitionScan {
    /// Reads until the rows end, enough were sent, or `send` says that nobody listens.
    pub(super) fn run(
        mut self,
        metrics: &PartitionMetrics,
        mut send: impl FnMut(RecordBatch) -> bool,
    ) -> Result<()> {
        let mut left = self.fetch.unwrap_or(usize::MAX);
        if left == 0 || self.ranges.is_empty() {
            return Ok(());
        }
        let (mut scanner, mut decoder) = self.open()?;
        let mut filters = std::mem::take(&mut self.filters);
        let mut hidden = self.request.for_write().then(HiddenColumns::default);
        let mut row = RowBuffer::new();
        let mut counted = scanner.metrics();
        loop {
            let timer = metrics.baseline.elapsed_compute().timer();
            let wanted = self.batch_rows.min(left).max(1);
            let ended = match &mut hidden {
                Some(hidden) => self.read_rows(&mut scanner, &mut decoder, hidden, &mut row, wanted)?,
                None => read_pieces(&mut scanner, &mut decoder, &mut row, wanted, |scanner| {
                    match filters.news(&self.request) {
                        Some(filter) => Ok(scanner.narrow(&filter)?),
                        None => Ok(()),
                    }
                })?,
            };
            let batch = decoder.finish()?;
            let batch = match &mut hidden {
                Some(hidden) => hidden.finish(&self.request, &batch)?,
                None => batch,
            };
            timer.done();
            let now = scanner.metrics();
            metrics.add(&counted, &now);
            counted = now;
            left -= batch.num_rows().min(left);
            if batch.num_rows() > 0 && !send(batch.record_output(&metrics.baseline)) {
                break;
            }
            if ended || left == 0 {
                break;
            }
        }
        metrics.baseline.done();
        Ok(())
    }

    /// What finds the rows, and what makes batches of them.
    pub(crate) fn open(&self) -> Result<(Scanner, RowDecoder)> {
        let columns = self.request.table_columns();
        let decoder = RowDecoder::new(&self.request.definition, Some(&columns))?;
        let scanner = Scanner::new(&self.version, &self.spec(&decoder))?;
        Ok((scanner.cancelled_by(Arc::clone(&self.cancelled)), decoder))
    }

    /// Reads rows with their hidden columns until there are as many as wanted; true at the end.
    fn read_rows(
        &self,
        scanner: &mut Scanner,
        decoder: &mut RowDecoder,
        hidden: &mut HiddenColumns,
        row: &mut RowBuffer,
        wanted: usize,
    ) -> Result<bool> {
        let mut append = |decoder: &mut RowDecoder, row: &RowBuffer| {
            if decoder.append(row)? == Appended::Row {
                hidden.append(&self.request, row);
            }
            Ok::<_, HandlerError>(())
        };
        let mut scratch = Scratch::new();
        while decoder.len() < wanted {
            match scanner.next_piece(wanted - decoder.len(), row)? {
                Piece::End => return Ok(true),
                Piece::Row => append(decoder, row)?,
                Piece::Hits(hits) => {
                    for hit in hits.rows() {
                        hits.row_into(*hit, &mut scratch, row)?;
                        append(decoder, row)?;
                    }
                }
            }
        }
        Ok(false)
    }

    fn spec(&self, decoder: &RowDecoder) -> ScanSpec {
        let definition = &self.request.definition;
        let projection = if self.request.for_write() {
            // What is to be erased is every cell of the table, the marker too.
            with_marker(definition.mapped_columns())
        } else {
            decoder.cells_needed().clone()
        };
        ScanSpec {
            ranges: self.ranges.clone(),
            columns: definition.mapped_columns(),
            projection,
            filter: self.request.row_filter().cloned(),
            ttl_ms: definition.properties.ttl_ms.or(self.version.settings().ttl_ms),
            now_ms: self.now_ms,
            reverse: self.reverse,
            authorizations: self.request.access.authorizations.clone(),
            max_versions: versions_seen(&self.version),
            ..ScanSpec::default()
        }
    }
}

/// SQL sees one version of a cell; iterators of the table see all that it keeps, and make one of them.
pub(super) fn versions_seen(version: &Version) -> u32 {
    let settings = version.settings();
    let with_iterators = settings.iterators.iter().any(|(scope, _)| *scope == IteratorScope::Scan);
    if with_iterators { settings.max_versions } else { 1 }
}

/// Reads what comes, rows or columns, until there are as many rows as wanted; true at the end. `before` is called before
/// each piece.
pub(super) fn read_pieces(
    scanner: &mut Scanner,
    decoder: &mut RowDecoder,
    row: &mut RowBuffer,
    wanted: usize,
    mut before: impl FnMut(&mut Scanner) -> Result<()>,
) -> Result<bool> {
    while decoder.len() < wanted {
        before(scanner)?;
        match scanner.next_piece(wanted - decoder.len(), row)? {
            Piece::End => return Ok(true),
            Piece::Row => {
                decoder.append(row)?;
            }
            Piece::Hits(hits) => {
                decoder.append_hits(&hits)?;
            }
        }
    }
    Ok(false)
}

fn with_marker(columns: ColumnSelection) -> ColumnSelection {
    match columns {
        ColumnSelection::All => ColumnSelection::All,
        ColumnSelection::Columns(mut filters) => {
            filters.push(ColumnFilter::Exact { family: ROW_MARKER_FAMILY.to_vec(), qualifier: Vec::new() });
            ColumnSelection::Columns(filters)
        }
    }
}

/// The hidden columns of rows that are about to be changed.
#[derive(Debug, Default)]
struct HiddenColumns {
    rows: Vec<Vec<u8>>,
    labels: Vec<Vec<u8>>,
}

impl HiddenColumns {
    fn append(&mut self, request: &ScanRequest, row: &RowBuffer) {
        self.rows.push(row.row().to_vec());
        self.labels.push(RowLabels::of(&request.definition, row).to_bytes());
    }

    /// Puts the columns where the projection wants them.
    fn finish(&mut self, request: &ScanRequest, batch: &RecordBatch) -> Result<RecordBatch> {
        let width = request.definition.columns.len();
        let rows: ArrayRef = Arc::new(BinaryArray::from_iter_values(self.rows.drain(..)));
        let labels: ArrayRef = Arc::new(BinaryArray::from_iter_values(self.labels.drain(..)));
        let mut visible = batch.columns().iter();
        let mut columns = Vec::with_capacity(request.projection.len());
        for column in &request.projection {
            match column.checked_sub(width) {
                None => columns.extend(visible.next().cloned()),
                Some(0) => columns.push(Arc::clone(&rows)),
                Some(_) => columns.push(Arc::clone(&labels)),
            }
        }
        let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
        Ok(RecordBatch::try_new_with_options(request.schema(), columns, &options)?)
    }
}
