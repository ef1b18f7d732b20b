//! Rows that lie in one segment alone, many at a time.

use std::ops::Range;

use ostracon_segment::Segment;

use super::{Found, FragmentRows, Owner, RowFragments};
use crate::scan::column_path::{ColumnPath, Judgement};
use crate::scan::scanner::ScanMetrics;
use crate::scan::source_cursor::SourceCursor;
use crate::sources::SegmentHandle;
use crate::{Result, keys};

/// What [`FragmentRows::next_stretch`] found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum FoundNext {
    /// One row, or the end.
    One(Found),
    /// These rows of the [segment](FragmentRows::segment), which no other source has.
    Stretch(Range<usize>),
}

impl FragmentRows {
    /// As [`next`](Self::next), but rows that only a segment has come together where `path` reads it by column, and not
    /// at all where `path` says that none of them is wanted.
    pub(crate) fn next_stretch(
        &mut self,
        path: &mut ColumnPath,
        fragments: &mut RowFragments,
        metrics: &mut ScanMetrics,
    ) -> Result<FoundNext> {
        self.leave(fragments);
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
                Some(Owner::Run(at)) => match self.stretch(at, path, metrics)? {
                    Stretch::LeftOut => continue,
                    Stretch::Columns(rows) => {
                        self.handed_out = Some(at);
                        return Ok(FoundNext::Stretch(rows));
                    }
                    Stretch::Rows => {
                        self.look_ahead(at, metrics)?;
                        return self.hand_out(at, fragments, metrics).map(FoundNext::One);
                    }
                },
                Some(Owner::Any) => self.take_row(fragments, metrics)?,
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

    /// The rows from the current one of the run at `at` on that no other source has, in one segment and range.
    fn stretch(&mut self, at: usize, path: &mut ColumnPath, metrics: &mut ScanMetrics) -> Result<Stretch> {
        let bound = self.bound_of(at)?;
        let Some(SourceCursor::Run(cursor)) = self.cursors.get_mut(at) else { return Ok(Stretch::Rows) };
        let Some(handle) = cursor.handle() else { return Ok(Stretch::Rows) };
        match path.judge(handle) {
            Judgement::Rows => return Ok(Stretch::Rows),
            Judgement::Skip if cursor.leave_out(bound.as_deref()) => {
                metrics.segments_pruned += 1;
                return Ok(Stretch::LeftOut);
            }
            Judgement::Skip | Judgement::Columns => {}
        }
        cursor.open(metrics)?;
        if !cursor.segment().is_some_and(|segment| path.confirm(segment)) {
            return Ok(Stretch::Rows);
        }
        cursor.stretch(bound.as_deref(), path.most(), metrics).map(Stretch::Columns)
    }
}

/// What becomes of rows that lie in one segment alone.
enum Stretch {
    /// None of them is wanted; the cursor stands behind them.
    LeftOut,
    Columns(Range<usize>),
    /// They are to be read one by one.
    Rows,
}
