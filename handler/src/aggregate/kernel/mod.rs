//! The arithmetic of partial aggregates: pure functions over columns of whole numbers.
//!
//! A [`Program`] says what is computed of the columns, [`Measures`] what is added up by group. A [`Tally`] takes
//! [`Block`]s of rows (columns with bounds, and each row's group) and keeps counts, sums, least and greatest values.
//! Where the bounds prove that 64 bits suffice, loops over `i64` slices run that the compiler vectorises; else every
//! row is computed in 128 bits and checked.
//!
//! Nothing here guesses: where the mathematical result could differ from DataFusion's, a [`Refusal`] is returned.
//! There is no I/O, no Arrow and no SQL in here.

mod block;
mod evaluate;
mod interval;
mod program;
mod scatter;
mod tally;
#[cfg(test)]
mod tests;

pub use block::{Block, Column, GroupIds, Values};
pub use evaluate::Refusal;
pub use interval::Interval;
pub use program::{Operation, Program, Step};
pub use tally::{Extreme, Measures, Sum, Tally};
