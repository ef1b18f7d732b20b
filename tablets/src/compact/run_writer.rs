//! Filling segments that no directory names yet.

use std::sync::Arc;

use ostracon_data::RowBuffer;
use ostracon_segment::{MAX_ROWS, RowLayout, SegmentWriter};
use rocksdb::WriteBatch;

use super::CHUNK_BYTES;
use super::progress::Watch;
use crate::Result;
use crate::directory::TableState;
use crate::engine::Engine;
use crate::keys;
use crate::options::{Durability, TableSettings};
use crate::sources::SegmentHandle;
use crate::store::StoreInner;

/// Bytes of a segment's rows before they are packed that end it, however few rows there are.
pub(super) const SEGMENT_BYTES: usize = 1 << 20;

/// Writes resolved rows, in order, into fresh segments, past the log.
pub(super) struct RunWriter<'s, 'o> {
    engine: &'s Arc<Engine>,
    state: &'s TableState,
    segment_rows: usize,
    max_versions: u32,
    segment: SegmentWriter,
    packed: Vec<u8>,
    batch: WriteBatch,
    written: Vec<Arc<SegmentHandle>>,
    pub(super) watch: &'s mut Watch<'o>,
}

impl<'s, 'o> RunWriter<'s, 'o> {
    pub(super) fn new(
        store: &'s StoreInner,
        state: &'s TableState,
        settings: &TableSettings,
        watch: &'s mut Watch<'o>,
    ) -> Self {
        Self {
            engine: &store.engine,
            state,
            segment_rows: segment_rows(store),
            max_versions: settings.max_versions,
            segment: SegmentWriter::new(RowLayout::words(settings.row_layout.iter().copied()))
                .with_groups(settings.locality_groups.clone()),
            packed: Vec::new(),
            batch: WriteBatch::default(),
            written: Vec::new(),
            watch,
        }
    }

    /// Adds a row; one without cells is left out.
    pub(super) fn row(&mut self, row: &RowBuffer) -> Result<()> {
        self.watch.row()?;
        if row.is_empty() {
            return Ok(());
        }
        self.segment.row(row.row(), row.cells());
        if self.segment.rows() >= self.segment_rows || self.segment.byte_len() >= SEGMENT_BYTES {
            self.cut()?;
        }
        Ok(())
    }

    /// Ends the current segment.
    pub(super) fn cut(&mut self) -> Result<()> {
        if self.segment.rows() == 0 {
            return Ok(());
        }
        let (table, id) = (self.state.id, self.state.new_segment());
        let raw_bytes = self.segment.byte_len() as u64;
        self.packed.clear();
        let summary = self.segment.finish(&mut self.packed).map_err(|source| crate::Error::Segment {
            table,
            segment: id,
            source,
        })?;
        let sizes = (self.packed.len() as u64, raw_bytes);
        let handle = SegmentHandle::unpublished(self.engine, (table, id), summary, sizes, self.max_versions);
        // In the same batch: files have all of it or nothing.
        for (part, section) in handle.summary.parts(&self.packed).zip(0..) {
            match section {
                0 => self.engine.put_large(&mut self.batch, &keys::segment_key(table, id), part)?,
                _ => self.engine.put_large(&mut self.batch, &keys::section_key(table, id, section), part)?,
            }
        }
        self.batch.put(keys::unused_segment_key(table, id), handle.sections().to_be_bytes());
        self.written.push(Arc::new(handle));
        if self.batch.size_in_bytes() >= CHUNK_BYTES {
            self.write()?;
        }
        self.watch.segment(self.packed.len() as u64)
    }

    fn write(&mut self) -> Result<()> {
        if self.batch.is_empty() {
            return Ok(());
        }
        self.engine.fail_points.reach("write unpublished segments")?;
        self.engine.write(std::mem::take(&mut self.batch), Durability::None)
    }

    /// Writes all of it to files; a directory may name the segments only after this.
    pub(super) fn finish(mut self) -> Result<Vec<Arc<SegmentHandle>>> {
        self.cut()?;
        self.write()?;
        if !self.written.is_empty() {
            self.engine.fail_points.reach("flush unpublished segments")?;
            self.engine.flush()?;
        }
        Ok(self.written)
    }
}

/// Rows of a segment at most.
pub(super) fn segment_rows(store: &StoreInner) -> usize {
    store.options.segment_rows.clamp(1, MAX_ROWS)
}
