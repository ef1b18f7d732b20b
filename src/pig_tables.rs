//! Pig Latin in a session: scripts over the session's tables and files.

use std::sync::{Arc, Mutex};

use arrow::datatypes::SchemaRef;
use async_trait::async_trait;
use datafusion::catalog::TableProvider;
use datafusion::common::TableReference;
use datafusion::error::DataFusionError;
use datafusion::execution::context::SessionContext;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::streaming::PartitionStream;
use futures::stream;
use ostracon_handler::statement::{quote_identifier, sql_type_name};
use ostracon_handler::{ErrorKind, HandlerError};
use ostracon_pig::engine::Engine;
use ostracon_pig::error::{PigError, PigErrorKind, Result};
use ostracon_pig::load::TableCatalog;

use crate::Session;

impl Session {
    /// The engine that runs Pig Latin in this session: `LOAD 'table:t'` reads its tables, `STORE` writes them.
    pub fn pig(&self) -> Engine {
        Engine::new(self.context().clone(), Some(Arc::new(SessionTables { session: self.clone() })))
    }
}

/// The tables of a session.
#[derive(Debug)]
struct SessionTables {
    session: Session,
}

impl SessionTables {
    fn context(&self) -> &SessionContext {
        self.session.context()
    }

    async fn run(&self, statement: &str) -> Result<()> {
        self.session.execute(statement).await.map(drop).map_err(pig_error)
    }
}

#[async_trait]
impl TableCatalog for SessionTables {
    fn schema(&self, name: &str) -> Result<Option<SchemaRef>> {
        let reference = TableReference::bare(name);
        // Looking a table up waits for nothing but the store, so any thread will do.
        let found = std::thread::scope(|scope| {
            let look_up = scope.spawn(|| {
                futures::executor::block_on(async {
                    match self.context().table_exist(reference.clone())? {
                        true => self.context().table_provider(reference.clone()).await.map(Some),
                        false => Ok(None),
                    }
                })
            });
            look_up.join()
        });
        match found {
            Ok(Ok(provider)) => Ok(provider.map(|provider| provider.schema())),
            Ok(Err(error)) => Err(pig_error(error.into())),
            Err(_) => Err(PigError::internal(format!("looking up table {name} failed"))),
        }
    }

    async fn provider(&self, name: &str) -> Result<Arc<dyn TableProvider>> {
        let provider = self.context().table_provider(TableReference::bare(name)).await;
        provider.map_err(|error| pig_error(error.into()))
    }

    async fn create(&self, name: &str, columns: SchemaRef, key: &[String]) -> Result<()> {
        let columns = columns
            .fields()
            .iter()
            .map(|field| format!("{} {}", quote_identifier(field.name()), sql_type_name(field.data_type())));
        let key: Vec<String> = key.iter().map(|column| quote_identifier(column)).collect();
        let key = (!key.is_empty()).then(|| format!("PRIMARY KEY ({})", key.join(", ")));
        let parts: Vec<String> = columns.chain(key).collect();
        self.run(&format!("CREATE TABLE {} ({})", quote_identifier(name), parts.join(", "))).await
    }

    async fn store(&self, name: &str, rows: SendableRecordBatchStream) -> Result<u64> {
        let source = Once { schema: rows.schema(), rows: Mutex::new(Some(rows)) };
        self.session.insert_from(&TableReference::bare(name), source).await.map_err(pig_error)
    }
}

fn pig_error(error: HandlerError) -> PigError {
    let kind = match error.kind {
        ErrorKind::Invalid => PigErrorKind::Invalid,
        ErrorKind::NotFound => PigErrorKind::NotFound,
        ErrorKind::AlreadyExists => PigErrorKind::AlreadyExists,
        ErrorKind::Unsupported | ErrorKind::Unauthorized => PigErrorKind::Unsupported,
        ErrorKind::Unavailable => PigErrorKind::Unavailable,
        ErrorKind::Corrupt => PigErrorKind::Corrupt,
        ErrorKind::Resource => PigErrorKind::Resource,
        ErrorKind::Internal => PigErrorKind::Internal,
    };
    PigError::new(kind, error.message.clone()).with_source(error)
}

/// Rows that can be read once.
struct Once {
    schema: SchemaRef,
    rows: Mutex<Option<SendableRecordBatchStream>>,
}

impl std::fmt::Debug for Once {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Once").field("schema", &self.schema).finish_non_exhaustive()
    }
}

impl PartitionStream for Once {
    fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    fn execute(&self, _: Arc<TaskContext>) -> SendableRecordBatchStream {
        let rows = self.rows.lock().unwrap_or_else(std::sync::PoisonError::into_inner).take();
        rows.unwrap_or_else(|| {
            let again = DataFusionError::Internal("rows of a STORE were read twice".to_owned());
            Box::pin(RecordBatchStreamAdapter::new(Arc::clone(&self.schema), stream::iter([Err(again)])))
        })
    }
}
