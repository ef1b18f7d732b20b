//! Typed plans as DataFusion plans.
//!
//! Every relation becomes a plan whose columns are `f0`, `f1`, ... with the types of [`crate::columns`], or the one
//! column `row` where the schema is not known. [`Lowering`] makes them relation by relation; [`expression`] makes
//! DataFusion expressions where DataFusion means the same as Pig, and [`interpret`] calls the row interpreter where it
//! does not.

mod aggregate;
mod cogroup;
mod expression;
mod foreach;
mod function;
mod interpret;
mod join;
pub(crate) mod kernels;
mod load;
mod references;
mod relation;
mod sort;

pub use interpret::Evaluation;
pub use load::LoadRequest;
pub use relation::{Lowering, Source};
pub(crate) use relation::{inputs_of, reached, scalars_of};

use datafusion::common::Column;
use datafusion::prelude::Expr;

/// The column of a relation's field.
pub(crate) fn field(index: usize) -> String {
    crate::columns::field_name(index)
}

/// The one column of a relation without a schema.
pub(crate) const ROW: &str = "row";

/// A column by the name it has here. Unlike `col`, it does not read dots and capitals in the name.
pub(crate) fn column(name: impl Into<String>) -> Expr {
    Expr::Column(Column::new_unqualified(name))
}
