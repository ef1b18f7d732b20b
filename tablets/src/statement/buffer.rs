//! Mutations of a statement, packed, on their way into an epoch.

use std::sync::Arc;

use ostracon_data::Mutation;
use ostracon_segment::fragment;
use rocksdb::WriteBatch;

use crate::epoch_writer::EpochWriter;
use crate::keys;
use crate::sequencer::Stamp;
use crate::sources::Epoch;
use crate::{Error, Result};

/// Packed mutations that wait to be written.
#[derive(Debug, Default)]
pub(super) struct Buffer {
    /// Row and fragment of each mutation, one after the other.
    bytes: Vec<u8>,
    /// Lengths of row and fragment.
    entries: Vec<(usize, usize)>,
}

/// Where a large statement goes.
#[derive(Debug)]
pub(super) struct Spill {
    writer: EpochWriter,
    stamp: Stamp,
    next_ordinal: u32,
}

impl Spill {
    pub(super) fn new(writer: EpochWriter, stamp: Stamp) -> Self {
        Self { writer, stamp, next_ordinal: 0 }
    }

    pub(super) fn epoch(&self) -> &Arc<Epoch> {
        self.writer.epoch()
    }

    /// Writes all of it to files.
    pub(super) fn finish(&self) -> Result<()> {
        self.writer.finish()
    }

    /// Writes what waits in the buffer.
    pub(super) fn write(&mut self, buffer: &mut Buffer) -> Result<()> {
        let mut batch = WriteBatch::default();
        self.next_ordinal =
            buffer.put_into(&mut batch, self.writer.epoch(), self.stamp, self.next_ordinal)?;
        self.writer.write(batch)?;
        buffer.clear();
        Ok(())
    }
}

impl Buffer {
    /// Packs a mutation behind the others.
    pub(super) fn push(&mut self, mutation: &Mutation) {
        let start = self.bytes.len();
        self.bytes.extend_from_slice(&mutation.row);
        fragment::encode(mutation, 0, &mut self.bytes);
        self.entries.push((mutation.row.len(), self.bytes.len() - start - mutation.row.len()));
    }

    pub(super) fn byte_len(&self) -> usize {
        self.bytes.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Adds every mutation to `batch`, the first one with `ordinal`; gives the next ordinal.
    pub(super) fn put_into(
        &mut self,
        batch: &mut WriteBatch,
        epoch: &Epoch,
        stamp: Stamp,
        mut ordinal: u32,
    ) -> Result<u32> {
        let prefix = epoch.prefix();
        let mut key = Vec::with_capacity(64);
        let mut rest = self.bytes.as_mut_slice();
        for &(row_len, fragment_len) in &self.entries {
            let Some((entry, tail)) = std::mem::take(&mut rest).split_at_mut_checked(row_len + fragment_len)
            else {
                break;
            };
            rest = tail;
            let (row, packed) = entry.split_at_mut(row_len);
            fragment::set_commit_timestamp(packed, stamp.time_ms);
            key.clear();
            key.extend_from_slice(&prefix);
            keys::put_row_part(&mut key, row);
            keys::put_suffix(&mut key, stamp.sequence, ordinal);
            batch.put(&key, &*packed);
            ordinal = ordinal.checked_add(1).ok_or_else(|| Error::TooLarge {
                what: "a statement's list of mutations".to_owned(),
                found: u64::from(u32::MAX) + 1,
                limit: u32::MAX.into(),
            })?;
        }
        epoch.count(self.entries.len() as u64, self.bytes.len() as u64);
        Ok(ordinal)
    }

    pub(super) fn clear(&mut self) {
        self.bytes.clear();
        self.entries.clear();
    }

    /// The rows of the mutations, in their order.
    pub(super) fn rows(&self) -> impl Iterator<Item = &[u8]> {
        let mut rest = self.bytes.as_slice();
        self.entries.iter().map_while(move |&(row_len, fragment_len)| {
            let (row, tail) = rest.split_at_checked(row_len)?;
            rest = tail.get(fragment_len..)?;
            Some(row)
        })
    }
}
