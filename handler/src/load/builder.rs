//! [`ColumnBuilder`]: the values of one column of a batch, parsed from text or JSON, taken back when their row turns
//! out to be bad.
//!
//! Arrow's own builders cannot be cut short again, so values are kept in plain vectors until the batch is whole.

use std::sync::Arc;

use arrow::array::*;
use arrow::buffer::OffsetBuffer;
use arrow::datatypes::*;
use arrow::error::ArrowError;
use ostracon_compare::{JsonValue, PrimitiveType};

use super::records::ColumnFields;
use super::store::{Store, end_of, offset};
use super::text;
use super::validity::Validity;

/// Collects the values of one column.
#[derive(Debug)]
pub(super) struct ColumnBuilder {
    data_type: DataType,
    validity: Validity,
    values: Values,
}

#[derive(Debug)]
enum Values {
    Primitive(PrimitiveType, Store),
    List(Vec<i32>, Box<ColumnBuilder>),
    Struct(Vec<(String, ColumnBuilder)>),
    Map(Vec<i32>, Box<ColumnBuilder>, Box<ColumnBuilder>),
}

impl ColumnBuilder {
    /// A builder for a field's type; `None` for types that no text is read into.
    pub(super) fn new(field: &Field) -> Option<Self> {
        let values = match field.data_type() {
            DataType::List(item) => Values::List(vec![0], Box::new(Self::new(item)?)),
            DataType::Struct(fields) => {
                let columns = fields.iter().map(|field| Some((field.name().clone(), Self::new(field)?)));
                Values::Struct(columns.collect::<Option<_>>()?)
            }
            DataType::Map(entries, _) => match entries.data_type() {
                DataType::Struct(fields) if fields.len() == 2 => {
                    let [key, value] = [fields.first()?, fields.last()?];
                    Values::Map(vec![0], Box::new(Self::new(key)?), Box::new(Self::new(value)?))
                }
                _ => return None,
            },
            data_type => Values::Primitive(PrimitiveType::from_arrow(data_type)?, Store::new(data_type)?),
        };
        let validity = Validity::new(!field.is_nullable());
        Some(Self { data_type: field.data_type().clone(), validity, values })
    }

    /// The number of values.
    pub(super) fn len(&self) -> usize {
        self.validity.len()
    }

    /// Appends NULL; refused where the column is NOT NULL.
    pub(super) fn append_null(&mut self) -> Result<(), String> {
        if self.validity.is_required() {
            return Err(format!(
                "NULL where a {} is wanted: the column is NOT NULL",
                text::type_name(&self.data_type)
            ));
        }
        self.append_hole();
        Ok(())
    }

    /// Appends a NULL that the column's rule does not see: below a NULL parent.
    fn append_hole(&mut self) {
        self.validity.push_hole();
        match &mut self.values {
            Values::Primitive(_, store) => store.push_default(),
            Values::List(offsets, _) | Values::Map(offsets, ..) => offsets.extend(offsets.last().copied()),
            Values::Struct(columns) => columns.iter_mut().for_each(|(_, column)| column.append_hole()),
        }
    }

    /// Appends the value that a CSV field stands for. Nested values are JSON.
    pub(super) fn append_text(&mut self, field: &str) -> Result<(), String> {
        match &mut self.values {
            Values::Primitive(_, store) => {
                store.push_text(field).map_err(|reason| text::unfit(&self.data_type, &reason))?;
                self.validity.push_value();
                Ok(())
            }
            _ => match JsonValue::parse(field) {
                Ok(value) => self.append_json(&value),
                Err(fault) => Err(text::unfit(&self.data_type, fault.reason)),
            },
        }
    }

    /// Appends all fields of a CSV column, those equal to `null` as NULL: gives the values that [`Self::append_text`]
    /// gives. `None` where a field cannot be taken; some then have been appended. The fields are UTF-8.
    pub(super) fn append_fields(&mut self, fields: ColumnFields<'_>, null: &[u8]) -> Option<()> {
        if let Values::Primitive(_, store) = &mut self.values {
            return store.extend(fields, null, &mut self.validity);
        }
        for (field, quoted) in fields {
            let appended = match !quoted && *field == *null {
                true => self.append_null(),
                false => self.append_text(std::str::from_utf8(&field).ok()?),
            };
            appended.ok()?;
        }
        Some(())
    }

