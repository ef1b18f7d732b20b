//! [`Progress`]: how far a run has read its files.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Counters of a run, for those who wait. Clones count into one.
///
/// Only files that are not compressed count: of others it is not known how much is left. Tables count nothing.
#[derive(Debug, Clone, Default)]
pub struct Progress {
    counters: Arc<Counters>,
}

#[derive(Debug, Default)]
struct Counters {
    total_bytes: AtomicU64,
    bytes: AtomicU64,
    rows: AtomicU64,
}

impl Progress {
    /// So many bytes are going to be read besides.
    pub(crate) fn expect(&self, bytes: u64) {
        self.counters.total_bytes.fetch_add(bytes, Ordering::Relaxed);
    }

    /// So many bytes and rows were read.
    pub(crate) fn read(&self, bytes: u64, rows: u64) {
        self.counters.bytes.fetch_add(bytes, Ordering::Relaxed);
        self.counters.rows.fetch_add(rows, Ordering::Relaxed);
    }

    /// Bytes of the files that were begun; 0 if it is not known.
    #[must_use]
    pub fn total_bytes(&self) -> u64 {
        self.counters.total_bytes.load(Ordering::Relaxed)
    }

    /// Bytes that were read.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.counters.bytes.load(Ordering::Relaxed)
    }

    /// Rows that were read.
    #[must_use]
    pub fn rows(&self) -> u64 {
        self.counters.rows.load(Ordering::Relaxed)
    }
}
