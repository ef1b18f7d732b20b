//! FOREACH: projections, and FLATTEN in three ways, from the fastest to the most general.

use datafusion::common::{NullHandling, Result, UnnestOptions};
use datafusion::logical_expr::{LogicalPlan as Plan, LogicalPlanBuilder};
use datafusion::prelude::Expr;
use ostracon_piglatin::evaluate::{Scope, generate as generate_rows};
use ostracon_piglatin::logical::{ForeachItem, LogicalOperator, NodeId, TypedExpression};
use ostracon_piglatin::types::{PigType, Schema};
use ostracon_piglatin::value::Value;

use crate::columns::is_encoded;
use crate::plan::expression::lower;
use crate::plan::interpret::{Evaluation, RowProgram, RowShape, binding, interpret};
use crate::plan::load::narrow;
use crate::plan::references::References;
use crate::plan::relation::{Lowering, columns};
use crate::plan::{ROW, column, field, kernels};

/// The list of rows that a general FLATTEN gives, before it is unnested.
const ROWS: &str = "rows";

impl Lowering<'_> {
    pub(crate) fn foreach(
        &self,
        id: NodeId,
        input: NodeId,
        bindings: &[TypedExpression],
        items: &[ForeachItem],
    ) -> Result<Plan> {
        let output = self.node(id).schema.as_ref();
        if let LogicalOperator::Load { .. } = self.node(input).operator
            && let Some(narrowed) = narrow(self.typed_plan(), id)
        {
            let plan = self.scan(input, Some(id))?;
            return generate(
                plan,
                Some(&narrowed.schema),
                &narrowed.bindings,
                &narrowed.items,
                output,
                self.evaluation,
            );
        }
        if let Some(plan) = self.aggregate(input, bindings, items, output)? {
            return Ok(plan);
        }
        let schema = self.node(input).schema.as_ref();
        generate(self.relation(input)?, schema, bindings, items, output, self.evaluation)
    }
}

/// What FOREACH makes of rows with this schema.
pub(crate) fn generate(
    plan: Plan,
    schema: Option<&Schema>,
    bindings: &[TypedExpression],
    items: &[ForeachItem],
    output: Option<&Schema>,
    evaluation: &Evaluation,
) -> Result<Plan> {
    let binding_types: Vec<PigType> = bindings.iter().map(|binding| binding.ty.clone()).collect();
    let shape = RowShape { schema, bindings: &binding_types };
    let mut builder = LogicalPlanBuilder::from(plan);
    let inputs = columns(schema);
    for (index, bound) in bindings.iter().enumerate() {
        let kept = inputs.iter().cloned().chain((0..index).map(binding));
        let mut list: Vec<Expr> = kept.map(|name| column(name.as_str()).alias(name)).collect();
        list.push(lower(bound, shape, evaluation)?.alias(binding(index)));
        builder = builder.project(list)?;
    }
    let general = output.is_none() || !items.iter().all(|item| has_fixed_columns(item) || is_plain_bag(item));
    let bags = items.iter().filter(|item| is_plain_bag(item)).count();
    if general || bags > 1 {
        return flatten_general(builder, shape, items, output, evaluation);
    }
    // Items that are one row each go on as they are; the bag, if there is one, is unnested behind them.
    let mut made: Vec<Expr> = Vec::new();
    let mut fields: Vec<Expr> = Vec::new();
    let mut bag = None;
    for item in items {
        let name = format!("i{}", made.len());
        let value = column(name.as_str());
        match tuple_width(item) {
            Some(width) => {
                for index in 0..width {
                    fields.push(kernels::tuple_field(value.clone(), &crate::columns::field_name(index)));
                }
                if is_plain_bag(item) {
                    bag = Some(name.clone());
                }
            }
            None => fields.push(value),
        }
        made.push(lower(&item.expression, shape, evaluation)?.alias(name));
    }
    if bag.is_none() && items.iter().all(|item| tuple_width(item).is_none()) {
        let plain = made.into_iter().enumerate().map(|(index, expr)| expr.unalias().alias(field(index)));
        return builder.project(plain)?.build();
    }
    // DataFusion takes what was unique before an unnest to be so after it, and leaves a later DISTINCT or key out.
    if bag.is_some() && !builder.schema().functional_dependencies().is_empty() {
        made = made
            .into_iter()
            .map(|expr| {
                let (_, name) = expr.qualified_name();
                kernels::same(expr.unalias()).alias(name)
            })
            .collect();
    }
    builder = builder.project(made)?;
    if let Some(bag) = bag {
        // A null bag keeps its row, an empty one drops it (N43).
        let options = UnnestOptions { null_handling: NullHandling::Preserve, recursions: Vec::new() };
        builder =
            builder.unnest_column_with_options(datafusion::common::Column::new_unqualified(bag), options)?;
    }
    let fields = fields.into_iter().enumerate().map(|(index, expr)| expr.alias(field(index)));
    builder.project(fields)?.build()
}

