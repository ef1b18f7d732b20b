//! Writes of tablet tables as DataFusion plans.
//!
//! [`TabletWriteExec`] is the plan node: it begins a [`WriteSink`], which locks and opens what it must and becomes an
//! [`ActiveWrite`]; it hands every batch of its input over, and commits. What it wrote is visible as a whole when the
//! count comes out, and not at all if anything failed or the plan was dropped.
//!
//! Sinks: [`InsertSink`] (INSERT, INSERT OVERWRITE; many rows by [`bulk`]), [`DeleteSink`], [`UpdateSink`], [`TruncateSink`]. The statements
//! that change rows they have read lock the table first and read as of that moment.

mod bulk;
mod delete;
mod exec;
mod existing;
mod insert;
mod target;
mod truncate;
mod update;

use std::fmt::Debug;
use std::sync::Arc;

use datafusion::arrow::array::RecordBatch;
use ostracon_tablets::Version;

pub(crate) use delete::DeleteSink;
pub use exec::TabletWriteExec;
pub(crate) use insert::InsertSink;
pub(crate) use target::WriteTarget;
pub(crate) use truncate::TruncateSink;
pub(crate) use update::UpdateSink;

use crate::error::Result;

/// A write that has not begun. Its methods may block.
pub trait WriteSink: Debug + Send + Sync {
    /// How EXPLAIN shows it, as in `insert into t`.
    fn describe(&self) -> String;

    /// Locks the table if the write needs it, and opens a statement.
    fn begin(&self) -> Result<Box<dyn ActiveWrite>>;
}

/// A write that is under way; dropped without a commit it leaves nothing. Its methods may block.
pub trait ActiveWrite: Send {
    /// The version that the statement reads, where it reads the table that it writes.
    fn version(&self) -> Option<Arc<Version>>;

    /// Takes a batch of the input.
    fn write(&mut self, batch: &RecordBatch) -> Result<()>;

    /// Makes everything visible at once; gives the number of rows for the user.
    fn commit(self: Box<Self>) -> Result<u64>;
}
