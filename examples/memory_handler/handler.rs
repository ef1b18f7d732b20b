//! A storage handler of one's own: tables that live in memory and end with the process.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use datafusion::arrow::datatypes::{Field, Schema, SchemaRef};
use datafusion::catalog::TableProvider;
use datafusion::datasource::MemTable;
use ostracon::handler::catalog::HandledTable;
use ostracon::handler::definition::ColumnSpec;
use ostracon::handler::storage::{
    CreateRequest, DescribedColumn, SessionAccess, StorageHandler, TableDescription,
};
use ostracon::{Error, Result};

/// Keeps rows in DataFusion's `MemTable`s. `CREATE TABLE t (...) STORED AS MEMORY` finds it.
#[derive(Debug, Default)]
pub(crate) struct MemoryHandler {
    tables: Mutex<HashMap<String, Arc<MemTable>>>,
}

impl MemoryHandler {
    /// The rows of a table. The catalog outlives the process and the rows do not: then the table is empty.
    fn rows(&self, table: &HandledTable) -> Result<Arc<MemTable>> {
        let mut tables = self.tables.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(rows) = tables.get(&table.name) {
            return Ok(Arc::clone(rows));
        }
        let rows = Arc::new(MemTable::try_new(schema_of(&columns_of(table)?), vec![vec![]])?);
        tables.insert(table.name.clone(), Arc::clone(&rows));
        Ok(rows)
    }
}

/// The handler's record in the catalog: a line a column, name and Arrow type.
fn record_of(columns: &[ColumnSpec]) -> String {
    let lines: Vec<String> = columns
        .iter()
        .map(|column| format!("{}\t{}\t{}", column.name, column.data_type, column.nullable))
        .collect();
    lines.join("\n")
}

fn columns_of(table: &HandledTable) -> Result<Vec<ColumnSpec>> {
    table
        .record
        .lines()
        .map(|line| {
            let damaged = || Error::corrupt(format!("the record of table {} cannot be read", table.name));
            let mut parts = line.split('\t');
            let (Some(name), Some(data_type), Some(nullable)) = (parts.next(), parts.next(), parts.next())
            else {
                return Err(damaged());
            };
            let column = ColumnSpec::new(name, data_type.parse().map_err(|_| damaged())?);
            Ok(if nullable == "true" { column } else { column.not_null() })
        })
        .collect()
}

/// Whether NULL may be written is checked by nobody here, so it is not promised either.
fn schema_of(columns: &[ColumnSpec]) -> SchemaRef {
    let fields = columns.iter().map(|column| Field::new(&column.name, column.data_type.clone(), true));
    Arc::new(Schema::new(fields.collect::<Vec<_>>()))
}

fn refuse(properties: &[(String, String)]) -> Result<()> {
    match properties.first() {
        None => Ok(()),
        Some((key, _)) => Err(Error::invalid(format!("tables in memory have no property '{key}'"))),
    }
}

impl StorageHandler for MemoryHandler {
    fn names(&self) -> &[&'static str] {
        &["MEMORY"]
    }

    fn pre_create(&self, request: &CreateRequest) -> Result<HandledTable> {
        refuse(&request.properties)?;
        Ok(HandledTable {
            name: request.name.clone(),
            handler: "MEMORY".to_owned(),
            external: request.external,
            record: record_of(&request.columns),
        })
    }

    fn commit_create(&self, _table: &HandledTable) -> Result<()> {
        Ok(())
    }

    fn rollback_create(&self, table: &HandledTable) -> Result<()> {
        self.commit_drop(table)
    }

    fn pre_drop(&self, _table: &HandledTable) -> Result<()> {
        Ok(())
    }

    fn commit_drop(&self, table: &HandledTable) -> Result<()> {
        self.tables.lock().unwrap_or_else(PoisonError::into_inner).remove(&table.name);
        Ok(())
    }

    fn alter_properties(
        &self,
        table: &HandledTable,
        set: &[(String, String)],
        _unset: &[String],
    ) -> Result<HandledTable> {
        refuse(set)?;
        Ok(table.clone())
    }

    fn describe(&self, table: &HandledTable) -> Result<TableDescription> {
        let column = |spec| DescribedColumn { spec, stored_as: "memory".to_owned() };
        Ok(TableDescription {
            columns: columns_of(table)?.into_iter().map(column).collect(),
            primary_key: Vec::new(),
            properties: Vec::new(),
        })
    }

    fn source(&self, table: &HandledTable, _access: &SessionAccess) -> Result<Arc<dyn TableProvider>> {
        Ok(self.rows(table)?)
    }
}
