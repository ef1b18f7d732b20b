//! Which of some rows exist, as far as the session sees.

use std::collections::BTreeSet;
use std::sync::Arc;

use ostracon_data::{RowBuffer, RowRange, RowRanges};
use ostracon_tablets::{ColumnSelection, ScanSpec, Scanner, Version};

use super::WriteTarget;
use crate::error::Result;

impl WriteTarget {
    /// The ids among `rows` that have a row in `version`.
    pub(super) fn existing<'r>(
        &self,
        version: &Arc<Version>,
        rows: impl Iterator<Item = &'r [u8]>,
    ) -> Result<BTreeSet<Vec<u8>>> {
        let ranges = RowRanges::from_ranges(rows.map(RowRange::point).collect());
        let spec = ScanSpec { ranges, projection: ColumnSelection::none(), ..self.visible_rows() };
        let mut scanner = Scanner::new(version, &spec)?;
        let mut row = RowBuffer::new();
        let mut found = BTreeSet::new();
        while scanner.next_row(&mut row)? {
            found.insert(row.row().to_vec());
        }
        Ok(found)
    }
}
