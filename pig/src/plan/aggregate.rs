//! GROUP with a FOREACH of algebraic functions over it: one aggregate, no bags.
//!
//! COUNT, SUM and the like over a bag, over a field of it, over a nested FILTER of it or, for COUNT, a nested DISTINCT,
//! are what DataFusion's aggregates are. A FOREACH whose bags stand only in such calls never makes the bags; Pig calls
//! that the combiner. All else falls back to bags.

use datafusion::common::Result;
use datafusion::functions_aggregate::expr_fn::{count, count_distinct, max, min, sum};
use datafusion::logical_expr::{ExprFunctionExt, LogicalPlan as Plan, LogicalPlanBuilder, cast, lit, when};
use datafusion::prelude::Expr;
use ostracon_piglatin::logical::{
    Aggregated, ForeachItem, GroupBranch, LogicalOperator, NodeId, TypedExpression, TypedKind,
    for_each_child_mut,
};
use ostracon_piglatin::types::{Field, PigType, Schema};

use crate::columns::arrow_type;
use crate::plan::foreach::generate;
use crate::plan::references::References;
use crate::plan::relation::Lowering;
use crate::plan::{column, field};

/// A call that becomes an aggregate: of what, over which rows.
#[derive(Debug, Clone)]
struct Found {
    aggregated: Aggregated,
    /// The field of the input's rows, and the type it is cast to first; none counts rows.
    operand: Option<TypedExpression>,
    condition: Option<TypedExpression>,
    distinct: bool,
    result: PigType,
}

impl Lowering<'_> {
    /// The plan of a FOREACH over a GROUP of one relation, if its bags need not be made.
    pub(crate) fn aggregate(
        &self,
        input: NodeId,
        bindings: &[TypedExpression],
        items: &[ForeachItem],
        output: Option<&Schema>,
    ) -> Result<Option<Plan>> {
        let LogicalOperator::Group { inputs, all, tuple_key } = &self.node(input).operator else {
            return Ok(None);
        };
        let ([branch], Some(schema), None) = (inputs.as_slice(), &self.node(input).schema, self.made(input))
        else {
            return Ok(None);
        };
        let Some(rows) = &self.node(branch.input).schema else { return Ok(None) };
        let mut search = Search { rows, bindings, found: Vec::new(), bag_left: false };
        let items: Vec<ForeachItem> = items
            .iter()
            .map(|item| ForeachItem {
                expression: search.rewrite(&item.expression),
                flatten: item.flatten.clone(),
            })
            .collect();
        if search.bag_left {
            return Ok(None);
        }
        let found = search.found;
        let Some(plan) = self.aggregated(branch, *all, *tuple_key, &found)? else { return Ok(None) };
        let mut fields =
            vec![schema.fields.first().cloned().unwrap_or_else(|| Field::unnamed(PigType::Chararray))];
        fields.extend(found.into_iter().map(|found| Field::unnamed(found.result)));
        generate(plan, Some(&Schema::new(fields)), &[], &items, output, self.evaluation).map(Some)
    }

    /// The key, then one column for each call.
    fn aggregated(
        &self,
        branch: &GroupBranch,
        all: bool,
        tuple_key: bool,
        found: &[Found],
    ) -> Result<Option<Plan>> {
        let (plan, keys) = self.keyed(branch)?;
        // What is aggregated is computed first, so that no expression that counts warnings stands in an aggregate.
        let mut list: Vec<Expr> = keys.iter().map(|key| column(key.as_str()).alias(key.as_str())).collect();
        let mut calls = Vec::new();
        for (index, found) in found.iter().enumerate() {
            let operand = match &found.operand {
                Some(expression) => {
                    let name = format!("v{index}");
                    list.push(self.over(branch.input, expression)?.alias(name.as_str()));
                    column(name)
                }
                None => lit(1_i64),
            };
            let condition = match &found.condition {
                Some(condition) => {
                    let name = format!("c{index}");
                    list.push(self.over(branch.input, condition)?.alias(name.as_str()));
                    Some(column(name))
                }
                None => None,
            };
            let Some((value, by)) = call(found, &operand, condition.as_ref())? else { return Ok(None) };
            calls.push(value.alias(format!("a{index}")));
            calls.extend(by.map(|by| by.alias(format!("n{index}"))));
        }
        calls.push(count(lit(1_i64)).alias("rows"));
        let groups: Vec<Expr> = keys.iter().map(|key| column(key.as_str())).collect();
        if list.is_empty() {
            list.push(lit(1_i64).alias("one"));
        }
        let mut builder = LogicalPlanBuilder::from(plan).project(list)?.aggregate(groups, calls)?;
        if all {
            // Without rows there is no group, where SQL has one.
            builder = builder.filter(column("rows").gt(lit(0_i64)))?;
        }
        let mut list = vec![super::cogroup::key_of(&keys, all, tuple_key).alias(field(0))];
        for (index, found) in found.iter().enumerate() {
            let to = |name: String| cast(column(name), arrow_type(&found.result));
            let value = to(format!("a{index}"));
            let second = || to(format!("n{index}"));
            let nan = match &found.result {
                PigType::Float => Some(lit(f32::NAN)),
                PigType::Double => Some(lit(f64::NAN)),
                _ => None,
            };
            let result = match (found.aggregated, nan) {
                (Aggregated::Avg, _) => value / second(),
                (Aggregated::Min, Some(nan)) => when(second().eq(nan), second()).otherwise(value)?,
                _ => value,
            };
            list.push(result.alias(field(index + 1)));
        }
        builder.project(list)?.build().map(Some)
    }
}

