//! [`ColumnBuilder`]: the values of one column of a batch, parsed from text or JSON, taken back when their row turns
//! out to be bad.
//!
//! Arrow's own builders cannot be cut short again, so values are kept in plain vectors until the batch is whole.

use std::sync::Arc;

use arrow::array::*;
use arrow::buffer::{NullBuffer, OffsetBuffer};
use arrow::datatypes::*;
use arrow::error::ArrowError;
use ostracon_compare::{Encoding, PrimitiveType, ScalarRef, decode};

use super::json::JsonValue;
use super::text;

/// Collects the values of one column.
#[derive(Debug)]
pub(super) struct ColumnBuilder {
    data_type: DataType,
    required: bool,
    valid: Vec<bool>,
    values: Values,
}

#[derive(Debug)]
enum Values {
    Primitive(PrimitiveType, Store),
    List(Vec<i32>, Box<ColumnBuilder>),
    Struct(Vec<(String, ColumnBuilder)>),
    Map(Vec<i32>, Box<ColumnBuilder>, Box<ColumnBuilder>),
}

#[derive(Debug)]
enum Store {
    Boolean(Vec<bool>),
    Int(Vec<i64>),
    UInt(Vec<u64>),
    Float32(Vec<f32>),
    Float64(Vec<f64>),
    Decimal128(Vec<i128>),
    Decimal256(Vec<i256>),
    Text(Vec<i32>, String),
    Binary(Vec<i32>, Vec<u8>),
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
            data_type => {
                let ty = PrimitiveType::from_arrow(data_type)?;
                Values::Primitive(ty, Store::new(ty))
            }
        };
        let required = !field.is_nullable();
        Some(Self { data_type: field.data_type().clone(), required, valid: Vec::new(), values })
    }

    /// The number of values.
    pub(super) fn len(&self) -> usize {
        self.valid.len()
    }

    /// Appends NULL; refused where the column is NOT NULL.
    pub(super) fn append_null(&mut self) -> Result<(), String> {
        if self.required {
            return Err(format!("NULL where a {} is wanted: the column is NOT NULL", text::type_name(&self.data_type)));
        }
        self.append_hole();
        Ok(())
    }

    /// Appends a NULL that the column's rule does not see: below a NULL parent.
    fn append_hole(&mut self) {
        self.valid.push(false);
        match &mut self.values {
            Values::Primitive(_, store) => store.push_default(),
            Values::List(offsets, _) | Values::Map(offsets, ..) => offsets.extend(offsets.last().copied()),
            Values::Struct(columns) => columns.iter_mut().for_each(|(_, column)| column.append_hole()),
        }
    }

    /// Appends the value that a CSV field stands for. Nested values are JSON.
    pub(super) fn append_text(&mut self, field: &str) -> Result<(), String> {
        match &mut self.values {
            Values::Primitive(ty, store) => {
                store.push_text(*ty, field).map_err(|reason| text::unfit(&self.data_type, &reason))?;
                self.valid.push(true);
                Ok(())
            }
            _ => match JsonValue::parse(field) {
                Ok(value) => self.append_json(&value),
                Err(fault) => Err(text::unfit(&self.data_type, fault.reason)),
            },
        }
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
                if let Some((name, _)) = entries.iter().find(|(name, _)| !columns.iter().any(|(known, _)| known == name))
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
        self.valid.push(true);
        Ok(())
    }

    /// Takes back all values from `len` on, those of a half-appended one too.
    pub(super) fn truncate(&mut self, len: usize) {
        self.valid.truncate(len);
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
        let nulls = NullBuffer::from(std::mem::take(&mut self.valid));
        let nulls = (nulls.null_count() > 0).then_some(nulls);
        Ok(match (&mut self.values, &self.data_type) {
            (Values::Primitive(_, store), data_type) => store.finish(data_type, nulls)?,
            (Values::List(offsets, item), DataType::List(field)) => {
                let offsets = OffsetBuffer::new(std::mem::replace(offsets, vec![0]).into());
                Arc::new(ListArray::try_new(Arc::clone(field), offsets, item.finish()?, nulls)?)
            }
            (Values::Struct(columns), DataType::Struct(fields)) => {
                let arrays = columns.iter_mut().map(|(_, column)| column.finish()).collect::<Result<Vec<_>, _>>()?;
                Arc::new(StructArray::try_new(fields.clone(), arrays, nulls)?)
            }
            (Values::Map(offsets, keys, values), DataType::Map(field, sorted)) => {
                let DataType::Struct(fields) = field.data_type() else {
                    return Err(ArrowError::SchemaError("a map without entries".to_owned()));
                };
                let entries = StructArray::try_new(fields.clone(), vec![keys.finish()?, values.finish()?], None)?;
                let offsets = OffsetBuffer::new(std::mem::replace(offsets, vec![0]).into());
                Arc::new(MapArray::try_new(Arc::clone(field), offsets, entries, nulls, *sorted)?)
            }
            (_, other) => return Err(ArrowError::SchemaError(format!("no builder for {other}"))),
        })
    }
}

