//! What engines rely on in a plan: every operand has the type its operator wants, every field is there, and relations
//! have the fields that their operators make.

mod expression;
mod value;

use ostracon_piglatin::logical::*;
use ostracon_piglatin::types::{PigType, Schema};

use expression::{Around, Kept, made_by, must, part, same, shape, side_by_side, sort_key, tuple, typed};
pub(crate) use value::is_of;

/// Checks a whole plan.
pub(crate) fn keeps(plan: &LogicalPlan) -> Kept {
    for (number, node) in plan.nodes.iter().enumerate() {
        relation(plan, number, node)
            .map_err(|why| format!("relation {number} {}: {why}", node.alias.as_deref().unwrap_or("-")))?;
    }
    Ok(())
}

fn sorted(keys: &[SortKey], around: &Around<'_>) -> Kept {
    keys.iter().try_for_each(|key| sort_key(&key.expression, around))
}

fn relation(plan: &LogicalPlan, number: usize, node: &Node) -> Kept {
    let of = |id: &NodeId| -> Result<Option<&Schema>, String> {
        must(id.0 < number, || format!("reads the later {}", id.0))?;
        Ok(plan.nodes[id.0].schema.as_ref())
    };
    let around = |fields| Around { fields, bindings: &[], outer: None, node: number, plan };
    let own = node.schema.as_ref();
    let all = |keys: &[TypedExpression], fields| keys.iter().try_for_each(|key| part(key, &around(fields)));
    let rows_of = |input: &NodeId| same(&shape(of(input)?), &shape(own), "rows of the input");
    match &node.operator {
        LogicalOperator::Load { .. } => Ok(()),
        LogicalOperator::Stream { input, .. } => {
            of(input)?;
            must(own.is_none(), || "STREAM with a schema".to_owned())
        }
        LogicalOperator::Foreach { input, bindings, items } => {
            let fields = of(input)?;
            let types: Vec<PigType> = bindings.iter().map(|binding| binding.ty.clone()).collect();
            for (index, binding) in bindings.iter().enumerate() {
                part(binding, &Around { bindings: &types[..index], ..around(fields) })?;
            }
            let made = made_by(items, &Around { bindings: &types, ..around(fields) })?;
            same(&tuple(made), &shape(own), "what GENERATE makes")
        }
        LogicalOperator::Filter { input, condition } | LogicalOperator::Assert { input, condition, .. } => {
            typed(condition, &PigType::Boolean, &around(of(input)?))?;
            rows_of(input)
        }
        LogicalOperator::Distinct(input) => rows_of(input),
        LogicalOperator::Limit { input, count } => {
            typed(count, &PigType::Long, &around(Some(&Schema::default())))?;
            rows_of(input)
        }
        LogicalOperator::Sample { input, share } => {
            typed(share, &PigType::Double, &around(Some(&Schema::default())))?;
            rows_of(input)
        }
        LogicalOperator::Order { input, keys } => {
            sorted(keys, &around(of(input)?))?;
            rows_of(input)
        }
        LogicalOperator::Rank { input, keys, .. } => {
            sorted(keys, &around(of(input)?))?;
            let fields = of(input)?.ok_or("RANK without fields")?;
            let types = fields.fields.iter().map(|field| field.ty.clone());
            let made = std::iter::once(PigType::Long).chain(types).collect();
            same(&tuple(Some(made)), &shape(own), "RANK")
        }
        LogicalOperator::Group { inputs, all: one, tuple_key } => {
            let mut made = Vec::new();
            let first = inputs.first().ok_or("GROUP of nothing")?;
            let types: Vec<PigType> = first.keys.iter().map(|key| key.ty.clone()).collect();
            must(*one == types.is_empty(), || "keys of GROUP ALL".to_owned())?;
            must(*tuple_key == (types.len() > 1), || "whether the key is a tuple".to_owned())?;
            made.push(match types.as_slice() {
                [] => PigType::Chararray,
                [only] => only.clone(),
                _ => tuple(Some(types.clone())),
            });
            for branch in inputs {
                all(&branch.keys, of(&branch.input)?)?;
                let keys = branch.keys.iter().map(|key| key.ty.clone()).collect();
                same(&tuple(Some(keys)), &tuple(Some(types.clone())), "keys")?;
                made.push(PigType::Bag { tuple_name: None, fields: of(&branch.input)?.cloned() });
            }
            same(&tuple(Some(made)), &shape(own), "GROUP")
        }
        LogicalOperator::Join { inputs, .. } => {
            let types = |keys: &[TypedExpression]| keys.iter().map(|key| key.ty.clone()).collect();
            let first = inputs.first().ok_or("JOIN of nothing")?;
            for (input, keys) in inputs {
                all(keys, of(input)?)?;
                must(!keys.is_empty(), || "JOIN without keys".to_owned())?;
                same(&tuple(Some(types(keys))), &tuple(Some(types(&first.1))), "keys")?;
            }
            let ids = inputs.iter().map(|(input, _)| of(input)).collect::<Result<Vec<_>, _>>()?;
            same(&side_by_side(&ids), &shape(own), "JOIN")
        }
        LogicalOperator::Cross(inputs) => {
            let ids = inputs.iter().map(&of).collect::<Result<Vec<_>, _>>()?;
            same(&side_by_side(&ids), &shape(own), "CROSS")
        }
        LogicalOperator::Union(inputs) => inputs.iter().try_for_each(|input| {
            let fields = of(input)?;
            match own {
                Some(_) => same(&shape(fields), &shape(own), "UNION"),
                None => Ok(()),
            }
        }),
        LogicalOperator::Cube { input, dimensions } => {
            let fields = of(input)?.ok_or("CUBE without fields")?;
            let width = dimensions.iter().map(|(_, width)| width).sum::<usize>();
            let of_group = fields.fields.get(..width).ok_or("dimensions of CUBE")?.to_vec();
            let made = vec![PigType::Tuple(Some(Schema::new(of_group))), PigType::bag(fields.clone())];
            same(&tuple(Some(made)), &shape(own), "CUBE")
        }
    }
}
