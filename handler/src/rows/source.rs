//! Where a column's value comes from, and how it is read from a row.
//!
//! [`Source::of`] is made once per scan from a table's definition; [`Source::value`] and [`MapSource::entries`]
//! borrow from the row. What becomes of bytes that are no value is the decoder's business.

use arrow::datatypes::{DataType, TimeUnit};
use ostracon_compare::{
    BadValue, Encoding, KeyLexicoder, NestedType, PrimitiveType, ScalarRef, check_nested, decode,
};
use ostracon_data::{ROW_MARKER_FAMILY, RowBuffer};

use super::nested::nested_type;
use super::null_sequence;
use crate::definition::{RowIdLayout, TableDefinition, map_parts};
use crate::error::{HandlerError, Result};
use crate::mapping::ColumnTarget;

/// The outcome of reading one value: `None` is NULL.
pub(super) type Outcome<'a> = std::result::Result<Option<ScalarRef<'a>>, BadValue>;

/// Where a column's value comes from.
#[derive(Debug, Clone)]
pub(super) enum Source {
    RowId {
        ty: PrimitiveType,
        encoding: Encoding,
    },
    KeyPart {
        lexicoder: KeyLexicoder,
        index: usize,
    },
    KeyStruct {
        lexicoder: KeyLexicoder,
    },
    Fields {
        delimiter: Vec<u8>,
        types: Vec<PrimitiveType>,
    },
    Cell {
        family: Vec<u8>,
        qualifier: Vec<u8>,
        ty: PrimitiveType,
        encoding: Encoding,
        null: Option<&'static [u8]>,
    },
    Nested {
        family: Vec<u8>,
        qualifier: Vec<u8>,
        ty: NestedType,
    },
    Map(MapSource),
    Timestamp {
        unit: Option<TimeUnit>,
    },
    Visibility,
}

#[derive(Debug, Clone)]
pub(super) struct MapSource {
    family: Vec<u8>,
    prefix: Vec<u8>,
    key: (PrimitiveType, Encoding),
    value: (PrimitiveType, Encoding),
}

impl Source {
    /// Where the values of a column come from.
    pub(super) fn of(table: &TableDefinition, column: usize) -> Result<Self> {
        let internal =
            || HandlerError::internal(format!("table '{}' has a column without a place", table.name));
        let definition = table.columns.get(column).ok_or_else(internal)?;
        let plain = || PrimitiveType::from_arrow(&definition.data_type).ok_or_else(internal);
        Ok(match &definition.target {
            ColumnTarget::RowId { .. } => match &table.row_id {
                RowIdLayout::Single { ty, encoding, .. } => Source::RowId { ty: *ty, encoding: *encoding },
                RowIdLayout::Native { columns, lexicoder } => {
                    let index = columns.iter().position(|key| *key == column).ok_or_else(internal)?;
                    match lexicoder.parts() {
                        // A single ascending part is its native bytes: nothing to take apart.
                        [part] if !part.descending => {
                            Source::RowId { ty: part.ty, encoding: Encoding::Native }
                        }
                        _ => Source::KeyPart { lexicoder: lexicoder.clone(), index },
                    }
                }
                RowIdLayout::NativeStruct { lexicoder, .. } => {
                    Source::KeyStruct { lexicoder: lexicoder.clone() }
                }
                RowIdLayout::Delimited { delimiter, fields, .. } => {
                    Source::Fields { delimiter: delimiter.clone(), types: fields.clone() }
                }
                RowIdLayout::Hidden | RowIdLayout::None => return Err(internal()),
            },
            ColumnTarget::Cell { family, qualifier, .. } if definition.data_type.is_nested() => {
                let ty = nested_type(&definition.data_type)?;
                Source::Nested { family: family.clone(), qualifier: qualifier.clone(), ty }
            }
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

    /// Whether the value depends on cells of other columns.
    pub(super) fn needs_all_cells(&self) -> bool {
        matches!(self, Source::Timestamp { .. } | Source::Visibility)
    }

    /// A plain value of the row; what does not lie in it in plain form is put into `scratch`.
    pub(super) fn value<'a>(
        &'a self,
        row: &'a RowBuffer,
        scratch: &'a mut Vec<u8>,
        table: &TableDefinition,
    ) -> Outcome<'a> {
        match self {
            Source::RowId { ty, encoding } => decode(*ty, *encoding, row.row()).map(Some),
            Source::KeyPart { lexicoder, index } => {
                lexicoder.decode_part_ref(row.row(), *index, scratch).map(Some)
            }
            Source::Cell { family, qualifier, ty, encoding, null } => match row.find(family, qualifier) {
                Some(cell) if *null == Some(cell.value) => Ok(None),
                Some(cell) => decode(*ty, *encoding, cell.value).map(Some),
                None => Ok(None),
            },
            Source::Timestamp { unit } => timestamp(row, *unit, table),
            Source::Visibility => visibility(row, table),
            Source::KeyStruct { .. } | Source::Fields { .. } | Source::Nested { .. } | Source::Map(_) => {
                Ok(None)
            }
        }
    }

    /// Whether what the row has here (maybe nothing) can be read.
    pub(super) fn check(
        &self,
        row: &RowBuffer,
        scratch: &mut Vec<u8>,
        table: &TableDefinition,
    ) -> std::result::Result<(), BadValue> {
        match self {
            Source::KeyStruct { lexicoder } => lexicoder.decode(row.row()).map(drop),
            Source::Fields { delimiter, types } => split_fields(row.row(), delimiter)
                .zip(types)
                .try_for_each(|(field, ty)| decode(*ty, Encoding::String, field).map(drop)),
            Source::Nested { family, qualifier, ty } => match row.find(family, qualifier) {
                Some(cell) => check_nested(ty, cell.value),
                None => Ok(()),
            },
            Source::Map(map) => map.entries(row).try_for_each(|(key, value)| key.and(value).map(drop)),
            plain => plain.value(row, scratch, table).map(drop),
        }
    }
}

impl MapSource {
    /// Keys and values, in the order of the qualifiers; of several cells of one qualifier the newest.
    pub(super) fn entries<'a>(
        &'a self,
        row: &'a RowBuffer,
    ) -> impl Iterator<Item = (Outcome<'a>, Outcome<'a>)> {
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

/// The fields of a delimited row id, from left to right.
pub(super) fn split_fields<'a>(row: &'a [u8], delimiter: &'a [u8]) -> impl Iterator<Item = &'a [u8]> {
    let mut rest = Some(row);
    std::iter::from_fn(move || {
        let current = rest?;
        let found = if delimiter.is_empty() {
            None
        } else {
            current.windows(delimiter.len()).position(|window| window == delimiter)
        };
        match found {
            Some(at) => {
                rest = current.get(at + delimiter.len()..);
                current.get(..at)
            }
            None => {
                rest = None;
                Some(current)
            }
        }
    })
}
