//! Rows that a segment and other sources have.
//!
//! A row of a segment that does not pass the filter is no hit, unless a newer fragment of it [concerns](ColumnPath::concerns)
//! the filter. So most rows that were changed since their segment was written need not be put together at all.

use std::ops::Range;

use super::{Found, FragmentRows, RowFragments};
use crate::Result;
use crate::keys;
use crate::scan::column_path::ColumnPath;
use crate::scan::metrics::ScanMetrics;
use crate::scan::source_cursor::SourceCursor;

/// A row of a segment that was met ahead of the run's cursor: the epochs' cursors have passed it already.
#[derive(Debug)]
pub(super) struct Met {
    run: usize,
    /// What epochs have of the row.
    fragments: RowFragments,
    /// How many of them are newer than the segment.
    newer: usize,
}

impl FragmentRows {
    /// Moves every cursor past the row, keeping the fragments that are seen.
    pub(super) fn take_row(&mut self, fragments: &mut RowFragments, metrics: &mut ScanMetrics) -> Result<()> {
        for cursor in &mut self.cursors {
            match cursor {
                SourceCursor::Epoch(cursor) => {
                    let row = (self.row_part.as_slice(), self.horizon, self.reverse);
                    cursor.take(row, fragments, metrics)?;
                }
                SourceCursor::Run(cursor) => {
                    if cursor.row_part() != Some(&self.row_part) {
                        continue;
                    }
                    cursor.open_whole(metrics)?;
                    if let Some(mut row) = cursor.columnar_row() {
                        match row.fragment()? {
                            Some(fragment) => fragments.push(fragment),
                            None => fragments.push_columns(&mut row)?,
                        }
                    }
                    cursor.step();
                }
            }
        }
        Ok(())
    }

    /// Moves the epochs' cursors past the row, keeping the fragments that are seen; gives how many of them are newer than
    /// the run at `at`.
    fn take_epochs(
        &mut self,
        at: usize,
        fragments: &mut RowFragments,
        metrics: &mut ScanMetrics,
    ) -> Result<usize> {
        let mut newer = 0;
        for (place, cursor) in self.cursors.iter_mut().enumerate() {
            if place == at {
                newer = fragments.spans.len();
            }
            if let SourceCursor::Epoch(cursor) = cursor {
                let row = (self.row_part.as_slice(), self.horizon, self.reverse);
                cursor.take(row, fragments, metrics)?;
            }
        }
        Ok(newer)
    }

    /// The only run that has the row.
    pub(super) fn lone_run(&self) -> Option<usize> {
        let mut runs = self.cursors.iter().enumerate().filter(|(_, cursor)| {
            matches!(cursor, SourceCursor::Run(_)) && cursor.row_part() == Some(&self.row_part)
        });
        let (at, _) = runs.next()?;
        runs.next().is_none().then_some(at)
    }

    /// Whether the row, which the run at `at` and epochs have, could be passed over or put together without asking whether
    /// other runs have it. If there is anything to hand out, it is in `fragments`.
    pub(super) fn settle(
        &mut self,
        at: usize,
        path: &mut ColumnPath,
        fragments: &mut RowFragments,
        metrics: &mut ScanMetrics,
    ) -> Result<bool> {
        let Some(reach) = self.decide(at, path, metrics)? else { return Ok(false) };
        let place = if self.reverse { reach.end.saturating_sub(1) } else { reach.start };
        if path.passes(at, place) {
            return Ok(false);
        }
        let newer = self.take_epochs(at, fragments, metrics)?;
        let concerned = self.concerned(path, fragments)?;
        let Some(SourceCursor::Run(cursor)) = self.cursors.get_mut(at) else { return Ok(false) };
        if !concerned {
            metrics.rows_read += 1;
            fragments.clear();
        } else {
            cursor.open_whole(metrics)?;
            if let Some(mut row) = cursor.columnar_row() {
                fragments.insert_columns(newer, &mut row)?;
            }
        }
        cursor.step();
        Ok(true)
    }

    /// From `reach`, the rows of the range in the segment of the run at `at`, those before one that must be looked at by
    /// itself.
    pub(super) fn extend(
        &mut self,
        at: usize,
        reach: Range<usize>,
        path: &ColumnPath,
        metrics: &mut ScanMetrics,
    ) -> Result<Range<usize>> {
        let mut near = if self.reverse { reach.end } else { reach.start };
        let mut met = Met { run: at, fragments: std::mem::take(&mut self.met_fragments), newer: 0 };
        let mut row_part = Vec::new();
        let rows = loop {
            let Some(other) = self.nearest_other(at) else { break reach };
            row_part.clear();
            row_part.extend_from_slice(other.row_part);
            let of_epochs = other.of_epochs;
            met.fragments.clear();
            if !keys::take_row(&row_part, &mut met.fragments.row) {
                return Err(self.bad_row());
            }
            let Some(SourceCursor::Run(cursor)) = self.cursors.get_mut(at) else { break reach };
            let (place, is_there) = cursor.find(&met.fragments.row, near)?;
            let (before, inside) = if self.reverse {
                let after = place + usize::from(is_there);
                (after.max(reach.start)..reach.end, after > reach.start)
            } else {
                (reach.start..place.min(reach.end), place < reach.end)
            };
            if !inside || !of_epochs || !is_there || path.passes(at, place) {
                break before;
            }
            near = place;
            // The epochs' cursors are sent on from the row that was compared last.
            std::mem::swap(&mut self.row_part, &mut row_part);
            met.newer = self.take_epochs(at, &mut met.fragments, metrics)?;
            if self.concerned(path, &met.fragments)? {
                self.met = Some(met);
                return Ok(before);
            }
        };
        self.met_fragments = met.fragments;
        Ok(rows)
    }

    fn concerned(&self, path: &ColumnPath, fragments: &RowFragments) -> Result<bool> {
        for fragment in fragments.iter() {
            let concerns = path.concerns(fragment);
            let bad = |source| crate::Error::Fragment {
                table: self.table.clone(),
                row: ostracon_iterators::BytesText(&self.row_part).to_string(),
                source,
            };
            if concerns.map_err(bad)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Gives the row that was met ahead: the run's cursor stands at it now.
    pub(super) fn hand_out_met(
        &mut self,
        met: Met,
        fragments: &mut RowFragments,
        metrics: &mut ScanMetrics,
    ) -> Result<Found> {
        let Met { run, fragments: mut of_epochs, newer } = met;
        std::mem::swap(fragments, &mut of_epochs);
        self.met_fragments = of_epochs;
        if let Some(SourceCursor::Run(cursor)) = self.cursors.get_mut(run) {
            cursor.open_whole(metrics)?;
            if let Some(mut row) = cursor.columnar_row() {
                fragments.insert_columns(newer, &mut row)?;
            }
            cursor.step();
        }
        Ok(Found::Fragments)
    }
}
