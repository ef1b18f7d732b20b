//! Types of columns that come from several relations (N48, N50).

use crate::types::text::told_apart;
use crate::types::{Field, PigType, Schema, TypeProblem, join_unknown, larger, type_name};

/// The type of a column of UNION.
///
/// # Errors
/// If the types have nothing in common.
pub fn merge_union(left: &PigType, right: &PigType) -> Result<PigType, TypeProblem> {
    use PigType::{Bag, Bytearray, Map, Tuple};
    Ok(match (left, right) {
        (Bytearray(l), Bytearray(r)) => Bytearray(join_unknown(*l, *r)),
        (Bytearray(_), other) | (other, Bytearray(_)) => other.clone(),
        _ if left.same_shape(right) => left.clone(),
        (Tuple(_), Tuple(_)) => Tuple(None),
        (Bag { .. }, Bag { .. }) => Bag { tuple_name: None, fields: None },
        (Map(_), Map(_)) => PigType::untyped_map(),
        _ => larger(left, right).ok_or_else(|| {
            let text = format!("a column of UNION is {} and {}", type_name(left), type_name(right));
            TypeProblem::new(text).help("cast one of them in a FOREACH before")
        })?,
    })
}

/// The type that keys of a JOIN or COGROUP meet in.
///
/// # Errors
/// If the types have nothing in common.
pub fn merge_keys(left: &PigType, right: &PigType) -> Result<PigType, TypeProblem> {
    use PigType::Bytearray;
    Ok(match (left, right) {
        (Bytearray(l), Bytearray(r)) => Bytearray(join_unknown(*l, *r)),
        (Bytearray(_), other) | (other, Bytearray(_)) => other.clone(),
        _ if left.same_shape(right) => left.clone(),
        _ => larger(left, right).ok_or_else(|| {
            let (left, right) = told_apart(left, right);
            TypeProblem::new(format!("the keys are {left} and {right}")).help("cast one of them")
        })?,
    })
}

/// The schema of UNION of relations of one width; the names are those of the first.
///
/// # Errors
/// As [`merge_union`].
pub fn merge_schemas(left_schema: &Schema, right: &Schema) -> Result<Schema, TypeProblem> {
    let fields = left_schema.fields.iter().zip(&right.fields).map(|(left, right)| {
        // A name of the second is taken only where the first has none, here and elsewhere.
        let free = |name: &String| left_schema.fields.iter().all(|field| field.name.as_ref() != Some(name));
        let name = left.name.clone().or_else(|| right.name.clone().filter(free));
        Ok(Field { name, ty: merge_union(&left.ty, &right.ty)? })
    });
    fields.collect::<Result<_, _>>().map(Schema::new)
}
