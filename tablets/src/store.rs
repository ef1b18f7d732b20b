//! The store: its tables by name, the catalog of the upper layers, and what must never repeat.
//!
//! [`TabletStore`] is a handle; clones share one open store, which closes when the last handle, [`Table`], version
//! or scan is gone. Opening brings the store to the state of its last acknowledged commit (see `load`).

mod load;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::ops::Deref;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use ostracon_data::TableId;
use parking_lot::{Mutex, RwLock};
use rocksdb::WriteBatch;

use crate::background::{Background, CompactionStatistics};
use crate::clock::Clock;
use crate::directory::{Directory, TableState};
use crate::engine::Engine;
use crate::keys;
use crate::options::{Durability, StoreOptions, TableSettings};
use crate::sequencer::Sequencer;
use crate::sources::{Epoch, Source};
use crate::table::Table;
use crate::{Error, Result};

/// Longest name of a table, in bytes.
const MAX_NAME: usize = 1024;

/// How many row ids are reserved in the store at once.
const ROW_ID_RESERVE: u64 = 1 << 16;

/// An open store. Clones are handles to the same one.
#[derive(Debug, Clone)]
pub struct TabletStore {
    pub(crate) inner: Arc<StoreInner>,
}

/// A store as those who use it hold it, together: with the last of them the thread in the background ends, and then the
/// store is closed.
#[derive(Debug)]
pub(crate) struct StoreInner {
    shared: Arc<Shared>,
    /// None in the handle that the thread itself has.
    background: Option<Background>,
}

impl Deref for StoreInner {
    type Target = Shared;

    fn deref(&self) -> &Shared {
        &self.shared
    }
}

#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) engine: Arc<Engine>,
    pub(crate) options: StoreOptions,
    pub(crate) sequencer: Sequencer,
    pub(crate) tables: RwLock<BTreeMap<String, Arc<TableState>>>,
    /// Held while tables are created or dropped.
    ddl: Mutex<()>,
    row_ids: Mutex<Reserved>,
    /// How often the catalog of the upper layers was changed since the store was opened.
    catalog_changes: AtomicU64,
}

/// Numbers of which the store has reserved those below `ceiling`.
#[derive(Debug)]
struct Reserved {
    next: u64,
    ceiling: u64,
}

impl TabletStore {
    /// Opens the store in a folder, and makes both if the options say so and there is none.
    ///
    /// # Errors
    /// [`Error::Locked`] if it is open elsewhere, [`Error::StoreNotFound`], [`Error::NotAStore`] if the folder holds
    /// other things, [`Error::NewerFormat`], or what RocksDB reports.
    pub fn open(path: impl AsRef<Path>, options: StoreOptions) -> Result<Self> {
        let engine = Engine::open(path.as_ref(), &options)?;
        Self::start(engine, options)
    }

    /// Makes a store that lives in memory and ends with its last handle.
    ///
    /// # Errors
    /// What RocksDB reports.
    pub fn in_memory(options: StoreOptions) -> Result<Self> {
        let options = StoreOptions { create: true, ..options };
        let engine = Engine::in_memory(&options)?;
        Self::start(engine, options)
    }

    fn start(engine: Engine, options: StoreOptions) -> Result<Self> {
        let engine = Arc::new(engine);
        load::check_format(&engine)?;
        let unused = load::delete_unused(&engine)?;
        let tables = load::tables(&engine, &unused)?;
        let sequencer =
            Sequencer::new(read_ceiling(&engine, keys::SEQUENCE_CEILING)?.max(1), options.clock.clone());
        let row_id = read_ceiling(&engine, keys::ROW_ID_CEILING)?.max(1);
        let shared = Arc::new(Shared {
            engine,
            options,
            sequencer,
            tables: RwLock::new(tables),
            ddl: Mutex::default(),
            row_ids: Mutex::new(Reserved { next: row_id, ceiling: row_id }),
            catalog_changes: AtomicU64::default(),
        });
        let background = match &shared.options.background {
            Some(settings) => {
                let store = StoreInner { shared: Arc::clone(&shared), background: None };
                Some(Background::start(store, settings)?)
            }
            None => None,
        };
        Ok(Self { inner: Arc::new(StoreInner { shared, background }) })
    }

    /// The clock that gives commits their time; scans of tables whose cells expire should use it too.
    pub fn clock(&self) -> &Arc<dyn Clock> {
        &self.inner.options.clock
    }

    /// The folder of the store; `None` if it lives in memory.
    pub fn folder(&self) -> Option<&Path> {
        self.inner.engine.folder()
    }

