//! ParquetStorer, and AvroStorage's side of STORE: one file of Arrow's columns in an output folder.

use std::collections::HashSet;
use std::fs::File;
use std::sync::Arc;

use arrow::array::ArrayRef;
use arrow::datatypes::{Schema as ArrowSchema, SchemaRef};
use arrow::record_batch::RecordBatch;
use arrow_avro::compression::CompressionCodec;
use arrow_avro::writer::format::AvroOcfFormat;
use arrow_avro::writer::{AvroWriter, WriterBuilder};
use async_trait::async_trait;
use datafusion::execution::context::SessionContext;
use datafusion::parquet::arrow::ArrowWriter;
use datafusion::parquet::basic::Compression;
use datafusion::parquet::file::properties::WriterProperties;
use futures::StreamExt;
use ostracon_piglatin::types::{Field, Schema, type_name};

use crate::columns::{export, export_fields, export_type, field_name, pig_type};
use crate::error::{PigError, PigErrorKind, Result, from_datafusion};
use crate::load::AvroStorage;
use crate::store::folder::{OutputFolder, check_absent};
use crate::store::{StoreFunc, StoreInput};

/// `ParquetStorer()`: lists in three levels, compressed by Snappy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ParquetStorer;

/// A file in the making.
trait ColumnarWriter: Send {
    fn write(&mut self, batch: &RecordBatch) -> Result<()>;
    /// Writes what is due at the end, and gives the file back.
    fn end(self: Box<Self>) -> Result<File>;
}

/// That a file cannot be written, by its writer's own error.
fn unwritten(error: impl std::error::Error + Send + Sync + 'static) -> PigError {
    PigError::new(PigErrorKind::Unavailable, format!("the output cannot be written: {error}"))
        .with_source(error)
}

impl ColumnarWriter for ArrowWriter<File> {
    fn write(&mut self, batch: &RecordBatch) -> Result<()> {
        Self::write(self, batch).map_err(unwritten)
    }

    fn end(self: Box<Self>) -> Result<File> {
        self.into_inner().map_err(unwritten)
    }
}

impl ColumnarWriter for AvroWriter<File> {
    fn write(&mut self, batch: &RecordBatch) -> Result<()> {
        Self::write(self, batch).map_err(unwritten)
    }

    fn end(mut self: Box<Self>) -> Result<File> {
        self.finish().map_err(unwritten)?;
        Ok(self.into_inner())
    }
}

/// Columns of values that files of this kind can keep.
fn check(path: &str, schema: Option<&Schema>, what: &str) -> Result<()> {
    check_absent(path)?;
    columns(schema, what).map(drop)
}

/// The fields that such a file gives back.
fn kept(schema: &Schema) -> Option<Schema> {
    let fields = export_fields(schema)?;
    let fields = fields.iter().map(|f| Some(Field::named(f.name().as_str(), pig_type(f.data_type())?)));
    fields.collect::<Option<_>>().map(Schema::new)
}

/// Writes all rows into one file of a folder.
async fn store(
    path: &str,
    mut input: StoreInput,
    (what, extension): (&str, &str),
    open: impl FnOnce(File, &SchemaRef) -> Result<Box<dyn ColumnarWriter>> + Send,
) -> Result<u64> {
    let columns = columns(input.schema.as_ref(), what)?;
    let types = input.schema.map(|schema| schema.types()).unwrap_or_default();
    let folder = OutputFolder::begin(path, false)?;
    let mut writer = open(folder.part(extension)?, &columns)?;
    let mut rows = 0;
    while let Some(batch) = input.rows.next().await {
        let batch = batch.map_err(from_datafusion)?;
        let arrays = batch.columns().iter().zip(&types).map(|(array, ty)| export(array, ty));
        let batch = arrays
            .collect::<std::result::Result<Vec<ArrayRef>, _>>()
            .and_then(|arrays| RecordBatch::try_new(Arc::clone(&columns), arrays))
            .map_err(|error| from_datafusion(error.into()))?;
        writer.write(&batch)?;
        rows += u64::try_from(batch.num_rows()).unwrap_or(0);
    }
    writer.end()?.sync_all().map_err(|error| folder.failed(error))?;
    folder.finish()?;
    Ok(rows)
}

/// The columns of a file.
fn columns(schema: Option<&Schema>, what: &str) -> Result<SchemaRef> {
    let Some(schema) = schema else {
        let text = format!(
            "{what} files need the names and types of all fields, and the schema is unknown; declare it by AS"
        );
        return Err(PigError::invalid(text));
    };
    let mut names = HashSet::new();
    for (index, field) in schema.fields.iter().enumerate() {
        let name = field.name.clone().unwrap_or_else(|| field_name(index));
        if export_type(&field.ty).is_none() {
            let text = format!(
                "field {name} of type {} cannot be kept in {what} files; cast it to a type that they have",
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
        .ok_or_else(|| PigError::invalid(format!("{what} files need a column, and there is no field")))?;
    Ok(Arc::new(ArrowSchema::new(fields)))
}

#[async_trait]
impl StoreFunc for ParquetStorer {
    fn check(&self, path: &str, schema: Option<&Schema>) -> Result<()> {
        check(path, schema, "Parquet")
    }

    fn kept_schema(&self, schema: &Schema) -> Option<Schema> {
        kept(schema)
    }

    async fn store(&self, _: &SessionContext, path: &str, input: StoreInput) -> Result<u64> {
        let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
        store(path, input, ("Parquet", ".parquet"), |file, columns| {
            let writer = ArrowWriter::try_new(file, Arc::clone(columns), Some(properties));
            Ok(Box::new(writer.map_err(unwritten)?))
        })
        .await
    }
}

#[async_trait]
impl StoreFunc for AvroStorage {
    fn check(&self, path: &str, schema: Option<&Schema>) -> Result<()> {
        check(path, schema, "Avro")?;
        // Names in Avro are those of most languages: a join's `a::x` is none.
        let wrong = schema.iter().flat_map(|schema| &schema.fields).find_map(|field| {
            let name = field.name.as_deref()?;
            (!name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')).then_some(name)
        });
        match wrong {
            Some(name) => {
                Err(PigError::invalid(format!("{name} is no name of Avro's; give the field another by AS")))
            }
            None => Ok(()),
        }
    }

    fn kept_schema(&self, schema: &Schema) -> Option<Schema> {
        kept(schema)
    }

    async fn store(&self, _: &SessionContext, path: &str, input: StoreInput) -> Result<u64> {
        store(path, input, ("Avro", ".avro"), |file, columns| {
            let writer = WriterBuilder::new(columns.as_ref().clone())
                .with_compression(Some(CompressionCodec::Deflate))
                .build::<_, AvroOcfFormat>(file);
            Ok(Box::new(writer.map_err(unwritten)?))
        })
        .await
    }
}
