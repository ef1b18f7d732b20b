//! Filters that are known only while a query runs.
//!
//! A join that has read its one side knows the keys that the other may hold, and a TopK that is full the value that others
//! have to beat; DataFusion hands the scan an expression that will say so. When the scan starts, what the expression says by
//! then is turned into row ranges, and rows outside of them are not read. While it goes on, each new answer narrows the scan:
//! segments are left out by their summaries, rows by their columns. Whoever made the filter still applies it, so a part
//! that is not understood is left out.

use std::sync::Arc;

use datafusion::arrow::datatypes::SchemaRef;
use datafusion::common::ScalarValue;
use datafusion::logical_expr::{BinaryExpr as LogicalBinary, Expr, Operator, ident, lit};
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_expr::expressions::{
    BinaryExpr, CaseExpr, Column, DynamicFilterPhysicalExpr, InListExpr, Literal,
};
use datafusion::physical_expr_common::physical_expr::snapshot_generation;
use ostracon_data::RowRanges;
use ostracon_iterators::RowFilterSpec;

use super::request::ScanRequest;
use crate::predicate::{DecomposedPredicate, PushdownSettings, decompose};

/// The filters of a scan, and how much of them it knows already.
#[derive(Debug, Clone, Default)]
pub(crate) struct RuntimeFilters {
    filters: Vec<Arc<dyn PhysicalExpr>>,
    /// The sum of the filters' generations when they were looked at last.
    generation: u64,
}

impl RuntimeFilters {
    pub(super) fn new(filters: Vec<Arc<dyn PhysicalExpr>>) -> Self {
        // A filter that nobody has updated is TRUE, and has a generation all the same.
        Self { filters, generation: 0 }
    }

    /// The rows that can satisfy all of the filters, as far as they are known now and understood.
    pub(super) fn row_ranges(&self, request: &ScanRequest) -> RowRanges {
        self.known(request).map_or(RowRanges::All, |known| known.row_ranges)
    }

    /// What rows have to pass from now on, if that is known and is news.
    pub(super) fn news(&mut self, request: &ScanRequest) -> Option<RowFilterSpec> {
        if self.filters.is_empty() {
            return None;
        }
        let now =
            self.filters.iter().fold(0, |sum: u64, filter| sum.wrapping_add(snapshot_generation(filter)));
        if now == self.generation {
            return None;
        }
        self.generation = now;
        self.known(request)?.row_filter
    }

    fn known(&self, request: &ScanRequest) -> Option<DecomposedPredicate> {
        let schema = request.schema();
        let known: Vec<Expr> = self.filters.iter().filter_map(|filter| understood(filter, &schema)).collect();
        (!known.is_empty()).then(|| decompose(&known, &request.definition, &PushdownSettings::default()))
    }
}

/// An expression that is TRUE wherever `filter` is; None where nothing better than TRUE is known.
fn understood(filter: &Arc<dyn PhysicalExpr>, schema: &SchemaRef) -> Option<Expr> {
    if let Some(dynamic) = filter.downcast_ref::<DynamicFilterPhysicalExpr>() {
        return understood(&dynamic.current().ok()?, schema);
    }
    if let Some(binary) = filter.downcast_ref::<BinaryExpr>() {
        return match binary.op() {
            Operator::And => match (understood(binary.left(), schema), understood(binary.right(), schema)) {
                (Some(left), Some(right)) => Some(left.and(right)),
                (one, other) => one.or(other),
            },
            Operator::Or => Some(understood(binary.left(), schema)?.or(understood(binary.right(), schema)?)),
            op if op.supports_propagation() => {
                let (left, right) = (operand(binary.left(), schema)?, operand(binary.right(), schema)?);
                Some(Expr::BinaryExpr(LogicalBinary::new(Box::new(left), *op, Box::new(right))))
            }
            _ => None,
        };
    }
    if let Some(list) = filter.downcast_ref::<InListExpr>() {
        let values: Option<Vec<Expr>> = list.list().iter().map(|value| operand(value, schema)).collect();
        return if list.negated() {
            None
        } else {
            Some(operand(list.expr(), schema)?.in_list(values?, false))
        };
    }
    if let Some(case) = filter.downcast_ref::<CaseExpr>() {
        // One branch a partition of the join; which one a row takes does not matter to a superset.
        let branches = case.when_then_expr().iter().map(|(_, then)| then).chain(case.else_expr());
        return branches
            .map(|branch| understood(branch, schema))
            .try_fold(lit(false), |any, branch| Some(any.or(branch?)));
    }
    match filter.downcast_ref::<Literal>()?.value() {
        ScalarValue::Boolean(Some(true)) => None,
        ScalarValue::Boolean(_) => Some(lit(false)),
        _ => None,
    }
}

/// A column of the scan's output, or a literal.
fn operand(expression: &Arc<dyn PhysicalExpr>, schema: &SchemaRef) -> Option<Expr> {
    if let Some(column) = expression.downcast_ref::<Column>() {
        return schema.fields().get(column.index()).map(|field| ident(field.name()));
    }
    expression.downcast_ref::<Literal>().map(|literal| Expr::Literal(literal.value().clone(), None))
}

#[cfg(test)]
mod tests {
    use datafusion::arrow::datatypes::{DataType, Field, Schema};
    use datafusion::physical_expr::expressions::{binary, col, in_list, lit as physical_lit};

    use super::*;

    fn schema() -> SchemaRef {
        Arc::new(Schema::new(vec![
            Field::new("k", DataType::Int32, false),
            Field::new("v", DataType::Int32, true),
        ]))
    }

    fn shown(filter: Arc<dyn PhysicalExpr>) -> Option<String> {
        understood(&filter, &schema()).map(|expression| expression.to_string())
    }

    #[test]
    fn what_is_not_understood_is_left_out_and_never_narrows() {
        let schema = schema();
        let k = || col("k", &schema).unwrap();
        let compare = |left, op, right| binary(left, op, right, &schema).unwrap();
        let at_least = || compare(k(), Operator::GtEq, physical_lit(5));
        let odd = || compare(compare(k(), Operator::Plus, physical_lit(1)), Operator::Eq, physical_lit(3));
        assert_eq!(shown(at_least()).as_deref(), Some("k >= Int32(5)"));
        assert_eq!(shown(odd()), None);
        assert_eq!(shown(compare(at_least(), Operator::And, odd())).as_deref(), Some("k >= Int32(5)"));
        assert_eq!(shown(compare(at_least(), Operator::Or, odd())), None);
        assert_eq!(shown(physical_lit(true)), None);
        assert_eq!(shown(physical_lit(false)).as_deref(), Some("Boolean(false)"));
        let list = in_list(k(), vec![physical_lit(1), physical_lit(7)], &false, &schema).unwrap();
        assert_eq!(shown(list).as_deref(), Some("k IN ([Int32(1), Int32(7)])"));
        let dynamic: Arc<dyn PhysicalExpr> =
            Arc::new(DynamicFilterPhysicalExpr::new(vec![k()], physical_lit(true)));
        assert_eq!(shown(Arc::clone(&dynamic)), None);
        let known = dynamic.downcast_ref::<DynamicFilterPhysicalExpr>().unwrap();
        known.update(at_least()).unwrap();
        assert_eq!(shown(dynamic).as_deref(), Some("k >= Int32(5)"));
    }
}
