//! COPY between tables and text files.
//!
//! [`copy_to`] writes the rows of a table or query into one CSV or NDJSON file, whole or not at all; [`copy_from`] reads a
//! file into a table as one INSERT. What the first writes the second reads back to equal rows. Options are PostgreSQL's,
//! and so are their defaults.

mod from;
mod options;
mod to;

pub(crate) use from::copy_from;
pub(crate) use to::copy_to;
