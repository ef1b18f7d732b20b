//! Store functions: what `STORE r INTO 'path' USING f('a')` writes.

mod columnar;
mod dump;
mod folder;
mod json;
mod registry;
mod table;
mod text;

pub use dump::dump;
pub use registry::{StoreFuncs, builtin_stores};

use std::fmt;

use async_trait::async_trait;
use datafusion::execution::SendableRecordBatchStream;
use datafusion::execution::context::SessionContext;
use ostracon_piglatin::types::Schema;

use crate::error::Result;

/// Rows to be written.
pub struct StoreInput {
    /// The rows: columns `f0`, `f1`, ... of the schema's types, or one column `row` ([`crate::columns`]).
    pub rows: SendableRecordBatchStream,
    /// The fields, if they are known.
    pub schema: Option<Schema>,
}

impl fmt::Debug for StoreInput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StoreInput").field("schema", &self.schema).finish_non_exhaustive()
    }
}

/// A store function with the arguments of its constructor (Pig's `StoreFunc`).
///
/// # Contract
/// * `check` fails wherever `store` would, as far as can be known without the rows.
/// * `store` leaves all rows or nothing at the path: readers never see a part.
#[async_trait]
pub trait StoreFunc: fmt::Debug + Send + Sync {
    /// Checks that the output can be written: that nothing is there, and that the types can be written.
    ///
    /// # Errors
    /// `AlreadyExists`, naming the path; `Unsupported` for a type.
    fn check(&self, path: &str, schema: Option<&Schema>) -> Result<()>;

    /// The fields that a reader finds with the data, if the function keeps them there; by default it does not.
    fn kept_schema(&self, schema: &Schema) -> Option<Schema> {
        let _ = schema;
        None
    }

    /// Whether the output lies in files, which commands of the shell may move away: yes, by default.
    fn is_of_files(&self) -> bool {
        true
    }

    /// Whether it may write where something is already: then a script may write there twice. By default it may not.
    fn replaces(&self) -> bool {
        false
    }

    /// Writes all rows; gives their number.
    ///
    /// # Errors
    /// As `check`; `Invalid` for a row that cannot be written.
    async fn store(&self, context: &SessionContext, path: &str, input: StoreInput) -> Result<u64>;
}
