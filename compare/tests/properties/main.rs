//! Properties of values, keys and predicates, each against a model that shares no code with the crate: Arrow's own
//! kernels where they exist, else the plainest possible reading of the rule.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod casts;
mod cells;
mod exact;
mod keys;
mod like;
mod nested;
mod nested_column;
mod ranges;
mod values;
