//! [`TableWriter`]: columns lined up, as psql does.

use std::io::{self, Write};

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use arrow::error::ArrowError;
use unicode_width::UnicodeWidthStr;

use super::{harmless, shown, texts};

/// Rows are gathered up to this many to find the columns' widths; later rows keep these, and wider values stick out. So
/// memory is bounded and the first rows of a long result are seen soon.
const WINDOW: usize = 2000;

/// Writes a result as a table. A value of several lines takes several lines.
pub(crate) struct TableWriter<W> {
    out: W,
    names: Vec<String>,
    numeric: Vec<bool>,
    widths: Vec<usize>,
    waiting: Vec<Vec<String>>,
    header_written: bool,
    rows: u64,
}

impl<W: Write> TableWriter<W> {
    pub(crate) fn new(schema: &SchemaRef, out: W) -> Self {
        let names: Vec<_> =
            schema.fields().iter().map(|field| harmless(field.name().replace('\n', "\\n"))).collect();
        let numeric = schema.fields().iter().map(|field| field.data_type().is_numeric()).collect();
        let widths = names.iter().map(|name| name.width()).collect();
        Self { out, names, numeric, widths, waiting: Vec::new(), header_written: false, rows: 0 }
    }

    pub(crate) fn write(&mut self, batch: &RecordBatch) -> Result<(), ArrowError> {
        let columns = texts(batch)?;
        for row in 0..batch.num_rows() {
            let cells = columns.iter().map(|column| Ok(shown(column, row)?.replace('\t', "    ")));
            let cells = cells.collect::<Result<Vec<_>, ArrowError>>()?;
            if !self.header_written {
                for (width, cell) in self.widths.iter_mut().zip(&cells) {
                    *width = cell.lines().map(UnicodeWidthStr::width).fold(*width, usize::max);
                }
            }
            self.waiting.push(cells);
            if self.waiting.len() >= WINDOW {
                self.write_waiting()?;
            }
        }
        Ok(())
    }

    pub(crate) fn finish(mut self) -> io::Result<()> {
        self.write_waiting()?;
        let rows = if self.rows == 1 { "row" } else { "rows" };
        writeln!(self.out, "({} {rows})", self.rows)?;
        self.out.flush()
    }

    fn write_waiting(&mut self) -> io::Result<()> {
        if !std::mem::replace(&mut self.header_written, true) {
            let names = self.names.iter().map(String::as_str).collect::<Vec<_>>();
            write_line(&mut self.out, &names, &self.widths, &vec![false; names.len()])?;
            let rules: Vec<_> = self.widths.iter().map(|width| "-".repeat(width + 2)).collect();
            writeln!(self.out, "{}", rules.join("+"))?;
        }
        for cells in std::mem::take(&mut self.waiting) {
            let lines = cells.iter().map(|cell| cell.lines().count()).max().unwrap_or(0).max(1);
            for line in 0..lines {
                let parts: Vec<_> = cells.iter().map(|cell| cell.lines().nth(line).unwrap_or("")).collect();
                write_line(&mut self.out, &parts, &self.widths, &self.numeric)?;
            }
            self.rows += 1;
        }
        Ok(())
    }
}

fn write_line(out: &mut impl Write, parts: &[&str], widths: &[usize], right: &[bool]) -> io::Result<()> {
    for (index, ((part, width), right)) in parts.iter().zip(widths).zip(right).enumerate() {
        let space = " ".repeat(width.saturating_sub(part.width()));
        let bar = if index == 0 { "" } else { "|" };
        match right {
            true => write!(out, "{bar} {space}{part} ")?,
            false => write!(out, "{bar} {part}{space} ")?,
        }
    }
    writeln!(out)
}
