//! Many independent mutations, committed in groups.

use ostracon_data::Mutation;

use crate::statement::{CommitSummary, Statement, StatementOptions};
use crate::table::Table;
use crate::{Error, Result};

/// Bytes of mutations that make a group, unless told otherwise.
const DEFAULT_GROUP_BYTES: usize = 1 << 20;

/// Writes mutations that need no atomicity among each other: each group is a statement of its own, committed when it is
/// large enough, at [`flush`](Self::flush) and at [`close`](Self::close).
///
/// A mutation is acknowledged when a call after its [`add`](Self::add) has committed its group. Dropping the writer
/// forgets the group that is not committed yet, with a warning in the log.
#[derive(Debug)]
pub struct BatchWriter {
    table: Table,
    options: StatementOptions,
    group_bytes: usize,
    group: Option<Statement>,
    bytes: usize,
    written: u64,
}

impl BatchWriter {
    /// A writer of `table`; `options` are those of each group.
    pub fn new(table: &Table, options: StatementOptions) -> Self {
        Self {
            table: table.clone(),
            options,
            group_bytes: DEFAULT_GROUP_BYTES,
            group: None,
            bytes: 0,
            written: 0,
        }
    }

    /// Sets how many bytes of mutations make a group.
    pub fn with_group_bytes(mut self, bytes: usize) -> Self {
        self.group_bytes = bytes;
        self
    }

    /// Adds a mutation, and commits the group if it is large enough.
    ///
    /// # Errors
    /// The mutation was refused (the group goes on without it), or the commit failed (the group is lost).
    pub fn add(&mut self, mutation: Mutation) -> Result<()> {
        let bytes = mutation.byte_len();
        let group = match &mut self.group {
            Some(group) => group,
            None => self.group.insert(self.table.statement(self.options)?),
        };
        group.write(mutation)?;
        self.bytes += bytes;
        if self.bytes >= self.group_bytes { self.flush() } else { Ok(()) }
    }

    /// Commits the group, if there is one.
    ///
    /// # Errors
    /// The commit failed; the group is lost.
    pub fn flush(&mut self) -> Result<()> {
        self.bytes = 0;
        if let Some(group) = self.group.take() {
            let CommitSummary { rows, .. } = group.commit()?;
            self.written += rows;
        }
        Ok(())
    }

    /// Commits the last group; gives how many mutations were committed in all.
    ///
    /// # Errors
    /// The commit failed; the group is lost.
    pub fn close(mut self) -> Result<u64> {
        self.flush()?;
        Ok(self.written)
    }

    /// Mutations committed so far.
    pub fn written(&self) -> u64 {
        self.written
    }
}

impl Drop for BatchWriter {
    fn drop(&mut self) {
        if let Some(group) = &self.group
            && group.rows() > 0
        {
            let error = Error::invalid("batch writer", "it was dropped without `close`");
            tracing::warn!(table = %self.table.name(), rows = group.rows(), %error, "mutations are lost");
        }
    }
}
