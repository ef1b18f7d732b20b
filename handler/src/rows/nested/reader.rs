//! [`NestedReader`]: arrays of nested types, value by value.

use std::ops::Range;

use arrow::array::{Array, ArrayRef, AsArray, BinaryArray, NullBufferBuilder};
use arrow::buffer::{Buffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow::compute::{CastOptions, cast_with_options};
use arrow::datatypes::DataType;
use ostracon_compare::{BadValue, NestedType, NestedValues, ScalarRef, encode_nested};

use super::nested_type;
use crate::definition::map_parts;
use crate::error::{HandlerError, Result};
use crate::rows::reader::ValueReader;

/// One column of nested values of a batch, ready to be read row by row.
#[derive(Debug)]
pub(in crate::rows) struct NestedReader {
    ty: NestedType,
    values: Level,
}

/// The values of one level of the type.
#[derive(Debug)]
struct Level {
    values: Values,
    nulls: Option<NullBuffer>,
    parts: Vec<Level>,
}

#[derive(Debug)]
enum Values {
    Plain(ValueReader),
    Fields,
    Entries(OffsetBuffer<i32>),
}

impl NestedReader {
    /// A reader of `array` as values of `data_type`; parts of another type are cast.
    pub(in crate::rows) fn new(array: &ArrayRef, data_type: &DataType, column: &str) -> Result<Self> {
        Ok(Self { ty: nested_type(data_type)?, values: Level::new(array, data_type, column)? })
    }

    /// The bytes of the value at a position; `None` is NULL.
    pub(in crate::rows) fn encode(&self, at: usize) -> Option<std::result::Result<Vec<u8>, BadValue>> {
        if self.values.is_null(at) {
            return None;
        }
        let mut bytes = Vec::new();
        Some(encode_nested(&self.ty, &self.values, at, &mut bytes).map(|()| bytes))
    }
}

/// The cells of a column of nested values: their bytes, and NULL where there is none.
pub(crate) fn nested_cells(array: &ArrayRef, data_type: &DataType, column: &str) -> Result<BinaryArray> {
    let reader = NestedReader::new(array, data_type, column)?;
    let invalid = |error: String| HandlerError::invalid(format!("column '{column}': {error}"));
    let (mut offsets, mut data, mut nulls) = (vec![0], Vec::new(), NullBufferBuilder::new(array.len()));
    for at in 0..array.len() {
        let is_null = reader.values.is_null(at);
        if !is_null {
            encode_nested(&reader.ty, &reader.values, at, &mut data)
                .map_err(|bad| invalid(bad.to_string()).with_source(bad))?;
        }
        nulls.append(!is_null);
        let end = i32::try_from(data.len());
        offsets.push(end.map_err(|_| invalid("the values of a few rows are larger than 2 GiB".to_owned()))?);
    }
    let offsets = OffsetBuffer::new(ScalarBuffer::from(offsets));
    Ok(BinaryArray::try_new(offsets, Buffer::from_vec(data), nulls.finish())?)
}

impl Level {
    fn new(array: &ArrayRef, data_type: &DataType, column: &str) -> Result<Self> {
        let wrong = || {
            HandlerError::invalid(format!(
                "column '{column}' of type {data_type} cannot take a value of type {}",
                array.data_type()
            ))
        };
        let (values, parts) = match data_type {
            DataType::Struct(fields) => {
                let found = array.as_struct_opt().filter(|array| array.num_columns() == fields.len());
                let columns = found.ok_or_else(wrong)?.columns().iter();
                let parts = fields
                    .iter()
                    .zip(columns)
                    .map(|(field, array)| Self::new(array, field.data_type(), column));
                (Values::Fields, parts.collect::<Result<Vec<_>>>()?)
            }
            DataType::List(item) => {
                // Lists of other forms become this one, with elements as they are.
                let array = match array.data_type() {
                    DataType::List(_) => ArrayRef::clone(array),
                    _ => {
                        let strict = CastOptions { safe: false, ..CastOptions::default() };
                        cast_with_options(array, data_type, &strict)
                            .map_err(|error| wrong().with_source(error))?
                    }
                };
                let list = array.as_list_opt::<i32>().ok_or_else(wrong)?;
                let items = Self::new(list.values(), item.data_type(), column)?;
                return Ok(Self {
                    values: Values::Entries(list.offsets().clone()),
                    nulls: list.nulls().cloned(),
                    parts: vec![items],
                });
            }
            DataType::Map(entries, _) => {
                let map = array.as_map_opt().ok_or_else(wrong)?;
                let (key, value) = map_parts(entries).ok_or_else(wrong)?;
                let parts =
                    vec![Self::new(map.keys(), key, column)?, Self::new(map.values(), value, column)?];
                (Values::Entries(map.offsets().clone()), parts)
            }
            plain => (Values::Plain(ValueReader::new(array, plain, column)?), Vec::new()),
        };
        Ok(Self { values, nulls: array.logical_nulls(), parts })
    }
}

impl NestedValues for Level {
    fn is_null(&self, at: usize) -> bool {
        match &self.values {
            Values::Plain(reader) => reader.get(at).is_none(),
            Values::Fields | Values::Entries(_) => self.nulls.as_ref().is_some_and(|nulls| nulls.is_null(at)),
        }
    }

    fn plain(&self, at: usize) -> Option<ScalarRef<'_>> {
        match &self.values {
            Values::Plain(reader) => reader.get(at),
            Values::Fields | Values::Entries(_) => None,
        }
    }

    fn positions(&self, at: usize) -> Range<usize> {
        match &self.values {
            Values::Plain(_) => 0..0,
            Values::Fields => at..at + 1,
            Values::Entries(offsets) => {
                let place = |i: usize| offsets.get(i).and_then(|offset| usize::try_from(*offset).ok());
                place(at).zip(place(at + 1)).map_or(0..0, |(start, end)| start..end)
            }
        }
    }

    fn part(&self, index: usize) -> Option<&Self> {
        self.parts.get(index)
    }
}
