//! Reading: from a [`ScanSpec`] to rows.
//!
//! Two paths give the same answer. On the *row path* a row of a segment goes straight into a
//! [`RowBuffer`](ostracon_data::RowBuffer), and the fragments of a row, newest first, are merged into one, without
//! allocation per cell. On the *cell path*, taken when a table or scan names iterators, rows become sorted cells that run
//! through an [`IteratorStack`](ostracon_iterators::IteratorStack).
//!
//! ```text
//! spec -> Scanner -> a row (one cursor per source, merged) -> resolve -> RowBuffer -> row filter -> rows
//!                                                    \-> sorted cells -> iterator stack -> RowBuffer -/
//! ```

mod assemble;
mod assembled_rows;
mod batch;
mod cell_rows;
mod cell_scanner;
mod cells;
mod column_path;
mod columnar_row;
mod columns;
mod cursor;
mod fragment_finder;
mod fragments;
mod metrics;
mod partitions;
mod point;
mod resolve;
mod run_cursor;
mod scanner;
mod source_cursor;
mod spec;

pub use batch::BatchScanner;
pub use cell_scanner::CellScanner;
pub use column_path::SegmentHits;
pub use metrics::ScanMetrics;
pub use point::PointReader;
pub use scanner::{Piece, Scanner};
pub use spec::{ColumnFilter, ColumnSelection, ScanSpec};

pub(crate) use assemble::RowRules;
pub(crate) use assembled_rows::{AssembledRows, Next};
pub(crate) use cell_rows::CellRows;
pub(crate) use columns::ColumnRoles;
pub(crate) use fragment_finder::FragmentFinder;
pub(crate) use fragments::{FragmentRows, Order, RowFragments};
pub(crate) use scanner::check;
pub(crate) use spec::oldest_time;
