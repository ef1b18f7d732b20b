//! The contract of [`StorageHandler`], as checks that any implementor can be run through.
//!
//! [`check`] makes tables of three columns (`k BIGINT`, the key, `v VARCHAR`, `n DOUBLE`), writes to them, reads them
//! with filters, projections and limits, and drops them. What DataFusion computes over the same rows in memory is the
//! measure. A broken clause is an error that names it.

use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, Float64Array, Int64Array, RecordBatch, StringArray};
use datafusion::arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use datafusion::arrow::util::display::array_value_to_string;
use datafusion::catalog::TableProvider;
use datafusion::common::ScalarValue;
use datafusion::datasource::MemTable;
use datafusion::datasource::memory::MemorySourceConfig;
use datafusion::execution::context::SessionContext;
use datafusion::logical_expr::dml::InsertOp;
use datafusion::logical_expr::{Expr, TableProviderFilterPushDown, col, lit};
use datafusion::physical_plan::{ExecutionPlan, collect};

use super::{CreateRequest, SessionAccess, StorageHandler};
use crate::catalog::HandledTable;
use crate::definition::ColumnSpec;
use crate::error::{ErrorKind, HandlerError, Result};
use crate::predicate::PushdownSettings;

/// Runs a handler through all clauses. `properties` are those that its tables need, if any.
pub async fn check(handler: &dyn StorageHandler, properties: &[(String, String)]) -> Result<()> {
    let suite =
        Suite { handler, properties, context: SessionContext::new(), access: SessionAccess::default() };
    suite.names()?;
    suite.creation()?;
    suite.descriptions()?;
    suite.rows().await?;
    suite.filters().await?;
    suite.projections_and_limits().await?;
    suite.drops().await
}

struct Suite<'a> {
    handler: &'a dyn StorageHandler,
    properties: &'a [(String, String)],
    context: SessionContext,
    access: SessionAccess,
}

/// Fails with the clause that does not hold.
fn ensure(holds: bool, clause: impl Into<String>) -> Result<()> {
    if holds {
        Ok(())
    } else {
        Err(HandlerError::internal(format!("contract of storage handlers: {}", clause.into())))
    }
}

