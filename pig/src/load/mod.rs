//! Load functions: what `LOAD 'path' USING f('a')` reads, and as what.

mod avro;
mod fit;
mod functions;
mod json;
mod parquet;
mod paths;
mod registry;
mod schema_file;
mod table;
mod text;

pub(crate) use avro::AvroStorage;
pub(crate) use fit::fit;
pub use functions::{PigStorage, TextLoader};
pub(crate) use paths::compression_of;
pub use registry::{LoadFuncs, builtin_loads};
pub(crate) use schema_file::{SCHEMA_FILE, to_json as schema_json};
pub(crate) use table::table_name;
pub use table::{TableCatalog, TableLoader};

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use datafusion::catalog::TableProvider;
use datafusion::datasource::provider_as_source;
use datafusion::execution::context::SessionContext;
use datafusion::logical_expr::{LogicalPlan, LogicalPlanBuilder, UNNAMED_TABLE};
use ostracon_piglatin::types::{Caster, PigType, Schema};

use crate::error::{Result, from_datafusion};
use crate::warnings::RunContext;

/// What a plan asks a load function for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Layout {
    /// One column `row`: the whole tuple of each row, however wide
    /// ([`crate::columns`]: a tuple without a schema).
    Row,
    /// Columns `f0`, `f1`, ... of these types: missing fields are null, further ones cut (N26). A type other than the
    /// function's own is converted with the function's caster; what cannot be converted becomes null and a warning
    /// with file and row.
    Fields(Vec<PigType>),
}

/// A load function with the arguments of its constructor (Pig's `LoadFunc`).
///
/// # Contract
/// * `schema` and `plan` agree: with a schema, `Layout::Fields` of its types gives every field as it is.
/// * `schema_later` tells what `schema` will, or nothing.
/// * The same bytes give the same rows in the same order, whatever the number of partitions: partition 0 first.
#[async_trait]
pub trait LoadFunc: fmt::Debug + Send + Sync {
    /// The fields, if the function or the data knows them; by default nobody does. Reads no more than headers.
    ///
    /// # Errors
    /// `NotFound` if there is no such input; `Corrupt` or `Invalid` if a header cannot be read.
    fn schema(&self, path: &str) -> Result<Option<Schema>> {
        let _ = path;
        Ok(None)
    }

    /// The fields of an input that the script itself makes before it reads it. `kept` are those that the store function
    /// keeps with the data ([`crate::store::StoreFunc::kept_schema`]); none if it keeps none, or commands make the input.
    /// By default nobody knows them.
    ///
    /// # Errors
    /// As `schema`.
    fn schema_later(&self, path: &str, kept: Option<&Schema>) -> Result<Option<Schema>> {
        let _ = (path, kept);
        Ok(None)
    }

    /// Whether the input lies in files, which commands of the shell may make or move: yes, by default.
    fn is_of_files(&self) -> bool {
        true
    }

    /// Who turns the bytes of fields without a type into values: text in UTF-8, by default.
    fn caster(&self) -> Caster {
        Caster::Utf8
    }

    /// Checks that the input is there, without reading it: files, by default.
    ///
    /// # Errors
    /// `NotFound`, naming the path.
    fn check(&self, path: &str) -> Result<()> {
        paths::files(path).map(drop)
    }

    /// The rows: columns as [`Layout`] says.
    ///
    /// # Errors
    /// `NotFound`, naming the path.
    async fn plan(
        &self,
        context: &SessionContext,
        path: &str,
        layout: &Layout,
        run: &RunContext,
    ) -> Result<LogicalPlan>;
}

/// The scan of a table whose columns are those of a layout.
pub(crate) fn scan(table: Arc<dyn TableProvider>) -> Result<LogicalPlan> {
    LogicalPlanBuilder::scan(UNNAMED_TABLE, provider_as_source(table), None)
        .and_then(LogicalPlanBuilder::build)
        .map_err(from_datafusion)
}
