//! What a footer tells of a whole file: its number of rows, the least and greatest values of columns, and its order.

use datafusion::arrow::datatypes::SchemaRef;
use datafusion::common::stats::Precision;
use datafusion::common::{ColumnStatistics, Statistics};
use datafusion::datasource::physical_plan::parquet::metadata::{
    DFParquetMetadata, ordering_from_parquet_metadata,
};
use datafusion::error::Result;
use datafusion::object_store::ObjectMeta;
use datafusion::parquet::arrow::parquet_to_arrow_schema;
use datafusion::parquet::file::metadata::ParquetMetaData;
use datafusion::physical_expr::expressions::Column;
use datafusion::physical_expr::{LexOrdering, PhysicalSortExpr};

use super::request::{Request, checked_rows};

/// The statistics of a file as a table's. A column that is nested or of another type in the file has none: values there
/// go through a conversion that statistics do not.
pub(super) fn of_file(
    footer: &ParquetMetaData,
    request: &Request,
    file: &ObjectMeta,
    table: &SchemaRef,
) -> Result<Statistics> {
    let rows = checked_rows(footer, file)?;
    // A column that cannot be read is a fault of the query that reads it.
    let Ok(clipped) = request.clip(footer, file) else {
        return Ok(Statistics::new_unknown(table).with_num_rows(Precision::Exact(rows)));
    };
    let file = clipped.file_metadata();
    let given = parquet_to_arrow_schema(file.schema_descr(), file.key_value_metadata())?;
    let mut statistics = DFParquetMetadata::statistics_from_parquet_metadata(&clipped, table)?;
    for (field, known) in table.fields().iter().zip(&mut statistics.column_statistics) {
        let same = match given.field_with_name(field.name()) {
            Ok(given) => given.data_type() == field.data_type(),
            Err(_) => true,
        };
        if !same || field.data_type().is_nested() {
            *known = ColumnStatistics::new_unknown();
        }
    }
    Ok(statistics)
}

/// The order of a file's rows: that of its one row group, as far as it goes by columns that are read as they lie.
///
/// A footer tells the order within each row group, not that of the groups; several are taken for unordered.
pub(super) fn order_of_file(
    footer: &ParquetMetaData,
    request: &Request,
    file: &ObjectMeta,
    table: &SchemaRef,
) -> Result<Option<LexOrdering>> {
    if footer.num_row_groups() != 1 || request.has_field_ids() {
        return Ok(None);
    }
    let Ok(clipped) = request.clip(footer, file) else { return Ok(None) };
    let given = parquet_to_arrow_schema(clipped.file_metadata().schema_descr(), None)?;
    let Some(order) = ordering_from_parquet_metadata(footer, table)? else { return Ok(None) };
    let as_it_lies = |key: &PhysicalSortExpr| {
        key.expr.downcast_ref::<Column>().is_some_and(|column| {
            match (given.field_with_name(column.name()), table.field_with_name(column.name())) {
                (Ok(given), Ok(wanted)) => given.data_type() == wanted.data_type(),
                _ => false,
            }
        })
    };
    Ok(LexOrdering::new(order.into_iter().take_while(as_it_lies)))
}
