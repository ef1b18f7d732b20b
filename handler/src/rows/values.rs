//! Values as the bytes of cells, and the errors of those that have none.

use ostracon_compare::{Encoding, PrimitiveType, ScalarRef, encode};

use super::encoder::{RowEncoder, RowExtras};
use super::null_sequence;
use super::row_reader::Reader;
use crate::error::{HandlerError, Result};

impl RowEncoder {
    /// The bytes of a column's value that lies in one cell; `None` is NULL.
    pub(super) fn cell_bytes(
        &self,
        column: usize,
        encoding: Encoding,
        reader: &Reader,
        row: usize,
        extras: RowExtras<'_>,
    ) -> Result<Option<Vec<u8>>> {
        match reader {
            Reader::Plain(reader) => {
                let Some(value) = reader.get(row) else { return Ok(None) };
                let data_type = self.definition.columns.get(column).map(|column| &column.data_type);
                let ty = data_type
                    .and_then(PrimitiveType::from_arrow)
                    .ok_or_else(|| HandlerError::internal("a cell's column is not plain"))?;
                self.typed_bytes(column, ty, encoding, value, row, extras).map(Some)
            }
            Reader::Nested(reader) => {
                let bytes = reader.encode(row).transpose();
                bytes.map_err(|error| self.value_error(column, row, extras, &error))
            }
            Reader::Struct { .. } | Reader::Map { .. } | Reader::Unread => {
                Err(HandlerError::internal("a cell's column is none of one cell"))
            }
        }
    }

    /// The bytes of a plain value.
    pub(super) fn typed_bytes(
        &self,
        column: usize,
        ty: PrimitiveType,
        encoding: Encoding,
        value: ScalarRef<'_>,
        row: usize,
        extras: RowExtras<'_>,
    ) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        encode(ty, encoding, value, &mut bytes)
            .map_err(|error| self.value_error(column, row, extras, &error))?;
        if null_sequence(ty, encoding) == Some(bytes.as_slice()) {
            return Err(self.row_error(
                column,
                row,
                extras,
                "the text \\N stands for NULL in string storage; map the column with #b or #n to store it"
                    .to_owned(),
            ));
        }
        Ok(bytes)
    }

    pub(super) fn value_error(
        &self,
        column: usize,
        row: usize,
        extras: RowExtras<'_>,
        error: &ostracon_compare::BadValue,
    ) -> HandlerError {
        self.row_error(column, row, extras, error.to_string())
    }

    pub(super) fn null_error(
        &self,
        column: usize,
        row: usize,
        extras: RowExtras<'_>,
        why: &str,
    ) -> HandlerError {
        self.row_error(column, row, extras, format!("NULL, but the column {why} and needs a value"))
    }

    /// An `Invalid` error that names table, column and row.
    pub(super) fn row_error(
        &self,
        column: usize,
        row: usize,
        extras: RowExtras<'_>,
        what: String,
    ) -> HandlerError {
        let number =
            u64::try_from(row).unwrap_or(u64::MAX).saturating_add(extras.rows_before).saturating_add(1);
        let column = self.definition.columns.get(column).map_or("?", |column| column.name.as_str());
        HandlerError::invalid(format!(
            "table '{}', column '{column}', row {number}: {what}",
            self.definition.name
        ))
    }
}
