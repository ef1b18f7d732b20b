//! The storage formats of rows: how the bytes of a tablet store's values are laid out.
//!
//! Principal types, in the order data meets them:
//!
//! 1. [`ostracon_data::Mutation`]: what a writer asks of one row,
//! 2. [`fragment::encode`]: packs a mutation into a *row fragment*, the value of one key of the delta,
//! 3. [`FragmentWriter`]: packs cells that are already resolved (what a compaction writes),
//! 4. [`FragmentReader`]: walks the [`UpdateRef`]s of a fragment, borrowed from its bytes,
//! 5. [`SegmentWriter`], [`SegmentEncoder`]: write some thousand rows column by column, a *segment*, and its [`SegmentSummary`],
//! 6. [`Segment`] → [`Column`] → [`Chunk`]: read it, by row or by column; [`mask`] and [`packing`]: the kernels.
//!
//! ```
//! use ostracon_data::Mutation;
//! use ostracon_segment::{FragmentReader, UpdateRef, fragment};
//!
//! let mut mutation = Mutation::new(b"row1");
//! mutation.put(b"person", b"name", b"", b"Ada");
//! let mut bytes = Vec::new();
//! fragment::encode(&mutation, 1_700_000_000_000, &mut bytes);
//!
//! let updates = FragmentReader::new(&bytes)?.collect::<Result<Vec<_>, _>>()?;
//! assert!(matches!(updates[..], [UpdateRef::Put { value: b"Ada", timestamp: 1_700_000_000_000, .. }]));
//! # Ok::<(), ostracon_segment::Error>(())
//! ```
//!
//! Bytes at rest are not trusted: every decoder returns an [`Error`] for bytes it did not write, and never panics or
//! allocates by a length it merely read.
//!
//! What this crate does not do: it opens no files and links no RocksDB (so that fuzzing builds fast), it does not order
//! or merge fragments of one row (that is the scanner of `ostracon_tablets`), and it judges no visibility.

mod columnar;
mod error;
pub mod fragment;
mod fsst;
pub mod mask;
pub mod packing;
mod varint;

pub use columnar::{
    Bound, ByteStrings, Chunk, Column, ColumnInput, ColumnSummary, Dictionary, FixedInput, GroupMember,
    Integers, LocalityGroups, MAX_ROWS, RowLayout, RowsInput, Scratch, Section, Segment, SegmentEncoder,
    SegmentSummary, SegmentWriter, ValidityInput, Values, ValuesInput, time_of,
};
pub use error::{Error, Result};
pub use fragment::{ErasedColumnsRef, FragmentReader, FragmentWriter, UpdateRef};
