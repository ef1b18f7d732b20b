//! What a reader reads: one consistent state of one table.

use std::sync::Arc;

use ostracon_data::{KeyExtent, TableId};

use crate::directory::{Directory, TableState};
use crate::options::TableSettings;
use crate::store::StoreInner;
use crate::table::Table;

/// A consistent state of a table: a directory and the horizon of the commits that are seen.
///
/// However long it is held, every scan of it gives the same rows; writers are not held up. What it reads stays on
/// disk while it is held, even if the table is compacted, truncated or dropped.
#[derive(Debug)]
pub struct Version {
    pub(crate) store: Arc<StoreInner>,
    pub(crate) state: Arc<TableState>,
    pub(crate) directory: Arc<Directory>,
    pub(crate) horizon: u64,
}

impl Version {
    pub(crate) fn current(store: &Arc<StoreInner>, state: &Arc<TableState>) -> Self {
        let (directory, horizon) = state.directory_and(|| store.sequencer.horizon());
        Self { store: Arc::clone(store), state: Arc::clone(state), directory, horizon }
    }

    /// The table.
    pub fn table(&self) -> Table {
        Table::new(Arc::clone(&self.store), Arc::clone(&self.state))
    }

    /// The table's name.
    pub fn table_name(&self) -> &str {
        &self.state.name
    }

    /// The table's id.
    pub fn table_id(&self) -> TableId {
        self.state.id
    }

    /// The table's settings in this state.
    pub fn settings(&self) -> &TableSettings {
        &self.directory.settings
    }

    /// The tablets, in row order; never empty.
    pub fn extents(&self) -> Vec<KeyExtent> {
        self.directory.extents(self.state.id)
    }

    /// Whether every scan gives the same rows as of the other version: they are of one table, and no commit and no
    /// change of the table came between them.
    pub fn is_same_state(&self, other: &Self) -> bool {
        self.horizon == other.horizon && Arc::ptr_eq(&self.directory, &other.directory)
    }

    /// The last commit sequence that is seen.
    pub fn horizon(&self) -> u64 {
        self.horizon
    }

    /// Rows and unmerged fragments of the table, about: at least one for each row.
    pub fn approximate_rows(&self) -> u64 {
        crate::estimate::rows(&self.store.engine, &self.directory)
    }
}
