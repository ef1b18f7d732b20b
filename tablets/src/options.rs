//! Settings (plain data) and components (injected objects) of a store and its tables.

use std::sync::Arc;

use ostracon_iterators::{IteratorRegistry, IteratorScope, IteratorSetting};
use ostracon_segment::{LocalityGroups, MAX_ROWS};

use crate::background::BackgroundCompaction;
use crate::clock::{Clock, SystemClock};
use crate::fail::FailPoints;
use crate::{Error, Result};

/// What an acknowledged commit survives. A commit is whole or absent at every level.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, PartialOrd, Ord)]
pub enum Durability {
    /// Nothing is logged: a commit survives a clean shutdown, or a flush that came after it.
    None,
    /// Logged to the operating system: survives the end of the process, not that of the machine.
    Log,
    /// As `Log`, and every buffer of ours is handed to the operating system.
    Flush,
    /// Logged and synced to the disk: survives a power failure.
    #[default]
    Sync,
}

/// How a store is opened. Settings first, then components; `..Default::default()` fills in the rest.
#[derive(Debug, Clone)]
pub struct StoreOptions {
    /// Make the folder and the store if there is none.
    pub create: bool,
    /// Of statements whose table and options say nothing.
    pub durability: Durability,
    /// Bytes of packed mutations that a statement holds in memory. A larger one is written as it grows, into an epoch
    /// of its own that the commit publishes, and keeps other writers of the table out until then.
    pub spill_threshold: usize,
    /// RocksDB's cache of uncompressed blocks, in bytes.
    pub block_cache_bytes: usize,
    /// Bytes of fresh writes that RocksDB gathers in memory before it writes a file.
    pub write_buffer_bytes: usize,
    /// A table with more epochs than this is tidied after a flush or a large statement: every epoch costs each scan a
    /// seek. At least 2.
    pub max_epochs: usize,
    /// Rows of a segment at most, 1 to 65536; one of very large rows has fewer.
    pub segment_rows: usize,
    /// Compaction without being asked, by a thread of the store's own; `None`: tables are compacted only by command.
    pub background: Option<BackgroundCompaction>,
    /// Gives commit times and the time of expiry in compactions.
    pub clock: Arc<dyn Clock>,
    /// The iterator classes that tables and scans may name.
    pub iterators: Arc<IteratorRegistry>,
    /// For tests: stops the store at its steps.
    pub fail_points: FailPoints,
}

impl Default for StoreOptions {
    fn default() -> Self {
        Self {
            create: true,
            durability: Durability::Sync,
            spill_threshold: 32 << 20,
            block_cache_bytes: 128 << 20,
            write_buffer_bytes: 64 << 20,
            max_epochs: 8,
            segment_rows: 4096,
            background: None,
            clock: Arc::new(SystemClock),
            iterators: Arc::new(IteratorRegistry::default()),
            fail_points: FailPoints::off(),
        }
    }
}

impl StoreOptions {
    /// The rows of a segment that a store with these options makes, at most.
    pub(crate) fn segment_rows(&self) -> usize {
        self.segment_rows.clamp(1, MAX_ROWS)
    }
}

/// The settings of one table: plain data, kept in the store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableSettings {
    /// Versions of a cell (row, column and label) that a compaction keeps; at least 1. How many a scan sees is in its
    /// [`ScanSpec`](crate::ScanSpec).
    pub max_versions: u32,
    /// Milliseconds after its timestamp at which a cell expires; a compaction drops it then.
    pub ttl_ms: Option<u64>,
    /// Of this table's statements; `None`: the store's.
    pub durability: Option<Durability>,
    /// Iterators that run at every scan or compaction of the table.
    pub iterators: Vec<(IteratorScope, IteratorSetting)>,
    /// How row ids are cut where they all have the same parts: the width of each part in bytes, 1 to 16. A hint that
    /// lets segments keep the parts as integers; empty: row ids of any length.
    pub row_layout: Vec<u8>,
    /// Columns that segments keep together and apart from others; those of no group lie with the row ids. Segments that
    /// were written before a change stay as they are until they are written anew.
    pub locality_groups: LocalityGroups,
}

impl Default for TableSettings {
    fn default() -> Self {
        Self {
            max_versions: 1,
            ttl_ms: None,
            durability: None,
            iterators: Vec::new(),
            row_layout: Vec::new(),
            locality_groups: LocalityGroups::default(),
        }
    }
}

impl TableSettings {
    /// The iterators of one scope.
    pub fn iterators_of(&self, scope: IteratorScope) -> Vec<IteratorSetting> {
        self.iterators.iter().filter(|(of, _)| *of == scope).map(|(_, setting)| setting.clone()).collect()
    }

    pub(crate) fn check(&self, registry: &IteratorRegistry) -> Result<()> {
        if self.max_versions == 0 {
            return Err(Error::invalid("max_versions", "must be at least 1, not 0"));
        }
        if let Some(width) = self.row_layout.iter().find(|width| !(1..=16).contains(*width)) {
            return Err(Error::invalid("row_layout", format!("has a part of {width} bytes, not 1 to 16")));
        }
        for scope in IteratorScope::ALL {
            let settings = self.iterators_of(scope);
            IteratorSetting::check_scope(&settings)?;
            for setting in &settings {
                registry.validate(setting)?;
            }
        }
        Ok(())
    }
}
