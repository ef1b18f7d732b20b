//! One epoch's fragments, in key order either way.

use std::sync::Arc;

use crate::engine::{Access, Engine, EngineIterator};
use crate::keys::{self, FragmentKey, PREFIX_LEN};
use crate::scan::fragments::RowFragments;
use crate::scan::metrics::ScanMetrics;
use crate::sources::Epoch;
use crate::{Error, Result};

/// Moves over the fragments of one epoch within bounds.
pub(crate) struct EpochCursor {
    /// Keeps the epoch from being deleted.
    epoch: Arc<Epoch>,
    iterator: EngineIterator,
    seek_key: Vec<u8>,
    sought: bool,
    /// There is nothing more in the direction of travel, and it was asked why.
    ended: bool,
}

impl EpochCursor {
    /// A cursor over the row parts in `[start, end)`; `None`: to the end of the epoch.
    pub(crate) fn new(
        engine: &Engine,
        epoch: &Arc<Epoch>,
        start: &[u8],
        end: Option<&[u8]>,
        access: Access,
    ) -> Self {
        let prefix = epoch.prefix();
        let lower = [&prefix[..], start].concat();
        let upper = match end {
            Some(end) => [&prefix[..], end].concat(),
            None => keys::prefix_end(&prefix),
        };
        let iterator = engine.iterator(lower, upper, access);
        Self { epoch: Arc::clone(epoch), iterator, seek_key: prefix.to_vec(), sought: false, ended: false }
    }

    /// Goes to the first fragment at or after a row part, unless the cursor is there or further already. Gives whether
    /// it had to seek.
    pub(crate) fn forward_to(&mut self, start: &[u8]) -> Result<bool> {
        if self.sought && self.key().is_none_or(|key| key.row_part >= start) {
            return Ok(false);
        }
        self.set_seek_key(start);
        self.iterator.seek(&self.seek_key);
        self.settle()
    }

    /// Goes to the last fragment before a row part (or the last of all), unless the cursor is there or further back
    /// already. Gives whether it had to seek.
    pub(crate) fn backward_to(&mut self, end: Option<&[u8]>) -> Result<bool> {
        let there = |key: FragmentKey<'_>| end.is_none_or(|end| key.row_part < end);
        if self.sought && self.key().is_none_or(there) {
            return Ok(false);
        }
        match end {
            Some(end) => {
                self.set_seek_key(end);
                self.iterator.seek_for_prev(&self.seek_key);
            }
            None => self.iterator.seek_to_last(),
        }
        self.settle()
    }

    fn set_seek_key(&mut self, row_part: &[u8]) {
        self.seek_key.truncate(PREFIX_LEN);
        self.seek_key.extend_from_slice(row_part);
    }

    fn settle(&mut self) -> Result<bool> {
        self.sought = true;
        self.ended = false;
        if self.key().is_none() {
            self.end()?;
        }
        Ok(true)
    }

    pub(crate) fn step(&mut self, reverse: bool) {
        if reverse { self.iterator.prev() } else { self.iterator.next() }
    }

    /// Moves past a row's fragments and keeps those up to a horizon, the newest first. `row` says which row part, up to which
    /// sequence, and whether the cursor moves backwards.
    pub(crate) fn take(
        &mut self,
        (row_part, horizon, reverse): (&[u8], u64, bool),
        fragments: &mut RowFragments,
        metrics: &mut ScanMetrics,
    ) -> Result<()> {
        let first = fragments.len();
        loop {
            let Some((key, value, bytes)) = self.item() else {
                self.end()?;
                break;
            };
            if key.row_part != row_part {
                break;
            }
            metrics.bytes_read += bytes;
            if key.sequence <= horizon {
                fragments.push(value);
            }
            self.step(reverse);
        }
        if reverse {
            fragments.reverse_from(first);
        }
        Ok(())
    }

    /// Lets the cursor seek where it is sent next, wherever it stands.
    pub(crate) fn forget(&mut self) {
        self.sought = false;
    }

    /// Says why the cursor stands nowhere, if it is not for the end. Whoever finds no fragment calls this at once: an
    /// epoch that cannot be read must not pass for one without rows.
    pub(crate) fn end(&mut self) -> Result<()> {
        if !self.ended {
            // After a failure it stands nowhere, and a later seek tries again.
            self.check().inspect_err(|_| self.sought = false)?;
            self.ended = true;
        }
        Ok(())
    }

    /// The current fragment's key; `None` at the end, after an error and at a key that is none of ours (see
    /// [`end`](Self::end)).
    #[inline]
    pub(crate) fn key(&self) -> Option<FragmentKey<'_>> {
        FragmentKey::parse(self.iterator.key()?)
    }

    /// The current fragment: key, value, and bytes of both.
    #[inline]
    pub(crate) fn item(&self) -> Option<(FragmentKey<'_>, &[u8], u64)> {
        let (key, value) = self.iterator.item()?;
        Some((FragmentKey::parse(key)?, value, (key.len() + value.len()) as u64))
    }

    fn check(&self) -> Result<()> {
        match self.iterator.key() {
            Some(key) if FragmentKey::parse(key).is_none() => Err(Error::corrupt(
                format!("key in epoch {} of table {}", self.epoch.id, self.epoch.table),
                format!("{} bytes are too few", key.len()),
            )),
            _ => self.iterator.check(),
        }
    }
}
