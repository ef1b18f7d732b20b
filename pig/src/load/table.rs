//! TableLoader: tables of the catalog, with filters and projections pushed into them.

use std::fmt;
use std::sync::Arc;

use arrow::datatypes::{DataType, Schema as ArrowSchema, SchemaRef};
use async_trait::async_trait;
use datafusion::catalog::TableProvider;
use datafusion::execution::SendableRecordBatchStream;
use datafusion::execution::context::SessionContext;
use datafusion::logical_expr::{LogicalPlan, LogicalPlanBuilder, cast};
use datafusion::prelude::Expr;
use ostracon_piglatin::types::{Field, PigType, Schema};

use crate::columns::{cast_type, field_name, pig_type};
use crate::error::{PigError, PigErrorKind, Result, from_datafusion};
use crate::load::{Layout, LoadFunc, fit, scan};
use crate::plan::{column, kernels};
use crate::warnings::RunContext;

/// The tables that scripts name.
///
/// # Contract
/// * `schema` does no more than look a table up.
/// * `store` writes all rows or none; a key that is there already gets the new row.
#[async_trait]
pub trait TableCatalog: fmt::Debug + Send + Sync {
    /// The columns of a table; none if there is no such table.
    ///
    /// # Errors
    /// If the catalog cannot be read.
    fn schema(&self, name: &str) -> Result<Option<SchemaRef>>;

    /// A table's rows.
    ///
    /// # Errors
    /// `NotFound`.
    async fn provider(&self, name: &str) -> Result<Arc<dyn TableProvider>>;

    /// Makes a table; without a key, its rows have hidden ids in the order in which they come.
    ///
    /// # Errors
    /// `Invalid` for columns that cannot be stored, or a key that is none of them.
    async fn create(&self, name: &str, columns: SchemaRef, key: &[String]) -> Result<()>;

    /// Writes rows into a table, column by column; gives their number.
    ///
    /// # Errors
    /// `NotFound`; `Invalid` for rows that the table refuses.
    async fn store(&self, name: &str, rows: SendableRecordBatchStream) -> Result<u64>;
}

/// The name in `table:NAME`.
pub(crate) fn table_name(path: &str) -> &str {
    path.strip_prefix("table:").unwrap_or(path)
}

/// `TableLoader()`.
#[derive(Debug, Clone)]
pub struct TableLoader {
    pub(crate) catalog: Arc<dyn TableCatalog>,
}

impl TableLoader {
    fn columns(&self, path: &str) -> Result<SchemaRef> {
        let name = table_name(path);
        self.catalog
            .schema(name)?
            .ok_or_else(|| PigError::new(PigErrorKind::NotFound, format!("there is no table {name}")))
    }
}

#[async_trait]
impl LoadFunc for TableLoader {
    fn schema(&self, path: &str) -> Result<Option<Schema>> {
        let columns = self.columns(path)?;
        schema_of(&columns).map(Some)
    }

    fn schema_later(&self, path: &str, kept: Option<&Schema>) -> Result<Option<Schema>> {
        match self.catalog.schema(table_name(path))? {
            Some(columns) => schema_of(&columns).map(Some),
            None => Ok(kept.cloned()),
        }
    }

    fn is_of_files(&self) -> bool {
        false
    }

    fn check(&self, path: &str) -> Result<()> {
        self.columns(path).map(drop)
    }

    async fn plan(
        &self,
        _: &SessionContext,
        path: &str,
        layout: &Layout,
        run: &RunContext,
    ) -> Result<LogicalPlan> {
        let columns = self.columns(path)?;
        let rows = scan(self.catalog.provider(table_name(path)).await?)?;
        fit(as_pig(rows, &columns)?, &schema_of(&columns)?, layout, run)
    }
}

/// The fields of Arrow columns.
///
/// # Errors
/// `Unsupported`, naming a column of a type that Pig has not.
pub(crate) fn schema_of(columns: &ArrowSchema) -> Result<Schema> {
    let fields = columns.fields().iter().map(|field| {
        let ty = pig_type(field.data_type()).ok_or_else(|| {
            let text = format!("column {} of type {} is no type of Pig", field.name(), field.data_type());
            PigError::new(PigErrorKind::Unsupported, text)
        })?;
        Ok(Field::named(field.name().as_str(), ty))
    });
    fields.collect::<Result<_>>().map(Schema::new)
}

/// Rows with the columns `f0`, `f1`, ... of Pig's types.
pub(crate) fn as_pig(rows: LogicalPlan, columns: &ArrowSchema) -> Result<LogicalPlan> {
    let fields = columns.fields().iter().enumerate().map(|(index, field)| {
        to_pig(column(field.name().as_str()), field.data_type()).alias(field_name(index))
    });
    LogicalPlanBuilder::from(rows)
        .project(fields.collect::<Vec<Expr>>())
        .and_then(LogicalPlanBuilder::build)
        .map_err(from_datafusion)
}

/// A column of a table as one of Pig's. Where the types are the same it stays a column, so that filters reach the table.
fn to_pig(column: Expr, ty: &DataType) -> Expr {
    match (pig_type(ty), cast_type(ty)) {
        (Some(PigType::Datetime), _) => kernels::pack_datetime(column),
        (_, Some(to)) if to == *ty => column,
        (_, Some(to)) => cast(column, to),
        (_, None) => kernels::import(column),
    }
}
