//! [`RequestedSource`]: DataFusion's Parquet source over clipped footers.
//!
//! Everything is the inner source's but three things: its readers clip, row groups are pruned by fields of structs too
//! ([`super::prune`]), and a filter that is pushed down is applied above once more. DataFusion leaves out conjuncts that
//! one file's columns do not allow, without a word to the plan; kept above, filters in the reader change the speed only.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use datafusion::arrow::datatypes::{DataType, SchemaRef};
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{TreeNode, TreeNodeRecursion};
use datafusion::datasource::listing::PartitionedFile;
use datafusion::datasource::physical_plan::parquet::DefaultParquetFileReaderFactory;
use datafusion::datasource::physical_plan::{FileOpener, FileScanConfig, FileSource, ParquetSource};
use datafusion::datasource::table_schema::TableSchema;
use datafusion::error::Result;
use datafusion::object_store::ObjectStore;
use datafusion::physical_expr::projection::ProjectionExprs;
use datafusion::physical_expr::utils::{collect_columns, conjunction};
use datafusion::physical_expr::{EquivalenceProperties, PhysicalExpr, PhysicalSortExpr, split_conjunction};
use datafusion::physical_plan::filter_pushdown::{FilterPushdownPropagation, PushedDown};
use datafusion::physical_plan::metrics::ExecutionPlanMetricsSet;
use datafusion::physical_plan::{DisplayFormatType, SortOrderPushdownResult};
use datafusion_datasource::morsel::Morselizer;

use super::access::ColumnAccess;
use super::faults::NamingMorselizer;
use super::prune::PruningMorselizer;
use super::reader::ClippedReaderFactory;
use super::request::Request;

/// A scan of Parquet files with a requested schema.
#[derive(Clone)]
pub(super) struct RequestedSource {
    inner: Arc<dyn FileSource>,
    request: Arc<Request>,
    access: ColumnAccess,
}

impl RequestedSource {
    /// A source that reads `request` through `inner`, a [`ParquetSource`].
    pub(super) fn new(inner: ParquetSource, request: Arc<Request>) -> Self {
        Self { inner: Arc::new(inner), request, access: ColumnAccess::default() }
    }

    /// The same scan, of the parts of columns that are looked at.
    pub(super) fn with_access(&self, access: ColumnAccess) -> Self {
        Self { access, ..self.clone() }
    }

    /// DataFusion's own source.
    pub(super) fn parquet(&self) -> Result<&ParquetSource> {
        self.inner.downcast_ref().ok_or_else(|| {
            crate::error::HandlerError::internal("the source of Parquet files is none of DataFusion's").into()
        })
    }

    /// The columns that the scan's expressions name. Of a file, nothing else has to be fit to be read.
    fn columns_read(&self) -> Result<BTreeSet<String>> {
        let mut names = BTreeSet::new();
        self.inner.apply_expressions(&mut |expr| {
            names.extend(collect_columns(expr).iter().map(|column| column.name().to_owned()));
            Ok(TreeNodeRecursion::Continue)
        })?;
        Ok(names)
    }

    fn over(&self, inner: Arc<dyn FileSource>) -> Arc<dyn FileSource> {
        Arc::new(Self { inner, ..self.clone() })
    }
}

impl FileSource for RequestedSource {
    fn create_file_opener(
        &self,
        object_store: Arc<dyn ObjectStore>,
        base_config: &FileScanConfig,
        partition: usize,
    ) -> Result<Arc<dyn FileOpener>> {
        self.inner.create_file_opener(object_store, base_config, partition)
    }

    fn create_morselizer(
        &self,
        object_store: Arc<dyn ObjectStore>,
        base_config: &FileScanConfig,
        partition: usize,
    ) -> Result<Box<dyn Morselizer>> {
        let parquet = self.parquet()?.clone();
        let bytes = match parquet.parquet_file_reader_factory() {
            Some(factory) => Arc::clone(factory),
            None => Arc::new(DefaultParquetFileReaderFactory::new(Arc::clone(&object_store))),
        };
        let request = Arc::new(self.request.only(&self.columns_read()?).narrow(&self.access));
        let clipping = Arc::new(ClippedReaderFactory::new(bytes, request));
        let predicate = parquet.filter();
        let prunes = parquet.table_parquet_options().global.pruning;
        let columns = self.inner.table_schema();
        let mut parquet = parquet.with_parquet_file_reader_factory(Arc::clone(&clipping) as _);
        if let Some(predicate) = &predicate {
            parquet = parquet.with_predicate(without_lists(predicate, columns.table_schema()));
        }
        let metrics = parquet.metrics().clone();
        let inner = parquet.create_morselizer(object_store, base_config, partition)?;
        let pruning = match predicate.filter(|_| prunes) {
            Some(predicate) => {
                let table = columns.file_schema();
                PruningMorselizer::around(inner, clipping, predicate, table, partition, metrics)
            }
            None => inner,
        };
        Ok(Box::new(NamingMorselizer(pruning)))
    }

