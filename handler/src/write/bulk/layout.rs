//! [`BulkLayout`]: which column of a statement's rows goes where in segments.

use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef, AsArray, RecordBatch};
use datafusion::arrow::compute::{CastOptions, cast_with_options};
use datafusion::arrow::datatypes::{DataType, Decimal128Type, Schema, SchemaRef};
use ostracon_compare::{Encoding, PrimitiveType};

use super::cells::CellValues;
use super::key::{KeyForm, RowIds};
use crate::definition::TableDefinition;
use crate::error::{HandlerError, Result};
use crate::mapping::ColumnTarget;
use crate::properties::InsertMode;
use crate::rows::{RowEncoder, RowExtras, nested_cells};

/// How the rows that a statement inserts become segments.
#[derive(Debug)]
pub(in crate::write) struct BulkLayout {
    definition: Arc<TableDefinition>,
    key: KeyForm,
    /// The columns of taken batches: those of the table, nested values as the bytes of their cells.
    schema: SchemaRef,
    /// The columns that are kept in cells and that the statement sets.
    pub(super) cells: Vec<Cell>,
    /// Of every cell.
    pub(super) label: Vec<u8>,
}

/// A column that is kept in cells.
#[derive(Debug)]
pub(super) struct Cell {
    pub(super) column: usize,
    pub(super) family: Vec<u8>,
    pub(super) qualifier: Vec<u8>,
    pub(super) ty: PrimitiveType,
    pub(super) encoding: Encoding,
}

impl BulkLayout {
    /// The layout of an INSERT that names some columns, or all. `None` if its rows are not all alike: labels or times come
    /// with each row, columns have labels of their own or families of cells, older versions are kept, or values are text
    /// of another type.
    pub(in crate::write) fn of(
        definition: &Arc<TableDefinition>,
        mode: InsertMode,
        named: Option<&[usize]>,
    ) -> Option<Self> {
        let properties = &definition.properties;
        if properties.max_versions != 1 || !properties.visibility_columns.is_empty() {
            return None;
        }
        let mut cells = Vec::new();
        for (index, column) in definition.columns.iter().enumerate() {
            let present = named.is_none_or(|named| named.contains(&index));
            match &column.target {
                ColumnTarget::RowId { .. } => {}
                ColumnTarget::Timestamp | ColumnTarget::Visibility if !present => {}
                ColumnTarget::Cell { .. } if !present && mode == InsertMode::Merge => {}
                ColumnTarget::Cell { family, qualifier, encoding } => {
                    let ty = match column.data_type.is_nested() {
                        true => PrimitiveType::Binary,
                        false => PrimitiveType::from_arrow(&column.data_type)?,
                    };
                    CellValues::new(ty, *encoding)?;
                    let (family, qualifier) = (family.clone(), qualifier.clone());
                    let twice = |cell: &Cell| (&cell.family, &cell.qualifier) == (&family, &qualifier);
                    if cells.iter().any(twice) {
                        return None;
                    }
                    cells.push(Cell { column: index, family, qualifier, ty, encoding: *encoding });
                }
                ColumnTarget::Timestamp | ColumnTarget::Visibility | ColumnTarget::Map { .. } => return None,
            }
        }
        Some(Self {
            key: KeyForm::of(definition),
            schema: schema_of_cells(definition),
            definition: Arc::clone(definition),
            cells,
            label: properties.visibility_label.clone().unwrap_or_default(),
        })
    }

    /// The batch with every column in the table's type, nested ones as the bytes of their cells, and its row ids.
    ///
    /// # Errors
    /// As [`RowEncoder::encode`].
    pub(super) fn take(
        &self,
        encoder: &RowEncoder,
        batch: &RecordBatch,
        extras: RowExtras<'_>,
    ) -> Result<(RecordBatch, RowIds)> {
        let fine = self.cast(batch).filter(|batch| self.is_fine(batch));
        let batch = match fine.and_then(|batch| self.with_nested_cells(batch).ok()) {
            Some(batch) => batch,
            None => {
                // It knows what is wrong and where, or that nothing is: values behind NULL are not looked at.
                encoder.encode(batch, extras)?;
                let cast = self.cast(batch);
                let cast = cast.ok_or_else(|| HandlerError::internal("a batch of rows lost its columns"))?;
                self.with_nested_cells(cast)?
            }
        };
        let ids = self.key.ids(encoder, &batch, extras)?;
        Ok((batch, ids))
    }

    /// The row ids of a batch that has been taken before.
    pub(super) fn ids(&self, encoder: &RowEncoder, batch: &RecordBatch) -> Result<RowIds> {
        self.key.ids(encoder, batch, RowExtras::default())
    }

    /// Whether row ids are numbers that no two rows share, whatever the rows hold.
    pub(super) fn makes_ids(&self) -> bool {
        matches!(self.key, KeyForm::Hidden)
    }

    fn cast(&self, batch: &RecordBatch) -> Option<RecordBatch> {
        if batch.num_columns() != self.definition.columns.len() {
            return None;
        }
        let strict = CastOptions { safe: false, ..CastOptions::default() };
        let columns = self.definition.columns.iter().zip(batch.columns()).map(|(column, array)| {
            if *array.data_type() == column.data_type {
                return Some(ArrayRef::clone(array));
            }
            cast_with_options(array, &column.data_type, &strict).ok()
        });
        RecordBatch::try_new(self.definition.write_schema(), columns.collect::<Option<_>>()?).ok()
    }

    /// The batch with nested values as the bytes of their cells.
    fn with_nested_cells(&self, batch: RecordBatch) -> Result<RecordBatch> {
        let columns = self.definition.columns.iter().zip(batch.columns()).zip(self.schema.fields());
        let columns = columns.map(|((column, array), field)| {
            if field.data_type() == &column.data_type {
                return Ok(ArrayRef::clone(array));
            }
            Ok(Arc::new(nested_cells(array, &column.data_type, &column.name)?))
        });
        let columns = columns.collect::<Result<Vec<ArrayRef>>>()?;
        Ok(RecordBatch::try_new(Arc::clone(&self.schema), columns)?)
    }

    /// Whether every plain value can be written for sure.
    fn is_fine(&self, batch: &RecordBatch) -> bool {
        let key = self.definition.key_columns();
        let mut columns = self.definition.columns.iter().zip(batch.columns()).enumerate();
        columns.all(|(index, (column, array))| {
            let may_be_null = column.nullable && !key.contains(&index);
            (may_be_null || array.null_count() == 0) && is_within(array)
        })
    }
}

fn schema_of_cells(definition: &TableDefinition) -> SchemaRef {
    let schema = definition.write_schema();
    let fields = definition.columns.iter().zip(schema.fields()).map(|(column, field)| match &column.target {
        ColumnTarget::Cell { .. } if column.data_type.is_nested() => {
            Arc::new(field.as_ref().clone().with_data_type(DataType::Binary))
        }
        _ => Arc::clone(field),
    });
    Arc::new(Schema::new(fields.collect::<Vec<_>>()))
}

/// Whether decimals have no more digits than their precision: arrays may hold more.
fn is_within(array: &ArrayRef) -> bool {
    match PrimitiveType::from_arrow(array.data_type()) {
        Some(PrimitiveType::Decimal128 { precision, .. }) => {
            let limit = 10_u128.checked_pow(precision.into()).unwrap_or(u128::MAX);
            let values = array.as_primitive_opt::<Decimal128Type>();
            values.is_some_and(|array| array.values().iter().all(|value| value.unsigned_abs() < limit))
        }
        Some(PrimitiveType::Decimal256 { .. }) => false,
        _ => true,
    }
}
