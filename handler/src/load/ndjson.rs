//! [`NdjsonReader`]: JSON objects, one a line or in one array, as batches of a table's columns.
//!
//! The columns that a file fills are the keys of all of its objects, so a file is read twice: a column that no object names
//! takes its default, one that an object lacks is NULL there.

use std::io::BufRead;
use std::path::Path;
use std::sync::Arc;

use arrow::array::RecordBatch;
use arrow::datatypes::{Schema, SchemaRef};

use ostracon_compare::JsonValue;

use super::columns::{Columns, find_column};
use super::error::BadField;
use super::input::{LoadProgress, TextInput, is_stdin, open_text, shown};
use super::reject::BadRows;
use super::{LoadError, LoadOptions};

/// The longest object that is accepted, in bytes.
const LONGEST_OBJECT: usize = 256 << 20;

/// Reads one file of JSON objects.
pub(super) struct NdjsonReader {
    file: String,
    objects: Objects,
    columns: Columns,
    target: SchemaRef,
}

impl NdjsonReader {
    /// Opens a file for the columns of `places`, which [`columns_of`] finds.
    pub(super) fn open(
        path: &Path,
        target: &SchemaRef,
        places: &[usize],
        options: &LoadOptions,
        progress: &Arc<LoadProgress>,
    ) -> Result<Self, LoadError> {
        let file = shown(path);
        let schema = Arc::new(target.project(places)?);
        let columns = Columns::new(schema, options.batch_rows)
            .map_err(|message| LoadError::Format { file: file.clone(), message })?;
        Ok(Self {
            file,
            objects: Objects::new(open_text(path, progress)?),
            columns,
            target: Arc::clone(target),
        })
    }

    pub(super) fn schema(&self) -> &SchemaRef {
        self.columns.schema()
    }

    /// The next batch; `None` at the end of the file.
    pub(super) fn next(&mut self, bad_rows: &mut BadRows) -> Result<Option<RecordBatch>, LoadError> {
        while self.columns.room().is_some() && self.objects.read(&self.file)? {
            let line = self.objects.line;
            let parsed =
                std::str::from_utf8(&self.objects.text).map_err(|_| BadField::row("is not UTF-8 text"));
            if let Err(bad) = parsed.and_then(|text| append(&mut self.columns, &self.target, text)) {
                bad_rows
                    .take(bad.at(&self.file, line), String::from_utf8_lossy(&self.objects.text).trim())?;
            }
        }
        Ok(self.columns.finish()?)
    }
}

fn append(columns: &mut Columns, target: &Schema, text: &str) -> Result<(), BadField> {
    let entries = object(text)?;
    let mut values: Vec<Option<&JsonValue<'_>>> = vec![None; columns.len()];
    for (key, value) in &entries {
        let place = find_column(target, key).and_then(|place| target.fields().get(place));
        let place = place.and_then(|field| columns.schema().index_of(field.name()).ok());
        let Some(slot) = place.and_then(|place| values.get_mut(place)) else {
            return Err(BadField::row(format!("the table has no column {key}")));
        };
        if slot.replace(value).is_some() {
            return Err(BadField::row(format!("the column {key} stands there twice")));
        }
    }
    columns.add_bytes(text.len());
    columns.append_json(values.into_iter())
}

type Entries<'a> = Vec<(std::borrow::Cow<'a, str>, JsonValue<'a>)>;

fn object(text: &str) -> Result<Entries<'_>, BadField> {
    match JsonValue::parse(text) {
        Ok(JsonValue::Object(entries, _)) => Ok(entries),
        Ok(_) => Err(BadField::row("is not a JSON object")),
        Err(fault) => {
            Err(BadField::row(format!("is not a JSON object: {} at byte {}", fault.reason, fault.at + 1)))
        }
    }
}

