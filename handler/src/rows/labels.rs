//! Which labels a row's cells carry, as far as the reader of the row may see them.

use std::collections::BTreeSet;

use ostracon_data::{RowBuffer, same_bytes};

use crate::definition::TableDefinition;

/// The labels of the row's visible mapped cells and markers, `b""` for unlabelled ones. What UPDATE and DELETE
/// take away and put back is under these labels; cells that the session cannot see are none of its business.
pub fn visible_labels(definition: &TableDefinition, row: &RowBuffer) -> BTreeSet<Vec<u8>> {
    let mut labels = BTreeSet::new();
    // Most rows have one label, and this is asked of every row that an UPDATE or DELETE looks at.
    let mut last: Option<&[u8]> = None;
    for cell in row.cells().filter(|cell| definition.maps_cell(cell.family, cell.qualifier)) {
        if !last.is_some_and(|last| same_bytes(last, cell.visibility)) {
            labels.insert(cell.visibility.to_vec());
            last = Some(cell.visibility);
        }
    }
    labels
}
