//! [`TabletDmlRule`]: the rewrite.

use std::sync::Arc;

use datafusion::arrow::datatypes::SchemaRef;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TreeNode, TreeNodeRecursion};
use datafusion::common::{Column, ScalarValue, TableReference};
use datafusion::datasource::{DefaultTableSource, provider_as_source};
use datafusion::error::Result;
use datafusion::logical_expr::dml::InsertOp;
use datafusion::logical_expr::{
    DmlStatement, Expr, LogicalPlan, LogicalPlanBuilder, Projection, TableSource, WriteOp,
};
use datafusion::optimizer::AnalyzerRule;

use super::row_source::RowSource;
use super::targets::{Change, ChangeTarget};
use crate::error::HandlerError;
use crate::mapping::ColumnTarget;
use crate::properties::InsertMode;
use crate::provider::TabletTableProvider;
use crate::scan::{LABELS_COLUMN, ROW_COLUMN};

/// Rewrites UPDATE, DELETE and merging INSERT statements on tablet tables; other plans stay as they are.
#[derive(Debug, Default)]
pub struct TabletDmlRule;

impl AnalyzerRule for TabletDmlRule {
    fn analyze(&self, plan: LogicalPlan, _config: &ConfigOptions) -> Result<LogicalPlan> {
        let rewritten = plan.transform_down(|node| match node {
            LogicalPlan::Dml(statement) => match rewrite(&statement)? {
                Some(rewritten) => {
                    Ok(Transformed::new(LogicalPlan::Dml(rewritten), true, TreeNodeRecursion::Jump))
                }
                None => Ok(Transformed::no(LogicalPlan::Dml(statement))),
            },
            other => Ok(Transformed::no(other)),
        })?;
        Ok(rewritten.data)
    }

    fn name(&self) -> &str {
        "tablet_dml"
    }
}

/// The tablet table that a statement writes.
fn tablet_table(target: &Arc<dyn TableSource>) -> Option<&TabletTableProvider> {
    let source = target.downcast_ref::<DefaultTableSource>()?;
    source.table_provider.downcast_ref::<TabletTableProvider>()
}

fn rewrite(statement: &DmlStatement) -> Result<Option<DmlStatement>> {
    let Some(table) = tablet_table(&statement.target) else { return Ok(None) };
    let name = &statement.table_name;
    let (change, input, op) = match statement.op {
        WriteOp::Delete => {
            let rows = with_row_source(&statement.input, name, table)?;
            let hidden = hidden_columns(&rows)?;
            let plan = LogicalPlanBuilder::from(rows).project(hidden)?.build()?;
            (Change::Delete, plan, InsertOp::Append)
        }
        WriteOp::Update => {
            let LogicalPlan::Projection(values) = statement.input.as_ref() else {
                return Err(HandlerError::internal("an UPDATE was planned without its assignments").into());
            };
            let rows = with_row_source(&values.input, name, table)?;
            let assigned = assigned(&values.expr);
            let mut expressions = if rewrites_rows(table, &assigned) {
                values.expr.clone()
            } else {
                only(&values.expr, &assigned, &statement.target.schema())?
            };
            expressions.extend(hidden_columns(&rows)?);
            let joined = rows.exists(|node| Ok(matches!(node, LogicalPlan::Join(_))))?;
            let plan = LogicalPlan::Projection(Projection::try_new(expressions, Arc::new(rows))?);
            (Change::Update { assigned, joined }, plan, InsertOp::Append)
        }
        WriteOp::Insert(op) if table.definition().properties.insert_mode == InsertMode::Merge => {
            let LogicalPlan::Projection(values) = statement.input.as_ref() else { return Ok(None) };
            let named = named(&values.expr);
            (Change::Insert { named }, statement.input.as_ref().clone(), op)
        }
        _ => return Ok(None),
    };
    let target = provider_as_source(Arc::new(ChangeTarget::new(table.clone(), change)));
    Ok(Some(DmlStatement::new(name.clone(), target, WriteOp::Insert(op), Arc::new(input))))
}

/// The columns whose new value is something else than their old one.
fn assigned(values: &[Expr]) -> Vec<usize> {
    let kept = |value: &Expr| match value {
        Expr::Alias(alias) => {
            matches!(alias.expr.as_ref(), Expr::Column(column) if column.name == alias.name)
        }
        Expr::Column(_) => true,
        _ => false,
    };
    values.iter().enumerate().filter(|(_, value)| !kept(value)).map(|(column, _)| column).collect()
}

/// Whether an UPDATE writes rows anew, and so needs all of their values: it moves them, or changes label or time.
fn rewrites_rows(table: &TabletTableProvider, assigned: &[usize]) -> bool {
    let definition = table.definition();
    assigned.iter().filter_map(|column| definition.columns.get(*column)).any(|column| {
        matches!(
            column.target,
            ColumnTarget::RowId { .. } | ColumnTarget::Visibility | ColumnTarget::Timestamp
        )
    })
}

/// The new values, and NULL for the others: what is not written need not be read.
fn only(values: &[Expr], assigned: &[usize], schema: &SchemaRef) -> Result<Vec<Expr>> {
    let values = values.iter().zip(schema.fields()).enumerate();
    values
        .map(|(column, (value, field))| {
            if assigned.contains(&column) {
                return Ok(value.clone());
            }
            let null = ScalarValue::try_new_null(field.data_type())?;
            Ok(Expr::Literal(null, None).alias(field.name()))
        })
        .collect()
}

/// The columns that an INSERT names: the planner fills in the others with constants.
fn named(values: &[Expr]) -> Vec<usize> {
    let values = values.iter().enumerate();
    values.filter(|(_, value)| !value.column_refs().is_empty()).map(|(column, _)| column).collect()
}

/// The plan with the statement's own scan, the first one of the table, replaced.
fn with_row_source(
    plan: &Arc<LogicalPlan>,
    name: &TableReference,
    table: &TabletTableProvider,
) -> Result<LogicalPlan> {
    let mut found = false;
    let rows = plan.as_ref().clone().transform_up(|node| match node {
        LogicalPlan::TableScan(scan) if !found && scan.table_name.resolved_eq(name) => {
            found = true;
            let source = provider_as_source(Arc::new(RowSource::new(table.clone())));
            let replaced =
                LogicalPlanBuilder::scan_with_filters(scan.table_name, source, None, scan.filters)?
                    .build()?;
            Ok(Transformed::yes(replaced))
        }
        other if found => Ok(Transformed::yes(other.recompute_schema()?)),
        other => Ok(Transformed::no(other)),
    })?;
    if found {
        Ok(rows.data)
    } else {
        Err(HandlerError::internal("the statement does not read the table it changes").into())
    }
}

/// The columns of row bytes and labels, as the plan qualifies them.
fn hidden_columns(rows: &LogicalPlan) -> Result<Vec<Expr>> {
    [ROW_COLUMN, LABELS_COLUMN]
        .into_iter()
        .map(|name| {
            let (qualifier, field) = rows.schema().qualified_field_with_unqualified_name(name)?;
            Ok(Expr::Column(Column::new(qualifier.cloned(), field.name())))
        })
        .collect()
}
