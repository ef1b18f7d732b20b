//! One assembled row.
//!
//! [`RowBuffer`] is filled by a scan, cell by cell, and read by filters and decoders through [`CellRef`]s. All bytes
//! lie in one arena that is reused from row to row, so that after warm-up a scan allocates nothing.
//!
//! The buffer keeps what it is given: it neither sorts nor drops versions, and judges no labels.

use crate::bytes::{compare_columns, same_bytes, same_columns};

/// A row and its cells.
///
/// By contract of whoever fills it, cells come sorted by family, then qualifier, then precedence: the newest first
/// (timestamp descending, then commit order descending), labels mixed. [`find`](Self::find) is then the cell that SQL
/// sees. A buffer filled in another order still works, more slowly, and `find` gives the first match pushed.
///
/// ```
/// use ostracon_data::RowBuffer;
///
/// let mut row = RowBuffer::new();
/// row.set_row(b"r1");
/// row.push_cell(b"f", b"q", b"", 2, b"new");
/// row.push_cell(b"f", b"q", b"", 1, b"old");
/// assert_eq!(row.find(b"f", b"q").map(|cell| cell.value), Some(&b"new"[..]));
/// ```
#[derive(Clone, Debug, Default)]
pub struct RowBuffer {
    row: Vec<u8>,
    arena: Vec<u8>,
    cells: Vec<Slot>,
    /// False once a cell came before its predecessor in (family, qualifier).
    unsorted: bool,
}

/// Where a cell's parts lie in the arena: family, qualifier, visibility and value follow each other from `start`.
#[derive(Clone, Copy, Debug)]
struct Slot {
    start: usize,
    qualifier: usize,
    visibility: usize,
    value: usize,
    end: usize,
    timestamp: i64,
}

/// A cell of a [`RowBuffer`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CellRef<'a> {
    /// Column family.
    pub family: &'a [u8],
    /// Column qualifier.
    pub qualifier: &'a [u8],
    /// Label; empty means unlabelled.
    pub visibility: &'a [u8],
    /// Milliseconds since 1970-01-01 UTC by convention.
    pub timestamp: i64,
    /// The cell's bytes.
    pub value: &'a [u8],
}

impl<'a> CellRef<'a> {
    fn column(&self) -> (&'a [u8], &'a [u8]) {
        (self.family, self.qualifier)
    }
}

impl RowBuffer {
    /// An empty buffer.
    pub fn new() -> Self {
        Self::default()
    }

    /// Forgets row and cells, keeps the memory.
    pub fn clear(&mut self) {
        self.row.clear();
        self.arena.clear();
        self.cells.clear();
        self.unsorted = false;
    }

    /// Sets the row id; the cells stay.
    pub fn set_row(&mut self, row: &[u8]) {
        self.row.clear();
        self.row.extend_from_slice(row);
    }

    /// The row id.
    pub fn row(&self) -> &[u8] {
        &self.row
    }

    /// Appends a cell.
    pub fn push_cell(
        &mut self,
        family: &[u8],
        qualifier: &[u8],
        visibility: &[u8],
        timestamp: i64,
        value: &[u8],
    ) {
        if let Some(last) = self.cells.last() {
            self.unsorted |= compare_columns(self.resolve(last).column(), (family, qualifier)).is_gt();
        }
        let start = self.arena.len();
        self.arena.extend_from_slice(family);
        let qualifier_at = self.arena.len();
        self.arena.extend_from_slice(qualifier);
        let visibility_at = self.arena.len();
        self.arena.extend_from_slice(visibility);
        let value_at = self.arena.len();
        self.arena.extend_from_slice(value);
        self.cells.push(Slot {
            start,
            qualifier: qualifier_at,
            visibility: visibility_at,
            value: value_at,
            end: self.arena.len(),
            timestamp,
        });
    }

    /// How many cells there are.
    pub fn len(&self) -> usize {
        self.cells.len()
    }

    /// Whether there is no cell.
    pub fn is_empty(&self) -> bool {
        self.cells.is_empty()
    }

