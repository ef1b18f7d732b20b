//! [`CsvRecords`]: the bytes of a CSV file as [`Block`]s of records.
//!
//! A field keeps whether it was quoted: an unquoted empty field is NULL, a quoted one is ''.

use std::borrow::Cow;
use std::io::{self, Read};

use super::split::{FieldForm, FieldSpan, LONGEST_TEXT, Marks, Shape, Spans, Splitter};

/// The longest record that is accepted, in bytes. A quote that is never closed makes the rest of the file one
/// record: the bound keeps that from filling the memory.
const LONGEST_RECORD: usize = 256 << 20;

const _: () = assert!(LONGEST_RECORD + READ_BYTES <= LONGEST_TEXT);

/// Bytes of the file that are read at once. Few enough to stay in a core's own cache while they are taken apart.
const READ_BYTES: usize = 128 << 10;

/// Why the bytes cannot be cut into records.
#[derive(Debug)]
pub(super) enum RecordFault {
    Io(io::Error),
    Shape(Shape),
}

/// Cuts a file into records.
#[derive(Debug)]
pub(super) struct CsvRecords<R> {
    input: R,
    marks: Marks,
    splitter: Splitter,
    /// What was read and has not been dropped yet: up to `split` in `spans`, and up to `filled` not split yet.
    text: Vec<u8>,
    start: usize,
    split: usize,
    filled: usize,
    ended: bool,
    spans: Spans,
}

impl<R: Read> CsvRecords<R> {
    pub(super) fn new(input: R, marks: Marks) -> Self {
        Self {
            input,
            marks,
            splitter: Splitter::new(marks),
            text: Vec::new(),
            start: 0,
            split: 0,
            filled: 0,
            ended: false,
            spans: Spans::default(),
        }
    }

    /// Leaves out lines without any character from now on.
    pub(super) fn skip_blank_lines(&mut self) {
        self.splitter.skip_blank = true;
    }

    /// Reads the next records, at least one and at most `most`; `false` at the end of the file.
    pub(super) fn read(&mut self, most: usize) -> Result<bool, RecordFault> {
        self.spans.clear();
        self.start = self.split;
        loop {
            let waiting = self.text.get(self.split..self.filled).unwrap_or_default();
            let taken = self.splitter.split(waiting, self.ended, most.max(1), &mut self.spans);
            self.split += taken.map_err(RecordFault::Shape)?;
            if !self.spans.records.is_empty() {
                return Ok(true);
            }
            if self.ended {
                return Ok(false);
            }
            self.fill()?;
        }
    }

    /// Reads more of the file behind what is not split yet. Nothing in `spans` holds on to what came before.
    fn fill(&mut self) -> Result<(), RecordFault> {
        self.text.copy_within(self.split..self.filled, 0);
        self.filled -= self.split;
        (self.start, self.split) = (0, 0);
        if self.filled > LONGEST_RECORD {
            let reason = "a record is longer than 256 MiB; is a quote left open?";
            return Err(RecordFault::Shape(self.splitter.fault(reason)));
        }
        // What does not hold one record is looked at again with as much behind it.
        let wanted = (self.filled + self.filled.max(READ_BYTES)).min(LONGEST_RECORD + READ_BYTES);
        self.text.resize(self.text.len().max(wanted), 0);
        while let Some(space) = self.text.get_mut(self.filled..).filter(|space| !space.is_empty()) {
            match self.input.read(space) {
                Ok(0) => {
                    self.ended = true;
                    return Ok(());
                }
                Ok(read) => self.filled += read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(RecordFault::Io(error)),
            }
        }
        Ok(())
    }

    /// The records that were read last.
    pub(super) fn block(&self) -> Block<'_> {
        let text = self.text.get(self.start..self.split).unwrap_or_default();
        Block { text, spans: &self.spans, marks: self.marks }
    }
}

