//! Rows that lie in one segment alone, many at a time.

use std::ops::Range;
use std::sync::Arc;

use ostracon_segment::{Segment, SegmentSummary};

use super::{Found, FragmentRows, Owner, RowFragments};
use crate::scan::column_path::{ColumnPath, Judgement};
use crate::scan::metrics::ScanMetrics;
use crate::scan::source_cursor::SourceCursor;
use crate::sources::SegmentHandle;
use crate::{Result, keys};

/// What [`FragmentRows::next_stretch`] found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum FoundNext {
    /// One row, or the end.
    One(Found),
    /// Rows of the [segment](FragmentRows::segment) of the run at this place. Those of them that are hits no other source
    /// has.
    Stretch { run: usize, rows: Range<usize> },
    /// [Places](FragmentRows::places) in the [segment](FragmentRows::segment): hits all of them.
    Points,
}

impl FragmentRows {
    /// As [`next`](Self::next), but rows that only a segment has come together where `path` reads it by column, and not
    /// at all where `path` says that none of them is wanted, or `take` takes a segment whose rows are all wanted.
    pub(crate) fn next_stretch(
        &mut self,
        path: &mut ColumnPath,
        take: &mut dyn FnMut(&SegmentSummary) -> bool,
        fragments: &mut RowFragments,
        metrics: &mut ScanMetrics,
    ) -> Result<FoundNext> {
        self.leave(fragments);
        if let Some(met) = self.met.take() {
            return self.hand_out_met(met, fragments, metrics).map(FoundNext::One);
        }
        if let (at, 1..) = self.lone {
            self.lone.1 -= 1;
            return self.hand_out(at, fragments, metrics).map(FoundNext::One);
        }
        loop {
            if !self.reading && !self.next_range(metrics)? {
                return Ok(FoundNext::One(Found::End));
            }
            match self.find_row()? {
                None => {
                    self.reading = false;
                    continue;
                }
                Some(Owner::Run(at)) => match self.stretch(at, path, take, metrics)? {
                    Stretch::LeftOut => continue,
                    Stretch::Columns { run, rows } => {
                        self.handed_out = Some(run);
                        return Ok(FoundNext::Stretch { run, rows });
                    }
                    Stretch::Points => {
                        self.handed_out = Some(at);
                        return Ok(FoundNext::Points);
                    }
                    Stretch::Rows => {
                        self.look_ahead(at, metrics)?;
                        return self.hand_out(at, fragments, metrics).map(FoundNext::One);
                    }
                },
                Some(Owner::Any) => match self.lone_run() {
                    Some(at) if self.settle(at, path, fragments, metrics)? => {}
                    _ => self.take_row(fragments, metrics)?,
                },
            }
            // Only commits above the horizon have written the row.
            if fragments.spans.is_empty() {
                continue;
            }
            if !keys::take_row(&self.row_part, &mut fragments.row) {
                return Err(self.bad_row());
            }
            return Ok(FoundNext::One(Found::Fragments));
        }
    }

    /// The segment of the stretch that was found last.
    pub(crate) fn segment(&self) -> Option<(&SegmentHandle, &Segment<'_>)> {
        match self.cursors.get(self.handed_out?)? {
            SourceCursor::Run(cursor) => Some((cursor.handle()?, cursor.segment()?)),
            SourceCursor::Epoch(_) => None,
        }
    }

