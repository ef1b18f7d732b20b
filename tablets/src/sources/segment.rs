//! Segments as the store holds them: a summary in memory, the bytes in RocksDB.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use ostracon_data::TableId;
use ostracon_segment::{Segment, SegmentSummary};
use rocksdb::WriteBatch;
use self_cell::self_cell;

use crate::engine::{Access, Engine, PinnedValue};
use crate::keys;
use crate::options::Durability;
use crate::wire::records::EntryRecord;
use crate::{Error, Result};

/// A segment of a table.
#[derive(Debug)]
pub(crate) struct SegmentHandle {
    pub(crate) table: TableId,
    /// Never used for another segment of the table.
    pub(crate) id: u64,
    pub(crate) summary: SegmentSummary,
    /// Bytes of the segment.
    pub(crate) bytes: u64,
    /// Bytes of its rows and cells before they were packed.
    pub(crate) raw_bytes: u64,
    /// As many versions of a cell as it may hold.
    pub(crate) max_versions: u32,
    /// The checksum was right when this process read it first.
    verified: AtomicBool,
    /// No directory names the segment: it is deleted when nobody holds the handle any more.
    pub(super) unused: AtomicBool,
    engine: Arc<Engine>,
}

impl SegmentHandle {
    /// A segment that no directory names yet. Until it is published, dropping the handle deletes it.
    pub(crate) fn unpublished(
        engine: &Arc<Engine>,
        (table, id): (TableId, u64),
        summary: SegmentSummary,
        (bytes, raw_bytes): (u64, u64),
        max_versions: u32,
    ) -> Self {
        Self {
            table,
            id,
            summary,
            bytes,
            raw_bytes,
            max_versions,
            verified: AtomicBool::new(false),
            unused: AtomicBool::new(true),
            engine: Arc::clone(engine),
        }
    }

    /// A segment that an entry in the store names.
    pub(crate) fn recorded(
        engine: &Arc<Engine>,
        table: TableId,
        id: u64,
        entry: &EntryRecord,
    ) -> Result<Self> {
        let summary = SegmentSummary::from_bytes(&entry.summary).map_err(|source| Error::Segment {
            table,
            segment: id,
            source,
        })?;
        let sizes = (entry.bytes, entry.raw_bytes);
        let handle = Self::unpublished(engine, (table, id), summary, sizes, entry.max_versions);
        handle.unused.store(false, Ordering::Release);
        Ok(handle)
    }

    pub(crate) fn entry(&self) -> EntryRecord {
        let mut summary = Vec::new();
        self.summary.to_bytes(&mut summary);
        EntryRecord { bytes: self.bytes, raw_bytes: self.raw_bytes, max_versions: self.max_versions, summary }
    }

    pub(crate) fn first_row(&self) -> &[u8] {
        &self.summary.first_row
    }

    pub(crate) fn last_row(&self) -> &[u8] {
        &self.summary.last_row
    }

    pub(crate) fn rows(&self) -> u64 {
        self.summary.rows.into()
    }

    /// Reads the segment; the first time, its checksum is looked at.
    ///
    /// # Errors
    /// It is damaged or missing, or the disk failed.
    pub(crate) fn open(&self, access: Access) -> Result<OpenSegment> {
        let key = keys::segment_key(self.table, self.id);
        let Some(bytes) = self.engine.large(&key, access)? else {
            let what = format!("segment {} of table {}", self.id, self.table);
            return Err(Error::corrupt(what, "it is missing"));
        };
        let open = OpenSegment::try_new(bytes, |bytes| Segment::open(bytes));
        let open = open.map_err(|source| self.damaged(source))?;
        if !self.verified.load(Ordering::Relaxed) {
            open.segment().verify().map_err(|source| self.damaged(source))?;
            self.verified.store(true, Ordering::Relaxed);
        }
        Ok(open)
    }

    /// The error of whoever finds its bytes damaged.
    pub(crate) fn damaged(&self, source: ostracon_segment::Error) -> Error {
        Error::Segment { table: self.table, segment: self.id, source }
    }
}

impl Drop for SegmentHandle {
    fn drop(&mut self) {
        if !self.unused.load(Ordering::Acquire) || self.engine.fail_points.stopped() {
            return;
        }
        // On failure the record of the unused segment stays, and the next start deletes it.
        if let Err(error) = delete_segment(&self.engine, self.table, self.id) {
            tracing::warn!(table = %self.table, segment = self.id, %error, "an unused segment stays until the next start");
        }
    }
}

/// Deletes an unused segment and its record.
pub(crate) fn delete_segment(engine: &Engine, table: TableId, segment: u64) -> Result<()> {
    let mut batch = WriteBatch::default();
    engine.delete_large(&mut batch, &keys::segment_key(table, segment))?;
    batch.delete(keys::unused_segment_key(table, segment));
    engine.write(batch, Durability::Log)
}

self_cell!(
    /// A segment together with its bytes.
    pub(crate) struct OpenSegment {
        owner: PinnedValue,
        #[covariant]
        dependent: Segment,
    }
);

impl OpenSegment {
    #[inline]
    pub(crate) fn segment(&self) -> &Segment<'_> {
        self.borrow_dependent()
    }
}

impl std::fmt::Debug for OpenSegment {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("OpenSegment").field("bytes", self.borrow_owner()).finish()
    }
}
