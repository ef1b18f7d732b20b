//! Fields that a file lacks, in the standard form.

use std::sync::Arc;

use arrow::datatypes::{Field, Schema};
use parquet::arrow::ArrowSchemaConverter;
use parquet::schema::types::TypePtr;

use crate::error::{ClipError, Reason};
use crate::requested::{RequestedField, RequestedSchema};

/// The type of a field that the file lacks. `name` is its own, or one that no field of the file has.
pub(crate) fn absent(wanted: &RequestedField, name: &str, path: &[String]) -> Result<TypePtr, ClipError> {
    let only = RequestedSchema { fields: vec![wanted.clone()] }.to_arrow();
    let fields: Vec<Field> = only.iter().map(|field| field.as_ref().clone().with_name(name)).collect();
    let malformed = |what: String| ClipError::new(path, Reason::Malformed(what));
    let converted = ArrowSchemaConverter::new()
        .convert(&Schema::new(fields))
        .map_err(|error| malformed(error.to_string()))?;
    match converted.root_schema() {
        parquet::schema::types::Type::GroupType { fields, .. } => {
            fields.first().map(Arc::clone).ok_or_else(|| malformed("a field was due".to_owned()))
        }
        parquet::schema::types::Type::PrimitiveType { .. } => Err(malformed("a message was due".to_owned())),
    }
}
