//! JsonStorage: a JSON object a line, with the schema beside it.

use arrow::record_batch::RecordBatch;
use async_trait::async_trait;
use datafusion::execution::context::SessionContext;
use ostracon_piglatin::types::{Field, PigType, Schema};
use ostracon_piglatin::value::{Value, to_text};

use crate::columns::field_name;
use crate::error::{PigError, Result};
use crate::load::{SCHEMA_FILE, schema_json};
use crate::run::fields_at;
use crate::store::folder::{OutputFolder, check_absent};
use crate::store::{StoreFunc, StoreInput};

/// `JsonStorage()`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct JsonStorage;

#[async_trait]
impl StoreFunc for JsonStorage {
    fn check(&self, path: &str, schema: Option<&Schema>) -> Result<()> {
        check_absent(path)?;
        match schema {
            Some(_) => Ok(()),
            None => Err(PigError::invalid(
                "JsonStorage needs the names of the fields, and the schema is unknown; declare it by AS",
            )),
        }
    }

    fn kept_schema(&self, schema: &Schema) -> Option<Schema> {
        Some(named(schema))
    }

    async fn store(&self, _: &SessionContext, path: &str, input: StoreInput) -> Result<u64> {
        self.check(path, input.schema.as_ref())?;
        let schema = named(&input.schema.unwrap_or_default());
        let folder = OutputFolder::begin(path, false)?;
        let types = schema.types();
        let fields = schema.clone();
        let format = move |batch: &RecordBatch, text: &mut Vec<u8>| {
            for row in 0..batch.num_rows() {
                write_object(&fields_at(batch, Some(&types), row)?, Some(&fields), text);
                text.push(b'\n');
            }
            Ok(())
        };
        let rows = folder.write_lines(input.rows, format).await?;
        folder.write(SCHEMA_FILE, &schema_json(&schema))?;
        folder.finish()?;
        Ok(rows)
    }
}

/// A schema whose fields all have names, as those of objects must: `f0`, `f1`, ... where there are none.
fn named(schema: &Schema) -> Schema {
    let fields = schema.fields.iter().enumerate().map(|(index, field)| Field {
        name: Some(field.name.clone().unwrap_or_else(|| field_name(index))),
        ty: match &field.ty {
            PigType::Tuple(Some(inner)) => PigType::Tuple(Some(named(inner))),
            PigType::Bag { tuple_name, fields: Some(inner) } => {
                PigType::Bag { tuple_name: tuple_name.clone(), fields: Some(named(inner)) }
            }
            other => other.clone(),
        },
    });
    Schema::new(fields.collect())
}

fn write_object(fields: &[Value], schema: Option<&Schema>, text: &mut Vec<u8>) {
    let entries = fields.iter().enumerate().map(|(index, value)| {
        let field = schema.and_then(|schema| schema.fields.get(index));
        let name = field.and_then(|field| field.name.clone()).unwrap_or_else(|| field_name(index));
        (name, value, field.map(|field| &field.ty))
    });
    write_entries(entries, text);
}

fn write_entries<'a, N: AsRef<str>>(
    entries: impl Iterator<Item = (N, &'a Value, Option<&'a PigType>)>,
    text: &mut Vec<u8>,
) {
    text.push(b'{');
    for (index, (name, value, ty)) in entries.enumerate() {
        if index > 0 {
            text.push(b',');
        }
        write_string(name.as_ref(), text);
        text.push(b':');
        write(value, ty, text);
    }
    text.push(b'}');
}

/// A string in quotes.
fn write_string(string: &str, text: &mut Vec<u8>) {
    text.extend_from_slice(serde_json::Value::from(string).to_string().as_bytes());
}

fn write(value: &Value, ty: Option<&PigType>, text: &mut Vec<u8>) {
    match value {
        Value::Null => text.extend_from_slice(b"null"),
        Value::Boolean(_) | Value::Int(_) | Value::Long(_) | Value::BigInteger(_) | Value::BigDecimal(_) => {
            text.extend_from_slice(to_text(value).as_bytes());
        }
        Value::Float(number) if number.is_finite() => text.extend_from_slice(to_text(value).as_bytes()),
        Value::Double(number) if number.is_finite() => text.extend_from_slice(to_text(value).as_bytes()),
        Value::Tuple(fields) => {
            let schema = match ty {
                Some(PigType::Tuple(schema)) => schema.as_ref(),
                _ => None,
            };
            write_object(fields, schema, text);
        }
        Value::Bag(items) => {
            let schema = match ty {
                Some(PigType::Bag { fields, .. }) => fields.as_ref(),
                _ => None,
            };
            text.push(b'[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    text.push(b',');
                }
                match item {
                    Value::Tuple(fields) => write_object(fields, schema, text),
                    other => write(other, None, text),
                }
            }
            text.push(b']');
        }
        Value::Map(entries) => {
            let of = match ty {
                Some(PigType::Map(of)) => Some(of.as_ref()),
                _ => None,
            };
            write_entries(entries.iter().map(|(key, value)| (key, value, of)), text);
        }
        // What JSON has no form for is told by its name, as NaN.
        other => write_string(&to_text(other), text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn numbers_keep_their_digits_and_names_are_made_up() {
        let inner = Schema::new(vec![Field::named("x", PigType::Int), Field::unnamed(PigType::Chararray)]);
        let schema = named(&Schema::new(vec![
            Field::named("n", PigType::BigInteger),
            Field::unnamed(PigType::bag(inner)),
            Field::named("m", PigType::untyped_map()),
            Field::named("d", PigType::Double),
        ]));
        let row = [
            Value::BigInteger(123_456_789_012_345_678_901_u128.into()),
            Value::Bag(vec![Value::Tuple(vec![Value::Int(1), Value::Chararray("a\"\n".to_owned())])]),
            Value::Map(BTreeMap::from([("k".to_owned(), Value::Null)])),
            Value::Double(f64::NAN),
        ];
        let mut text = Vec::new();
        write_object(&row, Some(&schema), &mut text);
        assert_eq!(
            String::from_utf8(text).unwrap(),
            r#"{"n":123456789012345678901,"f1":[{"x":1,"f1":"a\"\n"}],"m":{"k":null},"d":"NaN"}"#
        );
    }
}
