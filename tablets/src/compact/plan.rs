//! Which segments a compaction leaves as they are.
//!
//! A segment is rewritten together with the rows that other sources have between its first and last row, or if it holds
//! what the table's settings no longer keep, or not as they say. Rows in a gap between segments become segments of their own; so that these
//! do not pile up, small segments next to any of this (or to each other) are rewritten with it.

use std::collections::BTreeMap;
use std::sync::Arc;

use ostracon_data::{RowRange, row_successor};

use super::run_writer::SEGMENT_BYTES;
use crate::Result;
use crate::scan::{FragmentFinder, Order};
use crate::sources::SegmentHandle;
use crate::version::Version;

/// What becomes of the rows of a table.
#[derive(Debug)]
pub(super) struct Plan {
    /// Segments that stay, by the number of their run.
    pub(super) kept: BTreeMap<u64, Vec<Arc<SegmentHandle>>>,
    /// In order and disjoint. No segment that stays has rows in them, and there are no rows but in them and in segments
    /// that stay.
    pub(super) rewritten: Vec<RowRange>,
}

impl Plan {
    /// Every row is rewritten.
    pub(super) fn everything() -> Self {
        Self { kept: BTreeMap::new(), rewritten: vec![RowRange::all()] }
    }

    /// Rows in segments that stay.
    pub(super) fn kept_rows(&self) -> u64 {
        self.kept.values().flatten().map(|segment| segment.rows()).sum()
    }

    /// As little as possible is rewritten. Cells with a timestamp below `oldest` have expired.
    pub(super) fn new(version: &Version, oldest: i64) -> Result<Self> {
        let mut segments: Vec<(u64, &Arc<SegmentHandle>)> = version
            .directory
            .runs()
            .flat_map(|run| run.segments().iter().map(|segment| (run.id, segment)))
            .collect();
        segments.sort_by(|(_, a), (_, b)| a.first_row().cmp(b.first_row()));
        let overdue = |segment: &SegmentHandle| {
            let versions = version.settings().max_versions;
            segment.summary.oldest < oldest
                || !version.settings().locality_groups.agree(&segment.summary)
                || (segment.summary.fragments > 0 && segment.max_versions > versions)
        };
        let half = version.store.options.segment_rows() as u64 / 2;
        let pieces: Vec<Piece<'_>> = segments
            .iter()
            .map(|(_, segment)| Piece {
                first: segment.first_row(),
                last: segment.last_row(),
                rewrite: overdue(segment),
                small: segment.rows() < half && segment.raw_bytes < SEGMENT_BYTES as u64 / 2,
            })
            .collect();
        let mut fragments = FragmentFinder::new(version, Order::Once);
        let rewritten = stretches(pieces, |range| fragments.any_in(range))?;
        let mut kept: BTreeMap<u64, Vec<Arc<SegmentHandle>>> = BTreeMap::new();
        for (run, segment) in segments {
            let after = rewritten.partition_point(|range| range.start.as_slice() <= segment.first_row());
            let stretch = after.checked_sub(1).and_then(|at| rewritten.get(at));
            if !stretch.is_some_and(|range| range.contains(segment.first_row())) {
                kept.entry(run).or_default().push(Arc::clone(segment));
            }
        }
        Ok(Self { kept, rewritten })
    }
}

/// A segment, or several that overlap.
#[derive(Debug, Clone)]
struct Piece<'s> {
    first: &'s [u8],
    last: &'s [u8],
    rewrite: bool,
    small: bool,
}

/// A gap between pieces, or a piece, and what becomes of it.
struct Part {
    range: RowRange,
    rewrite: bool,
    small: bool,
}

