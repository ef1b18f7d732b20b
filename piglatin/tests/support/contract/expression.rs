use ostracon_piglatin::logical::*;
use ostracon_piglatin::types::{Field, PigType, Schema, Unknown};
use ostracon_piglatin::value::Value;

use super::is_of;

pub(super) type Kept = Result<(), String>;

/// What stands around an expression.
pub(super) struct Around<'a> {
    pub(super) fields: Option<&'a Schema>,
    pub(super) bindings: &'a [PigType],
    pub(super) outer: Option<&'a Around<'a>>,
    /// The relation that is made: scalars are of earlier ones.
    pub(super) node: usize,
    pub(super) plan: &'a LogicalPlan,
}

impl<'a> Around<'a> {
    fn row(&self, depth: usize) -> Result<Option<&'a Schema>, String> {
        let mut around = self;
        for _ in 0..depth {
            around = around.outer.ok_or("no such scope")?;
        }
        Ok(around.fields)
    }

    fn inside<'b>(&'b self, fields: Option<&'b Schema>) -> Around<'b> {
        Around { fields, bindings: self.bindings, outer: Some(self), node: self.node, plan: self.plan }
    }
}

pub(super) fn must(holds: bool, why: impl FnOnce() -> String) -> Kept {
    if holds { Ok(()) } else { Err(why()) }
}

pub(super) fn same(left: &PigType, right: &PigType, what: &str) -> Kept {
    must(left.same_shape(right), || format!("{what}: {left:?} and {right:?}"))
}

pub(super) fn shape(schema: Option<&Schema>) -> PigType {
    PigType::Tuple(schema.cloned())
}

pub(super) fn tuple(types: Option<Vec<PigType>>) -> PigType {
    PigType::Tuple(types.map(|types| Schema::new(types.into_iter().map(Field::unnamed).collect())))
}

pub(super) fn side_by_side(inputs: &[Option<&Schema>]) -> PigType {
    let fields: Option<Vec<_>> = inputs.iter().map(|schema| schema.map(|schema| &schema.fields)).collect();
    PigType::Tuple(fields.map(|fields| Schema::new(fields.into_iter().flatten().cloned().collect())))
}

pub(super) fn sort_key(key: &TypedExpression, around: &Around<'_>) -> Kept {
    must(!key.ty.is_complex(), || format!("a sort key of type {:?}", key.ty))?;
    part(key, around)
}

/// The types of the fields that items make; none if their number is not known.
pub(super) fn made_by(items: &[ForeachItem], around: &Around<'_>) -> Result<Option<Vec<PigType>>, String> {
    let mut made = Some(Vec::new());
    for item in items {
        part(&item.expression, around)?;
        let ty = &item.expression.ty;
        let Some(flatten) = &item.flatten else {
            made.iter_mut().for_each(|made| made.push(ty.clone()));
            continue;
        };
        let Some(width) = flatten.width else {
            made = None;
            continue;
        };
        let mut types = match ty {
            PigType::Tuple(Some(schema)) | PigType::Bag { fields: Some(schema), .. } => {
                schema.fields.iter().map(|field| field.ty.clone()).collect()
            }
            PigType::Map(value) => vec![PigType::Chararray, value.as_ref().clone()],
            PigType::Tuple(None) | PigType::Bag { .. } | PigType::Bytearray(Unknown::Dynamic) => Vec::new(),
            other => vec![other.clone()],
        };
        types.resize(width, PigType::DYNAMIC);
        made.iter_mut().for_each(|made| made.append(&mut types));
    }
    Ok(made)
}

pub(super) fn typed(expression: &TypedExpression, ty: &PigType, around: &Around<'_>) -> Kept {
    same(&expression.ty, ty, "a part")?;
    part(expression, around)
}

fn bag_fields(bag: &TypedExpression) -> Result<Option<&Schema>, String> {
    match &bag.ty {
        PigType::Bag { fields, .. } => Ok(fields.as_ref()),
        other => Err(format!("{other:?} is no bag")),
    }
}

fn tuple_fields(tuple: &TypedExpression) -> Result<Option<&Schema>, String> {
    match &tuple.ty {
        PigType::Tuple(fields) => Ok(fields.as_ref()),
        other => Err(format!("{other:?} is no tuple")),
    }
}

/// The type of a field; of fields that are not known, any.
fn field(fields: Option<&Schema>, index: usize) -> Result<PigType, String> {
    match fields {
        None => Ok(PigType::DYNAMIC),
        Some(schema) => {
            let field = schema.fields.get(index).ok_or_else(|| format!("there is no field {index}"))?;
            Ok(field.ty.clone())
        }
    }
}

fn projected(fields: Option<&Schema>, indices: &[usize]) -> Result<PigType, String> {
    Ok(tuple(Some(indices.iter().map(|index| field(fields, *index)).collect::<Result<_, _>>()?)))
}

