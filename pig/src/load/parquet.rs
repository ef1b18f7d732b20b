//! ParquetLoader: Parquet files with the types that they name.

use std::fmt;
use std::sync::Arc;

use arrow::datatypes::Schema as ArrowSchema;
use async_trait::async_trait;
use datafusion::catalog::TableProvider;
use datafusion::common::DFSchema;
use datafusion::execution::context::SessionContext;
use datafusion::logical_expr::{CreateExternalTable, LogicalPlan};
use ostracon_piglatin::types::Schema;

use crate::error::{PigError, PigErrorKind, Result, from_datafusion};
use crate::load::table::{as_pig, schema_of};
use crate::load::{Layout, LoadFunc, fit, paths, scan};
use crate::warnings::RunContext;

/// The kind of table that the session makes of Parquet files.
const PARQUET: &str = "PARQUET";

/// `ParquetLoader()`: the columns of all files together, as the session's own tables over Parquet files have them
/// (`CREATE EXTERNAL TABLE ... STORED AS PARQUET`).
#[derive(Clone)]
pub(crate) struct ParquetLoader {
    pub(crate) context: SessionContext,
}

impl fmt::Debug for ParquetLoader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ParquetLoader").finish_non_exhaustive()
    }
}

impl ParquetLoader {
    async fn table(&self, path: &str) -> Result<Arc<dyn TableProvider>> {
        let files = paths::files(path)?;
        if files.is_empty() {
            return Err(PigError::new(PigErrorKind::NotFound, format!("there is no file in {path}")));
        }
        let locations = files.iter().map(|file| {
            std::path::absolute(file).map(|file| file.display().to_string()).map_err(|error| {
                let text = format!("{} cannot be read: {error}", file.display());
                PigError::new(PigErrorKind::Unavailable, text).with_source(error)
            })
        });
        let columns = DFSchema::try_from(ArrowSchema::empty()).map_err(from_datafusion)?;
        let command =
            CreateExternalTable::builder("parquet", String::new(), PARQUET, Arc::new(columns)).build();
        let command = CreateExternalTable { locations: locations.collect::<Result<_>>()?, ..command };
        let state = self.context.state();
        let factory = state.table_factories().get(PARQUET).cloned().ok_or_else(|| {
            PigError::new(PigErrorKind::Unsupported, "this session knows no tables over Parquet files")
        })?;
        factory.create(&state, &command).await.map_err(from_datafusion)
    }

    /// The table, for those who cannot wait otherwise: its footers are read on another thread.
    fn table_now(&self, path: &str) -> Result<Arc<dyn TableProvider>> {
        let runtime = tokio::runtime::Handle::try_current().ok();
        std::thread::scope(|scope| {
            let reading = scope.spawn(|| match runtime {
                Some(runtime) => runtime.block_on(self.table(path)),
                None => futures::executor::block_on(self.table(path)),
            });
            reading.join().unwrap_or_else(|_| Err(PigError::internal(format!("reading {path} failed"))))
        })
    }
}

#[async_trait]
impl LoadFunc for ParquetLoader {
    fn schema(&self, path: &str) -> Result<Option<Schema>> {
        schema_of(&self.table_now(path)?.schema()).map(Some)
    }

    fn schema_later(&self, _: &str, kept: Option<&Schema>) -> Result<Option<Schema>> {
        Ok(kept.cloned())
    }

    async fn plan(
        &self,
        _: &SessionContext,
        path: &str,
        layout: &Layout,
        run: &RunContext,
    ) -> Result<LogicalPlan> {
        let table = self.table(path).await?;
        let columns = table.schema();
        fit(as_pig(scan(table)?, &columns)?, &schema_of(&columns)?, layout, run)
    }
}
