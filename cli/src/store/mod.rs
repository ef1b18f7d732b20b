//! `ostracon store`: looking into the store and looking after it.
//!
//! [`key::KeyReader`] turns the keys that people type into rows, [`scan`] prints rows and cells between them,
//! [`report`] builds the small tables of `tablets`, `du` and `check`.

mod key;
mod report;
mod scan;

use ostracon::Session;
use ostracon_handler::ErrorKind;
use ostracon_handler::catalog::CatalogEntry;
use ostracon_handler::definition::TableDefinition;
use ostracon_tablets::TabletStore;

use self::key::KeyReader;
use crate::args::StoreCommand;
use crate::error::{CliError, Result};
use crate::format::Format;
use crate::runner::open_session;
use crate::settings::StoreSettings;
use crate::terminal::tell;

/// Runs one of the tools.
pub(crate) async fn run(settings: &StoreSettings, command: StoreCommand, format: Format) -> Result<()> {
    let session = open_session(settings)?;
    let Some(store) = session.store().existing()? else {
        return absent(settings, &command);
    };
    // The store's calls block; nothing else runs in this process meanwhile.
    tokio::task::block_in_place(|| Tools { session, store, format }.run(command))
}

/// A store that nobody has written to yet: there is nothing to flush or check, and no table to name.
fn absent(settings: &StoreSettings, command: &StoreCommand) -> Result<()> {
    let names_table = match command {
        StoreCommand::Scan { table, .. }
        | StoreCommand::Split { table, .. }
        | StoreCommand::Merge { table, .. } => Some(table),
        StoreCommand::Flush { tables }
        | StoreCommand::Compact { tables }
        | StoreCommand::Tablets { tables }
        | StoreCommand::Du { tables } => tables.first(),
        StoreCommand::Check => None,
    };
    let folder =
        settings.folder.as_ref().map_or_else(|| ":memory:".to_owned(), |path| path.display().to_string());
    match names_table {
        Some(table) => Err(CliError::new(
            ErrorKind::NotFound,
            format!("there is no table {table}: there is no store in {folder}"),
        )),
        None => {
            tell(&format!("there is no store in {folder} yet\n"));
            Ok(())
        }
    }
}

/// A table as the tools see it.
struct StoreTable {
    /// Its name in the store.
    store_table: String,
    /// What SQL knows of it.
    definition: Option<TableDefinition>,
}

struct Tools {
    session: Session,
    store: TabletStore,
    format: Format,
}

impl Tools {
    fn run(&self, command: StoreCommand) -> Result<()> {
        match command {
            StoreCommand::Scan { table, begin, end, raw } => {
                let table = self.table(&table)?;
                let range = table.keys().range(begin.as_deref(), end.as_deref())?;
                match (&table.definition, raw) {
                    (Some(definition), false) => {
                        scan::rows(&self.session, &self.store, definition, range, self.format)
                    }
                    _ => scan::cells(&self.session, &self.store, &table.store_table, range, self.format),
                }
            }
            StoreCommand::Flush { tables } => self.each(&tables, |table| {
                Ok(self.store.flush(table).map_err(ostracon_handler::HandlerError::from)?)
            }),
            StoreCommand::Compact { tables } => self.each(&tables, |table| {
                Ok(self.store.compact(table).map_err(ostracon_handler::HandlerError::from)?)
            }),
            StoreCommand::Split { table, keys } => {
                let table = self.table(&table)?;
                let reader = table.keys();
                let points = keys.iter().map(|key| Ok(reader.read(key)?.row)).collect::<Result<Vec<_>>>()?;
                self.store.split(&table.store_table, points).map_err(ostracon_handler::HandlerError::from)?;
                Ok(())
            }
            StoreCommand::Merge { table, begin, end } => {
                let table = self.table(&table)?;
                let reader = table.keys();
                let row = |key: Option<String>| key.map(|key| Ok(reader.read(&key)?.row)).transpose();
                let (begin, end): (Result<_>, Result<_>) = (row(begin), row(end));
                let merged = self.store.merge(&table.store_table, begin?.as_deref(), end?.as_deref());
                merged.map_err(ostracon_handler::HandlerError::from)?;
                Ok(())
            }
            StoreCommand::Tablets { tables } => {
                report::tablets(&self.store, &self.named(&tables)?, self.format)
            }
            StoreCommand::Du { tables } => report::du(&self.store, &self.named(&tables)?, self.format),
            StoreCommand::Check => report::check(&self.store, self.format),
        }
    }

    /// Does something to the named tables, or once to all.
    fn each(&self, tables: &[String], act: impl Fn(Option<&str>) -> Result<()>) -> Result<()> {
        if tables.is_empty() {
            return act(None);
        }
        for table in tables {
            act(Some(&self.table(table)?.store_table))?;
        }
        Ok(())
    }

    /// The store's names of the named tables, or of all.
    fn named(&self, tables: &[String]) -> Result<Vec<String>> {
        match tables.is_empty() {
            true => Ok(self.store.table_names()),
            false => tables.iter().map(|table| Ok(self.table(table)?.store_table)).collect(),
        }
    }

    /// A table by its SQL name or, where SQL knows none, by the store's.
    fn table(&self, name: &str) -> Result<StoreTable> {
        let catalog = self.session.catalog();
        // SQL folds names that stand without quotes; a shell has no quotes to tell by.
        let folded = name.to_lowercase();
        let name = if catalog.get(name)?.is_none() && catalog.get(&folded)?.is_some() {
            folded.as_str()
        } else {
            name
        };
        match catalog.get(name)? {
            Some(CatalogEntry::Handled(_)) => {
                let definition = catalog.tablet_definition(name)?;
                Ok(StoreTable { store_table: definition.store_table.clone(), definition: Some(definition) })
            }
            None if self.store.table_exists(name) => {
                Ok(StoreTable { store_table: name.to_owned(), definition: None })
            }
            _ => Err(catalog.tablet_definition(name).map_or_else(CliError::from, |_| {
                CliError::new(ErrorKind::NotFound, format!("there is no table {name} in the store"))
            })),
        }
    }
}

impl StoreTable {
    fn keys(&self) -> KeyReader {
        match &self.definition {
            Some(definition) => KeyReader::of(definition),
            None => KeyReader::bytes(&self.store_table),
        }
    }
}
