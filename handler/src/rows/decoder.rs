//! Rows of cells to record batches: what a scan hands to DataFusion.
//!
//! A [`RowDecoder`] is made once per scan from the table and the projected columns; each row that the store hands
//! out is [appended](RowDecoder::append), and [`RowDecoder::finish`] gives what came in as one batch. Which cells
//! it must be given is said by [`RowDecoder::cells_needed`].
//!
//! The first cell of a column in the row is its value (the newest that the session sees); a column without a cell
//! is NULL. What becomes of bytes that are no value of their column's type is the table's `on.bad.value`.
//! The decoder evaluates no predicate and knows no label but through `:visibility`.

use std::sync::Arc;

use arrow::array::{ArrayRef, MapArray, RecordBatch, RecordBatchOptions, StructArray};
use arrow::buffer::{NullBufferBuilder, OffsetBuffer, ScalarBuffer};
use arrow::datatypes::{DataType, FieldRef, Fields, SchemaRef, TimeUnit};
use ostracon_compare::{BadValue, Encoding, KeyLexicoder, PrimitiveType, Scalar, ScalarRef, decode};
use ostracon_data::{ROW_MARKER_FAMILY, RowBuffer};
use ostracon_iterators::OnBadValue;
use ostracon_tablets::ColumnSelection;

use super::builder::ValueBuilder;
use super::encoder::split_fields;
use super::null_sequence;
use crate::definition::{RowIdLayout, TableDefinition, map_parts};
use crate::error::{HandlerError, Result};
use crate::mapping::ColumnTarget;

/// What became of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Appended {
    /// It is in the batch.
    Row,
    /// It holds a bad value and `on.bad.value` is `skip_row`.
    Skipped,
}

/// Collects rows of cells into record batches.
///
/// After an error the rows collected so far are lost; the decoder is of no use any more.
#[derive(Debug)]
pub struct RowDecoder {
    table: TableDefinition,
    schema: SchemaRef,
    columns: Vec<ColumnDecoder>,
    /// With `skip_row`: every column of the table, since a row is judged whole whatever is projected.
    judged: Vec<Source>,
    needed: ColumnSelection,
    /// Whether a projected column is a part of a key with several parts: then the row id is taken apart once.
    key_parts: Option<KeyLexicoder>,
    rows: usize,
}

#[derive(Debug)]
struct ColumnDecoder {
    name: String,
    source: Source,
    builder: Builder,
}

/// Where a column's value comes from.
#[derive(Debug, Clone)]
enum Source {
    RowId { ty: PrimitiveType, encoding: Encoding },
    KeyPart { index: usize },
    KeyStruct { lexicoder: KeyLexicoder },
    Fields { delimiter: Vec<u8>, types: Vec<PrimitiveType> },
    Cell { family: Vec<u8>, qualifier: Vec<u8>, ty: PrimitiveType, encoding: Encoding, null: Option<&'static [u8]> },
    Map(MapSource),
    Timestamp { unit: Option<TimeUnit> },
    Visibility,
}

#[derive(Debug, Clone)]
struct MapSource {
    family: Vec<u8>,
    prefix: Vec<u8>,
    key: (PrimitiveType, Encoding),
    value: (PrimitiveType, Encoding),
}

#[derive(Debug)]
enum Builder {
    Plain(ValueBuilder),
    Struct { fields: Fields, parts: Vec<ValueBuilder>, nulls: NullBufferBuilder },
    Map { entries: FieldRef, keys: ValueBuilder, values: ValueBuilder, offsets: Vec<i32>, nulls: NullBufferBuilder, count: usize },
}

/// Bytes that are no value, and what to call them.
type Bad = BadValue;

impl RowDecoder {
    /// A decoder of the columns at the given positions, in that order; `None` is all.
    ///
    /// # Errors
    /// `Internal` if a position is no column of the table.
    pub fn new(table: &TableDefinition, projection: Option<&[usize]>) -> Result<Self> {
        let all: Vec<usize> = (0..table.columns.len()).collect();
        let projection = projection.unwrap_or(&all);
        let schema = table.arrow_schema().project(projection).map_err(|error| {
            HandlerError::internal(format!("a projection of table '{}' names no column", table.name)).with_source(error)
        })?;
        let columns = projection
            .iter()
            .filter_map(|i| Some((*i, table.columns.get(*i)?)))
            .map(|(i, column)| {
                Ok(ColumnDecoder {
                    name: column.name.clone(),
                    source: Source::of(table, i)?,
                    builder: Builder::new(&column.data_type)?,
                })
            })
            .collect::<Result<Vec<_>>>()?;
        let judged = if table.properties.on_bad_value == OnBadValue::SkipRow {
            all.iter().map(|i| Source::of(table, *i)).collect::<Result<Vec<_>>>()?
        } else {
            Vec::new()
        };
        let needs_all = !judged.is_empty() || columns.iter().any(|column| column.source.needs_all_cells());
        let needed =
            if needs_all { table.mapped_columns() } else { table.cells_of(projection.iter().copied()) };
        let key_parts = match &table.row_id {
            RowIdLayout::Native { lexicoder, .. } => {
                let sources = columns.iter().map(|column| &column.source).chain(&judged);
                let wanted = sources.into_iter().any(|source| matches!(source, Source::KeyPart { .. }));
                wanted.then(|| lexicoder.clone())
            }
            _ => None,
        };
        Ok(RowDecoder {
            table: table.clone(),
            schema: Arc::new(schema),
            columns,
            judged,
            needed,
            key_parts,
            rows: 0,
        })
    }

