//! GROUP, COGROUP and CUBE: a key, and a bag of each input's rows.

use arrow::datatypes::DataType;
use datafusion::common::{Result, ScalarValue};
use datafusion::functions_aggregate::expr_fn::array_agg;
use datafusion::logical_expr::{ExprFunctionExt, LogicalPlan as Plan, LogicalPlanBuilder, lit, when};
use datafusion::prelude::Expr;
use ostracon_piglatin::ast::CubeKind;
use ostracon_piglatin::logical::{GroupBranch, NodeId};
use ostracon_piglatin::types::PigType;

use crate::columns::arrow_type;
use crate::plan::relation::Lowering;
use crate::plan::{ROW, column, field, kernels};

/// The key of GROUP ALL.
const ALL: &str = "all";

/// The column of the number of a set of dimensions.
const SET: &str = "set";

impl Lowering<'_> {
    /// One group for each key; with several inputs, null keys of different inputs do not meet (N42).
    pub(crate) fn group(&self, inputs: &[GroupBranch], all: bool, tuple_key: bool) -> Result<Plan> {
        match inputs {
            [one] => self.group_one(one, all, tuple_key),
            many => self.cogroup(many, all, tuple_key),
        }
    }

    fn group_one(&self, branch: &GroupBranch, all: bool, tuple_key: bool) -> Result<Plan> {
        let (plan, keys) = self.keyed(branch)?;
        let rows = array_agg(self.tuple_of_row(branch.input)).alias("bag0");
        let groups = keys.iter().map(|key| column(key.as_str())).collect::<Vec<_>>();
        let mut builder = LogicalPlanBuilder::from(plan).aggregate(groups, [rows])?;
        if all {
            // Without rows there is no group, where SQL has one.
            builder = builder.filter(column("bag0").is_not_null())?;
        }
        let bag = self.bag_of(branch.input, column("bag0"));
        builder.project([key_of(&keys, all, tuple_key).alias(field(0)), bag.alias(field(1))])?.build()
    }

    /// A relation with its keys before its own columns.
    pub(crate) fn keyed(&self, branch: &GroupBranch) -> Result<(Plan, Vec<String>)> {
        let names: Vec<String> = (0..branch.keys.len()).map(|index| format!("k{index}")).collect();
        let mut list: Vec<Expr> = Vec::new();
        for (key, name) in branch.keys.iter().zip(&names) {
            list.push(self.over(branch.input, key)?.alias(name));
        }
        list.extend(self.columns(branch.input).into_iter().map(|name| column(name.as_str()).alias(name)));
        let plan = LogicalPlanBuilder::from(self.relation(branch.input)?).project(list)?.build()?;
        Ok((plan, names))
    }

    /// A row as an item of a bag.
    fn tuple_of_row(&self, input: NodeId) -> Expr {
        match &self.node(input).schema {
            Some(schema) if !schema.fields.is_empty() => {
                kernels::tuple(self.columns(input).into_iter().map(column).collect())
            }
            Some(_) => self.whole_row(input),
            None => column(ROW),
        }
    }

    /// The bag of collected rows: as it is, or encoded where the fields are not known.
    fn bag_of(&self, input: NodeId, list: Expr) -> Expr {
        match &self.node(input).schema {
            Some(schema) if !schema.fields.is_empty() => kernels::empty_bag(list),
            _ => kernels::encode_bag(list),
        }
    }

    fn item_type(&self, input: NodeId) -> DataType {
        match &self.node(input).schema {
            Some(schema) => arrow_type(&PigType::Tuple(Some(schema.clone()))),
            None => DataType::Binary,
        }
    }

    /// All inputs as one, each row under its key and in its input's column, then one aggregate.
    fn cogroup(&self, inputs: &[GroupBranch], all: bool, tuple_key: bool) -> Result<Plan> {
        let key_count = inputs.first().map_or(0, |branch| branch.keys.len());
        let keys: Vec<String> = (0..key_count).map(|index| format!("k{index}")).collect();
        let mut union: Option<LogicalPlanBuilder> = None;
        for (tag, branch) in inputs.iter().enumerate() {
            let (plan, _) = self.keyed(branch)?;
            let tag = i32::try_from(tag).unwrap_or(i32::MAX);
            let mut list: Vec<Expr> =
                keys.iter().map(|key| column(key.as_str()).alias(key.as_str())).collect();
            list.push(lit(tag).alias("tag"));
            // Rows with a null in their key meet only rows of their own input.
            let nulls = keys.iter().map(|key| column(key.as_str()).is_null()).reduce(Expr::or);
            list.push(
                match nulls {
                    Some(null) => when(null, lit(tag)).otherwise(lit(ScalarValue::Int32(None)))?,
                    None => lit(ScalarValue::Int32(None)),
                }
                .alias("apart"),
            );
            for (other, of) in inputs.iter().enumerate() {
                let row = match i32::try_from(other) == Ok(tag) {
                    true => self.tuple_of_row(of.input),
                    false => lit(ScalarValue::try_from(&self.item_type(of.input))?),
                };
                list.push(row.alias(format!("row{other}")));
            }
            let side = LogicalPlanBuilder::from(plan).project(list)?;
            union = Some(match union {
                None => side,
                Some(before) => before.union(side.build()?)?,
            });
        }
        let Some(union) = union else { return datafusion::common::internal_err!("COGROUP of nothing") };
        let mut bags = Vec::new();
        for tag in 0..inputs.len() {
            let own = column("tag").eq(lit(i32::try_from(tag).unwrap_or(i32::MAX)));
            let rows = array_agg(column(format!("row{tag}"))).filter(own).build()?;
            bags.push(rows.alias(format!("bag{tag}")));
        }
        let groups: Vec<Expr> =
            keys.iter().map(|key| column(key.as_str())).chain([column("apart")]).collect();
        let mut builder = union.aggregate(groups, bags)?;
        for (index, _) in inputs.iter().enumerate().filter(|(_, branch)| branch.inner) {
            builder = builder.filter(column(format!("bag{index}")).is_not_null())?;
        }
        let mut list = vec![key_of(&keys, all, tuple_key).alias(field(0))];
        for (index, branch) in inputs.iter().enumerate() {
            list.push(self.bag_of(branch.input, column(format!("bag{index}"))).alias(field(index + 1)));
        }
        builder.project(list)?.build()
    }

    /// A group for every combination of the dimensions' subsets and prefixes.
    pub(crate) fn cube(&self, input: NodeId, dimensions: &[(CubeKind, usize)]) -> Result<Plan> {
        let Some(schema) = &self.node(input).schema else {
            return datafusion::common::internal_err!("CUBE of a relation without a schema");
        };
        let width: usize = dimensions.iter().map(|(_, count)| count).sum();
        let sets = grouping_sets(dimensions);
        // A row stands once for each set, its other dimensions null: so it is in the bag, too. The set is a key, for a
        // total is not the group of those whose dimension is null.
        let numbers = (0..sets.len()).map(|set| ScalarValue::UInt64(Some(set as u64)));
        let all = ScalarValue::List(ScalarValue::new_list_from_iter(numbers, &DataType::UInt64, true));
        let own = (0..schema.fields.len()).map(|index| column(field(index)).alias(field(index)));
        let mut list = vec![column(SET).alias(SET)];
        for index in 0..schema.fields.len() {
            let dimension = column(field(index));
            let within = sets.iter().enumerate().filter(|(_, set)| set.contains(&index));
            let within: Vec<Expr> = within.map(|(set, _)| lit(set as u64)).collect();
            list.push(
                match index < width && within.len() < sets.len() {
                    true => when(column(SET).in_list(within, false), dimension).end()?,
                    false => dimension,
                }
                .alias(field(index)),
            );
        }
        let row = (0..schema.fields.len()).map(|index| column(field(index))).collect();
        let rows = array_agg(kernels::tuple(row)).alias("bag0");
        let keys = (0..width).map(|index| column(field(index))).chain([column(SET)]);
        let builder = LogicalPlanBuilder::from(self.relation(input)?)
            .project(own.chain([lit(all).alias(SET)]))?
            .unnest_column(SET)?
            .project(list)?
            .aggregate(keys.collect::<Vec<_>>(), [rows])?;
        let names: Vec<String> = (0..width).map(field).collect();
        let group = key_of(&names, false, width > 1);
        builder.project([group.alias(field(0)), kernels::empty_bag(column("bag0")).alias(field(1))])?.build()
    }
}

