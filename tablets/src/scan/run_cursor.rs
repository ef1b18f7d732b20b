//! The rows of one run, in order either way.

use std::ops::Range;
use std::sync::Arc;

use ostracon_data::RowRange;
use ostracon_segment::Segment;

use super::columnar_row::{ColumnarRow, ColumnarRows};
use super::columns::{ColumnRoles, FILTERED, MAPPED, PROJECTED};
use super::metrics::ScanMetrics;
use crate::Result;
use crate::engine::Access;
use crate::keys;
use crate::sources::{OpenSegment, Run, SegmentHandle};

/// Moves over the rows of a run.
///
/// A segment is opened no sooner than one of its rows is looked at that the summary does not tell: so a segment that is
/// merely the next one costs nothing.
pub(crate) struct RunCursor {
    run: Arc<Run>,
    access: Access,
    reverse: bool,
    /// The place of the current segment; past the end if there is none.
    at: usize,
    /// The current segment and the current row in it. Not opened yet: the segment's first row in the direction of travel.
    open: Option<(OpenSegment, usize)>,
    /// How much of it has been read.
    read: Read,
    roles: ColumnRoles,
    rows: ColumnarRows,
    /// The row part of the current row, if `known`.
    row_part: Vec<u8>,
    row: Vec<u8>,
    known: bool,
    sought: bool,
    /// Another row's id.
    found: Vec<u8>,
}

/// How much of a segment with sections is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Read {
    /// Row ids, and the columns that lie with them.
    Ids,
    /// What is filtered or handed out, and what tells that rows exist unless the summary does. Enough for rows that the
    /// session sees whole and no other source has.
    Columns,
    /// Every column with a role.
    Whole,
}

impl RunCursor {
    pub(crate) fn new(run: &Arc<Run>, roles: &ColumnRoles, reverse: bool, access: Access) -> Self {
        Self {
            run: Arc::clone(run),
            access,
            reverse,
            at: usize::MAX,
            open: None,
            read: Read::Ids,
            roles: roles.clone(),
            rows: ColumnarRows::new(roles),
            row_part: Vec::new(),
            row: Vec::new(),
            known: false,
            sought: false,
            found: Vec::new(),
        }
    }

    /// The current segment; `None` at the end.
    pub(crate) fn handle(&self) -> Option<&Arc<SegmentHandle>> {
        self.run.segments().get(self.at)
    }

    /// Goes to the first row of a range in the direction of travel, unless the cursor is there or further already. What
    /// follows may lie outside of the range.
    pub(crate) fn go_to(&mut self, range: &RowRange, metrics: &mut ScanMetrics) -> Result<()> {
        if self.reverse {
            self.backward_to(range.end.as_deref(), metrics)
        } else {
            self.forward_to(&range.start, metrics)
        }
    }

    fn forward_to(&mut self, start: &[u8], metrics: &mut ScanMetrics) -> Result<()> {
        if self.sought && (self.handle().is_none() || self.row()? >= start) {
            return Ok(());
        }
        let at = self.run.ending_before(start);
        let inside = self.run.segments().get(at).is_some_and(|segment| segment.first_row() < start);
        self.stand(at);
        if inside {
            let place = self.lower_bound(start, metrics)?;
            self.place(place);
        }
        Ok(())
    }

    fn backward_to(&mut self, end: Option<&[u8]>, metrics: &mut ScanMetrics) -> Result<()> {
        if self.sought && (self.handle().is_none() || end.is_none() || self.row()? < end.unwrap_or_default())
        {
            return Ok(());
        }
        let segments = self.run.segments();
        let after = end.map_or(segments.len(), |end| self.run.beginning_before(end));
        let at = after.checked_sub(1).unwrap_or(usize::MAX);
        let inside = end.filter(|end| segments.get(at).is_some_and(|segment| segment.last_row() >= *end));
        self.stand(at);
        if let Some(end) = inside {
            let after = self.lower_bound(end, metrics)?;
            self.place(after.saturating_sub(1));
        }
        Ok(())
    }

    /// Lets the cursor look anew where it is sent next, wherever it stands. An open segment stays open.
    pub(crate) fn forget(&mut self) {
        self.sought = false;
    }

