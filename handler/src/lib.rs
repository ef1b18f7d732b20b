//! The storage handler: tables of the tablet store as DataFusion sees them.
//!
//! In the order data meets them: [`properties::TableProperties`] and [`mapping::ColumnMapping`] (what a
//! `CREATE TABLE` says) make a [`definition::TableDefinition`]; [`rows::RowEncoder`] turns record batches into
//! mutations and [`rows::RowDecoder`] turns rows of cells into record batches; [`predicate::decompose`] decides,
//! purely, which part of a filter becomes row ranges, which a row filter, and which stays with DataFusion.
//!
//! This crate stores nothing itself: bytes are kept by `ostracon_tablets`.

pub mod definition;
pub mod error;
pub mod mapping;
pub mod predicate;
pub mod properties;
pub mod rows;
pub mod statement;
mod suggest;

pub use error::{ErrorKind, HandlerError, Result};
