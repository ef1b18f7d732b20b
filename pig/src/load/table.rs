//! TableLoader: tables of the catalog, with filters and projections pushed into them.

use std::fmt;
use std::sync::Arc;

use arrow::datatypes::{DataType, SchemaRef, TimeUnit};
use async_trait::async_trait;
use datafusion::catalog::TableProvider;
use datafusion::execution::SendableRecordBatchStream;
use datafusion::execution::context::SessionContext;
use datafusion::logical_expr::{LogicalPlan, LogicalPlanBuilder, cast};
use datafusion::prelude::Expr;
use ostracon_piglatin::types::{Field, PigType, Schema};

use crate::columns::field_name;
use crate::error::{PigError, PigErrorKind, Result, from_datafusion};
use crate::load::{Layout, LoadFunc, scan};
use crate::plan::{column, kernels};
use crate::warnings::Warnings;

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

    /// Makes a table.
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
        let fields = columns.fields().iter().map(|field| {
            let ty = pig_type(field.data_type()).ok_or_else(|| {
                let text = format!("column {} of type {} is no type of Pig", field.name(), field.data_type());
                PigError::new(PigErrorKind::Unsupported, text)
            })?;
            Ok(Field::named(field.name().as_str(), ty))
        });
        fields.collect::<Result<_>>().map(|fields| Some(Schema::new(fields)))
    }

    fn check(&self, path: &str) -> Result<()> {
        self.columns(path).map(drop)
    }

    async fn plan(
        &self,
        _: &SessionContext,
        path: &str,
        layout: &Layout,
        _: &Warnings,
    ) -> Result<LogicalPlan> {
        let Layout::Fields(_) = layout else {
            return Err(PigError::internal("a table has a schema"));
        };
        let columns = self.columns(path)?;
        let provider = self.catalog.provider(table_name(path)).await?;
        let fields: Vec<Expr> = columns
            .fields()
            .iter()
            .enumerate()
            .map(|(index, field)| {
                to_pig(column(field.name().as_str()), field.data_type()).alias(field_name(index))
            })
            .collect();
        LogicalPlanBuilder::from(scan(provider)?)
            .project(fields)
            .and_then(LogicalPlanBuilder::build)
            .map_err(from_datafusion)
    }
}

/// The type of Pig that holds the values of an Arrow type.
#[must_use]
pub(crate) fn pig_type(ty: &DataType) -> Option<PigType> {
    Some(match ty {
        DataType::Boolean => PigType::Boolean,
        DataType::Int8 | DataType::Int16 | DataType::Int32 | DataType::UInt8 | DataType::UInt16 => {
            PigType::Int
        }
        DataType::Int64 | DataType::UInt32 => PigType::Long,
        DataType::Float16 | DataType::Float32 => PigType::Float,
        DataType::Float64 => PigType::Double,
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => PigType::Chararray,
        DataType::Binary | DataType::LargeBinary | DataType::BinaryView => PigType::RAW,
        DataType::Timestamp(_, _) | DataType::Date32 | DataType::Date64 => PigType::Datetime,
        _ => return None,
    })
}

/// A column of a table as one of Pig's. Where the types are the same it stays a column, so that filters reach the table.
pub(crate) fn to_pig(column: Expr, ty: &DataType) -> Expr {
    let cast = |to: DataType| cast(column.clone(), to);
    match ty {
        DataType::Int8 | DataType::Int16 | DataType::UInt8 | DataType::UInt16 => cast(DataType::Int32),
        DataType::UInt32 => cast(DataType::Int64),
        DataType::Float16 => cast(DataType::Float32),
        DataType::LargeUtf8 | DataType::Utf8View => cast(DataType::Utf8),
        DataType::LargeBinary | DataType::BinaryView => cast(DataType::Binary),
        DataType::Timestamp(_, _) | DataType::Date32 | DataType::Date64 => {
            kernels::pack_datetime(cast(DataType::Timestamp(TimeUnit::Millisecond, None)))
        }
        _ => column,
    }
}
