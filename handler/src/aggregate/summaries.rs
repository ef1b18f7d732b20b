//! Segments that are counted by their summaries.
//!
//! Where every row of a segment is counted, its summary has how many there are, how many of them have no value in a column,
//! and the least and greatest values. What needs more of any aggregate needs the segment.

use ostracon_compare::ScalarRef;
use ostracon_segment::SegmentSummary;

use super::batch::PartialStates;
use super::kernel::{Measures, Operation};
use super::spec::AggregateSpec;
use crate::rows::RowDecoder;

/// Whether summaries can tell what is computed: counts, least and greatest values of columns, not by group.
pub(super) fn may_tell(spec: &AggregateSpec) -> bool {
    let measures = &spec.measures;
    spec.groups.is_empty()
        && measures.sums.is_empty()
        && measures.extremes.iter().all(|extreme| column_of(measures, extreme.step).is_some())
}

/// The column that a step is.
fn column_of(measures: &Measures, step: usize) -> Option<usize> {
    match measures.program.steps().get(step)?.operation {
        Operation::Column(column) => Some(column),
        _ => None,
    }
}

impl PartialStates {
    /// Adds all rows of a segment, all of whose cells are seen; false, and nothing done, if its summary does not tell
    /// enough.
    pub(super) fn add_summary(&mut self, decoder: &RowDecoder, summary: &SegmentSummary) -> bool {
        self.told && decoder.reads_by_column() && self.read_summary(decoder, summary).is_some()
    }

    fn read_summary(&mut self, decoder: &RowDecoder, summary: &SegmentSummary) -> Option<()> {
        let measures = &self.spec.measures;
        let mut rows = Vec::with_capacity(measures.presences.len());
        for columns in &measures.presences {
            rows.push(present_in_all(decoder, columns, summary)?);
        }
        let mut extremes = Vec::with_capacity(measures.extremes.len());
        for extreme in &measures.extremes {
            let step = measures.program.steps().get(extreme.step)?;
            let column = decoder.summarized(column_of(measures, extreme.step)?, summary)?;
            extremes.push(if column.absent == summary.rows {
                None
            } else {
                let number = match column.extreme(extreme.greatest)? {
                    ScalarRef::Int(number) => i128::from(number),
                    ScalarRef::UInt(number) => i128::from(number),
                    ScalarRef::Decimal128(number) => number,
                    _ => return None,
                };
                Some(step.within.contains(number).then_some(number)?)
            });
        }
        let mut texts = Vec::with_capacity(self.spec.texts.len());
        for text in &self.spec.texts {
            let column = decoder.summarized(text.column, summary)?;
            texts.push(if column.absent == summary.rows {
                None
            } else {
                Some(match column.extreme(text.greatest)? {
                    ScalarRef::Utf8(text) => text.as_bytes(),
                    ScalarRef::Binary(bytes) => bytes,
                    _ => return None,
                })
            });
        }
        self.tally.add_told(&rows, &extremes)?;
        self.texts.add_each(&texts);
        Some(())
    }
}

/// How many rows have a value in all of some columns; `None` if the summary does not tell.
fn present_in_all(decoder: &RowDecoder, columns: &[usize], summary: &SegmentSummary) -> Option<u64> {
    let mut absent = 0;
    for column in columns {
        let column = decoder.summarized(*column, summary)?;
        if column.absent > 0 {
            // Which rows lack both is not told, unless one column lacks all.
            if absent > 0 && absent < summary.rows && column.absent < summary.rows {
                return None;
            }
            absent = absent.max(column.absent);
        }
    }
    Some(u64::from(summary.rows.checked_sub(absent)?))
}
