//! ORDER and RANK.

use std::sync::Arc;

use datafusion::common::Result;
use datafusion::functions_window::expr_fn::{dense_rank, rank, row_number};
use datafusion::logical_expr::{
    ExprFunctionExt, LogicalPlan as Plan, LogicalPlanBuilder, Sort, SortExpr, cast,
};
use datafusion::prelude::Expr;
use ostracon_piglatin::logical::{NodeId, SortKey};

use crate::plan::relation::Lowering;
use crate::plan::{column, field};

/// The column of the rank before it becomes the first field.
const RANK: &str = "rank";

impl Lowering<'_> {
    /// The keys are columns of the input as it stands. The builder's `sort` would look for them inside the aliases of a
    /// projection below, where `f1` may be what became `f0`.
    pub(crate) fn order(&self, input: NodeId, keys: &[SortKey]) -> Result<Plan> {
        let input_plan = Arc::new(self.relation(input)?);
        Ok(Plan::Sort(Sort { expr: self.sort_keys(input, keys)?, input: input_plan, fetch: None }))
    }

    /// Null is the smallest value: first, or last in descending order (N41).
    fn sort_keys(&self, input: NodeId, keys: &[SortKey]) -> Result<Vec<SortExpr>> {
        keys.iter()
            .map(|key| Ok(self.over(input, &key.expression)?.sort(!key.descending, !key.descending)))
            .collect()
    }

    pub(crate) fn rank(&self, input: NodeId, keys: &[SortKey], dense: bool) -> Result<Plan> {
        let function: Expr = match (keys.is_empty(), dense) {
            (true, _) => row_number(),
            (false, true) => dense_rank(),
            (false, false) => rank(),
        };
        let function = match keys.is_empty() {
            true => function,
            false => function.order_by(self.sort_keys(input, keys)?).build()?,
        };
        let names = self.columns(input);
        let first = cast(column(RANK), arrow::datatypes::DataType::Int64);
        let fields = std::iter::once(first.alias(field(0))).chain(
            names.iter().enumerate().map(|(index, name)| column(name.as_str()).alias(field(index + 1))),
        );
        LogicalPlanBuilder::from(self.relation(input)?)
            .window([function.alias(RANK)])?
            .project(fields.collect::<Vec<_>>())?
            .build()
    }
}
