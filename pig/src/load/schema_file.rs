//! `.pig_schema`: the fields of a folder's files, as Pig writes them (`ResourceSchema` in JSON).

use std::path::{Path, PathBuf};

use ostracon_piglatin::types::{Caster, Field, PigType, Schema, Unknown};
use serde_json::{Value as Json, json};

use crate::error::{PigError, PigErrorKind, Result};

/// The file's name.
pub(crate) const SCHEMA_FILE: &str = ".pig_schema";

/// Pig's numbers of types (`DataType`).
const CODES: [(u64, PigType); 10] = [
    (5, PigType::Boolean),
    (10, PigType::Int),
    (15, PigType::Long),
    (20, PigType::Float),
    (25, PigType::Double),
    (30, PigType::Datetime),
    (50, PigType::RAW),
    (55, PigType::Chararray),
    (65, PigType::BigInteger),
    (70, PigType::BigDecimal),
];

/// A schema as the file has it.
pub(crate) fn to_json(schema: &Schema) -> String {
    json!({ "fields": fields(schema), "version": 0, "sortKeys": [], "sortKeyOrders": [] }).to_string()
}

fn fields(schema: &Schema) -> Vec<Json> {
    schema.fields.iter().map(|field| field_json(field.name.as_deref(), &field.ty)).collect()
}

fn field_json(name: Option<&str>, ty: &PigType) -> Json {
    let (code, inner) = match ty {
        PigType::Map(value) => match value.as_ref() {
            PigType::Bytearray(_) => (100, Json::Null),
            value => (100, json!({ "fields": [field_json(None, value)] })),
        },
        PigType::Tuple(fields_of) => (110, inner_json(fields_of.as_ref())),
        PigType::Bag { tuple_name, fields: fields_of } => {
            let tuple = PigType::Tuple(fields_of.clone());
            (120, json!({ "fields": [field_json(tuple_name.as_deref(), &tuple)] }))
        }
        ty => {
            let code = CODES.iter().find(|(_, known)| known == ty).map_or(50, |(code, _)| *code);
            (code, Json::Null)
        }
    };
    json!({ "name": name, "type": code, "description": null, "schema": inner })
}

fn inner_json(schema: Option<&Schema>) -> Json {
    schema.map_or(Json::Null, |schema| json!({ "fields": fields(schema) }))
}

/// The schema beside the files of a path, if there is one.
///
/// # Errors
/// `Corrupt` if the file is none.
pub(crate) fn beside(path: &str) -> Result<Option<Schema>> {
    let path = Path::new(path.strip_prefix("file:").unwrap_or(path));
    let folder: PathBuf =
        if path.is_dir() { path.to_owned() } else { path.parent().unwrap_or(path).to_owned() };
    let file = folder.join(SCHEMA_FILE);
    let text = match std::fs::read_to_string(&file) {
        Ok(text) => text,
        Err(error)
            if matches!(error.kind(), std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory) =>
        {
            return Ok(None);
        }
        Err(error) => {
            let text = format!("{} cannot be read: {error}", file.display());
            return Err(PigError::new(PigErrorKind::Unavailable, text).with_source(error));
        }
    };
    let corrupt =
        || PigError::new(PigErrorKind::Corrupt, format!("{} is no schema of Pig's", file.display()));
    let json: Json = serde_json::from_str(&text).map_err(|error| corrupt().with_source(error))?;
    from_json(&json).map(Some).ok_or_else(corrupt)
}

fn from_json(json: &Json) -> Option<Schema> {
    let fields = json.get("fields")?.as_array()?;
    fields.iter().map(field_from).collect::<Option<Vec<_>>>().map(Schema::new)
}

fn field_from(json: &Json) -> Option<Field> {
    let inner = json.get("schema").filter(|schema| !schema.is_null());
    let ty = match json.get("type")?.as_u64()? {
        100 => match inner.and_then(from_json).as_ref().and_then(|schema| schema.fields.first()) {
            Some(value) => PigType::Map(Box::new(value.ty.clone())),
            None => PigType::untyped_map(),
        },
        110 => PigType::Tuple(inner.and_then(from_json)),
        120 => match inner.and_then(from_json).and_then(|schema| schema.fields.into_iter().next()) {
            Some(Field { name, ty: PigType::Tuple(fields) }) => PigType::Bag { tuple_name: name, fields },
            _ => PigType::Bag { tuple_name: None, fields: None },
        },
        50 => PigType::Bytearray(Unknown::Raw(Caster::Utf8)),
        code => CODES.iter().find(|(known, _)| *known == code)?.1.clone(),
    };
    let name = json.get("name").and_then(Json::as_str).map(str::to_owned);
    Some(Field { name, ty })
}

#[cfg(test)]
mod tests {
    use super::*;
    use ostracon_piglatin::types::describe;

    #[test]
    fn schemas_come_back_as_they_were_written() {
        let schema = Schema::new(vec![
            Field::named("a", PigType::Int),
            Field::named("t", PigType::Tuple(Some(Schema::new(vec![Field::named("x", PigType::Double)])))),
            Field::named("b", PigType::bag(Schema::new(vec![Field::unnamed(PigType::Chararray)]))),
            Field::named("m", PigType::Map(Box::new(PigType::Long))),
            Field::named("n", PigType::untyped_map()),
            Field::unnamed(PigType::Datetime),
        ]);
        let read = from_json(&serde_json::from_str(&to_json(&schema)).unwrap()).unwrap();
        assert_eq!(describe("r", Some(&read)), describe("r", Some(&schema)));
        assert!(from_json(&json!({ "fields": [{ "type": 7 }] })).is_none());
    }
}