    /// The schema of the batches.
    pub fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }

    /// The cells that rows must come with; more do no harm. The existence of rows is judged by other means.
    pub fn cells_needed(&self) -> &ColumnSelection {
        &self.needed
    }

    /// How many rows were collected since the last [`RowDecoder::finish`].
    pub fn len(&self) -> usize {
        self.rows
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.rows == 0
    }

    /// Adds a row.
    ///
    /// # Errors
    /// `Invalid`, naming column, row and bytes: a stored value that does not fit, if `on.bad.value` is `error`.
    pub fn append(&mut self, row: &RowBuffer) -> Result<Appended> {
        let policy = self.table.properties.on_bad_value;
        let parts = self.key_parts.as_ref().map(|lexicoder| lexicoder.decode(row.row()));
        if self.judged.iter().any(|source| source.check(row, parts.as_ref(), &self.table).is_err()) {
            return Ok(Appended::Skipped);
        }
        for column in &mut self.columns {
            let outcome = column.builder.append(&column.source, row, parts.as_ref(), &self.table, policy)?;
            if let Err(bad) = outcome {
                return Err(HandlerError::invalid(format!(
                    "table '{}', row '{}', column '{}': {bad}; set 'on.bad.value' to null or skip_row to read on",
                    self.table.name,
                    row.row().escape_ascii(),
                    column.name
                )));
            }
        }
        self.rows += 1;
        Ok(Appended::Row)
    }

    /// The rows collected, as one batch; the decoder is empty afterwards.
    ///
    /// # Errors
    /// `Internal` only.
    pub fn finish(&mut self) -> Result<RecordBatch> {
        let rows = std::mem::take(&mut self.rows);
        let arrays = self.columns.iter_mut().map(|column| column.builder.finish()).collect::<Result<Vec<_>>>()?;
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        RecordBatch::try_new_with_options(self.schema(), arrays, &options).map_err(|error| {
            HandlerError::internal(format!("the rows of table '{}' make no batch", self.table.name)).with_source(error)
        })
    }
}

/// The parts of a composite key, taken apart once per row.
type KeyParts = std::result::Result<Vec<Scalar>, Bad>;

