//! The row path: rows as they are stored, assembled.

use ostracon_data::{RowBuffer, RowRange};

use super::assemble::{RowAssembler, RowRules};
use super::fragments::{Found, FragmentRows, RowFragments};
use super::scanner::ScanMetrics;
use crate::Result;
use crate::version::Version;

/// What reading one more row came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Next {
    End,
    /// Something is stored, but nothing of the row is to be seen.
    Absent,
    Row,
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

    /// Reads the next row into `out`.
    pub(crate) fn next_row(&mut self, out: &mut RowBuffer, metrics: &mut ScanMetrics) -> Result<Next> {
        let exists = match self.rows.next(&mut self.fragments, metrics)? {
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
