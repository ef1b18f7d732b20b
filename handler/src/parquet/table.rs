//! [`ParquetTable`]: Parquet files as a table with a requested schema, and the factory that `STORED AS PARQUET` calls.

use std::sync::Arc;

use async_trait::async_trait;
use datafusion::arrow::datatypes::{DataType, Field, FieldRef, Schema, SchemaRef};
use datafusion::catalog::{ScanArgs, ScanResult, Session, TableProvider, TableProviderFactory};
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode};
use datafusion::common::{Constraints, DFSchema, Statistics};
use datafusion::datasource::listing::{ListingOptions, ListingTable, ListingTableUrl};
use datafusion::datasource::listing_table_factory::ListingTableFactory;
use datafusion::datasource::physical_plan::FileScanConfigBuilder;
use datafusion::datasource::source::DataSourceExec;
use datafusion::error::Result;
use datafusion::execution::SessionState;
use datafusion::logical_expr::dml::InsertOp;
use datafusion::logical_expr::{CreateExternalTable, Expr, TableProviderFilterPushDown, TableType};
use datafusion::physical_plan::ExecutionPlan;
use futures::TryStreamExt;

use super::access::ColumnAccess;
use super::format::{RequestedFormat, RequestedFormatFactory};
use super::options::{MatchingOptions, nullable};
use super::request::Request;
use super::source::RequestedSource;
use crate::error::HandlerError;

/// The files of a folder, if its table declares no columns.
const FILES: &str = "*.parquet";

/// Parquet files read with a requested schema.
#[derive(Debug, Clone)]
pub struct ParquetTable {
    listing: ListingTable,
    access: ColumnAccess,
}

impl ParquetTable {
    /// The same table for a query that looks at parts of columns only. Its types stay; what nobody looks at is NULL.
    pub(super) fn with_access(&self, access: ColumnAccess) -> Self {
        Self { access, ..self.clone() }
    }

    /// The parts of columns that are read.
    pub(super) fn access(&self) -> &ColumnAccess {
        &self.access
    }

    /// The scan, of no more than the query looks at.
    fn narrowed(&self, plan: Arc<dyn ExecutionPlan>) -> Result<Arc<dyn ExecutionPlan>> {
        if self.access.is_empty() {
            return Ok(plan);
        }
        plan.transform_down(|plan| {
            let Some((conf, source)) = plan
                .downcast_ref::<DataSourceExec>()
                .and_then(DataSourceExec::downcast_to_file_source::<RequestedSource>)
            else {
                return Ok(Transformed::no(plan));
            };
            let source = Arc::new(source.with_access(self.access.clone()));
            let conf = FileScanConfigBuilder::from(conf.clone()).with_source(source).build();
            Ok(Transformed::yes(DataSourceExec::from_data_source(conf) as Arc<dyn ExecutionPlan>))
        })
        .data()
    }
}

#[async_trait]
impl TableProvider for ParquetTable {
    fn schema(&self) -> SchemaRef {
        self.listing.schema()
    }

    fn constraints(&self) -> Option<&Constraints> {
        self.listing.constraints()
    }

    fn table_type(&self) -> TableType {
        self.listing.table_type()
    }

    fn get_table_definition(&self) -> Option<&str> {
        self.listing.get_table_definition()
    }

    fn get_column_default(&self, column: &str) -> Option<&Expr> {
        self.listing.get_column_default(column)
    }

    fn statistics(&self) -> Option<Statistics> {
        self.listing.statistics()
    }

    fn supports_filters_pushdown(&self, filters: &[&Expr]) -> Result<Vec<TableProviderFilterPushDown>> {
        self.listing.supports_filters_pushdown(filters)
    }

    async fn scan(
        &self,
        state: &dyn Session,
        projection: Option<&Vec<usize>>,
        filters: &[Expr],
        limit: Option<usize>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        self.narrowed(self.listing.scan(state, projection, filters, limit).await?)
    }

    async fn scan_with_args<'a>(&self, state: &dyn Session, args: ScanArgs<'a>) -> Result<ScanResult> {
        let scan = self.listing.scan_with_args(state, args).await?;
        Ok(ScanResult::new(self.narrowed(scan.into_inner())?))
    }

    async fn insert_into(
        &self,
        state: &dyn Session,
        input: Arc<dyn ExecutionPlan>,
        op: InsertOp,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        self.listing.insert_into(state, input, op).await
    }
}

/// Makes [`ParquetTable`]s for `CREATE EXTERNAL TABLE ... STORED AS PARQUET`.
#[derive(Debug, Default)]
pub struct ParquetTableFactory;

