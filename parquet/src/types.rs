//! Message types with other names, repetitions or fields.

use std::sync::Arc;

use parquet::basic::{ConvertedType, LogicalType, Repetition};
use parquet::schema::types::{Type, TypePtr};

use crate::error::{ClipError, Reason};

/// A field with another name and repetition, without an id, as readers shall see it.
pub(crate) fn renamed(
    leaf: &Type,
    name: &str,
    repetition: Repetition,
    path: &[String],
) -> Result<TypePtr, ClipError> {
    let Type::PrimitiveType { basic_info, physical_type, type_length, scale, precision } = leaf else {
        return Err(ClipError::new(path, Reason::Malformed("a leaf is no group".to_owned())));
    };
    Type::primitive_type_builder(name, *physical_type)
        .with_repetition(repetition)
        .with_converted_type(basic_info.converted_type())
        .with_logical_type(basic_info.logical_type_ref().cloned())
        .with_length(*type_length)
        .with_precision(*precision)
        .with_scale(*scale)
        .build()
        .map(Arc::new)
        .map_err(|error| ClipError::new(path, Reason::Malformed(error.to_string())))
}

/// A group of the file with other fields, everything else as it is.
pub(crate) fn with_fields(group: &Type, fields: Vec<TypePtr>, path: &[String]) -> Result<TypePtr, ClipError> {
    let info = group.get_basic_info();
    let mut builder = Type::group_type_builder(group.name())
        .with_converted_type(info.converted_type())
        .with_logical_type(info.logical_type_ref().cloned())
        .with_id(info.has_id().then(|| info.id()))
        .with_fields(fields);
    if info.has_repetition() {
        builder = builder.with_repetition(info.repetition());
    }
    built(builder, path)
}

/// A struct.
pub(crate) fn group(
    name: &str,
    repetition: Repetition,
    fields: Vec<TypePtr>,
    path: &[String],
) -> Result<TypePtr, ClipError> {
    built(Type::group_type_builder(name).with_repetition(repetition).with_fields(fields), path)
}

/// A list in the standard form, of an element called `element`.
///
/// Every other form has the same levels as this one: an element that is the repeated field itself is a required one.
pub(crate) fn list(
    name: &str,
    repetition: Repetition,
    element: TypePtr,
    path: &[String],
) -> Result<TypePtr, ClipError> {
    let repeated = group("list", Repetition::REPEATED, vec![element], path)?;
    let outer = Type::group_type_builder(name)
        .with_repetition(repetition)
        .with_converted_type(ConvertedType::LIST)
        .with_logical_type(Some(LogicalType::List))
        .with_fields(vec![repeated]);
    built(outer, path)
}

/// A map in the standard form, of fields called `key` and `value`.
pub(crate) fn map(
    name: &str,
    repetition: Repetition,
    key: TypePtr,
    value: TypePtr,
    path: &[String],
) -> Result<TypePtr, ClipError> {
    let entries = group("key_value", Repetition::REPEATED, vec![key, value], path)?;
    let outer = Type::group_type_builder(name)
        .with_repetition(repetition)
        .with_converted_type(ConvertedType::MAP)
        .with_logical_type(Some(LogicalType::Map))
        .with_fields(vec![entries]);
    built(outer, path)
}

fn built(
    builder: parquet::schema::types::GroupTypeBuilder<'_>,
    path: &[String],
) -> Result<TypePtr, ClipError> {
    builder.build().map(Arc::new).map_err(|error| ClipError::new(path, Reason::Malformed(error.to_string())))
}
