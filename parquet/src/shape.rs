//! How a field of a message type reads: the rules of the format for lists and maps, old ones included.

use parquet::basic::{ConvertedType, LogicalType, Repetition};
use parquet::schema::types::{Type, TypePtr};

use crate::error::{ClipError, Reason};

/// What a field is.
#[derive(Debug)]
pub(crate) enum Shape<'t> {
    Primitive,
    Struct,
    List(List<'t>),
    Map(Map<'t>),
}

/// A list in any of its forms.
#[derive(Debug, Clone, Copy)]
pub(crate) struct List<'t> {
    /// The repeated field.
    pub(crate) repeated: &'t TypePtr,
    /// Whether the repeated field is the element; else its only field is.
    pub(crate) is_element: bool,
    /// Whether a group around it says that it is a list; else the repeated field stands alone.
    pub(crate) annotated: bool,
}

impl<'t> List<'t> {
    /// The element.
    pub(crate) fn element(&self) -> &'t TypePtr {
        match (self.is_element, self.repeated.as_ref()) {
            (false, Type::GroupType { fields, .. }) => fields.first().unwrap_or(self.repeated),
            _ => self.repeated,
        }
    }
}

/// A map in any of its forms.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Map<'t> {
    /// The repeated group of key and value.
    pub(crate) entries: &'t TypePtr,
    pub(crate) key: &'t TypePtr,
    /// Some writers leave it out.
    pub(crate) value: Option<&'t TypePtr>,
}

/// The fields of a group; none of a primitive.
pub(crate) fn children(field: &Type) -> &[TypePtr] {
    match field {
        Type::GroupType { fields, .. } => fields,
        Type::PrimitiveType { .. } => &[],
    }
}

pub(crate) fn repetition(field: &Type) -> Repetition {
    let info = field.get_basic_info();
    if info.has_repetition() { info.repetition() } else { Repetition::REQUIRED }
}

fn is_list(field: &Type) -> bool {
    let info = field.get_basic_info();
    info.converted_type() == ConvertedType::LIST || matches!(info.logical_type_ref(), Some(LogicalType::List))
}

fn is_map(field: &Type) -> bool {
    let info = field.get_basic_info();
    matches!(info.converted_type(), ConvertedType::MAP | ConvertedType::MAP_KEY_VALUE)
        || matches!(info.logical_type_ref(), Some(LogicalType::Map))
}

/// What a field is. `is_element`: it is repeated, and the list that it makes was already seen.
pub(crate) fn shape<'t>(
    field: &'t TypePtr,
    is_element: bool,
    path: &[String],
) -> Result<Shape<'t>, ClipError> {
    if repetition(field) == Repetition::REPEATED && !is_element {
        return Ok(Shape::List(List { repeated: field, is_element: true, annotated: false }));
    }
    let malformed = |what: &str| ClipError::new(path, Reason::Malformed(what.to_owned()));
    match field.as_ref() {
        Type::PrimitiveType { .. } => Ok(Shape::Primitive),
        Type::GroupType { fields, .. } if is_list(field) => match fields.as_slice() {
            [repeated] if repetition(repeated) == Repetition::REPEATED => {
                let is_element = repeats_elements(field, repeated);
                Ok(Shape::List(List { repeated, is_element, annotated: true }))
            }
            _ => Err(malformed("a LIST group has one field, which is repeated")),
        },
        Type::GroupType { fields, .. } if is_map(field) => match fields.as_slice() {
            [entries] if repetition(entries) == Repetition::REPEATED => match children(entries) {
                [key, value] => Ok(Shape::Map(Map { entries, key, value: Some(value) })),
                [key] => Ok(Shape::Map(Map { entries, key, value: None })),
                _ => Err(malformed("the entries of a MAP are a group of key and value")),
            },
            _ => Err(malformed("a MAP group has one field, which is repeated")),
        },
        Type::GroupType { fields, .. } if fields.is_empty() => Err(malformed("a group has fields")),
        Type::GroupType { .. } => Ok(Shape::Struct),
    }
}

/// Whether the repeated field of a LIST is its element (rules 1 to 4 of the format); else its only field is.
fn repeats_elements(list: &Type, repeated: &Type) -> bool {
    match children(repeated) {
        [only] => {
            is_list(repeated)
                || is_map(repeated)
                || repetition(only) == Repetition::REPEATED
                || repeated.name() == "array"
                || repeated.name() == format!("{}_tuple", list.name())
        }
        // A primitive, or a group of several fields.
        _ => true,
    }
}

/// How many leaves a field has.
pub(crate) fn leaves(field: &Type) -> usize {
    match field {
        Type::PrimitiveType { .. } => 1,
        Type::GroupType { fields, .. } => fields.iter().map(|field| leaves(field)).sum(),
    }
}

/// What a shape is, for errors.
pub(crate) fn kind(field: &Type, shape: &Shape<'_>) -> String {
    match (shape, field) {
        (Shape::Primitive, Type::PrimitiveType { physical_type, .. }) => physical_type.to_string(),
        (Shape::Primitive | Shape::Struct, _) => "a struct".to_owned(),
        (Shape::List(_), _) => "a list".to_owned(),
        (Shape::Map(map), _) if map.value.is_none() => "a map without values".to_owned(),
        (Shape::Map(_), _) => "a map".to_owned(),
    }
}
