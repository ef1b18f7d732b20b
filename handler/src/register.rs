//! [`register`]: the tablet store in someone's own `SessionContext`.
//!
//! After it, the context's default schema shows the store's tables beside its own, SQL reads and writes them (INSERT,
//! UPDATE, DELETE, TRUNCATE), `SET ostracon.*` works, and `CREATE EXTERNAL TABLE ... STORED AS TABLET LOCATION ''` makes
//! tables. Statements that DataFusion's parser does not know need a
//! [`StatementExecutor`](crate::execute::StatementExecutor) over the same context.

use std::sync::Arc;

use async_trait::async_trait;
use datafusion::catalog::{
    CatalogProvider, MemoryCatalogProvider, Session, TableProvider, TableProviderFactory,
};
use datafusion::execution::context::SessionContext;
use datafusion::logical_expr::CreateExternalTable;
use ostracon_tablets::TabletStore;

use crate::catalog::{SqlCatalog, TabletSchemaProvider};
use crate::ddl::create_table_of_factory;
use crate::dml::TabletDmlRule;
use crate::error::Result;
use crate::execute::StatementExecutor;
use crate::settings::OstraconSettings;
use crate::storage::{SessionAccess, StorageHandlerRegistry, TabletStorageHandler};
use crate::store_handle::StoreHandle;

/// Puts a store's tables into a context, for a session without labels.
pub fn register(context: &SessionContext, store: TabletStore) -> Result<StatementExecutor> {
    register_as(context, StoreHandle::opened(store), SessionAccess::default())
}

/// Puts the tables of a store, opened when they are first asked for, into a context, as a session sees them.
pub fn register_as(
    context: &SessionContext,
    store: StoreHandle,
    access: SessionAccess,
) -> Result<StatementExecutor> {
    let catalog = SqlCatalog::new(store);
    let handlers = StorageHandlerRegistry::new();
    handlers.register(Arc::new(TabletStorageHandler::new(catalog.clone())))?;
    install(context, &catalog, &handlers, &access)?;
    Ok(StatementExecutor::new(context.clone(), catalog, handlers, access))
}

fn install(
    context: &SessionContext,
    catalog: &SqlCatalog,
    handlers: &StorageHandlerRegistry,
    access: &SessionAccess,
) -> Result<()> {
    let options = context.copied_config();
    let (catalog_name, schema_name) =
        (options.options().catalog.default_catalog.clone(), options.options().catalog.default_schema.clone());
    let known: Arc<dyn CatalogProvider> = match context.catalog(&catalog_name) {
        Some(known) => known,
        None => {
            let made: Arc<dyn CatalogProvider> = Arc::new(MemoryCatalogProvider::new());
            context.register_catalog(catalog_name, Arc::clone(&made));
            made
        }
    };
    let behind = known.schema(&schema_name);
    let schema =
        Arc::new(TabletSchemaProvider::new(catalog.clone(), handlers.clone(), access.clone(), behind));
    schema.bind(context.state_weak_ref());
    known.register_schema(&schema_name, schema)?;
    context.add_analyzer_rule(Arc::new(TabletDmlRule));
    crate::aggregate::add_rule(context);
    let state = context.state_ref();
    let mut state = state.write();
    state.config_mut().options_mut().extensions.insert(OstraconSettings::default());
    let factory =
        TabletTableFactory { catalog: catalog.clone(), handlers: handlers.clone(), access: access.clone() };
    state.table_factories_mut().insert("TABLET".to_owned(), Arc::new(factory));
    Ok(())
}

/// Makes tablet tables for DataFusion's own `CREATE EXTERNAL TABLE`.
#[derive(Debug)]
struct TabletTableFactory {
    catalog: SqlCatalog,
    handlers: StorageHandlerRegistry,
    access: SessionAccess,
}

#[async_trait]
impl TableProviderFactory for TabletTableFactory {
    async fn create(
        &self,
        _state: &dyn Session,
        command: &CreateExternalTable,
    ) -> datafusion::error::Result<Arc<dyn TableProvider>> {
        Ok(create_table_of_factory(&self.catalog, &self.handlers, &self.access, command)?)
    }
}
