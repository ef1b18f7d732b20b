//! Rows by their key, without SQL.
//!
//! [`TableReader`] finds single rows of a tablet table as one session sees them: values of the key become a row id, the
//! row id is looked up, the cells become a [`Row`] or, for many keys at once, [`Rows`]. Nothing is planned, no task is
//! started; the calling thread reads.
//!
//! Conditions other than on whole keys are SQL's business: [`crate::prepared`] makes them cheap to ask again.

mod key;
mod reader;
mod row;

pub(crate) use key::KeyEncoder;
pub use reader::TableReader;
pub use row::{Row, Rows};
