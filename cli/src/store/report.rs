//! The small tables of `store tablets`, `store du` and `store check`.

use std::sync::Arc;

use arrow::array::{ArrayRef, RecordBatch, StringArray, UInt64Array};
use ostracon_handler::{ErrorKind, HandlerError};
use ostracon_tablets::TabletStore;

use super::key::escape;
use crate::error::{CliError, Result};
use crate::format::{Format, ResultWriter};
use crate::terminal::{grouped, results, tell};

/// One line a tablet, in row order: rows after `after` up to `last` itself; sizes are estimates.
pub(super) fn tablets(store: &TabletStore, tables: &[String], format: Format) -> Result<()> {
    let (mut names, mut after, mut last) = (Vec::new(), Vec::new(), Vec::new());
    let (mut rows, mut bytes) = (Vec::new(), Vec::new());
    for table in tables {
        for tablet in store.tablets(table).map_err(HandlerError::from)? {
            names.push(table.clone());
            after.push(tablet.extent.prev_end_row.as_deref().map(escape));
            last.push(tablet.extent.end_row.as_deref().map(escape));
            rows.push(tablet.rows);
            bytes.push(tablet.bytes);
        }
    }
    write(
        format,
        vec![
            ("table", Arc::new(StringArray::from(names))),
            ("after", Arc::new(StringArray::from(after))),
            ("last", Arc::new(StringArray::from(last))),
            ("rows", Arc::new(UInt64Array::from(rows))),
            ("bytes", Arc::new(UInt64Array::from(bytes))),
        ],
    )
}

/// One line a table; sizes are estimates.
pub(super) fn du(store: &TabletStore, tables: &[String], format: Format) -> Result<()> {
    let mut names = Vec::new();
    let mut numbers: [Vec<u64>; 6] = Default::default();
    for table in tables {
        for usage in store.du(Some(table)).map_err(HandlerError::from)? {
            names.push(usage.table);
            let [tablets, epochs, segments] = [usage.tablets, usage.epochs, usage.segments].map(count);
            let found = [tablets, epochs, segments, usage.rows, usage.bytes, usage.file_bytes];
            for (column, number) in numbers.iter_mut().zip(found) {
                column.push(number);
            }
        }
    }
    let mut columns: Vec<(&str, ArrayRef)> = vec![("table", Arc::new(StringArray::from(names)))];
    let labels = ["tablets", "epochs", "segments", "rows", "bytes", "file_bytes"];
    for (name, numbers) in labels.into_iter().zip(numbers) {
        columns.push((name, Arc::new(UInt64Array::from(numbers))));
    }
    write(format, columns)
}

/// The problems, one a line, and a summary on stderr; damage fails the command.
pub(super) fn check(store: &TabletStore, format: Format) -> Result<()> {
    let report = store.check().map_err(HandlerError::from)?;
    let summary = format!(
        "read: {} tables, {} fragments, {} segments, {} cells, {} bytes; found: {} problems\n",
        grouped(report.tables),
        grouped(report.fragments),
        grouped(report.segments),
        grouped(report.cells),
        grouped(report.bytes),
        grouped(report.problem_count)
    );
    tell(&summary);
    if report.is_clean() {
        return Ok(());
    }
    write(format, vec![("problem", Arc::new(StringArray::from(report.problems)))])?;
    let message =
        format!("{} problems were found in the store; restore it from a backup", report.problem_count);
    Err(CliError::new(ErrorKind::Corrupt, message))
}

fn count(number: usize) -> u64 {
    u64::try_from(number).unwrap_or(u64::MAX)
}

fn write(format: Format, columns: Vec<(&str, ArrayRef)>) -> Result<()> {
    let batch = RecordBatch::try_from_iter(columns)?;
    let mut writer = ResultWriter::new(format, &batch.schema(), results())?;
    writer.write(&batch)?;
    writer.finish()?;
    Ok(())
}