    /// Stands at the first row, in the direction of travel, of a segment.
    fn stand(&mut self, at: usize) {
        self.sought = true;
        self.known = false;
        if self.at != at {
            self.at = at;
            self.open = None;
        }
        if let Some((open, place)) = &mut self.open {
            *place = if self.reverse { open.segment().rows().saturating_sub(1) } else { 0 };
        }
    }

    /// Goes to another row of the current segment.
    pub(crate) fn place(&mut self, row: usize) {
        self.known = false;
        if let Some((_, place)) = &mut self.open {
            *place = row;
        }
    }

    /// Opens the current segment as far as its row ids go; the row stays the same.
    fn open(&mut self, metrics: &mut ScanMetrics) -> Result<()> {
        self.read(Read::Ids, metrics)
    }

    /// Opens the current segment for rows that are read by column.
    pub(crate) fn open_columns(&mut self, metrics: &mut ScanMetrics) -> Result<()> {
        self.read(Read::Columns, metrics)
    }

    /// Opens the current segment for [`columnar_row`](Self::columnar_row).
    pub(crate) fn open_whole(&mut self, metrics: &mut ScanMetrics) -> Result<()> {
        self.read(Read::Whole, metrics)
    }

    fn read(&mut self, read: Read, metrics: &mut ScanMetrics) -> Result<()> {
        let Some(handle) = self.run.segments().get(self.at) else { return Ok(()) };
        if self.open.is_some() && (self.read >= read || handle.sections() == 0) {
            return Ok(());
        }
        let wanted = match read {
            Read::Ids => 0,
            Read::Columns if self.roles.all_exist(&handle.summary) => PROJECTED | FILTERED,
            Read::Columns | Read::Whole => PROJECTED | FILTERED | MAPPED,
        };
        let open = handle.open(self.access, |column| {
            self.roles.of(&column.family, &column.qualifier, &mut 0) & wanted != 0
        })?;
        self.rows.enter(open.segment());
        let place = match &self.open {
            Some((before, place)) => {
                metrics.bytes_read += open.bytes().saturating_sub(before.bytes());
                *place
            }
            None => {
                metrics.segments_read += 1;
                metrics.bytes_read += open.bytes();
                if self.reverse { open.segment().rows().saturating_sub(1) } else { 0 }
            }
        };
        self.open = Some((open, place));
        self.read = read;
        Ok(())
    }

    /// The first row of the current segment that is not below `row`.
    fn lower_bound(&mut self, row: &[u8], metrics: &mut ScanMetrics) -> Result<usize> {
        self.open(metrics)?;
        let Some((open, _)) = &self.open else { return Ok(0) };
        open.segment().lower_bound(row).map_err(|source| self.damaged(source))
    }

    /// How many rows follow the current one, in its segment and in the direction of travel, up to a bound: the first row
    /// that does not count going forwards, the last one that does going backwards.
    pub(crate) fn rows_until(&mut self, bound: Option<&[u8]>, metrics: &mut ScanMetrics) -> Result<usize> {
        self.open(metrics)?;
        let Some((open, place)) = &self.open else { return Ok(0) };
        let place = *place;
        let end = if self.reverse { 0 } else { open.segment().rows() };
        let cuts = |bound: &&[u8]| match self.handle() {
            Some(handle) if self.reverse => handle.first_row() < *bound,
            Some(handle) => *bound <= handle.last_row(),
            None => false,
        };
        let bound = bound.filter(cuts).map_or(Ok(end), |bound| self.lower_bound(bound, metrics))?;
        Ok(if self.reverse { place.saturating_sub(bound) } else { bound.saturating_sub(place + 1) })
    }

    /// The current row and those after it in its segment and in the direction of travel, up to the end of a range; in the
    /// segment's own order.
    pub(crate) fn reach(&mut self, range: &RowRange, metrics: &mut ScanMetrics) -> Result<Range<usize>> {
        let bound = if self.reverse { Some(range.start.as_slice()) } else { range.end.as_deref() };
        let more = self.rows_until(bound, metrics)?;
        let place = self.row_place();
        Ok(if self.reverse { place.saturating_sub(more)..place + 1 } else { place..place + more + 1 })
    }