/// The aggregates of a call, if DataFusion has such that mean the same for the type: a value, and what is done to it.
fn call(found: &Found, operand: &Expr, condition: Option<&Expr>) -> Result<Option<(Expr, Option<Expr>)>> {
    use PigType::{Boolean, Chararray, Double, Float, Int, Long};
    let to = |ty: &PigType| cast(operand.clone(), arrow_type(ty));
    let filtered = |expr: Expr| match condition {
        Some(condition) => expr.filter(condition.clone()).build(),
        None => Ok(expr),
    };
    let ty = found.operand.as_ref().map(|operand| &operand.ty);
    let value = match (found.aggregated, ty) {
        (Aggregated::CountStar, _) if !found.distinct => count(lit(1_i64)),
        (Aggregated::Count, _) if found.distinct => count_distinct(operand.clone()),
        (Aggregated::Count, _) => count(operand.clone()),
        _ if found.distinct => return Ok(None),
        // As Pig has it: integers are summed as longs, which wrap; the mean divides that once.
        (Aggregated::Sum | Aggregated::Avg, Some(Int | Long)) => sum(to(&Long)),
        (Aggregated::Sum | Aggregated::Avg, Some(Float | Double)) => sum(to(&Double)),
        (Aggregated::Min, Some(Int | Long | Float | Double | Chararray | Boolean)) => min(operand.clone()),
        (Aggregated::Max, Some(Int | Long | Float | Double | Chararray | Boolean)) => max(operand.clone()),
        _ => return Ok(None),
    };
    let by = match (found.aggregated, ty) {
        (Aggregated::Avg, _) => Some(filtered(count(operand.clone()))?),
        // NaN is the largest of DataFusion's numbers; in Java it wins as the smallest too.
        (Aggregated::Min, Some(Float | Double)) => Some(filtered(max(operand.clone()))?),
        _ => None,
    };
    Ok(Some((filtered(value)?, by)))
}

/// Looks for calls over the one bag of a group, and puts fields in their place.
struct Search<'a> {
    rows: &'a Schema,
    bindings: &'a [TypedExpression],
    found: Vec<Found>,
    /// Whether the bag, or something around it, is needed as it is.
    bag_left: bool,
}

/// Rows of the bag: which, which of their fields, and cast to what.
struct Selected {
    condition: Option<TypedExpression>,
    field: Option<(usize, PigType)>,
    distinct: bool,
}

