//! Runs: segments one after the other.

use std::ops::Range;
use std::sync::Arc;

use ostracon_data::RowRange;

use super::segment::SegmentHandle;
use crate::{Error, Result};

/// Segments in row order whose rows do not overlap. Immutable: a compaction makes another one, which may have the same
/// number and most of the same segments.
///
/// Rows in segments are resolved: there are cells and older versions of cells, and nothing that hides others.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) id: u64,
    segments: Vec<Arc<SegmentHandle>>,
}

impl Run {
    /// A run of these segments, in any order.
    ///
    /// # Errors
    /// Two of them overlap.
    pub(crate) fn new(id: u64, mut segments: Vec<Arc<SegmentHandle>>) -> Result<Self> {
        segments.sort_by(|a, b| a.first_row().cmp(b.first_row()));
        for pair in segments.windows(2) {
            if let [a, b] = pair
                && a.last_row() >= b.first_row()
            {
                return Err(Error::corrupt(
                    format!("run {id} of table {}", a.table),
                    format!("its segments {} and {} overlap", a.id, b.id),
                ));
            }
        }
        Ok(Self { id, segments })
    }

    /// In row order.
    pub(crate) fn segments(&self) -> &[Arc<SegmentHandle>] {
        &self.segments
    }

    /// The places of the segments that may hold rows of a range.
    pub(crate) fn overlapping(&self, range: &RowRange) -> Range<usize> {
        let start = self.segments.partition_point(|segment| segment.last_row() < range.start.as_slice());
        let end = match &range.end {
            Some(end) => self.segments.partition_point(|segment| segment.first_row() < end.as_slice()),
            None => self.segments.len(),
        };
        start..end.max(start)
    }

    pub(crate) fn rows(&self) -> u64 {
        self.segments.iter().map(|segment| segment.rows()).sum()
    }

    /// Bytes of the segments as they lie on the disk.
    pub(crate) fn bytes(&self) -> u64 {
        self.segments.iter().map(|segment| segment.bytes).sum()
    }
}
