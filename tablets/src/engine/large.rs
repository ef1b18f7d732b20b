//! Large values that are compressed already, each in a block of its own.

use std::ops::Deref;
use std::sync::Arc;

use rocksdb::{
    BlockBasedOptions, Cache, DB, DBCompressionType, DBPinnableSlice, Options, ReadOptions, WriteBatch,
};
use self_cell::self_cell;

use super::{Access, Engine, EngineIterator, OwnedIterator, SEGMENTS, read_options};
use crate::options::StoreOptions;
use crate::{Error, Result};

/// A block is closed once it holds more than this, so every larger value is a block.
const BLOCK_BYTES: usize = 1 << 10;

pub(super) fn options(cache: &Cache, options: &StoreOptions) -> Options {
    let mut table = BlockBasedOptions::default();
    table.set_block_cache(cache);
    table.set_block_size(BLOCK_BYTES);
    table.set_format_version(6);

    let mut family = Options::default();
    family.set_block_based_table_factory(&table);
    family.set_compression_type(DBCompressionType::None);
    family.set_write_buffer_size(options.write_buffer_bytes);
    family
}

self_cell!(
    struct OwnedSlice {
        owner: Arc<DB>,
        #[covariant]
        dependent: DBPinnableSlice,
    }
);

/// A value where RocksDB has it: in a block of the cache, which stays there as long as this is held.
pub(crate) struct PinnedValue(OwnedSlice);

impl Deref for PinnedValue {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        self.0.borrow_dependent()
    }
}

impl std::fmt::Debug for PinnedValue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PinnedValue").field("bytes", &self.len()).finish()
    }
}

impl Engine {
    /// Adds a large value to a batch.
    pub(crate) fn put_large(&self, batch: &mut WriteBatch, key: &[u8], value: &[u8]) -> Result<()> {
        batch.put_cf(self.family(SEGMENTS)?, key, value);
        Ok(())
    }

    /// Adds the removal of a large value to a batch.
    pub(crate) fn delete_large(&self, batch: &mut WriteBatch, key: &[u8]) -> Result<()> {
        batch.delete_cf(self.family(SEGMENTS)?, key);
        Ok(())
    }

    /// A large value; `None` if there is none under the key.
    pub(crate) fn large(&self, key: &[u8], access: Access) -> Result<Option<PinnedValue>> {
        let mut read = ReadOptions::default();
        read.fill_cache(access != Access::Once);
        // Nothing is written under a key twice, so it does not matter when this is read.
        let found = OwnedSlice::try_new(Arc::clone(&self.db), |db| {
            let family = db.cf_handle(SEGMENTS).ok_or(None)?;
            match db.get_pinned_cf_opt(family, key, &read) {
                Ok(Some(value)) => Ok(value),
                Ok(None) => Err(None),
                Err(source) => Err(Some(source)),
            }
        });
        match found {
            Ok(value) => Ok(Some(PinnedValue(value))),
            Err(None) => Ok(None),
            Err(Some(source)) => Err(Error::Storage { action: "cannot read the store", source }),
        }
    }

    /// An iterator over the large values whose keys lie in `[lower, upper)`; not positioned yet.
    pub(crate) fn large_values(&self, lower: Vec<u8>, upper: Vec<u8>) -> Result<EngineIterator> {
        let read = read_options(lower, upper, Access::Once);
        let family = self.family(SEGMENTS)?;
        let iterator = OwnedIterator::new(Arc::clone(&self.db), |db| db.raw_iterator_cf_opt(family, read));
        Ok(EngineIterator(iterator))
    }

    /// Lets RocksDB rewrite the files of large values under keys in `[start, end)` without what was deleted there.
    pub(crate) fn reclaim_large(&self, start: &[u8], end: &[u8]) -> Result<()> {
        self.db.compact_range_cf(self.family(SEGMENTS)?, Some(start), Some(end));
        Ok(())
    }
}
