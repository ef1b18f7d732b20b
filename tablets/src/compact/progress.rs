//! How far a compaction is, and whether it is to go on.

use std::ops::ControlFlow;

use crate::{Error, Result};

/// How far a compaction of one table is.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CompactionProgress {
    /// The table's name.
    pub table: String,
    /// Rows read so far, those that vanish included.
    pub rows_read: u64,
    /// Rows that there are to read, about.
    pub rows_expected: u64,
    /// Segments left as they are.
    pub segments_kept: u64,
    /// Segments written so far.
    pub segments_written: u64,
    /// Bytes of segments written so far.
    pub bytes_written: u64,
}

/// Is told how far a compaction is, at least once for every thousand rows and for every segment, and ends it by
/// [`ControlFlow::Break`].
pub(crate) type Observer<'o> = dyn FnMut(&CompactionProgress) -> ControlFlow<()> + 'o;

/// The rows between two calls of the observer.
const ROWS: u64 = 1024;

/// Counts, and tells the observer.
pub(super) struct Watch<'o> {
    pub(super) progress: CompactionProgress,
    observer: &'o mut Observer<'o>,
}

impl<'o> Watch<'o> {
    pub(super) fn new(table: &str, observer: &'o mut Observer<'o>) -> Self {
        Self { progress: CompactionProgress { table: table.to_owned(), ..Default::default() }, observer }
    }

    /// A row was read.
    pub(super) fn row(&mut self) -> Result<()> {
        self.progress.rows_read += 1;
        if self.progress.rows_read.is_multiple_of(ROWS) { self.tell() } else { Ok(()) }
    }

    /// A segment was written.
    pub(super) fn segment(&mut self, bytes: u64) -> Result<()> {
        self.progress.segments_written += 1;
        self.progress.bytes_written += bytes;
        self.tell()
    }

    /// Tells the observer.
    ///
    /// # Errors
    /// [`Error::Cancelled`] if it does not want more.
    pub(super) fn tell(&mut self) -> Result<()> {
        match (self.observer)(&self.progress) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(Error::Cancelled),
        }
    }
}