impl Source {
    fn of(table: &TableDefinition, column: usize) -> Result<Self> {
        let internal = || HandlerError::internal(format!("table '{}' has a column without a place", table.name));
        let definition = table.columns.get(column).ok_or_else(internal)?;
        let plain = || PrimitiveType::from_arrow(&definition.data_type).ok_or_else(internal);
        Ok(match &definition.target {
            ColumnTarget::RowId { .. } => match &table.row_id {
                RowIdLayout::Single { ty, encoding, .. } => Source::RowId { ty: *ty, encoding: *encoding },
                RowIdLayout::Native { columns, lexicoder } => {
                    let index = columns.iter().position(|key| *key == column).ok_or_else(internal)?;
                    match lexicoder.parts() {
                        // A single ascending part is its native bytes: nothing to take apart.
                        [part] if !part.descending => Source::RowId { ty: part.ty, encoding: Encoding::Native },
                        _ => Source::KeyPart { index },
                    }
                }
                RowIdLayout::NativeStruct { lexicoder, .. } => Source::KeyStruct { lexicoder: lexicoder.clone() },
                RowIdLayout::Delimited { delimiter, fields, .. } => {
                    Source::Fields { delimiter: delimiter.clone(), types: fields.clone() }
                }
                RowIdLayout::Hidden | RowIdLayout::None => return Err(internal()),
            },
            ColumnTarget::Cell { family, qualifier, encoding } => Source::Cell {
                family: family.clone(),
                qualifier: qualifier.clone(),
                ty: plain()?,
                encoding: *encoding,
                null: null_sequence(plain()?, *encoding),
            },
            ColumnTarget::Map { family, prefix, key_encoding, value_encoding } => {
                let DataType::Map(entries, _) = &definition.data_type else {
                    return Err(internal());
                };
                let (key, value) = map_parts(entries).ok_or_else(internal)?;
                let key = PrimitiveType::from_arrow(key).ok_or_else(internal)?;
                let value = PrimitiveType::from_arrow(value).ok_or_else(internal)?;
                Source::Map(MapSource {
                    family: family.clone(),
                    prefix: prefix.clone(),
                    key: (key, *key_encoding),
                    value: (value, *value_encoding),
                })
            }
            ColumnTarget::Timestamp => Source::Timestamp {
                unit: match definition.data_type {
                    DataType::Timestamp(unit, _) => Some(unit),
                    _ => None,
                },
            },
            ColumnTarget::Visibility => Source::Visibility,
        })
    }

    fn needs_all_cells(&self) -> bool {
        matches!(self, Source::Timestamp { .. } | Source::Visibility)
    }

    /// A plain value of the row.
    fn value<'a>(
        &'a self,
        row: &'a RowBuffer,
        parts: Option<&'a KeyParts>,
        table: &TableDefinition,
    ) -> std::result::Result<Option<ScalarRef<'a>>, Bad> {
        match self {
            Source::RowId { ty, encoding } => decode(*ty, *encoding, row.row()).map(Some),
            Source::KeyPart { index } => match parts {
                Some(Ok(parts)) => Ok(parts.get(*index).map(Scalar::as_ref)),
                Some(Err(bad)) => Err(bad.clone()),
                None => Ok(None),
            },
            Source::Cell { family, qualifier, ty, encoding, null } => match row.find(family, qualifier) {
                Some(cell) if *null == Some(cell.value) => Ok(None),
                Some(cell) => decode(*ty, *encoding, cell.value).map(Some),
                None => Ok(None),
            },
            Source::Timestamp { unit } => timestamp(row, *unit, table),
            Source::Visibility => visibility(row, table),
            Source::KeyStruct { .. } | Source::Fields { .. } | Source::Map(_) => Ok(None),
        }
    }

    /// Whether the row has a value here that can be read (or none).
    fn check(
        &self,
        row: &RowBuffer,
        parts: Option<&KeyParts>,
        table: &TableDefinition,
    ) -> std::result::Result<(), Bad> {
        match self {
            Source::KeyStruct { lexicoder } => lexicoder.decode(row.row()).map(drop),
            Source::Fields { delimiter, types } => {
                split_fields(row.row(), delimiter).zip(types).try_for_each(|(field, ty)| {
                    decode(*ty, Encoding::String, field).map(drop)
                })
            }
            Source::Map(map) => map.entries(row).try_for_each(|(key, value)| key.and(value).map(drop)),
            plain => plain.value(row, parts, table).map(drop),
        }
    }
}

/// The outcome of reading one value of a map.
type Outcome<'a> = std::result::Result<Option<ScalarRef<'a>>, Bad>;

