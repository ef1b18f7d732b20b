//! [`CsvWriter`]: record batches as CSV by PostgreSQL's rules.

use std::io::{self, Write};

use arrow::array::RecordBatch;
use arrow::datatypes::Schema;
use arrow::error::ArrowError;

use super::ColumnText;

/// The characters of a CSV file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CsvDialect {
    /// Stands between fields: one ASCII character.
    pub delimiter: u8,
    /// Stands around fields that need it, doubled inside them: one ASCII character.
    pub quote: u8,
    /// The unquoted text of NULL.
    pub null: String,
}

impl Default for CsvDialect {
    fn default() -> Self {
        Self { delimiter: b',', quote: b'"', null: String::new() }
    }
}

impl CsvDialect {
    /// The default with a tab between fields.
    pub fn tabs() -> Self {
        Self { delimiter: b'\t', ..Self::default() }
    }
}

/// Writes rows as CSV: lines end in `\n`; a field is quoted when it holds a delimiter, a quote or a line end, or when
/// it would read as NULL. So NULL is an empty field and the empty string is `""`.
#[derive(Debug)]
pub struct CsvWriter<W> {
    out: W,
    dialect: CsvDialect,
    line: String,
    field: String,
}

impl<W: Write> CsvWriter<W> {
    /// A writer that has written nothing yet.
    pub fn new(out: W, dialect: CsvDialect) -> Self {
        Self { out, dialect, line: String::new(), field: String::new() }
    }

    /// Writes the line of column names.
    pub fn write_header(&mut self, schema: &Schema) -> io::Result<()> {
        self.line.clear();
        for (index, field) in schema.fields().iter().enumerate() {
            self.field.clear();
            self.field.push_str(field.name());
            self.push_field(index == 0, true);
        }
        self.end_line()
    }

    /// Writes all rows of a batch.
    pub fn write(&mut self, batch: &RecordBatch) -> Result<(), ArrowError> {
        let columns = batch.columns().iter().map(ColumnText::new).collect::<Result<Vec<_>, _>>()?;
        for row in 0..batch.num_rows() {
            self.line.clear();
            for (index, column) in columns.iter().enumerate() {
                self.field.clear();
                column.write_text(row, &mut self.field)?;
                self.push_field(index == 0, !column.is_null(row));
            }
            self.end_line()?;
        }
        Ok(())
    }

    /// Flushes and gives the output back.
    pub fn finish(mut self) -> io::Result<W> {
        self.out.flush()?;
        Ok(self.out)
    }

    fn push_field(&mut self, first: bool, is_value: bool) {
        if !first {
            self.line.push(char::from(self.dialect.delimiter));
        }
        let quote = char::from(self.dialect.quote);
        if !is_value {
            self.line.push_str(&self.dialect.null);
        } else if self.needs_quotes(first) {
            self.line.push(quote);
            for (index, part) in self.field.split(quote).enumerate() {
                if index > 0 {
                    self.line.extend([quote, quote]);
                }
                self.line.push_str(part);
            }
            self.line.push(quote);
        } else {
            self.line.push_str(&self.field);
        }
    }

    /// A byte order mark at the start of a file is taken off by readers, so text that begins with one is quoted.
    fn needs_quotes(&self, first: bool) -> bool {
        let special = [self.dialect.delimiter, self.dialect.quote, b'\n', b'\r'];
        self.field == self.dialect.null
            || self.field.bytes().any(|byte| special.contains(&byte))
            || (first && self.field.starts_with('\u{feff}'))
    }

    fn end_line(&mut self) -> io::Result<()> {
        self.line.push('\n');
        self.out.write_all(self.line.as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow::array::{BinaryArray, StringArray};
    use arrow::datatypes::{DataType, Field};

    use super::*;

    fn written(dialect: CsvDialect, values: Vec<Option<&str>>) -> String {
        let schema = Arc::new(Schema::new(vec![Field::new("k,", DataType::Utf8, true)]));
        let batch =
            RecordBatch::try_new(Arc::clone(&schema), vec![Arc::new(StringArray::from(values))]).unwrap();
        let mut writer = CsvWriter::new(Vec::new(), dialect);
        writer.write_header(&schema).unwrap();
        writer.write(&batch).unwrap();
        String::from_utf8(writer.finish().unwrap()).unwrap()
    }

    #[test]
    fn null_and_the_empty_string_differ() {
        assert_eq!(written(CsvDialect::default(), vec![None, Some("")]), "\"k,\"\n\n\"\"\n");
    }

    #[test]
    fn quotes_are_doubled_and_line_ends_quoted() {
        let found = written(CsvDialect::default(), vec![Some("a\"b"), Some("x\ny"), Some("\r"), Some(" p ")]);
        assert_eq!(found, "\"k,\"\n\"a\"\"b\"\n\"x\ny\"\n\"\r\"\n p \n");
    }

    #[test]
    fn the_null_text_is_quoted_when_it_is_a_value() {
        let dialect = CsvDialect { null: "NA".to_owned(), ..CsvDialect::tabs() };
        assert_eq!(written(dialect, vec![None, Some("NA"), Some("")]), "k,\nNA\n\"NA\"\n\n");
    }

    #[test]
    fn binary_is_postgresql_hex() {
        let schema = Arc::new(Schema::new(vec![Field::new("b", DataType::Binary, true)]));
        let array = BinaryArray::from(vec![Some(b"\xff\x00".as_slice()), Some(b""), None]);
        let batch = RecordBatch::try_new(schema, vec![Arc::new(array)]).unwrap();
        let mut writer = CsvWriter::new(Vec::new(), CsvDialect::default());
        writer.write(&batch).unwrap();
        assert_eq!(writer.finish().unwrap(), b"\\xff00\n\\x\n\n");
    }
}
