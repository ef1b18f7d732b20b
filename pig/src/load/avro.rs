//! AvroStorage's side of LOAD: object container files of Avro, with the types that they name.

use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow::array::ArrayRef;
use arrow::datatypes::{Field as ArrowField, Schema as ArrowSchema, SchemaRef};
use arrow::record_batch::RecordBatch;
use arrow_avro::reader::{Reader, ReaderBuilder};
use async_trait::async_trait;
use datafusion::catalog::streaming::StreamingTable;
use datafusion::error::DataFusionError;
use datafusion::execution::context::SessionContext;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::logical_expr::LogicalPlan;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::streaming::PartitionStream;
use futures::stream;
use ostracon_piglatin::types::Schema;

use crate::columns::{arrow_type, field_name, import};
use crate::error::{PigError, PigErrorKind, Result, from_datafusion};
use crate::load::table::schema_of;
use crate::load::{Layout, LoadFunc, fit, paths, scan};
use crate::warnings::RunContext;

/// Rows of a batch.
const BATCH: usize = 4096;

/// `AvroStorage()`: records are rows, nested ones tuples, arrays bags. The first file says which fields there are; others
/// are read by its names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct AvroStorage;

impl AvroStorage {
    /// Without arguments.
    pub(crate) fn new(arguments: &[String]) -> Result<Self> {
        match arguments {
            [] => Ok(Self),
            _ => Err(PigError::new(
                PigErrorKind::Unsupported,
                "AvroStorage takes no arguments here: fields have the names and types of the relation or the files",
            )),
        }
    }
}

fn open(path: &Path) -> Result<Reader<BufReader<File>>> {
    let shown = path.display();
    let file = File::open(path).map_err(|error| {
        PigError::new(PigErrorKind::Unavailable, format!("{shown} cannot be read: {error}"))
            .with_source(error)
    })?;
    ReaderBuilder::new().with_batch_size(BATCH).build(BufReader::new(file)).map_err(|error| {
        PigError::new(PigErrorKind::Corrupt, format!("{shown} cannot be read as Avro: {error}"))
            .with_source(error)
    })
}

/// The columns of the first file of a path.
fn columns(path: &str) -> Result<SchemaRef> {
    let files = paths::files(path)?;
    match files.first() {
        Some(first) => Ok(open(first)?.schema()),
        None => Err(PigError::new(PigErrorKind::NotFound, format!("there is no file in {path}"))),
    }
}

#[async_trait]
impl LoadFunc for AvroStorage {
    fn schema(&self, path: &str) -> Result<Option<Schema>> {
        let columns = columns(path)?;
        schema_of(&columns).map(Some)
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
        let read = columns(path)?;
        let schema = schema_of(&read)?;
        let fields = schema.fields.iter().enumerate();
        let fields =
            fields.map(|(index, field)| ArrowField::new(field_name(index), arrow_type(&field.ty), true));
        let made = Arc::new(ArrowSchema::new(fields.collect::<Vec<_>>()));
        let partitions = paths::files(path)?.into_iter().map(|file| {
            let file = AvroFile { file, read: Arc::clone(&read), made: Arc::clone(&made) };
            Arc::new(file) as Arc<dyn PartitionStream>
        });
        let table =
            StreamingTable::try_new(Arc::clone(&made), partitions.collect()).map_err(from_datafusion)?;
        fit(scan(Arc::new(table))?, &schema, layout, run)
    }
}

#[derive(Debug, Clone)]
struct AvroFile {
    file: PathBuf,
    /// The columns of the first file.
    read: SchemaRef,
    /// The same as Pig's.
    made: SchemaRef,
}

impl PartitionStream for AvroFile {
    fn schema(&self) -> &SchemaRef {
        &self.made
    }

    fn execute(&self, _: Arc<TaskContext>) -> SendableRecordBatchStream {
        let file = self.clone();
        let mut reader = None;
        let batches = std::iter::from_fn(move || file.batch(&mut reader).transpose());
        Box::pin(RecordBatchStreamAdapter::new(Arc::clone(&self.made), stream::iter(batches)))
    }
}

impl AvroFile {
    fn batch(
        &self,
        reader: &mut Option<Reader<BufReader<File>>>,
    ) -> datafusion::error::Result<Option<RecordBatch>> {
        let external = |error: PigError| DataFusionError::External(Box::new(error));
        let reader = match reader {
            Some(reader) => reader,
            None => reader.insert(open(&self.file).map_err(external)?),
        };
        let Some(batch) = reader.next() else { return Ok(None) };
        let shown = self.file.display();
        let batch = batch.map_err(|error| {
            let text = format!("{shown} cannot be read as Avro: {error}");
            external(PigError::new(PigErrorKind::Corrupt, text).with_source(error))
        })?;
        let arrays = self.read.fields().iter().map(|field| match batch.column_by_name(field.name()) {
            Some(array) if array.data_type() == field.data_type() => Ok(import(array)?),
            found => {
                let found = found.map_or("no such field".to_owned(), |array| array.data_type().to_string());
                let text = format!(
                    "field {} is of type {} in the first file, and {shown} has {found}",
                    field.name(),
                    field.data_type()
                );
                Err(external(PigError::invalid(text)))
            }
        });
        let arrays = arrays.collect::<datafusion::error::Result<Vec<ArrayRef>>>()?;
        Ok(Some(RecordBatch::try_new(Arc::clone(&self.made), arrays)?))
    }
}
