//! [`WriteTarget`]: what every sink knows of the table it writes.

use std::sync::Arc;

use ostracon_data::{Authorizations, RowBuffer};
use ostracon_tablets::{
    Clock, ScanSpec, Scanner, Statement, StatementOptions, SystemClock, Table, TabletStore, Version,
};

use crate::definition::{TableDefinition, TableKind};
use crate::error::Result;
use crate::provider::TabletTableProvider;
use crate::rows::{RowEncoder, visible_labels};

/// A table that is to be written, by one session.
#[derive(Debug, Clone)]
pub(crate) struct WriteTarget {
    pub(crate) definition: Arc<TableDefinition>,
    pub(crate) store: TabletStore,
    pub(crate) authorizations: Authorizations,
}

impl WriteTarget {
    pub(crate) fn of(provider: &TabletTableProvider) -> Self {
        Self {
            definition: Arc::clone(provider.definition()),
            store: provider.store().clone(),
            authorizations: provider.authorizations(),
        }
    }

    pub(super) fn name(&self) -> &str {
        &self.definition.name
    }

    fn table(&self) -> Result<Table> {
        Ok(self.store.table(&self.definition.store_table)?)
    }

    /// Opens a statement that does not read the table.
    pub(super) fn begin_blind(&self) -> Result<Statement> {
        Ok(self.table()?.statement(StatementOptions::default())?)
    }

    /// Opens a statement that reads the table: no other one writes it until this one ends.
    pub(super) fn begin_reading(&self) -> Result<(Statement, Arc<Version>)> {
        let table = self.table()?;
        let statement =
            table.statement(StatementOptions { exclusive: true, ..StatementOptions::default() })?;
        Ok((statement, table.version()?))
    }

    /// A scan of everything that the session sees of the table.
    pub(super) fn visible_rows(&self) -> ScanSpec {
        ScanSpec {
            columns: self.definition.mapped_columns(),
            authorizations: self.authorizations.clone(),
            ttl_ms: self.definition.properties.ttl_ms,
            now_ms: SystemClock.now_ms(),
            ..ScanSpec::default()
        }
    }

    /// Whether all cells of the store table are this table's and visible to everyone who may write it, so that
    /// forgetting its epochs is the same as deleting its rows.
    fn owns_all_cells(&self) -> bool {
        let properties = &self.definition.properties;
        matches!(self.definition.kind, TableKind::Typed { .. })
            && !self.definition.external
            && properties.visibility_label.is_none()
            && properties.visibility_columns.is_empty()
    }

    /// Makes the statement delete all rows that the session sees; gives their number where it had to look at them.
    pub(super) fn delete_all(
        &self,
        statement: &mut Statement,
        version: &Arc<Version>,
    ) -> Result<Option<u64>> {
        if self.owns_all_cells() {
            statement.replace_all()?;
            return Ok(None);
        }
        let encoder = RowEncoder::new(&self.definition, self.definition.properties.insert_mode, None)?;
        let mut scanner = Scanner::new(version, &self.visible_rows())?;
        let mut row = RowBuffer::new();
        let mut rows = 0;
        while scanner.next_row(&mut row)? {
            statement.write(encoder.deletion(row.row(), &visible_labels(&self.definition, &row)))?;
            rows += 1;
        }
        Ok(Some(rows))
    }
}
