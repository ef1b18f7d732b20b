//! [`clip`]: a message type held against a requested schema.

use std::collections::BTreeSet;
use std::sync::Arc;

use parquet::basic::{Repetition, Type as PhysicalType};
use parquet::schema::types::{Type, TypePtr};

use crate::error::{ClipError, Reason};
use crate::marker::marker;
use crate::requested::{RequestedField, RequestedSchema, RequestedType};
use crate::shape::{List, Map, Shape, children, kind, leaves, repetition, shape};
use crate::synthesis::absent;
use crate::types::{group, list, map, renamed, with_fields};

/// How names are held against each other. A requested field with an id is found by its id alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Matching {
    /// Names are the same.
    Exact,
    /// Names are the same in lower case; several such fields are an error where one is asked for.
    CaseInsensitive,
}

/// What of a file answers a request.
#[derive(Debug, Clone, PartialEq)]
pub struct Clipped {
    /// The file's names and annotations in the order asked for, with what the file lacks added in the standard form.
    pub message: TypePtr,
    /// What there is to read, under the names asked for, lists and maps in the standard form, marker leaves included.
    pub readable: TypePtr,
    /// For each leaf of `readable`, its number in the file.
    pub leaves: Vec<usize>,
    /// The fields that the file lacks: `s.a`, `l.element.b`.
    pub absent: Vec<String>,
    /// The structs of which nothing is read but a marker leaf, in a field called [`crate::MARKER`].
    pub marked: Vec<String>,
}

/// Holds a message type against a request.
///
/// # Errors
/// Where names or ids are ambiguous, the file has something of another kind, or its type breaks the format's rules.
pub fn clip(file: &Type, requested: &RequestedSchema, matching: Matching) -> Result<Clipped, ClipError> {
    let physical = leaf_types(file);
    let weight = |leaf: usize| physical.get(leaf).copied().map_or(u64::MAX, width);
    clip_weighed(file, requested, matching, &weight)
}

/// As [`clip`]; of leaves that may mark a struct, one of the least weight is taken.
pub(crate) fn clip_weighed(
    file: &Type,
    requested: &RequestedSchema,
    matching: Matching,
    weight: &dyn Fn(usize) -> u64,
) -> Result<Clipped, ClipError> {
    let mut names = BTreeSet::new();
    all_names(file, &mut names);
    let mut clipper =
        Clipper { matching, weight, names, leaves: Vec::new(), absent: Vec::new(), marked: Vec::new() };
    let (shown, readable) = clipper.fields(children(file), 0, &requested.fields, &mut Vec::new())?;
    Ok(Clipped {
        message: with_fields(file, shown, &[])?,
        readable: with_fields(file, readable, &[])?,
        leaves: clipper.leaves,
        absent: clipper.absent,
        marked: clipper.marked,
    })
}

/// A request of everything that a file has, column by column.
#[must_use]
pub fn whole(file: &Type) -> RequestedSchema {
    let columns = children(file).iter().map(|field| RequestedField::new(field.name(), RequestedType::Whole));
    RequestedSchema { fields: columns.collect() }
}

/// A field as it is shown, and as it is read.
type Pair = (TypePtr, TypePtr);

struct Clipper<'w> {
    matching: Matching,
    weight: &'w dyn Fn(usize) -> u64,
    /// All names of the file.
    names: BTreeSet<String>,
    leaves: Vec<usize>,
    absent: Vec<String>,
    marked: Vec<String>,
}

