//! [`RowSource`]: a tablet table that also gives each row's bytes and labels.

use std::sync::Arc;

use async_trait::async_trait;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::catalog::{Session, TableProvider};
use datafusion::error::Result;
use datafusion::logical_expr::{Expr, TableProviderFilterPushDown, TableType};
use datafusion::physical_plan::ExecutionPlan;

use crate::provider::TabletTableProvider;
use crate::scan::{WriteVersion, extended_schema};

/// The rows that a statement may change; read as of the moment when the statement has locked the table.
#[derive(Debug)]
pub(super) struct RowSource {
    table: TabletTableProvider,
    schema: SchemaRef,
}

impl RowSource {
    pub(super) fn new(table: TabletTableProvider) -> Self {
        Self { schema: extended_schema(table.definition()), table }
    }
}

#[async_trait]
impl TableProvider for RowSource {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }

    fn table_type(&self) -> TableType {
        TableType::Base
    }

    fn supports_filters_pushdown(&self, filters: &[&Expr]) -> Result<Vec<TableProviderFilterPushDown>> {
        self.table.supports_filters_pushdown(filters)
    }

    async fn scan(
        &self,
        state: &dyn Session,
        projection: Option<&Vec<usize>>,
        filters: &[Expr],
        limit: Option<usize>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let projection = projection.cloned().unwrap_or_else(|| (0..self.schema.fields().len()).collect());
        self.table.plan_scan(state, projection, filters, limit, Some(WriteVersion::default()))
    }
}
