//! [`CsvReader`]: the records of a CSV file as batches of a table's columns.

use std::path::Path;
use std::sync::Arc;

use arrow::array::RecordBatch;
use arrow::datatypes::{Schema, SchemaRef};

use super::columns::{Columns, find_column, find_columns};
use super::error::BadField;
use super::input::{LoadProgress, TextInput, open_text, shown};
use super::records::{CsvRecord, CsvRecords, RecordFault};
use super::reject::BadRows;
use super::split::Marks;
use super::{HeaderRule, LoadError, LoadFormat, LoadOptions};

/// Records that are taken apart together, column by column: so many that their text and fields stay in a core's own cache.
const BLOCK_ROWS: usize = 256;

/// Reads one CSV file.
pub(super) struct CsvReader {
    file: String,
    records: CsvRecords<TextInput>,
    /// The block is the first row, not taken yet.
    pending: bool,
    columns: Columns,
    null: String,
}

impl CsvReader {
    /// Opens a file and reads its first record, which may be a header.
    pub(super) fn open(
        path: &Path,
        format: LoadFormat,
        target: &SchemaRef,
        options: &LoadOptions,
        progress: &Arc<LoadProgress>,
    ) -> Result<Self, LoadError> {
        let file = shown(path);
        let delimiter = options.delimiter.unwrap_or(if format == LoadFormat::Tsv { b'\t' } else { b',' });
        let marks =
            Marks { delimiter, quote: options.quote, escape: options.escape.unwrap_or(options.quote) };
        let wrong = |message: String| LoadError::Format { file: file.clone(), message };
        let special = [marks.delimiter, marks.quote, marks.escape];
        if delimiter == marks.quote
            || special.iter().any(|mark| !mark.is_ascii() || matches!(mark, b'\n' | b'\r'))
        {
            let message = "delimiter, quote and escape are single ASCII characters, no line ends, and the delimiter is not the quote";
            return Err(wrong(message.to_owned()));
        }
        let mut records = CsvRecords::new(open_text(path, progress)?, marks);
        let pending = records.read(1).map_err(|fault| unreadable(&file, fault))?;
        let (places, is_header) = match records.block().records().next() {
            Some(first) => first_line(&first, target, options.header).map_err(&wrong)?,
            None => ((0..target.fields().len()).collect(), false),
        };
        let schema = Arc::new(target.project(&places)?);
        let columns = Columns::new(schema, options.batch_rows).map_err(&wrong)?;
        // A blank line is a row only where one column could be NULL.
        if columns.len() > 1 {
            records.skip_blank_lines();
        }
        let pending = pending && !is_header;
        Ok(Self { file, records, pending, columns, null: options.null.clone() })
    }

    pub(super) fn schema(&self) -> &SchemaRef {
        self.columns.schema()
    }

    /// The next batch; `None` at the end of the file.
    pub(super) fn next(&mut self, bad_rows: &mut BadRows) -> Result<Option<RecordBatch>, LoadError> {
        while let Some(room) = self.columns.room() {
            if !std::mem::take(&mut self.pending) {
                let read = self.records.read(room.min(BLOCK_ROWS));
                if !read.map_err(|fault| unreadable(&self.file, fault))? {
                    break;
                }
            }
            let block = self.records.block();
            if self.columns.append_block(block, self.null.as_bytes()) {
                continue;
            }
            // Some row is bad: they are taken one by one, to find it.
            for record in block.records() {
                if let Err(bad) = append(&mut self.columns, &record, &self.null) {
                    let text = String::from_utf8_lossy(record.raw);
                    bad_rows.take(bad.at(&self.file, record.line), &text)?;
                }
            }
        }
        Ok(self.columns.finish()?)
    }
}

/// Appends one record.
fn append(columns: &mut Columns, record: &CsvRecord<'_>, null: &str) -> Result<(), BadField> {
    let (found, wanted) = (record.len(), columns.len());
    // The first line of a file, of which it was not known yet whether it may be left out.
    if record.raw.is_empty() && wanted > 1 {
        return Ok(());
    }
    if found != wanted {
        let fields = if found == 1 { "field" } else { "fields" };
        return Err(BadField::row(format!("has {found} {fields} where {wanted} are wanted")));
    }
    let fields: Vec<_> = record.fields().collect();
    let mut texts = Vec::with_capacity(found);
    for (index, (bytes, quoted)) in fields.iter().enumerate() {
        let Ok(field) = std::str::from_utf8(bytes) else {
            let column = columns.schema().fields().get(index).map(|field| field.name().clone());
            let text = Some(super::BadRow::excerpt(&String::from_utf8_lossy(bytes)));
            return Err(BadField { column, text, reason: "is not UTF-8 text".to_owned() });
        };
        texts.push((*quoted || field != null).then_some(field));
    }
    columns.append_text(texts.into_iter())
}

fn unreadable(file: &str, fault: RecordFault) -> LoadError {
    match fault {
        RecordFault::Io(source) => LoadError::Read { file: file.to_owned(), source },
        RecordFault::Shape(shape) => BadField::row(shape.reason).at(file, shape.line).into(),
    }
}

/// Which columns the fields are for, and whether the record is a header.
fn first_line(
    record: &CsvRecord<'_>,
    target: &Schema,
    rule: HeaderRule,
) -> Result<(Vec<usize>, bool), String> {
    let names: Vec<_> =
        record.fields().map(|(name, _)| String::from_utf8_lossy(&name).trim().to_owned()).collect();
    let by_name = || find_columns(target, names.iter().map(String::as_str));
    let by_position = || (0..target.fields().len()).collect();
    let known = names.iter().filter(|name| find_column(target, name).is_some()).count();
    Ok(match rule {
        HeaderRule::Names => {
            (by_name().map_err(|reason| format!("the header line does not fit: {reason}"))?, true)
        }
        HeaderRule::Skip => (by_name().unwrap_or_else(|_| by_position()), true),
        HeaderRule::Absent => (by_position(), false),
        HeaderRule::Guess if known * 2 > names.len() => {
            let places = by_name().map_err(|reason| {
                format!("the first line looks like a header, but {reason}; say --no-header if it is a row")
            })?;
            (places, true)
        }
        HeaderRule::Guess => (by_position(), false),
    })
}

#[cfg(test)]
mod tests;
