//! [`Columns`]: the columns that a file fills, and their values until a batch is whole.

use std::sync::Arc;

use arrow::array::{RecordBatch, RecordBatchOptions};
use arrow::datatypes::{Schema, SchemaRef};
use arrow::error::ArrowError;

use ostracon_compare::JsonValue;

use super::builder::ColumnBuilder;
use super::error::BadField;
use super::records::Block;
use super::text;

/// A batch is also ended when its text has this many bytes, so that wide rows do not fill the memory.
const BATCH_BYTES: usize = 8 << 20;

/// The columns that a file fills, in the file's order.
#[derive(Debug)]
pub(super) struct Columns {
    schema: SchemaRef,
    builders: Vec<ColumnBuilder>,
    rows: usize,
    bytes: usize,
    batch_rows: usize,
}

impl Columns {
    /// Builders for all fields of `schema`; the error is a sentence about the column that no text can fill.
    pub(super) fn new(schema: SchemaRef, batch_rows: usize) -> Result<Self, String> {
        let builder = |field: &Arc<arrow::datatypes::Field>| {
            ColumnBuilder::new(field).ok_or_else(|| {
                let ty = text::type_name(field.data_type());
                format!("column {} has the type {ty}, which cannot be loaded from text", field.name())
            })
        };
        let builders = schema.fields().iter().map(builder).collect::<Result<_, _>>()?;
        Ok(Self { schema, builders, rows: 0, bytes: 0, batch_rows: batch_rows.max(1) })
    }

    pub(super) fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    pub(super) fn len(&self) -> usize {
        self.builders.len()
    }

    /// The most rows that the batch still takes; `None` if it is full.
    pub(super) fn room(&self) -> Option<usize> {
        let full = self.rows >= self.batch_rows || self.bytes >= BATCH_BYTES;
        (!full).then(|| self.batch_rows - self.rows)
    }

    /// Appends all records of a block, column by column; `null` is the unquoted text of NULL. Where a record does not fit,
    /// nothing is appended and `false` given: [`Self::append_text`] then says which one, and why.
    pub(super) fn append_block(&mut self, block: Block<'_>, null: &[u8]) -> bool {
        let width = self.builders.len();
        let fits = std::str::from_utf8(block.text()).is_ok()
            && self.builders.iter_mut().enumerate().all(|(index, builder)| {
                block.column(index, width).and_then(|fields| builder.append_fields(fields, null)).is_some()
            });
        if fits {
            self.rows += block.len();
            self.bytes += block.text().len();
        } else {
            self.builders.iter_mut().for_each(|builder| builder.truncate(self.rows));
        }
        fits
    }

    /// Appends a row of text fields, `None` for NULL: as many as there are columns.
    pub(super) fn append_text<'a>(
        &mut self,
        fields: impl Iterator<Item = Option<&'a str>>,
    ) -> Result<(), BadField> {
        let mut bad = None;
        for (index, (builder, field)) in self.builders.iter_mut().zip(fields).enumerate() {
            let appended = match field {
                Some(field) => builder.append_text(field),
                None => builder.append_null(),
            };
            self.bytes += field.map_or(0, str::len);
            if let Err(reason) = appended {
                bad = Some((index, field.map(super::BadRow::excerpt), reason));
                break;
            }
        }
        self.end_row(bad)
    }

    /// Appends a row of JSON values, `None` for NULL: as many as there are columns.
    pub(super) fn append_json<'a>(
        &mut self,
        values: impl Iterator<Item = Option<&'a JsonValue<'a>>>,
    ) -> Result<(), BadField> {
        let mut bad = None;
        for (index, (builder, value)) in self.builders.iter_mut().zip(values).enumerate() {
            let value = value.unwrap_or(&JsonValue::Null);
            if let Err(reason) = builder.append_json(value) {
                let shown = match value {
                    JsonValue::Null => None,
                    JsonValue::Boolean(value) => Some(value.to_string()),
                    JsonValue::Text(text) => Some(super::BadRow::excerpt(text)),
                    JsonValue::Number(raw) | JsonValue::Array(_, raw) | JsonValue::Object(_, raw) => {
                        Some(super::BadRow::excerpt(raw))
                    }
                };
                bad = Some((index, shown, reason));
                break;
            }
        }
        self.end_row(bad)
    }

    /// Counts text that went into the row in another way than [`Self::append_text`].
    pub(super) fn add_bytes(&mut self, bytes: usize) {
        self.bytes += bytes;
    }

    fn end_row(&mut self, bad: Option<(usize, Option<String>, String)>) -> Result<(), BadField> {
        let Some((index, text, reason)) = bad else {
            self.rows += 1;
            return Ok(());
        };
        for builder in &mut self.builders {
            builder.truncate(self.rows);
        }
        let column = self.schema.fields().get(index).map(|field| field.name().clone());
        Err(BadField { column, text, reason })
    }

    /// The rows so far as a batch; `None` where there are none.
    pub(super) fn finish(&mut self) -> Result<Option<RecordBatch>, ArrowError> {
        if self.rows == 0 {
            return Ok(None);
        }
        let arrays = self.builders.iter_mut().map(ColumnBuilder::finish).collect::<Result<Vec<_>, _>>()?;
        let options = RecordBatchOptions::new().with_row_count(Some(self.rows));
        (self.rows, self.bytes) = (0, 0);
        RecordBatch::try_new_with_options(Arc::clone(&self.schema), arrays, &options).map(Some)
    }
}

