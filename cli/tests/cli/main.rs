//! The real binary: what it writes to stdout and stderr, and its exit status.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a helper of a test may panic as a test does")]

mod demo;
mod errors;
mod formats;
mod load;
mod store;
mod support;
