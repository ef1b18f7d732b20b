//! Which labels a row's cells carry, as far as the reader of the row may see them.

use std::collections::BTreeSet;

use ostracon_data::RowBuffer;

use crate::definition::TableDefinition;

/// The labels of the row's visible mapped cells and markers, `b""` for unlabelled ones. What UPDATE and DELETE
/// take away and put back is under these labels; cells that the session cannot see are none of its business.
pub fn visible_labels(definition: &TableDefinition, row: &RowBuffer) -> BTreeSet<Vec<u8>> {
    row.cells()
        .filter(|cell| definition.maps_cell(cell.family, cell.qualifier))
        .map(|cell| cell.visibility.to_vec())
        .collect()
}
