//! What can go wrong in the tablet server.

use std::path::PathBuf;

/// The result of this crate's functions.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// An error of the tablet server; a variant exists where a caller would act differently.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// There is no store in the folder, and the options did not ask to create one.
    #[error("there is no store in {}: check the path, or write something to create one", path.display())]
    StoreNotFound {
        /// The folder.
        path: PathBuf,
    },
    /// The folder holds other files or another program's database; a store would be mixed with them.
    #[error("{} is not empty and holds no store of ours: choose another folder for the data", path.display())]
    NotAStore {
        /// The folder.
        path: PathBuf,
    },
    /// Another process (or another handle of this one) has the store open.
    #[error(
        "the store in {} is open in another process (RocksDB: {detail}): close that one, or use another folder",
        path.display()
    )]
    Locked {
        /// The folder.
        path: PathBuf,
        /// RocksDB's words, which may name the process.
        detail: String,
    },
    /// A newer program wrote the store or a record of it.
    #[error("{what} has format version {found}, this program reads up to {known}: use the newer program")]
    NewerFormat {
        /// What was read.
        what: &'static str,
        /// The version found.
        found: u32,
        /// The newest known one.
        known: u32,
    },
    /// No table of that name.
    #[error("table '{name}' does not exist in the store: `table_names` lists those that do")]
    TableNotFound {
        /// The name asked for.
        name: String,
    },
    /// A table of that name exists.
    #[error("table '{name}' already exists in the store: choose another name or drop it first")]
    TableExists {
        /// The name asked for.
        name: String,
    },
    /// The caller's argument cannot be used.
    #[error("{what}: {reason}")]
    Invalid {
        /// Which argument.
        what: String,
        /// What is wrong with it and what is allowed.
        reason: String,
    },
    /// A mutation carries a label that is no visibility expression.
    #[error("label of a cell in row {row}: {source}; the mutation was refused")]
    BadLabel {
        /// The row, printable.
        row: String,
        /// Where and why.
        source: ostracon_data::VisibilityError,
    },
    /// Something is larger than the store takes.
    #[error("{what} has {found} bytes, at most {limit} are allowed")]
    TooLarge {
        /// What.
        what: String,
        /// Its size in bytes.
        found: u64,
        /// The limit in bytes.
        limit: u64,
    },
    /// Stored bytes are not what this program writes.
    #[error("damaged {what}: {reason}; run `store check`, and restore from a backup")]
    Corrupt {
        /// Which record or key.
        what: String,
        /// What is wrong.
        reason: String,
    },
    /// A stored row cannot be read.
    #[error("row {row} of table '{table}': {source}; run `store check`, and restore from a backup")]
    Fragment {
        /// The table's name.
        table: String,
        /// The row, printable.
        row: String,
        /// What is wrong with its bytes.
        source: ostracon_segment::Error,
    },
    /// A stored segment cannot be read.
    #[error("segment {segment} of table {table}: {source}; run `store check`, and restore from a backup")]
    Segment {
        /// The table's id.
        table: ostracon_data::TableId,
        /// The segment's number.
        segment: u64,
        /// What is wrong with its bytes.
        source: ostracon_segment::Error,
    },
    /// Bytes from elsewhere (a plan, a message) are no scan specification.
    #[error("cannot decode a scan specification: {reason}")]
    BadWire {
        /// What is wrong.
        reason: String,
    },
    /// An iterator or row filter failed or cannot be built.
    #[error(transparent)]
    Iterator(ostracon_iterators::Error),
    /// RocksDB or the file system failed.
    #[error("{action}: {source}")]
    Storage {
        /// What was being done.
        action: &'static str,
        /// RocksDB's error.
        source: rocksdb::Error,
    },
    /// The file system failed.
    #[error("{action} {}: {source}", path.display())]
    Io {
        /// What was being done.
        action: &'static str,
        /// With which path.
        path: PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
    /// A test's fault point stopped the operation; the store behaves as if the process had ended there.
    #[error("stopped at fault point '{point}'")]
    Stopped {
        /// The point's name.
        point: &'static str,
    },
    /// Whoever asked for the scan or compaction no longer wants it.
    #[error("cancelled by the caller")]
    Cancelled,
    /// A scan was handed more bytes than it was to read.
    #[error(
        "the scan has read more than the {limit} bytes that it was allowed: read it in parts, or allow more"
    )]
    ReadLimit {
        /// What was allowed.
        limit: u64,
    },
    /// The system gave no thread for a scan worker.
    #[error("cannot start a scan worker: {0}; ask for fewer workers")]
    NoThread(std::io::Error),
    /// A worker thread ended without an answer.
    #[error("a scan worker ended unexpectedly: the answer is incomplete")]
    WorkerLost,
}

impl From<ostracon_iterators::Error> for Error {
    /// An error of ours that passed through a stack of iterators comes out as it went in.
    fn from(error: ostracon_iterators::Error) -> Self {
        match error {
            ostracon_iterators::Error::Source(source) => match source.downcast::<Self>() {
                Ok(ours) => *ours,
                Err(source) => Self::Iterator(ostracon_iterators::Error::Source(source)),
            },
            other => Self::Iterator(other),
        }
    }
}

impl Error {
    pub(crate) fn storage(action: &'static str) -> impl FnOnce(rocksdb::Error) -> Self {
        move |source| Self::Storage { action, source }
    }

    pub(crate) fn invalid(what: impl Into<String>, reason: impl Into<String>) -> Self {
        Self::Invalid { what: what.into(), reason: reason.into() }
    }

    pub(crate) fn corrupt(what: impl Into<String>, reason: impl Into<String>) -> Self {
        Self::Corrupt { what: what.into(), reason: reason.into() }
    }
}
