//! STREAM: rows through a program of the machine, as lines of fields between tabs (Pig's PigStreaming).

use std::io::{BufRead, BufReader, BufWriter, Read, Write};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use arrow::datatypes::{DataType, Field, Schema as ArrowSchema, SchemaRef};
use arrow::record_batch::RecordBatch;
use datafusion::error::DataFusionError;
use datafusion::execution::SendableRecordBatchStream;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use futures::{StreamExt, stream};
use ostracon_piglatin::ast::{CommandSpec, StreamHandle};
use ostracon_piglatin::types::{PigType, Schema};
use ostracon_piglatin::value::Value;
use ostracon_piglatin::value::text::write_bytes;

use crate::columns::{ColumnBuilder, value_at};
use crate::error::{PigError, PigErrorKind, Result};
use crate::plan::ROW;

/// Lines of the program in one batch.
const BATCH: usize = 8192;
/// Bytes of the program's complaints that an error shows.
const COMPLAINT: u64 = 2000;

/// A program and how its fields are told apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Program {
    /// What the shell is given.
    pub(crate) command: String,
    /// Between fields that it reads.
    pub(crate) input_delimiter: u8,
    /// Between fields that it prints.
    pub(crate) output_delimiter: u8,
}

impl Program {
    /// The program of a STREAM.
    ///
    /// # Errors
    /// `Unsupported` for files in place of its standard input and output; `Invalid` for shipped files that are missing.
    pub(crate) fn new(spec: &CommandSpec) -> Result<Self> {
        for path in spec.ship.iter().chain(&spec.cache) {
            let file = path.text.split('#').next().unwrap_or_default();
            if !std::path::Path::new(file).exists() {
                let text = format!("there is no file {file}, which the program of a STREAM needs");
                return Err(PigError::new(PigErrorKind::NotFound, text).at(path.span));
            }
        }
        let delimiter = |handles: &[StreamHandle], standard: &str| match handles {
            [] => Ok(b'\t'),
            [handle] if handle.handle.text == standard => delimiter_of(handle),
            [handle, ..] => Err(PigError::new(
                PigErrorKind::Unsupported,
                format!(
                    "a program of STREAM reads stdin and prints to stdout here, not {}",
                    handle.handle.text
                ),
            )
            .at(handle.handle.span)),
        };
        Ok(Self {
            command: spec.command.text.clone(),
            input_delimiter: delimiter(&spec.input, "stdin")?,
            output_delimiter: delimiter(&spec.output, "stdout")?,
        })
    }

    /// Runs the program over rows, and gives the rows it prints, in the column `row`.
    ///
    /// # Errors
    /// If the program cannot be started, or does not end well.
    pub(crate) async fn run(
        &self,
        rows: SendableRecordBatchStream,
        schema: Option<&Schema>,
    ) -> Result<SendableRecordBatchStream> {
        let mut child = Command::new("sh")
            .arg("-c")
            .arg(&self.command)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| {
                PigError::invalid(format!("the program `{}` cannot be started", self.command))
                    .with_source(error)
            })?;
        let (lines, texts) = sync_channel::<Vec<u8>>(4);
        let (batches, made) = sync_channel(4);
        let (input, output, complaints) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let writer = tokio::task::spawn_blocking(move || feed(input, &texts));
        let program = self.clone();
        let reader = tokio::task::spawn_blocking(move || program.read(child, output, complaints, &batches));
        let types = schema.map(Schema::types);
        let delimiter = self.input_delimiter;
        let feeder = tokio::spawn(write_rows(rows, types, delimiter, lines));
        let schema = row_schema();
        let output = stream::unfold(Some((made, writer, reader, feeder)), |state| async move {
            let (made, writer, reader, feeder) = state?;
            let (next, made) = tokio::task::spawn_blocking(move || (made.recv().ok(), made)).await.ok()?;
            match next {
                Some(batch) => Some((batch, Some((made, writer, reader, feeder)))),
                None => {
                    // A program that stops reading early is no fault; its exit status tells.
                    let fed = feeder
                        .await
                        .map_err(|error| DataFusionError::External(Box::new(error)))
                        .and_then(|fed| fed);
                    let _ = writer.await;
                    let _ = reader.await;
                    fed.err().map(|error| (Err(error), None))
                }
            }
        });
        Ok(Box::pin(RecordBatchStreamAdapter::new(schema, output)))
    }

    fn read(
        &self,
        mut child: Child,
        output: Option<impl Read>,
        complaints: Option<impl Read + Send + 'static>,
        batches: &SyncSender<datafusion::error::Result<RecordBatch>>,
    ) {
        // What it complains is read beside its output, or a full pipe would stop it.
        let complaints = std::thread::spawn(move || {
            let mut text = Vec::new();
            if let Some(mut complaints) = complaints {
                let _ = complaints.by_ref().take(COMPLAINT).read_to_end(&mut text);
                let _ = std::io::copy(&mut complaints, &mut std::io::sink());
            }
            String::from_utf8_lossy(&text).trim().to_owned()
        });
        let read = output.map_or(Ok(()), |output| self.read_lines(BufReader::new(output), batches));
        let ended = child.wait();
        let said = complaints.join().unwrap_or_default();
        let failed = match (read, ended) {
            (Err(error), _) => Some(error),
            (Ok(()), Err(error)) => Some(DataFusionError::IoError(error)),
            (Ok(()), Ok(status)) if !status.success() => {
                let said = if said.is_empty() { String::new() } else { format!(": {said}") };
                let text = format!("the program `{}` of a STREAM ended with {status}{said}", self.command);
                Some(DataFusionError::Execution(text))
            }
            _ => None,
        };
        if let Some(error) = failed {
            // Nobody is left to tell if the reader has gone.
            let _ = batches.send(Err(error));
        }
    }

    fn read_lines(
        &self,
        mut output: impl BufRead,
        batches: &SyncSender<datafusion::error::Result<RecordBatch>>,
    ) -> datafusion::error::Result<()> {
        let mut builder = ColumnBuilder::new(&PigType::Tuple(None));
        let mut rows = 0;
        let mut line = Vec::new();
        loop {
            line.clear();
            let ended = output.read_until(b'\n', &mut line)? == 0;
            if !ended {
                if line.last() == Some(&b'\n') {
                    line.pop();
                }
                let fields = line.split(|byte| *byte == self.output_delimiter).map(|field| match field {
                    [] => Value::Null,
                    bytes => Value::Bytearray(bytes.to_vec()),
                });
                builder.push(&Value::Tuple(fields.collect()))?;
                rows += 1;
            }
            if rows == BATCH || (ended && rows > 0) {
                let batch = RecordBatch::try_new(row_schema(), vec![builder.finish()?])?;
                if batches.send(Ok(batch)).is_err() {
                    return Ok(());
                }
                rows = 0;
            }
            if ended {
                return Ok(());
            }
        }
    }
}

