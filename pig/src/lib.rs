//! Pig Latin on DataFusion: typed plans of [`ostracon_piglatin`] as DataFusion plans, with what they load and store.
//!
//! * [`engine`]: from a script's text to its results;
//! * [`plan`], [`run`]: relations as DataFusion plans, and the steps that ask for them;
//! * [`columns`]: how Pig's values lie in Arrow arrays;
//! * [`constructors`]: load and store functions by name; programs register theirs;
//! * [`load`], [`store`]: load and store functions, and the tables of a catalog, behind traits;
//! * [`warnings`]: what became null, counted by kind; [`progress`]: how far a run is.
//!
//! The crate knows no storage handler: tables come through [`load::TableCatalog`].

pub mod columns;
pub mod constructors;
pub mod engine;
pub mod error;
pub mod load;
pub mod plan;
pub mod progress;
pub mod run;
pub mod store;
pub mod warnings;
