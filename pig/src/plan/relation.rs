//! [`Lowering`]: the relations of a script, one DataFusion plan each.

use std::collections::{BTreeSet, HashMap};

use datafusion::common::Result;
use datafusion::logical_expr::{LogicalPlan as Plan, LogicalPlanBuilder};
use datafusion::prelude::Expr;
use ostracon_piglatin::logical::{LogicalOperator, LogicalPlan, Node, NodeId, TypedExpression};
use ostracon_piglatin::types::{PigType, Schema};

use crate::columns::is_encoded;
use crate::plan::expression::lower;
use crate::plan::interpret::{Evaluation, RowProgram, RowShape, interpret};
use crate::plan::load::{self, LoadRequest};
use crate::plan::references::References;
use crate::plan::{ROW, column, field, kernels};
use ostracon_piglatin::evaluate::Scope;
use ostracon_piglatin::value::Value;

/// What plans are made of besides the script: rows of load functions, and rows that were computed before.
#[derive(Debug, Default)]
pub struct Source {
    /// The scans of [`Lowering::requests`].
    pub loads: Vec<(LoadRequest, Plan)>,
    /// Relations that were computed before: each is read from where it was put.
    pub made: HashMap<NodeId, Plan>,
}

/// Makes DataFusion plans of a script's relations.
#[derive(Debug)]
pub struct Lowering<'a> {
    plan: &'a LogicalPlan,
    source: &'a Source,
    pub(crate) evaluation: &'a Evaluation,
}

/// The relations that an operator reads.
pub(crate) fn inputs(operator: &LogicalOperator, into: &mut Vec<NodeId>) {
    match operator {
        LogicalOperator::Load { .. } => {}
        LogicalOperator::Foreach { input, .. }
        | LogicalOperator::Filter { input, .. }
        | LogicalOperator::Distinct(input)
        | LogicalOperator::Limit { input, .. }
        | LogicalOperator::Sample { input, .. }
        | LogicalOperator::Order { input, .. }
        | LogicalOperator::Rank { input, .. }
        | LogicalOperator::Cube { input, .. }
        | LogicalOperator::Assert { input, .. }
        | LogicalOperator::Stream { input, .. } => into.push(*input),
        LogicalOperator::Group { inputs, .. } => into.extend(inputs.iter().map(|branch| branch.input)),
        LogicalOperator::Join { inputs, .. } => into.extend(inputs.iter().map(|(input, _)| *input)),
        LogicalOperator::Cross(inputs) | LogicalOperator::Union(inputs) => into.extend(inputs),
    }
}

/// The relations that a relation is made of, itself among them, those behind scalars too.
pub(crate) fn reached(plan: &LogicalPlan, root: NodeId) -> Vec<NodeId> {
    let mut found = BTreeSet::new();
    let mut open = vec![root];
    while let Some(id) = open.pop() {
        if found.insert(id) {
            open.extend(inputs_of(plan, id));
        }
    }
    found.into_iter().collect()
}

/// The relations that a relation reads directly, those behind scalars among them.
pub(crate) fn inputs_of(plan: &LogicalPlan, id: NodeId) -> Vec<NodeId> {
    let mut all = Vec::new();
    inputs(&plan.nodes[id.0].operator, &mut all);
    all.extend(scalars_of(&plan.nodes[id.0].operator));
    all
}

/// The relations of which an operator reads one row.
pub(crate) fn scalars_of(operator: &LogicalOperator) -> BTreeSet<NodeId> {
    let expressions: Vec<&TypedExpression> = match operator {
        LogicalOperator::Foreach { bindings, items, .. } => {
            bindings.iter().chain(items.iter().map(|item| &item.expression)).collect()
        }
        LogicalOperator::Filter { condition, .. } | LogicalOperator::Assert { condition, .. } => {
            vec![condition]
        }
        LogicalOperator::Group { inputs, .. } => inputs.iter().flat_map(|branch| &branch.keys).collect(),
        LogicalOperator::Join { inputs, .. } => inputs.iter().flat_map(|(_, keys)| keys).collect(),
        LogicalOperator::Limit { count: fixed, .. } | LogicalOperator::Sample { share: fixed, .. } => {
            vec![fixed]
        }
        LogicalOperator::Order { keys, .. } | LogicalOperator::Rank { keys, .. } => {
            keys.iter().map(|key| &key.expression).collect()
        }
        _ => Vec::new(),
    };
    References::of(expressions).scalars
}

impl<'a> Lowering<'a> {
    /// A lowering of a script's plan.
    #[must_use]
    pub fn new(plan: &'a LogicalPlan, source: &'a Source, evaluation: &'a Evaluation) -> Self {
        Self { plan, source, evaluation }
    }

