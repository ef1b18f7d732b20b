//! The fragments of a version, row by row.
//!
//! [`FragmentRows`] merges the epochs of a version by row. For each row it gives the [`RowFragments`], newest first:
//! epochs are ordered by commit sequence, and so are the keys of a row within one. What lies above the version's
//! horizon is left out.
//!
//! The cursors outlive the rows they were made for: [`FragmentRows::seek`] sends them elsewhere. Onward in the order of
//! rows a cursor seeks only if it does not stand there already, so that sorted points that are neighbours cost one seek
//! together.

use ostracon_data::RowRange;

use super::cursor::EpochCursor;
use super::scanner::ScanMetrics;
use crate::engine::Access;
use crate::keys;
use crate::version::Version;
use crate::{Error, Result};

/// One row's fragments, copied out of RocksDB's buffers. Reused from row to row.
#[derive(Debug, Default)]
pub(crate) struct RowFragments {
    row: Vec<u8>,
    arena: Vec<u8>,
    /// Newest first.
    spans: Vec<std::ops::Range<usize>>,
}

/// A buffer that grew beyond this many bytes for one giant row is not kept.
const KEPT_BYTES: usize = 4 << 20;

impl RowFragments {
    pub(crate) fn row(&self) -> &[u8] {
        &self.row
    }

    /// How many fragments there are; at least one.
    pub(crate) fn len(&self) -> usize {
        self.spans.len()
    }

    /// The fragments, newest first.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &[u8]> {
        self.spans.iter().map(|span| self.arena.get(span.clone()).unwrap_or_default())
    }

    fn clear(&mut self) {
        self.row.clear();
        self.arena.clear();
        self.arena.shrink_to(KEPT_BYTES);
        self.spans.clear();
    }

    #[inline]
    fn push(&mut self, fragment: &[u8]) {
        let start = self.arena.len();
        self.arena.extend_from_slice(fragment);
        self.spans.push(start..self.arena.len());
    }
}

/// Goes over rows that have any fragment in a version, in either order. See the module's page.
pub(crate) struct FragmentRows {
    /// Newest epoch first.
    cursors: Vec<EpochCursor>,
    horizon: u64,
    /// Still to be read, the next one last.
    ranges: Vec<RowRange>,
    /// The range being read, as row parts.
    start: Vec<u8>,
    end: RangeEnd,
    /// Where a seek is to go; kept for its allocation.
    sought: Vec<u8>,
    reading: bool,
    reverse: bool,
    /// The row read last; empty if there is none since the cursors were sent elsewhere.
    row_part: Vec<u8>,
    table: String,
}

/// Where a range ends, as a row part; kept from range to range.
#[derive(Debug, Default)]
struct RangeEnd {
    bytes: Vec<u8>,
    open: bool,
}

impl RangeEnd {
    fn set(&mut self, row: Option<&[u8]>) {
        self.bytes.clear();
        self.open = row.is_none();
        keys::put_row_part(&mut self.bytes, row.unwrap_or_default());
    }

    fn row_part(&self) -> Option<&[u8]> {
        (!self.open).then_some(self.bytes.as_slice())
    }
}

impl FragmentRows {
    /// Over the rows of `ranges`, which are in order and disjoint. RocksDB reads nothing outside of them.
    pub(crate) fn new(version: &Version, ranges: &[RowRange], reverse: bool, once: bool) -> Self {
        let mut lower = Vec::new();
        let mut upper = None;
        if let (Some(first), Some(last)) = (ranges.first(), ranges.last()) {
            keys::put_row_part(&mut lower, &first.start);
            upper = last.end.as_deref().map(row_part);
        }
        let points = ranges.iter().all(|range| range.as_point().is_some());
        let access = match (points, once) {
            (true, _) => Access::Point,
            (false, true) => Access::Once,
            (false, false) => Access::Scan,
        };
        let mut rows = Self::over(version, reverse);
        if !ranges.is_empty() {
            rows.open(version, &lower, upper.as_deref(), access);
        }
        rows.set_ranges(ranges);
        rows
    }

    /// Over no rows yet: [`seek`](Self::seek) says which, as often as wanted. Made for few rows at a time.
    pub(crate) fn seekable(version: &Version, reverse: bool) -> Self {
        let mut rows = Self::over(version, reverse);
        rows.open(version, &[], None, Access::Point);
        rows
    }

