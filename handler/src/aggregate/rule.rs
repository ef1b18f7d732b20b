//! [`PartialAggregates`]: the optimizer's rule.

use std::sync::Arc;

use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::error::Result;
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::aggregates::{AggregateExec, AggregateMode};

use super::exec::TabletAggregateExec;
use super::recognise::recognise;
use crate::settings::OstraconSettings;

/// Lets tablet scans compute the first half of the aggregates right above them; the second half stays with DataFusion.
#[derive(Debug, Default)]
pub struct PartialAggregates;

impl PhysicalOptimizerRule for PartialAggregates {
    fn optimize(
        &self,
        plan: Arc<dyn ExecutionPlan>,
        config: &ConfigOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        if !OstraconSettings::of(config).partial_aggregates {
            return Ok(plan);
        }
        let replaced = plan.transform_down(|node| {
            let replacement = node.downcast_ref::<AggregateExec>().map(replace).transpose()?.flatten();
            Ok(replacement.map_or_else(|| Transformed::no(node), Transformed::yes))
        })?;
        Ok(replaced.data)
    }

    fn name(&self) -> &str {
        "tablet_partial_aggregates"
    }

    fn schema_check(&self) -> bool {
        true
    }
}

/// The plan that gives what the aggregate gives, with a part of the work in the store.
fn replace(aggregate: &AggregateExec) -> Result<Option<Arc<dyn ExecutionPlan>>> {
    let whole = match aggregate.mode() {
        AggregateMode::Partial => false,
        AggregateMode::Single | AggregateMode::SinglePartitioned => true,
        _ => return Ok(None),
    };
    let partial = |input: Arc<dyn ExecutionPlan>| {
        AggregateExec::try_new(
            AggregateMode::Partial,
            aggregate.group_expr().clone(),
            aggregate.aggr_expr().to_vec(),
            aggregate.filter_expr().to_vec(),
            input,
            aggregate.input_schema(),
        )
    };
    let schema = if whole { partial(Arc::clone(aggregate.input()))?.schema() } else { aggregate.schema() };
    let Some((chain, spec)) = recognise(aggregate, &schema) else { return Ok(None) };
    let engine = partial(chain.over(Arc::new(chain.scan.clone()))?)?;
    let node: Arc<dyn ExecutionPlan> = Arc::new(TabletAggregateExec::new(spec, chain, Arc::new(engine)));
    if !whole {
        return Ok(Some(node));
    }
    let last = AggregateExec::try_new(
        AggregateMode::Final,
        aggregate.group_expr().as_final(),
        aggregate.aggr_expr().to_vec(),
        aggregate.filter_expr().to_vec(),
        node,
        aggregate.input_schema(),
    )?;
    Ok((last.schema() == aggregate.schema()).then(|| Arc::new(last) as _))
}
