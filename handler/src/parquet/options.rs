//! What `OPTIONS (...)` of a Parquet table say about matching: `schema.case_sensitive` and `schema.field_id.PATH`.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use datafusion::arrow::datatypes::{DataType, Field, FieldRef, Fields};

use ostracon_parquet::FIELD_ID as FIELD_ID_OF_ARROW;

use super::access::{ELEMENT, KEY, VALUE};
use crate::error::{HandlerError, Result};

const CASE_SENSITIVE: &str = "schema.case_sensitive";
/// What a path follows in the options that give field ids.
pub const FIELD_ID: &str = "schema.field_id.";

/// How columns of a table find those of a file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct MatchingOptions {
    /// Names match only as written.
    pub(super) case_sensitive: bool,
    /// Field ids by path: `s.a`, `l.element`, `m.value.x`.
    pub(super) field_ids: BTreeMap<String, i32>,
}

impl MatchingOptions {
    /// Takes the options out of a table's, and leaves those of DataFusion's reader and writer.
    pub(super) fn take(options: &mut HashMap<String, String>) -> Result<Self> {
        let mut taken = Self::default();
        let mut ours: Vec<String> =
            options.keys().filter(|key| key.to_lowercase().starts_with("schema.")).cloned().collect();
        ours.sort();
        for key in ours {
            let Some(value) = options.remove(&key) else { continue };
            let lower = key.to_lowercase();
            if lower == CASE_SENSITIVE {
                taken.case_sensitive = value.trim().to_lowercase().parse().map_err(|_| {
                    HandlerError::invalid(format!(
                        "the option '{CASE_SENSITIVE}' is '{value}'; it is true or false"
                    ))
                })?;
            } else if let Some(path) = key.get(FIELD_ID.len()..).filter(|_| lower.starts_with(FIELD_ID)) {
                let id = value.trim().parse().map_err(|_| {
                    HandlerError::invalid(format!(
                        "the option '{key}' is '{value}'; a field id is a whole number of 32 bits"
                    ))
                })?;
                taken.field_ids.insert(path.to_owned(), id);
            } else {
                return Err(HandlerError::invalid(format!(
                    "there is no option '{key}'; of the schema there are '{CASE_SENSITIVE}' and '{FIELD_ID}PATH'"
                )));
            }
        }
        Ok(taken)
    }

    /// The columns with their field ids as Arrow's metadata. Every id must find its field.
    pub(super) fn with_field_ids(&self, fields: &Fields) -> Result<Fields> {
        let mut left = self.field_ids.clone();
        let made = fields.iter().map(|field| with_ids(field, field.name(), &mut left)).collect();
        match left.keys().next() {
            None => Ok(made),
            Some(path) => Err(HandlerError::invalid(format!(
                "the option '{FIELD_ID}{path}' names no declared column; a list's element is written .element, a map's \
                 parts .key and .value"
            ))),
        }
    }
}

fn with_ids(field: &FieldRef, path: &str, left: &mut BTreeMap<String, i32>) -> FieldRef {
    let mut part = |inner: &FieldRef, name: &str| with_ids(inner, &format!("{path}.{name}"), left);
    let data_type = match field.data_type() {
        DataType::Struct(fields) => {
            DataType::Struct(fields.iter().map(|inner| part(inner, inner.name())).collect())
        }
        DataType::List(element) => DataType::List(part(element, ELEMENT)),
        DataType::Map(entries, sorted) => match entries.data_type() {
            DataType::Struct(pair) => {
                let pair = pair.iter().zip([KEY, VALUE]).map(|(inner, name)| part(inner, name));
                let pair = DataType::Struct(pair.collect::<Fields>());
                DataType::Map(Arc::new(entries.as_ref().clone().with_data_type(pair)), *sorted)
            }
            other => other.clone(),
        },
        other => other.clone(),
    };
    let mut made: Field = field.as_ref().clone().with_data_type(data_type);
    let found = left.keys().find(|known| known.as_str() == path).cloned();
    let found =
        found.or_else(|| left.keys().find(|known| known.to_lowercase() == path.to_lowercase()).cloned());
    if let Some(id) = found.and_then(|known| left.remove(&known)) {
        made.metadata_mut().insert(FIELD_ID_OF_ARROW.to_owned(), id.to_string());
    }
    Arc::new(made)
}

/// The columns as they are read: whatever is declared, a file may lack a value.
pub(super) fn nullable(fields: &Fields) -> Fields {
    fields.iter().map(|field| Arc::new(relaxed(field).with_nullable(true))).collect()
}

fn relaxed(field: &Field) -> Field {
    let data_type = match field.data_type() {
        DataType::Struct(fields) => DataType::Struct(nullable(fields)),
        DataType::List(element) => DataType::List(Arc::new(relaxed(element).with_nullable(true))),
        DataType::Map(entries, sorted) => match entries.data_type() {
            // Arrow's maps have keys.
            DataType::Struct(pair) => {
                let pair = pair.iter().enumerate().map(|(nth, part)| relaxed(part).with_nullable(nth > 0));
                let pair = DataType::Struct(pair.collect::<Vec<_>>().into());
                DataType::Map(Arc::new(entries.as_ref().clone().with_data_type(pair)), *sorted)
            }
            other => DataType::Map(Arc::new(entries.as_ref().clone().with_data_type(other.clone())), *sorted),
        },
        other => other.clone(),
    };
    field.clone().with_data_type(data_type)
}