impl Suite<'_> {
    fn request(&self, name: &str) -> CreateRequest {
        CreateRequest {
            name: name.to_owned(),
            columns: vec![
                ColumnSpec::new("k", DataType::Int64).not_null(),
                ColumnSpec::new("v", DataType::Utf8),
                ColumnSpec::new("n", DataType::Float64),
            ],
            primary_key: vec!["k".to_owned()],
            external: false,
            properties: self.properties.to_vec(),
            location: None,
            replaces: None,
        }
    }

    fn make(&self, name: &str) -> Result<HandledTable> {
        let table = self.handler.pre_create(&self.request(name))?;
        self.handler.commit_create(&table)?;
        Ok(table)
    }

    fn names(&self) -> Result<()> {
        let names = self.handler.names();
        ensure(!names.is_empty(), "a handler has a name")?;
        let mut upper: Vec<String> = names.iter().map(|name| name.to_uppercase()).collect();
        upper.sort();
        upper.dedup();
        ensure(upper.len() == names.len(), "its names differ without regard to case")
    }

    fn creation(&self) -> Result<()> {
        let mut bad = self.request("contract_bad");
        bad.properties.push(("no.such.property".to_owned(), "x".to_owned()));
        match self.handler.pre_create(&bad) {
            Ok(_) => return ensure(false, "pre_create refuses a property that does not exist"),
            Err(error) => {
                ensure(error.kind == ErrorKind::Invalid, "an unknown property is `invalid`")?;
                ensure(error.message.contains("no.such.property"), "the error names the unknown property")?;
            }
        }
        let table = self.handler.pre_create(&self.request("contract_bad"))?;
        ensure(table.name == "contract_bad", "the catalog's record carries the SQL name")?;
        let first = self.handler.names().first().copied().unwrap_or_default();
        ensure(table.handler == first, "the catalog's record carries the handler's first name")?;
        ensure(!table.external, "the catalog's record says whether the table is external")?;
        self.handler.rollback_create(&table)?;
        let again = self.handler.pre_create(&self.request("contract_bad"));
        ensure(again.is_ok(), "after rollback_create the table can be made again")?;
        self.handler.rollback_create(&again?)
    }

    fn descriptions(&self) -> Result<()> {
        let table = self.make("contract_described")?;
        let described = self.handler.describe(&table)?;
        let found: Vec<_> =
            described.columns.iter().map(|c| (c.spec.name.as_str(), &c.spec.data_type)).collect();
        let wanted = [("k", &DataType::Int64), ("v", &DataType::Utf8), ("n", &DataType::Float64)];
        ensure(found == wanted, "describe gives the declared columns in their order")?;
        ensure(described.properties == self.properties, "describe gives the properties as written")?;
        let refused = self.handler.alter_properties(&table, &[("no.such.property".into(), "x".into())], &[]);
        ensure(
            refused.is_err_and(|error| error.kind == ErrorKind::Invalid),
            "alter_properties refuses a property that does not exist",
        )?;
        self.drop(&table)
    }

    fn drop(&self, table: &HandledTable) -> Result<()> {
        self.handler.pre_drop(table)?;
        self.handler.commit_drop(table)
    }

    async fn write(&self, table: &HandledTable, batches: &[RecordBatch], op: InsertOp) -> Result<u64> {
        let input = MemorySourceConfig::try_new_exec(&[batches.to_vec()], rows_schema(), None)?;
        let state = self.context.state();
        let plan = self.handler.sink(table, &self.access, &state, input, op).await?;
        let counts = collect(plan, self.context.task_ctx()).await?;
        let column = counts.first().and_then(|batch| batch.columns().first());
        let count = column.map(|column| array_value_to_string(column, 0)).transpose()?;
        count.and_then(|count| count.parse().ok()).ok_or_else(|| {
            HandlerError::internal("contract of storage handlers: a write gives one row with the count")
        })
    }

    async fn rows(&self) -> Result<()> {
        let table = self.make("contract_rows")?;
        let source = self.handler.source(&table, &self.access)?;
        let names: Vec<_> =
            source.schema().fields().iter().map(|f| (f.name().clone(), f.data_type().clone())).collect();
        let wanted: Vec<_> =
            rows_schema().fields().iter().map(|f| (f.name().clone(), f.data_type().clone())).collect();
        ensure(names == wanted, "the source has the declared names and types in the declared order")?;
        ensure(self.read(&source, None, &[], None).await?.is_empty(), "a new table has no rows")?;
        let rows = rows()?;
        let count = self.write(&table, std::slice::from_ref(&rows), InsertOp::Append).await?;
        ensure(count == rows.num_rows() as u64, "the count of a write is the number of its rows")?;
        let source = self.handler.source(&table, &self.access)?;
        let found = self.read(&source, None, &[], None).await?;
        ensure(found == sorted_rows(std::slice::from_ref(&rows))?, "what was written is read back")?;
        self.drop(&table)
    }

    /// Every filter, alone and with each other: exact answers are precise, others leave no row out.
    async fn filters(&self) -> Result<()> {
        let table = self.make("contract_filters")?;
        self.write(&table, &[rows()?], InsertOp::Append).await?;
        let source = self.handler.source(&table, &self.access)?;
        let memory: Arc<dyn TableProvider> = Arc::new(MemTable::try_new(rows_schema(), vec![vec![rows()?]])?);
        let all = self.read(&source, None, &[], None).await?;
        let filters = filters();
        for (index, filter) in filters.iter().enumerate() {
            let settings = PushdownSettings::default();
            let one = std::slice::from_ref(filter);
            let decomposed = self.handler.decompose(&table, one, &settings)?;
            ensure(decomposed.filters.len() == 1, "decompose gives one verdict a filter")?;
            ensure(decomposed == self.handler.decompose(&table, one, &settings)?, "decompose is pure")?;
            for other in filters.iter().skip(index) {
                let pair = [filter.clone(), other.clone()];
                let promised = source.supports_filters_pushdown(&[filter, other])?;
                ensure(promised.len() == 2, "there is one promise a filter")?;
                let wanted = self.frame(&memory, &pair).await?;
                let found = self.read(&source, None, &pair, None).await?;
                let clause =
                    |what: &str| format!("{what}: {filter} AND {other} gave {found:?}, wanted {wanted:?}");
                if promised.iter().all(|promise| *promise == TableProviderFilterPushDown::Exact) {
                    ensure(
                        found == wanted,
                        clause("exact filters give exactly the rows where they are TRUE"),
                    )?;
                } else {
                    ensure(wanted.iter().all(|row| found.contains(row)), clause("no filter loses a row"))?;
                    ensure(found.iter().all(|row| all.contains(row)), clause("no filter adds a row"))?;
                }
            }
        }
        self.drop(&table)
    }

    async fn projections_and_limits(&self) -> Result<()> {
        let table = self.make("contract_projections")?;
        let rows = rows()?;
        self.write(&table, std::slice::from_ref(&rows), InsertOp::Append).await?;
        let source = self.handler.source(&table, &self.access)?;
        for projection in [vec![], vec![0], vec![2, 0], vec![1, 2, 0]] {
            let found = self.read(&source, Some(&projection), &[], None).await?;
            let wanted = sorted_rows(&[rows.project(&projection)?])?;
            ensure(
                found == wanted,
                format!("a projection of {projection:?} gives those columns of every row"),
            )?;
        }
        let found = self.read(&source, None, &[], Some(2)).await?;
        ensure(found.len() >= 2, "a limit is a hint: at least so many rows come, where there are so many")?;
        self.drop(&table)
    }

    async fn drops(&self) -> Result<()> {
        let table = self.make("contract_dropped")?;
        self.write(&table, &[rows()?], InsertOp::Append).await?;
        self.drop(&table)?;
        let again = self.make("contract_dropped")?;
        let source = self.handler.source(&again, &self.access)?;
        ensure(
            self.read(&source, None, &[], None).await?.is_empty(),
            "a dropped table leaves no rows for the next one",
        )?;
        self.drop(&again)
    }

    /// The rows of a scan, as text, sorted.
    async fn read(
        &self,
        source: &Arc<dyn TableProvider>,
        projection: Option<&Vec<usize>>,
        filters: &[Expr],
        limit: Option<usize>,
    ) -> Result<Vec<String>> {
        let plan: Arc<dyn ExecutionPlan> =
            source.scan(&self.context.state(), projection, filters, limit).await?;
        sorted_rows(&collect(plan, self.context.task_ctx()).await?)
    }

    /// The same rows by DataFusion alone.
    async fn frame(&self, memory: &Arc<dyn TableProvider>, filters: &[Expr]) -> Result<Vec<String>> {
        let mut frame = self.context.read_table(Arc::clone(memory))?;
        for filter in filters {
            frame = frame.filter(filter.clone())?;
        }
        sorted_rows(&frame.collect().await?)
    }
}

