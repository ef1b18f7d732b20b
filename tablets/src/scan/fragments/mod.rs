//! The rows of a version as they are stored, one by one.
//!
//! [`FragmentRows`] merges the sources of a version by row. For each row it gives the [`RowFragments`], newest first:
//! sources are ordered by commit sequence, and so are the keys of a row within an epoch. What lies above the version's
//! horizon is left out. A row that only a segment has is not made a fragment of unless asked for: it is given as it lies
//! there, and as long as the other sources have rows further away only, so are the rows after it, without a comparison.
//!
//! The cursors outlive the rows they were made for: [`FragmentRows::seek`] sends them elsewhere. Onward in the order of
//! rows a cursor seeks only if it does not stand there already, so that sorted points that are neighbours cost one seek
//! together.

mod points;
mod row_fragments;
mod stretches;
mod touched;

use std::cmp::Ordering;

use ostracon_data::{RowRange, row_successor};

use super::columnar_row::ColumnarRow;
use super::columns::ColumnRoles;
use super::metrics::ScanMetrics;
use super::source_cursor::{Bounds, SourceCursor};
use crate::engine::Access;
use crate::keys;
use crate::version::Version;
use crate::{Error, Result};

pub(crate) use row_fragments::RowFragments;
pub(crate) use stretches::FoundNext;
use touched::Met;

/// In which order rows are read, and whether once only.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Order {
    Forward,
    Backward,
    /// Forward, by a compaction: what is read stays out of the block cache.
    Once,
}

impl Order {
    pub(crate) fn of(reverse: bool) -> Self {
        if reverse { Self::Backward } else { Self::Forward }
    }
}

/// What [`FragmentRows::next`] found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Found {
    End,
    /// The row's fragments are in the buffer.
    Fragments,
    /// The row lies in a segment alone: see [`FragmentRows::columnar_row`].
    Columns,
}

/// Goes over rows that have anything in a version, in either order. See the module's page.
pub(crate) struct FragmentRows {
    /// Newest source first.
    cursors: Vec<SourceCursor>,
    horizon: u64,
    /// Still to be read, the next one last.
    ranges: Vec<RowRange>,
    /// The range being read.
    bounds: Bounds,
    /// Where a seek is to go; kept for its allocation.
    sought: Vec<u8>,
    reading: bool,
    reverse: bool,
    /// The row for which the cursors were compared last; empty if there is none since they were sent elsewhere.
    row_part: Vec<u8>,
    /// The cursor whose current row was handed out: it moves on at the next call.
    handed_out: Option<usize>,
    /// A run's cursor and how many rows after its current one no other source has.
    lone: (usize, usize),
    /// Rows of one segment that are handed out together.
    places: Vec<u32>,
    /// The row after the last stretch, if it was met already.
    met: Option<Met>,
    /// Kept for its memory.
    met_fragments: RowFragments,
    table: String,
}

impl FragmentRows {
    /// Over the rows of `ranges`, which are in order and disjoint. RocksDB reads nothing outside of them; of segments,
    /// columns without a role are left out.
    pub(crate) fn new(version: &Version, ranges: &[RowRange], roles: &ColumnRoles, order: Order) -> Self {
        let points = ranges.iter().all(|range| range.as_point().is_some());
        let access = match (points, order) {
            (true, _) => Access::Point,
            (false, Order::Once) => Access::Once,
            (false, _) => Access::Scan,
        };
        let mut rows = Self::over(version, order);
        if let (Some(first), Some(last)) = (ranges.first(), ranges.last()) {
            let span = Bounds::of(RowRange::new(first.start.clone(), last.end.clone()));
            rows.open(version, roles, &span, access);
        }
        rows.set_ranges(ranges);
        rows
    }

    /// Over no rows yet: [`seek`](Self::seek) says which, as often as wanted. Made for few rows at a time.
    pub(crate) fn seekable(version: &Version, roles: &ColumnRoles, order: Order) -> Self {
        let mut rows = Self::over(version, order);
        rows.open(version, roles, &Bounds::of(RowRange::all()), Access::Point);
        rows
    }

    fn over(version: &Version, order: Order) -> Self {
        Self {
            cursors: Vec::new(),
            horizon: version.horizon,
            ranges: Vec::new(),
            bounds: Bounds::of(RowRange::all()),
            sought: Vec::new(),
            reading: false,
            reverse: order == Order::Backward,
            row_part: Vec::new(),
            handed_out: None,
            lone: (0, 0),
            places: Vec::new(),
            met: None,
            met_fragments: RowFragments::default(),
            table: version.table_name().to_owned(),
        }
    }

