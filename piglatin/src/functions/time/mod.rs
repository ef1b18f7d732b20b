//! Functions of datetimes, as Joda-Time computes them in the zone of the value.

mod convert;
mod duration;
mod format;
mod local;
mod parse;
mod parts;
mod pattern;
mod zone;

use crate::functions::builtin::Definition;

pub(super) fn functions() -> Vec<Definition> {
    let mut functions = convert::functions();
    functions.extend(parts::functions());
    functions.extend(duration::functions());
    functions
}
