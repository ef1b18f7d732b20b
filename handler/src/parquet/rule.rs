//! [`NarrowParquetScans`]: the optimizer's rule that tells scans which parts of columns a query looks at.
//!
//! DataFusion's plans project whole columns. This rule goes from the root of a plan to its scans and notes for every column
//! which parts anybody looks at ([`super::uses`]). The scan then reads no more; types stay as they are, and parts that
//! nobody looks at are NULL.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use datafusion::arrow::datatypes::DataType;
use datafusion::common::tree_node::{Transformed, TreeNode, TreeNodeRecursion};
use datafusion::common::{Column, DFSchema, DataFusionError};
use datafusion::datasource::{provider_as_source, source_as_provider};
use datafusion::error::Result;
use datafusion::logical_expr::{
    Aggregate, Expr, Join, JoinType, LogicalPlan, Partitioning, TableScan, Unnest,
};
use datafusion::optimizer::{ApplyOrder, OptimizerConfig, OptimizerRule};

use super::access::{Access, ColumnAccess, ELEMENT};
use super::table::ParquetTable;
use super::uses::Uses;

/// Lets scans of Parquet tables read the parts of columns that the plan looks at.
#[derive(Debug, Default)]
pub struct NarrowParquetScans;

impl OptimizerRule for NarrowParquetScans {
    fn name(&self) -> &str {
        "narrow_parquet_scans"
    }

    /// The rule goes through the plan by itself.
    fn apply_order(&self) -> Option<ApplyOrder> {
        None
    }

    fn rewrite(&self, plan: LogicalPlan, _config: &dyn OptimizerConfig) -> Result<Transformed<LogicalPlan>> {
        if !reads_parquet(&plan)? || is_correlated(&plan)? {
            return Ok(Transformed::no(plan));
        }
        let need = vec![Access::Whole; plan.schema().fields().len()];
        narrow(plan.clone(), &need).or_else(|error| {
            // Columns read whole are always right.
            tracing::debug!(%error, "a plan's scans are not narrowed");
            Ok(Transformed::no(plan))
        })
    }
}

fn reads_parquet(plan: &LogicalPlan) -> Result<bool> {
    plan.exists(|node| Ok(matches!(node, LogicalPlan::TableScan(scan) if parquet_table(scan).is_some())))
}

fn parquet_table(scan: &TableScan) -> Option<ParquetTable> {
    source_as_provider(&scan.source).ok()?.downcast_ref::<ParquetTable>().cloned()
}

/// Whether a subquery looks at columns of the plan around it.
fn is_correlated(plan: &LogicalPlan) -> Result<bool> {
    let mut found = false;
    plan.apply_with_subqueries(|node| {
        node.apply_expressions(|expr| {
            expr.apply(|inner| {
                found |= matches!(inner, Expr::OuterReferenceColumn(_, _));
                Ok(if found { TreeNodeRecursion::Stop } else { TreeNodeRecursion::Continue })
            })
        })
    })?;
    Ok(found)
}

/// The plan with narrower scans, if `need` is what is looked at of its columns.
fn narrow(plan: LogicalPlan, need: &[Access]) -> Result<Transformed<LogicalPlan>> {
    if let LogicalPlan::TableScan(scan) = plan {
        return narrow_scan(scan, need);
    }
    let needs = needs_of_inputs(&plan, need)?;
    let mut needs = needs.into_iter();
    plan.map_children(|input| match needs.next() {
        Some(need) => narrow(input, &need),
        None => Err(DataFusionError::Internal("a plan has more inputs than it tells of".into())),
    })
}

/// What a node looks at of each of its inputs.
fn needs_of_inputs(plan: &LogicalPlan, need: &[Access]) -> Result<Vec<Vec<Access>>> {
    let single = |input: &LogicalPlan, expressions: &[&Expr]| -> Result<Vec<Vec<Access>>> {
        let mut uses = passed(input.schema(), need)?;
        expressions.iter().try_for_each(|expr| uses.whole(expr))?;
        Ok(vec![uses.into_columns()])
    };
    match plan {
        LogicalPlan::Projection(projection) => {
            let mut uses = Uses::new(projection.input.schema());
            for (expr, access) in projection.expr.iter().zip(need) {
                uses.expression(expr, access.clone())?;
            }
            Ok(vec![uses.into_columns()])
        }
        LogicalPlan::Filter(filter) => single(&filter.input, &[&filter.predicate]),
        LogicalPlan::SubqueryAlias(alias) => single(&alias.input, &[]),
        LogicalPlan::Limit(limit) => single(&limit.input, &[]),
        LogicalPlan::Sort(sort) => {
            single(&sort.input, &sort.expr.iter().map(|key| &key.expr).collect::<Vec<_>>())
        }
        LogicalPlan::Window(window) => single(&window.input, &window.window_expr.iter().collect::<Vec<_>>()),
        LogicalPlan::Repartition(repartition) => match &repartition.partitioning_scheme {
            Partitioning::RoundRobinBatch(_) => single(&repartition.input, &[]),
            Partitioning::Hash(keys, _) => single(&repartition.input, &keys.iter().collect::<Vec<_>>()),
            _ => Ok(everything(plan)),
        },
        LogicalPlan::Aggregate(aggregate) => aggregated(aggregate),
        LogicalPlan::Union(union) => Ok(union.inputs.iter().map(|_| need.to_vec()).collect()),
        LogicalPlan::Join(join) => joined(join, need),
        LogicalPlan::Unnest(unnest) => unnested(unnest, need),
        _ => Ok(everything(plan)),
    }
}

