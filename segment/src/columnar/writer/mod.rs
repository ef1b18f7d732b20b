//! Writing segments row by row.

mod cells;
mod demote;
mod labels;
mod pending;

use ostracon_data::CellRef;

use self::pending::Pending;
use super::encode::Buffers;
use super::summary::SegmentSummary;
use super::{LocalityGroups, RowLayout};
use crate::Result;

/// Collects rows and writes them as one segment.
///
/// ```
/// use ostracon_data::CellRef;
/// use ostracon_segment::{RowLayout, Scratch, Segment, SegmentWriter};
///
/// let mut writer = SegmentWriter::new(RowLayout::bytes());
/// for (row, name) in [("r1", "Ada"), ("r2", "Alan")] {
///     let value = name.as_bytes();
///     let cell = CellRef { family: b"person", qualifier: b"name", visibility: b"", timestamp: 1, value };
///     writer.row(row.as_bytes(), [cell].into_iter());
/// }
/// let mut bytes = Vec::new();
/// let summary = writer.finish(&mut bytes)?;
/// assert_eq!((summary.rows, summary.last_row.as_slice()), (2, &b"r2"[..]));
///
/// let segment = Segment::open(&bytes)?;
/// segment.verify()?;
/// let row = segment.lower_bound(b"r1a")?;
/// let mut seen = Vec::new();
/// segment.for_each_cell(row, &mut Scratch::new(), |cell| seen.push(cell.value.to_vec()))?;
/// assert_eq!(seen, [b"Alan"]);
/// # Ok::<(), ostracon_segment::Error>(())
/// ```
#[derive(Debug)]
pub struct SegmentWriter {
    layout: RowLayout,
    groups: LocalityGroups,
    pending: Pending,
    buffers: Buffers,
}

impl SegmentWriter {
    /// A writer of a table whose row ids have that layout.
    pub fn new(layout: RowLayout) -> Self {
        Self {
            layout,
            groups: LocalityGroups::default(),
            pending: Pending::default(),
            buffers: Buffers::default(),
        }
    }

    /// Lets it keep the columns of these locality groups apart.
    pub fn with_groups(self, groups: LocalityGroups) -> Self {
        Self { groups, ..self }
    }

    /// Appends a row. Rows come in ascending order, cells by family and qualifier, the newest of each first.
    ///
    /// A row with several cells in a column, or with columns that hardly another row has, is kept as a fragment. What a
    /// segment cannot hold is reported by [`finish`](Self::finish).
    pub fn row<'c>(&mut self, row: &[u8], cells: impl Iterator<Item = CellRef<'c>>) {
        self.pending.row(row, cells);
    }

    /// Appends a row that is kept as this row fragment.
    pub fn fragment(&mut self, row: &[u8], fragment: &[u8]) {
        self.pending.fragment(row, fragment);
    }

    /// How many rows have been pushed since the last segment.
    pub fn rows(&self) -> usize {
        self.pending.rows()
    }

    /// The bytes of row ids, values and fragments that have been pushed since the last segment.
    pub fn byte_len(&self) -> usize {
        self.pending.byte_len()
    }

    /// Appends the segment, and then its sections, to `out` and starts the next one. The summary tells how long the sections
    /// are.
    ///
    /// # Errors
    /// The rows did not ascend strictly, were more than [`MAX_ROWS`](super::MAX_ROWS), a fragment was damaged, or the segment
    /// would be larger than 4 GiB. `out` is as before then, and the rows are gone all the same.
    pub fn finish(&mut self, out: &mut Vec<u8>) -> Result<SegmentSummary> {
        let written = self.pending.encode(&self.layout, &self.groups, &mut self.buffers, out);
        self.pending.clear();
        written
    }
}
