//! Prepared statements: parsed once, and run with other values again and again.
//!
//! In the order data meets them: [`Numbered`](crate::statement::Numbered) gives every parameter a number; a [`PreparedStatement`] keeps the
//! statement, the plan that DataFusion made of it and what the plan was made under; [`Prepared`] is the same in the hands
//! of a program, [`NamedStatements`] what SQL's PREPARE keeps for EXECUTE.
//!
//! With the values there are two ways to the rows, and both give what the statement gives with the values written into
//! its text:
//!
//! * *Direct.* If the optimised plan is a projection of one tablet table under filters, maybe sorted and limited, a
//!   `Template` is made of it, one for the types of the values. The values are put into the filters, these are
//!   decomposed as in every scan (or, if they are nothing but a whole key, become a row id at once), and the calling
//!   thread reads. It works where the store answers the filters exactly and there is little to read.
//! * *Planned.* Everything else: the values are put into the plan, which goes through the optimiser and runs as usual.
//!
//! A plan is made anew when the catalog or the session's settings have changed since. The version of a table is taken
//! when the statement runs.

mod bind;
mod handle;
mod parameter;
mod planned;
mod point;
mod recognise;
mod statement;
mod template;

pub use handle::Prepared;
pub use parameter::Parameter;

pub(crate) use planned::not_prepared;
pub(crate) use statement::{Answer, NamedStatements, PreparedStatement, values_of};
