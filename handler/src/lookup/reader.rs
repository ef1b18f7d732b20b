//! [`TableReader`].

use std::sync::Arc;

use datafusion::arrow::array::{RecordBatch, UInt32Array};
use datafusion::arrow::compute::take_record_batch;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::common::ScalarValue;
use ostracon_data::{RowRange, RowRanges};
use ostracon_tablets::TabletStore;
use parking_lot::Mutex;

use super::{KeyEncoder, Row, Rows};
use crate::catalog::SqlCatalog;
use crate::definition::TableDefinition;
use crate::error::{ErrorKind, HandlerError, Result};
use crate::scan::{DirectScan, IdleScans, Wanted};
use crate::storage::SessionAccess;

/// Reads rows of one tablet table by their whole key, in the calling thread.
///
/// Each call sees every statement that was acknowledged before it, and what the session's labels allow; time to live,
/// versions and iterators of the table hold as in a query. A table that was altered, or dropped and made again, is met as
/// it is now. Readers are cheap to clone and may be used by many threads.
///
/// A key is its parts in the order of the PRIMARY KEY, of the struct that is the row id, or the one column mapped to
/// `:rowid`. Values compare as SQL's `=` does: numbers of other types by their value, a NULL or a number that the column
/// cannot hold finds nothing, a text finds no number but is an error. One thing differs: of a mapped table the row id
/// looked up is the one that the table itself would write, so that a row that something else has stored as `007` is not
/// found as `7`.
#[derive(Debug, Clone)]
pub struct TableReader {
    catalog: SqlCatalog,
    access: SessionAccess,
    idle: IdleScans,
    name: String,
    /// Names of the columns that are read; `None`: all.
    selected: Option<Arc<[String]>>,
    bound: Arc<Mutex<Arc<Bound>>>,
}

/// A reader of the table as the catalog had it at some moment.
#[derive(Debug)]
struct Bound {
    catalog_changes: u64,
    store: TabletStore,
    key: KeyEncoder,
    scan: DirectScan,
}

impl TableReader {
    /// A reader of all columns of a table.
    ///
    /// # Errors
    /// `NotFound`; `Unsupported` if the table is a view, lies in files, or has no key that a column shows.
    pub(crate) fn new(
        catalog: &SqlCatalog,
        access: &SessionAccess,
        idle: &IdleScans,
        name: &str,
    ) -> Result<Self> {
        Self::with(catalog.clone(), access.clone(), idle.clone(), name.to_owned(), None)
    }

    fn with(
        catalog: SqlCatalog,
        access: SessionAccess,
        idle: IdleScans,
        name: String,
        selected: Option<Arc<[String]>>,
    ) -> Result<Self> {
        let bound = Bound::new(&catalog, &access, &idle, &name, selected.as_deref())?;
        Ok(Self { catalog, access, idle, name, selected, bound: Arc::new(Mutex::new(Arc::new(bound))) })
    }

    /// The same reader of some columns only, in the order given.
    ///
    /// # Errors
    /// `Invalid` if the table has no such column.
    pub fn select(&self, columns: &[&str]) -> Result<Self> {
        let selected = columns.iter().map(|column| (*column).to_owned()).collect();
        Self::with(
            self.catalog.clone(),
            self.access.clone(),
            self.idle.clone(),
            self.name.clone(),
            Some(selected),
        )
    }

    /// The columns that are read.
    ///
    /// # Errors
    /// `NotFound` if the table was dropped.
    pub fn schema(&self) -> Result<SchemaRef> {
        Ok(Arc::clone(self.current()?.scan.schema()))
    }

    /// The row of a key, if there is one that the session sees.
    ///
    /// # Errors
    /// `Invalid` if the values are no key of the table, or the row holds a bad value; `NotFound` if the table was dropped;
    /// what the store reports.
    pub fn get(&self, key: &[ScalarValue]) -> Result<Option<Row>> {
        let bound = self.current()?;
        let mut row = Vec::new();
        if !bound.key.encode(key, &mut row)? {
            return Ok(None);
        }
        let ranges = RowRanges::point(row);
        let wanted =
            Wanted { ranges: &ranges, filter: None, reverse: false, limit: usize::MAX, byte_limit: None };
        let batch = bound.scan.read(&bound.store, wanted)?;
        Ok(batch.filter(|batch| batch.num_rows() > 0).map(Row::new))
    }

