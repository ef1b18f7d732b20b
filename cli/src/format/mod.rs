//! Results on their way to stdout, in the format that was asked for.
//!
//! [`Format`] is the choice, [`ResultWriter`] takes one result's schema and batches and ends it. CSV and JSON are written
//! by `ostracon_handler::export`, so that what the shell prints and what `COPY ... TO` writes is one text.

mod markdown;
mod table;
mod vertical;

use std::io::{self, Write};

use arrow::array::{ArrayRef, RecordBatch};
use arrow::datatypes::SchemaRef;
use arrow::error::ArrowError;
use ostracon_handler::export::{ColumnText, CsvDialect, CsvWriter, JsonLayout, JsonWriter};

use self::markdown::MarkdownWriter;
use self::table::TableWriter;
use self::vertical::VerticalWriter;

/// How results are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Format {
    /// Columns lined up for the eye.
    Table,
    /// Commas between fields, a line of names first.
    Csv,
    /// Tabs between fields, a line of names first.
    Tsv,
    /// One array of objects for a result.
    Json,
    /// One object a line.
    Ndjson,
    /// One column a line.
    Vertical,
    /// A table for a Markdown page.
    Markdown,
}

/// Writes one result.
pub(crate) enum ResultWriter<W: Write> {
    Table(TableWriter<W>),
    Csv(CsvWriter<W>),
    Json(JsonWriter<W>),
    Vertical(VerticalWriter<W>),
    Markdown(MarkdownWriter<W>),
}

impl<W: Write> ResultWriter<W> {
    /// Begins a result, with its line of names where the format has one.
    pub(crate) fn new(format: Format, schema: &SchemaRef, out: W) -> io::Result<Self> {
        let csv = |out, dialect| {
            let mut writer = CsvWriter::new(out, dialect);
            writer.write_header(schema)?;
            Ok(Self::Csv(writer))
        };
        match format {
            Format::Table => Ok(Self::Table(TableWriter::new(schema, out))),
            Format::Csv => csv(out, CsvDialect::default()),
            Format::Tsv => csv(out, CsvDialect::tabs()),
            Format::Json => Ok(Self::Json(JsonWriter::new(out, JsonLayout::Array))),
            Format::Ndjson => Ok(Self::Json(JsonWriter::new(out, JsonLayout::Lines))),
            Format::Vertical => Ok(Self::Vertical(VerticalWriter::new(schema, out))),
            Format::Markdown => Ok(Self::Markdown(MarkdownWriter::new(schema, out)?)),
        }
    }

    /// Writes (or, for columns that are lined up, gathers) the rows of a batch.
    pub(crate) fn write(&mut self, batch: &RecordBatch) -> Result<(), ArrowError> {
        match self {
            Self::Table(writer) => writer.write(batch),
            Self::Csv(writer) => writer.write(batch),
            Self::Json(writer) => writer.write(batch),
            Self::Vertical(writer) => writer.write(batch),
            Self::Markdown(writer) => writer.write(batch),
        }
    }

    /// Ends the result and flushes.
    pub(crate) fn finish(self) -> io::Result<()> {
        match self {
            Self::Table(writer) => writer.finish(),
            Self::Csv(writer) => writer.finish().map(drop),
            Self::Json(writer) => writer.finish().map(drop),
            Self::Vertical(writer) => writer.finish(),
            Self::Markdown(writer) => writer.finish(),
        }
    }
}

/// What NULL looks like where people read it.
const NULL: &str = "NULL";

/// All columns of a batch as text.
fn texts(batch: &RecordBatch) -> Result<Vec<ColumnText<'_>>, ArrowError> {
    batch.columns().iter().map(|column: &ArrayRef| ColumnText::new(column)).collect()
}

/// A value for a person's eyes: control characters, which could move a terminal's cursor, are shown by their escapes;
/// line ends and tabs are kept.
fn shown(column: &ColumnText<'_>, row: usize) -> Result<String, ArrowError> {
    if column.is_null(row) {
        return Ok(NULL.to_owned());
    }
    let mut text = String::new();
    column.write_text(row, &mut text)?;
    Ok(harmless(text))
}

