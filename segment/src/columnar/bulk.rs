//! Segments out of columns, without touching a cell.

use super::column::integer_of;
use super::encode::{Buffers, FragmentsInput, OwnedCells, SegmentInput, encode, validate};
use super::groups::LocalityGroups;
use super::input::{ColumnInput, RowsInput};
use super::summary::SegmentSummary;
use crate::{Error, Result};

/// Writes segments out of columns, and keeps its memory from one to the next.
///
/// ```
/// use ostracon_segment::{ColumnInput, FixedInput, LocalityGroups, RowsInput, Segment, SegmentEncoder, ValuesInput};
///
/// let rows = [FixedInput::Narrow { width: 8, values: &[1, 2, 5] }];
/// let values = ValuesInput::Bytes { offsets: &[0, 3, 3, 7], data: b"AdaAlan" };
/// let valid = ostracon_segment::ValidityInput { bits: &[0b101], offset: 0 };
/// let column = ColumnInput { family: b"person", qualifier: b"name", values, valid: Some(valid) };
/// let (groups, mut bytes) = (LocalityGroups::default(), Vec::new());
/// let summary = SegmentEncoder::new().encode(&RowsInput::Words(&rows), 1000, b"", &[column], &groups, &mut bytes)?;
/// assert_eq!((summary.rows, summary.columns[0].absent), (3, 1));
/// assert_eq!(Segment::open(&bytes)?.lower_bound(&5u64.to_be_bytes())?, 2);
/// # Ok::<(), ostracon_segment::Error>(())
/// ```
#[derive(Debug, Default)]
pub struct SegmentEncoder {
    buffers: Buffers,
}

impl SegmentEncoder {
    /// A new one.
    pub fn new() -> Self {
        Self::default()
    }

    /// Appends a segment of these rows, and then its sections, to `out`: every cell has the timestamp `time_ms` and the label `label`.
    ///
    /// Columns come in any order; one without a value in any row is left out. After an error `out` is as before.
    ///
    /// # Errors
    /// The parts of the input do not fit together, the rows do not ascend strictly or are more than
    /// [`MAX_ROWS`](super::MAX_ROWS), a column comes twice, or the segment would be larger than 4 GiB.
    pub fn encode(
        &mut self,
        rows: &RowsInput<'_>,
        time_ms: i64,
        label: &[u8],
        columns: &[ColumnInput<'_>],
        groups: &LocalityGroups,
        out: &mut Vec<u8>,
    ) -> Result<SegmentSummary> {
        let count = rows.len();
        let mut cells = Vec::with_capacity(columns.len());
        for column in columns {
            if validate(column, count)? > 0 {
                cells.push(OwnedCells { column: *column, times: None, label_codes: None });
            }
        }
        cells.sort_by(|a, b| name(a).cmp(&name(b)));
        if cells.windows(2).any(|pair| matches!(pair, [a, b] if name(a) == name(b))) {
            return Err(Error::Unencodable { what: "a column comes twice", row: 0 });
        }
        let has_cells = !cells.is_empty();
        let input = SegmentInput {
            rows: *rows,
            count,
            times: &[integer_of(time_ms)],
            labels: &[label],
            label_codes: &[],
            columns: &cells,
            groups,
            fragments: FragmentsInput::default(),
        };
        let summary = encode(&input, &mut self.buffers, out)?;
        Ok(SegmentSummary {
            labels: if has_cells { vec![label.to_vec()] } else { Vec::new() },
            oldest: if has_cells { time_ms } else { i64::MAX },
            newest: if has_cells { time_ms } else { i64::MIN },
            ..summary
        })
    }
}

fn name<'a>(cells: &OwnedCells<'a>) -> (&'a [u8], &'a [u8]) {
    (cells.column.family, cells.column.qualifier)
}
