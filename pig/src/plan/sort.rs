//! ORDER and RANK.

use datafusion::common::Result;
use datafusion::functions_window::expr_fn::{dense_rank, rank, row_number};
use datafusion::logical_expr::{ExprFunctionExt, LogicalPlan as Plan, LogicalPlanBuilder, SortExpr, cast};
use datafusion::prelude::Expr;
use ostracon_piglatin::logical::{NodeId, SortKey};

use crate::plan::relation::Lowering;
use crate::plan::{column, field};

/// The column of the rank before it becomes the first field.
const RANK: &str = "rank";

impl Lowering<'_> {
    pub(crate) fn order(&self, input: NodeId, keys: &[SortKey]) -> Result<Plan> {
        LogicalPlanBuilder::from(self.relation(input)?).sort(self.sort_keys(input, keys)?)?.build()
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