    fn over(version: &Version, reverse: bool) -> Self {
        Self {
            cursors: Vec::new(),
            horizon: version.horizon,
            ranges: Vec::new(),
            start: Vec::new(),
            end: RangeEnd::default(),
            sought: Vec::new(),
            reading: false,
            reverse,
            row_part: Vec::new(),
            table: version.table_name().to_owned(),
        }
    }

    fn open(&mut self, version: &Version, lower: &[u8], upper: Option<&[u8]>, access: Access) {
        let epochs = version.directory.epochs.iter().rev();
        let engine = &version.store.engine;
        self.cursors = epochs.map(|epoch| EpochCursor::new(engine, epoch, lower, upper, access)).collect();
    }

    /// Goes on with the rows of other ranges, which are in order and disjoint, anywhere in the table. For rows that are
    /// [`seekable`](Self::seekable).
    pub(crate) fn seek(&mut self, ranges: &[RowRange]) {
        if let Some(first) = ranges.first() {
            self.sought.clear();
            keys::put_row_part(&mut self.sought, &first.start);
            // Between the range begun last, or the row read last, and where they are, the cursors have passed over nothing.
            let onward = !self.reverse && self.sought >= self.start && self.sought > self.row_part;
            if !onward {
                self.cursors.iter_mut().for_each(EpochCursor::forget);
                self.row_part.clear();
            }
        }
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

    /// Reads the next row's fragments; false at the end, with `fragments` empty.
    pub(crate) fn next_row(
        &mut self,
        fragments: &mut RowFragments,
        metrics: &mut ScanMetrics,
    ) -> Result<bool> {
        fragments.clear();
        loop {
            if !self.reading && !self.next_range(metrics)? {
                return Ok(false);
            }
            if !self.find_row() {
                self.reading = false;
                continue;
            }
            self.take_row(fragments, metrics)?;
            // Only commits above the horizon have written the row.
            if fragments.spans.is_empty() {
                continue;
            }
            if !keys::take_row(&self.row_part, &mut fragments.row) {
                return Err(Error::corrupt(
                    format!("key in table '{}'", self.table),
                    "its row is not escaped rightly",
                ));
            }
            return Ok(true);
        }
    }

    fn next_range(&mut self, metrics: &mut ScanMetrics) -> Result<bool> {
        let Some(range) = self.ranges.pop() else { return Ok(false) };
        self.start.clear();
        // The row part of the empty row is not the least of all byte strings, but the least of all row parts.
        keys::put_row_part(&mut self.start, &range.start);
        self.end.set(range.end.as_deref());
        for cursor in &mut self.cursors {
            let sought = if self.reverse {
                cursor.backward_to(self.end.row_part())?
            } else {
                cursor.forward_to(&self.start)?
            };
            metrics.seeks += u64::from(sought);
        }
        self.reading = true;
        Ok(true)
    }

    /// Finds the next row of the range among the cursors, into `row_part`.
    fn find_row(&mut self) -> bool {
        let rows = self.cursors.iter().filter_map(|cursor| Some(cursor.key()?.row_part));
        let next = if self.reverse { rows.max() } else { rows.min() };
        let Some(next) = next else { return false };
        let inside = if self.reverse {
            next >= self.start.as_slice()
        } else {
            self.end.row_part().is_none_or(|end| next < end)
        };
        if inside {
            self.row_part.clear();
            self.row_part.extend_from_slice(next);
        }
        inside
    }

    /// Moves every cursor past the row, keeping the fragments that are seen.
    fn take_row(&mut self, fragments: &mut RowFragments, metrics: &mut ScanMetrics) -> Result<()> {
        for cursor in &mut self.cursors {
            let first = fragments.spans.len();
            loop {
                let Some((key, value, bytes)) = cursor.item() else {
                    cursor.end()?;
                    break;
                };
                if key.row_part != self.row_part {
                    break;
                }
                metrics.bytes_read += bytes;
                if key.sequence <= self.horizon {
                    fragments.push(value);
                }
                cursor.step(self.reverse);
            }
            if self.reverse
                && let Some(of_epoch) = fragments.spans.get_mut(first..)
            {
                of_epoch.reverse();
            }
        }
        Ok(())
    }
}

fn row_part(row: &[u8]) -> Vec<u8> {
    let mut part = Vec::with_capacity(row.len() + 2);
    keys::put_row_part(&mut part, row);
    part
}
