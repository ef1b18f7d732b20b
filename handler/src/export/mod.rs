//! Arrow values as text: what `COPY t TO 'f.csv'`, `COPY t TO 'f.ndjson'` and the shell's output formats share.
//!
//! [`ColumnText`] renders one value of one column, as plain text or as JSON; [`CsvWriter`] and [`JsonWriter`] put
//! record batches of one schema onto a [`std::io::Write`]. What they write, the readers of [`crate::load`] read
//! back to equal values: NULL and the empty string are told apart, decimals and 64-bit integers keep all digits,
//! floats are written with the shortest text that gives the same bits back.
//!
//! Nothing here opens files, decides on a format by a name, or pads columns for a terminal.

mod column;
mod csv;
mod json;

pub use column::ColumnText;
pub use csv::{CsvDialect, CsvWriter};
pub use json::{JsonLayout, JsonWriter, write_json_string};
