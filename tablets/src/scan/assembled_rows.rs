//! The row path: rows as they are stored, assembled.

use ostracon_data::{RowBuffer, RowRange};
use ostracon_segment::{Segment, SegmentSummary};

use super::assemble::{RowAssembler, RowRules};
use super::column_path::ColumnPath;
use super::fragments::{Found, FoundNext, FragmentRows, RowFragments};
use super::metrics::ScanMetrics;
use crate::Result;
use crate::sources::SegmentHandle;
use crate::version::Version;

/// What reading one more row came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Next {
    End,
    /// Something is stored, but nothing of the row is to be seen.
    Absent,
    Row,
}

/// What reading on came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NextPiece {
    One(Next),
    /// Rows that are read by column: [`ColumnPath`] has the hits among them.
    Stretch,
}

/// Reads rows without an iterator stack.
pub(crate) struct AssembledRows {
    rows: FragmentRows,
    assembler: RowAssembler,
    fragments: RowFragments,
}

impl AssembledRows {
    pub(crate) fn new(version: &Version, rows: FragmentRows, rules: RowRules) -> Self {
        let assembler = RowAssembler::new(rules, version.table_name());
        Self { rows, assembler, fragments: RowFragments::default() }
    }

    /// Goes on with other ranges, if the rows were made for that.
    pub(crate) fn seek(&mut self, ranges: &[RowRange]) {
        self.rows.seek(ranges);
    }

    /// Reads the next row into `out`, or enters the next stretch of rows that `path` reads by column. Segments that
    /// `take` takes are passed over.
    pub(crate) fn next_piece(
        &mut self,
        path: &mut ColumnPath,
        take: &mut dyn FnMut(&SegmentSummary) -> bool,
        out: &mut RowBuffer,
        metrics: &mut ScanMetrics,
    ) -> Result<NextPiece> {
        match self.rows.next_stretch(path, take, &mut self.fragments, metrics)? {
            FoundNext::One(found) => self.assemble(found, out, metrics).map(NextPiece::One),
            FoundNext::Stretch { run, rows } => {
                if let Some((_, segment)) = self.rows.segment() {
                    path.enter(run, segment, &rows, self.rows.is_reverse(), metrics);
                }
                Ok(NextPiece::Stretch)
            }
            FoundNext::Points => {
                if let Some((_, segment)) = self.rows.segment() {
                    path.enter_points(segment, self.rows.places(), metrics);
                }
                Ok(NextPiece::Stretch)
            }
        }
    }

    /// The segment of the stretch entered last.
    pub(crate) fn segment(&self) -> Option<(&SegmentHandle, &Segment<'_>)> {
        self.rows.segment()
    }

    /// Reads the next row into `out`.
    pub(crate) fn next_row(&mut self, out: &mut RowBuffer, metrics: &mut ScanMetrics) -> Result<Next> {
        let found = self.rows.next(&mut self.fragments, metrics)?;
        self.assemble(found, out, metrics)
    }

    fn assemble(&mut self, found: Found, out: &mut RowBuffer, metrics: &mut ScanMetrics) -> Result<Next> {
        let exists = match found {
            Found::End => return Ok(Next::End),
            Found::Fragments => self.assembler.assemble(&self.fragments, out, metrics)?,
            Found::Columns => match self.rows.columnar_row() {
                Some(mut row) => self.assembler.assemble_columns(&mut row, out, metrics)?,
                None => false,
            },
        };
        Ok(if exists { Next::Row } else { Next::Absent })
    }
}
