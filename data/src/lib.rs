//! The nouns of the tablet store: keys, mutations, ranges, labels and rows.
//!
//! This crate is the vocabulary that every other crate speaks. The words are Accumulo's, and so are their meanings;
//! whoever knows Accumulo's `Key`, `Mutation`, `Range`, `KeyExtent`, `ColumnVisibility` or `Authorizations` knows
//! these. Where data meets them, in order:
//!
//! * [`Mutation`]: the [`ColumnUpdate`]s of one row, as a writer hands them in;
//! * [`Key`] and [`Value`]: one cell, in Accumulo's order (newest first within a column);
//! * [`Range`]: an interval of keys, [`RowRange`] and [`RowRanges`]: intervals of rows and their algebra;
//! * [`KeyExtent`]: the rows of one tablet of a table ([`TableId`]);
//! * [`ColumnVisibility`], [`Authorizations`], [`VisibilityEvaluator`]: who may see a cell;
//! * [`RowBuffer`] and [`CellRef`]: one assembled row on its way out, without an allocation per cell;
//! * [`same_bytes`], [`compare_bytes`], [`compare_columns`] and others: comparing byte strings of which many are empty.
//!
//! It does no I/O, knows no encoding of numbers or other values (that is `ostracon_compare`) and no storage format.
//!
//! ```
//! use ostracon_data::{Authorizations, ColumnVisibility, Mutation};
//!
//! let mut mutation = Mutation::new("row-1");
//! mutation.put("person", "name", "staff&(hr|audit)", "Ada");
//! assert_eq!(mutation.updates.len(), 1);
//!
//! let label = ColumnVisibility::parse(b"staff&(hr|audit)")?;
//! assert!(label.evaluate(&Authorizations::new(["staff", "audit"])));
//! assert!(!label.evaluate(&Authorizations::new(["staff"])));
//! # Ok::<(), ostracon_data::VisibilityError>(())
//! ```

mod authorizations;
mod bytes;
mod extent;
mod key;
mod mutation;
mod range;
mod row_buffer;
mod row_ranges;
mod visibility;
mod visibility_evaluator;

pub use authorizations::Authorizations;
pub use bytes::{compare_bytes, compare_columns, same_bytes, same_columns};
pub use extent::{KeyExtent, TableId};
pub use key::{Key, PartialKey, ROW_MARKER_FAMILY, Value};
pub use mutation::{ColumnUpdate, ErasedColumns, Mutation};
pub use range::Range;
pub use row_buffer::{CellRef, RowBuffer};
pub use row_ranges::{RowRange, RowRanges, prefix_end, row_successor};
pub use visibility::{ColumnVisibility, VisibilityError};
pub use visibility_evaluator::VisibilityEvaluator;
