//! [`NestedBuilder`]: nested values of cells into arrays.

use std::sync::Arc;

use arrow::array::{ArrayRef, ListArray, MapArray, NullBufferBuilder, StructArray};
use arrow::buffer::{OffsetBuffer, ScalarBuffer};
use arrow::datatypes::DataType;
use ostracon_compare::{BadValue, NestedSink, NestedType, ScalarRef, check_nested, decode_nested};
use ostracon_iterators::OnBadValue;

use super::nested_type;
use crate::definition::map_parts;
use crate::error::{ErrorKind, HandlerError, Result};
use crate::rows::builder::ValueBuilder;

/// Collects the nested values of one column.
#[derive(Debug)]
pub(in crate::rows) struct NestedBuilder {
    ty: NestedType,
    values: Level,
}

/// The values of one level of the type.
#[derive(Debug)]
struct Level {
    data_type: DataType,
    values: Values,
    nulls: NullBufferBuilder,
    parts: Vec<Level>,
}

#[derive(Debug)]
enum Values {
    Plain(ValueBuilder),
    Fields,
    /// Where the entries of each value end in the parts, and a 0 before the first.
    Entries(Vec<i32>),
}

/// Why a value was not taken.
enum Fault {
    Bad(BadValue),
    Failed(HandlerError),
}

impl From<BadValue> for Fault {
    fn from(bad: BadValue) -> Self {
        Self::Bad(bad)
    }
}

impl From<HandlerError> for Fault {
    fn from(error: HandlerError) -> Self {
        Self::Failed(error)
    }
}

impl NestedBuilder {
    /// A builder of arrays of `data_type`.
    pub(in crate::rows) fn new(data_type: &DataType) -> Result<Self> {
        Ok(Self { ty: nested_type(data_type)?, values: Level::new(data_type)? })
    }

    /// Adds the value of a cell's bytes; `None` is NULL. The inner error is a bad value under [`OnBadValue::Error`], after
    /// which the builder is of no use any more.
    pub(in crate::rows) fn append(
        &mut self,
        bytes: Option<&[u8]>,
        policy: OnBadValue,
    ) -> Result<std::result::Result<(), BadValue>> {
        // What is to be read as NULL must leave nothing behind.
        let bytes =
            bytes.filter(|bytes| policy == OnBadValue::Error || check_nested(&self.ty, bytes).is_ok());
        let Some(bytes) = bytes else {
            self.values.append_null();
            return Ok(Ok(()));
        };
        match decode_nested(&self.ty, bytes, &mut self.values) {
            Ok(()) => Ok(Ok(())),
            Err(Fault::Bad(bad)) => Ok(Err(bad)),
            Err(Fault::Failed(error)) => Err(error),
        }
    }

    /// Adds NULL that many times.
    pub(in crate::rows) fn append_nulls(&mut self, count: usize) {
        (0..count).for_each(|_| self.values.append_null());
    }

    /// The array of what was added; the builder is empty afterwards.
    pub(in crate::rows) fn finish(&mut self) -> Result<ArrayRef> {
        self.values.finish()
    }
}

impl Level {
    fn new(data_type: &DataType) -> Result<Self> {
        let (values, parts) = match data_type {
            DataType::Struct(fields) => {
                let parts = fields.iter().map(|field| Self::new(field.data_type()));
                (Values::Fields, parts.collect::<Result<Vec<_>>>()?)
            }
            DataType::List(item) => (Values::Entries(vec![0]), vec![Self::new(item.data_type())?]),
            DataType::Map(entries, _) => {
                let (key, value) = map_parts(entries)
                    .ok_or_else(|| HandlerError::internal("a map type without key and value"))?;
                (Values::Entries(vec![0]), vec![Self::new(key)?, Self::new(value)?])
            }
            plain => (Values::Plain(ValueBuilder::new(plain)?), Vec::new()),
        };
        Ok(Self { data_type: data_type.clone(), values, nulls: NullBufferBuilder::new(0), parts })
    }

    fn append_null(&mut self) {
        match &mut self.values {
            Values::Plain(builder) => builder.append_nulls(1),
            Values::Fields => self.parts.iter_mut().for_each(Self::append_null),
            Values::Entries(ends) => ends.extend(ends.last().copied()),
        }
        self.nulls.append_null();
    }

    fn finish(&mut self) -> Result<ArrayRef> {
        let broken = |error: arrow::error::ArrowError| {
            HandlerError::internal("the parts of a nested column do not fit together").with_source(error)
        };
        let nulls = self.nulls.finish();
        let ends = match &mut self.values {
            Values::Plain(builder) => return builder.finish(),
            Values::Fields => vec![0],
            Values::Entries(ends) => std::mem::replace(ends, vec![0]),
        };
        let ends = || OffsetBuffer::new(ScalarBuffer::from(ends));
        let mut parts = self.parts.iter_mut().map(Self::finish).collect::<Result<Vec<_>>>()?;
        Ok(match &self.data_type {
            DataType::Struct(fields) => {
                Arc::new(StructArray::try_new(fields.clone(), parts, nulls).map_err(broken)?)
            }
            DataType::Map(entries, sorted) => {
                let DataType::Struct(pair) = entries.data_type() else {
                    return Err(HandlerError::internal("a map type without entries"));
                };
                let pairs = StructArray::try_new(pair.clone(), parts, None).map_err(broken)?;
                let map = MapArray::try_new(Arc::clone(entries), ends(), pairs, nulls, *sorted);
                Arc::new(map.map_err(broken)?)
            }
            DataType::List(item) => {
                let items = parts.pop().ok_or_else(|| HandlerError::internal("a list without elements"))?;
                Arc::new(ListArray::try_new(Arc::clone(item), ends(), items, nulls).map_err(broken)?)
            }
            other => return Err(HandlerError::internal(format!("the type {other} is not nested"))),
        })
    }
}

impl NestedSink for Level {
    type Error = Fault;

    fn null(&mut self) -> std::result::Result<(), Fault> {
        self.append_null();
        Ok(())
    }

    fn plain(&mut self, value: ScalarRef<'_>) -> std::result::Result<(), Fault> {
        let Values::Plain(builder) = &mut self.values else {
            return Err(HandlerError::internal("a plain value where a nested one is wanted").into());
        };
        Ok(builder.append(Some(value))?)
    }

    fn fields(&mut self) -> std::result::Result<(), Fault> {
        self.nulls.append_non_null();
        Ok(())
    }

    fn entries(&mut self, count: usize) -> std::result::Result<(), Fault> {
        let Values::Entries(ends) = &mut self.values else {
            return Err(HandlerError::internal("entries where a list or map is not wanted").into());
        };
        let last = ends.last().copied().unwrap_or_default();
        let end = i32::try_from(count).ok().and_then(|count| last.checked_add(count)).ok_or_else(|| {
            HandlerError::new(
                ErrorKind::Resource,
                "a batch of lists or maps has more than 2147483647 entries; use a smaller batch size",
            )
        })?;
        ends.push(end);
        self.nulls.append_non_null();
        Ok(())
    }

    fn part(&mut self, index: usize) -> Option<&mut Self> {
        self.parts.get_mut(index)
    }
}
