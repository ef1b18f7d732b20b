//! Scans that are sent from place to place.

use std::sync::Arc;

use ostracon_data::RowRanges;

use super::{Path, Scanner, check, needs_cells, unprojected};
use crate::scan::cell_rows::CellRows;
use crate::scan::columns::ColumnRoles;
use crate::scan::fragments::{FragmentRows, Order};
use crate::scan::spec::ScanSpec;
use crate::version::Version;
use crate::{Error, Result};

impl Scanner {
    /// A scan that is to read a few rows here and a few there: it stands nowhere until [`seek`](Self::seek) sends it
    /// somewhere. The ranges of `spec` are not used; its limit counts anew from seek to seek.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn seekable(version: &Arc<Version>, spec: &ScanSpec) -> Result<Self> {
        check(spec)?;
        if needs_cells(version, spec) {
            return Self::seekable_on_cell_path(version, spec);
        }
        let roles = ColumnRoles::of_scan(spec);
        let rows = FragmentRows::seekable(version, &roles, Order::of(spec.reverse));
        let scanner = Self::on_row_path(version, spec, rows, roles)?;
        Ok(Self { seekable: true, ended: true, ..scanner })
    }

    /// Goes on with the rows of other ranges, anywhere in the table. It is cheapest onward in the order of rows. After
    /// an error the scan may be sought again.
    ///
    /// # Errors
    /// [`Error::Invalid`] if the scan was not made by [`seekable`](Self::seekable).
    pub fn seek(&mut self, ranges: &RowRanges) -> Result<()> {
        if !self.seekable {
            return Err(Error::invalid("seek of a scan", "needs a scan that was made by Scanner::seekable"));
        }
        match &mut self.path {
            Path::Rows(rows, columns) => {
                columns.forget_hits();
                rows.seek(&ranges.ranges());
            }
            Path::Cells(rows) => rows.seek(&ranges.ranges()),
        }
        self.remaining = self.limit;
        self.bytes_before = self.metrics.bytes_read;
        self.ended = false;
        Ok(())
    }

    /// Lets the scan end with [`Error::ReadLimit`] soon after RocksDB has handed over more bytes than that, counted from
    /// the last [`seek`](Self::seek) or the beginning; `None`: never.
    pub fn set_byte_limit(&mut self, limit: Option<u64>) {
        self.byte_limit = limit;
    }

    /// [`seekable`](Self::seekable) on the cell path, whether the row path would do or not.
    #[doc(hidden)]
    pub fn seekable_on_cell_path(version: &Arc<Version>, spec: &ScanSpec) -> Result<Self> {
        check(spec)?;
        let path = Path::Cells(Box::new(CellRows::seekable(version, spec)?));
        let projection = unprojected(&ColumnRoles::of_scan(spec));
        Ok(Self { seekable: true, ended: true, ..Self::over(path, spec, projection)? })
    }
}
