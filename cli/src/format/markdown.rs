//! [`MarkdownWriter`]: a table as GitHub's Markdown has it.

use std::io::{self, Write};

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use arrow::error::ArrowError;

use super::{harmless, shown, texts};

/// Writes rows between bars; numbers stand at the right.
pub(crate) struct MarkdownWriter<W> {
    out: W,
}

impl<W: Write> MarkdownWriter<W> {
    /// Writes the header too.
    pub(crate) fn new(schema: &SchemaRef, mut out: W) -> io::Result<Self> {
        let names: Vec<_> =
            schema.fields().iter().map(|field| escaped(&harmless(field.name().clone()))).collect();
        writeln!(out, "| {} |", names.join(" | "))?;
        let rules =
            schema.fields().iter().map(|field| if field.data_type().is_numeric() { "---:" } else { "---" });
        writeln!(out, "|{}|", rules.collect::<Vec<_>>().join("|"))?;
        Ok(Self { out })
    }

    pub(crate) fn write(&mut self, batch: &RecordBatch) -> Result<(), ArrowError> {
        let columns = texts(batch)?;
        for row in 0..batch.num_rows() {
            let cells = columns.iter().map(|column| Ok(escaped(&shown(column, row)?)));
            let cells = cells.collect::<Result<Vec<_>, ArrowError>>()?;
            writeln!(self.out, "| {} |", cells.join(" | "))?;
        }
        Ok(())
    }

    pub(crate) fn finish(mut self) -> io::Result<()> {
        self.out.flush()
    }
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('|', "\\|").replace('\n', "<br>")
}
