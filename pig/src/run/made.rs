//! Rows that are computed once and read several times: what several STOREs have in common, and what STREAM printed.

use std::fs::File;
use std::io::{BufReader, BufWriter};
use std::sync::Arc;

use arrow::datatypes::SchemaRef;
use arrow::ipc::reader::StreamReader;
use arrow::ipc::writer::StreamWriter;
use datafusion::catalog::streaming::StreamingTable;
use datafusion::common::Result;
use datafusion::datasource::{MemTable, provider_as_source};
use datafusion::error::DataFusionError;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::logical_expr::{LogicalPlan as Plan, LogicalPlanBuilder, UNNAMED_TABLE};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::streaming::PartitionStream;
use futures::{StreamExt, stream};

/// Bytes that are kept in memory before they go to a file.
const IN_MEMORY: usize = 256 << 20;

/// Reads all rows, and gives a plan that reads them again.
pub(crate) async fn make(mut rows: SendableRecordBatchStream) -> Result<Plan> {
    let schema = rows.schema();
    let mut batches = Vec::new();
    let mut bytes = 0;
    let mut file: Option<StreamWriter<BufWriter<File>>> = None;
    while let Some(batch) = rows.next().await {
        let batch = batch?;
        match &mut file {
            Some(writer) => writer.write(&batch)?,
            None => {
                bytes += batch.get_array_memory_size();
                batches.push(batch);
                if bytes > IN_MEMORY {
                    let mut writer = StreamWriter::try_new(BufWriter::new(tempfile::tempfile()?), &schema)?;
                    for batch in batches.drain(..) {
                        writer.write(&batch)?;
                    }
                    file = Some(writer);
                }
            }
        }
    }
    let provider: Arc<dyn datafusion::catalog::TableProvider> = match file {
        None => Arc::new(MemTable::try_new(schema, vec![batches])?),
        Some(writer) => {
            let file = writer.into_inner()?.into_inner().map_err(|error| error.into_error())?;
            let kept: Arc<dyn PartitionStream> = Arc::new(KeptRows { schema: Arc::clone(&schema), file });
            Arc::new(StreamingTable::try_new(schema, vec![kept])?)
        }
    };
    LogicalPlanBuilder::scan(UNNAMED_TABLE, provider_as_source(provider), None)?.build()
}

/// Rows in a file without a name, which goes away with the last reader.
#[derive(Debug)]
struct KeptRows {
    schema: SchemaRef,
    file: File,
}

impl PartitionStream for KeptRows {
    fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    fn execute(&self, _: Arc<TaskContext>) -> SendableRecordBatchStream {
        let rows = self.batches().map_or_else(
            |error| stream::iter(vec![Err(error)]).left_stream(),
            |reader| stream::iter(reader.map(|batch| batch.map_err(DataFusionError::from))).right_stream(),
        );
        Box::pin(RecordBatchStreamAdapter::new(Arc::clone(&self.schema), rows))
    }
}

impl KeptRows {
    fn batches(&self) -> Result<StreamReader<BufReader<ReadAt>>> {
        let file = ReadAt { file: self.file.try_clone()?, at: 0 };
        Ok(StreamReader::try_new(BufReader::new(file), None)?)
    }
}

/// A reader with a place of its own: readers of one file do not move each other.
struct ReadAt {
    file: File,
    at: u64,
}

impl std::io::Read for ReadAt {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let read = std::os::unix::fs::FileExt::read_at(&self.file, buffer, self.at)?;
        self.at += u64::try_from(read).unwrap_or(0);
        Ok(read)
    }
}
