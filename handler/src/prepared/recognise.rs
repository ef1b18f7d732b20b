//! Which plans can be read without DataFusion: a projection of one tablet table under filters, maybe sorted and limited.

use std::sync::Arc;

use datafusion::common::tree_node::{Transformed, TreeNode, TreeNodeRecursion};
use datafusion::common::{Column, DFSchema, ScalarValue};
use datafusion::datasource::source_as_provider;
use datafusion::logical_expr::utils::{split_conjunction, split_conjunction_owned};
use datafusion::logical_expr::{Expr, LogicalPlan, SortExpr, Volatility, ident, lit};

use crate::definition::TableDefinition;
use crate::provider::TabletTableProvider;

/// What such a plan reads.
#[derive(Debug, Clone)]
pub(super) struct SimpleRead {
    pub(super) table: Arc<TableDefinition>,
    /// By column of the output: its position in the table.
    pub(super) columns: Vec<usize>,
    /// Conjuncts over the table's columns, parameters in them.
    pub(super) filters: Vec<Expr>,
    /// The columns that the rows are ordered by, by their position in the table, and whether they descend.
    pub(super) order: Vec<(usize, bool)>,
    /// As many rows at most: a constant or a parameter each. The least counts.
    pub(super) limits: Vec<Expr>,
}

/// Whether the expressions of a plan give the same for the same values whenever they are evaluated: the optimiser has
/// put the answers of others, of `now()` for one, into the plan.
pub(super) fn is_timeless(plan: &LogicalPlan) -> bool {
    let mut timeless = true;
    let seen = plan.apply_with_subqueries(|node| {
        node.apply_expressions(|expr| {
            expr.apply(|part| {
                timeless &= match part {
                    Expr::ScalarFunction(call) => call.func.signature().volatility == Volatility::Immutable,
                    Expr::ScalarVariable(..) => false,
                    _ => true,
                };
                Ok(TreeNodeRecursion::Continue)
            })
        })
    });
    seen.is_ok() && timeless
}

/// Whether a plan reads nothing but tablet tables: those are the ones of which every change is known.
pub(super) fn reads_only_tablets(plan: &LogicalPlan) -> bool {
    let mut only = true;
    let seen = plan.apply_with_subqueries(|node| {
        if let LogicalPlan::TableScan(scan) = node {
            only &=
                source_as_provider(&scan.source).is_ok_and(|provider| provider.is::<TabletTableProvider>());
        }
        Ok(TreeNodeRecursion::Continue)
    });
    seen.is_ok() && only
}

/// What an optimised plan reads, if it is of the simple kind.
pub(super) fn simple_read(plan: &LogicalPlan) -> Option<SimpleRead> {
    let Rows { table, outputs, filters, order, limits } = rows_of(plan)?;
    let columns = outputs.iter().map(|output| column_of(output, &table)).collect::<Option<_>>()?;
    Some(SimpleRead { table, columns, filters, order, limits })
}

/// The rows that a node of the plan gives.
struct Rows {
    table: Arc<TableDefinition>,
    /// By column of the node: what it is, over the table's columns. The optimiser makes columns of what is used twice.
    outputs: Vec<Expr>,
    filters: Vec<Expr>,
    order: Vec<(usize, bool)>,
    limits: Vec<Expr>,
}

