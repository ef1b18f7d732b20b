//! CREATE, DROP, ALTER, SHOW and DESCRIBE: what changes or tells the catalog.
//!
//! A [`Ddl`] is made per statement from the session's parts. Each change looks and writes under the catalog's lock, so
//! that of two statements that create one name one fails; a table is seen by others only when it is whole.

mod create;
mod files;
mod show;

use datafusion::common::TableReference;

use crate::catalog::{CatalogEntry, SqlCatalog};
use crate::definition::ColumnChange;
use crate::error::{ErrorKind, HandlerError, Result};
use crate::statement::{AlterColumns, AlterProperties, Drop};
use crate::storage::{SessionAccess, StorageHandlerRegistry};

pub(crate) use create::create_table_of_factory;

/// The one schema.
pub const SCHEMA: &str = "public";

/// The catalog statements of a session.
#[derive(Debug, Clone)]
pub struct Ddl {
    pub(crate) catalog: SqlCatalog,
    pub(crate) handlers: StorageHandlerRegistry,
    pub(crate) access: SessionAccess,
}

impl Ddl {
    /// Drops tables or views: all that are named, or none.
    pub fn drop(&self, statement: &Drop) -> Result<()> {
        let _lock = self.catalog.lock();
        let mut found = Vec::new();
        for (reference, position) in &statement.names {
            let name = local_name(reference).map_err(|error| error.at(*position))?;
            match self.catalog.get(&name)? {
                None if statement.if_exists => {}
                None => return Err(self.catalog.not_found(&name).at(*position)),
                Some(CatalogEntry::View(_)) if !statement.view => {
                    return Err(
                        HandlerError::invalid(format!("{name} is a view; use DROP VIEW")).at(*position)
                    );
                }
                Some(CatalogEntry::Handled(_) | CatalogEntry::File(_)) if statement.view => {
                    return Err(
                        HandlerError::invalid(format!("{name} is a table; use DROP TABLE")).at(*position)
                    );
                }
                Some(_) => found.push(name),
            }
        }
        for name in found {
            drop_entry(&self.catalog, &self.handlers, &name)?;
        }
        Ok(())
    }

    /// Sets and takes away properties of a table; gives warnings for the user.
    pub fn alter(&self, statement: &AlterProperties) -> Result<Vec<String>> {
        let _lock = self.catalog.lock();
        let name = local_name(&statement.table).map_err(|error| error.at(statement.position))?;
        let table = match self.catalog.get(&name)? {
            Some(CatalogEntry::Handled(table)) => table,
            Some(_) => {
                let message = format!("{name} is no table of a storage handler and has no properties to set");
                return Err(HandlerError::unsupported(message).at(statement.position));
            }
            None if statement.if_exists => return Ok(Vec::new()),
            None => return Err(self.catalog.not_found(&name).at(statement.position)),
        };
        let handler = self.handlers.require(&table.handler)?;
        let set: Vec<(String, String)> =
            statement.set.iter().map(|property| (property.key.clone(), property.value.clone())).collect();
        let altered = handler.alter_properties(&table, &set, &statement.unset).map_err(|error| {
            match statement.set.first() {
                Some(first) if error.position.is_none() => error.at(first.position),
                _ => error,
            }
        })?;
        let warnings = handler.warnings(&altered)?;
        self.catalog.put(&name, &CatalogEntry::Handled(altered))?;
        Ok(warnings)
    }
}

impl Ddl {
    /// Adds, drops or renames a column of a table.
    pub fn alter_columns(&self, statement: &AlterColumns) -> Result<()> {
        let _lock = self.catalog.lock();
        let name = local_name(&statement.table).map_err(|error| error.at(statement.position))?;
        let table = match self.catalog.get(&name)? {
            Some(CatalogEntry::Handled(table)) => table,
            Some(_) => {
                let message =
                    format!("{name} is no table of a storage handler; its columns cannot be altered");
                return Err(HandlerError::unsupported(message).at(statement.position));
            }
            None if statement.if_exists => return Ok(()),
            None => return Err(self.catalog.not_found(&name).at(statement.position)),
        };
        let handler = self.handlers.require(&table.handler)?;
        let needless = match &statement.change {
            ColumnChange::Add(_) => ErrorKind::AlreadyExists,
            ColumnChange::Drop(_) | ColumnChange::Rename { .. } => ErrorKind::NotFound,
        };
        match handler.alter_columns(&table, &statement.change) {
            Ok(altered) => self.catalog.put(&name, &CatalogEntry::Handled(altered)),
            Err(error) if statement.lenient && error.kind == needless => Ok(()),
            Err(error) => Err(error.at(statement.column)),
        }
    }
}

/// Drops an entry of the catalog and, unless it is to be kept, what stands behind it.
pub(crate) fn drop_entry(catalog: &SqlCatalog, handlers: &StorageHandlerRegistry, name: &str) -> Result<()> {
    match catalog.require(name)? {
        CatalogEntry::Handled(table) => {
            let handler = handlers.require(&table.handler)?;
            handler.pre_drop(&table)?;
            catalog.remove(name)?;
            handler.commit_drop(&table)
        }
        CatalogEntry::File(_) | CatalogEntry::View(_) => catalog.remove(name),
    }
}

/// The bare name of a table; there is one schema.
pub(crate) fn local_name(reference: &TableReference) -> Result<String> {
    match reference.schema() {
        Some(schema) if schema != SCHEMA => Err(HandlerError::new(
            ErrorKind::NotFound,
            format!("there is no schema {schema}; all tables are in {SCHEMA}"),
        )),
        _ => Ok(reference.table().to_owned()),
    }
}

/// Fails if a name is taken.
pub(crate) fn refuse_taken(catalog: &SqlCatalog, name: &str) -> Result<()> {
    match catalog.get(name)? {
        None => Ok(()),
        Some(entry) => {
            let what = if matches!(entry, CatalogEntry::View(_)) { "view" } else { "table" };
            Err(HandlerError::new(
                ErrorKind::AlreadyExists,
                format!("{what} {name} already exists; choose another name, or DROP it first"),
            ))
        }
    }
}
