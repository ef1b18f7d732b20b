//! What can be wrong with bytes at rest.

/// A decoder met bytes that no encoder of this crate writes, or an encoder was given what it cannot keep.
///
/// Whoever sees one of the former holds damaged data, or data of a newer version: nothing can be retried.
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
    /// A segment, or its summary, names a version of the format that this program does not know.
    #[error(
        "{what} has format version {found}, this program reads version {known}: \
         open the store with the newer program that wrote it"
    )]
    UnknownSegmentVersion {
        /// "segment" or "segment summary".
        what: &'static str,
        /// The version byte found.
        found: u8,
        /// The newest version this crate reads.
        known: u8,
    },
    /// A field of a segment, or of its summary, points outside of it or has no meaning.
    #[error("segment has a bad {item} (at byte {offset}): it is damaged")]
    DamagedSegment {
        /// What was being read.
        item: &'static str,
        /// Where the item starts, or where it is said to: in bytes from the start of the segment.
        offset: usize,
    },
    /// The bytes of a segment are not those that were written.
    #[error("segment has checksum {computed:08x}, but was written with {stored:08x}: it is damaged")]
    Checksum {
        /// What the segment says.
        stored: u32,
        /// What its bytes give.
        computed: u32,
    },
    /// Rows were asked for that a segment does not have, or with another number of places for the answers.
    #[error("rows {start}..{end} of a segment of {rows} were asked for, with room for {room}")]
    RowsOutOfRange {
        /// The first row.
        start: usize,
        /// The row after the last one.
        end: usize,
        /// How many answers there is room for.
        room: usize,
        /// How many rows the segment has.
        rows: usize,
    },
    /// Values were to be put together that Arrow's 32-bit offsets do not reach.
    #[error("values of {bytes} bytes do not fit one batch: read fewer rows at once")]
    TooMuchAtOnce {
        /// How much there would be.
        bytes: usize,
    },
    /// An encoder was given what a segment cannot hold.
    #[error("segment cannot be written: {what} (row {row} of it)")]
    Unencodable {
        /// What is wrong with the input.
        what: &'static str,
        /// The row, counted from the first of the segment; 0 if it is no row's fault.
        row: usize,
    },
}

/// The result of this crate's functions.
pub type Result<T> = std::result::Result<T, Error>;