    /// The cell at a position.
    ///
    /// # Panics
    ///
    /// If `position` is not less than [`len`](Self::len), as slices do.
    pub fn cell(&self, position: usize) -> CellRef<'_> {
        self.resolve(&self.cells[position])
    }

    /// The cells in the order they were pushed.
    pub fn cells(&self) -> impl DoubleEndedIterator<Item = CellRef<'_>> + ExactSizeIterator {
        self.cells.iter().map(|slot| self.resolve(slot))
    }

    /// The position of the column's first cell, its newest.
    pub fn position(&self, family: &[u8], qualifier: &[u8]) -> Option<usize> {
        let wanted = (family, qualifier);
        if self.unsorted {
            return self.cells().position(|cell| same_columns(cell.column(), wanted));
        }
        let at = self.first_not_before(wanted);
        self.cells.get(at).filter(|slot| same_columns(self.resolve(slot).column(), wanted)).map(|_| at)
    }

    /// As [`position`](Self::position), but looks at `hint` first. Any hint gives the right answer; the position of the
    /// same column in the row before mostly gives it at once, since the rows of a table have their columns alike.
    pub fn position_near(&self, hint: usize, family: &[u8], qualifier: &[u8]) -> Option<usize> {
        let wanted = (family, qualifier);
        let holds = |at: usize| {
            self.cells.get(at).is_some_and(|slot| same_columns(self.resolve(slot).column(), wanted))
        };
        let is_first = !self.unsorted && holds(hint) && !hint.checked_sub(1).is_some_and(holds);
        if is_first { Some(hint) } else { self.position(family, qualifier) }
    }

    /// The column's first cell, its newest.
    pub fn find(&self, family: &[u8], qualifier: &[u8]) -> Option<CellRef<'_>> {
        self.position(family, qualifier).map(|at| self.cell(at))
    }

    /// The cells of the family whose qualifier starts with `qualifier_prefix`, in order, every version and label.
    pub fn cells_with_prefix<'a>(
        &'a self,
        family: &'a [u8],
        qualifier_prefix: &'a [u8],
    ) -> impl Iterator<Item = CellRef<'a>> {
        let from = if self.unsorted { 0 } else { self.first_not_before((family, qualifier_prefix)) };
        let matches = move |cell: &CellRef<'_>| {
            same_bytes(cell.family, family) && cell.qualifier.starts_with(qualifier_prefix)
        };
        let unsorted = self.unsorted;
        self.cells
            .iter()
            .skip(from)
            .map(|slot| self.resolve(slot))
            .take_while(move |cell| unsorted || matches(cell))
            .filter(matches)
    }

    /// Bytes of the row id and of all cells.
    pub fn byte_len(&self) -> usize {
        self.row.len() + self.arena.len()
    }

    /// The position of the first cell whose column is not before `column`; cells are sorted.
    fn first_not_before(&self, column: (&[u8], &[u8])) -> usize {
        self.cells.partition_point(|slot| compare_columns(self.resolve(slot).column(), column).is_lt())
    }

    fn resolve(&self, slot: &Slot) -> CellRef<'_> {
        // Slots are made by `push_cell` only, so these ranges always lie within the arena and in order.
        CellRef {
            family: &self.arena[slot.start..slot.qualifier],
            qualifier: &self.arena[slot.qualifier..slot.visibility],
            visibility: &self.arena[slot.visibility..slot.value],
            timestamp: slot.timestamp,
            value: &self.arena[slot.value..slot.end],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn clear_keeps_nothing_of_the_row() {
        let mut row = RowBuffer::new();
        row.set_row(b"a");
        row.push_cell(b"g", b"q", b"L", 1, b"v");
        row.push_cell(b"f", b"q", b"", 1, b"w");
        assert_eq!(row.byte_len(), 8);
        row.clear();
        assert!(row.is_empty() && row.row().is_empty() && row.byte_len() == 0);
        row.set_row(b"b");
        row.push_cell(b"f", b"q", b"L", -3, b"v");
        let cell = CellRef { family: b"f", qualifier: b"q", visibility: b"L", timestamp: -3, value: b"v" };
        assert_eq!(row.cells().collect::<Vec<_>>(), [cell]);
        assert_eq!(row.cell(0), cell);
    }

    fn short() -> impl Strategy<Value = Vec<u8>> {
        prop::collection::vec(prop::sample::select(vec![0u8, b'a', 0xff]), 0..3)
    }

    proptest! {
        #[test]
        fn look_ups_agree_with_a_list(
            mut cells in prop::collection::vec((short(), short(), short(), any::<i64>(), short()), 0..12),
            sorted in any::<bool>(), family in short(), qualifier in short(), hint in 0..14_usize,
        ) {
            if sorted {
                cells.sort_by(|a, b| (&a.0, &a.1, b.3).cmp(&(&b.0, &b.1, a.3)));
            }
            let mut row = RowBuffer::new();
            for (f, q, v, t, value) in &cells {
                row.push_cell(f, q, v, *t, value);
            }
            prop_assert_eq!(row.len(), cells.len());
            let expected = cells.iter().position(|c| c.0 == family && c.1 == qualifier);
            prop_assert_eq!(row.position(&family, &qualifier), expected);
            prop_assert_eq!(row.position_near(hint, &family, &qualifier), expected);
            prop_assert_eq!(
                row.find(&family, &qualifier).map(|c| (c.visibility.to_vec(), c.timestamp, c.value.to_vec())),
                expected.map(|at| (cells[at].2.clone(), cells[at].3, cells[at].4.clone()))
            );
            let with_prefix: Vec<_> = row.cells_with_prefix(&family, &qualifier).map(|c| c.value.to_vec()).collect();
            let expected: Vec<_> = cells.iter()
                .filter(|c| c.0 == family && c.1.starts_with(&qualifier)).map(|c| c.4.clone()).collect();
            prop_assert_eq!(with_prefix, expected);
        }
    }
}
