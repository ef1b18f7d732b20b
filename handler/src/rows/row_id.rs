//! Row ids out of values: the key of each row that is written.

use arrow::array::{Array, RecordBatch};
use ostracon_compare::{Encoding, ScalarRef, encode};

use super::canonical;
use super::encoder::{RowEncoder, RowExtras};
use super::row_reader::Reader;
use super::source::split_fields;
use crate::definition::RowIdLayout;
use crate::error::{HandlerError, Result};

/// Fields with a delimiter between them; `None` if they could not be told apart again.
pub(crate) fn joined_fields(fields: &[Vec<u8>], delimiter: &[u8]) -> Option<Vec<u8>> {
    let joined = fields.join(delimiter);
    split_fields(&joined, delimiter).eq(fields.iter().map(Vec::as_slice)).then_some(joined)
}

impl RowEncoder {
    /// Hands the row ids of a batch's rows to `take`, in their order.
    ///
    /// # Errors
    /// As [`RowEncoder::encode`], of the key columns, and what `take` gives.
    pub(crate) fn append_row_ids(
        &self,
        batch: &RecordBatch,
        extras: RowExtras<'_>,
        mut take: impl FnMut(&[u8]) -> Result<()>,
    ) -> Result<()> {
        let readers = self.key_readers(batch)?;
        (0..batch.num_rows()).try_for_each(|row| take(&self.row_id(&readers, row, extras)?))
    }

    /// The row id of a row.
    pub(super) fn row_id(&self, readers: &[Reader], row: usize, extras: RowExtras<'_>) -> Result<Vec<u8>> {
        if let Some(known) = extras.row_ids {
            let id = known.get(row).cloned();
            return id.ok_or_else(|| HandlerError::internal("there are fewer row ids than rows"));
        }
        match &self.definition.row_id {
            RowIdLayout::Single { column, ty, encoding } => {
                let value = self.key_value(readers, *column, row, extras)?;
                let mut bytes = Vec::new();
                encode(*ty, *encoding, canonical(value), &mut bytes)
                    .map_err(|error| self.value_error(*column, row, extras, &error))?;
                Ok(bytes)
            }
            RowIdLayout::Native { columns, lexicoder } => {
                let values = columns.iter().map(|column| self.key_value(readers, *column, row, extras));
                let values = values.collect::<Result<Vec<_>>>()?;
                let first = columns.first().copied().unwrap_or_default();
                lexicoder.encode(&values).map_err(|error| self.value_error(first, row, extras, &error))
            }
            RowIdLayout::NativeStruct { column, lexicoder } => {
                let values = self.struct_values(readers, *column, row, extras)?;
                lexicoder.encode(&values).map_err(|error| self.value_error(*column, row, extras, &error))
            }
            RowIdLayout::Delimited { column, delimiter, fields } => {
                let values = self.struct_values(readers, *column, row, extras)?;
                let mut texts = Vec::with_capacity(values.len());
                for (ty, value) in fields.iter().zip(values) {
                    let mut text = Vec::new();
                    encode(*ty, Encoding::String, canonical(value), &mut text)
                        .map_err(|error| self.value_error(*column, row, extras, &error))?;
                    texts.push(text);
                }
                joined_fields(&texts, delimiter).ok_or_else(|| {
                    let delimiter = String::from_utf8_lossy(delimiter).into_owned();
                    self.row_error(
                        *column,
                        row,
                        extras,
                        format!("a field holds the delimiter '{delimiter}' of 'composite.rowid'; it could not be read back"),
                    )
                })
            }
            RowIdLayout::Hidden => {
                let first = extras
                    .first_hidden_id
                    .ok_or_else(|| HandlerError::internal("rows without a key were given no row ids"))?;
                let id = u64::try_from(row).ok().and_then(|row| first.checked_add(row));
                let id = id.ok_or_else(|| HandlerError::internal("the row ids of the store are used up"))?;
                Ok(id.to_be_bytes().to_vec())
            }
            RowIdLayout::None => Err(HandlerError::unsupported("a table without :rowid can only be read")),
        }
    }

    fn key_value<'a>(
        &self,
        readers: &'a [Reader],
        column: usize,
        row: usize,
        extras: RowExtras<'_>,
    ) -> Result<ScalarRef<'a>> {
        match readers.get(column) {
            Some(Reader::Plain(reader)) => {
                reader.get(row).ok_or_else(|| self.null_error(column, row, extras, "is part of the key"))
            }
            _ => Err(HandlerError::internal("a key column is not plain")),
        }
    }

    fn struct_values<'a>(
        &self,
        readers: &'a [Reader],
        column: usize,
        row: usize,
        extras: RowExtras<'_>,
    ) -> Result<Vec<ScalarRef<'a>>> {
        let Some(Reader::Struct { array, fields }) = readers.get(column) else {
            return Err(HandlerError::internal("a struct row id is no struct"));
        };
        if array.is_null(row) {
            return Err(self.null_error(column, row, extras, "is the row id"));
        }
        fields
            .iter()
            .map(|field| {
                field
                    .get(row)
                    .ok_or_else(|| self.null_error(column, row, extras, "is the row id: each field of it"))
            })
            .collect()
    }
}
