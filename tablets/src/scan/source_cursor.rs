//! One source's rows, whatever they lie in.

use ostracon_data::RowRange;

use super::columns::ColumnRoles;
use super::cursor::EpochCursor;
use super::metrics::ScanMetrics;
use super::run_cursor::RunCursor;
use crate::Result;
use crate::engine::{Access, Engine};
use crate::keys;
use crate::sources::Source;

/// A range of rows, and its ends as row parts. Kept from range to range.
#[derive(Debug)]
pub(super) struct Bounds {
    pub(super) rows: RowRange,
    pub(super) start: Vec<u8>,
    end: Vec<u8>,
}

impl Bounds {
    pub(super) fn of(rows: RowRange) -> Self {
        let mut bounds = Self { rows: RowRange::all(), start: Vec::new(), end: Vec::new() };
        bounds.set(rows);
        bounds
    }

    pub(super) fn set(&mut self, rows: RowRange) {
        self.start.clear();
        // The row part of the empty row is not the least of all byte strings, but the least of all row parts.
        keys::put_row_part(&mut self.start, &rows.start);
        self.end.clear();
        if let Some(end) = &rows.end {
            keys::put_row_part(&mut self.end, end);
        }
        self.rows = rows;
    }

    /// Where the range ends; `None`: with the table.
    pub(super) fn end(&self) -> Option<&[u8]> {
        self.rows.end.is_some().then_some(self.end.as_slice())
    }
}

pub(super) enum SourceCursor {
    Epoch(EpochCursor),
    Run(Box<RunCursor>),
}

impl SourceCursor {
    /// A cursor over a source; `bounds` span everything that it will be asked for.
    pub(super) fn new(
        engine: &Engine,
        source: &Source,
        roles: &ColumnRoles,
        bounds: &Bounds,
        (reverse, access): (bool, Access),
    ) -> Self {
        match source {
            Source::Fragments(epoch) => {
                Self::Epoch(EpochCursor::new(engine, epoch, &bounds.start, bounds.end(), access))
            }
            Source::Segments(run) => Self::Run(Box::new(RunCursor::new(run, roles, reverse, access))),
        }
    }

    /// Goes to the first row of a range in the direction of travel, unless the cursor is there or further already.
    pub(super) fn go_to(&mut self, bounds: &Bounds, reverse: bool, metrics: &mut ScanMetrics) -> Result<()> {
        match self {
            Self::Epoch(cursor) => {
                let sought = if reverse {
                    cursor.backward_to(bounds.end())?
                } else {
                    cursor.forward_to(&bounds.start)?
                };
                metrics.seeks += u64::from(sought);
                Ok(())
            }
            Self::Run(cursor) => cursor.go_to(&bounds.rows, metrics),
        }
    }

    /// Makes [`row_part`](Self::row_part) right.
    pub(super) fn know(&mut self) -> Result<()> {
        match self {
            Self::Epoch(_) => Ok(()),
            Self::Run(cursor) => cursor.know(),
        }
    }

    /// The row part of the current row; `None` at the end.
    #[inline]
    pub(super) fn row_part(&self) -> Option<&[u8]> {
        match self {
            Self::Epoch(cursor) => Some(cursor.key()?.row_part),
            Self::Run(cursor) => cursor.row_part(),
        }
    }
}