/// The columns of the table that any object of the files names, in the table's order. Objects that cannot be read are
/// left to the reading proper. Standard input cannot be read twice: it fills all columns.
pub(super) fn columns_of(paths: &[&Path], target: &Schema) -> Result<Vec<usize>, LoadError> {
    let mut named = vec![false; target.fields().len()];
    for path in paths {
        if is_stdin(path) {
            named.fill(true);
            break;
        }
        // Progress counts the reading proper.
        let mut objects = Objects::new(open_text(path, &Arc::default())?);
        while named.contains(&false) && objects.read(&shown(path))? {
            let text = std::str::from_utf8(&objects.text).unwrap_or_default();
            for (key, _) in object(text).unwrap_or_default() {
                if let Some(slot) = find_column(target, &key).and_then(|place| named.get_mut(place)) {
                    *slot = true;
                }
            }
        }
    }
    let places: Vec<_> =
        named.iter().enumerate().filter(|(_, named)| **named).map(|(place, _)| place).collect();
    Ok(if places.is_empty() { (0..named.len()).collect() } else { places })
}

/// Cuts a file into the texts of its objects.
struct Objects {
    input: TextInput,
    shape: Shape,
    text: Vec<u8>,
    /// The line that the object starts on, from 1.
    line: u64,
    next_line: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shape {
    Unknown,
    Lines,
    Array,
    Ended,
}

impl Objects {
    fn new(input: TextInput) -> Self {
        Self { input, shape: Shape::Unknown, text: Vec::new(), line: 1, next_line: 1 }
    }

    /// Reads the next object's text; `false` at the end.
    fn read(&mut self, file: &str) -> Result<bool, LoadError> {
        let unreadable = |source| LoadError::Read { file: file.to_owned(), source };
        self.text.clear();
        if self.shape == Shape::Unknown {
            self.shape = match self.peek().map_err(unreadable)? {
                None => Shape::Ended,
                Some(b'[') => {
                    self.input.consume(1);
                    Shape::Array
                }
                Some(_) => Shape::Lines,
            };
        }
        match self.shape {
            Shape::Lines => self.read_line().map_err(unreadable),
            Shape::Array => {
                self.read_item().map_err(unreadable)?.map_err(|bad| bad.at(file, self.next_line).into())
            }
            Shape::Unknown | Shape::Ended => Ok(false),
        }
    }

    fn read_line(&mut self) -> std::io::Result<bool> {
        loop {
            self.text.clear();
            if self.input.read_until(b'\n', &mut self.text)? == 0 {
                return Ok(false);
            }
            self.line = self.next_line;
            self.next_line += 1;
            if !self.text.trim_ascii().is_empty() {
                return Ok(true);
            }
        }
    }

    /// An item of an array, up to the comma or bracket outside of it.
    fn read_item(&mut self) -> std::io::Result<Result<bool, BadField>> {
        self.peek()?;
        self.line = self.next_line;
        let (mut depth, mut in_string, mut escaped) = (0_u32, false, false);
        loop {
            let Some(byte) = self.input.fill_buf()?.first().copied() else {
                return Ok(Err(BadField::row(
                    "the array of objects is not closed before the end of the file",
                )));
            };
            self.input.consume(1);
            self.next_line += u64::from(byte == b'\n');
            match byte {
                _ if in_string => {
                    in_string = escaped || byte != b'"';
                    escaped = byte == b'\\' && !escaped;
                }
                b'"' => in_string = true,
                b'{' | b'[' => depth += 1,
                b'}' | b']' if depth > 0 => depth -= 1,
                b']' => {
                    self.shape = Shape::Ended;
                    return Ok(Ok(!self.text.trim_ascii().is_empty()));
                }
                b',' if depth == 0 => return Ok(Ok(true)),
                _ => {}
            }
            self.text.push(byte);
            if self.text.len() > LONGEST_OBJECT {
                return Ok(Err(BadField::row("an object is longer than 256 MiB; is a quote left open?")));
            }
        }
    }

    /// The next byte that is no white space, left in the input.
    fn peek(&mut self) -> std::io::Result<Option<u8>> {
        loop {
            let Some(byte) = self.input.fill_buf()?.first().copied() else { return Ok(None) };
            if !byte.is_ascii_whitespace() {
                return Ok(Some(byte));
            }
            self.next_line += u64::from(byte == b'\n');
            self.input.consume(1);
        }
    }
}