    fn open(&mut self, version: &Version, roles: &ColumnRoles, span: &Bounds, access: Access) {
        let engine = &version.store.engine;
        let sources = version.directory.sources.iter().rev().filter(|source| !source.is_untouched());
        let cursor = |source| SourceCursor::new(engine, source, roles, span, (self.reverse, access));
        self.cursors = sources.map(cursor).collect();
    }

    /// Goes on with the rows of other ranges, which are in order and disjoint, anywhere in the table. For rows that are
    /// [`seekable`](Self::seekable).
    pub(crate) fn seek(&mut self, ranges: &[RowRange]) {
        if let Some(first) = ranges.first() {
            self.sought.clear();
            keys::put_row_part(&mut self.sought, &first.start);
            // Between the range begun last, or the rows compared last, and where they are, the epochs' cursors have
            // passed over nothing.
            let onward = !self.reverse && self.sought >= self.bounds.start && self.sought > self.row_part;
            if !onward {
                self.row_part.clear();
            }
            for cursor in &mut self.cursors {
                match cursor {
                    SourceCursor::Epoch(cursor) if !onward => cursor.forget(),
                    SourceCursor::Epoch(_) => {}
                    SourceCursor::Run(cursor) => cursor.forget(),
                }
            }
        }
        self.handed_out = None;
        self.lone = (0, 0);
        self.met = None;
        self.reading = false;
        self.set_ranges(ranges);
    }

    fn set_ranges(&mut self, ranges: &[RowRange]) {
        self.ranges.clear();
        self.ranges.extend_from_slice(ranges);
        if !self.reverse {
            self.ranges.reverse();
        }
    }

    /// Reads the next row as fragments, whatever it lies in; false at the end, with `fragments` empty.
    pub(crate) fn next_row(
        &mut self,
        fragments: &mut RowFragments,
        metrics: &mut ScanMetrics,
    ) -> Result<bool> {
        match self.next(fragments, metrics)? {
            Found::End => Ok(false),
            Found::Fragments => Ok(true),
            Found::Columns => {
                if let Some(mut row) = self.columnar_row() {
                    row.row_into(&mut fragments.row)?;
                    fragments.push_columns(&mut row)?;
                }
                Ok(true)
            }
        }
    }

    /// Finds the next row; `fragments` is empty unless it consists of them.
    pub(crate) fn next(&mut self, fragments: &mut RowFragments, metrics: &mut ScanMetrics) -> Result<Found> {
        self.leave(fragments);
        if let Some(met) = self.met.take() {
            return self.hand_out_met(met, fragments, metrics);
        }
        if let (at, 1..) = self.lone {
            self.lone.1 -= 1;
            return self.hand_out(at, fragments, metrics);
        }
        loop {
            if !self.reading && !self.next_range(metrics)? {
                return Ok(Found::End);
            }
            match self.find_row()? {
                None => {
                    self.reading = false;
                    continue;
                }
                Some(Owner::Run(at)) => {
                    self.look_ahead(at, metrics)?;
                    return self.hand_out(at, fragments, metrics);
                }
                Some(Owner::Any) => self.take_row(fragments, metrics)?,
            }
            // Only commits above the horizon have written the row.
            if fragments.spans.is_empty() {
                continue;
            }
            if !keys::take_row(&self.row_part, &mut fragments.row) {
                return Err(self.bad_row());
            }
            return Ok(Found::Fragments);
        }
    }

    /// Leaves the row that was handed out last.
    fn leave(&mut self, fragments: &mut RowFragments) {
        fragments.clear();
        if let Some(at) = self.handed_out.take()
            && let Some(SourceCursor::Run(cursor)) = self.cursors.get_mut(at)
        {
            cursor.step();
        }
    }

