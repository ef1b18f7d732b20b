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

    /// How many fragments there are.
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
        self.insert_columns(self.spans.len(), row)
    }

    /// Adds the columns of a segment's row as a fragment that is older than the first `newer` ones only.
    pub(super) fn insert_columns(&mut self, newer: usize, row: &mut ColumnarRow<'_>) -> Result<()> {
        let start = self.arena.len();
        row.pack(&mut self.arena)?;
        self.spans.insert(newer.min(self.spans.len()), start..self.arena.len());
        Ok(())
    }

    /// Turns round the order of the fragments from the place `first` on.
    pub(crate) fn reverse_from(&mut self, first: usize) {
        if let Some(turned) = self.spans.get_mut(first..) {
            turned.reverse();
        }
    }

    #[inline]
    pub(crate) fn push(&mut self, fragment: &[u8]) {
        let start = self.arena.len();
        self.arena.extend_from_slice(fragment);
        self.spans.push(start..self.arena.len());
    }
}
