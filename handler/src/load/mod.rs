//! Reading files into record batches for a table: `COPY t FROM 'f'` and the shell's `load`.
//!
//! [`LoadSource::open`] takes the files, the schema of the table (the columns that may be filled, in order) and
//! [`LoadOptions`]; it finds out which columns the files fill ([`LoadSource::schema`]) and is then a DataFusion
//! partition stream of record batches of bounded size. Whoever inserts runs `INSERT INTO t (those columns) SELECT * FROM
//! source`, so that a load is one atomic statement like any other, with its defaults and insert mode.
//! [`LoadProgress`] counts bytes and rows while it runs.
//!
//! CSV follows PostgreSQL's rules; NDJSON keeps the digits of its numbers; Parquet columns are matched by name. A row
//! that does not fit the table is a [`LoadError::Row`] that names file, line, column, text and wanted type, or, with
//! [`LoadOptions::reject`], a line in a file of its own.
//!
//! This module writes nothing into tables and knows no mappings: it sees column names and Arrow types.

mod builder;
mod columns;
mod csv;
mod error;
mod fit;
mod input;
mod ndjson;
mod numbers;
mod options;
mod parquet;
mod records;
mod reject;
#[cfg(test)]
mod round_trip;
mod source;
mod split;
mod store;
mod text;
mod validity;

pub use error::{BadRow, LoadError};
pub use input::LoadProgress;
pub use options::{HeaderRule, LoadFormat, LoadOptions};
pub use source::LoadSource;
