//! What a segment's summary says of an operand's values.

use ostracon_iterators::{CleanWhen, ColumnarOperand, LeafTest, OperandSource, Outcomes, ValueSummary};
use ostracon_segment::{ColumnSummary, Segment, SegmentSummary};

use super::leaves::word_at;

/// Whether all cells of the operand in a segment are known to be good values; of row ids the summary does not tell.
pub(super) fn may_be_clean(operand: &ColumnarOperand, segment: &SegmentSummary) -> bool {
    match &operand.operand().source {
        OperandSource::Cell { family, qualifier } => {
            let column = segment.column(family, qualifier);
            column.is_none_or(|column| operand.clean_when().holds(&of_cells(column, segment)))
        }
        _ => true,
    }
}

/// Whether summaries tell all there is to know of the operand's values: of row ids they do not say whether all are good.
pub(super) fn is_told_by_summary(operand: &ColumnarOperand) -> bool {
    matches!(operand.operand().source, OperandSource::Cell { .. })
        || *operand.clean_when() == CleanWhen::Always
}

/// Whether the operand's part of the row ids is known to be a good value in all rows; true for a cell's.
pub(super) fn is_clean_in_rows(operand: &ColumnarOperand, segment: &Segment<'_>) -> bool {
    if is_told_by_summary(operand) {
        return true;
    }
    let Some(word) = operand.place().and_then(|place| word_at(segment, place)) else { return false };
    let bytes = |value: u128| {
        let bytes = value.to_be_bytes();
        bytes.get(bytes.len().saturating_sub(word.width())..).unwrap_or_default().to_vec()
    };
    let (min, max) = (bytes(word.value_of(0)), bytes(word.value_of(word.top())));
    operand.clean_when().holds(&ValueSummary {
        rows: segment.rows(),
        absent: 0,
        min: &min,
        min_attained: true,
        max: Some(&max),
        max_attained: true,
        width: Some(word.width()),
        utf8: false,
    })
}

/// What a test can answer for any row of a segment.
pub(super) fn outcomes(leaf: &LeafTest, segment: &SegmentSummary) -> Outcomes {
    match &leaf.operand().source {
        OperandSource::Cell { family, qualifier } => match segment.column(family, qualifier) {
            Some(column) => leaf.outcomes(&of_cells(column, segment)),
            None if leaf.other_index().is_none() => Outcomes::of(leaf.when_absent()),
            None => Outcomes::ANY,
        },
        _ => leaf.outcomes_of_rows(&segment.first_row, &segment.last_row),
    }
}

fn of_cells<'a>(column: &'a ColumnSummary, segment: &SegmentSummary) -> ValueSummary<'a> {
    ValueSummary {
        rows: segment.rows as usize,
        absent: column.absent as usize,
        min: &column.min.bytes,
        min_attained: column.min.attained,
        max: column.max.as_ref().map(|max| max.bytes.as_slice()),
        max_attained: column.max.as_ref().is_some_and(|max| max.attained),
        width: column.width.map(|width| width as usize),
        utf8: column.utf8,
    }
}
