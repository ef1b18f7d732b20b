//! Pig Latin in a session: scripts over the session's tables and files.

use std::sync::Arc;

use arrow::datatypes::{DataType, SchemaRef, TimeUnit};
use async_trait::async_trait;
use datafusion::catalog::TableProvider;
use datafusion::catalog::streaming::StreamingTable;
use datafusion::common::TableReference;
use datafusion::datasource::provider_as_source;
use datafusion::error::DataFusionError;
use datafusion::execution::context::SessionContext;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::logical_expr::dml::InsertOp;
use datafusion::logical_expr::{Cast, LogicalPlanBuilder, UNNAMED_TABLE};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::streaming::PartitionStream;
use datafusion::prelude::Expr;
use datafusion::scalar::ScalarValue;
use futures::stream;
use ostracon_handler::{ErrorKind, HandlerError};
use ostracon_pig::engine::Engine;
use ostracon_pig::error::{PigError, PigErrorKind, Result};
use ostracon_pig::load::TableCatalog;
use std::sync::Mutex;

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
        let mut statement = format!("CREATE TABLE {} (", quoted(name));
        for field in columns.fields() {
            statement.push_str(&format!("{} {}, ", quoted(field.name()), sql_type(field.data_type())?));
        }
        let key: Vec<String> = key.iter().map(|column| quoted(column)).collect();
        statement.push_str(&format!("PRIMARY KEY ({}))", key.join(", ")));
        self.run(&statement).await
    }

    async fn store(&self, name: &str, rows: SendableRecordBatchStream) -> Result<u64> {
        let table = self.provider(name).await?;
        let written = self.insert(table, rows).await;
        written.map_err(|error| pig_error(error.into()))
    }
}

impl SessionTables {
    async fn insert(
        &self,
        table: Arc<dyn TableProvider>,
        rows: SendableRecordBatchStream,
    ) -> std::result::Result<u64, DataFusionError> {
        let given = rows.schema();
        let once: Arc<dyn PartitionStream> =
            Arc::new(Once { schema: Arc::clone(&given), rows: Mutex::new(Some(rows)) });
        let source = Arc::new(StreamingTable::try_new(Arc::clone(&given), vec![once])?);
        let columns = table.schema();
        let mut list = Vec::new();
        for field in columns.fields() {
            let expr = match given.column_with_name(field.name()) {
                Some((_, from)) if from.data_type() == field.data_type() => named(field.name()),
                Some(_) => Expr::Cast(Cast::new(Box::new(named(field.name())), field.data_type().clone())),
                None => Expr::Literal(ScalarValue::try_from(field.data_type())?, None),
            };
            list.push(expr.alias(field.name()));
        }
        let plan = LogicalPlanBuilder::scan(UNNAMED_TABLE, provider_as_source(source), None)?
            .project(list)?
            .build()?;
        let state = self.context().state();
        let input = state.create_physical_plan(&plan).await?;
        let sink = table.insert_into(&state, input, InsertOp::Append).await?;
        let counts = datafusion::physical_plan::collect(sink, self.context().task_ctx()).await?;
        let count = counts.iter().flat_map(|batch| {
            let column = batch.column(0);
            (0..batch.num_rows()).filter_map(|row| match ScalarValue::try_from_array(column, row) {
                Ok(ScalarValue::UInt64(count)) => count,
                _ => None,
            })
        });
        Ok(count.sum())
    }
}

fn named(column: &str) -> Expr {
    Expr::Column(datafusion::common::Column::new_unqualified(column))
}

fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

fn sql_type(ty: &DataType) -> Result<&'static str> {
    Ok(match ty {
        DataType::Boolean => "BOOLEAN",
        DataType::Int32 => "INT",
        DataType::Int64 => "BIGINT",
        DataType::Float32 => "REAL",
        DataType::Float64 => "DOUBLE",
        DataType::Utf8 => "VARCHAR",
        DataType::Binary => "BYTEA",
        DataType::Timestamp(TimeUnit::Millisecond, None) => "TIMESTAMP(3)",
        other => {
            let text = format!("a column of type {other} cannot be made");
            return Err(PigError::new(PigErrorKind::Unsupported, text));
        }
    })
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
