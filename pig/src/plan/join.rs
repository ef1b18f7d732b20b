//! JOIN and CROSS: the fields of all inputs, side by side.

use datafusion::common::{Column, JoinType as DfJoinType, NullEquality, Result};
use datafusion::logical_expr::{LogicalPlan as Plan, LogicalPlanBuilder};
use datafusion::prelude::Expr;
use ostracon_piglatin::ast::JoinType;
use ostracon_piglatin::logical::{NodeId, TypedExpression};

use crate::plan::relation::Lowering;
use crate::plan::{ROW, column, field, kernels};

/// A relation of a join: its fields under names that no other relation has, and its keys.
struct Side {
    plan: Plan,
    fields: Vec<String>,
    keys: Vec<String>,
}

impl Lowering<'_> {
    /// Null keys meet nothing (N42). Several inputs are joined from the left; a match in all is a match with the first.
    pub(crate) fn join(
        &self,
        inputs: &[(NodeId, Vec<TypedExpression>)],
        join_type: JoinType,
    ) -> Result<Plan> {
        let known = inputs.iter().all(|(input, _)| self.node(*input).schema.is_some());
        let mut sides = Vec::with_capacity(inputs.len());
        for (position, (input, keys)) in inputs.iter().enumerate() {
            sides.push(self.side(position, *input, keys, known)?);
        }
        let kind = match join_type {
            JoinType::Inner => DfJoinType::Inner,
            JoinType::Left => DfJoinType::Left,
            JoinType::Right => DfJoinType::Right,
            JoinType::Full => DfJoinType::Full,
        };
        let names: Vec<String> = sides.iter().flat_map(|side| side.fields.iter().cloned()).collect();
        let mut sides = sides.into_iter();
        let Some(first) = sides.next() else { return datafusion::common::internal_err!("JOIN of nothing") };
        let columns = |names: &[String]| names.iter().map(Column::new_unqualified).collect::<Vec<_>>();
        let mut builder = LogicalPlanBuilder::from(first.plan);
        for side in sides {
            let keys = (columns(&first.keys), columns(&side.keys));
            builder = builder.join_detailed(side.plan, kind, keys, None, NullEquality::NullEqualsNothing)?;
        }
        self.gather(builder, &names, known)
    }

    pub(crate) fn cross(&self, inputs: &[NodeId]) -> Result<Plan> {
        let known = inputs.iter().all(|input| self.node(*input).schema.is_some());
        let mut names = Vec::new();
        let mut builder: Option<LogicalPlanBuilder> = None;
        for (position, input) in inputs.iter().enumerate() {
            let side = self.side(position, *input, &[], known)?;
            names.extend(side.fields);
            builder = Some(match builder {
                None => LogicalPlanBuilder::from(side.plan),
                Some(left) => left.cross_join(side.plan)?,
            });
        }
        let Some(builder) = builder else { return datafusion::common::internal_err!("CROSS of nothing") };
        self.gather(builder, &names, known)
    }

    fn side(&self, position: usize, input: NodeId, keys: &[TypedExpression], known: bool) -> Result<Side> {
        // Keys are computed over the relation's own columns, before rows become tuples.
        let key_names: Vec<String> = (0..keys.len()).map(|key| format!("k{position}_{key}")).collect();
        let mut list: Vec<Expr> = Vec::new();
        for (key, name) in keys.iter().zip(&key_names) {
            list.push(self.over(input, key)?.alias(name));
        }
        let fields = match known {
            true => self.columns(input).iter().map(|name| format!("s{position}_{name}")).collect(),
            false => vec![format!("s{position}")],
        };
        match (known, self.node(input).schema.is_some()) {
            (true, _) => {
                let inner = self.columns(input).into_iter().zip(&fields);
                list.extend(inner.map(|(inner, outer)| column(inner).alias(outer)));
            }
            (false, true) => list.push(self.whole_row(input).alias(&fields[0])),
            (false, false) => list.push(column(ROW).alias(&fields[0])),
        }
        let plan = LogicalPlanBuilder::from(self.relation(input)?).project(list)?.build()?;
        Ok(Side { plan, fields, keys: key_names })
    }

    fn gather(&self, builder: LogicalPlanBuilder, names: &[String], known: bool) -> Result<Plan> {
        if known {
            let fields =
                names.iter().enumerate().map(|(index, name)| column(name.as_str()).alias(field(index)));
            return builder.project(fields.collect::<Vec<_>>())?.build();
        }
        builder
            .project([
                kernels::join_rows(names.iter().map(|name| column(name.as_str())).collect()).alias(ROW)
            ])?
            .build()
    }
}
