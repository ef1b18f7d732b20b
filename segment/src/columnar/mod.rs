//! The columnar segment: some thousand rows of a table, column by column, in one byte string, and one more for each of its
//! locality groups.

mod bulk;
mod byte_strings;
mod chunk;
mod column;
mod dictionary;
mod encode;
mod field;
mod groups;
mod input;
mod integers;
mod layout;
mod rows;
mod scratch;
mod section;
mod segment;
mod summary;
mod validity;
mod writer;

use std::ops::Range;

pub use bulk::SegmentEncoder;
pub use byte_strings::ByteStrings;
pub use chunk::{Chunk, Values};
pub use column::{Column, time_of};
pub use dictionary::Dictionary;
pub use groups::{GroupMember, LocalityGroups};
pub use input::{ColumnInput, FixedInput, RowsInput, ValidityInput, ValuesInput};
pub use integers::Integers;
pub use layout::RowLayout;
pub use scratch::Scratch;
pub use section::Section;
pub use segment::Segment;
pub use summary::{Bound, ColumnSummary, SegmentSummary};
pub use writer::SegmentWriter;

/// The only version of the format.
const VERSION: u8 = 1;
/// Bytes before the column table: version u8 | words u8 | 0 u16 | checksum, length, rows, columns, labels, labels at, row ids at,
/// times at, label codes at, fragments, fragments at: u32 each.
const HEADER: usize = 48;
/// Where the checksum lies.
const CHECKSUM: Range<usize> = 4..8;
/// No segment has more rows: who reads one may take memory for all of them.
pub const MAX_ROWS: usize = 1 << 16;

/// CRC-32 of all bytes of a segment or section but those of the checksum.
fn checksum(segment: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(segment.get(..CHECKSUM.start).unwrap_or_default());
    hasher.update(segment.get(CHECKSUM.end..).unwrap_or_default());
    hasher.finalize()
}

#[cfg(test)]
mod tests;