    /// Creates an empty table of one tablet.
    ///
    /// # Errors
    /// [`Error::TableExists`], [`Error::Invalid`] for a bad name or setting, or what the disk reports.
    pub fn create_table(&self, name: &str, settings: TableSettings) -> Result<Table> {
        let inner = &self.inner;
        if name.is_empty() || name.len() > MAX_NAME {
            return Err(Error::invalid(
                "table name",
                format!("must have 1 to {MAX_NAME} bytes, not {}", name.len()),
            ));
        }
        settings.check(&inner.options.iterators)?;
        let _ddl = inner.ddl.lock();
        if inner.tables.read().contains_key(name) {
            return Err(Error::TableExists { name: name.to_owned() });
        }
        let id = read_ceiling(&inner.engine, keys::TABLE_ID_CEILING)?.max(1);
        let table = u32::try_from(id).map(TableId).map_err(|_| Error::TooLarge {
            what: "table id".to_owned(),
            found: id,
            limit: u32::MAX.into(),
        })?;
        const FIRST_EPOCH: u64 = 1;
        const FIRST_SEGMENT: u64 = 1;
        let first = crate::wire::records::EpochRecord { id: FIRST_EPOCH, fragments: 0, bytes: 0 };
        let epoch = Epoch::recorded(&inner.engine, table, &first, true);
        epoch.look()?;
        let directory = Directory {
            settings: Arc::new(settings),
            splits: Arc::default(),
            sources: vec![Source::Fragments(Arc::new(epoch))],
        };
        let state = TableState::new(table, name.to_owned(), directory, (FIRST_EPOCH + 1, FIRST_SEGMENT));
        let mut batch = WriteBatch::default();
        batch.put(keys::TABLE_ID_CEILING, (id + 1).to_be_bytes());
        batch.put(keys::table_key(table), state.record(&state.directory()).to_bytes()?);
        inner.engine.fail_points.reach("create table")?;
        inner.engine.write(batch, inner.record_durability())?;
        let state = Arc::new(state);
        inner.tables.write().insert(name.to_owned(), Arc::clone(&state));
        Ok(Table::new(Arc::clone(inner), state))
    }

    /// The table of that name.
    ///
    /// # Errors
    /// [`Error::TableNotFound`].
    pub fn table(&self, name: &str) -> Result<Table> {
        let state = self.inner.tables.read().get(name).cloned();
        let state = state.ok_or_else(|| Error::TableNotFound { name: name.to_owned() })?;
        Ok(Table::new(Arc::clone(&self.inner), state))
    }

    /// Whether there is a table of that name.
    pub fn table_exists(&self, name: &str) -> bool {
        self.inner.tables.read().contains_key(name)
    }

    /// The names of all tables, ascending.
    pub fn table_names(&self) -> Vec<String> {
        self.inner.tables.read().keys().cloned().collect()
    }

    /// Drops a table and its rows. Waits for statements that are writing it; scans that hold a version go on.
    ///
    /// # Errors
    /// [`Error::TableNotFound`], or what the disk reports.
    pub fn drop_table(&self, name: &str) -> Result<()> {
        let table = self.table(name)?;
        let _exclusive = table.state.lock.exclusive();
        let _ddl = self.inner.ddl.lock();
        table.state.remove(&self.inner.engine, self.inner.record_durability())?;
        self.inner.tables.write().remove(name);
        Ok(())
    }

    /// Replaces a table's settings. Rows stay as they are; the next compaction applies the settings to them.
    ///
    /// # Errors
    /// [`Error::TableNotFound`], [`Error::Invalid`] for a bad setting, or what the disk reports.
    pub fn alter_table(&self, name: &str, settings: TableSettings) -> Result<()> {
        settings.check(&self.inner.options.iterators)?;
        let table = self.table(name)?;
        let change = |current: &Directory, _: &mut WriteBatch| {
            Ok(Some(Directory { settings: Arc::new(settings), ..current.clone() }))
        };
        table.state.publish(&self.inner.engine, self.inner.record_durability(), change, || ())?;
        Ok(())
    }

    /// Removes all rows of a table, atomically. Split points and settings stay.
    ///
    /// # Errors
    /// [`Error::TableNotFound`], or what the disk reports.
    pub fn truncate(&self, name: &str) -> Result<()> {
        let mut statement = self.table(name)?.statement(crate::StatementOptions::default())?;
        statement.replace_all()?;
        statement.commit()?;
        Ok(())
    }

    /// A record of the upper layers' catalog.
    ///
    /// # Errors
    /// What the disk reports.
    pub fn catalog_get(&self, key: &str) -> Result<Option<Vec<u8>>> {
        self.inner.engine.get(&keys::catalog_key(key))
    }

