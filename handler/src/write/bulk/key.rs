//! [`RowIds`]: the row ids of many rows, as integers where the parts of the key have fixed widths.

use std::cmp::Ordering;
use std::ops::Range;

use datafusion::arrow::array::{Array, BinaryArray, RecordBatch};
use datafusion::arrow::buffer::{Buffer, OffsetBuffer, ScalarBuffer};
use ostracon_compare::{Encoding, PrimitiveType};
use ostracon_segment::{FixedInput, RowLayout, RowsInput};

use super::words::{WordForm, Words};
use crate::definition::{RowIdLayout, TableDefinition};
use crate::error::{HandlerError, Result};
use crate::rows::{RowEncoder, RowExtras};

/// How row ids are made of a table's rows.
#[derive(Debug)]
pub(super) enum KeyForm {
    /// The columns' words one after the other.
    Words(Vec<(usize, PrimitiveType)>),
    /// Numbers that no column shows.
    Hidden,
    /// As the row encoder makes them.
    Bytes,
}

impl KeyForm {
    pub(super) fn of(definition: &TableDefinition) -> Self {
        let parts: Vec<(usize, PrimitiveType)> = match &definition.row_id {
            RowIdLayout::Hidden => return Self::Hidden,
            RowIdLayout::Native { columns, lexicoder }
                if lexicoder.parts().iter().all(|part| !part.descending) =>
            {
                columns.iter().copied().zip(lexicoder.parts().iter().map(|part| part.ty)).collect()
            }
            RowIdLayout::Single { column, ty, encoding: Encoding::Native } => vec![(*column, *ty)],
            _ => return Self::Bytes,
        };
        let fixed = !parts.is_empty() && parts.iter().all(|(_, ty)| Words::of_type(*ty).is_some());
        if fixed { Self::Words(parts) } else { Self::Bytes }
    }

    /// The row ids of a batch that has been checked.
    pub(super) fn ids(
        &self,
        encoder: &RowEncoder,
        batch: &RecordBatch,
        extras: RowExtras<'_>,
    ) -> Result<RowIds> {
        match self {
            Self::Words(parts) => {
                let words = parts.iter().map(|(column, ty)| {
                    let (array, mut words) =
                        batch.columns().get(*column).zip(Words::of_type(*ty)).ok_or_else(missing)?;
                    words.extend(array, 0..array.len(), WordForm::Key)?;
                    Ok(words)
                });
                Ok(RowIds::Words(words.collect::<Result<_>>()?))
            }
            Self::Hidden => {
                let first = extras.first_hidden_id.ok_or_else(missing)?;
                Ok(RowIds::Words(vec![Words::sequence(first, batch.num_rows())]))
            }
            Self::Bytes => {
                let mut ids = ByteIds::default();
                encoder.append_row_ids(batch, extras, |id| ids.push(id))?;
                Ok(RowIds::Bytes(ids))
            }
        }
    }
}

fn missing() -> HandlerError {
    HandlerError::internal("a batch of rows lacks what their ids are made of")
}

/// Row ids in the order of their rows.
#[derive(Debug, Clone)]
pub(super) enum RowIds {
    Words(Vec<Words>),
    Bytes(ByteIds),
}

/// Row ids of any length.
#[derive(Debug, Clone)]
pub(super) struct ByteIds {
    offsets: Vec<i32>,
    data: Vec<u8>,
}

impl Default for ByteIds {
    fn default() -> Self {
        Self { offsets: vec![0], data: Vec::new() }
    }
}

impl ByteIds {
    pub(super) fn push(&mut self, id: &[u8]) -> Result<()> {
        self.data.extend_from_slice(id);
        self.end()
    }

    /// Ends an id whose bytes are there.
    fn end(&mut self) -> Result<()> {
        let end = i32::try_from(self.data.len());
        let too_large = |_| HandlerError::invalid("the keys of a few rows are larger than 2 GiB");
        self.offsets.push(end.map_err(too_large)?);
        Ok(())
    }

    pub(super) fn get(&self, row: usize) -> Option<&[u8]> {
        let place = |row: usize| self.offsets.get(row).and_then(|offset| usize::try_from(*offset).ok());
        self.data.get(place(row)?..place(row + 1)?)
    }

    fn truncate(&mut self, len: usize) {
        self.offsets.truncate(len + 1);
        let end = self.offsets.last().and_then(|end| usize::try_from(*end).ok());
        self.data.truncate(end.unwrap_or(0));
    }
}