fn everything(plan: &LogicalPlan) -> Vec<Vec<Access>> {
    plan.inputs().iter().map(|input| vec![Access::Whole; input.schema().fields().len()]).collect()
}

fn aggregated(aggregate: &Aggregate) -> Result<Vec<Vec<Access>>> {
    let mut uses = Uses::new(aggregate.input.schema());
    aggregate.group_expr.iter().chain(&aggregate.aggr_expr).try_for_each(|expr| uses.whole(expr))?;
    Ok(vec![uses.into_columns()])
}

fn joined(join: &Join, need: &[Access]) -> Result<Vec<Vec<Access>>> {
    let (left, right) = (join.left.schema(), join.right.schema());
    let (of_left, of_right) = match join.join_type {
        JoinType::Inner | JoinType::Left | JoinType::Right | JoinType::Full => {
            let middle = left.fields().len().min(need.len());
            need.split_at(middle)
        }
        JoinType::LeftSemi | JoinType::LeftAnti | JoinType::LeftMark => (need, &[][..]),
        JoinType::RightSemi | JoinType::RightAnti | JoinType::RightMark => (&[][..], need),
    };
    let mut from_left = passed(left, of_left)?;
    let mut from_right = passed(right, of_right)?;
    for (on_left, on_right) in &join.on {
        from_left.whole(on_left)?;
        from_right.whole(on_right)?;
    }
    if let Some(filter) = &join.filter {
        let schema = left.join(right)?;
        let mut uses = Uses::new(&schema);
        uses.whole(filter)?;
        let mut both = uses.into_columns();
        let rights = both.split_off(left.fields().len().min(both.len()));
        for (uses, accesses) in [(&mut from_left, both), (&mut from_right, rights)] {
            for (index, access) in accesses.into_iter().enumerate() {
                uses.column_at(index, access)?;
            }
        }
    }
    Ok(vec![from_left.into_columns(), from_right.into_columns()])
}

fn passed<'s>(schema: &'s DFSchema, need: &[Access]) -> Result<Uses<'s>> {
    let mut uses = Uses::new(schema);
    for (index, access) in need.iter().enumerate().take(schema.fields().len()) {
        uses.column_at(index, access.clone())?;
    }
    Ok(uses)
}

fn unnested(unnest: &Unnest, need: &[Access]) -> Result<Vec<Vec<Access>>> {
    let input = unnest.input.schema();
    let mut uses = Uses::new(input);
    let mut before: BTreeMap<usize, usize> = BTreeMap::new();
    for (output, (access, index)) in need.iter().zip(&unnest.dependency_indices).enumerate() {
        let nth = before.entry(*index).or_default();
        let column = Column::from(unnest.schema.qualified_field(output));
        let list = unnest
            .list_type_columns
            .iter()
            .find(|(from, list)| from == index && list.output_column.name() == column.name());
        let field = input.fields().get(*index);
        let access = match (list, field.map(|field| field.data_type())) {
            (Some((_, list)), Some(DataType::List(_))) => {
                (0..list.depth).fold(access.clone(), |inner, _| Access::part(ELEMENT, inner))
            }
            (None, Some(DataType::Struct(fields))) if unnest.struct_type_columns.contains(index) => {
                match fields.get(*nth) {
                    Some(field) => Access::part(field.name(), access.clone()),
                    None => Access::Whole,
                }
            }
            (None, _) if !unnest.struct_type_columns.contains(index) => access.clone(),
            _ => Access::Whole,
        };
        *nth += 1;
        uses.column_at(*index, access)?;
    }
    Ok(vec![uses.into_columns()])
}

fn narrow_scan(mut scan: TableScan, need: &[Access]) -> Result<Transformed<LogicalPlan>> {
    let Some(table) = parquet_table(&scan) else {
        return Ok(Transformed::no(LogicalPlan::TableScan(scan)));
    };
    let schema = DFSchema::try_from_qualified_schema(scan.table_name.clone(), &scan.source.schema())?;
    let mut uses = Uses::new(&schema);
    let mut read = BTreeSet::new();
    for (output, access) in need.iter().enumerate() {
        let index = match &scan.projection {
            Some(projection) => projection.get(output).copied(),
            None => Some(output),
        };
        if let Some(index) = index {
            uses.column_at(index, access.clone())?;
            read.insert(index);
        }
    }
    for filter in &scan.filters {
        uses.whole(filter)?;
        for column in filter.column_refs() {
            read.insert(schema.index_of_column(column)?);
        }
    }
    let columns = uses.into_columns().into_iter().enumerate().filter(|(index, _)| read.contains(index));
    let columns = columns.filter_map(|(index, access)| {
        let field = schema.fields().get(index)?;
        match access.simplify(field.data_type()) {
            Access::Whole => None,
            parts => Some((field.name().clone(), parts)),
        }
    });
    let access = ColumnAccess(columns.collect());
    if access == *table.access() {
        return Ok(Transformed::no(LogicalPlan::TableScan(scan)));
    }
    scan.source = provider_as_source(Arc::new(table.with_access(access)));
    Ok(Transformed::yes(LogicalPlan::TableScan(scan)))
}