impl Clipper<'_> {
    /// The requested ones of some fields: as they are shown, and those that can be read.
    fn fields(
        &mut self,
        fields: &[TypePtr],
        first_leaf: usize,
        requested: &[RequestedField],
        path: &mut Vec<String>,
    ) -> Result<(Vec<TypePtr>, Vec<TypePtr>), ClipError> {
        let (mut shown, mut readable) = (Vec::with_capacity(requested.len()), Vec::new());
        for wanted in requested {
            path.push(wanted.name.clone());
            match self.found(fields, wanted, path)? {
                Some(index) => {
                    let before: usize = fields.iter().take(index).map(|field| leaves(field)).sum();
                    let field = fields.get(index).ok_or_else(|| {
                        ClipError::new(path, Reason::Malformed("a field was due".to_owned()))
                    })?;
                    let pair = self.field(field, first_leaf + before, wanted, false, &wanted.name, path)?;
                    shown.push(pair.0);
                    readable.push(pair.1);
                }
                None => {
                    self.absent.push(path.join("."));
                    let name = match wanted.id {
                        Some(id) => self.unused_name(id),
                        None => wanted.name.clone(),
                    };
                    shown.push(absent(wanted, &name, path)?);
                }
            }
            path.pop();
        }
        Ok((shown, readable))
    }

    /// Which of the fields is wanted.
    fn found(
        &self,
        fields: &[TypePtr],
        wanted: &RequestedField,
        path: &[String],
    ) -> Result<Option<usize>, ClipError> {
        let lower = wanted.name.to_lowercase();
        let is_wanted = |field: &TypePtr| match (wanted.id, self.matching) {
            (Some(id), _) => {
                let info = field.get_basic_info();
                info.has_id() && info.id() == id
            }
            (None, Matching::Exact) => field.name() == wanted.name,
            (None, Matching::CaseInsensitive) => field.name().to_lowercase() == lower,
        };
        let found: Vec<usize> =
            fields.iter().enumerate().filter(|(_, field)| is_wanted(field)).map(|(index, _)| index).collect();
        match found.as_slice() {
            [] => Ok(None),
            [only] => Ok(Some(*only)),
            several => {
                let names = several.iter().filter_map(|index| fields.get(*index));
                let names = names.map(|field| field.name().to_owned()).collect();
                Err(ClipError::new(
                    path,
                    match wanted.id {
                        Some(id) => Reason::AmbiguousId(id, names),
                        None => Reason::Ambiguous(names),
                    },
                ))
            }
        }
    }

    /// A name that no field of the file has: a field with an id that the file lacks must not be found by its name.
    fn unused_name(&self, id: i32) -> String {
        let mut name = format!("_absent_{id}");
        while self.names.contains(&name) {
            name.push('_');
        }
        name
    }

    /// A field of the file that is wanted. `is_element`: it is repeated, and the list that it makes was already seen.
    fn field(
        &mut self,
        field: &TypePtr,
        leaf: usize,
        wanted: &RequestedField,
        is_element: bool,
        name: &str,
        path: &mut Vec<String>,
    ) -> Result<Pair, ClipError> {
        let own = match repetition(field) {
            Repetition::REPEATED => Repetition::REQUIRED,
            other => other,
        };
        let found = shape(field, is_element, path)?;
        match (&found, &wanted.ty) {
            (Shape::Primitive, RequestedType::Primitive(_) | RequestedType::Whole) => {
                self.leaves.push(leaf);
                Ok((Arc::clone(field), renamed(field, name, own, path)?))
            }
            (Shape::Struct, RequestedType::Struct(fields)) => {
                let (shown, mut readable) = self.fields(children(field), leaf, fields, path)?;
                if readable.is_empty()
                    && let Some((marker, leaf)) = marker(children(field), leaf, self.weight, path)?
                {
                    self.leaves.push(leaf);
                    self.marked.push(path.join("."));
                    readable.push(marker);
                }
                Ok((with_fields(field, shown, path)?, group(name, own, readable, path)?))
            }
            (Shape::Struct, RequestedType::Whole) => {
                let (mut shown, mut readable, mut leaf) = (Vec::new(), Vec::new(), leaf);
                for child in children(field) {
                    path.push(child.name().to_owned());
                    let pair = self.field(child, leaf, wanted, false, child.name(), path)?;
                    path.pop();
                    shown.push(pair.0);
                    readable.push(pair.1);
                    leaf += leaves(child);
                }
                Ok((with_fields(field, shown, path)?, group(name, own, readable, path)?))
            }
            (Shape::List(of), RequestedType::List(element)) => {
                self.list(field, *of, leaf, element, (name, own), path)
            }
            (Shape::List(of), RequestedType::Whole) => self.list(field, *of, leaf, wanted, (name, own), path),
            (Shape::Map(of), RequestedType::Map(key, value)) => match of.value {
                Some(_) => self.map(field, *of, leaf, (key, value), (name, own), path),
                None => Err(other_kind(field, &found, wanted, path)),
            },
            (Shape::Map(of), RequestedType::Whole) => match of.value {
                Some(_) => self.map(field, *of, leaf, (wanted, wanted), (name, own), path),
                None => self.keys(field, *of, leaf, wanted, (name, own), path),
            },
            (Shape::Map(of), RequestedType::List(element)) if of.value.is_none() => {
                self.keys(field, *of, leaf, element, (name, own), path)
            }
            _ => Err(other_kind(field, &found, wanted, path)),
        }
    }

    fn list(
        &mut self,
        field: &TypePtr,
        of: List<'_>,
        leaf: usize,
        element: &RequestedField,
        (name, own): (&str, Repetition),
        path: &mut Vec<String>,
    ) -> Result<Pair, ClipError> {
        path.push("element".to_owned());
        let (shown, readable) = self.field(of.element(), leaf, element, of.is_element, "element", path)?;
        path.pop();
        let shown = match (of.annotated, of.is_element) {
            (false, _) => shown,
            (true, true) => with_fields(field, vec![shown], path)?,
            (true, false) => with_fields(field, vec![with_fields(of.repeated, vec![shown], path)?], path)?,
        };
        Ok((shown, list(name, own, readable, path)?))
    }

    fn map(
        &mut self,
        field: &TypePtr,
        of: Map<'_>,
        leaf: usize,
        (key, value): (&RequestedField, &RequestedField),
        (name, own): (&str, Repetition),
        path: &mut Vec<String>,
    ) -> Result<Pair, ClipError> {
        let Some(values) = of.value else {
            return Err(ClipError::new(path, Reason::Malformed("a map has values".to_owned())));
        };
        path.push("key".to_owned());
        let key = self.field(of.key, leaf, key, false, "key", path)?;
        path.pop();
        path.push("value".to_owned());
        let value = self.field(values, leaf + leaves(of.key), value, false, "value", path)?;
        path.pop();
        let entries = with_fields(of.entries, vec![key.0, value.0], path)?;
        Ok((with_fields(field, vec![entries], path)?, map(name, own, key.1, value.1, path)?))
    }

    /// A map without values, which is a list of its keys.
    fn keys(
        &mut self,
        field: &TypePtr,
        of: Map<'_>,
        leaf: usize,
        element: &RequestedField,
        (name, own): (&str, Repetition),
        path: &mut Vec<String>,
    ) -> Result<Pair, ClipError> {
        path.push("element".to_owned());
        let key = self.field(of.key, leaf, element, false, "element", path)?;
        path.pop();
        let entries = with_fields(of.entries, vec![key.0], path)?;
        Ok((with_fields(field, vec![entries], path)?, list(name, own, key.1, path)?))
    }
}

fn other_kind(field: &Type, found: &Shape<'_>, wanted: &RequestedField, path: &[String]) -> ClipError {
    ClipError::new(path, Reason::OtherKind { found: kind(field, found), wanted: wanted.ty.kind() })
}

fn all_names(field: &Type, names: &mut BTreeSet<String>) {
    for child in children(field) {
        names.insert(child.name().to_owned());
        all_names(child, names);
    }
}

fn leaf_types(file: &Type) -> Vec<PhysicalType> {
    match file {
        Type::PrimitiveType { physical_type, .. } => vec![*physical_type],
        Type::GroupType { fields, .. } => fields.iter().flat_map(|field| leaf_types(field)).collect(),
    }
}

/// About how many bytes a value has.
fn width(ty: PhysicalType) -> u64 {
    match ty {
        PhysicalType::BOOLEAN => 1,
        PhysicalType::INT32 | PhysicalType::FLOAT => 4,
        PhysicalType::INT64 | PhysicalType::DOUBLE => 8,
        PhysicalType::INT96 => 12,
        PhysicalType::BYTE_ARRAY | PhysicalType::FIXED_LEN_BYTE_ARRAY => 16,
    }
}