/// Records that lie one after the other.
#[derive(Debug, Clone, Copy)]
pub(super) struct Block<'t> {
    text: &'t [u8],
    spans: &'t Spans,
    marks: Marks,
}

/// A field's bytes, and whether a quote stood in it.
pub(super) type CsvField<'t> = (Cow<'t, [u8]>, bool);

/// The fields of one column of a block.
#[derive(Debug, Clone)]
pub(super) struct ColumnFields<'t> {
    block: Block<'t>,
    spans: std::iter::StepBy<std::slice::Iter<'t, FieldSpan>>,
}

impl<'t> Iterator for ColumnFields<'t> {
    type Item = CsvField<'t>;

    #[inline]
    fn next(&mut self) -> Option<CsvField<'t>> {
        self.spans.next().map(|span| self.block.field(span))
    }
}

/// One record of a block.
#[derive(Debug, Clone, Copy)]
pub(super) struct CsvRecord<'t> {
    block: Block<'t>,
    fields: &'t [FieldSpan],
    /// The line that the record starts on, from 1.
    pub(super) line: u64,
    /// The record as it stands in the file, without its line end.
    pub(super) raw: &'t [u8],
}

impl<'t> Block<'t> {
    /// The bytes of all records, line ends included.
    pub(super) fn text(&self) -> &'t [u8] {
        self.text
    }

    pub(super) fn len(&self) -> usize {
        self.spans.records.len()
    }

    pub(super) fn records(self) -> impl Iterator<Item = CsvRecord<'t>> {
        let mut fields_start = 0;
        self.spans.records.iter().map(move |record| CsvRecord {
            block: self,
            fields: self
                .spans
                .fields
                .get(std::mem::replace(&mut fields_start, record.fields_end)..record.fields_end)
                .unwrap_or_default(),
            line: record.line,
            raw: self.text.get(record.start..record.end).unwrap_or_default(),
        })
    }

    /// The fields of one column from top to bottom, where every record has so many `columns`.
    pub(super) fn column(self, column: usize, columns: usize) -> Option<ColumnFields<'t>> {
        let (records, fields) = (&self.spans.records, &self.spans.fields);
        let regular = records.iter().zip(1..).all(|(record, number)| record.fields_end == number * columns);
        let spans = fields.get(column..)?.iter().step_by(columns.max(1));
        regular.then_some(ColumnFields { block: self, spans })
    }

    #[inline]
    fn field(&self, span: &FieldSpan) -> CsvField<'t> {
        match span.of(self.text) {
            (text, FieldForm::Plain) => (Cow::Borrowed(text), false),
            (text, FieldForm::Quoted) => {
                (Cow::Borrowed(text.get(1..text.len().saturating_sub(1)).unwrap_or_default()), true)
            }
            (text, FieldForm::Mixed) => (Cow::Owned(without_quotes(text, self.marks)), true),
        }
    }
}

impl<'t> CsvRecord<'t> {
    pub(super) fn len(&self) -> usize {
        self.fields.len()
    }

    pub(super) fn fields(&self) -> impl Iterator<Item = CsvField<'t>> {
        let block = self.block;
        self.fields.iter().map(move |span| block.field(span))
    }
}

/// A field's text without its quotes and escapes.
fn without_quotes(text: &[u8], marks: Marks) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut in_quotes = false;
    let mut bytes = text.iter().copied().peekable();
    while let Some(byte) = bytes.next() {
        if !in_quotes {
            match byte == marks.quote {
                true => in_quotes = true,
                false => out.push(byte),
            }
        } else if byte == marks.escape
            && let Some(after) = bytes.next_if(|after| *after == marks.quote || *after == marks.escape)
        {
            out.push(after);
        } else if byte == marks.escape && marks.escape != marks.quote {
            out.push(byte);
            out.extend(bytes.next());
        } else if byte == marks.quote {
            in_quotes = false;
        } else {
            out.push(byte);
        }
    }
    out
}

#[cfg(test)]
mod tests;
