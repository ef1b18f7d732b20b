//! Parquet tables over files: some in `tests/data/parquet`, some written here value by value.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking, its helpers too")]

mod answers;
mod broken;
mod files;
mod flavours;
mod pig;
mod random;
mod reads;
mod session;