pub(super) fn part(expression: &TypedExpression, around: &Around<'_>) -> Kept {
    let ty = &expression.ty;
    let inner = |child: &TypedExpression| part(child, around);
    let as_bag = |fields: Option<&Schema>| PigType::Bag { tuple_name: None, fields: fields.cloned() };
    match &expression.kind {
        TypedKind::Constant(Value::Null) => Ok(()),
        TypedKind::Constant(value) => {
            must(is_of(value, ty), || format!("the constant {value:?} of type {ty:?}"))
        }
        TypedKind::Field { depth, index } => {
            let fields = around.row(*depth)?;
            must(fields.is_some(), || "a field of an unknown row".to_owned())?;
            same(&field(fields, *index)?, ty, "a field")
        }
        TypedKind::DynamicField { depth, .. } => {
            must(around.row(*depth)?.is_none() && ty.is_unknown(), || "a dynamic field".to_owned())
        }
        TypedKind::Row { depth, .. } => {
            must(around.row(*depth)?.is_none(), || "the row of a known schema".to_owned())?;
            same(ty, &PigType::Tuple(None), "a row")
        }
        TypedKind::Binding { index } => {
            same(around.bindings.get(*index).ok_or("a later binding")?, ty, "a binding")
        }
        TypedKind::TupleField { tuple, index } => {
            inner(tuple)?;
            same(&field(tuple_fields(tuple)?, *index)?, ty, "a field of a tuple")
        }
        TypedKind::TupleProject { tuple, indices } => {
            inner(tuple)?;
            same(&projected(tuple_fields(tuple)?, indices)?, ty, "fields of a tuple")
        }
        TypedKind::BagProject { bag, indices } => {
            inner(bag)?;
            let PigType::Tuple(wanted) = projected(bag_fields(bag)?, indices)? else { return Ok(()) };
            same(&as_bag(wanted.as_ref()), ty, "fields of a bag")
        }
        TypedKind::MapLookup { map, .. } => {
            inner(map)?;
            let PigType::Map(value) = &map.ty else { return Err("a look-up in no map".to_owned()) };
            same(value, ty, "a look-up")
        }
        TypedKind::Cast(from) => {
            inner(from)?;
            must(!from.ty.same_shape(ty), || format!("a cast of {ty:?} to itself"))
        }
        TypedKind::Arithmetic { left, right, .. } => {
            must(ty.is_numeric(), || format!("arithmetic of type {ty:?}"))?;
            typed(left, ty, around)?;
            typed(right, ty, around)
        }
        TypedKind::Negate(operand) => {
            must(ty.is_numeric(), || format!("minus of type {ty:?}"))?;
            typed(operand, ty, around)
        }
        TypedKind::Compare { left, right, .. } => {
            same(ty, &PigType::Boolean, "a comparison")?;
            inner(left)?;
            typed(right, &left.ty, around)
        }
        TypedKind::Matches { value, pattern } => {
            same(ty, &PigType::Boolean, "MATCHES")?;
            let text = matches!(value.ty, PigType::Chararray | PigType::Bytearray(_));
            must(text, || format!("MATCHES of {:?}", value.ty))?;
            inner(value)?;
            typed(pattern, &PigType::Chararray, around)
        }
        TypedKind::And(left, right) | TypedKind::Or(left, right) => {
            same(ty, &PigType::Boolean, "logic")?;
            typed(left, ty, around)?;
            typed(right, ty, around)
        }
        TypedKind::Not(operand) => {
            same(ty, &PigType::Boolean, "NOT")?;
            typed(operand, ty, around)
        }
        TypedKind::IsNull(operand) => {
            same(ty, &PigType::Boolean, "IS NULL")?;
            inner(operand)
        }
        TypedKind::Bincond { condition, then, otherwise } => {
            typed(condition, &PigType::Boolean, around)?;
            typed(then, ty, around)?;
            typed(otherwise, ty, around)
        }
        TypedKind::Call { function, arguments } => {
            arguments.iter().try_for_each(inner)?;
            let types: Vec<PigType> = arguments.iter().map(|argument| argument.ty.clone()).collect();
            let resolved = function.resolve(&types)?;
            same(&tuple(Some(resolved.arguments)), &tuple(Some(types)), function.name())?;
            same(&resolved.result, ty, function.name())
        }
        TypedKind::Tuple(items) => {
            items.iter().try_for_each(inner)?;
            let types = items.iter().map(|item| item.ty.clone()).collect();
            same(&tuple((!items.is_empty()).then_some(types)), ty, "a tuple")
        }
        TypedKind::Bag(items) => {
            let fields = bag_fields(expression)?;
            items.iter().try_for_each(|item| typed(item, &shape(fields), around))
        }
        TypedKind::Map(entries) => {
            let PigType::Map(value) = ty else { return Err("a map of another type".to_owned()) };
            entries.iter().try_for_each(|(key, entry)| {
                typed(key, &PigType::Chararray, around)?;
                typed(entry, value, around)
            })
        }
        TypedKind::Scalar { relation, index } => {
            must(relation.0 < around.node, || "a scalar of a later relation".to_owned())?;
            match around.plan.nodes[relation.0].schema.as_ref() {
                None => must(ty.is_unknown(), || "a scalar of an unknown row".to_owned()),
                fields => same(&field(fields, *index)?, ty, "a scalar"),
            }
        }
        TypedKind::BagFilter { bag, condition } => {
            typed(bag, ty, around)?;
            typed(condition, &PigType::Boolean, &around.inside(bag_fields(bag)?))
        }
        TypedKind::BagOrder { bag, keys } => {
            typed(bag, ty, around)?;
            let inside = around.inside(bag_fields(bag)?);
            keys.iter().try_for_each(|(key, _)| sort_key(key, &inside))
        }
        TypedKind::BagDistinct(bag) => typed(bag, ty, around),
        TypedKind::BagLimit { bag, count } => {
            typed(bag, ty, around)?;
            typed(count, &PigType::Long, around)
        }
        TypedKind::BagCross(bags) => {
            bags.iter().try_for_each(inner)?;
            let fields = bags.iter().map(bag_fields).collect::<Result<Vec<_>, _>>()?;
            let PigType::Tuple(fields) = side_by_side(&fields) else { return Ok(()) };
            same(&as_bag(fields.as_ref()), ty, "CROSS of bags")
        }
        TypedKind::BagForeach { bag, items } => {
            inner(bag)?;
            let made = made_by(items, &around.inside(bag_fields(bag)?))?;
            let PigType::Tuple(fields) = tuple(made) else { return Ok(()) };
            same(&as_bag(fields.as_ref()), ty, "FOREACH of a bag")
        }
    }
}