    /// Writes a record of the upper layers' catalog.
    ///
    /// # Errors
    /// What the disk reports; the record is then as it was.
    pub fn catalog_put(&self, key: &str, value: &[u8]) -> Result<()> {
        let mut batch = WriteBatch::default();
        batch.put(keys::catalog_key(key), value);
        self.inner.engine.fail_points.reach("catalog put")?;
        self.inner.write_catalog(batch)
    }

    /// Deletes a record of the upper layers' catalog, if there is one.
    ///
    /// # Errors
    /// What the disk reports; the record is then as it was.
    pub fn catalog_delete(&self, key: &str) -> Result<()> {
        let mut batch = WriteBatch::default();
        batch.delete(keys::catalog_key(key));
        self.inner.engine.fail_points.reach("catalog delete")?;
        self.inner.write_catalog(batch)
    }

    /// A number that changes whenever a record of the upper layers' catalog does: what was made of records read after
    /// this was asked is good for as long as it stays.
    pub fn catalog_changes(&self) -> u64 {
        self.inner.catalog_changes.load(Ordering::Acquire)
    }

    /// The records of the upper layers' catalog whose key starts with `prefix`, ascending.
    ///
    /// # Errors
    /// What the disk reports.
    pub fn catalog_list(&self, prefix: &str) -> Result<Vec<(String, Vec<u8>)>> {
        let mut records = Vec::new();
        self.inner.engine.each(&keys::catalog_key(prefix), |key, value| {
            let name = key.get(keys::CATALOG_PREFIX.len()..).unwrap_or_default();
            let name = std::str::from_utf8(name)
                .map_err(|error| Error::corrupt("key of a catalog record", error.to_string()))?;
            records.push((name.to_owned(), value.to_vec()));
            Ok(())
        })?;
        Ok(records)
    }

    /// The first of `n` numbers that were never given before and are greater than all that were. Gaps occur.
    ///
    /// # Errors
    /// What the disk reports, or [`Error::TooLarge`] when the numbers run out.
    pub fn allocate_row_ids(&self, n: u64) -> Result<u64> {
        let mut ids = self.inner.row_ids.lock();
        let too_large = || Error::TooLarge { what: "row id".to_owned(), found: u64::MAX, limit: u64::MAX };
        let next = ids.next.checked_add(n).ok_or_else(too_large)?;
        if next > ids.ceiling {
            let ceiling = next.checked_add(ROW_ID_RESERVE).ok_or_else(too_large)?;
            self.inner.raise_ceiling(keys::ROW_ID_CEILING, ceiling)?;
            ids.ceiling = ceiling;
        }
        Ok(std::mem::replace(&mut ids.next, next))
    }
}

impl StoreInner {
    /// Lets a statement of a table begin, at once unless compaction must catch up. The caller holds no lock of the table.
    pub(crate) fn admit(&self, state: &TableState) {
        if let Some(background) = &self.background {
            background.admit(state);
        }
    }

    /// What was compacted in the background; nothing if that is off.
    pub(crate) fn compaction_statistics(&self) -> CompactionStatistics {
        self.background.as_ref().map(Background::statistics).unwrap_or_default()
    }
}

impl Shared {
    /// Of directories and catalog records. They are logged whatever the store's default is: rows that were logged are
    /// lost without them.
    pub(crate) fn record_durability(&self) -> Durability {
        self.options.durability.max(Durability::Log)
    }

    fn write_catalog(&self, batch: WriteBatch) -> Result<()> {
        let written = self.engine.write(batch, self.record_durability());
        // Whatever became of it: who asks in vain reads once more.
        self.catalog_changes.fetch_add(1, Ordering::Release);
        written
    }

    /// Records that numbers below `ceiling` may have been handed out. The log keeps the order of writes, so whatever
    /// uses such a number is at least as likely to be lost as this record.
    fn raise_ceiling(&self, key: &[u8], ceiling: u64) -> Result<()> {
        let mut batch = WriteBatch::default();
        batch.put(key, ceiling.to_be_bytes());
        self.engine.write(batch, Durability::Log)
    }

    pub(crate) fn raise_sequence_ceiling(&self, ceiling: u64) -> Result<()> {
        self.raise_ceiling(keys::SEQUENCE_CEILING, ceiling)
    }
}

fn read_ceiling(engine: &Engine, key: &[u8]) -> Result<u64> {
    let Some(value) = engine.get(key)? else { return Ok(0) };
    let bytes = value.try_into();
    bytes
        .map(u64::from_be_bytes)
        .map_err(|_| Error::corrupt("record of a ceiling", "it does not have eight bytes"))
}
