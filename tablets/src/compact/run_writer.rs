//! Filling segments with resolved rows.

use std::sync::Arc;

use ostracon_data::RowBuffer;
use ostracon_segment::{RowLayout, SegmentWriter};

use super::progress::Watch;
use crate::Result;
use crate::directory::TableState;
use crate::options::TableSettings;
use crate::segment_sink::SegmentSink;
use crate::sources::SegmentHandle;
use crate::store::StoreInner;

/// Bytes of a segment's rows before they are packed that end it, however few rows there are.
pub(super) const SEGMENT_BYTES: usize = 1 << 20;

/// Writes resolved rows, in order, into fresh segments, past the log.
pub(super) struct RunWriter<'s, 'o> {
    state: &'s TableState,
    segment_rows: usize,
    segment: SegmentWriter,
    packed: Vec<u8>,
    sink: SegmentSink,
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
            state,
            segment_rows: store.options.segment_rows(),
            segment: SegmentWriter::new(RowLayout::words(settings.row_layout.iter().copied()))
                .with_groups(settings.locality_groups.clone()),
            packed: Vec::new(),
            sink: SegmentSink::new(store, state.id, settings.max_versions),
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
        let raw_bytes = self.segment.byte_len() as u64;
        self.sink.push(self.state, raw_bytes, &mut self.packed, |out| self.segment.finish(out))?;
        self.watch.segment(self.packed.len() as u64)
    }

    /// Writes all of it to files; a directory may name the segments only after this.
    pub(super) fn finish(mut self) -> Result<Vec<Arc<SegmentHandle>>> {
        self.cut()?;
        self.sink.finish()
    }
}
