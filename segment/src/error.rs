//! What can be wrong with bytes at rest.

/// A decoder met bytes that no encoder of this crate writes.
///
/// Whoever sees one holds damaged data, or data of a newer version: nothing can be retried.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The first byte names a version of the format that this program does not know.
    #[error(
        "row fragment has format version {found}, this program reads version {known}: \
         open the store with the newer program that wrote it"
    )]
    UnknownVersion {
        /// The version byte found.
        found: u8,
        /// The newest version this crate reads.
        known: u8,
    },
    /// The bytes end inside an item.
    #[error("row fragment ends inside {item} at byte {offset}: the value is damaged")]
    Truncated {
        /// What was being read.
        item: &'static str,
        /// Where the item started, in bytes from the start of the fragment.
        offset: usize,
    },
    /// A field holds a value that has no meaning.
    #[error("row fragment has a bad {item} at byte {offset}: the value is damaged")]
    Malformed {
        /// What was being read.
        item: &'static str,
        /// Where the item started, in bytes from the start of the fragment.
        offset: usize,
    },
}

/// The result of this crate's functions.
pub type Result<T> = std::result::Result<T, Error>;
