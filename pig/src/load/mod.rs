//! Load functions: what `LOAD 'path' USING f('a')` reads, and as what.

mod functions;
mod paths;
mod registry;
mod table;
mod text;

pub use functions::{PigStorage, TextLoader};
pub use registry::LoadFuncs;
pub(crate) use registry::{short, unknown};
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
use crate::warnings::Warnings;

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
        warnings: &Warnings,
    ) -> Result<LogicalPlan>;
}

/// The scan of a table whose columns are those of a layout.
pub(crate) fn scan(table: Arc<dyn TableProvider>) -> Result<LogicalPlan> {
    LogicalPlanBuilder::scan(UNNAMED_TABLE, provider_as_source(table), None)
        .and_then(LogicalPlanBuilder::build)
        .map_err(from_datafusion)
}
