//! Lines of text: PigStorage and TextLoader.

mod fields;
mod lines;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow::array::ArrayRef;
use arrow::datatypes::{Field, Schema as ArrowSchema, SchemaRef};
use arrow::record_batch::{RecordBatch, RecordBatchOptions};
use async_trait::async_trait;
use datafusion::catalog::{Session, TableProvider};
use datafusion::common::Result as DfResult;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::logical_expr::{Expr, TableType};
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::streaming::{PartitionStream, StreamingTableExec};
use futures::stream;
use ostracon_piglatin::types::PigType;
use ostracon_piglatin::value::Value;

use self::fields::FieldBuilder;
pub(crate) use self::fields::Place;
use self::lines::{Lines, Part, parts};
use crate::columns::{ColumnBuilder, arrow_type, field_name};
use crate::load::Layout;
use crate::plan::ROW;
use crate::warnings::RunContext;

/// Rows of a batch.
const BATCH: usize = 8192;

/// What stands before the fields of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tag {
    /// The file's name.
    File,
    /// The file's path.
    Path,
}

/// Text files as a table.
#[derive(Debug)]
pub(crate) struct TextTable {
    files: Vec<PathBuf>,
    reader: LineReader,
    schema: SchemaRef,
}

/// How lines become rows.
#[derive(Debug, Clone)]
struct LineReader {
    /// Between fields; without, a line is one field.
    delimiter: Option<u8>,
    tag: Option<Tag>,
    layout: Layout,
    /// The fields that are wanted, in order.
    wanted: Vec<usize>,
    schema: SchemaRef,
    run: RunContext,
}

impl TextTable {
    pub(crate) fn new(
        files: Vec<PathBuf>,
        delimiter: Option<u8>,
        tag: Option<Tag>,
        layout: &Layout,
        run: &RunContext,
    ) -> Self {
        let fields: Vec<Field> = match layout {
            Layout::Row => vec![Field::new(ROW, arrow_type(&PigType::Tuple(None)), true)],
            Layout::Fields(types) => types
                .iter()
                .enumerate()
                .map(|(index, ty)| Field::new(field_name(index), arrow_type(ty), true))
                .collect(),
        };
        let wanted = (0..fields.len()).collect();
        let schema = Arc::new(ArrowSchema::new(fields));
        let reader = LineReader {
            delimiter,
            tag,
            layout: layout.clone(),
            wanted,
            schema: Arc::clone(&schema),
            run: run.clone(),
        };
        Self { files, reader, schema }
    }
}

#[async_trait]
impl TableProvider for TextTable {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }

    fn table_type(&self) -> TableType {
        TableType::Base
    }

    async fn scan(
        &self,
        state: &dyn Session,
        projection: Option<&Vec<usize>>,
        _filters: &[Expr],
        limit: Option<usize>,
    ) -> DfResult<Arc<dyn ExecutionPlan>> {
        let mut reader = self.reader.clone();
        if let Some(projection) = projection {
            reader.wanted.clone_from(projection);
            reader.schema = Arc::new(self.schema.project(projection)?);
        }
        let parts = parts(&self.files, state.config().target_partitions())?;
        let partitions = parts
            .into_iter()
            .map(|files| {
                Arc::new(TextPartition { files, reader: reader.clone() }) as Arc<dyn PartitionStream>
            })
            .collect();
        let schema = Arc::clone(&reader.schema);
        Ok(Arc::new(StreamingTableExec::try_new(schema, partitions, None, Vec::new(), false, limit)?))
    }
}

#[derive(Debug)]
struct TextPartition {
    files: Vec<Part>,
    reader: LineReader,
}

impl PartitionStream for TextPartition {
    fn schema(&self) -> &SchemaRef {
        &self.reader.schema
    }

    fn execute(&self, _: Arc<TaskContext>) -> SendableRecordBatchStream {
        let parts = self.files.clone();
        let reader = self.reader.clone();
        let schema = Arc::clone(&reader.schema);
        let batches = parts.into_iter().flat_map(move |part| Batches::new(part, reader.clone()));
        Box::pin(RecordBatchStreamAdapter::new(schema, stream::iter(batches)))
    }
}

/// The batches of one part.
struct Batches {
    part: Part,
    lines: Option<Lines>,
    reader: LineReader,
    columns: Vec<FieldBuilder>,
    row: u64,
    failed: bool,
}

impl Batches {
    fn new(part: Part, reader: LineReader) -> Self {
        let columns = match &reader.layout {
            Layout::Row => Vec::new(),
            Layout::Fields(types) => {
                reader.wanted.iter().map(|&index| FieldBuilder::new(&types[index])).collect()
            }
        };
        Self { part, lines: None, reader, columns, row: 0, failed: false }
    }

