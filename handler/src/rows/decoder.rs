//! Rows of cells to record batches: what a scan hands to DataFusion.
//!
//! A [`RowDecoder`] is made once per scan from the table and the projected columns; each row that the store hands
//! out is [appended](RowDecoder::append), and [`RowDecoder::finish`] gives what came in as one batch. Which cells
//! it must be given is said by [`RowDecoder::cells_needed`].
//!
//! The first cell of a column in the row is its value (the newest that the session sees); a column without a cell
//! is NULL. What becomes of bytes that are no value of their column's type is the table's `on.bad.value`.
//! The decoder evaluates no predicate and knows no label but through `:visibility`.

use std::sync::Arc;

use arrow::array::{RecordBatch, RecordBatchOptions};
use arrow::datatypes::SchemaRef;
use ostracon_compare::BadValue;
use ostracon_data::RowBuffer;
use ostracon_iterators::OnBadValue;
use ostracon_tablets::ColumnSelection;

use super::column::ColumnBuilder;
use super::columnar::HitBuffers;
use super::source::Source;
use crate::definition::TableDefinition;
use crate::error::{HandlerError, Result};

/// What became of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Appended {
    /// It is in the batch.
    Row,
    /// It holds a bad value and `on.bad.value` is `skip_row`.
    Skipped,
}

/// Collects rows of cells into record batches.
///
/// After an error the rows collected so far are lost; the decoder is of no use any more.
#[derive(Debug)]
pub struct RowDecoder {
    pub(super) table: TableDefinition,
    schema: SchemaRef,
    pub(super) columns: Vec<ColumnDecoder>,
    /// With `skip_row`: every column of the table, since a row is judged whole whatever is projected.
    pub(super) judged: Vec<Source>,
    needed: ColumnSelection,
    /// For values that do not lie in the row in plain form; kept from row to row.
    scratch: Vec<u8>,
    pub(super) hit_buffers: HitBuffers,
    pub(super) rows: usize,
}

#[derive(Debug)]
pub(super) struct ColumnDecoder {
    pub(super) name: String,
    pub(super) source: Source,
    pub(super) builder: ColumnBuilder,
    /// Its place in the segment read last.
    pub(super) place: usize,
}

impl RowDecoder {
    /// A decoder of the columns at the given positions, in that order; `None` is all.
    ///
    /// # Errors
    /// `Internal` if a position is no column of the table.
    pub fn new(table: &TableDefinition, projection: Option<&[usize]>) -> Result<Self> {
        let all: Vec<usize> = (0..table.columns.len()).collect();
        let projection = projection.unwrap_or(&all);
        let schema = table.arrow_schema().project(projection).map_err(|error| {
            HandlerError::internal(format!("a projection of table '{}' names no column", table.name))
                .with_source(error)
        })?;
        let columns = projection
            .iter()
            .filter_map(|i| Some((*i, table.columns.get(*i)?)))
            .map(|(i, column)| {
                let source = Source::of(table, i)?;
                let builder = ColumnBuilder::new(&source, &column.data_type)?;
                Ok(ColumnDecoder { name: column.name.clone(), source, builder, place: 0 })
            })
            .collect::<Result<Vec<_>>>()?;
        let judged = if table.properties.on_bad_value == OnBadValue::SkipRow {
            all.iter().map(|i| Source::of(table, *i)).collect::<Result<Vec<_>>>()?
        } else {
            Vec::new()
        };
        let needs_all = !judged.is_empty() || columns.iter().any(|column| column.source.needs_all_cells());
        let needed =
            if needs_all { table.mapped_columns() } else { table.cells_of(projection.iter().copied()) };
        Ok(RowDecoder {
            table: table.clone(),
            schema: Arc::new(schema),
            columns,
            judged,
            needed,
            scratch: Vec::new(),
            hit_buffers: HitBuffers::default(),
            rows: 0,
        })
    }

    /// The schema of the batches.
    pub fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }

    /// Gives the batches another schema: the same types, maybe under other names.
    pub(crate) fn set_schema(&mut self, schema: SchemaRef) {
        self.schema = schema;
    }

    /// The cells that rows must come with; more do no harm. The existence of rows is judged by other means.
    pub fn cells_needed(&self) -> &ColumnSelection {
        &self.needed
    }

    /// Whether a row may be left out for a bad value.
    pub(crate) fn leaves_rows_out(&self) -> bool {
        !self.judged.is_empty()
    }

    /// How many rows were collected since the last [`RowDecoder::finish`].
    pub fn len(&self) -> usize {
        self.rows
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.rows == 0
    }

    /// Adds a row.
    ///
    /// # Errors
    /// `Invalid`, naming column, row and bytes: a stored value that does not fit, if `on.bad.value` is `error`.
    pub fn append(&mut self, row: &RowBuffer) -> Result<Appended> {
        let RowDecoder { table, columns, judged, scratch, .. } = self;
        if judged.iter().any(|source| source.check(row, scratch, table).is_err()) {
            return Ok(Appended::Skipped);
        }
        let policy = table.properties.on_bad_value;
        for column in columns {
            if let Err(bad) = column.builder.append(&column.source, row, scratch, table, policy)? {
                return Err(Self::bad_value(table, row.row(), &column.name, &bad));
            }
        }
        self.rows += 1;
        Ok(Appended::Row)
    }

    /// The error of a stored value that does not fit.
    pub(super) fn bad_value(
        table: &TableDefinition,
        row: &[u8],
        column: &str,
        bad: &BadValue,
    ) -> HandlerError {
        HandlerError::invalid(format!(
            "table '{}', row '{}', column '{column}': {bad}; set 'on.bad.value' to null or skip_row to read on",
            table.name,
            row.escape_ascii(),
        ))
    }

    /// The rows collected, as one batch; the decoder is empty afterwards.
    ///
    /// # Errors
    /// `Internal` only.
    pub fn finish(&mut self) -> Result<RecordBatch> {
        let rows = std::mem::take(&mut self.rows);
        let arrays =
            self.columns.iter_mut().map(|column| column.builder.finish()).collect::<Result<Vec<_>>>()?;
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        RecordBatch::try_new_with_options(self.schema(), arrays, &options).map_err(|error| {
            HandlerError::internal(format!("the rows of table '{}' make no batch", self.table.name))
                .with_source(error)
        })
    }
}
