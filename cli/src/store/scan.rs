//! `store scan`: the rows of a table between two keys as SQL sees them, or the cells as they are stored.

use std::sync::Arc;

use arrow::array::{ArrayRef, BooleanArray, Int64Array, RecordBatch, StringArray};
use arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use ostracon::Session;
use ostracon_data::{RowBuffer, RowRange, RowRanges};
use ostracon_handler::HandlerError;
use ostracon_handler::definition::TableDefinition;
use ostracon_handler::rows::RowDecoder;
use ostracon_tablets::{CellScanner, Clock, ScanSpec, Scanner, SystemClock, TabletStore};

use super::key::escape;
use crate::error::Result;
use crate::format::{Format, ResultWriter};
use crate::terminal::results;

/// Rows or cells that are handed to the writer at once.
const BATCH: usize = 1024;

/// Prints rows as the table's columns.
pub(super) fn rows(
    session: &Session,
    store: &TabletStore,
    definition: &TableDefinition,
    range: RowRange,
    format: Format,
) -> Result<()> {
    let version =
        store.table(&definition.store_table).and_then(|table| table.version()).map_err(HandlerError::from)?;
    let mut decoder = RowDecoder::new(definition, None)?;
    let spec = ScanSpec {
        columns: definition.mapped_columns(),
        projection: decoder.cells_needed().clone(),
        ttl_ms: definition.properties.ttl_ms.or(version.settings().ttl_ms),
        ..spec_of(session, range)
    };
    let mut scanner = Scanner::new(&version, &spec).map_err(HandlerError::from)?;
    let mut writer = ResultWriter::new(format, &definition.arrow_schema(), results())?;
    let mut row = RowBuffer::new();
    loop {
        let mut ended = false;
        while decoder.len() < BATCH && !ended {
            match scanner.next_row(&mut row).map_err(HandlerError::from)? {
                true => {
                    decoder.append(&row)?;
                }
                false => ended = true,
            }
        }
        writer.write(&decoder.finish()?)?;
        if ended {
            writer.finish()?;
            return Ok(());
        }
    }
}

/// Prints cells with all their versions, labels and timestamps, deletes too; bytes are escaped.
pub(super) fn cells(
    session: &Session,
    store: &TabletStore,
    table: &str,
    range: RowRange,
    format: Format,
) -> Result<()> {
    let version = store.table(table).and_then(|table| table.version()).map_err(HandlerError::from)?;
    let spec = ScanSpec { max_versions: u32::MAX, ..spec_of(session, range) };
    let mut scanner = CellScanner::raw(&version, &spec).map_err(HandlerError::from)?;
    let schema = cell_schema();
    let mut writer = ResultWriter::new(format, &schema, results())?;
    let mut batch = CellBatch::default();
    while let Some((key, value)) = scanner.next_cell().map_err(HandlerError::from)? {
        for (column, bytes) in
            batch.texts.iter_mut().zip([&key.row, &key.family, &key.qualifier, &key.visibility])
        {
            column.push(escape(bytes));
        }
        batch.timestamps.push(key.timestamp);
        batch.deleted.push(key.deleted);
        batch.values.push(escape(value));
        if batch.values.len() >= BATCH {
            writer.write(&batch.take(&schema)?)?;
        }
    }
    writer.write(&batch.take(&schema)?)?;
    writer.finish()?;
    Ok(())
}

fn spec_of(session: &Session, range: RowRange) -> ScanSpec {
    ScanSpec {
        ranges: RowRanges::from_ranges(vec![range]),
        authorizations: session.authorizations().clone(),
        now_ms: SystemClock.now_ms(),
        ..ScanSpec::default()
    }
}

fn cell_schema() -> SchemaRef {
    let text = |name| Field::new(name, DataType::Utf8, false);
    Arc::new(Schema::new(vec![
        text("row"),
        text("family"),
        text("qualifier"),
        text("visibility"),
        Field::new("timestamp", DataType::Int64, false),
        Field::new("deleted", DataType::Boolean, false),
        text("value"),
    ]))
}

/// Cells on their way to the writer.
#[derive(Default)]
struct CellBatch {
    /// Row, family, qualifier, visibility.
    texts: [Vec<String>; 4],
    timestamps: Vec<i64>,
    deleted: Vec<bool>,
    values: Vec<String>,
}

impl CellBatch {
    fn take(&mut self, schema: &SchemaRef) -> Result<RecordBatch> {
        let text = |values: &mut Vec<String>| Arc::new(StringArray::from(std::mem::take(values))) as ArrayRef;
        let mut columns: Vec<ArrayRef> = self.texts.iter_mut().map(text).collect();
        columns.push(Arc::new(Int64Array::from(std::mem::take(&mut self.timestamps))));
        columns.push(Arc::new(BooleanArray::from(std::mem::take(&mut self.deleted))));
        columns.push(text(&mut self.values));
        Ok(RecordBatch::try_new(Arc::clone(schema), columns)?)
    }
}