impl MapSource {
    /// Keys and values, in the order of the qualifiers; of several cells of one qualifier the newest.
    fn entries<'a>(&'a self, row: &'a RowBuffer) -> impl Iterator<Item = (Outcome<'a>, Outcome<'a>)> {
        let mut previous: Option<&[u8]> = None;
        let cells = row.cells_with_prefix(&self.family, &self.prefix);
        let newest = cells.filter(move |cell| previous.replace(cell.qualifier) != Some(cell.qualifier));
        newest.map(|cell| {
            let (key_type, key_encoding) = self.key;
            let key = cell.qualifier.get(self.prefix.len()..).unwrap_or_default();
            let key = decode(key_type, key_encoding, key).map(Some);
            let (value_type, value_encoding) = self.value;
            let value = if null_sequence(value_type, value_encoding) == Some(cell.value) {
                Ok(None)
            } else {
                decode(value_type, value_encoding, cell.value).map(Some)
            };
            (key, value)
        })
    }
}

/// The time of the row's newest visible mapped cell. A marker counts only where there is nothing else: it may be
/// left from a time when the row was all NULL.
fn timestamp<'a>(row: &RowBuffer, unit: Option<TimeUnit>, table: &TableDefinition) -> Outcome<'a> {
    let newest = |markers: bool| {
        row.cells()
            .filter(|cell| (cell.family == ROW_MARKER_FAMILY) == markers)
            .filter(|cell| markers || table.maps_cell(cell.family, cell.qualifier))
            .map(|cell| cell.timestamp)
            .max()
    };
    let Some(ms) = newest(false).or_else(|| newest(true)) else {
        return Ok(None);
    };
    let value = match unit {
        None | Some(TimeUnit::Millisecond) => Some(ms),
        Some(TimeUnit::Second) => Some(ms.div_euclid(1_000)),
        Some(TimeUnit::Microsecond) => ms.checked_mul(1_000),
        Some(TimeUnit::Nanosecond) => ms.checked_mul(1_000_000),
    };
    match value {
        Some(value) => Ok(Some(ScalarRef::Int(value))),
        None => Err(BadValue {
            wanted: "this TIMESTAMP; use TIMESTAMP(3) or BIGINT".to_owned(),
            reason: "the time is out of range".to_owned(),
            bytes_excerpt: format!("the cell's time of {ms} ms"),
        }),
    }
}

/// The label that all visible mapped cells of the row share; NULL where they differ.
fn visibility<'a>(row: &'a RowBuffer, table: &TableDefinition) -> Outcome<'a> {
    let cells = row.cells().filter(|cell| table.maps_cell(cell.family, cell.qualifier));
    let mut labels = cells.map(|cell| cell.visibility);
    let Some(first) = labels.next() else {
        return Ok(None);
    };
    if labels.any(|label| label != first) {
        return Ok(None);
    }
    decode(PrimitiveType::Utf8, Encoding::String, first).map(Some)
}

impl Builder {
    fn new(data_type: &DataType) -> Result<Self> {
        Ok(match data_type {
            DataType::Struct(fields) => Builder::Struct {
                fields: fields.clone(),
                parts: fields.iter().map(|field| ValueBuilder::new(field.data_type())).collect::<Result<_>>()?,
                nulls: NullBufferBuilder::new(0),
            },
            DataType::Map(entries, _) => {
                let (key, value) = map_parts(entries)
                    .ok_or_else(|| HandlerError::internal("a map type without key and value"))?;
                Builder::Map {
                    entries: Arc::clone(entries),
                    keys: ValueBuilder::new(key)?,
                    values: ValueBuilder::new(value)?,
                    offsets: vec![0],
                    nulls: NullBufferBuilder::new(0),
                    count: 0,
                }
            }
            plain => Builder::Plain(ValueBuilder::new(plain)?),
        })
    }

