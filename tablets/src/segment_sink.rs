//! Writing segments that no directory names yet.

use std::sync::Arc;

use ostracon_data::TableId;
use ostracon_segment::SegmentSummary;
use rocksdb::WriteBatch;

use crate::Result;
use crate::directory::TableState;
use crate::engine::Engine;
use crate::keys;
use crate::options::Durability;
use crate::sources::SegmentHandle;
use crate::store::StoreInner;

/// Bytes that are written at once, at most.
const CHUNK_BYTES: usize = 4 << 20;

/// Writes fresh segments past the log. Dropped, it deletes them.
pub(crate) struct SegmentSink {
    engine: Arc<Engine>,
    table: TableId,
    max_versions: u32,
    chunk_bytes: usize,
    batch: WriteBatch,
    written: Vec<Arc<SegmentHandle>>,
}

impl std::fmt::Debug for SegmentSink {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SegmentSink").field("table", &self.table).finish_non_exhaustive()
    }
}

impl SegmentSink {
    /// A sink of segments in which a cell has at most so many versions.
    pub(crate) fn new(store: &StoreInner, table: TableId, max_versions: u32) -> Self {
        Self {
            engine: Arc::clone(&store.engine),
            table,
            max_versions,
            chunk_bytes: CHUNK_BYTES.min(store.options.spill_threshold),
            batch: WriteBatch::default(),
            written: Vec::new(),
        }
    }

    /// Adds a segment that `encode` appends, with its sections, to the memory it is given; `raw_bytes` are those of its
    /// rows and cells before they were packed.
    pub(crate) fn push(
        &mut self,
        state: &TableState,
        raw_bytes: u64,
        packed: &mut Vec<u8>,
        encode: impl FnOnce(&mut Vec<u8>) -> ostracon_segment::Result<SegmentSummary>,
    ) -> Result<()> {
        let (table, id) = (self.table, state.new_segment());
        packed.clear();
        let summary =
            encode(packed).map_err(|source| crate::Error::Segment { table, segment: id, source })?;
        let sizes = (packed.len() as u64, raw_bytes);
        let handle = SegmentHandle::unpublished(&self.engine, (table, id), summary, sizes, self.max_versions);
        // In the same batch: files have all of it or nothing.
        for (part, section) in handle.summary.parts(packed).zip(0..) {
            match section {
                0 => self.engine.put_large(&mut self.batch, &keys::segment_key(table, id), part)?,
                _ => self.engine.put_large(&mut self.batch, &keys::section_key(table, id, section), part)?,
            }
        }
        self.batch.put(keys::unused_segment_key(table, id), handle.sections().to_be_bytes());
        self.written.push(Arc::new(handle));
        if self.batch.size_in_bytes() >= self.chunk_bytes { self.write() } else { Ok(()) }
    }

    fn write(&mut self) -> Result<()> {
        if self.batch.is_empty() {
            return Ok(());
        }
        self.engine.fail_points.reach("write unpublished segments")?;
        self.engine.write(std::mem::take(&mut self.batch), Durability::None)
    }

    /// Writes all of it to files; a directory may name the segments only after this.
    pub(crate) fn finish(mut self) -> Result<Vec<Arc<SegmentHandle>>> {
        self.write()?;
        if !self.written.is_empty() {
            self.engine.fail_points.reach("flush unpublished segments")?;
            self.engine.flush()?;
        }
        Ok(self.written)
    }
}
