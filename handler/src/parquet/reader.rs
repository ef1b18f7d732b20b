//! Reading a file by its clipped footer.
//!
//! [`ClippedReaderFactory`] stands between DataFusion's Parquet source and the reader of the bytes: the footer it gives
//! shows a file that has the requested columns and nothing else, under their requested names.

use std::fmt;
use std::ops::Range;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use bytes::Bytes;
use datafusion::datasource::listing::PartitionedFile;
use datafusion::datasource::physical_plan::ParquetFileReaderFactory;
use datafusion::object_store::ObjectMeta;
use datafusion::parquet::arrow::arrow_reader::ArrowReaderOptions;
use datafusion::parquet::arrow::async_reader::AsyncFileReader;
use datafusion::parquet::errors::{ParquetError, Result};
use datafusion::parquet::file::metadata::ParquetMetaData;
use datafusion::physical_plan::metrics::ExecutionPlanMetricsSet;
use futures::FutureExt;
use futures::future::BoxFuture;

use super::faults::damaged;
use super::request::Request;

/// Makes readers whose footers are clipped to one request.
pub(super) struct ClippedReaderFactory {
    inner: Arc<dyn ParquetFileReaderFactory>,
    request: Arc<Request>,
}

impl ClippedReaderFactory {
    /// Readers over those that `inner` makes.
    pub(super) fn new(inner: Arc<dyn ParquetFileReaderFactory>, request: Arc<Request>) -> Self {
        Self { inner, request }
    }
}

impl fmt::Debug for ClippedReaderFactory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClippedReaderFactory").field("inner", &self.inner).finish_non_exhaustive()
    }
}

impl ParquetFileReaderFactory for ClippedReaderFactory {
    fn create_reader(
        &self,
        partition: usize,
        file: PartitionedFile,
        metadata_size_hint: Option<usize>,
        metrics: &ExecutionPlanMetricsSet,
    ) -> datafusion::error::Result<Box<dyn AsyncFileReader + Send>> {
        let meta = file.object_meta.clone();
        let inner = self.inner.create_reader(partition, file, metadata_size_hint, metrics)?;
        Ok(Box::new(ClippedReader { inner, file: meta, request: Arc::clone(&self.request) }))
    }
}

struct ClippedReader {
    inner: Box<dyn AsyncFileReader + Send>,
    file: ObjectMeta,
    request: Arc<Request>,
}

impl AsyncFileReader for ClippedReader {
    fn get_bytes(&mut self, range: Range<u64>) -> BoxFuture<'_, Result<Bytes>> {
        self.inner.get_bytes(range)
    }

    fn get_byte_ranges(&mut self, ranges: Vec<Range<u64>>) -> BoxFuture<'_, Result<Vec<Bytes>>> {
        self.inner.get_byte_ranges(ranges)
    }

    fn get_metadata<'a>(
        &'a mut self,
        options: Option<&'a ArrowReaderOptions>,
    ) -> BoxFuture<'a, Result<Arc<ParquetMetaData>>> {
        async move {
            let read = AssertUnwindSafe(self.inner.get_metadata(options)).catch_unwind().await;
            let footer = read.unwrap_or_else(|panic| {
                let error = damaged(self.file.location.as_ref(), panic.as_ref());
                Err(ParquetError::External(Box::new(error)))
            })?;
            self.request.clipped(&footer, &self.file).map_err(|error| ParquetError::External(Box::new(error)))
        }
        .boxed()
    }
}
