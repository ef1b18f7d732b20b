//! ParquetStorer: a Parquet file in an output folder.

use std::collections::HashSet;
use std::sync::Arc;

use arrow::array::ArrayRef;
use arrow::datatypes::{Schema as ArrowSchema, SchemaRef};
use arrow::record_batch::RecordBatch;
use async_trait::async_trait;
use datafusion::execution::context::SessionContext;
use datafusion::parquet::arrow::ArrowWriter;
use datafusion::parquet::basic::Compression;
use datafusion::parquet::file::properties::WriterProperties;
use futures::StreamExt;
use ostracon_piglatin::types::{Field, Schema, type_name};

use crate::columns::{export, export_fields, export_type, field_name, pig_type};
use crate::error::{PigError, PigErrorKind, Result, from_datafusion};
use crate::store::folder::{OutputFolder, check_absent};
use crate::store::{StoreFunc, StoreInput};

/// `ParquetStorer()`: lists in three levels, compressed by Snappy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ParquetStorer;

/// The columns of a file.
fn columns(schema: Option<&Schema>) -> Result<SchemaRef> {
    let Some(schema) = schema else {
        let text = "a Parquet file needs the names and types of all fields, and the schema is unknown; declare it by AS";
        return Err(PigError::invalid(text));
    };
    let mut names = HashSet::new();
    for (index, field) in schema.fields.iter().enumerate() {
        let name = field.name.clone().unwrap_or_else(|| field_name(index));
        if export_type(&field.ty).is_none() {
            let text = format!(
                "field {name} of type {} cannot be a column of a Parquet file; cast it to a type that Parquet has",
                type_name(&field.ty)
            );
            return Err(PigError::new(PigErrorKind::Unsupported, text));
        }
        if !names.insert(name.to_ascii_lowercase()) {
            return Err(PigError::invalid(format!(
                "two fields would be the column {name}; rename one by AS"
            )));
        }
    }
    let fields = export_fields(schema)
        .ok_or_else(|| PigError::invalid("a Parquet file needs a column, and there is no field"))?;
    Ok(Arc::new(ArrowSchema::new(fields)))
}

#[async_trait]
impl StoreFunc for ParquetStorer {
    fn check(&self, path: &str, schema: Option<&Schema>) -> Result<()> {
        check_absent(path)?;
        columns(schema).map(drop)
    }

    fn kept_schema(&self, schema: &Schema) -> Option<Schema> {
        let fields = export_fields(schema)?;
        let fields = fields.iter().map(|f| Some(Field::named(f.name().as_str(), pig_type(f.data_type())?)));
        fields.collect::<Option<_>>().map(Schema::new)
    }

    async fn store(&self, _: &SessionContext, path: &str, mut input: StoreInput) -> Result<u64> {
        let columns = columns(input.schema.as_ref())?;
        let types = input.schema.map(|schema| schema.types()).unwrap_or_default();
        let folder = OutputFolder::begin(path, false)?;
        let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
        let failed = |error: datafusion::parquet::errors::ParquetError| {
            PigError::new(PigErrorKind::Unavailable, format!("{path} cannot be written: {error}"))
                .with_source(error)
        };
        let mut writer =
            ArrowWriter::try_new(folder.part(".parquet")?, Arc::clone(&columns), Some(properties))
                .map_err(failed)?;
        let mut rows = 0;
        while let Some(batch) = input.rows.next().await {
            let batch = batch.map_err(from_datafusion)?;
            let arrays = batch.columns().iter().zip(&types).map(|(array, ty)| export(array, ty));
            let batch = arrays
                .collect::<std::result::Result<Vec<ArrayRef>, _>>()
                .and_then(|arrays| RecordBatch::try_new(Arc::clone(&columns), arrays))
                .map_err(|error| from_datafusion(error.into()))?;
            writer.write(&batch).map_err(failed)?;
            rows += u64::try_from(batch.num_rows()).unwrap_or(0);
        }
        let file = writer.into_inner().map_err(failed)?;
        file.sync_all().map_err(|error| folder.failed(error))?;
        folder.finish()?;
        Ok(rows)
    }
}
