//! RocksDB behind the few operations the store needs.
//!
//! [`Engine`] opens the database and writes batches at a durability; [`EngineIterator`] walks a key range and
//! [`PinnedValue`] is one large value. Nothing here knows what keys or values mean, and nothing outside names RocksDB's
//! options.
//!
//! There are two column families. The default one has small keys and values, and compresses them. `segments` has large
//! values that are compressed already: a block for each, stored as it is, so that a read is one look into the block
//! cache and copies nothing.
//!
//! Both are flushed together (`atomic_flush`): of a batch that went past the log, files have either what it did in both
//! families or nothing.

mod large;

use std::path::Path;
use std::sync::Arc;

use rocksdb::{
    BlockBasedOptions, Cache, ColumnFamily, ColumnFamilyDescriptor, DB, DBCompressionType, DBRawIterator,
    Env, FlushOptions, LogLevel, Options, ReadOptions, WriteBatch, WriteOptions,
};
use self_cell::self_cell;

pub(crate) use large::PinnedValue;

use crate::fail::FailPoints;
use crate::options::{Durability, StoreOptions};
use crate::{Error, Result};

/// The column family of large values.
const SEGMENTS: &str = "segments";

/// The open database.
pub(crate) struct Engine {
    db: Arc<DB>,
    in_memory: bool,
    pub(crate) fail_points: FailPoints,
}

impl std::fmt::Debug for Engine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Engine").field("path", &self.db.path()).finish_non_exhaustive()
    }
}

impl Engine {
    /// Opens the store's database in a folder.
    pub(crate) fn open(path: &Path, options: &StoreOptions) -> Result<Self> {
        let exists = path.join("CURRENT").exists();
        if !exists {
            if !options.create {
                return Err(Error::StoreNotFound { path: path.to_path_buf() });
            }
            if path.exists() && !is_empty_folder(path)? {
                return Err(Error::NotAStore { path: path.to_path_buf() });
            }
            std::fs::create_dir_all(path).map_err(|source| Error::Io {
                action: "cannot create the store's folder",
                path: path.to_path_buf(),
                source,
            })?;
        }
        Self::open_in(path, options, None)
    }

    /// Opens a database that lives in memory.
    pub(crate) fn in_memory(options: &StoreOptions) -> Result<Self> {
        let env = Env::mem_env().map_err(Error::storage("cannot make a store in memory"))?;
        Self::open_in(Path::new("/ostracon"), options, Some(&env))
    }

    fn open_in(path: &Path, options: &StoreOptions, env: Option<&Env>) -> Result<Self> {
        let cache = Cache::new_lru_cache(options.block_cache_bytes);
        let families = [
            ColumnFamilyDescriptor::new(rocksdb::DEFAULT_COLUMN_FAMILY_NAME, small_values(&cache, options)),
            ColumnFamilyDescriptor::new(SEGMENTS, large::options(&cache, options)),
        ];
        let mut db_options = Options::default();
        db_options.create_if_missing(options.create);
        // A store of a time without segments gets the family now.
        db_options.create_missing_column_families(true);
        db_options.set_atomic_flush(true);
        db_options.set_max_background_jobs(2);
        db_options.set_max_total_wal_size(256 << 20);
        db_options.set_bytes_per_sync(1 << 20);
        db_options.set_log_level(LogLevel::Warn);
        db_options.set_keep_log_file_num(2);
        if let Some(env) = env {
            db_options.set_env(env);
        }
        let db = DB::open_cf_descriptors(&db_options, path, families).map_err(|source| {
            // RocksDB has no code for this, only words.
            let words = source.to_string();
            if words.contains("lock file") || words.contains("lock hold") || words.contains("LOCK") {
                Error::Locked { path: path.to_path_buf(), detail: words }
            } else {
                Error::Storage { action: "cannot open the store", source }
            }
        })?;
        let in_memory = env.is_some();
        Ok(Self { db: Arc::new(db), in_memory, fail_points: options.fail_points.clone() })
    }

    /// The folder, if the database lives in one.
    pub(crate) fn folder(&self) -> Option<&Path> {
        (!self.in_memory).then(|| self.path())
    }

    pub(crate) fn path(&self) -> &Path {
        self.db.path()
    }

    pub(crate) fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>> {
        self.db.get(key).map_err(Error::storage("cannot read the store"))
    }

    /// Writes a batch, whole or not at all, and returns when it is as durable as asked.
    pub(crate) fn write(&self, batch: WriteBatch, durability: Durability) -> Result<()> {
        let mut write = WriteOptions::default();
        match durability {
            Durability::Sync => write.set_sync(true),
            Durability::None => write.disable_wal(true),
            Durability::Log | Durability::Flush => {}
        }
        self.db.write_opt(batch, &write).map_err(Error::storage("cannot write to the store"))?;
        if durability == Durability::Flush {
            self.db.flush_wal(false).map_err(Error::storage("cannot hand the log to the system"))?;
        }
        Ok(())
    }

    /// Writes every gathered write to files, synced.
    pub(crate) fn flush(&self) -> Result<()> {
        let default = self.family(rocksdb::DEFAULT_COLUMN_FAMILY_NAME)?;
        let families = [default, self.family(SEGMENTS)?];
        self.db
            .flush_cfs_opt(&families, &FlushOptions::default())
            .map_err(Error::storage("cannot flush the store"))
    }