/// Whether an item makes the same columns of every row, without more rows.
fn has_fixed_columns(item: &ForeachItem) -> bool {
    item.flatten.is_none() || (matches!(item.expression.ty, PigType::Tuple(_)) && tuple_width(item).is_some())
}

/// Whether an item is FLATTEN of a bag whose tuples have the width that is wanted.
fn is_plain_bag(item: &ForeachItem) -> bool {
    matches!(item.expression.ty, PigType::Bag { .. }) && tuple_width(item).is_some()
}

/// The number of fields of a FLATTEN whose tuples lie in columns of just that width.
fn tuple_width(item: &ForeachItem) -> Option<usize> {
    let flatten = item.flatten.as_ref()?;
    let schema = match &item.expression.ty {
        ty if is_encoded(ty) => return None,
        PigType::Tuple(Some(schema)) | PigType::Bag { fields: Some(schema), .. } => schema,
        _ => return None,
    };
    (flatten.width == Some(schema.fields.len())).then_some(schema.fields.len())
}

/// Every row's rows as a list, which is then unnested.
fn flatten_general(
    builder: LogicalPlanBuilder,
    shape: RowShape<'_>,
    items: &[ForeachItem],
    output: Option<&Schema>,
    evaluation: &Evaluation,
) -> Result<Plan> {
    let program = FlattenRows { items: items.to_vec(), output: output.cloned() };
    let references = References::of(items.iter().map(|item| &item.expression));
    let rows = interpret(Box::new(program), &references, shape, evaluation).alias(ROWS);
    let options = UnnestOptions { null_handling: NullHandling::Drop, recursions: Vec::new() };
    let builder = builder
        .project([rows])?
        .unnest_column_with_options(datafusion::common::Column::new_unqualified(ROWS), options)?;
    let fields: Vec<Expr> = match output {
        Some(schema) => (0..schema.fields.len())
            .map(|index| {
                // The one field of a row makes a Struct too: see `FlattenRows::result`.
                kernels::tuple_field(column(ROWS), &crate::columns::field_name(index)).alias(field(index))
            })
            .collect(),
        None => vec![kernels::tuple_field(column(ROWS), &crate::columns::field_name(0)).alias(ROW)],
    };
    builder.project(fields)?.build()
}

/// All rows that FLATTEN makes of one.
#[derive(Debug)]
struct FlattenRows {
    items: Vec<ForeachItem>,
    output: Option<Schema>,
}

impl RowProgram for FlattenRows {
    fn result(&self) -> PigType {
        let row = || Schema::new(vec![ostracon_piglatin::types::Field::unnamed(PigType::Tuple(None))]);
        PigType::bag(self.output.clone().unwrap_or_else(row))
    }

    fn run(&self, scope: &Scope<'_>, evaluation: &mut Evaluation) -> Result<Value> {
        let failed = |error| datafusion::common::DataFusionError::External(Box::new(error));
        let rows = generate_rows(&self.items, scope, evaluation).map_err(failed)?.into_iter();
        Ok(Value::Bag(match &self.output {
            Some(_) => rows.map(Value::Tuple).collect(),
            None => rows.map(|row| Value::Tuple(vec![Value::Tuple(row)])).collect(),
        }))
    }
}
