//! Which casts there are, as far as types tell (N12 to N19).

use crate::types::{Caster, PigType, Schema, TypeProblem, Unknown, type_name};

/// Whether values of a type may be cast to another; what a single value does not allow shows at run time.
///
/// # Errors
/// If there is no such cast: the two types, or the parts of them, that do not go together.
pub fn check_cast(from: &PigType, to: &PigType) -> Result<(), TypeProblem> {
    use PigType::{Bag, Boolean, Bytearray, Chararray, Datetime, Long, Map, Tuple};
    let refused = || {
        let text = format!("{} cannot be cast to {}", type_name(from), type_name(to));
        Err(TypeProblem::new(text))
    };
    match (from, to) {
        (Bytearray(Unknown::Raw(Caster::None)), to) if !to.is_unknown() => {
            let text = format!(
                "the load function does not turn its bytes into values: no cast to {}",
                type_name(to)
            );
            Err(TypeProblem::new(text))
        }
        (Bytearray(_), _) => Ok(()),
        (_, Bytearray(_)) => refused(),
        (Tuple(from), Tuple(to)) => fields(from.as_ref(), to.as_ref()),
        (Bag { fields: from, .. }, Bag { fields: to, .. }) => fields(from.as_ref(), to.as_ref()),
        (Map(from), Map(to)) => match to.as_ref() {
            Bytearray(_) => Ok(()),
            to => check_cast(from, to),
        },
        (from, to) if from.is_complex() || to.is_complex() => refused(),
        (Boolean, Datetime) | (Datetime, Boolean) => refused(),
        (Long | Chararray | Datetime, Datetime) => Ok(()),
        (_, Datetime) => refused(),
        _ => Ok(()),
    }
}

fn fields(from: Option<&Schema>, to: Option<&Schema>) -> Result<(), TypeProblem> {
    // What is not known is looked at when it is there.
    let (Some(from), Some(to)) = (from, to) else { return Ok(()) };
    let (has, wants) = (from.fields.len(), to.fields.len());
    if has != wants {
        return Err(TypeProblem::new(format!(
            "a tuple of width {has} cannot be cast to a tuple of width {wants}"
        )));
    }
    from.fields.iter().zip(&to.fields).try_for_each(|(from, to)| check_cast(&from.ty, &to.ty))
}

/// The type of a cast's result: a target that says nothing of its parts keeps what is known of them.
#[must_use]
pub fn cast_result(from: &PigType, to: &PigType) -> PigType {
    match (from, to) {
        (PigType::Tuple(Some(_)), PigType::Tuple(None)) => from.clone(),
        (PigType::Bag { fields: Some(_), .. }, PigType::Bag { fields: None, .. }) => from.clone(),
        (PigType::Map(_), PigType::Map(to)) if to.is_unknown() => from.clone(),
        _ => to.clone(),
    }
}
