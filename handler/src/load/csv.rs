//! [`CsvReader`]: the records of a CSV file as batches of a table's columns.

use std::path::Path;
use std::sync::Arc;

use arrow::array::RecordBatch;
use arrow::datatypes::{Schema, SchemaRef};

use super::columns::{Columns, find_column, find_columns};
use super::error::BadField;
use super::input::{LoadProgress, TextInput, open_text, shown};
use super::records::{CsvRecord, CsvRecords, Marks, RecordFault};
use super::reject::BadRows;
use super::{HeaderRule, LoadError, LoadFormat, LoadOptions};

/// Reads one CSV file.
pub(super) struct CsvReader {
    file: String,
    records: CsvRecords<TextInput>,
    record: CsvRecord,
    /// The record is the first row, not read yet.
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
        let mut records = CsvRecords::new(open_text(path, progress)?, marks, options.reject.is_some());
        let mut record = CsvRecord::default();
        let pending = records.read(&mut record).map_err(|fault| unreadable(&file, fault))?;
        let (places, is_header) = if pending {
            first_line(&record, target, options.header).map_err(&wrong)?
        } else {
            ((0..target.fields().len()).collect(), false)
        };
        let schema = Arc::new(target.project(&places)?);
        let columns = Columns::new(schema, options.batch_rows).map_err(&wrong)?;
        let pending = pending && !is_header;
        Ok(Self { file, records, record, pending, columns, null: options.null.clone() })
    }

    pub(super) fn schema(&self) -> &SchemaRef {
        self.columns.schema()
    }

    /// The next batch; `None` at the end of the file.
    pub(super) fn next(&mut self, bad_rows: &mut BadRows) -> Result<Option<RecordBatch>, LoadError> {
        while !self.columns.is_full() {
            if !std::mem::take(&mut self.pending)
                && !self.records.read(&mut self.record).map_err(|fault| unreadable(&self.file, fault))?
            {
                break;
            }
            // A blank line is a row only where one column could be NULL.
            if self.record.is_blank() && self.columns.len() > 1 {
                continue;
            }
            if let Err(bad) = self.append() {
                let text = String::from_utf8_lossy(&self.record.raw);
                bad_rows.take(bad.at(&self.file, self.record.line), &text)?;
            }
        }
        Ok(self.columns.finish()?)
    }

    fn append(&mut self) -> Result<(), BadField> {
        let (found, wanted) = (self.record.len(), self.columns.len());
        if found != wanted {
            let fields = if found == 1 { "field" } else { "fields" };
            return Err(BadField::row(format!("has {found} {fields} where {wanted} are wanted")));
        }
        let mut fields = Vec::with_capacity(found);
        for index in 0..found {
            let (bytes, quoted) = self.record.field(index).unwrap_or_default();
            let Ok(field) = std::str::from_utf8(bytes) else {
                let column = self.columns.schema().fields().get(index).map(|field| field.name().clone());
                let text = Some(super::BadRow::excerpt(&String::from_utf8_lossy(bytes)));
                return Err(BadField { column, text, reason: "is not UTF-8 text".to_owned() });
            };
            fields.push((quoted || field != self.null).then_some(field));
        }
        self.columns.append_text(fields.into_iter())
    }
}

fn unreadable(file: &str, fault: RecordFault) -> LoadError {
    match fault {
        RecordFault::Io(source) => LoadError::Read { file: file.to_owned(), source },
        RecordFault::Shape { line, reason } => BadField::row(reason).at(file, line).into(),
    }
}

/// Which columns the fields are for, and whether the record is a header.
fn first_line(record: &CsvRecord, target: &Schema, rule: HeaderRule) -> Result<(Vec<usize>, bool), String> {
    let names: Vec<_> = (0..record.len())
        .map(|index| String::from_utf8_lossy(record.field(index).unwrap_or_default().0).trim().to_owned())
        .collect();
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
