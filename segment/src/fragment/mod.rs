//! The row fragment: every column update of one mutation, packed into the value of one key of the delta.
//!
//! ```text
//! fragment  = version u8 (1) | flags u8 | common time i64 BE (ms) | common label (bytes) | update ...      to the end
//! bytes     = length varint | length bytes
//! flags     = bit 0  every put erases older cells of its exact column and label ("replaces older")
//!             bit 1  the common time was given by the writer; clear: it is the commit's time
//! update    = tag u8 | [family bytes] | ...
//! tag       = bits 0-1  0 put, 1 delete, 2 erase
//!             bit 2     same family as the update before (no family bytes)
//!             bit 3     has the common label (no label bytes)
//!             bit 4     put, delete: has the common time (no time bytes); erase: of every label (no label bytes)
//!             bits 5-6  erase: 0 exact column, 1 qualifier prefix, 2 the whole row; otherwise 0
//!             bit 7     0
//! put       = tag | [family] | qualifier bytes | [label bytes] | [time zigzag varint, ms] | value bytes
//! delete    = tag | [family] | qualifier bytes | [label bytes] | [time zigzag varint, ms]
//! erase     = tag | [family] | [qualifier or its prefix, bytes] | [label bytes]     the whole row: neither family nor qualifier
//! ```
//!
//! Erases come first; puts and deletes follow, ordered by family and qualifier, and the newest first where a mutation
//! touches a column twice. So a row whose only fragment this is needs no sorting when it is read.
//!
//! An `Erase` of a fragment hides cells of strictly older fragments only, never of its own.
//!
//! The common time has a fixed width so that [`set_commit_timestamp`] can fill it in when the commit is due: a mutation
//! is packed when it is written, before its place among the commits is known.

mod decode;
mod encode;

pub use decode::{ErasedColumnsRef, FragmentReader, UpdateRef};
pub use encode::{FragmentWriter, encode, set_commit_timestamp};

/// The only version of the format.
pub(crate) const VERSION: u8 = 1;

pub(crate) const FLAG_REPLACES_OLDER: u8 = 1;
pub(crate) const FLAG_GIVEN_TIME: u8 = 1 << 1;

pub(crate) const KIND_MASK: u8 = 0b11;
pub(crate) const KIND_PUT: u8 = 0;
pub(crate) const KIND_DELETE: u8 = 1;
pub(crate) const KIND_ERASE: u8 = 2;
pub(crate) const SAME_FAMILY: u8 = 1 << 2;
pub(crate) const COMMON_LABEL: u8 = 1 << 3;
pub(crate) const COMMON_TIME: u8 = 1 << 4;
pub(crate) const EVERY_LABEL: u8 = 1 << 4;
pub(crate) const ERASE_MASK: u8 = 0b11 << 5;
pub(crate) const ERASE_EXACT: u8 = 0;
pub(crate) const ERASE_PREFIX: u8 = 1 << 5;
pub(crate) const ERASE_ROW: u8 = 2 << 5;

/// Where the common time lies.
pub(crate) const TIME_OFFSET: usize = 2;
/// Bytes before the common label.
pub(crate) const HEADER_LEN: usize = TIME_OFFSET + 8;

#[cfg(test)]
mod tests;