    /// The row that was found last, if it lies in a segment alone.
    #[inline]
    pub(crate) fn columnar_row(&mut self) -> Option<ColumnarRow<'_>> {
        match self.cursors.get_mut(self.handed_out?)? {
            SourceCursor::Run(cursor) => cursor.columnar_row(),
            SourceCursor::Epoch(_) => None,
        }
    }

    fn next_range(&mut self, metrics: &mut ScanMetrics) -> Result<bool> {
        let Some(range) = self.ranges.pop() else { return Ok(false) };
        self.bounds.set(range);
        for cursor in &mut self.cursors {
            cursor.go_to(&self.bounds, self.reverse, metrics)?;
        }
        self.reading = true;
        Ok(true)
    }

    /// Finds the next row of the range among the cursors, into `row_part`, and whose it is.
    fn find_row(&mut self) -> Result<Option<Owner>> {
        for cursor in &mut self.cursors {
            cursor.know()?;
        }
        let mut found: Option<(&[u8], Owner)> = None;
        for (at, cursor) in self.cursors.iter().enumerate() {
            let Some(row) = cursor.row_part() else { continue };
            let order = found.as_ref().map_or(Ordering::Less, |(best, _)| row.cmp(best));
            match if self.reverse && found.is_some() { order.reverse() } else { order } {
                Ordering::Less => {
                    let owner =
                        if matches!(cursor, SourceCursor::Run(_)) { Owner::Run(at) } else { Owner::Any };
                    found = Some((row, owner));
                }
                Ordering::Equal => found = Some((row, Owner::Any)),
                Ordering::Greater => {}
            }
        }
        let Some((next, owner)) = found else { return Ok(None) };
        let inside = if self.reverse {
            next >= self.bounds.start.as_slice()
        } else {
            self.bounds.end().is_none_or(|end| next < end)
        };
        if inside {
            self.row_part.clear();
            self.row_part.extend_from_slice(next);
        }
        Ok(inside.then_some(owner))
    }

    /// Finds out for how many rows after the current one the run at `at` is alone in the range.
    fn look_ahead(&mut self, at: usize, metrics: &mut ScanMetrics) -> Result<()> {
        if self.bounds.rows.as_point().is_some() {
            self.reading = false;
            return Ok(());
        }
        let bound = self.bound_of(at)?;
        if let Some(SourceCursor::Run(cursor)) = self.cursors.get_mut(at) {
            self.lone = (at, cursor.rows_until(bound.as_deref(), metrics)?);
        }
        Ok(())
    }

    /// Up to where the run at `at` is alone in the range: the first row that does not count going forwards, the last one that
    /// does going backwards.
    fn bound_of(&self, at: usize) -> Result<Option<Vec<u8>>> {
        let nearest = self.nearest_other(at);
        let mut row = Vec::new();
        if let Some(nearest) = &nearest
            && !keys::take_row(nearest.row_part, &mut row)
        {
            return Err(self.bad_row());
        }
        let rows = &self.bounds.rows;
        Ok(match (nearest, self.reverse) {
            (Some(_), true) => Some(row_successor(&row).max(rows.start.clone())),
            (None, true) => Some(rows.start.clone()),
            (Some(_), false) => Some(rows.end.as_ref().map_or(row.clone(), |end| end.min(&row).clone())),
            (None, false) => rows.end.clone(),
        })
    }

    /// The next row of the sources other than the run at `at`.
    fn nearest_other(&self, at: usize) -> Option<Other<'_>> {
        let mut found: Option<Other<'_>> = None;
        for (place, cursor) in self.cursors.iter().enumerate() {
            let Some(row_part) = cursor.row_part().filter(|_| place != at) else { continue };
            let of_epochs = matches!(cursor, SourceCursor::Epoch(_));
            let order = found.as_ref().map_or(Ordering::Less, |found| row_part.cmp(found.row_part));
            match if self.reverse && found.is_some() { order.reverse() } else { order } {
                Ordering::Less => found = Some(Other { row_part, of_epochs }),
                Ordering::Equal => {
                    if let Some(found) = &mut found {
                        found.of_epochs &= of_epochs;
                    }
                }
                Ordering::Greater => {}
            }
        }
        found
    }

    /// Whether rows come in descending order.
    pub(crate) fn is_reverse(&self) -> bool {
        self.reverse
    }

    /// Gives the current row of the run at `at`, which no other source has.
    fn hand_out(
        &mut self,
        at: usize,
        fragments: &mut RowFragments,
        metrics: &mut ScanMetrics,
    ) -> Result<Found> {
        self.handed_out = Some(at);
        let Some(SourceCursor::Run(cursor)) = self.cursors.get_mut(at) else { return Ok(Found::End) };
        cursor.open_whole(metrics)?;
        let Some(mut row) = cursor.columnar_row() else { return Ok(Found::End) };
        let Some(fragment) = row.fragment()? else { return Ok(Found::Columns) };
        fragments.push(fragment);
        row.row_into(&mut fragments.row)?;
        Ok(Found::Fragments)
    }

    fn bad_row(&self) -> Error {
        Error::corrupt(format!("key in table '{}'", self.table), "its row is not escaped rightly")
    }
}

/// A row of other sources than one run.
struct Other<'c> {
    row_part: &'c [u8],
    /// Only epochs have it.
    of_epochs: bool,
}

/// Who has a row.
#[derive(Debug, Clone, Copy)]
enum Owner {
    /// A run and nobody else; its place among the cursors.
    Run(usize),
    Any,
}
