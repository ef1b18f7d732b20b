//! [`LoadSource`]: the files of one load as a DataFusion partition stream.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use datafusion::error::DataFusionError;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_plan::stream::RecordBatchReceiverStreamBuilder;
use datafusion::physical_plan::streaming::PartitionStream;

use super::csv::CsvReader;
use super::input::{is_stdin, shown};
use super::ndjson::{NdjsonReader, columns_of};
use super::parquet::ParquetReader;
use super::reject::BadRows;
use super::{LoadError, LoadFormat, LoadOptions, LoadProgress};
use crate::error::HandlerError;

/// The files of one load, ready to be read once.
///
/// All files fill the same columns; the order of their fields may differ. Files after the first are opened when the
/// reading comes to them.
pub struct LoadSource {
    schema: SchemaRef,
    progress: Arc<LoadProgress>,
    files: Mutex<Option<Files>>,
}

impl std::fmt::Debug for LoadSource {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LoadSource").field("schema", &self.schema).finish_non_exhaustive()
    }
}

/// A file's reader, by its format.
enum FileReader {
    Csv(CsvReader),
    NdJson(NdjsonReader),
    Parquet(ParquetReader),
}

/// The state of the reading.
struct Files {
    target: SchemaRef,
    schema: SchemaRef,
    options: LoadOptions,
    /// Columns that NDJSON files fill.
    places: Vec<usize>,
    waiting: std::vec::IntoIter<(PathBuf, LoadFormat)>,
    current: Option<(String, FileReader)>,
    bad_rows: BadRows,
    progress: Arc<LoadProgress>,
}

impl LoadSource {
    /// Opens `paths` (`-` is standard input) for a table whose columns are `target`: fields that are not nullable are NOT
    /// NULL. Reads as much as is needed to know the columns; the schema of the batches is [`Self::schema`].
    pub fn open(
        paths: &[PathBuf],
        target: &SchemaRef,
        options: LoadOptions,
        progress: Arc<LoadProgress>,
    ) -> Result<Self, LoadError> {
        let mut files = Vec::with_capacity(paths.len());
        for path in paths {
            let format = options.format.or_else(|| LoadFormat::of_path(path)).ok_or_else(|| {
                let message = match is_stdin(path) {
                    true => {
                        "standard input has no extension to tell its format by; name it: csv, tsv or ndjson"
                    }
                    false => "the extension tells no format; name it: csv, tsv, ndjson or parquet",
                };
                LoadError::Format { file: shown(path), message: message.to_owned() }
            })?;
            if let Ok(metadata) = std::fs::metadata(path) {
                progress.add_total(metadata.len());
            }
            files.push((path.clone(), format));
        }
        let json: Vec<&Path> = files
            .iter()
            .filter(|(_, format)| *format == LoadFormat::NdJson)
            .map(|(path, _)| path.as_path())
            .collect();
        let places = if json.is_empty() { Vec::new() } else { columns_of(&json, target)? };
        let bad_rows = BadRows::new(options.reject.as_deref(), &progress)?;
        let mut files = Files {
            target: Arc::clone(target),
            schema: Arc::clone(target),
            options,
            places,
            waiting: files.into_iter(),
            current: None,
            bad_rows,
            progress: Arc::clone(&progress),
        };
        if files.advance()? {
            files.schema = Arc::clone(files.current_schema().unwrap_or(target));
        }
        Ok(Self { schema: Arc::clone(&files.schema), progress, files: Mutex::new(Some(files)) })
    }

    /// The columns that the files fill, with the table's types.
    pub fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// The counters of this load.
    pub fn progress(&self) -> &Arc<LoadProgress> {
        &self.progress
    }

    /// The batches themselves, for callers without DataFusion. Empty when the files have been read before.
    pub fn batches(&self) -> impl Iterator<Item = Result<RecordBatch, LoadError>> + Send + 'static {
        let mut files = self.files.lock().unwrap_or_else(PoisonError::into_inner).take();
        std::iter::from_fn(move || {
            let next = files.as_mut()?.next().transpose();
            if !matches!(next, Some(Ok(_))) {
                files = None;
            }
            next
        })
    }
}

impl PartitionStream for LoadSource {
    fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// Reads on a blocking thread, two batches ahead at most; dropping the stream ends the thread.
    fn execute(&self, _context: Arc<TaskContext>) -> SendableRecordBatchStream {
        let batches = self.batches();
        let mut builder = RecordBatchReceiverStreamBuilder::new(Arc::clone(&self.schema), 2);
        let sender = builder.tx();
        builder.spawn_blocking(move || {
            for batch in batches {
                let batch =
                    batch.map_err(|error| DataFusionError::External(Box::new(HandlerError::from(error))));
                if sender.blocking_send(batch).is_err() {
                    break;
                }
            }
            Ok(())
        });
        builder.build()
    }
}

impl Files {
    fn next(&mut self) -> Result<Option<RecordBatch>, LoadError> {
        loop {
            let Some((name, reader)) = &mut self.current else {
                self.bad_rows.finish()?;
                return Ok(None);
            };
            let batch = match reader {
                FileReader::Csv(reader) => reader.next(&mut self.bad_rows)?,
                FileReader::NdJson(reader) => reader.next(&mut self.bad_rows)?,
                FileReader::Parquet(reader) => reader.next(&mut self.bad_rows)?,
            };
            if let Some(batch) = batch {
                self.progress.add_rows(u64::try_from(batch.num_rows()).unwrap_or(0));
                return arranged(&batch, &self.schema, name).map(Some);
            }
            self.advance()?;
        }
    }

    /// Opens the next file; `false` after the last.
    fn advance(&mut self) -> Result<bool, LoadError> {
        self.current = None;
        let Some((path, format)) = self.waiting.next() else { return Ok(false) };
        let (target, options, progress) = (&self.target, &self.options, &self.progress);
        let reader = match format {
            LoadFormat::Csv | LoadFormat::Tsv => {
                FileReader::Csv(CsvReader::open(&path, format, target, options, progress)?)
            }
            LoadFormat::NdJson => {
                FileReader::NdJson(NdjsonReader::open(&path, target, &self.places, options, progress)?)
            }
            LoadFormat::Parquet => {
                FileReader::Parquet(ParquetReader::open(&path, target, options, progress)?)
            }
        };
        self.current = Some((shown(&path), reader));
        Ok(true)
    }

    fn current_schema(&self) -> Option<&SchemaRef> {
        self.current.as_ref().map(|(_, reader)| match reader {
            FileReader::Csv(reader) => reader.schema(),
            FileReader::NdJson(reader) => reader.schema(),
            FileReader::Parquet(reader) => reader.schema(),
        })
    }
}

/// A later file's batch in the first one's order.
fn arranged(batch: &RecordBatch, schema: &SchemaRef, file: &str) -> Result<RecordBatch, LoadError> {
    if batch.schema_ref() == schema {
        return Ok(batch.clone());
    }
    let place = |name: &String| batch.schema_ref().index_of(name).ok();
    let places: Option<Vec<_>> = schema.fields().iter().map(|field| place(field.name())).collect();
    match places.filter(|_| batch.num_columns() == schema.fields().len()) {
        Some(places) => Ok(batch.project(&places)?),
        None => {
            let names = |schema: &SchemaRef| {
                schema.fields().iter().map(|field| field.name().as_str()).collect::<Vec<_>>().join(", ")
            };
            let message = format!(
                "fills the columns {}, the files before it {}; load it by itself",
                names(batch.schema_ref()),
                names(schema)
            );
            Err(LoadError::Format { file: file.to_owned(), message })
        }
    }
}

#[cfg(test)]
mod tests;
