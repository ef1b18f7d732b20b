//! The algebra on sorted cells, and the filter program of a scan.
//!
//! Two ways to work on the cells of a tablet store live here, both pure: they read through a trait or from a buffer
//! and do no I/O of their own.
//!
//! **Iterators**, cell by cell, in the order data meets them: a leaf (in memory: [`SortedMapIterator`]) implements
//! [`SortedKeyValueIterator`], whose documentation is the contract of this crate. An [`IteratorStack`] puts the
//! system's iterators on it ([`DeletingIterator`], [`ColumnFamilySkippingIterator`], [`ColumnQualifierFilter`],
//! [`VisibilityFilter`]) and then those that a table or scan asks for by [`IteratorSetting`]s, which an
//! [`IteratorRegistry`] validates and makes ([`VersioningIterator`], [`WholeRowIterator`], [`AgeOffFilter`],
//! [`GrepIterator`], and any that is registered). The suite in [`contract`] checks that an iterator keeps the
//! contract.
//!
//! **The row filter**, row by row: a [`RowFilterSpec`] is what a query pushes down, a three-valued
//! [`RowPredicate`] on [`Operand`]s; a [`RowFilter`] is compiled from it and answers for one
//! [`RowBuffer`](ostracon_data::RowBuffer) at a time. [`PrimitiveComparisonFilter`] makes an iterator of it. A
//! [`ColumnarFilter`] gives the same answers for rows that lie column by column, without decoding a value where the
//! bytes allow it.
//!
//! ```
//! use ostracon_data::{Authorizations, Key, Range};
//! use ostracon_iterators::{
//!     ColumnFamilies, IteratorEnvironment, IteratorRegistry, IteratorSetting, IteratorStack,
//!     SortedKeyValueIterator, SortedMapIterator,
//! };
//!
//! let cells = SortedMapIterator::new([
//!     (Key::new("alice", "person", "age", "", 1), "40"),
//!     (Key::new("alice", "person", "age", "", 2), "41"),
//!     (Key::new("alice", "person", "salary", "hr", 1), "90000"),
//! ]);
//! let mut scan = IteratorStack::builder(IteratorEnvironment::scan(Authorizations::empty(), 0))
//!     .iterators([IteratorSetting::new("vers", 20, "VersioningIterator")])
//!     .build(Box::new(cells), &IteratorRegistry::standard())?;
//! scan.seek(&Range::all(), &ColumnFamilies::all())?;
//! assert_eq!(scan.top_value(), Some(&b"41"[..]));
//! scan.next()?;
//! assert!(!scan.has_top(), "the old version and the labelled cell are not seen");
//! # Ok::<(), ostracon_iterators::Error>(())
//! ```
//!
//! It knows no column mapping, no SQL and no DataFusion, and it does not merge sources: the store below does.

pub mod contract;

mod age_off_filter;
mod cell_filters;
mod column_families;
mod column_family_skipping_iterator;
mod column_qualifier_filter;
mod column_set;
mod combine_longs;
mod combiner;
mod deleting_iterator;
mod error;
mod factories;
mod filter;
mod grep_iterator;
mod iterator_registry;
mod iterator_stack;
mod large_row_filter;
mod option_reader;
mod primitive_comparison_filter;
mod row_deleting_iterator;
mod row_encoding;
mod row_filter;
mod row_reader;
mod settings;
mod sorted_key_value_iterator;
mod sorted_map_iterator;
mod versioning_iterator;
mod visibility_filter;
mod whole_row_iterator;

pub use age_off_filter::{AgeOffFilter, NotExpired};
pub use cell_filters::{
    ColumnAgeOffFilter, ColumnNotExpired, HasLabel, MatchesPatterns, RegExFilter, ReqVisFilter,
    TimestampFilter, WithinTimes,
};
pub use column_families::ColumnFamilies;
pub use column_family_skipping_iterator::ColumnFamilySkippingIterator;
pub use column_qualifier_filter::{ColumnChoice, ColumnQualifierFilter, FetchedColumns, Qualifiers};
pub use column_set::ColumnSet;
pub use combine_longs::{LongEncoding, LongLists, LongOperation, Longs};
pub use combiner::{CombineValues, Combiner};
pub use deleting_iterator::{DeleteBehavior, DeletingIterator};
pub use error::{BytesText, Error, Result};
pub use filter::{CellPredicate, Filter};
pub use grep_iterator::{GrepIterator, HoldsTerm};
pub use iterator_registry::{IteratorFactory, IteratorOption, IteratorRegistry};
pub use iterator_stack::{IteratorStack, IteratorStackBuilder};
pub use large_row_filter::LargeRowFilter;
pub use option_reader::OptionReader;
pub use primitive_comparison_filter::PrimitiveComparisonFilter;
pub use row_deleting_iterator::{DELETE_ROW_VALUE, RowDeletingIterator};
pub use row_encoding::{decode_row, encode_row};
pub use row_filter::{
    CleanWhen, ColumnarFilter, ColumnarOperand, LeafScratch, LeafTest, OnBadValue, Operand, OperandSource,
    Outcomes, Postorder, RowFilter, RowFilterSpec, RowPredicate, TruthMask, ValueSummary,
};
pub use row_reader::RowReader;
pub use settings::{IteratorEnvironment, IteratorScope, IteratorSetting};
pub use sorted_key_value_iterator::SortedKeyValueIterator;
pub use sorted_map_iterator::SortedMapIterator;
pub use versioning_iterator::VersioningIterator;
pub use visibility_filter::{CanSee, VisibilityFilter};
pub use whole_row_iterator::WholeRowIterator;
