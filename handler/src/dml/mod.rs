//! UPDATE and DELETE as plans of the whole statement.
//!
//! DataFusion's own hooks for them hand over the filters that the optimizer left on the table's scan, and lose
//! sub-queries and joins on the way. [`TabletDmlRule`] rewrites the statement before the optimizer sees it: the scan of
//! the table is replaced by one that also gives each row's bytes and labels (`RowSource`), and the statement becomes
//! an insert of its rows into a [target](targets) that deletes or updates. So every statement that DataFusion can plan
//! is carried out as it was written.
//!
//! [`RowLabels`] is what travels of the labels. The writes themselves are in [`crate::write`].

mod labels;
mod row_source;
mod rule;
mod targets;

pub(crate) use labels::{RowLabels, hidden_columns};
pub use rule::TabletDmlRule;