#[async_trait]
impl TableProviderFactory for ParquetTableFactory {
    async fn create(
        &self,
        state: &dyn Session,
        command: &CreateExternalTable,
    ) -> Result<Arc<dyn TableProvider>> {
        let mut command = command.clone();
        let mut matching = MatchingOptions::take(&mut command.options)?;
        let session = state
            .as_any()
            .downcast_ref::<SessionState>()
            .ok_or_else(|| HandlerError::internal("a table over files needs a DataFusion session"))?;
        let declared = Arc::clone(command.schema.inner());
        if declared.fields().is_empty() && !matching.field_ids.is_empty() {
            let message = "the options 'schema.field_id.PATH' need declared columns to stand for";
            return Err(HandlerError::invalid(message).into());
        }
        let infers = declared.fields().is_empty();
        if infers {
            let inferring = with_format(session, Request::inferring(matching.case_sensitive))?;
            matching.case_sensitive = inferred(&inferring, &mut command).await?;
        } else {
            let readable =
                Schema::new_with_metadata(nullable(declared.fields()), declared.metadata().clone());
            command.schema = Arc::new(DFSchema::try_from(readable)?);
        }
        let columns = command
            .schema
            .fields()
            .iter()
            .filter(|field| !command.table_partition_cols.contains(field.name()))
            .cloned()
            .collect();
        let request = Request::new(matching.with_field_ids(&columns)?, matching.case_sensitive);
        let request = if infers { request.with_noted_types() } else { request };
        let mut reading = with_format(session, request)?;
        // The session's cache of statistics goes by table, file and columns. It does not know how columns are found.
        let is_plain = matching == MatchingOptions::default();
        if !is_plain {
            reading.config_mut().options_mut().execution.collect_statistics = false;
        }
        let made = ListingTableFactory::new().create(&reading, &command).await?;
        let listing = made
            .downcast_ref::<ListingTable>()
            .ok_or_else(|| HandlerError::internal("DataFusion made no table over files"))?
            .clone();
        let listing = if is_plain { listing } else { listing.with_cache(None) };
        Ok(Arc::new(ParquetTable { listing, access: ColumnAccess::default() }))
    }
}

/// The session with Parquet as one table asks for it.
fn with_format(session: &SessionState, request: Request) -> Result<SessionState> {
    let inner = session.get_file_format_factory("parquet").ok_or_else(|| {
        HandlerError::unsupported("this DataFusion session does not know the format PARQUET")
    })?;
    let mut own = session.clone();
    let factory = RequestedFormatFactory { inner, request: Arc::new(request) };
    own.register_file_format(Arc::new(factory), true)?;
    Ok(own)
}

/// Declares the columns of all files, and those that folders tell; gives whether names match only as written.
async fn inferred(session: &SessionState, command: &mut CreateExternalTable) -> Result<bool> {
    let format = session
        .get_file_format_factory("parquet")
        .ok_or_else(|| HandlerError::internal("the format PARQUET was just registered"))?
        .create(session, &command.options)?;
    let mut files = Vec::new();
    let mut store = None;
    let mut partitions = command.table_partition_cols.clone();
    for location in &mut command.locations {
        let mut url = ListingTableUrl::parse(location.as_str())?;
        let options = ListingOptions::new(Arc::clone(&format)).with_file_extension("");
        // What else lies in a folder has no say in what the columns are, and is not read.
        if url.is_folder() && url.get_glob().is_none() {
            *location = format!("{}/{FILES}", location.trim_end_matches('/'));
            url = ListingTableUrl::parse(location.as_str())?;
        }
        if partitions.is_empty() && session.config_options().execution.listing_table_factory_infer_partitions
        {
            partitions = options.infer_partitions(session, &url).await?;
        }
        let place = session.runtime_env().object_store(&url)?;
        let listed = url.list_all_files(session, place.as_ref(), "").await?;
        let listed: Vec<_> = listed.try_collect().await?;
        files.extend(listed.into_iter().filter(|file| file.size > 0));
        store = Some(place);
    }
    let Some(store) = store.filter(|_| !files.is_empty()) else {
        return Err(HandlerError::invalid(format!(
            "there are no Parquet files in {}; declare the table's columns, or put files there",
            command.locations.join(", ")
        ))
        .into());
    };
    let requested = format
        .downcast_ref::<RequestedFormat>()
        .ok_or_else(|| HandlerError::internal("the format PARQUET is another than was registered"))?;
    let merged = requested.infer(session, &store, &files).await?;
    let mut fields: Vec<FieldRef> = merged.columns.iter().cloned().collect();
    for name in &partitions {
        let known = DataType::Dictionary(Box::new(DataType::UInt16), Box::new(DataType::Utf8));
        fields.push(Arc::new(Field::new(name, known, false)));
    }
    command.schema = Arc::new(DFSchema::try_from(Schema::new(fields))?);
    command.table_partition_cols = partitions;
    Ok(merged.case_sensitive)
}