impl Search<'_> {
    fn rewrite(&mut self, expression: &TypedExpression) -> TypedExpression {
        if let TypedKind::Binding { index } = expression.kind {
            // A binding stands for its expression: bindings that are only aggregated need not be computed.
            return match self.bindings.get(index) {
                Some(bound) => self.rewrite(&bound.clone()),
                None => expression.clone(),
            };
        }
        if let Some(found) = self.find(expression) {
            self.found.push(found);
            let kind = TypedKind::Field { depth: 0, index: self.found.len() };
            return TypedExpression { kind, ty: expression.ty.clone(), span: expression.span };
        }
        match expression.kind {
            TypedKind::Field { depth: 0, index: 0 } => return expression.clone(),
            TypedKind::Field { .. } | TypedKind::DynamicField { .. } | TypedKind::Row { .. } => {
                self.bag_left = true;
                return expression.clone();
            }
            _ => {}
        }
        let mut expression = expression.clone();
        for_each_child_mut(&mut expression, |child, deeper| match deeper {
            false => *child = self.rewrite(child),
            // Expressions over the tuples of some bag may read the group's fields from further in.
            true => self.bag_left = true,
        });
        expression
    }

    fn find(&self, expression: &TypedExpression) -> Option<Found> {
        let TypedKind::Call { function, arguments } = &expression.kind else { return None };
        let aggregated = function.algebraic()?;
        let [argument] = arguments.as_slice() else { return None };
        let selected = self.select(argument)?;
        let operand = match (aggregated, selected.field) {
            (Aggregated::CountStar, _) => None,
            (_, Some((index, ty))) => Some(self.operand(index, ty, argument)?),
            // The first field decides whether COUNT counts a row.
            (Aggregated::Count, None) => {
                Some(self.operand(0, self.rows.fields.first()?.ty.clone(), argument)?)
            }
            (_, None) if self.rows.fields.len() == 1 => {
                Some(self.operand(0, self.rows.fields.first()?.ty.clone(), argument)?)
            }
            _ => return None,
        };
        let result = expression.ty.clone();
        Some(Found {
            aggregated,
            operand,
            condition: selected.condition,
            distinct: selected.distinct,
            result,
        })
    }

    fn operand(&self, index: usize, ty: PigType, at: &TypedExpression) -> Option<TypedExpression> {
        let own = self.rows.fields.get(index)?.ty.clone();
        let read =
            TypedExpression { kind: TypedKind::Field { depth: 0, index }, ty: own.clone(), span: at.span };
        Some(match own == ty {
            true => read,
            false => TypedExpression { kind: TypedKind::Cast(Box::new(read)), ty, span: at.span },
        })
    }

    /// The rows that a bag expression selects of the group's bag.
    fn select(&self, bag: &TypedExpression) -> Option<Selected> {
        match &bag.kind {
            TypedKind::Field { depth: 0, index: 1 } => {
                Some(Selected { condition: None, field: None, distinct: false })
            }
            TypedKind::Binding { index } => self.select(self.bindings.get(*index)?),
            TypedKind::BagProject { bag, indices } => {
                let selected = self.select(bag)?;
                match (indices.as_slice(), selected.field.is_some() || selected.distinct) {
                    ([index], false) => {
                        let ty = self.rows.fields.get(*index)?.ty.clone();
                        Some(Selected { field: Some((*index, ty)), ..selected })
                    }
                    _ => None,
                }
            }
            TypedKind::BagFilter { bag, condition } => {
                let selected = self.select(bag)?;
                let own = Self::reads_only_its_tuple(condition);
                let plain = selected.condition.is_none() && selected.field.is_none() && !selected.distinct;
                (own && plain).then(|| Selected { condition: Some(condition.as_ref().clone()), ..selected })
            }
            TypedKind::BagDistinct(bag) => {
                let selected = self.select(bag)?;
                // Distinct rows of one field: null among them, which COUNT leaves out as the aggregate does.
                selected.field.is_some().then_some(Selected { distinct: true, ..selected })
            }
            TypedKind::Cast(inner) => {
                let selected = self.select(inner)?;
                let (PigType::Bag { fields: Some(to), .. }, Some((index, _))) = (&bag.ty, &selected.field)
                else {
                    return None;
                };
                let [one] = to.fields.as_slice() else { return None };
                let field = Some((*index, one.ty.clone()));
                (!selected.distinct).then_some(Selected { field, ..selected })
            }
            _ => None,
        }
    }

    /// Whether a condition over the tuples of a bag reads nothing around the bag.
    fn reads_only_its_tuple(condition: &TypedExpression) -> bool {
        let around = References::at(condition, 1);
        around.fields.is_empty() && !around.row && around.bindings.is_empty()
    }
}
