//! Reading: from a [`ScanSpec`] to rows.
//!
//! Two paths give the same answer. On the *row path* the fragments of a row, newest first, are merged straight into a
//! [`RowBuffer`](ostracon_data::RowBuffer), without allocation per cell. On the *cell path*, taken when a table or scan
//! names iterators, the fragments become sorted cells that run through an
//! [`IteratorStack`](ostracon_iterators::IteratorStack).
//!
//! ```text
//! spec -> Scanner -> fragments (one cursor per epoch, merged by row) -> resolve -> RowBuffer -> row filter -> rows
//!                                                               \-> sorted cells -> iterator stack -> RowBuffer -/
//! ```

mod assemble;
mod batch;
mod cell_rows;
mod cell_scanner;
mod cells;
mod columns;
mod cursor;
mod fragments;
mod point;
mod resolve;
mod scanner;
mod spec;

pub use batch::BatchScanner;
pub use cell_scanner::CellScanner;
pub use point::PointReader;
pub use scanner::{ScanMetrics, Scanner};
pub use spec::{ColumnFilter, ColumnSelection, ScanSpec};

pub(crate) use assemble::{RowAssembler, RowRules};
pub(crate) use cell_rows::CellRows;
pub(crate) use columns::ColumnRoles;
pub(crate) use fragments::{FragmentRows, RowFragments};
pub(crate) use scanner::{Next, check};
pub(crate) use spec::oldest_time;
