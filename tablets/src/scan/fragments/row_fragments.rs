//! The fragments of one row.

use crate::Result;
use crate::scan::columnar_row::ColumnarRow;

/// One row's fragments, copied out of RocksDB's buffers. Reused from row to row.
#[derive(Debug, Default)]
pub(crate) struct RowFragments {
    pub(super) row: Vec<u8>,
    arena: Vec<u8>,
    /// Newest first.
    pub(super) spans: Vec<std::ops::Range<usize>>,
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

    pub(super) fn clear(&mut self) {
        self.row.clear();
        self.arena.clear();
        self.arena.shrink_to(KEPT_BYTES);
        self.spans.clear();
    }

    /// Adds the columns of a segment's row as a fragment.
    pub(super) fn push_columns(&mut self, row: &mut ColumnarRow<'_>) -> Result<()> {
        let start = self.arena.len();
        row.pack(&mut self.arena)?;
        self.spans.push(start..self.arena.len());
        Ok(())
    }

    #[inline]
    pub(super) fn push(&mut self, fragment: &[u8]) {
        let start = self.arena.len();
        self.arena.extend_from_slice(fragment);
        self.spans.push(start..self.arena.len());
    }
}
