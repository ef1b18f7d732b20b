//! Rows of a segment that a scan hands over together.

use ostracon_data::RowBuffer;
use ostracon_segment::{Scratch, Segment};

use crate::sources::SegmentHandle;
use crate::{Error, Result};

/// Some rows of a segment, in the order of the scan: all of them exist for the session and pass the filter, and so do all
/// their cells.
///
/// Of each row, every cell that it has is there, projected or not.
#[derive(Debug, Clone, Copy)]
pub struct SegmentHits<'s> {
    handle: &'s SegmentHandle,
    segment: &'s Segment<'s>,
    rows: &'s [u32],
}

impl<'s> SegmentHits<'s> {
    pub(crate) fn new((handle, segment): (&'s SegmentHandle, &'s Segment<'s>), rows: &'s [u32]) -> Self {
        Self { handle, segment, rows }
    }

    /// The segment, for its columns.
    pub fn segment(&self) -> &'s Segment<'s> {
        self.segment
    }

    /// The places of the rows in it: ascending, or descending in a reverse scan.
    pub fn rows(&self) -> &'s [u32] {
        self.rows
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Sets `out` to the id of one of the rows.
    ///
    /// # Errors
    /// The segment is damaged.
    pub fn id_into(&self, row: u32, out: &mut Vec<u8>) -> Result<()> {
        self.segment.row_into(row as usize, out).map_err(|source| self.damaged(source))
    }

    /// Sets `out` to one of the rows, as [`Scanner::next_row`](super::super::Scanner::next_row) would give it if every
    /// column were projected.
    ///
    /// # Errors
    /// The segment is damaged.
    pub fn row_into(&self, row: u32, scratch: &mut Scratch, out: &mut RowBuffer) -> Result<()> {
        out.clear();
        let mut id = Vec::new();
        self.id_into(row, &mut id)?;
        out.set_row(&id);
        let cells = self.segment.for_each_cell(row as usize, scratch, |cell| {
            out.push_cell(cell.family, cell.qualifier, cell.visibility, cell.timestamp, cell.value);
        });
        cells.map_err(|source| self.damaged(source))
    }

    /// The error of whoever finds the segment damaged.
    pub fn damaged(&self, source: ostracon_segment::Error) -> Error {
        self.handle.damaged(source)
    }
}
