//! Partial aggregates, computed while a table is read.
//!
//! An aggregate over many rows gives few, so it is the rows' way from the store to DataFusion that costs. The optimizer's
//! rule [`PartialAggregates`] finds aggregates over a tablet scan that can be computed exactly here, and puts a
//! [`TabletAggregateExec`] in place of the scan and of DataFusion's partial aggregation; the final aggregation stays.
//!
//! In the order data meets them: [`recognise`] takes a plan apart, [`compile`] makes its expressions
//! steps of whole-number arithmetic, `spec` says what is computed, `summaries`, `stored` and `batch` feed summaries of
//! segments, packed columns and record batches to the [`kernel`], and `groups` numbers the groups. Whatever could come out
//! differently from DataFusion is handed back to it.

mod batch;
mod compile;
mod exec;
mod groups;
pub mod kernel;
mod numbers;
mod partition;
mod recognise;
mod rule;
mod spec;
mod stored;
mod summaries;
mod texts;

use std::sync::Arc;

use datafusion::execution::FunctionRegistry;
use datafusion::execution::context::SessionContext;
use datafusion::execution::{SessionState, SessionStateBuilder};
use datafusion::physical_optimizer::PhysicalOptimizerRule;

pub use exec::TabletAggregateExec;
pub use rule::PartialAggregates;

/// Adds the rule to a context, unless it is there: last, but before the plan is checked.
pub(crate) fn add_rule(context: &SessionContext) {
    let state = context.state_ref();
    let mut state = state.write();
    let mut rules = state.physical_optimizers().to_vec();
    if rules.iter().any(|rule| rule.name() == PartialAggregates.name()) {
        return;
    }
    let check = rules.iter().position(|rule| rule.name() == "SanityCheckPlan").unwrap_or(rules.len());
    rules.insert(check, Arc::new(PartialAggregates));
    let before = state.clone();
    *state = SessionStateBuilder::new_from_existing(before.clone())
        .with_session_id(before.session_id().to_owned())
        .with_physical_optimizer_rules(rules)
        .build();
    // Rebuilding switches it off where the catalog is there, and sessions made from this one's configuration need it.
    state.config_mut().options_mut().catalog.create_default_catalog_and_schema =
        before.config().options().catalog.create_default_catalog_and_schema;
    restore_functions(&mut state, &before);
}

/// Rebuilding a state registers functions in any order: one that stands under the alias of another may have lost its
/// place.
fn restore_functions(state: &mut SessionState, before: &SessionState) {
    for (name, function) in before.scalar_functions() {
        if state.scalar_functions().get(name) != Some(function) {
            // Only sessions with a function factory of their own refuse functions, and these had this one.
            drop(state.register_udf(Arc::clone(function)));
        }
    }
    for (name, function) in before.aggregate_functions() {
        if state.aggregate_functions().get(name) != Some(function) {
            drop(state.register_udaf(Arc::clone(function)));
        }
    }
    for (name, function) in before.window_functions() {
        if state.window_functions().get(name) != Some(function) {
            drop(state.register_udwf(Arc::clone(function)));
        }
    }
}
