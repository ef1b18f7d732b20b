//! One column of a batch in the making: plain values, nested values of one cell, structs of a row id and maps over cells.

use std::sync::Arc;

use arrow::array::{ArrayRef, MapArray, NullBufferBuilder, StructArray};
use arrow::buffer::{OffsetBuffer, ScalarBuffer};
use arrow::datatypes::{DataType, FieldRef, Fields};
use ostracon_compare::{BadValue, Encoding, decode};
use ostracon_data::RowBuffer;
use ostracon_iterators::OnBadValue;

use super::builder::ValueBuilder;
use super::nested::NestedBuilder;
use super::source::{Outcome, Source, split_fields};
use crate::definition::{TableDefinition, map_parts};
use crate::error::{HandlerError, Result};

#[derive(Debug)]
pub(super) enum ColumnBuilder {
    Plain(ValueBuilder),
    Nested(NestedBuilder),
    Struct {
        fields: Fields,
        parts: Vec<ValueBuilder>,
        nulls: NullBufferBuilder,
    },
    Map {
        entries: FieldRef,
        keys: ValueBuilder,
        values: ValueBuilder,
        offsets: Vec<i32>,
        nulls: NullBufferBuilder,
        count: usize,
    },
}

impl ColumnBuilder {
    /// A builder for a column of the type that is read from `source`.
    pub(super) fn new(source: &Source, data_type: &DataType) -> Result<Self> {
        Ok(match data_type {
            nested if matches!(source, Source::Nested { .. }) => {
                ColumnBuilder::Nested(NestedBuilder::new(nested)?)
            }
            DataType::Struct(fields) => ColumnBuilder::Struct {
                fields: fields.clone(),
                parts: fields
                    .iter()
                    .map(|field| ValueBuilder::new(field.data_type()))
                    .collect::<Result<_>>()?,
                nulls: NullBufferBuilder::new(0),
            },
            DataType::Map(entries, _) => {
                let (key, value) = map_parts(entries)
                    .ok_or_else(|| HandlerError::internal("a map type without key and value"))?;
                ColumnBuilder::Map {
                    entries: Arc::clone(entries),
                    keys: ValueBuilder::new(key)?,
                    values: ValueBuilder::new(value)?,
                    offsets: vec![0],
                    nulls: NullBufferBuilder::new(0),
                    count: 0,
                }
            }
            plain => ColumnBuilder::Plain(ValueBuilder::new(plain)?),
        })
    }

    /// Adds the row's value. The inner error is a bad value under [`OnBadValue::Error`].
    pub(super) fn append(
        &mut self,
        source: &Source,
        row: &RowBuffer,
        scratch: &mut Vec<u8>,
        table: &TableDefinition,
        policy: OnBadValue,
    ) -> Result<std::result::Result<(), BadValue>> {
        match (self, source) {
            (ColumnBuilder::Plain(builder), source) => {
                match forgive(source.value(row, scratch, table), policy) {
                    Ok(value) => builder.append(value)?,
                    Err(bad) => return Ok(Err(bad)),
                }
            }
            (ColumnBuilder::Nested(builder), Source::Nested { family, qualifier, .. }) => {
                return builder.append(row.find(family, qualifier).map(|cell| cell.value), policy);
            }
            (ColumnBuilder::Struct { parts, nulls, .. }, Source::KeyStruct { lexicoder }) => {
                // Part by part, as a filter on a single one reads it.
                nulls.append(true);
                for (i, part) in parts.iter_mut().enumerate() {
                    match forgive(lexicoder.decode_part_ref(row.row(), i, scratch).map(Some), policy) {
                        Ok(value) => part.append(value)?,
                        Err(bad) => return Ok(Err(bad)),
                    }
                }
            }
            (ColumnBuilder::Struct { parts, nulls, .. }, Source::Fields { delimiter, types }) => {
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
            (ColumnBuilder::Map { keys, values, offsets, nulls, count, .. }, Source::Map(map)) => {
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
            (ColumnBuilder::Nested(_) | ColumnBuilder::Struct { .. } | ColumnBuilder::Map { .. }, _) => {
                return Err(HandlerError::internal("a nested column without a nested place"));
            }
        }
        Ok(Ok(()))
    }

    /// The array of what was added; the builder is empty afterwards.
    pub(super) fn finish(&mut self) -> Result<ArrayRef> {
        let broken = |error: arrow::error::ArrowError| {
            HandlerError::internal("the parts of a nested column do not fit together").with_source(error)
        };
        match self {
            ColumnBuilder::Plain(builder) => builder.finish(),
            ColumnBuilder::Nested(builder) => builder.finish(),
            ColumnBuilder::Struct { fields, parts, nulls } => {
                let arrays = parts.iter_mut().map(ValueBuilder::finish).collect::<Result<Vec<_>>>()?;
                let array = StructArray::try_new(fields.clone(), arrays, nulls.finish()).map_err(broken)?;
                Ok(Arc::new(array))
            }
            ColumnBuilder::Map { entries, keys, values, offsets, nulls, count } => {
                let DataType::Struct(pair) = entries.data_type() else {
                    return Err(HandlerError::internal("a map type without entries"));
                };
                let arrays = vec![keys.finish()?, values.finish()?];
                let pairs = StructArray::try_new(pair.clone(), arrays, None).map_err(broken)?;
                let ends = OffsetBuffer::new(ScalarBuffer::from(std::mem::replace(offsets, vec![0])));
                *count = 0;
                let array = MapArray::try_new(Arc::clone(entries), ends, pairs, nulls.finish(), false)
                    .map_err(broken)?;
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
