//! Tests of the parts. Whole tables are tested over files, in the root crate's `tests/parquet.rs` and `tests/slt`.

mod convert;
mod merge;
mod widen;
