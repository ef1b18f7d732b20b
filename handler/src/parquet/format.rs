//! [`RequestedFormat`]: DataFusion's Parquet format with a requested schema.

use std::collections::HashMap;
use std::fmt;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use async_trait::async_trait;
use datafusion::arrow::datatypes::{Schema, SchemaRef};
use datafusion::catalog::Session;
use datafusion::common::{GetExt, Statistics};
use datafusion::datasource::file_format::file_compression_type::FileCompressionType;
use datafusion::datasource::file_format::{FileFormat, FileFormatFactory};
use datafusion::datasource::physical_plan::parquet::metadata::DFParquetMetadata;
use datafusion::datasource::physical_plan::parquet::{
    ParquetFormat, transform_binary_to_string, transform_schema_to_view,
};
use datafusion::datasource::physical_plan::{
    FileScanConfig, FileScanConfigBuilder, FileSinkConfig, FileSource, ParquetSource,
};
use datafusion::datasource::source::DataSourceExec;
use datafusion::datasource::table_schema::TableSchema;
use datafusion::error::{DataFusionError, Result};
use datafusion::object_store::{ObjectMeta, ObjectStore, ObjectStoreExt};
use datafusion::parquet::file::metadata::{PageIndexPolicy, ParquetMetaData};
use datafusion::physical_expr::{LexOrdering, LexRequirement};
use datafusion::physical_plan::ExecutionPlan;
use futures::{FutureExt, StreamExt, TryStreamExt, stream};

use super::adapter::RequestedAdapterFactory;
use super::faults::{TRAILER, check_trailer, damaged, has_page_index};
use super::merge::{Merged, merged};
use super::request::Request;
use super::source::RequestedSource;
use super::statistics;
use crate::error::HandlerError;

/// Parquet files read as a [`Request`] asks.
#[derive(Debug)]
pub(super) struct RequestedFormat {
    inner: Arc<dyn FileFormat>,
    request: Arc<Request>,
}

impl RequestedFormat {
    /// Over DataFusion's format with its options.
    pub(super) fn new(inner: Arc<dyn FileFormat>, request: Arc<Request>) -> Self {
        Self { inner, request }
    }

    fn parquet(&self) -> Result<&ParquetFormat> {
        self.inner.downcast_ref().ok_or_else(|| {
            HandlerError::internal("the format of Parquet files is none of DataFusion's").into()
        })
    }

    /// The columns of all files.
    pub(super) async fn infer(
        &self,
        state: &dyn Session,
        store: &Arc<dyn ObjectStore>,
        objects: &[ObjectMeta],
    ) -> Result<Merged> {
        let mut files: Vec<&ObjectMeta> = objects.iter().collect();
        // The order of the columns must not hang on how a store lists its files.
        files.sort_by(|left, right| left.location.cmp(&right.location));
        let concurrency = state.config_options().execution.meta_fetch_concurrency.get();
        let footers: Vec<(String, Arc<ParquetMetaData>)> = stream::iter(files)
            .map(|file| async move {
                Ok::<_, DataFusionError>((file.location.to_string(), self.footer(state, store, file).await?))
            })
            .boxed()
            .buffered(concurrency)
            .try_collect()
            .await?;
        let merged = merged(&footers, self.request.case_sensitive())?;
        let parquet = self.parquet()?;
        let mut schema = Schema::new(merged.columns);
        if parquet.binary_as_string() {
            schema = transform_binary_to_string(&schema);
        }
        if parquet.force_view_types() {
            schema = transform_schema_to_view(&schema);
        }
        Ok(Merged { columns: schema.fields, ..merged })
    }

    /// The footer of a file, which stays in the session's cache.
    pub(super) async fn footer(
        &self,
        state: &dyn Session,
        store: &Arc<dyn ObjectStore>,
        file: &ObjectMeta,
    ) -> Result<Arc<ParquetMetaData>> {
        let of_file = |error: HandlerError| HandlerError {
            message: format!("file {}: {}", file.location, error.message),
            ..error
        };
        let cache = state.runtime_env().cache_manager.get_file_metadata_cache();
        if cache.get(&file.location).is_none() && file.size >= TRAILER {
            let trailer = store.get_range(&file.location, file.size - TRAILER..file.size).await;
            let trailer = trailer.map_err(|error| of_file(DataFusionError::from(error).into()))?;
            check_trailer(file, &trailer)?;
        }
        let read = async |policy| {
            let reader = DFParquetMetadata::new(store.as_ref(), file)
                .with_metadata_size_hint(self.parquet()?.metadata_size_hint())
                .with_page_index_policy(Some(policy))
                .with_file_metadata_cache(Some(Arc::clone(&cache)));
            match AssertUnwindSafe(reader.fetch_metadata()).catch_unwind().await {
                Ok(footer) => Ok(footer.map_err(|error| of_file(error.into()))?),
                Err(panic) => Err(damaged(file.location.as_ref(), panic.as_ref()).into()),
            }
        };
        let footer: Result<_> = read(PageIndexPolicy::Skip).await;
        let footer = footer?;
        if footer.column_index().is_none() && has_page_index(&footer, file)? {
            return read(PageIndexPolicy::Optional).await;
        }
        Ok(footer)
    }
}