fn rows_of(plan: &LogicalPlan) -> Option<Rows> {
    match plan {
        LogicalPlan::TableScan(scan) => {
            let provider = source_as_provider(&scan.source).ok()?;
            let table = Arc::clone(provider.downcast_ref::<TabletTableProvider>()?.definition());
            let all: Vec<Expr> = table.columns.iter().map(|column| ident(&column.name)).collect();
            let outputs = match &scan.projection {
                Some(projection) => {
                    projection.iter().map(|index| all.get(*index).cloned()).collect::<Option<_>>()?
                }
                None => all.clone(),
            };
            let by_name = |column: &Column| all.get(table.column_index(&column.name)?);
            let filters = scan.filters.iter().map(|filter| over_table(filter, by_name));
            let filters = filters.collect::<Option<Vec<_>>>()?;
            let filters = filters.into_iter().flat_map(split_conjunction_owned).collect();
            let limits = scan.fetch.iter().map(|rows| limit_of(*rows)).collect::<Option<_>>()?;
            Some(Rows { table, outputs, filters, order: Vec::new(), limits })
        }
        LogicalPlan::SubqueryAlias(alias) => rows_of(&alias.input),
        LogicalPlan::Projection(projection) => {
            let input = rows_of(&projection.input)?;
            let schema = projection.input.schema();
            let outputs = projection.expr.iter().map(|expr| input.over_table(expr, schema));
            Some(Rows { outputs: outputs.collect::<Option<_>>()?, ..input })
        }
        LogicalPlan::Filter(filter) => {
            let mut input = rows_of(&filter.input)?;
            // Behind a limit a filter means something else.
            if !input.limits.is_empty() {
                return None;
            }
            for conjunct in split_conjunction(&filter.predicate) {
                let conjunct = input.over_table(conjunct, filter.input.schema())?;
                input.filters.push(conjunct);
            }
            Some(input)
        }
        LogicalPlan::Sort(sort) => {
            let mut input = rows_of(&sort.input)?;
            if !input.limits.is_empty() {
                return None;
            }
            let order = |sorted: &SortExpr| {
                let sorted_by = input.over_table(&sorted.expr, sort.input.schema())?;
                Some((column_of(&sorted_by, &input.table)?, !sorted.asc))
            };
            input.order = sort.expr.iter().map(order).collect::<Option<_>>()?;
            input.limits = sort.fetch.iter().map(|rows| limit_of(*rows)).collect::<Option<_>>()?;
            Some(input)
        }
        LogicalPlan::Limit(limit) => {
            let mut input = rows_of(&limit.input)?;
            let nothing = |skip: &Expr| matches!(skip, Expr::Literal(ScalarValue::Int64(None | Some(0)), _));
            if !limit.skip.as_deref().is_none_or(nothing) {
                return None;
            }
            input.limits.extend(limit.fetch.as_deref().cloned());
            Some(input)
        }
        _ => None,
    }
}

impl Rows {
    /// An expression over the node's columns as one over the table's.
    fn over_table(&self, expr: &Expr, schema: &DFSchema) -> Option<Expr> {
        over_table(expr, |column| self.outputs.get(schema.maybe_index_of_column(column)?))
    }
}

/// The column that an expression over the table's columns is.
fn column_of(expr: &Expr, table: &TableDefinition) -> Option<usize> {
    match expr {
        Expr::Column(column) => table.column_index(&column.name),
        Expr::Alias(alias) => column_of(&alias.expr, table),
        _ => None,
    }
}

fn limit_of(rows: usize) -> Option<Expr> {
    i64::try_from(rows).ok().map(lit)
}

/// The expression with columns replaced; `None` if it asks for more than a row and the values.
fn over_table<'o>(expr: &Expr, output: impl Fn(&Column) -> Option<&'o Expr>) -> Option<Expr> {
    let mut understood = true;
    let replaced = expr.clone().transform_down(|part| match part {
        Expr::Column(ref column) => match output(column) {
            Some(output) => Ok(Transformed::new(output.clone(), true, TreeNodeRecursion::Jump)),
            None => {
                understood = false;
                Ok(Transformed::no(part))
            }
        },
        Expr::ScalarSubquery(_)
        | Expr::InSubquery(_)
        | Expr::Exists(_)
        | Expr::SetComparison(_)
        | Expr::OuterReferenceColumn(..) => {
            understood = false;
            Ok(Transformed::no(part))
        }
        other => Ok(Transformed::no(other)),
    });
    replaced.ok().map(|replaced| replaced.data).filter(|_| understood)
}