fn harmless(text: String) -> String {
    let bad = |c: char| c.is_control() && c != '\n' && c != '\t';
    if !text.contains(bad) {
        return text;
    }
    text.chars().map(|c| if bad(c) { c.escape_default().to_string() } else { c.to_string() }).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow::array::{Float64Array, Int32Array, StringArray};
    use arrow::datatypes::{DataType, Field, Schema};

    use super::*;

    fn written(format: Format, rows: usize) -> String {
        let schema = Arc::new(Schema::new(vec![
            Field::new("id", DataType::Int32, false),
            Field::new("näme", DataType::Utf8, true),
            Field::new("x", DataType::Float64, true),
        ]));
        let batch = RecordBatch::try_new(
            Arc::clone(&schema),
            vec![
                Arc::new(Int32Array::from(vec![1, 22, 3])),
                Arc::new(StringArray::from(vec![Some("a|b,\"c\""), None, Some("two\nlines 漢\u{1b}[2J")])),
                Arc::new(Float64Array::from(vec![Some(0.5), Some(f64::NAN), None])),
            ],
        );
        let mut out = Vec::new();
        let mut writer = ResultWriter::new(format, &schema, &mut out).unwrap();
        writer.write(&batch.unwrap().slice(0, rows)).unwrap();
        writer.finish().unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn table_lines_up_by_width() {
        let wanted = [
            " id | näme              | x    ",
            "----+-------------------+------",
            "  1 | a|b,\"c\"           |  0.5 ",
            " 22 | NULL              |  NaN ",
            "  3 | two               | NULL ",
            "    | lines 漢\\u{1b}[2J |      ",
            "(3 rows)",
        ];
        assert_eq!(written(Format::Table, 3).lines().collect::<Vec<_>>(), wanted);
    }

    #[test]
    fn an_empty_table_has_names_and_a_count() {
        assert_eq!(written(Format::Table, 0), " id | näme | x \n----+------+---\n(0 rows)\n");
        assert!(written(Format::Table, 1).ends_with("(1 row)\n"));
    }

    #[test]
    fn csv_and_tsv_have_a_header() {
        assert_eq!(written(Format::Csv, 2), "id,näme,x\n1,\"a|b,\"\"c\"\"\",0.5\n22,,NaN\n");
        assert_eq!(written(Format::Tsv, 2), "id\tnäme\tx\n1\t\"a|b,\"\"c\"\"\"\t0.5\n22\t\tNaN\n");
    }

    #[test]
    fn json_is_an_array_and_ndjson_lines() {
        assert_eq!(
            written(Format::Ndjson, 2),
            "{\"id\":1,\"näme\":\"a|b,\\\"c\\\"\",\"x\":0.5}\n{\"id\":22,\"näme\":null,\"x\":\"NaN\"}\n"
        );
        assert_eq!(written(Format::Json, 0), "[]\n");
        assert!(written(Format::Json, 2).starts_with("[\n  {\"id\":1,"));
    }

    #[test]
    fn vertical_gives_a_line_to_each_column() {
        assert_eq!(
            written(Format::Vertical, 2),
            "-[ RECORD 1 ]-\nid   | 1\nnäme | a|b,\"c\"\nx    | 0.5\n-[ RECORD 2 ]-\nid   | 22\nnäme | NULL\nx    | NaN\n"
        );
        assert_eq!(written(Format::Vertical, 0), "(0 rows)\n");
    }

    #[test]
    fn markdown_escapes_its_bars() {
        assert_eq!(
            written(Format::Markdown, 3),
            "| id | näme | x |\n|---:|---|---:|\n| 1 | a\\|b,\"c\" | 0.5 |\n| 22 | NULL | NaN |\n| 3 | two<br>lines 漢\\\\u{1b}[2J | NULL |\n"
        );
    }
}