    fn family(&self, name: &str) -> Result<&ColumnFamily> {
        let missing = || Error::corrupt("store", format!("it has no column family '{name}'"));
        self.db.cf_handle(name).ok_or_else(missing)
    }

    /// Drops the files that hold nothing but keys of a range; other keys of the range stay.
    pub(crate) fn drop_files(&self, start: &[u8], end: &[u8]) -> Result<()> {
        self.db.delete_file_in_range(start, end).map_err(Error::storage("cannot drop files of the store"))
    }

    /// Lets RocksDB rewrite a range of keys without what was deleted there.
    pub(crate) fn reclaim(&self, start: &[u8], end: &[u8]) {
        self.db.compact_range(Some(start), Some(end));
    }

    /// Bytes of files that hold keys of each range; writes still in memory are not counted.
    pub(crate) fn file_bytes(&self, ranges: &[(Vec<u8>, Vec<u8>)]) -> Vec<u64> {
        let ranges: Vec<_> = ranges.iter().map(|(start, end)| rocksdb::Range::new(start, end)).collect();
        self.db.get_approximate_sizes(&ranges)
    }

    /// An iterator over the keys in `[lower, upper)`; not positioned yet.
    pub(crate) fn iterator(&self, lower: Vec<u8>, upper: Vec<u8>, access: Access) -> EngineIterator {
        let read = read_options(lower, upper, access);
        EngineIterator(OwnedIterator::new(Arc::clone(&self.db), |db| db.raw_iterator_opt(read)))
    }

    /// Calls `visit` with every key and value that starts with `prefix`, in order.
    pub(crate) fn each(
        &self,
        prefix: &[u8],
        mut visit: impl FnMut(&[u8], &[u8]) -> Result<()>,
    ) -> Result<()> {
        let mut iterator = self.iterator(prefix.to_vec(), crate::keys::prefix_end(prefix), Access::Point);
        iterator.seek(prefix);
        while let Some((key, value)) = iterator.item() {
            visit(key, value)?;
            iterator.next();
        }
        iterator.check()
    }

    /// Whether no key lies in `[start, end)`.
    pub(crate) fn is_empty(&self, start: Vec<u8>, end: Vec<u8>) -> Result<bool> {
        let mut iterator = self.iterator(start.clone(), end, Access::Point);
        iterator.seek(&start);
        let empty = iterator.item().is_none();
        iterator.check()?;
        Ok(empty)
    }
}

fn small_values(cache: &Cache, options: &StoreOptions) -> Options {
    let mut table = BlockBasedOptions::default();
    table.set_block_cache(cache);
    table.set_block_size(16 << 10);
    table.set_format_version(6);
    // No bloom filter: every read is a seek into a range of rows, which a filter of whole keys cannot answer.

    let mut family = Options::default();
    family.set_block_based_table_factory(&table);
    family.set_compression_type(DBCompressionType::Lz4);
    family.set_write_buffer_size(options.write_buffer_bytes);
    family
}

fn read_options(lower: Vec<u8>, upper: Vec<u8>, access: Access) -> ReadOptions {
    let mut read = ReadOptions::default();
    read.set_iterate_lower_bound(lower);
    read.set_iterate_upper_bound(upper);
    match access {
        Access::Point => {}
        Access::Scan => read.set_readahead_size(256 << 10),
        Access::Once => {
            read.set_readahead_size(1 << 20);
            read.fill_cache(false);
        }
    }
    read
}

fn is_empty_folder(path: &Path) -> Result<bool> {
    let failed =
        |source| Error::Io { action: "cannot read the store's folder", path: path.to_path_buf(), source };
    Ok(std::fs::read_dir(path).map_err(failed)?.next().is_none())
}

/// What an iterator is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    /// A few keys near a seek.
    Point,
    /// Many keys in order.
    Scan,
    /// Many keys in order that will not be read again soon: they stay out of the block cache.
    Once,
}

self_cell!(
    struct OwnedIterator {
        owner: Arc<DB>,
        #[covariant]
        dependent: DBRawIterator,
    }
);

/// A bounded iterator that keeps its database open.
///
/// The end and an error look alike while moving: whoever meets the end calls [`check`](Self::check).
pub(crate) struct EngineIterator(OwnedIterator);

impl EngineIterator {
    pub(crate) fn seek(&mut self, key: &[u8]) {
        self.0.with_dependent_mut(|_, iterator| iterator.seek(key));
    }

    /// Goes to the last key not greater than `key`.
    pub(crate) fn seek_for_prev(&mut self, key: &[u8]) {
        self.0.with_dependent_mut(|_, iterator| iterator.seek_for_prev(key));
    }

    pub(crate) fn seek_to_last(&mut self) {
        self.0.with_dependent_mut(|_, iterator| iterator.seek_to_last());
    }

    #[inline]
    pub(crate) fn next(&mut self) {
        self.0.with_dependent_mut(|_, iterator| iterator.next());
    }

    #[inline]
    pub(crate) fn prev(&mut self) {
        self.0.with_dependent_mut(|_, iterator| iterator.prev());
    }

    #[inline]
    pub(crate) fn item(&self) -> Option<(&[u8], &[u8])> {
        self.0.borrow_dependent().item()
    }

    #[inline]
    pub(crate) fn key(&self) -> Option<&[u8]> {
        self.0.borrow_dependent().key()
    }

    /// The error that ended the iteration, if one did.
    pub(crate) fn check(&self) -> Result<()> {
        self.0.borrow_dependent().status().map_err(Error::storage("cannot read the store"))
    }
}
