//! Parquet files with a requested schema.
//!
//! A table declares columns; every file is read as if it had just these. `CREATE EXTERNAL TABLE ... STORED AS PARQUET` makes
//! a [`ParquetTable`] through [`ParquetTableFactory`]. It is DataFusion's table over files with a format of its own in it:
//!
//! * a [`request::Request`] is what is asked of a file. `ostracon_parquet` clips the file's footer to it, and
//!   [`reader`] gives DataFusion's Parquet source the clipped footer, so that it sees a file of the wanted names and shape;
//! * [`adapter`] and [`convert`] add what no footer can say: NULL for what a file lacks, wider types, NULL below NULL;
//! * [`access`] is the part of the columns that a query looks at; [`rule`] finds it in the plan, and a scan's request is
//!   narrowed to it. Types do not change by it: what nobody looks at is NULL;
//! * [`prune`] leaves out row groups and pages by fields of structs;
//! * [`merge`] makes one schema of files that differ.
//!
//! [`install`] puts it into a session.

mod access;
mod adapter;
mod convert;
mod faults;
mod flat;
mod format;
mod merge;
mod options;
mod prune;
mod reader;
mod request;
mod rule;
mod source;
mod statistics;
mod table;
#[cfg(test)]
mod tests;
mod text;
mod uses;
mod widen;

use std::sync::Arc;

use datafusion::execution::context::SessionContext;

pub use access::{Access, ColumnAccess};
pub use options::FIELD_ID;
pub use rule::NarrowParquetScans;
pub use table::{ParquetTable, ParquetTableFactory};
pub use text::{clipped_message, message_of_file};

/// Makes `STORED AS PARQUET` in a session read with a requested schema.
pub fn install(context: &SessionContext) {
    context.add_optimizer_rule(Arc::new(NarrowParquetScans));
    let state = context.state_ref();
    let mut state = state.write();
    state.table_factories_mut().insert("PARQUET".to_owned(), Arc::new(ParquetTableFactory));
}
