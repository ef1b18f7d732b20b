//! [`TabletStorageHandler`]: tables of the tablet store.

use std::sync::Arc;

use datafusion::catalog::TableProvider;
use datafusion::logical_expr::Expr;
use ostracon_tablets::TabletStore;

use super::settings::{merged_settings, settings_of};
use super::{CreateRequest, DescribedColumn, SessionAccess, StorageHandler, TableDescription};
use crate::catalog::{CatalogEntry, HandledTable, SqlCatalog};
use crate::definition::{ColumnChange, ColumnSpec, TableDefinition};
use crate::error::{ErrorKind, HandlerError, Result};
use crate::mapping::ColumnTarget;
use crate::predicate::{DecomposedPredicate, PushdownSettings, decompose};
use crate::properties::TableProperties;
use crate::provider::TabletTableProvider;

/// The first name is the catalog's; the classes are those of Hive's handlers and of the one this grew from.
const NAMES: [&str; 4] = [
    "TABLET",
    "org.apache.hadoop.hive.accumulo.AccumuloStorageHandler",
    "org.apache.hadoop.hive.hbase.HBaseStorageHandler",
    "org.apache.accumulo.storagehandler.AccumuloStorageHandler",
];

/// Keeps tables in the tablet store: typed ones by their primary key, mapped ones by `columns.mapping`.
#[derive(Debug, Clone)]
pub struct TabletStorageHandler {
    catalog: SqlCatalog,
}

impl TabletStorageHandler {
    /// The handler over the store of a catalog.
    pub fn new(catalog: SqlCatalog) -> Self {
        Self { catalog }
    }

    fn definition(table: &HandledTable) -> Result<TableDefinition> {
        TableDefinition::from_catalog(table.record.as_bytes())
    }

    fn handled(definition: &TableDefinition) -> Result<HandledTable> {
        let record = String::from_utf8(definition.to_catalog()?)
            .map_err(|error| HandlerError::internal("a table's record is no text").with_source(error))?;
        Ok(HandledTable {
            name: definition.name.clone(),
            handler: NAMES.first().copied().unwrap_or_default().to_owned(),
            external: definition.external,
            record,
        })
    }

    /// The tables of the catalog that read the store table.
    fn users_of(&self, store_table: &str) -> Result<Vec<String>> {
        let mut users = Vec::new();
        for (name, entry) in self.catalog.entries()? {
            if let CatalogEntry::Handled(table) = entry
                && table.handler == NAMES.first().copied().unwrap_or_default()
                && Self::definition(&table)?.store_table == store_table
            {
                users.push(name);
            }
        }
        Ok(users)
    }

    /// Makes the store table, or attaches to it. An external table may stand over cells that are there already; a
    /// table that owns its cells may not find any.
    fn attach(&self, store: &TabletStore, definition: &TableDefinition) -> Result<()> {
        let name = &definition.store_table;
        if !store.table_exists(name) {
            store.create_table(name, settings_of(definition)?)?;
            return Ok(());
        }
        if !definition.external {
            let users = self.users_of(name)?;
            if let Some(user) = users.first() {
                return Err(HandlerError::new(
                    ErrorKind::AlreadyExists,
                    format!(
                        "the store table {name} belongs to table {user}; use CREATE EXTERNAL TABLE to read it too, or \
                         another name in the property 'table.name'"
                    ),
                ));
            }
            if !is_empty(store, name)? {
                return Err(HandlerError::new(
                    ErrorKind::AlreadyExists,
                    format!(
                        "the store table {name} exists and holds rows; use CREATE EXTERNAL TABLE to read them, or \
                         another name in the property 'table.name'"
                    ),
                ));
            }
        }
        self.apply_settings(store, definition, &[])
    }

    /// The settings that a statement names or takes back become those of the store table; the others stay.
    fn apply_settings(
        &self,
        store: &TabletStore,
        definition: &TableDefinition,
        unset: &[String],
    ) -> Result<()> {
        let table = store.table(&definition.store_table)?;
        let now = table.settings().as_ref().clone();
        let wanted = merged_settings(&now, definition, unset)?;
        if wanted != now {
            store.alter_table(&definition.store_table, wanted)?;
        }
        Ok(())
    }
}

impl StorageHandler for TabletStorageHandler {
    fn names(&self) -> &[&'static str] {
        &NAMES
    }

    fn pre_create(&self, request: &CreateRequest) -> Result<HandledTable> {
        if request.location.as_deref().is_some_and(|location| !location.is_empty()) {
            return Err(HandlerError::invalid(format!(
                "table {} is kept in the tablet store and has no LOCATION; leave it out, and name the store table by \
                 'table.name'",
                request.name
            )));
        }
        let properties = TableProperties::parse(request.properties.iter().cloned())?;
        let (name, columns) = (request.name.clone(), request.columns.clone());
        let mapped = properties.columns_mapping.is_some() || request.external;
        let mut definition = if mapped {
            if !request.primary_key.is_empty() {
                return Err(HandlerError::invalid(format!(
                    "table {name} has a PRIMARY KEY and is mapped: in a mapped table the column of :rowid is the key; \
                     leave PRIMARY KEY out"
                )));
            }
            TableDefinition::mapped(name, columns, request.external, properties)?
        } else {
            TableDefinition::typed(name, columns, &request.primary_key, properties)?
        };
        let store = self.catalog.store().create()?;
        if request.replaces.is_some() && !definition.external && definition.properties.table_name.is_none() {
            // The table that gives way keeps its rows until this one has its own.
            definition.store_table = free_name(&store, &definition.store_table);
        }
        self.attach(&store, &definition)?;
        Self::handled(&definition)
    }

