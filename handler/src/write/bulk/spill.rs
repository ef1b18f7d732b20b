//! Sorted rows in temporary files, as Arrow IPC streams. The files have no name and end with their handles, so that
//! nothing is left of them after a crash.

use std::fs::File;
use std::io::{BufReader, BufWriter, Seek};
use std::path::Path;

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::Schema;
use datafusion::arrow::error::ArrowError;
use datafusion::arrow::ipc::reader::StreamReader;
use datafusion::arrow::ipc::writer::StreamWriter;

use crate::error::{ErrorKind, HandlerError, Result};

const BUFFER_BYTES: usize = 256 << 10;

/// Fills a file with batches.
pub(super) struct SpillWriter(StreamWriter<BufWriter<File>>);

impl SpillWriter {
    /// A file in a folder, or where the system keeps temporary ones.
    pub(super) fn new(schema: &Schema, folder: Option<&Path>) -> Result<Self> {
        let file = match folder {
            Some(folder) => tempfile::tempfile_in(folder),
            None => tempfile::tempfile(),
        };
        let file = file.map_err(|error| failed("make", error))?;
        let output = BufWriter::with_capacity(BUFFER_BYTES, file);
        Ok(Self(StreamWriter::try_new(output, schema).map_err(|error| failed("write", error))?))
    }

    pub(super) fn write(&mut self, batch: &RecordBatch) -> Result<()> {
        self.0.write(batch).map_err(|error| failed("write", error))
    }

    /// The file, to be read from its start.
    pub(super) fn finish(self) -> Result<File> {
        let output = self.0.into_inner().map_err(|error| failed("write", error))?;
        let mut file = output.into_inner().map_err(|error| failed("write", error.into_error()))?;
        file.rewind().map_err(|error| failed("read", error))?;
        Ok(file)
    }
}

/// Gives the batches of a file.
#[derive(Debug)]
pub(super) struct SpillReader(StreamReader<BufReader<File>>);

impl SpillReader {
    pub(super) fn new(file: File) -> Result<Self> {
        let input = BufReader::with_capacity(BUFFER_BYTES, file);
        Ok(Self(StreamReader::try_new(input, None).map_err(|error| failed("read", error))?))
    }
}

impl Iterator for SpillReader {
    type Item = Result<RecordBatch>;

    fn next(&mut self) -> Option<Self::Item> {
        self.0.next().map(|batch| batch.map_err(|error| failed("read", error)))
    }
}

fn failed(what: &str, error: impl Into<ArrowError>) -> HandlerError {
    let error = error.into();
    HandlerError::new(ErrorKind::Unavailable, format!("cannot {what} a temporary file for sorting: {error}"))
        .with_source(error)
}