#[async_trait]
impl FileFormat for RequestedFormat {
    fn get_ext(&self) -> String {
        self.inner.get_ext()
    }

    fn get_ext_with_compression(&self, compression: &FileCompressionType) -> Result<String> {
        self.inner.get_ext_with_compression(compression)
    }

    fn compression_type(&self) -> Option<FileCompressionType> {
        self.inner.compression_type()
    }

    async fn infer_schema(
        &self,
        state: &dyn Session,
        store: &Arc<dyn ObjectStore>,
        objects: &[ObjectMeta],
    ) -> Result<SchemaRef> {
        Ok(Arc::new(Schema::new(self.infer(state, store, objects).await?.columns)))
    }

    async fn infer_stats(
        &self,
        state: &dyn Session,
        store: &Arc<dyn ObjectStore>,
        table_schema: SchemaRef,
        object: &ObjectMeta,
    ) -> Result<Statistics> {
        let footer = self.footer(state, store, object).await?;
        statistics::of_file(&footer, &self.request, object, &table_schema)
    }

    async fn infer_ordering(
        &self,
        state: &dyn Session,
        store: &Arc<dyn ObjectStore>,
        table_schema: SchemaRef,
        object: &ObjectMeta,
    ) -> Result<Option<LexOrdering>> {
        let footer = self.footer(state, store, object).await?;
        statistics::order_of_file(&footer, &self.request, object, &table_schema)
    }

    async fn create_physical_plan(
        &self,
        state: &dyn Session,
        conf: FileScanConfig,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let source = conf.file_source().downcast_ref::<RequestedSource>().cloned();
        let source =
            source.ok_or_else(|| HandlerError::internal("a scan of Parquet files has another source"))?;
        // DataFusion's format gives its source the options, the cached footers and the keys of encrypted files.
        let inner =
            FileScanConfigBuilder::from(conf).with_source(Arc::new(source.parquet()?.clone())).build();
        let plan = self.inner.create_physical_plan(state, inner).await?;
        let Some((conf, parquet)) = plan
            .downcast_ref::<DataSourceExec>()
            .and_then(DataSourceExec::downcast_to_file_source::<ParquetSource>)
        else {
            return Ok(plan);
        };
        let source = RequestedSource::new(parquet.clone(), Arc::clone(&self.request));
        let conf = FileScanConfigBuilder::from(conf.clone())
            .with_source(Arc::new(source))
            .with_expr_adapter(Some(Arc::new(RequestedAdapterFactory)))
            .build();
        Ok(DataSourceExec::from_data_source(conf))
    }

    async fn create_writer_physical_plan(
        &self,
        input: Arc<dyn ExecutionPlan>,
        state: &dyn Session,
        conf: FileSinkConfig,
        order_requirements: Option<LexRequirement>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        self.inner.create_writer_physical_plan(input, state, conf, order_requirements).await
    }

    fn file_source(&self, table_schema: TableSchema) -> Arc<dyn FileSource> {
        let mut parquet = ParquetSource::new(table_schema);
        if let Ok(format) = self.parquet() {
            parquet = parquet.with_table_parquet_options(format.options().clone());
        }
        Arc::new(RequestedSource::new(parquet, Arc::clone(&self.request)))
    }
}

/// Makes the format of one table.
pub(super) struct RequestedFormatFactory {
    /// DataFusion's factory of Parquet.
    pub(super) inner: Arc<dyn FileFormatFactory>,
    /// What the table asks for.
    pub(super) request: Arc<Request>,
}

impl fmt::Debug for RequestedFormatFactory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RequestedFormatFactory").finish_non_exhaustive()
    }
}

impl GetExt for RequestedFormatFactory {
    fn get_ext(&self) -> String {
        self.inner.get_ext()
    }
}

impl FileFormatFactory for RequestedFormatFactory {
    fn create(
        &self,
        state: &dyn Session,
        format_options: &HashMap<String, String>,
    ) -> Result<Arc<dyn FileFormat>> {
        let inner = self.inner.create(state, format_options)?;
        Ok(Arc::new(RequestedFormat::new(inner, Arc::clone(&self.request))))
    }

    fn default(&self) -> Arc<dyn FileFormat> {
        Arc::new(RequestedFormat::new(self.inner.default(), Arc::clone(&self.request)))
    }
}
