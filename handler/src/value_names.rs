//! The columns that a list of VALUES fills, for errors that know them by number only.
//!
//! DataFusion checks NULLs of `INSERT INTO t VALUES ...` before the rows reach our sink, and names the offending column
//! `column1`, as the list does. [`ValueNames`] reads from the plan which column of the table that is.

use std::collections::HashMap;

use datafusion::logical_expr::{Expr, LogicalPlan};

use crate::error::HandlerError;

/// By the name in a list of VALUES: the name of the table's column.
#[derive(Debug, Default)]
pub(crate) struct ValueNames(HashMap<String, String>);

impl ValueNames {
    /// The names that the rows of an INSERT have; none if they come from anything but a list of VALUES.
    pub(crate) fn of(rows: &LogicalPlan) -> Self {
        let LogicalPlan::Projection(projection) = rows else { return Self::default() };
        if !matches!(*projection.input, LogicalPlan::Values(_)) {
            return Self::default();
        }
        let named = projection.expr.iter().filter_map(|expr| match expr {
            Expr::Alias(alias) => Some((value_name(&alias.expr)?, alias.name.clone())),
            _ => None,
        });
        Self(named.collect())
    }

    /// The error with the table's own name of the column in it.
    pub(crate) fn say(&self, error: HandlerError) -> HandlerError {
        let name = error
            .message
            .strip_prefix("Column '")
            .and_then(|rest| rest.strip_suffix("' is declared as non-nullable but contains null values"))
            .and_then(|name| self.0.get(name));
        match name {
            Some(name) => HandlerError {
                message: format!("column '{name}': NULL, but the column is NOT NULL; give it a value"),
                ..error
            },
            None => error,
        }
    }
}

fn value_name(expr: &Expr) -> Option<String> {
    match expr {
        Expr::Column(column) => Some(column.name.clone()),
        Expr::Cast(cast) => value_name(&cast.expr),
        _ => None,
    }
}