impl RowIds {
    /// None yet, of the same form.
    pub(super) fn empty(&self) -> Self {
        let mut empty = self.clone();
        empty.truncate(0);
        empty
    }

    pub(super) fn len(&self) -> usize {
        match self {
            Self::Words(words) => words.first().map_or(0, Words::len),
            Self::Bytes(ids) => ids.offsets.len() - 1,
        }
    }

    pub(super) fn truncate(&mut self, len: usize) {
        match self {
            Self::Words(words) => words.iter_mut().for_each(|words| words.truncate(len)),
            Self::Bytes(ids) => ids.truncate(len),
        }
    }

    /// Appends a range of ids of the same form.
    pub(super) fn extend_from(&mut self, other: &Self, rows: Range<usize>) -> Result<()> {
        match (self, other) {
            (Self::Words(into), Self::Words(from)) => {
                into.iter_mut().zip(from).for_each(|(into, from)| into.extend_from(from, rows.clone()));
            }
            (Self::Bytes(into), Self::Bytes(from)) => {
                for row in rows {
                    into.push(from.get(row).unwrap_or_default())?;
                }
            }
            _ => return Err(HandlerError::internal("row ids of one table have two forms")),
        }
        Ok(())
    }

    /// How an id compares with one of the same form.
    #[inline]
    pub(super) fn compare(&self, at: usize, other: &Self, place: usize) -> Ordering {
        match (self, other) {
            (Self::Words(a), Self::Words(b)) => {
                for (a, b) in a.iter().zip(b) {
                    match a.compare(at, b, place) {
                        Ordering::Equal => {}
                        unequal => return unequal,
                    }
                }
                Ordering::Equal
            }
            (Self::Bytes(a), Self::Bytes(b)) => a.get(at).cmp(&b.get(place)),
            _ => Ordering::Equal,
        }
    }

    /// Appends the bytes of an id.
    pub(super) fn append_bytes(&self, row: usize, out: &mut Vec<u8>) {
        match self {
            Self::Words(words) => words.iter().for_each(|words| words.append_bytes(row, out)),
            Self::Bytes(ids) => out.extend_from_slice(ids.get(row).unwrap_or_default()),
        }
    }

    /// The bytes of an id.
    pub(super) fn bytes(&self, row: usize) -> Vec<u8> {
        let mut bytes = Vec::new();
        self.append_bytes(row, &mut bytes);
        bytes
    }

    /// The ids as an array.
    pub(super) fn to_array(&self) -> Result<BinaryArray> {
        let ids = match self {
            Self::Bytes(ids) => ids.clone(),
            Self::Words(_) => {
                let mut ids = ByteIds::default();
                for row in 0..self.len() {
                    self.append_bytes(row, &mut ids.data);
                    ids.end()?;
                }
                ids
            }
        };
        let offsets = OffsetBuffer::new(ScalarBuffer::from(ids.offsets));
        Ok(BinaryArray::try_new(offsets, Buffer::from_vec(ids.data), None)?)
    }

    /// The least and the greatest id; `None` if there is none.
    pub(super) fn extremes(&self) -> Option<(Vec<u8>, Vec<u8>)> {
        let (mut least, mut most) = (0, 0);
        for row in 1..self.len() {
            if self.compare(row, self, least) == Ordering::Less {
                least = row;
            } else if self.compare(row, self, most) == Ordering::Greater {
                most = row;
            }
        }
        (self.len() > 0).then(|| (self.bytes(least), self.bytes(most)))
    }

    /// Bytes of an id, if it is the same for all.
    pub(super) fn width(&self) -> Option<usize> {
        match self {
            Self::Words(words) => Some(words.iter().map(Words::width).sum()),
            Self::Bytes(_) => None,
        }
    }

    /// The ends of ids of any length.
    pub(super) fn offsets(&self) -> Option<&[i32]> {
        match self {
            Self::Words(_) => None,
            Self::Bytes(ids) => Some(&ids.offsets),
        }
    }

    /// Hands the ids over as segments take them.
    pub(super) fn with_input<T>(&self, take: impl FnOnce(RowsInput<'_>) -> T) -> T {
        match self {
            Self::Words(words) => {
                let words: Vec<FixedInput<'_>> = words.iter().map(Words::input).collect();
                take(RowsInput::Words(&words))
            }
            Self::Bytes(ids) => {
                let layout = RowLayout::bytes();
                take(RowsInput::Bytes { offsets: &ids.offsets, data: &ids.data, layout: &layout })
            }
        }
    }
}