    /// The rows of many keys, as one state of the table has them. They are read in the order of the keys, whatever that of
    /// the list, so that rows that lie together are found together.
    ///
    /// # Errors
    /// As [`get`](Self::get); there is no answer then.
    pub fn multi_get(&self, keys: &[impl AsRef<[ScalarValue]>]) -> Result<Rows> {
        let bound = self.current()?;
        let mut asked: Vec<(Vec<u8>, usize)> = Vec::with_capacity(keys.len());
        for (position, key) in keys.iter().enumerate() {
            let mut row = Vec::new();
            if bound.key.encode(key.as_ref(), &mut row)? {
                asked.push((row, position));
            }
        }
        asked.sort_unstable();
        let points = asked.chunk_by(|a, b| a.0 == b.0).filter_map(|same| same.first());
        let ranges = RowRanges::Set(points.map(|(row, _)| RowRange::point(row.as_slice())).collect());
        // Position of a key, and the row of the batch that it found.
        let mut found: Vec<(usize, u32)> = Vec::with_capacity(asked.len());
        let mut rows = 0;
        let mut waiting = asked.iter().peekable();
        let batch = bound.scan.read_rows(&bound.store, &ranges, |row| {
            while waiting.next_if(|(wanted, _)| wanted.as_slice() < row).is_some() {}
            while let Some((_, position)) = waiting.next_if(|(wanted, _)| wanted == row) {
                found.push((*position, rows));
            }
            rows += 1;
        })?;
        Self::in_order(&batch, found)
    }

    /// Puts rows that were read in the order of row ids into the order of the keys.
    fn in_order(batch: &RecordBatch, mut found: Vec<(usize, u32)>) -> Result<Rows> {
        found.sort_unstable();
        let as_read = found.len() == batch.num_rows() && found.iter().map(|(_, row)| *row).eq(0..);
        let batch = if as_read {
            batch.clone()
        } else {
            take_record_batch(batch, &UInt32Array::from_iter_values(found.iter().map(|(_, row)| *row)))?
        };
        Ok(Rows { batch, keys: found.into_iter().map(|(position, _)| position).collect() })
    }

    /// What to read with: what was made before, unless the catalog has changed since.
    fn current(&self) -> Result<Arc<Bound>> {
        let bound = Arc::clone(&self.bound.lock());
        if bound.store.catalog_changes() == bound.catalog_changes {
            return Ok(bound);
        }
        let selected = self.selected.as_deref();
        let new = Arc::new(Bound::new(&self.catalog, &self.access, &self.idle, &self.name, selected)?);
        *self.bound.lock() = Arc::clone(&new);
        Ok(new)
    }
}

impl Bound {
    fn new(
        catalog: &SqlCatalog,
        access: &SessionAccess,
        idle: &IdleScans,
        name: &str,
        selected: Option<&[String]>,
    ) -> Result<Self> {
        let Some(store) = catalog.store().existing()? else { return Err(catalog.not_found(name)) };
        let catalog_changes = store.catalog_changes();
        let definition = Arc::new(catalog.tablet_definition(name)?);
        let columns = match selected {
            None => (0..definition.columns.len()).collect(),
            Some(selected) => selected
                .iter()
                .map(|column| definition.column_index(column).ok_or_else(|| no_column(&definition, column)))
                .collect::<Result<Vec<_>>>()?,
        };
        let key = KeyEncoder::new(&definition)?;
        let authorizations = access.authorizations_of(&definition);
        let scan = DirectScan::new(definition, authorizations, columns, None, idle.clone())?;
        Ok(Self { catalog_changes, store, key, scan })
    }
}

fn no_column(table: &TableDefinition, name: &str) -> HandlerError {
    let names = table.columns.iter().map(|column| column.name.as_str());
    let hint = match crate::suggest::nearest(name, names.clone()) {
        Some(near) => format!("did you mean {near}?"),
        None => format!("it has {}", names.collect::<Vec<_>>().join(", ")),
    };
    HandlerError::new(ErrorKind::Invalid, format!("table {} has no column {name}; {hint}", table.name))
}