    /// The place in the current segment, which has been opened, of the first row that is not below `row`, and whether it
    /// is that row. Found sooner if it is near the place `from`.
    pub(crate) fn find(&mut self, row: &[u8], from: usize) -> Result<(usize, bool)> {
        let Some((open, _)) = &self.open else { return Ok((0, false)) };
        let segment = open.segment();
        let found = segment.lower_bound_near(from, row).and_then(|place| {
            if place < segment.rows() {
                segment.row_into(place, &mut self.found)?;
            }
            Ok((place, place < segment.rows() && self.found == row))
        });
        found.map_err(|source| self.damaged(source))
    }

    /// The current row's place in its segment.
    pub(crate) fn row_place(&self) -> usize {
        self.open.as_ref().map_or(0, |(_, place)| *place)
    }

    /// Whether all of the current segment is still to be read and lies before the bound.
    pub(crate) fn is_whole(&self, bound: Option<&[u8]>) -> bool {
        self.open.is_none() && self.ends_before(bound)
    }

    fn ends_before(&self, bound: Option<&[u8]>) -> bool {
        self.handle().is_some_and(|handle| match (bound, self.reverse) {
            (None, _) => true,
            (Some(bound), false) => handle.last_row() < bound,
            (Some(bound), true) => handle.first_row() >= bound,
        })
    }

    /// Goes to the next segment if all that is left of this one lies before the bound, as far as its summary tells.
    pub(crate) fn leave_out(&mut self, bound: Option<&[u8]>) -> bool {
        let before = self.ends_before(bound);
        if before {
            let next = if self.reverse { self.at.checked_sub(1) } else { self.at.checked_add(1) };
            self.stand(next.unwrap_or(usize::MAX));
        }
        before
    }

    /// The current segment, if it has been opened.
    pub(crate) fn segment(&self) -> Option<&Segment<'_>> {
        self.open.as_ref().map(|(open, _)| open.segment())
    }

    /// Goes on to the next row. The current segment has been opened.
    pub(crate) fn step(&mut self) {
        self.known = false;
        let inside = match &mut self.open {
            Some((_, place)) if self.reverse => {
                let inside = *place > 0;
                *place = place.saturating_sub(1);
                inside
            }
            Some((open, place)) => {
                *place += 1;
                *place < open.segment().rows()
            }
            None => false,
        };
        if !inside {
            self.open = None;
            self.at = if self.reverse {
                self.at.checked_sub(1).unwrap_or(usize::MAX)
            } else {
                self.at.saturating_add(1)
            };
        }
    }

    /// Finds out the current row's id, for [`row_part`](Self::row_part).
    pub(crate) fn know(&mut self) -> Result<()> {
        if self.known || self.handle().is_none() {
            return Ok(());
        }
        self.row.clear();
        match (&self.open, self.handle()) {
            (Some((open, place)), _) => {
                let mut row = std::mem::take(&mut self.row);
                let found = open.segment().row_into(*place, &mut row);
                found.map_err(|source| self.damaged(source))?;
                self.row = row;
            }
            (None, Some(handle)) => {
                let row = if self.reverse { handle.last_row() } else { handle.first_row() };
                let row = row.to_vec();
                self.row = row;
            }
            (None, None) => {}
        }
        self.row_part.clear();
        keys::put_row_part(&mut self.row_part, &self.row);
        self.known = true;
        Ok(())
    }

    fn row(&mut self) -> Result<&[u8]> {
        self.know()?;
        Ok(&self.row)
    }

    /// The current row's row part, if it is known; `None` at the end.
    pub(crate) fn row_part(&self) -> Option<&[u8]> {
        self.handle().is_some().then_some(self.row_part.as_slice())
    }

    /// The current row, whose segment has been [opened whole](Self::open_whole).
    #[inline]
    pub(crate) fn columnar_row(&mut self) -> Option<ColumnarRow<'_>> {
        let (open, place) = self.open.as_ref()?;
        let handle = self.run.segments().get(self.at)?;
        Some(self.rows.row(handle, open.segment(), *place))
    }

    fn damaged(&self, source: ostracon_segment::Error) -> crate::Error {
        match self.handle() {
            Some(handle) => handle.damaged(source),
            None => crate::Error::corrupt("segment", source.to_string()),
        }
    }
}
