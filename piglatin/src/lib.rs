//! Pig Latin without an engine: the text of a script, its types, and the values its expressions work on.
//!
//! A script becomes a plan in three steps, each pure:
//!
//! 1. [`preprocess`], [`lex`], [`ast`], [`source`]: text, after parameters and macros, to a tree of statements with a
//!    place on every node;
//! 2. [`types`], [`logical`]: names resolved, operators chosen by tables, casts inserted: a plan whose every expression
//!    has a type;
//! 3. [`value`], [`evaluate`]: what the expressions of such a plan mean, one row at a time. Engines may be faster; they
//!    may not differ.
//!
//! [`functions`] are the built-in evaluation functions, on the same values.
//!
//! The crate does no I/O and knows no DataFusion. Where it follows a document, the documentation names it: the rules
//! N1 to N51 are those of `docs/pig-latin.md`.

pub mod ast;
pub mod check;
pub mod evaluate;
pub mod functions;
pub mod lex;
pub mod logical;
mod parse;
pub mod preprocess;
pub mod source;
pub mod types;
pub mod value;

pub use preprocess::{Parsed, Progress, ScriptParser, parse_script};