impl Store {
    fn new(ty: PrimitiveType) -> Self {
        match ty {
            PrimitiveType::Boolean => Self::Boolean(Vec::new()),
            PrimitiveType::UInt8 | PrimitiveType::UInt16 | PrimitiveType::UInt32 | PrimitiveType::UInt64 => {
                Self::UInt(Vec::new())
            }
            PrimitiveType::Float32 => Self::Float32(Vec::new()),
            PrimitiveType::Float64 => Self::Float64(Vec::new()),
            PrimitiveType::Decimal128 { .. } => Self::Decimal128(Vec::new()),
            PrimitiveType::Decimal256 { .. } => Self::Decimal256(Vec::new()),
            PrimitiveType::Utf8 => Self::Text(vec![0], String::new()),
            PrimitiveType::Binary => Self::Binary(vec![0], Vec::new()),
            _ => Self::Int(Vec::new()),
        }
    }

    fn push_default(&mut self) {
        match self {
            Self::Boolean(values) => values.push(false),
            Self::Int(values) => values.push(0),
            Self::UInt(values) => values.push(0),
            Self::Float32(values) => values.push(0.0),
            Self::Float64(values) => values.push(0.0),
            Self::Decimal128(values) => values.push(0),
            Self::Decimal256(values) => values.push(i256::ZERO),
            Self::Text(offsets, _) | Self::Binary(offsets, _) => offsets.extend(offsets.last().copied()),
        }
    }

    fn push_text(&mut self, ty: PrimitiveType, field: &str) -> Result<(), String> {
        match self {
            Self::Text(offsets, values) => {
                offsets.push(offset(values.len() + field.len())?);
                values.push_str(field);
                Ok(())
            }
            Self::Binary(offsets, values) => push_binary(offsets, values, &text::binary(field)?),
            _ => {
                let plain = text::canonical(ty, field.trim_matches([' ', '\t']));
                self.push(decode(ty, Encoding::String, plain.as_bytes()).map_err(|bad| bad.reason)?)
            }
        }
    }

    fn push_json(&mut self, ty: PrimitiveType, value: &JsonValue<'_>) -> Result<(), String> {
        match (self, value) {
            (Self::Binary(offsets, values), JsonValue::Text(hex)) => push_binary(offsets, values, &text::hex(hex)?),
            (store @ Self::Text(..), JsonValue::Number(raw) | JsonValue::Array(_, raw) | JsonValue::Object(_, raw)) => {
                store.push_text(ty, raw)
            }
            (store @ (Self::Boolean(_) | Self::Text(..)), JsonValue::Boolean(value)) => {
                store.push_text(ty, if *value { "true" } else { "false" })
            }
            (store, JsonValue::Text(field)) => store.push_text(ty, field),
            (store, JsonValue::Number(number)) if text::is_number(ty) => {
                store.push_text(ty, &text::plain_number(ty, number)?)
            }
            (_, JsonValue::Number(_)) => Err("a JSON string is wanted, not a number".to_owned()),
            (_, JsonValue::Boolean(_)) => Err("true and false are no values of this type".to_owned()),
            _ => Err("arrays and objects are no values of this type".to_owned()),
        }
    }

