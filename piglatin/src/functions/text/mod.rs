//! Functions of chararrays. Where places in a text count, they count UTF-16 units, as Java's do.

mod case;
mod patterns;
mod regex;
mod search;
mod split;
mod sprintf;

use crate::functions::builtin::Definition;

pub(super) use search::utf16_length;

pub(super) fn functions() -> Vec<Definition> {
    let mut functions = case::functions();
    functions.extend(regex::functions());
    functions.extend(search::functions());
    functions.extend(split::functions());
    functions.extend(sprintf::functions());
    functions
}
