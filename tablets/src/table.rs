//! A handle to a table: where statements and versions come from.

use std::sync::Arc;

use ostracon_data::TableId;

use crate::Result;
use crate::directory::TableState;
use crate::lock::{SharedGuard, StripeGuard};
use crate::options::TableSettings;
use crate::statement::{Statement, StatementOptions};
use crate::store::StoreInner;
use crate::version::Version;

/// A handle to a table; clones refer to the same one. It keeps the store open.
#[derive(Debug, Clone)]
pub struct Table {
    pub(crate) store: Arc<StoreInner>,
    pub(crate) state: Arc<TableState>,
}

impl Table {
    pub(crate) fn new(store: Arc<StoreInner>, state: Arc<TableState>) -> Self {
        Self { store, state }
    }

    /// The table's name.
    pub fn name(&self) -> &str {
        &self.state.name
    }

    /// The table's id, never used for another table of the store.
    pub fn id(&self) -> TableId {
        self.state.id
    }

    /// The table's settings.
    pub fn settings(&self) -> Arc<TableSettings> {
        Arc::clone(&self.state.directory().settings)
    }

    /// The table as it is now: every commit that has been acknowledged, and no part of any other.
    ///
    /// # Errors
    /// [`Error::TableNotFound`](crate::Error::TableNotFound) if the table was dropped.
    pub fn version(&self) -> Result<Arc<Version>> {
        let version = Version::current(&self.store, &self.state);
        // Asked afterwards: a directory taken before a drop is whole.
        self.state.check_present()?;
        Ok(Arc::new(version))
    }

    /// Rows and unmerged fragments of the table, about: at least one for each row, more for rows that were written again
    /// since the last compaction. For planning only.
    pub fn approximate_rows(&self) -> u64 {
        crate::estimate::rows(&self.store.engine, &self.state.directory())
    }

    /// Starts a statement: an atomic change of any size.
    ///
    /// # Errors
    /// [`Error::TableNotFound`](crate::Error::TableNotFound) if the table was dropped.
    pub fn statement(&self, options: StatementOptions) -> Result<Statement> {
        Statement::begin(self, options, None)
    }

    /// Locks rows for a read-modify-write by key: take a version, read the rows, write through
    /// [`RowLocks::statement`].
    ///
    /// Until the locks are dropped no other commit changes these rows; commits of other rows go on. Waits until no
    /// other locker holds any of the rows. One thread must not hold two of these at once.
    ///
    /// # Errors
    /// [`Error::TableNotFound`](crate::Error::TableNotFound) if the table was dropped.
    pub fn lock_rows<'r>(&self, rows: impl IntoIterator<Item = &'r [u8]>) -> Result<RowLocks> {
        self.store.admit(&self.state);
        let shared = self.state.lock.shared();
        self.state.check_present()?;
        let stripes = self.state.stripes.lock(rows);
        // Commits that began before the stripes were locked may not know of them: let them end first.
        self.store.sequencer.wait_for(self.store.sequencer.last());
        Ok(RowLocks { table: self.clone(), held: Arc::new(HeldRows { _stripes: stripes, _shared: shared }) })
    }
}

/// Keeps rows of a table from being changed by others.
#[derive(Debug)]
pub struct RowLocks {
    // Let go before the table, which may be the last to hold the store: its end waits for those who wait for locks.
    held: Arc<HeldRows>,
    table: Table,
}

/// What a [`RowLocks`] and its statements hold together.
#[derive(Debug)]
pub(crate) struct HeldRows {
    _stripes: StripeGuard,
    _shared: SharedGuard,
}

impl RowLocks {
    /// The locked table.
    pub fn table(&self) -> &Table {
        &self.table
    }

    /// Starts a statement that writes the locked rows (and, if it must, others). It keeps the locks until it ends. It
    /// stays in memory whatever its size, and `exclusive` is not used.
    ///
    /// # Errors
    /// [`Error::TableNotFound`](crate::Error::TableNotFound) if the table was dropped.
    pub fn statement(&self, options: StatementOptions) -> Result<Statement> {
        Statement::begin(&self.table, options, Some(Arc::clone(&self.held)))
    }
}