    /// The relations that a relation is made of, itself among them, those computed before left out; inputs first.
    #[must_use]
    pub fn closure(plan: &LogicalPlan, root: NodeId, made: &HashMap<NodeId, Plan>) -> Vec<NodeId> {
        let mut wanted = vec![false; plan.nodes.len()];
        let mut open = vec![root];
        while let Some(id) = open.pop() {
            if !wanted[id.0] && !made.contains_key(&id) {
                wanted[id.0] = true;
                inputs(&plan.nodes[id.0].operator, &mut open);
            }
        }
        (0..wanted.len()).filter(|&index| wanted[index]).map(NodeId).collect()
    }

    /// The scans of load functions that a relation needs.
    #[must_use]
    pub fn requests(plan: &LogicalPlan, root: NodeId, made: &HashMap<NodeId, Plan>) -> Vec<LoadRequest> {
        let nodes = Self::closure(plan, root, made);
        let mut requests = load::requests(plan, &nodes);
        if let LogicalOperator::Load { .. } = plan.nodes[root.0].operator
            && !made.contains_key(&root)
        {
            load::add(plan, root, None, &mut requests);
        }
        requests
    }

    pub(crate) fn node(&self, id: NodeId) -> &'a Node {
        &self.plan.nodes[id.0]
    }

    /// The rows of a relation that was computed before.
    pub(crate) fn made(&self, id: NodeId) -> Option<&'a Plan> {
        self.source.made.get(&id)
    }

    pub(crate) fn typed_plan(&self) -> &'a LogicalPlan {
        self.plan
    }

    pub(crate) fn shape(&self, id: NodeId) -> RowShape<'a> {
        RowShape { schema: self.node(id).schema.as_ref(), bindings: &[] }
    }

    /// An expression over the rows of a relation.
    pub(crate) fn over(&self, id: NodeId, expression: &TypedExpression) -> Result<Expr> {
        lower(expression, self.shape(id), self.evaluation)
    }

    /// The scan of a LOAD for one reader.
    pub(crate) fn scan(&self, load: NodeId, consumer: Option<NodeId>) -> Result<Plan> {
        let found = self
            .source
            .loads
            .iter()
            .find(|(request, _)| request.load == load && request.consumer == consumer);
        match found {
            Some((_, plan)) => Ok(plan.clone()),
            None => datafusion::common::internal_err!("no scan was made for a LOAD"),
        }
    }

    /// The plan of a relation.
    ///
    /// # Errors
    /// Faults of this crate: the script was checked before.
    pub fn relation(&self, id: NodeId) -> Result<Plan> {
        if let Some(plan) = self.made(id) {
            return Ok(plan.clone());
        }
        match &self.node(id).operator {
            LogicalOperator::Load { .. } => self.scan(id, None),
            LogicalOperator::Foreach { input, bindings, items } => self.foreach(id, *input, bindings, items),
            LogicalOperator::Filter { input, condition } => {
                let condition = self.over(*input, condition)?;
                LogicalPlanBuilder::from(self.relation(*input)?).filter(condition)?.build()
            }
            LogicalOperator::Group { inputs, all, tuple_key } => self.group(inputs, *all, *tuple_key),
            LogicalOperator::Join { inputs, join_type, .. } => self.join(inputs, *join_type),
            LogicalOperator::Cross(inputs) => self.cross(inputs),
            LogicalOperator::Union(inputs) => self.union(id, inputs),
            LogicalOperator::Distinct(input) => self.distinct(*input),
            LogicalOperator::Limit { input, count } => self.limit(*input, count),
            LogicalOperator::Sample { input, share } => self.sample(*input, share),
            LogicalOperator::Order { input, keys } => self.order(*input, keys),
            LogicalOperator::Rank { input, keys, dense } => self.rank(*input, keys, *dense),
            LogicalOperator::Cube { input, dimensions } => self.cube(*input, dimensions),
            LogicalOperator::Assert { input, condition, message } => {
                let said = message.as_deref().unwrap_or("an assertion does not hold");
                let alias = self.node(*input).alias.as_deref().unwrap_or("a relation");
                let text = format!("ASSERT on {alias} failed: {said}");
                let condition = kernels::assert(self.over(*input, condition)?, text, self.evaluation);
                LogicalPlanBuilder::from(self.relation(*input)?).filter(condition)?.build()
            }
            // The program has run before: its rows are among those that were made.
            LogicalOperator::Stream { .. } => {
                datafusion::common::internal_err!("the program of a STREAM was not run")
            }
        }
    }

    /// A relation's rows, each as one tuple in the column `row`.
    pub(crate) fn rows(&self, id: NodeId) -> Result<Plan> {
        let plan = self.relation(id)?;
        if self.node(id).schema.is_none() {
            return Ok(plan);
        }
        LogicalPlanBuilder::from(plan).project([self.whole_row(id).alias(ROW)])?.build()
    }

    /// A row with a schema as one tuple.
    pub(crate) fn whole_row(&self, id: NodeId) -> Expr {
        let width = self.node(id).schema.as_ref().map_or(0, |schema| schema.fields.len());
        let references = References { fields: (0..width).collect(), ..References::default() };
        interpret(Box::new(WholeRow), &references, self.shape(id), self.evaluation)
    }

    /// The columns of a relation, in order.
    pub(crate) fn columns(&self, id: NodeId) -> Vec<String> {
        columns(self.node(id).schema.as_ref())
    }

    fn union(&self, id: NodeId, inputs: &[NodeId]) -> Result<Plan> {
        let known = self.node(id).schema.is_some();
        let mut plans =
            inputs.iter().map(|&input| if known { self.relation(input) } else { self.rows(input) });
        let Some(first) = plans.next() else { return datafusion::common::internal_err!("UNION of nothing") };
        let names = columns(self.node(id).schema.as_ref());
        let plain = |plan: Plan| {
            LogicalPlanBuilder::from(plan)
                .project(names.iter().map(|name| column(name.as_str()).alias(name.as_str())))
        };
        let mut union = plain(first?)?;
        for plan in plans {
            union = union.union(plain(plan?)?.build()?)?;
        }
        union.build()
    }

    fn distinct(&self, input: NodeId) -> Result<Plan> {
        let builder = LogicalPlanBuilder::from(self.relation(input)?);
        let bags: Vec<usize> = match &self.node(input).schema {
            Some(schema) => (0..schema.fields.len()).filter(|&i| has_bag(&schema.fields[i].ty)).collect(),
            None => Vec::new(),
        };
        if bags.is_empty() {
            return builder.distinct()?.build();
        }
        // Bags are equal whatever their order: they are compared by the bytes of their sorted items.
        let names = self.columns(input);
        let schema = self.node(input).schema.as_ref();
        let types = schema.map_or(Vec::new(), Schema::types);
        let to = |name: &String, index: usize, back: bool| {
            let expr = column(name.as_str());
            let ty = types.get(index).unwrap_or(&PigType::DYNAMIC);
            let cast = match (bags.contains(&index), back) {
                (false, _) => expr,
                (true, false) => kernels::cast(expr, ty, &PigType::DYNAMIC, self.evaluation),
                (true, true) => kernels::cast(expr, &PigType::DYNAMIC, ty, self.evaluation),
            };
            cast.alias(name.as_str())
        };
        let coded: Vec<Expr> = names.iter().enumerate().map(|(index, name)| to(name, index, false)).collect();
        let plain: Vec<Expr> = names.iter().enumerate().map(|(index, name)| to(name, index, true)).collect();
        builder.project(coded)?.distinct()?.project(plain)?.build()
    }

    fn limit(&self, input: NodeId, count: &TypedExpression) -> Result<Plan> {
        let count = match self.fixed(count)? {
            Value::Long(count) => usize::try_from(count).ok(),
            Value::Int(count) => usize::try_from(count).ok(),
            _ => None,
        };
        let Some(count) = count else {
            return datafusion::common::plan_err!("LIMIT takes a number of rows, 0 or more");
        };
        LogicalPlanBuilder::from(self.relation(input)?).limit(0, Some(count))?.build()
    }

    fn sample(&self, input: NodeId, share: &TypedExpression) -> Result<Plan> {
        match self.fixed(share)? {
            Value::Double(share) if (0.0..=1.0).contains(&share) => {
                let chosen = kernels::sample(share, self.evaluation);
                LogicalPlanBuilder::from(self.relation(input)?).filter(chosen)?.build()
            }
            _ => datafusion::common::plan_err!("SAMPLE takes a share of the rows, 0.0 to 1.0"),
        }
    }

    /// The value of an expression that reads no row.
    fn fixed(&self, expression: &TypedExpression) -> Result<Value> {
        let scope = Scope::new(&[], &[]);
        ostracon_piglatin::evaluate::evaluate(expression, &scope, &mut self.evaluation.clone())
            .map_err(|error| datafusion::common::DataFusionError::External(Box::new(error)))
    }
}

/// The columns of a relation with this schema.
pub(crate) fn columns(schema: Option<&Schema>) -> Vec<String> {
    schema.map_or(vec![ROW.to_owned()], |schema| (0..schema.fields.len()).map(field).collect())
}

/// Whether a value of this type holds a bag whose order shows in its column.
fn has_bag(ty: &PigType) -> bool {
    match ty {
        _ if is_encoded(ty) => false,
        PigType::Bag { .. } => true,
        PigType::Tuple(Some(schema)) => schema.fields.iter().any(|field| has_bag(&field.ty)),
        _ => false,
    }
}

/// A row with a schema as one tuple.
#[derive(Debug)]
struct WholeRow;

impl RowProgram for WholeRow {
    fn result(&self) -> PigType {
        PigType::Tuple(None)
    }
    fn run(&self, scope: &Scope<'_>, _: &mut Evaluation) -> Result<Value> {
        Ok(Value::Tuple(scope.fields().to_vec()))
    }
}
