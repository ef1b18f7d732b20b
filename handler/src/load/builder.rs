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
            (Self::Binary(offsets, values), JsonValue::Text(hex)) => {
                push_binary(offsets, values, &text::hex(hex)?)
            }
            (
                store @ Self::Text(..),
                JsonValue::Number(raw) | JsonValue::Array(_, raw) | JsonValue::Object(_, raw),
            ) => store.push_text(ty, raw),
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
fn int_array(
    values: Vec<i64>,
    data_type: &DataType,
    nulls: Option<NullBuffer>,
) -> Result<ArrayRef, ArrowError> {
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

#[cfg(test)]
mod tests {

    use super::*;

    /// The values that fields give, or why the first bad one gives none.
    fn read(data_type: DataType, fields: &[Option<&str>]) -> Result<ArrayRef, String> {
        let mut builder = ColumnBuilder::new(&Field::new("c", data_type.clone(), true)).unwrap();
        for field in fields {
            match field {
                Some(field) => builder.append_text(field)?,
                None => builder.append_null()?,
            }
        }
        let array = builder.finish().unwrap();
        assert_eq!(array.data_type(), &data_type);
        Ok(array)
    }

    fn read_json(data_type: DataType, values: &[&str]) -> Result<ArrayRef, String> {
        let mut builder = ColumnBuilder::new(&Field::new("c", data_type.clone(), true)).unwrap();
        for value in values {
            let value = JsonValue::parse(value).map_err(|fault| fault.reason.to_owned())?;
            builder.append_json(&value)?;
        }
        let array = builder.finish().unwrap();
        assert_eq!(array.data_type(), &data_type);
        Ok(array)
    }

    fn shown(array: &ArrayRef) -> String {
        (0..array.len())
            .map(|row| {
                let mut text = String::new();
                let column = crate::export::ColumnText::new(array).unwrap();
                column.write_json(row, &mut text).unwrap();
                text
            })
            .collect::<Vec<_>>()
            .join(" ")
    }

    fn check(data_type: DataType, field: &str, wanted: &str) {
        assert_eq!(
            read(data_type.clone(), &[Some(field)]).map(|array| shown(&array)).as_deref(),
            Ok(wanted),
            "{data_type} {field}"
        );
    }

    #[test]
    fn every_type_is_read_from_text() {
        check(DataType::Boolean, "t", "true");
        check(DataType::Int8, "-128", "-128");
        check(DataType::Int64, " 9223372036854775807 ", "9223372036854775807");
        check(DataType::UInt64, "18446744073709551615", "18446744073709551615");
        check(DataType::Float32, "0.1", "0.1");
        check(DataType::Float64, "-0.0", "-0.0");
        check(DataType::Float64, "NaN", "\"NaN\"");
        check(DataType::Float64, "-inf", "\"-inf\"");
        check(DataType::Decimal128(12, 3), "-0.001", "-0.001");
        check(
            DataType::Decimal256(50, 2),
            "12345678901234567890123456789012345678901234567.5",
            "12345678901234567890123456789012345678901234567.50",
        );
        check(DataType::Date32, "0001-01-01", "\"0001-01-01\"");
        check(DataType::Date64, "9999-12-31", "\"9999-12-31T00:00:00\"");
        check(DataType::Time32(TimeUnit::Second), "12:34:56", "\"12:34:56\"");
        check(DataType::Time64(TimeUnit::Nanosecond), "12:34:56.000000001", "\"12:34:56.000000001\"");
        check(DataType::Timestamp(TimeUnit::Second, None), "2013-01-01 05:15:00", "\"2013-01-01T05:15:00\"");
        check(
            DataType::Timestamp(TimeUnit::Nanosecond, None),
            "1969-12-31T23:59:59.999999",
            "\"1969-12-31T23:59:59.999999\"",
        );
        check(DataType::Timestamp(TimeUnit::Millisecond, None), "2020-01-01", "\"2020-01-01T00:00:00\"");
        check(DataType::Utf8, " \u{1F600} ", "\" \u{1F600} \"");
        check(DataType::LargeUtf8, "x", "\"x\"");
        check(DataType::Binary, "\\xff00", "\"ff00\"");
        check(DataType::LargeBinary, "", "\"\"");
    }

    #[test]
    fn what_does_not_fit_names_the_wanted_type() {
        for (data_type, field, wanted) in [
            (DataType::Int32, "n/a", "INT"),
            (DataType::Int32, "", "INT"),
            (DataType::Int8, "128", "TINYINT"),
            (DataType::Int32, "1.5", "INT"),
            (DataType::UInt8, "-1", "TINYINT UNSIGNED"),
            (DataType::Decimal128(4, 2), "100", "DECIMAL(4,2)"),
            (DataType::Decimal128(4, 2), "1.005", "DECIMAL(4,2)"),
            (DataType::Date32, "2013-02-29", "DATE"),
            (DataType::Boolean, "maybe", "BOOLEAN"),
            (DataType::Binary, "\\xf", "BYTEA"),
            (DataType::Timestamp(TimeUnit::Second, None), "soon", "TIMESTAMP(0)"),
        ] {
            let reason = read(data_type.clone(), &[Some(field)]).unwrap_err();
            assert!(reason.contains(&format!("the type {wanted} (")), "{data_type} {field}: {reason}");
        }
    }

    #[test]
    fn json_numbers_go_through_no_double() {
        let array = read_json(DataType::Int64, &["9007199254740993", "1e3", "5.0", "null", "\"7\""]).unwrap();
        assert_eq!(shown(&array), "9007199254740993 1000 5 null 7");
        let array = read_json(DataType::Decimal128(20, 2), &["123456789012345678.91", "1e2"]).unwrap();
        assert_eq!(shown(&array), "123456789012345678.91 100.00");
        assert!(read_json(DataType::Int64, &["1.5"]).is_err());
        assert!(read_json(DataType::Int32, &["1e10"]).is_err());
        assert!(read_json(DataType::Date32, &["1"]).unwrap_err().contains("JSON string"));
        assert!(read_json(DataType::Int32, &["true"]).is_err());
        assert_eq!(
            shown(&read_json(DataType::Float64, &["\"NaN\"", "-0.0", "1"]).unwrap()),
            "\"NaN\" -0.0 1.0"
        );
        assert_eq!(shown(&read_json(DataType::Binary, &["\"ff00\"", "\"\""]).unwrap()), "\"ff00\" \"\"");
        assert_eq!(
            shown(&read_json(DataType::Utf8, &["1.10", "true", "[1, 2]"]).unwrap()),
            "\"1.10\" \"true\" \"[1, 2]\""
        );
    }

    #[test]
    fn nested_values_are_json_and_are_taken_back_whole() {
        let list = DataType::List(Arc::new(Field::new("item", DataType::Int32, true)));
        let fields = vec![Field::new("a", DataType::Int32, true), Field::new("l", list, true)];
        let data_type = DataType::Struct(fields.into());
        let mut builder = ColumnBuilder::new(&Field::new("s", data_type, true)).unwrap();
        builder.append_text("{\"a\": 1, \"l\": [1, null]}").unwrap();
        assert!(builder.append_text("{\"l\": [2, 3], \"a\": 1.5}").is_err());
        builder.truncate(1);
        assert!(builder.append_text("{\"l\": [4, \"x\"]}").is_err());
        builder.truncate(1);
        assert!(builder.append_text("{\"b\": 1}").unwrap_err().contains("unknown field b"));
        builder.truncate(1);
        builder.append_null().unwrap();
        builder.append_text("{\"l\": []}").unwrap();
        assert_eq!(shown(&builder.finish().unwrap()), "{\"a\":1,\"l\":[1,null]} null {\"a\":null,\"l\":[]}");
    }

    #[test]
    fn maps_are_json_objects() {
        let pair = vec![Field::new("key", DataType::Utf8, false), Field::new("value", DataType::Int32, true)];
        let entries = Field::new("entries", DataType::Struct(pair.into()), false);
        let data_type = DataType::Map(Arc::new(entries), false);
        let array = read_json(data_type.clone(), &["{\"a\": 1, \"b\": null}", "null", "{}"]).unwrap();
        assert_eq!(shown(&array), "{\"a\":1,\"b\":null} null {}");
        assert!(read_json(data_type, &["[1]"]).unwrap_err().contains("JSON object"));
    }
}
