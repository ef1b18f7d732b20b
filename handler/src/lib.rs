//! The storage handler: tables of the tablet store as DataFusion sees them.
//!
//! In the order data meets them: a text is cut and parsed by [`statement`] and run by
//! [`execute::StatementExecutor`]; CREATE and DROP go through [`ddl`] to a [`storage::StorageHandler`] and the
//! [`catalog`]. [`properties::TableProperties`] and [`mapping::ColumnMapping`] (what a `CREATE TABLE` says) make a
//! [`definition::TableDefinition`]; a [`provider::TabletTableProvider`] shows it to the planner;
//! [`predicate::decompose`] decides, purely, which part of a filter becomes row ranges, which a row filter, and which
//! stays with DataFusion; a [`scan::TabletScanExec`] reads, and [`rows::RowDecoder`] turns rows of cells into record
//! batches. On the way back [`dml`] plans UPDATE and DELETE, [`rows::RowEncoder`] turns record batches into mutations,
//! and a [`write::TabletWriteExec`] commits them as one. [`load`] and [`export`] are files in and out, [`parquet`] reads
//! tables over Parquet files. Around all of this
//! lead two short ways: [`lookup`] for rows by key, [`prepared`] for statements that are run again and again.
//!
//! [`register`] puts all of it into a `SessionContext` of one's own. This crate stores nothing itself: bytes are kept by
//! `ostracon_tablets`.

pub mod aggregate;
pub mod catalog;
mod classify;
mod copy;
pub mod ddl;
pub mod definition;
pub mod dml;
pub mod error;
pub mod execute;
pub mod export;
#[cfg(test)]
mod generate;
pub mod load;
pub mod lookup;
pub mod mapping;
pub mod parquet;
pub mod predicate;
pub mod prepared;
pub mod properties;
pub mod provider;
mod register;
pub mod rows;
pub mod scan;
pub mod settings;
pub mod statement;
pub mod storage;
mod store_errors;
pub mod store_handle;
mod suggest;
mod value_names;
pub mod write;

pub use error::{ErrorKind, HandlerError, Result};
pub use register::{register, register_as};
