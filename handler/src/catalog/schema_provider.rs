//! [`TabletSchemaProvider`]: the catalog's entries as the tables of one DataFusion schema.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, OnceLock, Weak};

use async_trait::async_trait;
use datafusion::catalog::{CatalogProvider, SchemaProvider, TableProvider};
use datafusion::common::{DFSchema, TableReference};
use datafusion::datasource::ViewTable;
use datafusion::error::{DataFusionError, Result};
use datafusion::execution::SessionState;
use datafusion::logical_expr::{CreateExternalTable, Expr, LogicalPlanBuilder, SortExpr};
use parking_lot::RwLock;

use super::{CatalogEntry, FileTable, SqlCatalog, ViewEntry};
use crate::error::HandlerError;
use crate::storage::{SessionAccess, StorageHandlerRegistry};

/// The tables of a store as one session may see them.
///
/// Tables that a program registers by itself (a `MemTable`, the source of a load) are kept beside those of the catalog
/// and end with the session; a schema that was there before stays visible behind both.
#[derive(Debug)]
pub struct TabletSchemaProvider {
    catalog: SqlCatalog,
    handlers: StorageHandlerRegistry,
    access: SessionAccess,
    behind: Option<Arc<dyn SchemaProvider>>,
    passing: RwLock<BTreeMap<String, Arc<dyn TableProvider>>>,
    /// What views and file tables are planned with. Weak: the session owns the provider.
    session: OnceLock<Weak<RwLock<SessionState>>>,
}

impl TabletSchemaProvider {
    /// The tables of `catalog`, in front of those of `behind`.
    pub fn new(
        catalog: SqlCatalog,
        handlers: StorageHandlerRegistry,
        access: SessionAccess,
        behind: Option<Arc<dyn SchemaProvider>>,
    ) -> Self {
        Self { catalog, handlers, access, behind, passing: RwLock::default(), session: OnceLock::new() }
    }

    /// Says whose session plans views and file tables. The first call counts.
    pub fn bind(&self, session: Weak<RwLock<SessionState>>) {
        let _ = self.session.set(session);
    }

    /// The catalog behind the schema.
    pub fn catalog(&self) -> &SqlCatalog {
        &self.catalog
    }

    /// The handlers that make its tables.
    pub fn handlers(&self) -> &StorageHandlerRegistry {
        &self.handlers
    }

    fn session_state(&self) -> Result<SessionState> {
        let session = self.session.get().and_then(Weak::upgrade);
        let session = session.ok_or_else(|| HandlerError::internal("the schema belongs to no session"))?;
        let state = session.read().clone();
        Ok(state)
    }

    async fn open(&self, name: &str, entry: CatalogEntry) -> Result<Arc<dyn TableProvider>> {
        match entry {
            CatalogEntry::Handled(table) => {
                let handler = self.handlers.require(&table.handler)?;
                Ok(handler.source(&table, &self.access)?)
            }
            CatalogEntry::File(table) => open_files(&self.session_state()?, name, &table).await,
            CatalogEntry::View(view) => open_view(&self.session_state()?, name, &view).await,
        }
    }
}

#[async_trait]
impl SchemaProvider for TabletSchemaProvider {
    fn table_names(&self) -> Vec<String> {
        let mut names: BTreeSet<String> = self.passing.read().keys().cloned().collect();
        match self.catalog.names() {
            Ok(known) => names.extend(known),
            // The signature has no room for it; reading any of the tables will say so.
            Err(error) => tracing::warn!(%error, "the SQL catalog cannot be listed"),
        }
        names.extend(self.behind.iter().flat_map(|schema| schema.table_names()));
        names.into_iter().collect()
    }

    async fn table(&self, name: &str) -> Result<Option<Arc<dyn TableProvider>>, DataFusionError> {
        if let Some(table) = self.passing.read().get(name) {
            return Ok(Some(Arc::clone(table)));
        }
        match (self.catalog.get(name)?, &self.behind) {
            (Some(entry), _) => self.open(name, entry).await.map(Some),
            (None, Some(behind)) => behind.table(name).await,
            (None, None) => Ok(None),
        }
    }

