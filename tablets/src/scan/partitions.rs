//! How a scan is cut into parts that can be read at the same time.

use ostracon_data::KeyExtent;

use crate::sources::{SegmentHandle, Source};
use crate::version::Version;

/// A part that has fewer segments is not worth a thread of its own.
const LEAST_SEGMENTS: usize = 16;

impl Version {
    /// The rows of the table in consecutive pieces: its tablets and, where these are fewer than `parts` and large, pieces
    /// of tablets that hold about as many segments each. There are at most as many as `parts` or tablets, whichever is
    /// more.
    pub fn scan_extents(&self, parts: usize) -> Vec<KeyExtent> {
        let tablets = self.extents();
        let segments = self.segments_in_order();
        let most = parts.min(segments.len() / LEAST_SEGMENTS);
        let Some(cuts) = most.checked_sub(tablets.len()).filter(|cuts| *cuts > 0) else { return tablets };
        let cut_after = (1..=cuts).map(|cut| (cut * segments.len() / (cuts + 1)).saturating_sub(1));
        let cut_rows = cut_after.filter_map(|at| segments.get(at)).map(|segment| segment.last_row().to_vec());
        let mut ends: Vec<Vec<u8>> = self.directory.splits.iter().cloned().chain(cut_rows).collect();
        ends.sort();
        ends.dedup();
        KeyExtent::split_at(self.state.id, ends)
    }

    fn segments_in_order(&self) -> Vec<&SegmentHandle> {
        let runs = self.directory.sources.iter().filter_map(|source| match source {
            Source::Segments(run) => Some(run.segments()),
            Source::Fragments(_) => None,
        });
        let mut segments: Vec<&SegmentHandle> = runs.flatten().map(|segment| &**segment).collect();
        segments.sort_by(|a, b| a.last_row().cmp(b.last_row()));
        segments
    }
}
