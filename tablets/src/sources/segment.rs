//! Segments as the store holds them: a summary in memory, the bytes in RocksDB.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use ostracon_data::TableId;
use ostracon_segment::{ColumnSummary, Section, Segment, SegmentSummary};
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
    /// The checksums of the segment and of each section were right when this process read them first.
    verified: Vec<AtomicBool>,
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
        let parts = 1 + summary.sections.len();
        Self {
            table,
            id,
            verified: std::iter::repeat_with(AtomicBool::default).take(parts).collect(),
            summary,
            bytes,
            raw_bytes,
            max_versions,
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

    /// How many sections it has.
    pub(crate) fn sections(&self) -> u16 {
        u16::try_from(self.summary.sections.len()).unwrap_or(u16::MAX)
    }

    pub(crate) fn rows(&self) -> u64 {
        self.summary.rows.into()
    }

    /// Reads the segment with the sections in which a column that is `wanted` lies; the first time, their checksums are
    /// looked at.
    ///
    /// # Errors
    /// It is damaged or missing, or the disk failed.
    pub(crate) fn open(
        &self,
        access: Access,
        wanted: impl Fn(&ColumnSummary) -> bool,
    ) -> Result<OpenSegment> {
        let parts = Parts {
            segment: self.part(&keys::segment_key(self.table, self.id), access)?,
            sections: self.read_sections(access, wanted)?,
        };
        OpenSegment::try_new(parts, |parts| self.open_parts(parts).map_err(|source| self.damaged(source)))
    }

    fn part(&self, key: &[u8], access: Access) -> Result<PinnedValue> {
        self.engine.large(key, access)?.ok_or_else(|| {
            let what = format!("segment {} of table {}", self.id, self.table);
            let part =
                if key.len() == keys::segment_key(self.table, self.id).len() { "it" } else { "a section" };
            Error::corrupt(what, format!("{part} is missing"))
        })
    }

    fn read_sections(
        &self,
        access: Access,
        wanted: impl Fn(&ColumnSummary) -> bool,
    ) -> Result<Vec<(u16, PinnedValue)>> {
        if self.summary.sections.is_empty() {
            return Ok(Vec::new());
        }
        let columns = self.summary.columns.iter().filter(|column| column.section > 0 && wanted(column));
        let numbers: BTreeSet<u16> = columns.map(|column| column.section).collect();
        let read = |number| Ok((number, self.part(&keys::section_key(self.table, self.id, number), access)?));
        numbers.into_iter().map(read).collect()
    }

    fn open_parts<'p>(&self, parts: &'p Parts) -> std::result::Result<Segment<'p>, ostracon_segment::Error> {
        let mut segment = Segment::open(&parts.segment)?;
        self.verify_once(0, || segment.verify())?;
        for (number, bytes) in &parts.sections {
            let section = Section::open(bytes, &segment)?;
            self.verify_once(usize::from(*number), || section.verify())?;
            segment.join(section)?;
        }
        Ok(segment)
    }

    fn verify_once(
        &self,
        part: usize,
        verify: impl FnOnce() -> std::result::Result<(), ostracon_segment::Error>,
    ) -> std::result::Result<(), ostracon_segment::Error> {
        let verified = self.verified.get(part);
        if !verified.is_some_and(|verified| verified.load(Ordering::Relaxed)) {
            verify()?;
            if let Some(verified) = verified {
                verified.store(true, Ordering::Relaxed);
            }
        }
        Ok(())
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
        if let Err(error) = delete_segment(&self.engine, self.table, self.id, self.sections()) {
            tracing::warn!(table = %self.table, segment = self.id, %error, "an unused segment stays until the next start");
        }
    }
}

/// Deletes an unused segment, its sections and its record.
pub(crate) fn delete_segment(engine: &Engine, table: TableId, segment: u64, sections: u16) -> Result<()> {
    let mut batch = WriteBatch::default();
    engine.delete_large(&mut batch, &keys::segment_key(table, segment))?;
    for section in 1..=sections {
        engine.delete_large(&mut batch, &keys::section_key(table, segment, section))?;
    }
    batch.delete(keys::unused_segment_key(table, segment));
    engine.write(batch, Durability::Log)
}

/// What has been read of a segment.
pub(crate) struct Parts {
    segment: PinnedValue,
    sections: Vec<(u16, PinnedValue)>,
}

self_cell!(
    /// A segment together with its bytes.
    pub(crate) struct OpenSegment {
        owner: Parts,
        #[covariant]
        dependent: Segment,
    }
);

impl OpenSegment {
    #[inline]
    pub(crate) fn segment(&self) -> &Segment<'_> {
        self.borrow_dependent()
    }

    /// Compares the checksums of all that was read.
    pub(crate) fn verify(&self) -> std::result::Result<(), ostracon_segment::Error> {
        self.segment().verify()?;
        let sections = &self.borrow_owner().sections;
        sections.iter().try_for_each(|(_, bytes)| Section::open(bytes, self.segment())?.verify())
    }

    /// How many bytes were read.
    pub(crate) fn bytes(&self) -> u64 {
        let parts = self.borrow_owner();
        let sections: usize = parts.sections.iter().map(|(_, bytes)| bytes.len()).sum();
        (parts.segment.len() + sections) as u64
    }
}

impl std::fmt::Debug for OpenSegment {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("OpenSegment").field("bytes", &self.bytes()).finish_non_exhaustive()
    }
}
