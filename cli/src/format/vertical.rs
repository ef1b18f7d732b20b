//! [`VerticalWriter`]: one column a line, for rows that are wider than the screen.

use std::io::{self, Write};

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use arrow::error::ArrowError;
use unicode_width::UnicodeWidthStr;

use super::{harmless, shown, texts};

/// Writes each row as a numbered record.
pub(crate) struct VerticalWriter<W> {
    out: W,
    names: Vec<String>,
    width: usize,
    rows: u64,
}

impl<W: Write> VerticalWriter<W> {
    pub(crate) fn new(schema: &SchemaRef, out: W) -> Self {
        let names: Vec<_> =
            schema.fields().iter().map(|field| harmless(field.name().replace('\n', "\\n"))).collect();
        let width = names.iter().map(|name| name.width()).max().unwrap_or(0);
        Self { out, names, width, rows: 0 }
    }

    pub(crate) fn write(&mut self, batch: &RecordBatch) -> Result<(), ArrowError> {
        let columns = texts(batch)?;
        for row in 0..batch.num_rows() {
            self.rows += 1;
            writeln!(self.out, "-[ RECORD {} ]-", self.rows)?;
            for (name, column) in self.names.iter().zip(&columns) {
                let space = " ".repeat(self.width.saturating_sub(name.width()));
                let text = shown(column, row)?;
                let mut lines = text.split('\n');
                writeln!(self.out, "{name}{space} | {}", lines.next().unwrap_or(""))?;
                for line in lines {
                    writeln!(self.out, "{} | {line}", " ".repeat(self.width))?;
                }
            }
        }
        Ok(())
    }

    pub(crate) fn finish(mut self) -> io::Result<()> {
        if self.rows == 0 {
            writeln!(self.out, "(0 rows)")?;
        }
        self.out.flush()
    }
}