    /// Appends a JSON value.
    pub(super) fn append_json(&mut self, value: &JsonValue<'_>) -> Result<(), String> {
        if *value == JsonValue::Null {
            return self.append_null();
        }
        match (&mut self.values, value) {
            (Values::Primitive(ty, store), _) => {
                store.push_json(*ty, value).map_err(|reason| text::unfit(&self.data_type, &reason))?;
            }
            (Values::List(offsets, item), JsonValue::Array(values, _)) => {
                values.iter().try_for_each(|value| item.append_json(value))?;
                offsets.push(offset(item.len())?);
            }
            (Values::Struct(columns), JsonValue::Object(entries, _)) => {
                if let Some((name, _)) =
                    entries.iter().find(|(name, _)| !columns.iter().any(|(known, _)| known == name))
                {
                    return Err(format!("has an unknown field {name}"));
                }
                for (name, column) in columns {
                    match entries.iter().find(|(key, _)| key == name) {
                        Some((_, value)) => column.append_json(value)?,
                        None => column.append_null()?,
                    }
                }
            }
            (Values::Map(offsets, keys, values), JsonValue::Object(entries, _)) => {
                for (name, value) in entries {
                    keys.append_text(name)?;
                    values.append_json(value)?;
                }
                offsets.push(offset(keys.len())?);
            }
            (Values::List(..), _) => return Err(text::unfit(&self.data_type, "a JSON array is wanted")),
            _ => return Err(text::unfit(&self.data_type, "a JSON object is wanted")),
        }
        self.validity.push_value();
        Ok(())
    }

    /// Takes back all values from `len` on, those of a half-appended one too.
    pub(super) fn truncate(&mut self, len: usize) {
        self.validity.truncate(len);
        match &mut self.values {
            Values::Primitive(_, store) => store.truncate(len),
            Values::List(offsets, item) => {
                offsets.truncate(len + 1);
                item.truncate(end_of(offsets));
            }
            Values::Struct(columns) => columns.iter_mut().for_each(|(_, column)| column.truncate(len)),
            Values::Map(offsets, keys, values) => {
                offsets.truncate(len + 1);
                keys.truncate(end_of(offsets));
                values.truncate(end_of(offsets));
            }
        }
    }

    /// The array of all values, of the field's very type; the builder is empty again.
    pub(super) fn finish(&mut self) -> Result<ArrayRef, ArrowError> {
        let nulls = self.validity.finish();
        Ok(match (&mut self.values, &self.data_type) {
            (Values::Primitive(_, store), data_type) => store.finish(data_type, nulls)?,
            (Values::List(offsets, item), DataType::List(field)) => {
                let offsets = OffsetBuffer::new(std::mem::replace(offsets, vec![0]).into());
                Arc::new(ListArray::try_new(Arc::clone(field), offsets, item.finish()?, nulls)?)
            }
            (Values::Struct(columns), DataType::Struct(fields)) => {
                let arrays =
                    columns.iter_mut().map(|(_, column)| column.finish()).collect::<Result<Vec<_>, _>>()?;
                Arc::new(StructArray::try_new(fields.clone(), arrays, nulls)?)
            }
            (Values::Map(offsets, keys, values), DataType::Map(field, sorted)) => {
                let DataType::Struct(fields) = field.data_type() else {
                    return Err(ArrowError::SchemaError("a map without entries".to_owned()));
                };
                let entries =
                    StructArray::try_new(fields.clone(), vec![keys.finish()?, values.finish()?], None)?;
                let offsets = OffsetBuffer::new(std::mem::replace(offsets, vec![0]).into());
                Arc::new(MapArray::try_new(Arc::clone(field), offsets, entries, nulls, *sorted)?)
            }
            (_, other) => return Err(ArrowError::SchemaError(format!("no builder for {other}"))),
        })
    }
}

#[cfg(test)]
mod tests;
