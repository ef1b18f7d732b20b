//! Marker leaves: where no field of a struct is read, one leaf of it tells where the struct itself is null.

use parquet::basic::Repetition;
use parquet::schema::types::TypePtr;

use crate::error::ClipError;
use crate::shape::{Shape, children, leaves, repetition, shape};
use crate::types::{group, list, renamed};

/// The name of the field that a marker leaf is in.
pub const MARKER: &str = "__marker";

/// A leaf that may serve as marker: those below a repeated field come last, the smallest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Candidate {
    is_repeated: bool,
    weight: u64,
    leaf: usize,
}

/// The field of a footer that holds the marker leaf of a struct, and the leaf's number in the file.
pub(crate) fn marker(
    fields: &[TypePtr],
    first_leaf: usize,
    weight: &dyn Fn(usize) -> u64,
    path: &[String],
) -> Result<Option<(TypePtr, usize)>, ClipError> {
    let mut best: Option<Candidate> = None;
    let mut leaf = first_leaf;
    for field in fields {
        consider(field, &mut leaf, false, weight, &mut best);
    }
    let Some(best) = best else { return Ok(None) };
    let mut leaf = first_leaf;
    for field in fields {
        let next = leaf + leaves(field);
        if (leaf..next).contains(&best.leaf) {
            return Ok(Some((only(field, leaf, best.leaf, MARKER, false, path)?, best.leaf)));
        }
        leaf = next;
    }
    Ok(None)
}

fn consider(
    field: &TypePtr,
    leaf: &mut usize,
    is_repeated: bool,
    weight: &dyn Fn(usize) -> u64,
    best: &mut Option<Candidate>,
) {
    let is_repeated = is_repeated || repetition(field) == Repetition::REPEATED;
    if field.is_primitive() {
        let candidate = Candidate { is_repeated, weight: weight(*leaf), leaf: *leaf };
        if best.is_none_or(|best| candidate < best) {
            *best = Some(candidate);
        }
        *leaf += 1;
        return;
    }
    for child in children(field) {
        consider(child, leaf, is_repeated, weight, best);
    }
}

/// A field with one of its leaves. Levels stay as they are: entries of maps are lists of structs here.
fn only(
    field: &TypePtr,
    first_leaf: usize,
    wanted: usize,
    name: &str,
    is_element: bool,
    path: &[String],
) -> Result<TypePtr, ClipError> {
    let own = match repetition(field) {
        Repetition::REPEATED => Repetition::REQUIRED,
        other => other,
    };
    match shape(field, is_element, path)? {
        Shape::Primitive => renamed(field, name, own, path),
        Shape::Struct => {
            let child = only_child(children(field), first_leaf, wanted, path)?;
            group(name, own, vec![child], path)
        }
        Shape::List(of) => {
            let element = match of.is_element {
                true => only(of.repeated, first_leaf, wanted, "element", true, path)?,
                false => only(of.element(), first_leaf, wanted, "element", false, path)?,
            };
            list(name, own, element, path)
        }
        Shape::Map(of) => {
            let child = only_child(children(of.entries), first_leaf, wanted, path)?;
            let entry = group("element", Repetition::REQUIRED, vec![child], path)?;
            list(name, own, entry, path)
        }
    }
}

fn only_child(
    fields: &[TypePtr],
    first_leaf: usize,
    wanted: usize,
    path: &[String],
) -> Result<TypePtr, ClipError> {
    let mut leaf = first_leaf;
    for field in fields {
        let next = leaf + leaves(field);
        if wanted < next {
            return only(field, leaf, wanted, field.name(), false, path);
        }
        leaf = next;
    }
    Err(ClipError::new(path, crate::error::Reason::Malformed("a group has fields".to_owned())))
}