/// `stdin USING PigStreaming(',')`.
fn delimiter_of(handle: &StreamHandle) -> Result<u8> {
    let Some(function) = &handle.function else { return Ok(b'\t') };
    let short = function.name.text.rsplit('.').next().unwrap_or_default();
    match (short, function.arguments.first().map(|argument| argument.text.as_bytes())) {
        ("PigStreaming" | "PigStorage", None) => Ok(b'\t'),
        ("PigStreaming" | "PigStorage", Some([byte])) => Ok(*byte),
        ("PigStreaming" | "PigStorage", Some(b"\\t")) => Ok(b'\t'),
        ("PigStreaming" | "PigStorage", Some(_)) => {
            Err(PigError::invalid("the fields of a STREAM lie between one character").at(function.span))
        }
        _ => Err(PigError::new(
            PigErrorKind::Unsupported,
            format!("rows go to a program by PigStreaming, not by {}", function.name.text),
        )
        .at(function.span)),
    }
}

fn row_schema() -> SchemaRef {
    Arc::new(ArrowSchema::new(vec![Field::new(ROW, DataType::Binary, true)]))
}

fn feed(input: Option<impl Write>, texts: &Receiver<Vec<u8>>) {
    let Some(input) = input else { return };
    let mut input = BufWriter::new(input);
    while let Ok(text) = texts.recv() {
        if input.write_all(&text).is_err() {
            return;
        }
    }
    // A program that has read enough closes its end: that is no fault.
    let _ = input.flush();
}

async fn write_rows(
    mut rows: SendableRecordBatchStream,
    types: Option<Vec<PigType>>,
    delimiter: u8,
    lines: SyncSender<Vec<u8>>,
) -> datafusion::error::Result<()> {
    while let Some(batch) = rows.next().await {
        let batch = batch?;
        let mut text = Vec::new();
        for row in 0..batch.num_rows() {
            let fields = fields_at(&batch, types.as_deref(), row)?;
            for (index, field) in fields.iter().enumerate() {
                if index > 0 {
                    text.push(delimiter);
                }
                write_bytes(field, &mut text);
            }
            text.push(b'\n');
        }
        let lines = lines.clone();
        let sent = tokio::task::spawn_blocking(move || lines.send(text).is_ok()).await;
        if !sent.unwrap_or(false) {
            break;
        }
    }
    Ok(())
}

/// The fields of a row, of a relation with or without a schema.
pub(crate) fn fields_at(
    batch: &RecordBatch,
    types: Option<&[PigType]>,
    row: usize,
) -> datafusion::error::Result<Vec<Value>> {
    match types {
        Some(types) => batch
            .columns()
            .iter()
            .zip(types)
            .map(|(column, ty)| Ok(value_at(column.as_ref(), ty, row)?))
            .collect(),
        None => match value_at(batch.column(0).as_ref(), &PigType::Tuple(None), row)? {
            Value::Tuple(fields) => Ok(fields),
            _ => Ok(Vec::new()),
        },
    }
}
