//! The SQL catalog: which tables and views there are, kept in the store and so through restarts.
//!
//! Principal types: [`CatalogEntry`] (a table of a storage handler, a table over files, or a view) at rest under
//! `sql/table/NAME` in the store's own ordered map; [`SqlCatalog`] reads and writes them; [`TabletSchemaProvider`]
//! shows them to DataFusion as the tables of one schema. There is one schema, `public`.
//!
//! Entries are small records. Rows, and the settings by which the store reads and folds them, are the store's.

mod entry;
mod schema_provider;

pub use entry::{CatalogEntry, FileTable, HandledTable, SortOrder, ViewEntry};
pub(crate) use schema_provider::open_files;
pub use schema_provider::{OneSchemaCatalog, TabletSchemaProvider};

use std::collections::BTreeSet;
use std::sync::Arc;

use parking_lot::{Mutex, MutexGuard};

use crate::definition::TableDefinition;
use crate::error::{ErrorKind, HandlerError, Result};
use crate::store_handle::StoreHandle;

/// Where entries lie in the store's map.
const PREFIX: &str = "sql/table/";

/// The tables and views of a store. Clones share it.
#[derive(Debug, Clone)]
pub struct SqlCatalog {
    store: StoreHandle,
    /// Held by statements that look first and then write, so that two cannot create one name.
    changes: Arc<Mutex<()>>,
    /// Names that statements are about to put into the catalog.
    reserved: Arc<Mutex<BTreeSet<String>>>,
}

/// A name that one statement may create.
#[derive(Debug)]
pub(crate) struct Reservation {
    reserved: Arc<Mutex<BTreeSet<String>>>,
    name: String,
}

impl Drop for Reservation {
    fn drop(&mut self) {
        self.reserved.lock().remove(&self.name);
    }
}

impl SqlCatalog {
    /// The catalog of a store.
    pub fn new(store: StoreHandle) -> Self {
        Self { store, changes: Arc::default(), reserved: Arc::default() }
    }

    /// The store that keeps the catalog.
    pub fn store(&self) -> &StoreHandle {
        &self.store
    }

    /// Keeps other statements from making something of the same name until the reservation is dropped: a table is in
    /// the catalog only when it is whole.
    pub(crate) fn reserve(&self, name: &str) -> Result<Reservation> {
        if self.reserved.lock().insert(name.to_owned()) {
            Ok(Reservation { reserved: Arc::clone(&self.reserved), name: name.to_owned() })
        } else {
            Err(HandlerError::new(
                ErrorKind::AlreadyExists,
                format!("another statement is making {name} at this moment; try again when it has ended"),
            ))
        }
    }

    /// Keeps other changes of the catalog out until the guard is dropped.
    pub(crate) fn lock(&self) -> MutexGuard<'_, ()> {
        self.changes.lock()
    }

    /// The names of all tables and views, ascending.
    pub fn names(&self) -> Result<Vec<String>> {
        let Some(store) = self.store.existing()? else { return Ok(Vec::new()) };
        let entries = store.catalog_list(PREFIX)?;
        Ok(entries.into_iter().filter_map(|(key, _)| key.strip_prefix(PREFIX).map(str::to_owned)).collect())
    }

    /// All entries, by name.
    pub fn entries(&self) -> Result<Vec<(String, CatalogEntry)>> {
        let Some(store) = self.store.existing()? else { return Ok(Vec::new()) };
        let mut entries = Vec::new();
        for (key, value) in store.catalog_list(PREFIX)? {
            if let Some(name) = key.strip_prefix(PREFIX) {
                entries.push((name.to_owned(), CatalogEntry::from_bytes(&value)?));
            }
        }
        Ok(entries)
    }

    /// The entry of a name.
    pub fn get(&self, name: &str) -> Result<Option<CatalogEntry>> {
        let Some(store) = self.store.existing()? else { return Ok(None) };
        match store.catalog_get(&format!("{PREFIX}{name}"))? {
            Some(bytes) => CatalogEntry::from_bytes(&bytes).map(Some),
            None => Ok(None),
        }
    }

    /// The entry of a name that must be there.
    pub fn require(&self, name: &str) -> Result<CatalogEntry> {
        match self.get(name)? {
            Some(entry) => Ok(entry),
            None => Err(self.not_found(name)),
        }
    }

    /// The definition of a tablet table that must be there.
    pub fn tablet_definition(&self, name: &str) -> Result<TableDefinition> {
        match self.require(name)? {
            CatalogEntry::Handled(table) => TableDefinition::from_catalog(table.record.as_bytes()),
            CatalogEntry::File(_) => Err(HandlerError::unsupported(format!(
                "table '{name}' is kept in files, not in the tablet store"
            ))),
            CatalogEntry::View(_) => Err(HandlerError::unsupported(format!(
                "'{name}' is a view; name a table of the tablet store"
            ))),
        }
    }

    /// That there is no such table, with the name that may have been meant.
    pub fn not_found(&self, name: &str) -> HandlerError {
        let names = self.names().unwrap_or_default();
        let hint = match crate::suggest::nearest(name, names.iter().map(String::as_str)) {
            Some(near) if near.to_lowercase() == name.to_lowercase() => {
                format!("did you mean \"{near}\"? Names in mixed case are written in double quotes")
            }
            Some(near) => format!("did you mean {near}?"),
            None => "SHOW TABLES lists those that exist".to_owned(),
        };
        HandlerError::new(ErrorKind::NotFound, format!("there is no table {name}; {hint}"))
    }

    /// Writes the entry of a name, in place of another.
    pub(crate) fn put(&self, name: &str, entry: &CatalogEntry) -> Result<()> {
        self.store.create()?.catalog_put(&format!("{PREFIX}{name}"), &entry.to_bytes()?)?;
        Ok(())
    }

    /// Takes the entry of a name away.
    pub(crate) fn remove(&self, name: &str) -> Result<()> {
        if let Some(store) = self.store.existing()? {
            store.catalog_delete(&format!("{PREFIX}{name}"))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use ostracon_tablets::StoreOptions;

    use super::*;
    use crate::store_handle::DataLocation;

    #[test]
    fn entries_are_listed_by_name_and_suggested() {
        let catalog = SqlCatalog::new(StoreHandle::new(DataLocation::Memory, StoreOptions::default()));
        assert_eq!(catalog.get("events").unwrap(), None);
        let view = |query: &str| CatalogEntry::View(ViewEntry { query: query.into(), columns: Vec::new() });
        catalog.put("events", &view("SELECT 1")).unwrap();
        catalog.put("People", &view("SELECT 2")).unwrap();
        catalog.put("events", &view("SELECT 3")).unwrap();
        assert_eq!(catalog.names().unwrap(), ["People", "events"]);
        assert_eq!(catalog.require("events").unwrap(), view("SELECT 3"));
        let missing = catalog.require("evnts").unwrap_err();
        assert_eq!(missing.kind, ErrorKind::NotFound);
        assert!(missing.message.contains("did you mean events?"), "{missing}");
        assert!(catalog.require("people").unwrap_err().message.contains("\"People\""));
        catalog.remove("events").unwrap();
        assert_eq!(catalog.names().unwrap(), ["People"]);
        let mine = catalog.reserve("new").unwrap();
        assert_eq!(catalog.clone().reserve("new").unwrap_err().kind, ErrorKind::AlreadyExists);
        drop(mine);
        assert!(catalog.reserve("new").is_ok());
    }
}
