//! Reads one partition and adds it up, on a thread that may block.

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::DataType;
use ostracon_data::{RowBuffer, RowRange, RowRanges};
use ostracon_tablets::Piece;

use super::batch::PartialStates;
use super::kernel::Refusal;
use super::spec::AggregateSpec;
use crate::error::{HandlerError, Result};
use crate::scan::{PartitionMetrics, PartitionScan};

/// What became of a partition.
pub(super) struct Done {
    pub(super) states: Option<RecordBatch>,
    /// Rows that are not in the states.
    pub(super) handed_back: Option<RowRanges>,
}

/// Reads a partition and adds it up.
pub(super) fn aggregate(
    scan: &PartitionScan,
    spec: &AggregateSpec,
    metrics: &PartitionMetrics,
) -> Result<Done> {
    let timer = metrics.baseline.elapsed_compute().timer();
    let (mut scanner, mut decoder) = scan.open()?;
    let schema = decoder.schema();
    let input: Vec<DataType> = schema.fields().iter().map(|field| field.data_type().clone()).collect();
    let mut states = PartialStates::new(spec, &input)?;
    let mut counted = scanner.metrics();
    let mut row = RowBuffer::new();
    let mut last = Vec::new();
    // The last row that is in the states.
    let mut done_to = None;
    let wanted = scan.batch_rows.max(1);
    let mut ended = scan.ranges.is_empty();
    let mut refused = None;
    while !ended && refused.is_none() {
        while !ended && decoder.len() < wanted {
            match scanner.next_piece(wanted - decoder.len(), &mut row)? {
                Piece::End => ended = true,
                Piece::Row => {
                    decoder.append(&row)?;
                    last.clear();
                    last.extend_from_slice(row.row());
                }
                Piece::Hits(hits) => {
                    decoder.append_hits(&hits)?;
                    if let Some(hit) = hits.rows().last() {
                        let read = hits.segment().row_into(*hit as usize, &mut last);
                        read.map_err(|source| hits.damaged(source))?;
                    }
                }
            }
        }
        match states.add(&decoder.finish()?)? {
            Ok(()) => done_to = Some(last.clone()),
            Err(refusal) => refused = Some(refusal),
        }
        let now = scanner.metrics();
        metrics.add(&counted, &now);
        counted = now;
    }
    let done = match refused {
        None => Done { states: Some(states.finish()?), handed_back: None },
        Some(Refusal::Malformed) => {
            return Err(HandlerError::internal(
                "the columns of a scan and its aggregates do not fit together",
            ));
        }
        // Sums that DataFusion takes in floating point may be rounded, in the order of its own rows.
        Some(Refusal::Groups) if !spec.adds_in_float() => {
            let rest = done_to.map_or(RowRanges::All, |last| RowRanges::from_ranges(vec![after(last)]));
            Done { states: Some(states.finish()?), handed_back: Some(scan.ranges.intersect(&rest)) }
        }
        Some(_) => Done { states: None, handed_back: Some(scan.ranges.clone()) },
    };
    timer.done();
    Ok(done)
}

/// All rows behind one.
fn after(mut row: Vec<u8>) -> RowRange {
    row.push(0);
    RowRange::new(row, None)
}