    fn push(&mut self, value: ScalarRef<'_>) -> Result<(), String> {
        match (self, value) {
            (Self::Boolean(values), ScalarRef::Boolean(value)) => values.push(value),
            (Self::Int(values), ScalarRef::Int(value)) => values.push(value),
            (Self::UInt(values), ScalarRef::UInt(value)) => values.push(value),
            (Self::Float32(values), ScalarRef::Float32(value)) => values.push(value),
            (Self::Float64(values), ScalarRef::Float64(value)) => values.push(value),
            (Self::Decimal128(values), ScalarRef::Decimal128(value)) => values.push(value),
            (Self::Decimal256(values), ScalarRef::Decimal256(value)) => values.push(value),
            (_, other) => return Err(format!("was read as {other:?}, which is of another type")),
        }
        Ok(())
    }

    fn truncate(&mut self, len: usize) {
        match self {
            Self::Boolean(values) => values.truncate(len),
            Self::Int(values) => values.truncate(len),
            Self::UInt(values) => values.truncate(len),
            Self::Float32(values) => values.truncate(len),
            Self::Float64(values) => values.truncate(len),
            Self::Decimal128(values) => values.truncate(len),
            Self::Decimal256(values) => values.truncate(len),
            Self::Text(offsets, values) => {
                offsets.truncate(len + 1);
                values.truncate(end_of(offsets));
            }
            Self::Binary(offsets, values) => {
                offsets.truncate(len + 1);
                values.truncate(end_of(offsets));
            }
        }
    }

    fn finish(&mut self, data_type: &DataType, nulls: Option<NullBuffer>) -> Result<ArrayRef, ArrowError> {
        let array: ArrayRef = match self {
            Self::Boolean(values) => Arc::new(BooleanArray::new(std::mem::take(values).into(), nulls)),
            Self::Int(values) => return int_array(std::mem::take(values), data_type, nulls),
            Self::UInt(values) => {
                let array = UInt64Array::new(std::mem::take(values).into(), nulls);
                return arrow::compute::cast(&array, data_type);
            }
            Self::Float32(values) => Arc::new(Float32Array::new(std::mem::take(values).into(), nulls)),
            Self::Float64(values) => Arc::new(Float64Array::new(std::mem::take(values).into(), nulls)),
            Self::Decimal128(values) => {
                let array = Decimal128Array::new(std::mem::take(values).into(), nulls);
                Arc::new(array.with_data_type(data_type.clone()))
            }
            Self::Decimal256(values) => {
                let array = Decimal256Array::new(std::mem::take(values).into(), nulls);
                Arc::new(array.with_data_type(data_type.clone()))
            }
            Self::Text(offsets, values) => {
                let offsets = OffsetBuffer::new(std::mem::replace(offsets, vec![0]).into());
                let array = StringArray::try_new(offsets, std::mem::take(values).into_bytes().into(), nulls)?;
                return arrow::compute::cast(&array, data_type);
            }
            Self::Binary(offsets, values) => {
                let offsets = OffsetBuffer::new(std::mem::replace(offsets, vec![0]).into());
                let array = BinaryArray::try_new(offsets, std::mem::take(values).into(), nulls)?;
                return arrow::compute::cast(&array, data_type);
            }
        };
        Ok(array)
    }
}

/// Whole numbers as the integer, date or time type that they were range-checked for.
fn int_array(values: Vec<i64>, data_type: &DataType, nulls: Option<NullBuffer>) -> Result<ArrayRef, ArrowError> {
    let array = Int64Array::new(values.into(), nulls);
    match data_type {
        DataType::Date32 | DataType::Time32(_) => {
            arrow::compute::cast(&arrow::compute::cast(&array, &DataType::Int32)?, data_type)
        }
        _ => arrow::compute::cast(&array, data_type),
    }
}

fn push_binary(offsets: &mut Vec<i32>, values: &mut Vec<u8>, bytes: &[u8]) -> Result<(), String> {
    offsets.push(offset(values.len() + bytes.len())?);
    values.extend_from_slice(bytes);
    Ok(())
}

fn offset(end: usize) -> Result<i32, String> {
    i32::try_from(end).map_err(|_| "the values of a column are longer than 2 GiB within one batch".to_owned())
}

fn end_of(offsets: &[i32]) -> usize {
    offsets.last().map_or(0, |end| usize::try_from(*end).unwrap_or(0))
}