/// The place of a column of the table by its name: as written, else without regard to case where that is clear.
pub(super) fn find_column(target: &Schema, name: &str) -> Option<usize> {
    let exact = target.fields().iter().position(|field| field.name() == name);
    exact.or_else(|| {
        let folded = name.to_lowercase();
        let mut same =
            target.fields().iter().enumerate().filter(|(_, field)| field.name().to_lowercase() == folded);
        match (same.next(), same.next()) {
            (Some((index, _)), None) => Some(index),
            _ => None,
        }
    })
}

/// The places of named columns; the error is a sentence that names the unknown or doubled one.
pub(super) fn find_columns<'a>(
    target: &Schema,
    names: impl Iterator<Item = &'a str>,
) -> Result<Vec<usize>, String> {
    let mut places = Vec::new();
    for name in names {
        let Some(place) = find_column(target, name) else {
            let known: Vec<_> = target.fields().iter().map(|field| field.name().as_str()).collect();
            return Err(format!("the table has no column {name}; it has {}", known.join(", ")));
        };
        if places.contains(&place) {
            return Err(format!("the column {name} stands there twice"));
        }
        places.push(place);
    }
    Ok(places)
}

#[cfg(test)]
mod tests {
    use arrow::datatypes::{DataType, Field};

    use super::*;

    fn target() -> Schema {
        Schema::new(vec![
            Field::new("k", DataType::Int32, false),
            Field::new("Name", DataType::Utf8, true),
            Field::new("a", DataType::Utf8, true),
            Field::new("A", DataType::Utf8, true),
        ])
    }

    #[test]
    fn names_match_exactly_or_by_clear_folding() {
        assert_eq!(find_column(&target(), "name"), Some(1));
        assert_eq!(find_column(&target(), "A"), Some(3));
        assert_eq!(find_column(&target(), "K"), Some(0));
        assert_eq!(find_column(&target(), "x"), None);
        assert!(
            find_columns(&target(), ["k", "x"].into_iter())
                .unwrap_err()
                .contains("no column x; it has k, Name")
        );
        assert!(find_columns(&target(), ["k", "K"].into_iter()).unwrap_err().contains("twice"));
    }

    #[test]
    fn a_bad_row_leaves_no_trace() {
        let mut columns = Columns::new(Arc::new(target()), 10).unwrap();
        columns.append_text([Some("1"), Some("x"), None, Some("")].into_iter()).unwrap();
        let bad = columns.append_text([Some("2x"), Some("y"), None, None].into_iter()).unwrap_err();
        assert_eq!((bad.column.as_deref(), bad.text.as_deref()), (Some("k"), Some("2x")));
        assert!(bad.reason.contains("INT"), "{}", bad.reason);
        let bad = columns.append_text([None, Some("y"), None, None].into_iter()).unwrap_err();
        assert!(bad.reason.contains("NOT NULL"), "{}", bad.reason);
        columns.append_text([Some("3"), None, None, None].into_iter()).unwrap();
        let batch = columns.finish().unwrap().unwrap();
        assert_eq!(batch.num_rows(), 2);
        assert_eq!(batch.column(0).as_ref(), &arrow::array::Int32Array::from(vec![1, 3]));
        assert_eq!(batch.column(1).as_ref(), &arrow::array::StringArray::from(vec![Some("x"), None]));
        assert!(columns.finish().unwrap().is_none());
    }
}