    /// The rows from the current one of the run at `at` on, in one segment and range, up to one that has to be looked at by
    /// itself: a hit that another source has too, or a row of others alone.
    ///
    /// Rows in between that other sources have too are no hits, and stay so: their fragments are passed over.
    fn stretch(
        &mut self,
        at: usize,
        path: &mut ColumnPath,
        take: &mut dyn FnMut(&SegmentSummary) -> bool,
        metrics: &mut ScanMetrics,
    ) -> Result<Stretch> {
        match self.judge(at, path) {
            Judgement::Rows => return Ok(Stretch::Rows),
            Judgement::Skip => {
                let bound = self.bound_of(at)?;
                if let Some(SourceCursor::Run(cursor)) = self.cursors.get_mut(at)
                    && cursor.leave_out(bound.as_deref())
                {
                    metrics.segments_pruned += 1;
                    return Ok(Stretch::LeftOut);
                }
            }
            Judgement::Columns => {
                if self.take_whole(at, path, take, metrics)? {
                    return Ok(Stretch::LeftOut);
                }
            }
        }
        let Some(reach) = self.decide(at, path, metrics)? else { return Ok(Stretch::Rows) };
        let rows = self.extend(at, reach, path, metrics)?;
        let most = path.most(at);
        if !self.reverse && path.takes_everything(at) && self.bounds.rows.as_point().is_some() {
            self.collect_points(at, most)?;
            return Ok(Stretch::Points);
        }
        let Some(SourceCursor::Run(cursor)) = self.cursors.get_mut(at) else { return Ok(Stretch::Rows) };
        let rows = if self.reverse {
            rows.start.max(rows.end.saturating_sub(most))..rows.end
        } else {
            rows.start..rows.end.min(rows.start.saturating_add(most))
        };
        cursor.place(if self.reverse { rows.start } else { rows.end.saturating_sub(1) });
        Ok(Stretch::Columns { run: at, rows })
    }

    /// Passes over the segments from the current one of the run at `at` on that `take` takes, if all of their rows are
    /// wanted and no other source has any; whether there was one.
    fn take_whole(
        &mut self,
        at: usize,
        path: &mut ColumnPath,
        take: &mut dyn FnMut(&SegmentSummary) -> bool,
        metrics: &mut ScanMetrics,
    ) -> Result<bool> {
        if !path.takes_all(at) {
            return Ok(false);
        }
        let bound = self.bound_of(at)?;
        let Some(SourceCursor::Run(cursor)) = self.cursors.get_mut(at) else { return Ok(false) };
        let mut taken = false;
        while let Some(handle) = cursor.handle().map(Arc::clone)
            && cursor.is_whole(bound.as_deref())
            && path.judge(at, &handle) == Judgement::Columns
            && path.takes_all(at)
            && take(&handle.summary)
        {
            taken = true;
            cursor.leave_out(bound.as_deref());
            metrics.segments_summarized += 1;
            metrics.rows_read += handle.rows();
            metrics.rows_returned += handle.rows();
        }
        Ok(taken)
    }

    fn judge(&self, at: usize, path: &mut ColumnPath) -> Judgement {
        match self.cursors.get(at) {
            Some(SourceCursor::Run(cursor)) => {
                cursor.handle().map_or(Judgement::Rows, |handle| path.judge(at, handle))
            }
            _ => Judgement::Rows,
        }
    }

    /// Opens the segment of the run at `at` and decides the rows of the range from the current one on. `None`: they cannot
    /// be read by column.
    pub(super) fn decide(
        &mut self,
        at: usize,
        path: &mut ColumnPath,
        metrics: &mut ScanMetrics,
    ) -> Result<Option<Range<usize>>> {
        if self.judge(at, path) == Judgement::Rows {
            return Ok(None);
        }
        let Some(SourceCursor::Run(cursor)) = self.cursors.get_mut(at) else { return Ok(None) };
        cursor.open_columns(metrics)?;
        let reach = cursor.reach(&self.bounds.rows, metrics)?;
        let (Some(handle), Some(segment)) = (cursor.handle(), cursor.segment()) else { return Ok(None) };
        if !path.confirm(at, segment) {
            return Ok(None);
        }
        path.decide(at, segment, &reach, metrics).map_err(|problem| problem.of(handle))?;
        Ok(Some(reach))
    }
}

/// What becomes of rows that lie in one segment alone.
enum Stretch {
    /// None of them is wanted; the cursor stands behind them.
    LeftOut,
    /// These, by column.
    Columns { run: usize, rows: Range<usize> },
    /// Single rows, by column.
    Points,
    /// They are to be read one by one.
    Rows,
}