fn rows_schema() -> SchemaRef {
    Arc::new(Schema::new(vec![
        Field::new("k", DataType::Int64, true),
        Field::new("v", DataType::Utf8, true),
        Field::new("n", DataType::Float64, true),
    ]))
}

/// Rows with NULLs, an empty text, NaN, both zeros and the ends of the key's type.
fn rows() -> Result<RecordBatch> {
    let columns: Vec<ArrayRef> = vec![
        Arc::new(Int64Array::from(vec![i64::MIN, -1, 0, 1, 2, 7, i64::MAX])),
        Arc::new(StringArray::from(vec![Some("a"), None, Some(""), Some("ab"), Some("b"), None, Some("é")])),
        Arc::new(Float64Array::from(vec![
            Some(-0.0),
            Some(0.0),
            None,
            Some(f64::NAN),
            Some(1.5),
            None,
            Some(-1e300),
        ])),
    ];
    Ok(RecordBatch::try_new(rows_schema(), columns)?)
}

fn filters() -> Vec<Expr> {
    let null = Expr::Literal(ScalarValue::Utf8(None), None);
    vec![
        col("k").eq(lit(1_i64)),
        col("k").gt(lit(0_i64)),
        col("k").not_eq(lit(2_i64)).and(col("k").lt_eq(lit(7_i64))),
        col("k").in_list(vec![lit(-1_i64), lit(7_i64), lit(99_i64)], false),
        col("k").eq(lit(2_i64)).or(col("v").is_null()),
        col("v").eq(lit("")),
        col("v").like(lit("a%")),
        col("v").not_eq(lit("b")),
        col("v").eq(null),
        col("n").eq(lit(0.0_f64)),
        col("n").gt(lit(1.0_f64)),
        col("n").is_not_null(),
        !(col("n").lt(lit(0.0_f64))),
    ]
}

/// Every row as one text, sorted.
fn sorted_rows(batches: &[RecordBatch]) -> Result<Vec<String>> {
    let mut rows = Vec::new();
    for batch in batches {
        for row in 0..batch.num_rows() {
            let values = batch.columns().iter().map(|column| {
                if column.is_null(row) { Ok("NULL".to_owned()) } else { array_value_to_string(column, row) }
            });
            rows.push(values.collect::<Result<Vec<_>, _>>()?.join("|"));
        }
    }
    rows.sort();
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use ostracon_tablets::StoreOptions;

    use super::*;
    use crate::catalog::SqlCatalog;
    use crate::storage::TabletStorageHandler;
    use crate::store_handle::{DataLocation, StoreHandle};

    #[tokio::test]
    async fn the_tablet_handler_keeps_the_contract() {
        let catalog = SqlCatalog::new(StoreHandle::new(DataLocation::Memory, StoreOptions::default()));
        let handler = TabletStorageHandler::new(catalog);
        check(&handler, &[]).await.unwrap();
        check(&handler, &[("iterator.pushdown".to_owned(), "false".to_owned())]).await.unwrap();
        check(&handler, &[("insert.mode".to_owned(), "merge".to_owned())]).await.unwrap();
    }
}
