//! Which columns a plan asks its load functions for.
//!
//! A load function without a schema gives rows of any width. Most scripts read them through AS, a FOREACH that names
//! its columns (N26): then the function cuts out and converts just these.

use std::collections::BTreeMap;

use ostracon_piglatin::logical::{
    ForeachItem, LogicalOperator, LogicalPlan, NodeId, TypedExpression, TypedKind,
};
use ostracon_piglatin::logical::{for_each_child, for_each_child_mut};
use ostracon_piglatin::types::{Field, PigType, Schema};

use crate::load::Layout;

/// One scan of a load function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoadRequest {
    /// The LOAD.
    pub load: NodeId,
    /// The FOREACH that the columns are for; without, all that read the LOAD.
    pub consumer: Option<NodeId>,
    /// As what the rows are wanted.
    pub layout: Layout,
}

/// A FOREACH over a LOAD without a schema, in terms of the columns that it asks for.
#[derive(Debug)]
pub(crate) struct Narrowed {
    pub(crate) schema: Schema,
    pub(crate) bindings: Vec<TypedExpression>,
    pub(crate) items: Vec<ForeachItem>,
}

/// The scans that a relation needs.
pub(crate) fn requests(plan: &LogicalPlan, nodes: &[NodeId]) -> Vec<LoadRequest> {
    let mut requests: Vec<LoadRequest> = Vec::new();
    for &id in nodes {
        let mut inputs = Vec::new();
        crate::plan::relation::inputs(&plan.nodes[id.0].operator, &mut inputs);
        for input in inputs {
            if let LogicalOperator::Load { .. } = &plan.nodes[input.0].operator {
                add(plan, input, Some(id), &mut requests);
            }
        }
    }
    requests
}

/// Adds the scan of a LOAD for what reads it.
pub(crate) fn add(plan: &LogicalPlan, load: NodeId, reader: Option<NodeId>, requests: &mut Vec<LoadRequest>) {
    let narrowed = reader.and_then(|id| narrow(plan, id));
    let request = match (&plan.nodes[load.0].schema, narrowed) {
        (Some(schema), _) => LoadRequest { load, consumer: None, layout: Layout::Fields(schema.types()) },
        (None, Some(narrowed)) => {
            LoadRequest { load, consumer: reader, layout: Layout::Fields(narrowed.schema.types()) }
        }
        (None, None) => LoadRequest { load, consumer: None, layout: Layout::Row },
    };
    if !requests.contains(&request) {
        requests.push(request);
    }
}

/// A FOREACH that reads a LOAD without a schema by position only.
pub(crate) fn narrow(plan: &LogicalPlan, id: NodeId) -> Option<Narrowed> {
    let LogicalOperator::Foreach { input, bindings, items } = &plan.nodes[id.0].operator else { return None };
    let LogicalOperator::Load { .. } = &plan.nodes[input.0].operator else { return None };
    if plan.nodes[input.0].schema.is_some() {
        return None;
    }
    let mut wanted = Wanted::default();
    for expression in bindings.iter().chain(items.iter().map(|item| &item.expression)) {
        wanted.collect(expression, 0);
    }
    if wanted.whole_row || wanted.fields.is_empty() {
        return None;
    }
    let width = wanted.fields.keys().next_back().map_or(0, |last| last + 1);
    let fields = (0..width).map(|index| {
        let wants = wanted.fields.get(&index).map_or(&[][..], Vec::as_slice);
        Field::unnamed(match wants {
            [(_, Some(first)), rest @ ..] if rest.iter().all(|(_, ty)| ty.as_ref() == Some(first)) => {
                first.clone()
            }
            [(raw, _), ..] => raw.clone(),
            [] => PigType::RAW,
        })
    });
    let schema = Schema::new(fields.collect());
    let rewrite = |expression: &TypedExpression| {
        let mut expression = expression.clone();
        to_fields(&mut expression, 0, &schema);
        expression
    };
    Some(Narrowed {
        bindings: bindings.iter().map(rewrite).collect(),
        items: items
            .iter()
            .map(|item| ForeachItem { expression: rewrite(&item.expression), flatten: item.flatten.clone() })
            .collect(),
        schema: schema.clone(),
    })
}

/// The fields that expressions read by position: the type of each use, and the type it is cast to at once.
#[derive(Debug, Default)]
struct Wanted {
    fields: BTreeMap<usize, Vec<(PigType, Option<PigType>)>>,
    whole_row: bool,
}

impl Wanted {
    fn collect(&mut self, expression: &TypedExpression, outer: usize) {
        match &expression.kind {
            TypedKind::Cast(inner) => {
                if let TypedKind::DynamicField { depth, index } = inner.kind
                    && depth == outer
                {
                    let uses = self.fields.entry(index).or_default();
                    uses.push((inner.ty.clone(), Some(expression.ty.clone())));
                    return;
                }
            }
            TypedKind::DynamicField { depth, index } if *depth == outer => {
                self.fields.entry(*index).or_default().push((expression.ty.clone(), None));
            }
            TypedKind::Row { depth, .. } if *depth == outer => self.whole_row = true,
            _ => {}
        }
        for_each_child(expression, |child, deeper| self.collect(child, outer + usize::from(deeper)));
    }
}

fn to_fields(expression: &mut TypedExpression, outer: usize, schema: &Schema) {
    let field = match &expression.kind {
        TypedKind::Cast(inner) => match inner.kind {
            TypedKind::DynamicField { depth, index }
                if depth == outer && schema.fields.get(index).is_some_and(|f| f.ty == expression.ty) =>
            {
                Some(index)
            }
            _ => None,
        },
        TypedKind::DynamicField { depth, index } if *depth == outer => Some(*index),
        _ => None,
    };
    if let Some(index) = field {
        expression.kind = TypedKind::Field { depth: outer, index };
        return;
    }
    for_each_child_mut(expression, |child, deeper| to_fields(child, outer + usize::from(deeper), schema));
}
