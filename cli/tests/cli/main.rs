//! The real binary: what it writes to stdout and stderr, and its exit status.

mod demo;
mod errors;
mod formats;
mod load;
mod store;
mod support;