    /// Adds the row's value. The inner error is a bad value under [`OnBadValue::Error`].
    fn append(
        &mut self,
        source: &Source,
        row: &RowBuffer,
        parts: Option<&KeyParts>,
        table: &TableDefinition,
        policy: OnBadValue,
    ) -> Result<std::result::Result<(), Bad>> {
        match (self, source) {
            (Builder::Plain(builder), source) => match forgive(source.value(row, parts, table), policy) {
                Ok(value) => builder.append(value)?,
                Err(bad) => return Ok(Err(bad)),
            },
            (Builder::Struct { parts, nulls, .. }, Source::KeyStruct { lexicoder }) => {
                let decoded = match lexicoder.decode(row.row()) {
                    Ok(values) => Some(values),
                    Err(bad) if policy == OnBadValue::Error => return Ok(Err(bad)),
                    Err(_) => None,
                };
                nulls.append(decoded.is_some());
                for (i, part) in parts.iter_mut().enumerate() {
                    part.append(decoded.as_ref().and_then(|values| values.get(i)).map(Scalar::as_ref))?;
                }
            }
            (Builder::Struct { parts, nulls, .. }, Source::Fields { delimiter, types }) => {
                let mut fields = split_fields(row.row(), delimiter);
                nulls.append(true);
                for (part, ty) in parts.iter_mut().zip(types) {
                    let value = match fields.next() {
                        Some(field) => decode(*ty, Encoding::String, field).map(Some),
                        None => Ok(None),
                    };
                    match forgive(value, policy) {
                        Ok(value) => part.append(value)?,
                        Err(bad) => return Ok(Err(bad)),
                    }
                }
            }
            (Builder::Map { keys, values, offsets, nulls, count, .. }, Source::Map(map)) => {
                let before = *count;
                for (key, value) in map.entries(row) {
                    // A key that cannot be read has no place in a map, not even as NULL.
                    let key = match forgive(key, policy) {
                        Ok(Some(key)) => key,
                        Ok(None) => continue,
                        Err(bad) => return Ok(Err(bad)),
                    };
                    let value = match forgive(value, policy) {
                        Ok(value) => value,
                        Err(bad) => return Ok(Err(bad)),
                    };
                    keys.append(Some(key))?;
                    values.append(value)?;
                    *count += 1;
                }
                let end = i32::try_from(*count).map_err(|_| {
                    HandlerError::new(
                        crate::ErrorKind::Resource,
                        "a batch of maps has more than 2147483647 entries; use a smaller batch size",
                    )
                })?;
                offsets.push(end);
                // No cell at all is NULL, as for every column: an empty map leaves no trace.
                nulls.append(*count > before);
            }
            (Builder::Struct { .. } | Builder::Map { .. }, _) => {
                return Err(HandlerError::internal("a nested column without a nested place"));
            }
        }
        Ok(Ok(()))
    }

    fn finish(&mut self) -> Result<ArrayRef> {
        let broken = |error: arrow::error::ArrowError| {
            HandlerError::internal("the parts of a nested column do not fit together").with_source(error)
        };
        match self {
            Builder::Plain(builder) => builder.finish(),
            Builder::Struct { fields, parts, nulls } => {
                let arrays = parts.iter_mut().map(ValueBuilder::finish).collect::<Result<Vec<_>>>()?;
                let array = StructArray::try_new(fields.clone(), arrays, nulls.finish()).map_err(broken)?;
                Ok(Arc::new(array))
            }
            Builder::Map { entries, keys, values, offsets, nulls, count } => {
                let DataType::Struct(pair) = entries.data_type() else {
                    return Err(HandlerError::internal("a map type without entries"));
                };
                let arrays = vec![keys.finish()?, values.finish()?];
                let pairs = StructArray::try_new(pair.clone(), arrays, None).map_err(broken)?;
                let ends = OffsetBuffer::new(ScalarBuffer::from(std::mem::replace(offsets, vec![0])));
                *count = 0;
                let array =
                    MapArray::try_new(Arc::clone(entries), ends, pairs, nulls.finish(), false).map_err(broken)?;
                Ok(Arc::new(array))
            }
        }
    }
}

/// A bad value as the policy has it: an error, or NULL. (Rows to be skipped were sorted out before.)
fn forgive(outcome: Outcome<'_>, policy: OnBadValue) -> Outcome<'_> {
    match outcome {
        Err(_) if policy != OnBadValue::Error => Ok(None),
        other => other,
    }
}
