//! Parameters, imports and macros: from the text that a user wrote to the statements of [`crate::ast::Script`].
//!
//! A file goes through [`Parameters`] first, as text. Then it is parsed; files that it imports are read through a
//! [`ScriptReader`], and each call of a macro becomes the statements of its body, with arguments put in as text and names
//! of its own renamed. The source map keeps the way back for every byte.

mod directive;
mod expand;
mod outside;
mod parameters;
mod rename;
mod script;
mod substitute;

pub use outside::{CommandRunner, Isolated, ScriptReader};
pub use parameters::Parameters;
pub use script::{Parsed, Progress, ScriptParser, parse_script};
