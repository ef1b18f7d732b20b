use std::fmt::Write as _;

use crate::types::{Field, PigType, Schema};

/// The name of a type for messages, without its parts: `int`, `tuple`.
#[must_use]
pub fn type_name(ty: &PigType) -> &'static str {
    match ty {
        PigType::Boolean => "boolean",
        PigType::Int => "int",
        PigType::Long => "long",
        PigType::Float => "float",
        PigType::Double => "double",
        PigType::Datetime => "datetime",
        PigType::Bytearray(_) => "bytearray",
        PigType::Chararray => "chararray",
        PigType::BigInteger => "biginteger",
        PigType::BigDecimal => "bigdecimal",
        PigType::Tuple(_) => "tuple",
        PigType::Bag { .. } => "bag",
        PigType::Map(_) => "map",
    }
}

/// What `DESCRIBE` prints of a relation.
#[must_use]
pub fn describe(alias: &str, schema: Option<&Schema>) -> String {
    match schema {
        None => format!("Schema for {alias} unknown."),
        Some(schema) => {
            let mut out = format!("{alias}: {{");
            write_fields(schema, &mut out);
            out.push('}');
            out
        }
    }
}

/// A type with its parts, as `DESCRIBE` prints it: `(x: int)`, `{t: (n: int)}`, `map[int]`.
#[must_use]
pub fn describe_type(ty: &PigType) -> String {
    let mut out = String::new();
    write_type(ty, &mut out);
    out
}

fn write_fields(schema: &Schema, out: &mut String) {
    for (index, Field { name, ty }) in schema.fields.iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        if let Some(name) = name {
            // Writing to a String cannot fail, here and below.
            let _ = write!(out, "{name}: ");
        }
        write_type(ty, out);
    }
}

fn write_type(ty: &PigType, out: &mut String) {
    match ty {
        PigType::Tuple(schema) => {
            out.push('(');
            schema.iter().for_each(|schema| write_fields(schema, out));
            out.push(')');
        }
        PigType::Bag { tuple_name, fields } => {
            out.push('{');
            if let Some(name) = tuple_name {
                let _ = write!(out, "{name}: ");
            }
            out.push('(');
            fields.iter().for_each(|schema| write_fields(schema, out));
            out.push_str(")}");
        }
        PigType::Map(value) => match value.as_ref() {
            PigType::Bytearray(_) => out.push_str("map[]"),
            value => {
                out.push_str("map[");
                write_type(value, out);
                out.push(']');
            }
        },
        other => out.push_str(type_name(other)),
    }
}

/// The names of two types that do not go together, with their parts where the names alone are the same.
pub(super) fn told_apart(left: &PigType, right: &PigType) -> (String, String) {
    let whole = |ty: &PigType| match ty {
        PigType::Tuple(_) | PigType::Bag { .. } => format!("{} {}", type_name(ty), describe_type(ty)),
        ty => describe_type(ty),
    };
    match type_name(left) == type_name(right) {
        true => (whole(left), whole(right)),
        false => (type_name(left).to_owned(), type_name(right).to_owned()),
    }
}
