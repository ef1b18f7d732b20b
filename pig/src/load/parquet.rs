//! ParquetLoader: Parquet files with the types that they name.

use std::fs::File;
use std::sync::Arc;

use arrow::datatypes::SchemaRef;
use async_trait::async_trait;
use datafusion::execution::context::SessionContext;
use datafusion::logical_expr::LogicalPlan;
use datafusion::parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use datafusion::prelude::ParquetReadOptions;
use ostracon_piglatin::types::Schema;

use crate::error::{PigError, PigErrorKind, Result, from_datafusion};
use crate::load::table::{as_pig, schema_of};
use crate::load::{Layout, LoadFunc, fit, paths};
use crate::warnings::RunContext;

/// `ParquetLoader()`: the fields of the first file; other files are read by its names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ParquetLoader;

fn columns(path: &str) -> Result<SchemaRef> {
    let files = paths::files(path)?;
    let Some(first) = files.first() else {
        return Err(PigError::new(PigErrorKind::NotFound, format!("there is no file in {path}")));
    };
    let shown = first.display();
    let unreadable = |error: &dyn std::fmt::Display| {
        PigError::new(PigErrorKind::Corrupt, format!("{shown} cannot be read as Parquet: {error}"))
    };
    let file = File::open(first).map_err(|error| unreadable(&error).with_source(error))?;
    let reader = ParquetRecordBatchReaderBuilder::try_new(file)
        .map_err(|error| unreadable(&error).with_source(error))?;
    Ok(Arc::clone(reader.schema()))
}

#[async_trait]
impl LoadFunc for ParquetLoader {
    fn schema(&self, path: &str) -> Result<Option<Schema>> {
        let columns = columns(path)?;
        schema_of(&columns).map(Some)
    }

    fn schema_later(&self, _: &str, kept: Option<&Schema>) -> Result<Option<Schema>> {
        Ok(kept.cloned())
    }

    async fn plan(
        &self,
        context: &SessionContext,
        path: &str,
        layout: &Layout,
        run: &RunContext,
    ) -> Result<LogicalPlan> {
        let columns = columns(path)?;
        let files = paths::files(path)?;
        let names = files.iter().map(|file| {
            std::path::absolute(file).map(|file| file.display().to_string()).map_err(|error| {
                let text = format!("{} cannot be read: {error}", file.display());
                PigError::new(PigErrorKind::Unavailable, text).with_source(error)
            })
        });
        let names = names.collect::<Result<Vec<_>>>()?;
        let options = ParquetReadOptions { file_extension: "", ..ParquetReadOptions::default() };
        let rows = context.read_parquet(names, options).await.map_err(from_datafusion)?;
        fit(as_pig(rows.into_unoptimized_plan(), &columns)?, &schema_of(&columns)?, layout, run)
    }
}
