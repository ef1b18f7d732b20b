//! Pig's built-in evaluation functions, and the registry in which users add their own.
//!
//! Every function has the name, the overloads, the results and the nulls of Pig (`org.apache.pig.builtin`). Where Pig
//! ends the run because of a value, the result is null and a warning of kind
//! [`Function`](crate::value::WarningKind::Function).

mod aggregate;
mod bag;
mod builtin;
mod collection;
mod concat;
mod extreme;
mod math;
mod pluck;
mod registry;
mod signature;
#[cfg(test)]
mod tests;
mod text;
mod time;

pub use registry::{Constructor, FunctionRegistry, RegistryError};

use builtin::Definition;

/// All built-ins.
fn all() -> Vec<Definition> {
    let mut all = aggregate::functions();
    all.extend(extreme::functions());
    all.extend(bag::functions());
    all.extend(collection::functions());
    all.extend(concat::functions());
    all.extend(math::functions());
    all.extend(pluck::functions());
    all.extend(text::functions());
    all.extend(time::functions());
    all
}
