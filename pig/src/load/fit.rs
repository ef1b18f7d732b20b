//! Rows of known fields as a plan asks for them.

use datafusion::common::ScalarValue;
use datafusion::logical_expr::{LogicalPlan, LogicalPlanBuilder, lit};
use datafusion::prelude::Expr;
use ostracon_piglatin::types::{PigType, Schema};

use crate::columns::{arrow_type, field_name};
use crate::error::{Result, from_datafusion};
use crate::load::Layout;
use crate::plan::{Evaluation, ROW, column, kernels};
use crate::warnings::RunContext;

/// Columns `f0`, `f1`, ... of a schema's types as a layout: missing fields are null, further ones cut, those of another
/// type cast value by value.
pub(crate) fn fit(rows: LogicalPlan, own: &Schema, layout: &Layout, run: &RunContext) -> Result<LogicalPlan> {
    let evaluation = Evaluation::of_load(run);
    let fields = match layout {
        Layout::Fields(types) if *types == own.types() => return Ok(rows),
        Layout::Fields(types) => types
            .iter()
            .enumerate()
            .map(|(index, ty)| {
                let name = field_name(index);
                let field = match own.fields.get(index) {
                    None => lit(ScalarValue::try_from(&arrow_type(ty)).map_err(from_datafusion)?),
                    Some(field) if field.ty == *ty => column(&name),
                    Some(field) => kernels::cast(column(&name), &field.ty, ty, &evaluation),
                };
                Ok(field.alias(name))
            })
            .collect::<Result<Vec<Expr>>>()?,
        Layout::Row => {
            let tuple =
                kernels::tuple((0..own.fields.len()).map(|index| column(field_name(index))).collect());
            let known = PigType::Tuple(Some(own.clone()));
            vec![kernels::cast(tuple, &known, &PigType::Tuple(None), &evaluation).alias(ROW)]
        }
    };
    LogicalPlanBuilder::from(rows)
        .project(fields)
        .and_then(LogicalPlanBuilder::build)
        .map_err(from_datafusion)
}