    fn register_table(
        &self,
        name: String,
        table: Arc<dyn TableProvider>,
    ) -> Result<Option<Arc<dyn TableProvider>>> {
        // The factory of a plain SessionContext has put its table into the catalog already.
        if table.is::<crate::provider::TabletTableProvider>() && self.catalog.get(&name)?.is_some() {
            return Ok(None);
        }
        if self.table_exist(&name) {
            return Err(HandlerError::new(
                crate::error::ErrorKind::AlreadyExists,
                format!("table {name} already exists; choose another name or DROP it first"),
            )
            .into());
        }
        Ok(self.passing.write().insert(name, table))
    }

    fn deregister_table(&self, name: &str) -> Result<Option<Arc<dyn TableProvider>>> {
        if let Some(table) = self.passing.write().remove(name) {
            return Ok(Some(table));
        }
        if self.catalog.get(name)?.is_some() {
            crate::ddl::drop_entry(&self.catalog, &self.handlers, name)?;
            return Ok(None);
        }
        match &self.behind {
            Some(behind) => behind.deregister_table(name),
            None => Ok(None),
        }
    }

    fn table_exist(&self, name: &str) -> bool {
        self.passing.read().contains_key(name)
            || matches!(self.catalog.get(name), Ok(Some(_)))
            || self.behind.as_ref().is_some_and(|schema| schema.table_exist(name))
    }
}

/// The provider that DataFusion makes of files.
pub(crate) async fn open_files(
    state: &SessionState,
    name: &str,
    table: &FileTable,
) -> Result<Arc<dyn TableProvider>> {
    let factory = state.table_factories().get(&table.format).ok_or_else(|| {
        let mut known: Vec<&str> = state.table_factories().keys().map(String::as_str).collect();
        known.sort_unstable();
        HandlerError::unsupported(format!(
            "table {name}: nothing reads files of format {}; known are {}",
            table.format,
            known.join(", ")
        ))
    })?;
    let schema = Arc::new(DFSchema::try_from(table.schema.as_ref().clone())?);
    let order = table.order.iter().map(|key| {
        let expression = state.create_logical_expr(&key.expression, &schema)?;
        Ok(SortExpr::new(expression, key.ascending, key.nulls_first))
    });
    let order = order.collect::<Result<Vec<SortExpr>>>()?;
    let first = table.locations.first().cloned().unwrap_or_default();
    let command =
        CreateExternalTable::builder(TableReference::bare(name), first, table.format.clone(), schema)
            .with_locations(table.locations.clone())
            .with_partition_cols(table.partitioned_by.clone())
            .with_order_exprs(if order.is_empty() { Vec::new() } else { vec![order] })
            .with_options(table.options.iter().cloned().collect::<HashMap<_, _>>())
            .build();
    factory.create(state, &command).await
}

async fn open_view(state: &SessionState, name: &str, view: &ViewEntry) -> Result<Arc<dyn TableProvider>> {
    let plan = state
        .create_logical_plan(&view.query)
        .await
        .map_err(|error| error.context(format!("in view {name}")))?;
    let plan = if view.columns.is_empty() {
        plan
    } else {
        if view.columns.len() != plan.schema().fields().len() {
            return Err(HandlerError::invalid(format!(
                "view {name} names {} columns, its query gives {}",
                view.columns.len(),
                plan.schema().fields().len()
            ))
            .into());
        }
        let renamed: Vec<Expr> = plan
            .schema()
            .columns()
            .into_iter()
            .zip(&view.columns)
            .map(|(column, name)| Expr::Column(column).alias(name))
            .collect();
        LogicalPlanBuilder::from(plan).project(renamed)?.build()?
    };
    Ok(Arc::new(ViewTable::new(plan, Some(view.query.clone()))))
}

/// A catalog with one schema.
#[derive(Debug)]
pub struct OneSchemaCatalog {
    name: String,
    schema: Arc<dyn SchemaProvider>,
}

impl OneSchemaCatalog {
    /// A catalog whose schema is called `name`.
    pub fn new(name: impl Into<String>, schema: Arc<dyn SchemaProvider>) -> Self {
        Self { name: name.into(), schema }
    }
}

impl CatalogProvider for OneSchemaCatalog {
    fn schema_names(&self) -> Vec<String> {
        vec![self.name.clone()]
    }

    fn schema(&self, name: &str) -> Option<Arc<dyn SchemaProvider>> {
        (name == self.name).then(|| Arc::clone(&self.schema))
    }
}