/// The sets of dimension columns of CUBE and ROLLUP, combined.
fn grouping_sets(dimensions: &[(CubeKind, usize)]) -> Vec<Vec<usize>> {
    let mut sets: Vec<Vec<usize>> = vec![Vec::new()];
    let mut first = 0;
    for (kind, count) in dimensions {
        let own: Vec<usize> = (first..first + count).collect();
        first += count;
        let choices: Vec<Vec<usize>> = match kind {
            CubeKind::Rollup => (0..=*count).rev().map(|length| own[..length].to_vec()).collect(),
            CubeKind::Cube => (0..1_usize << count)
                .rev()
                .map(|mask| {
                    own.iter().enumerate().filter(|(bit, _)| mask >> bit & 1 == 1).map(|(_, &i)| i).collect()
                })
                .collect(),
        };
        sets = sets
            .iter()
            .flat_map(|set| choices.iter().map(move |choice| [set.as_slice(), choice].concat()))
            .collect();
    }
    sets
}

/// The field `group`.
pub(crate) fn key_of(keys: &[String], all: bool, tuple_key: bool) -> Expr {
    let mut columns = keys.iter().map(|key| column(key.as_str()));
    match (all, tuple_key) {
        (true, _) => lit(ALL),
        (false, true) => kernels::tuple(columns.collect()),
        (false, false) => columns.next().unwrap_or_else(|| lit(ALL)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cubes_have_all_subsets_and_rollups_all_prefixes() {
        assert_eq!(grouping_sets(&[(CubeKind::Rollup, 2)]), [vec![0, 1], vec![0], vec![]]);
        let both = grouping_sets(&[(CubeKind::Cube, 1), (CubeKind::Rollup, 1)]);
        assert_eq!(both, [vec![0, 1], vec![0], vec![1], vec![]]);
        assert_eq!(grouping_sets(&[(CubeKind::Cube, 3)]).len(), 8);
    }
}
