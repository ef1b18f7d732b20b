//! Reads one partition and adds it up, on a thread that may block.

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::DataType;
use ostracon_data::{RowBuffer, RowRange, RowRanges};
use ostracon_segment::SegmentSummary;
use ostracon_tablets::{Piece, SegmentHits};

use super::batch::PartialStates;
use super::kernel::Refusal;
use super::spec::AggregateSpec;
use crate::error::{HandlerError, Result};
use crate::rows::RowDecoder;
use crate::scan::{PartitionMetrics, PartitionScan};

/// As many rows of a segment are added up by themselves, even if rows before them wait for more.
const MANY_HITS: usize = 256;

/// What became of a partition.
pub(super) struct Done {
    pub(super) states: Option<RecordBatch>,
    /// Rows that are not in the states.
    pub(super) handed_back: Option<RowRanges>,
    /// Segments of which the summary was enough.
    pub(super) summarized: usize,
}

/// Reads a partition and adds it up.
pub(super) fn aggregate(
    scan: &PartitionScan,
    spec: &AggregateSpec,
    metrics: &PartitionMetrics,
) -> Result<Done> {
    let timer = metrics.baseline.elapsed_compute().timer();
    let (mut scanner, decoder) = scan.open()?;
    let before = scanner.metrics();
    let schema = decoder.schema();
    let input: Vec<DataType> = schema.fields().iter().map(|field| field.data_type().clone()).collect();
    let states = PartialStates::new(spec, &input)?;
    let mut sums = Sums { states, decoder, last: Vec::new(), done: false, done_to: Vec::new() };
    let mut row = RowBuffer::new();
    let wanted = scan.batch_rows.max(1);
    let mut ended = scan.ranges.is_empty();
    let mut added = Ok(());
    while !ended && added.is_ok() {
        let room = wanted - sums.decoder.len();
        match scanner.next_piece_or_summary(room, &mut row, &mut |summary| sums.summary(summary))? {
            Piece::End => ended = true,
            Piece::Row => sums.row(&row)?,
            Piece::Hits(hits) => added = sums.hits(&hits)?,
        }
        if added.is_ok() && (ended || sums.decoder.len() >= wanted) {
            added = sums.flush()?;
        }
    }
    let now = scanner.metrics();
    metrics.add(&before, &now);
    let summarized = usize::try_from(now.segments_summarized).unwrap_or(usize::MAX);
    let done = match added {
        Ok(()) => Done { states: Some(sums.states.finish()?), handed_back: None, summarized },
        Err(Refusal::Malformed) => {
            return Err(HandlerError::internal(
                "the columns of a scan and its aggregates do not fit together",
            ));
        }
        // Sums that DataFusion takes in floating point may be rounded, in the order of its own rows.
        Err(Refusal::Groups) if !spec.adds_in_float() => {
            let rest =
                if sums.done { RowRanges::from_ranges(vec![after(sums.done_to)]) } else { RowRanges::All };
            Done {
                states: Some(sums.states.finish()?),
                handed_back: Some(scan.ranges.intersect(&rest)),
                summarized,
            }
        }
        Err(_) => Done { states: None, handed_back: Some(scan.ranges.clone()), summarized },
    };
    timer.done();
    Ok(done)
}

/// What has been added up, and the rows that wait for more to be added with them.
struct Sums {
    states: PartialStates,
    decoder: RowDecoder,
    /// The last row that was read.
    last: Vec<u8>,
    /// Whether any row is in the states, and the last one that is.
    done: bool,
    done_to: Vec<u8>,
}

impl Sums {
    fn row(&mut self, row: &RowBuffer) -> Result<()> {
        self.decoder.append(row)?;
        self.last.clear();
        self.last.extend_from_slice(row.row());
        Ok(())
    }

    /// Takes all rows of a segment by its summary. Only what has no groups is told so, and is handed back whole or not at
    /// all: it does not matter which rows wait.
    fn summary(&mut self, summary: &SegmentSummary) -> bool {
        self.states.add_summary(&self.decoder, summary)
    }

    /// Takes rows of a segment, as they are kept there if nothing waits for them.
    fn hits(&mut self, hits: &SegmentHits<'_>) -> Result<std::result::Result<(), Refusal>> {
        if hits.len() >= MANY_HITS
            && let Err(refusal) = self.flush()?
        {
            return Ok(Err(refusal));
        }
        let added = if self.decoder.is_empty() { self.states.add_hits(&self.decoder, hits)? } else { None };
        if added.is_none() {
            self.decoder.append_hits(hits)?;
        }
        if let Some(hit) = hits.rows().last() {
            let read = hits.segment().row_into(*hit as usize, &mut self.last);
            read.map_err(|source| hits.damaged(source))?;
        }
        if added == Some(Ok(())) {
            self.keep_place();
        }
        Ok(added.unwrap_or(Ok(())))
    }

    /// Adds the rows that wait.
    fn flush(&mut self) -> Result<std::result::Result<(), Refusal>> {
        if self.decoder.is_empty() {
            return Ok(Ok(()));
        }
        let added = self.states.add(&self.decoder.finish()?)?;
        if added.is_ok() {
            self.keep_place();
        }
        Ok(added)
    }

    fn keep_place(&mut self) {
        self.done = true;
        self.done_to.clone_from(&self.last);
    }
}

/// All rows behind one.
fn after(mut row: Vec<u8>) -> RowRange {
    row.push(0);
    RowRange::new(row, None)
}
