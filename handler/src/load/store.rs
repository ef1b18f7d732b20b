//! [`Store`]: the values of a primitive column, in plain vectors that can be cut short again.

use std::sync::Arc;

use arrow::array::*;
use arrow::buffer::{NullBuffer, OffsetBuffer};
use arrow::datatypes::DataType;
use arrow::error::ArrowError;
use ostracon_compare::{JsonValue, PrimitiveType};

use super::numbers::{NumberStore, number_store};
use super::records::ColumnFields;
use super::text;
use super::validity::Validity;

/// Values of one primitive type; NULLs are kept elsewhere and have a default here.
#[derive(Debug)]
pub(super) enum Store {
    Boolean(Vec<bool>),
    Number(Box<dyn NumberStore>),
    Text(Vec<i32>, Vec<u8>),
    Binary(Vec<i32>, Vec<u8>),
}

impl Store {
    /// A store for values of a primitive type.
    pub(super) fn new(data_type: &DataType) -> Option<Self> {
        Some(match PrimitiveType::from_arrow(data_type)? {
            PrimitiveType::Boolean => Self::Boolean(Vec::new()),
            PrimitiveType::Utf8 => Self::Text(vec![0], Vec::new()),
            PrimitiveType::Binary => Self::Binary(vec![0], Vec::new()),
            _ => Self::Number(number_store(data_type)?),
        })
    }

    pub(super) fn push_default(&mut self) {
        match self {
            Self::Boolean(values) => values.push(false),
            Self::Number(values) => values.push_default(),
            Self::Text(offsets, _) | Self::Binary(offsets, _) => offsets.extend(offsets.last().copied()),
        }
    }

    pub(super) fn push_text(&mut self, field: &str) -> Result<(), String> {
        match self {
            Self::Boolean(values) => values.push(text::boolean(field)?),
            Self::Number(values) => values.push_text(field)?,
            Self::Text(offsets, values) => push_bytes(offsets, values, field.as_bytes())?,
            Self::Binary(offsets, values) => push_bytes(offsets, values, &text::binary(field)?)?,
        }
        Ok(())
    }

    /// Appends all fields of a column, those equal to `null` as NULL; `None` where one cannot be taken, some then having
    /// been appended. The fields are UTF-8.
    pub(super) fn extend(
        &mut self,
        fields: ColumnFields<'_>,
        null: &[u8],
        validity: &mut Validity,
    ) -> Option<()> {
        match self {
            Self::Number(values) => return values.extend(fields, null, validity),
            Self::Text(offsets, values) => {
                for (field, quoted) in fields {
                    if !quoted && *field == *null {
                        validity.push_null()?;
                    } else {
                        values.extend_from_slice(&field);
                        validity.push_value();
                    }
                    offsets.push(i32::try_from(values.len()).ok()?);
                }
            }
            Self::Boolean(_) | Self::Binary(..) => {
                for (field, quoted) in fields {
                    if !quoted && *field == *null {
                        validity.push_null()?;
                        self.push_default();
                    } else {
                        self.push_text(std::str::from_utf8(&field).ok()?).ok()?;
                        validity.push_value();
                    }
                }
            }
        }
        Some(())
    }

    pub(super) fn push_json(&mut self, ty: PrimitiveType, value: &JsonValue<'_>) -> Result<(), String> {
        match (self, value) {
            (Self::Binary(offsets, values), JsonValue::Text(hex)) => {
                push_bytes(offsets, values, &text::hex(hex)?)
            }
            (
                store @ Self::Text(..),
                JsonValue::Number(raw) | JsonValue::Array(_, raw) | JsonValue::Object(_, raw),
            ) => store.push_text(raw),
            (store @ (Self::Boolean(_) | Self::Text(..)), JsonValue::Boolean(value)) => {
                store.push_text(if *value { "true" } else { "false" })
            }
            (store, JsonValue::Text(field)) => store.push_text(field),
            (store, JsonValue::Number(number)) if text::is_number(ty) => {
                store.push_text(&text::plain_number(ty, number)?)
            }
            (_, JsonValue::Number(_)) => Err("a JSON string is wanted, not a number".to_owned()),
            (_, JsonValue::Boolean(_)) => Err("true and false are no values of this type".to_owned()),
            _ => Err("arrays and objects are no values of this type".to_owned()),
        }
    }

    pub(super) fn truncate(&mut self, len: usize) {
        match self {
            Self::Boolean(values) => values.truncate(len),
            Self::Number(values) => values.truncate(len),
            Self::Text(offsets, values) | Self::Binary(offsets, values) => {
                offsets.truncate(len + 1);
                values.truncate(end_of(offsets));
            }
        }
    }

    /// The array of all values; the store is empty again.
    pub(super) fn finish(
        &mut self,
        data_type: &DataType,
        nulls: Option<NullBuffer>,
    ) -> Result<ArrayRef, ArrowError> {
        let array: ArrayRef = match self {
            Self::Boolean(values) => Arc::new(BooleanArray::new(std::mem::take(values).into(), nulls)),
            Self::Number(values) => values.finish(data_type, nulls),
            Self::Text(offsets, values) => {
                let (offsets, values) = take_bytes(offsets, values);
                Arc::new(StringArray::try_new(offsets, values.into(), nulls)?)
            }
            Self::Binary(offsets, values) => {
                let (offsets, values) = take_bytes(offsets, values);
                Arc::new(BinaryArray::try_new(offsets, values.into(), nulls)?)
            }
        };
        // Text and bytes have variants that tables do not store.
        if array.data_type() == data_type { Ok(array) } else { arrow::compute::cast(&array, data_type) }
    }
}

fn push_bytes(offsets: &mut Vec<i32>, values: &mut Vec<u8>, bytes: &[u8]) -> Result<(), String> {
    offsets.push(offset(values.len() + bytes.len())?);
    values.extend_from_slice(bytes);
    Ok(())
}

/// The values so far; as much room is made for the next ones.
fn take_bytes(offsets: &mut Vec<i32>, values: &mut Vec<u8>) -> (OffsetBuffer<i32>, Vec<u8>) {
    let mut fresh = Vec::with_capacity(offsets.len());
    fresh.push(0);
    let room = Vec::with_capacity(values.len());
    (OffsetBuffer::new(std::mem::replace(offsets, fresh).into()), std::mem::replace(values, room))
}

/// An end of a value in its column's bytes.
pub(super) fn offset(end: usize) -> Result<i32, String> {
    i32::try_from(end).map_err(|_| "the values of a column are longer than 2 GiB within one batch".to_owned())
}

/// The last end.
pub(super) fn end_of(offsets: &[i32]) -> usize {
    offsets.last().map_or(0, |end| usize::try_from(*end).unwrap_or(0))
}