    fn next_batch(&mut self) -> DfResult<Option<RecordBatch>> {
        let mut lines = match self.lines.take() {
            Some(lines) => lines,
            None => {
                self.reader.run.progress().expect(self.part.size);
                Lines::open(&self.part)?
            }
        };
        let before = lines.position();
        let mut rows = ColumnBuilder::new(&PigType::Tuple(None));
        let mut count = 0;
        while count < BATCH {
            let Some(line) = lines.next()? else { break };
            self.row += 1;
            count += 1;
            match &self.reader.layout {
                Layout::Row if self.reader.wanted.is_empty() => {}
                Layout::Row => rows.push(&self.reader.row(line, &self.part.path))?,
                Layout::Fields(types) => {
                    let mut place = Place {
                        path: &self.part.path,
                        row: (self.part.from == 0).then_some(self.row),
                        warnings: self.reader.run.warnings(),
                    };
                    self.reader.fields(line, types, &mut self.columns, &mut place)?;
                }
            }
        }
        let bytes = if self.part.size > 0 { lines.position() - before } else { 0 };
        self.reader.run.progress().read(bytes, u64::try_from(count).unwrap_or(0));
        self.lines = Some(lines);
        if count == 0 {
            return Ok(None);
        }
        let columns: Vec<ArrayRef> = match &self.reader.layout {
            Layout::Row if self.reader.wanted.is_empty() => Vec::new(),
            Layout::Row => vec![rows.finish()?],
            Layout::Fields(_) => {
                self.columns.iter_mut().map(FieldBuilder::finish).collect::<DfResult<_>>()?
            }
        };
        let options = RecordBatchOptions::new().with_row_count(Some(count));
        Ok(Some(RecordBatch::try_new_with_options(Arc::clone(&self.reader.schema), columns, &options)?))
    }
}

impl Iterator for Batches {
    type Item = DfResult<RecordBatch>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.failed {
            return None;
        }
        let next = self.next_batch();
        self.failed = next.is_err();
        next.transpose()
    }
}

impl LineReader {
    fn tag_of(&self, path: &Path) -> Option<Vec<u8>> {
        self.tag.map(|tag| match tag {
            Tag::File => path.file_name().unwrap_or_default().as_encoded_bytes().to_vec(),
            Tag::Path => path.as_os_str().as_encoded_bytes().to_vec(),
        })
    }

    /// A line as a tuple of bytes.
    fn row(&self, line: &[u8], path: &Path) -> Value {
        let value = |bytes: &[u8]| match bytes {
            [] if self.delimiter.is_some() => Value::Null,
            bytes => Value::Bytearray(bytes.to_vec()),
        };
        let mut fields: Vec<Value> = self.tag_of(path).map(Value::Bytearray).into_iter().collect();
        match self.delimiter {
            Some(delimiter) => fields.extend(split(line, delimiter).map(value)),
            None => fields.push(value(line)),
        }
        Value::Tuple(fields)
    }

    fn fields(
        &self,
        line: &[u8],
        types: &[PigType],
        columns: &mut [FieldBuilder],
        place: &mut Place<'_>,
    ) -> DfResult<()> {
        let tag = self.tag_of(place.path);
        let tags = usize::from(tag.is_some());
        let mut wanted = self.wanted.iter().zip(columns).peekable();
        while let Some((_, column)) = wanted.next_if(|(index, _)| **index < tags) {
            column.push(tag.as_deref(), &types[0], place)?;
        }
        let Some(delimiter) = self.delimiter else {
            for (index, column) in wanted {
                let field = (*index == tags).then_some(line);
                column.push_line(field, &types[*index], place)?;
            }
            return Ok(());
        };
        let mut at = tags;
        let mut rest = Some(line);
        for (index, column) in wanted {
            // Fields between wanted ones are only stepped over.
            while at < *index
                && let Some(text) = rest
            {
                rest = field_end(text, delimiter).map(|end| &text[end + 1..]);
                at += 1;
            }
            let field = match rest {
                Some(text) if at == *index => {
                    let end = field_end(text, delimiter);
                    rest = end.map(|end| &text[end + 1..]);
                    at += 1;
                    Some(&text[..end.unwrap_or(text.len())])
                }
                _ => None,
            };
            column.push(field, &types[*index], place)?;
        }
        Ok(())
    }
}

/// Where a field ends; what a delimiter stands in does not matter, as in Pig.
fn field_end(text: &[u8], delimiter: u8) -> Option<usize> {
    memchr::memchr(delimiter, text)
}

fn split(line: &[u8], delimiter: u8) -> impl Iterator<Item = &[u8]> {
    line.split(move |byte| *byte == delimiter)
}
