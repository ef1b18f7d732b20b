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
    /// How the segments' first and last rows begin: most of a search goes over these alone.
    beginnings: Beginnings,
}

/// The first bytes of some rows of each segment.
#[derive(Debug)]
struct Beginnings {
    first: Vec<u64>,
    last: Vec<u64>,
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
        let beginnings = Beginnings {
            first: segments.iter().map(|segment| beginning(segment.first_row())).collect(),
            last: segments.iter().map(|segment| beginning(segment.last_row())).collect(),
        };
        Ok(Self { id, segments, beginnings })
    }

    /// In row order.
    pub(crate) fn segments(&self) -> &[Arc<SegmentHandle>] {
        &self.segments
    }

    /// The places of the segments that may hold rows of a range.
    pub(crate) fn overlapping(&self, range: &RowRange) -> Range<usize> {
        let start = self.ending_before(&range.start);
        let end = match &range.end {
            Some(end) => self.beginning_before(end),
            None => self.segments.len(),
        };
        start..end.max(start)
    }

    /// How many segments end before a row.
    pub(crate) fn ending_before(&self, row: &[u8]) -> usize {
        self.partition_point(&self.beginnings.last, row, |segment| segment.last_row() < row)
    }

    /// How many segments begin before a row.
    pub(crate) fn beginning_before(&self, row: &[u8]) -> usize {
        self.partition_point(&self.beginnings.first, row, |segment| segment.first_row() < row)
    }

    /// How many segments are `below` a row; `beginnings` has those of the rows that `below` compares with it.
    fn partition_point(
        &self,
        beginnings: &[u64],
        row: &[u8],
        below: impl Fn(&SegmentHandle) -> bool,
    ) -> usize {
        let wanted = beginning(row);
        let start = beginnings.partition_point(|beginning| *beginning < wanted);
        let alike =
            beginnings.get(start..).unwrap_or_default().partition_point(|beginning| *beginning == wanted);
        let alike = self.segments.get(start..start + alike).unwrap_or_default();
        start + alike.partition_point(|segment| below(segment))
    }

    pub(crate) fn rows(&self) -> u64 {
        self.segments.iter().map(|segment| segment.rows()).sum()
    }

    /// Bytes of the segments as they lie on the disk.
    pub(crate) fn bytes(&self) -> u64 {
        self.segments.iter().map(|segment| segment.bytes).sum()
    }
}

/// How a row begins, as a number of the same order: rows that begin differently are ordered like these.
fn beginning(row: &[u8]) -> u64 {
    let bytes = row.iter().copied().chain(std::iter::repeat(0)).take(8);
    bytes.fold(0, |number, byte| number << 8 | u64::from(byte))
}