    fn commit_create(&self, _table: &HandledTable) -> Result<()> {
        Ok(())
    }

    fn rollback_create(&self, table: &HandledTable) -> Result<()> {
        let definition = Self::definition(table)?;
        let Some(store) = self.catalog.store().existing()? else { return Ok(()) };
        let name = &definition.store_table;
        if store.table_exists(name) && self.users_of(name)?.is_empty() && is_empty(&store, name)? {
            store.drop_table(name)?;
        }
        Ok(())
    }

    fn pre_drop(&self, _table: &HandledTable) -> Result<()> {
        Ok(())
    }

    fn commit_drop(&self, table: &HandledTable) -> Result<()> {
        let definition = Self::definition(table)?;
        let Some(store) = self.catalog.store().existing()? else { return Ok(()) };
        let keep = definition.external && !definition.properties.external_table_purge;
        let name = &definition.store_table;
        if !keep && store.table_exists(name) && self.users_of(name)?.is_empty() {
            store.drop_table(name)?;
        }
        Ok(())
    }

    fn alter_properties(
        &self,
        table: &HandledTable,
        set: &[(String, String)],
        unset: &[String],
    ) -> Result<HandledTable> {
        let definition = Self::definition(table)?;
        let changed = definition.properties.with_changes(set)?;
        let properties = without(changed, unset)?;
        let altered = definition.with_properties(properties)?;
        self.apply_settings(&self.catalog.store().create()?, &altered, unset)?;
        Self::handled(&altered)
    }

    fn alter_columns(&self, table: &HandledTable, change: &ColumnChange) -> Result<HandledTable> {
        Self::handled(&Self::definition(table)?.with_change(change)?)
    }

    fn warnings(&self, table: &HandledTable) -> Result<Vec<String>> {
        Ok(Self::definition(table)?.properties.warnings().to_vec())
    }

    fn describe(&self, table: &HandledTable) -> Result<TableDescription> {
        let definition = Self::definition(table)?;
        let key = definition.key_columns();
        let typed = definition.properties.columns_mapping.is_none();
        let columns = definition.columns.iter().map(|column| DescribedColumn {
            spec: ColumnSpec {
                name: column.name.clone(),
                data_type: column.data_type.clone(),
                nullable: column.nullable,
                default: column.default.clone(),
            },
            stored_as: stored_as(&column.target, typed),
        });
        let columns = columns.collect();
        let name_of = |index: &usize| definition.columns.get(*index).map(|column| column.name.clone());
        Ok(TableDescription {
            columns,
            primary_key: if typed { key.iter().filter_map(name_of).collect() } else { Vec::new() },
            properties: definition.properties.pairs().to_vec(),
        })
    }

    fn decompose(
        &self,
        table: &HandledTable,
        filters: &[Expr],
        settings: &PushdownSettings,
    ) -> Result<DecomposedPredicate> {
        Ok(decompose(filters, &Self::definition(table)?, settings))
    }

    fn source(&self, table: &HandledTable, access: &SessionAccess) -> Result<Arc<dyn TableProvider>> {
        let definition = Self::definition(table)?;
        let store = self.catalog.store().existing()?.ok_or_else(|| {
            HandlerError::corrupt(format!("the catalog has table {}, but there is no store", definition.name))
        })?;
        Ok(Arc::new(TabletTableProvider::try_new(definition, store, access.clone())?))
    }
}

/// Where a column's values lie, as a mapping would say it.
fn stored_as(target: &ColumnTarget, typed: bool) -> String {
    match target {
        ColumnTarget::RowId { .. } if typed => "PRIMARY KEY".to_owned(),
        ColumnTarget::Cell { .. } if typed => "cell".to_owned(),
        other => other.to_string(),
    }
}

/// Properties with some of them back at their defaults.
fn without(properties: TableProperties, unset: &[String]) -> Result<TableProperties> {
    if unset.is_empty() {
        return Ok(properties);
    }
    let canonical = |key: &str| crate::properties::canonical_key(key);
    if let Some(key) = unset.iter().find(|key| canonical(key).is_none()) {
        return Err(HandlerError::invalid(format!(
            "unknown property '{key}'; SHOW TBLPROPERTIES lists those that are set"
        )));
    }
    let gone = |key: &str| unset.iter().any(|unset| canonical(unset) == canonical(key));
    // A key that says how stored bytes are read may not go; setting it to what it is says so.
    let fixed = properties.pairs().iter().find(|(key, _)| gone(key) && is_fixed(key));
    if let Some((key, _)) = fixed {
        return Err(HandlerError::unsupported(format!(
            "the property '{key}' says how stored bytes are read and cannot be taken away; make another table"
        )));
    }
    TableProperties::parse(properties.pairs().iter().filter(|(key, _)| !gone(key)).cloned())
}

/// Whether a property decides what stored bytes mean.
fn is_fixed(key: &str) -> bool {
    let fixed = ["columns.mapping", "table.name", "default.storage", "composite.rowid"];
    crate::properties::canonical_key(key).is_some_and(|key| fixed.contains(&key.as_str()))
}

/// A name that no store table has: the one given, or that with a number.
fn free_name(store: &TabletStore, name: &str) -> String {
    let numbered = (2_u64..).map(|number| format!("{name}.{number}"));
    std::iter::once(name.to_owned())
        .chain(numbered)
        .find(|name| !store.table_exists(name))
        .unwrap_or_default()
}

/// Whether a store table surely holds no row, hidden ones included.
fn is_empty(store: &TabletStore, name: &str) -> Result<bool> {
    Ok(store.table(name)?.approximate_rows() == 0)
}