/// The stretches of rows to rewrite. `pieces` are sorted by their first row. `touched` tells whether any fragment lies in
/// a range, and is asked in the order of rows.
fn stretches(
    pieces: Vec<Piece<'_>>,
    mut touched: impl FnMut(&RowRange) -> Result<bool>,
) -> Result<Vec<RowRange>> {
    let mut parts = Vec::new();
    let mut start = Vec::new();
    for piece in join_overlapping(pieces) {
        let (gap, end) = (RowRange::new(start, Some(piece.first.to_vec())), row_successor(piece.last));
        let own = RowRange::new(piece.first.to_vec(), Some(end.clone()));
        start = end;
        let rewrite = !gap.is_empty() && touched(&gap)?;
        parts.push(Part { range: gap, rewrite, small: false });
        let rewrite = piece.rewrite || touched(&own)?;
        parts.push(Part { range: own, rewrite, small: piece.small });
    }
    let rest = RowRange::new(start, None);
    let rewrite = touched(&rest)?;
    parts.push(Part { range: rest, rewrite, small: false });

    // Gaps are at even places, pieces at odd ones: their neighbours are two places away.
    let small = |at: usize| parts.get(at).is_some_and(|part| part.small);
    let rewrite = |at: usize| parts.get(at).is_some_and(|part| part.rewrite);
    let beside = |at: usize, is: &dyn Fn(usize) -> bool, step: usize| {
        at.checked_sub(step).is_some_and(is) || is(at + step)
    };
    let drawn_in = |at: usize| {
        rewrite(at)
            || (small(at) && (beside(at, &rewrite, 1) || beside(at, &rewrite, 2) || beside(at, &small, 2)))
    };
    let pieces: Vec<bool> = (0..parts.len()).map(drawn_in).collect();
    let piece = |at: usize| pieces.get(at).copied().unwrap_or(false);
    let mut stretches: Vec<RowRange> = Vec::new();
    let mut open = false;
    for (at, part) in parts.iter().enumerate() {
        // An empty gap between two pieces does not keep them apart.
        let inside = piece(at) || (at % 2 == 0 && at.checked_sub(1).is_some_and(piece) && piece(at + 1));
        if inside {
            match stretches.last_mut() {
                Some(last) if open => last.end.clone_from(&part.range.end),
                _ => stretches.push(part.range.clone()),
            }
        }
        open = inside;
    }
    Ok(stretches)
}

fn join_overlapping(pieces: Vec<Piece<'_>>) -> Vec<Piece<'_>> {
    let mut joined: Vec<Piece<'_>> = Vec::with_capacity(pieces.len());
    for piece in pieces {
        match joined.last_mut() {
            Some(last) if last.last >= piece.first => {
                last.last = last.last.max(piece.last);
                last.rewrite = true;
            }
            _ => joined.push(piece),
        }
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::*;

    fn piece(first: &'static str, last: &'static str) -> Piece<'static> {
        Piece { first: first.as_bytes(), last: last.as_bytes(), rewrite: false, small: false }
    }

    /// The stretches with fragments in these rows, as texts.
    fn with_fragments(pieces: &[Piece<'static>], rows: &[&str]) -> Vec<String> {
        let touched = |range: &RowRange| Ok(rows.iter().any(|row| range.contains(row.as_bytes())));
        stretches(pieces.to_vec(), touched).unwrap().iter().map(ToString::to_string).collect()
    }

    #[test]
    fn what_nothing_touches_stays() {
        let pieces = [piece("b", "d"), piece("f", "h"), piece("j", "l")];
        assert_eq!(with_fragments(&pieces, &[]), [""; 0]);
        assert_eq!(with_fragments(&pieces, &["g"]), ["[f, h\\x00)"]);
        assert_eq!(with_fragments(&pieces, &["b", "l"]), ["[b, d\\x00)", "[j, l\\x00)"]);
        assert_eq!(with_fragments(&[], &["b"]), ["[, *)"]);
    }

    #[test]
    fn rows_between_full_segments_become_segments() {
        let pieces = [piece("b", "d"), piece("f", "h")];
        assert_eq!(with_fragments(&pieces, &["a"]), ["[, b)"]);
        assert_eq!(with_fragments(&pieces, &["e"]), ["[d\\x00, f)"]);
        assert_eq!(with_fragments(&pieces, &["i"]), ["[h\\x00, *)"]);
        assert_eq!(with_fragments(&pieces, &["c", "g"]), ["[b, h\\x00)"], "the gap does not keep them apart");
        assert_eq!(with_fragments(&pieces, &["a", "c", "e", "g", "i"]), ["[, *)"]);
    }

    #[test]
    fn small_segments_are_drawn_in() {
        let small = |first, last| Piece { small: true, ..piece(first, last) };
        let pieces = [piece("b", "d"), small("f", "h"), piece("j", "l"), small("n", "p")];
        assert_eq!(with_fragments(&pieces, &[]), [""; 0], "not without a reason");
        assert_eq!(with_fragments(&pieces, &["e"]), ["[d\\x00, h\\x00)"]);
        assert_eq!(with_fragments(&pieces, &["i"]), ["[f, j)"]);
        assert_eq!(with_fragments(&pieces, &["c"]), ["[b, h\\x00)"]);
        assert_eq!(with_fragments(&pieces, &["q"]), ["[n, *)"]);
        assert_eq!(
            with_fragments(&[small("b", "d"), small("f", "h"), piece("j", "l")], &[]),
            ["[b, h\\x00)"]
        );
    }

    #[test]
    fn segments_that_overlap_are_joined() {
        let pieces = [piece("b", "h"), piece("c", "d"), piece("g", "i"), piece("j", "l")];
        assert_eq!(with_fragments(&pieces, &[]), ["[b, i\\x00)"]);
        let overdue = Piece { rewrite: true, ..piece("m", "n") };
        assert_eq!(with_fragments(&[piece("b", "d"), overdue], &[]), ["[m, n\\x00)"]);
    }
}