    fn table_schema(&self) -> &TableSchema {
        self.inner.table_schema()
    }

    fn with_batch_size(&self, batch_size: usize) -> Arc<dyn FileSource> {
        self.over(self.inner.with_batch_size(batch_size))
    }

    fn filter(&self) -> Option<Arc<dyn PhysicalExpr>> {
        self.inner.filter()
    }

    fn projection(&self) -> Option<&ProjectionExprs> {
        self.inner.projection()
    }

    fn metrics(&self) -> &ExecutionPlanMetricsSet {
        self.inner.metrics()
    }

    fn file_type(&self) -> &str {
        self.inner.file_type()
    }

    fn fmt_extra(&self, t: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (t, self.access.is_empty()) {
            (_, true) => {}
            (DisplayFormatType::TreeRender, false) => writeln!(f, "parts={}", self.access)?,
            (_, false) => write!(f, ", parts=[{}]", self.access)?,
        }
        self.inner.fmt_extra(t, f)
    }

    fn supports_repartitioning(&self) -> bool {
        // A file may have nothing of what is asked for by id, and no column to share it out by.
        self.inner.supports_repartitioning() && !self.request.has_field_ids()
    }

    fn try_pushdown_filters(
        &self,
        filters: Vec<Arc<dyn PhysicalExpr>>,
        config: &ConfigOptions,
    ) -> Result<FilterPushdownPropagation<Arc<dyn FileSource>>> {
        let count = filters.len();
        let inner = self.inner.try_pushdown_filters(filters, config)?;
        Ok(FilterPushdownPropagation {
            filters: vec![PushedDown::No; count],
            updated_node: inner.updated_node.map(|source| self.over(source)),
        })
    }

    fn try_pushdown_sort(
        &self,
        order: &[PhysicalSortExpr],
        eq_properties: &EquivalenceProperties,
    ) -> Result<SortOrderPushdownResult<Arc<dyn FileSource>>> {
        Ok(match self.inner.try_pushdown_sort(order, eq_properties)? {
            SortOrderPushdownResult::Exact { inner } => {
                SortOrderPushdownResult::Exact { inner: self.over(inner) }
            }
            SortOrderPushdownResult::Inexact { inner } => {
                SortOrderPushdownResult::Inexact { inner: self.over(inner) }
            }
            SortOrderPushdownResult::Unsupported => SortOrderPushdownResult::Unsupported,
        })
    }

    fn reorder_files(&self, files: Vec<PartitionedFile>) -> Vec<PartitionedFile> {
        self.inner.reorder_files(files)
    }

    fn try_pushdown_projection(&self, projection: &ProjectionExprs) -> Result<Option<Arc<dyn FileSource>>> {
        Ok(self.inner.try_pushdown_projection(projection)?.map(|source| self.over(source)))
    }

    fn apply_expressions(
        &self,
        f: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        self.inner.apply_expressions(f)
    }
}

/// The conjuncts that look at no list or map. Those neither prune row groups nor can the reader filter by all of them: a
/// list that is a bare repeated field fails in its cache of filter columns.
fn without_lists(predicate: &Arc<dyn PhysicalExpr>, table: &SchemaRef) -> Arc<dyn PhysicalExpr> {
    let kept = split_conjunction(predicate).into_iter().filter(|conjunct| {
        let mut lists = false;
        let walked = conjunct.apply(|expr| {
            let data_type = expr.data_type(table);
            lists |= matches!(data_type, Ok(DataType::List(_) | DataType::Map(_, _)) | Err(_));
            Ok(if lists { TreeNodeRecursion::Stop } else { TreeNodeRecursion::Continue })
        });
        walked.is_ok() && !lists
    });
    conjunction(kept.cloned())
}
