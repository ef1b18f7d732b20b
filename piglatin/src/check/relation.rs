use crate::ast::{Operator, OperatorKind, Relation};
use crate::check::scope::Scope;
use crate::check::{Alias, Checked, Checker, Fault};
use crate::logical::{LogicalOperator, NodeId};
use crate::source::{Diagnostic, Span, did_you_mean};
use crate::types::PigType;

/// A relation that an operator reads, and the name that it was read by.
#[derive(Debug, Clone)]
pub(crate) struct Input {
    pub(crate) id: NodeId,
    pub(crate) name: Option<String>,
}

/// What an operator made.
#[derive(Debug)]
pub(crate) struct Made {
    pub(crate) id: NodeId,
    /// Names of its block, with their types.
    pub(crate) nested: Vec<(String, PigType)>,
}

impl Checker<'_> {
    /// All are looked at, so that all tell their faults.
    pub(crate) fn inputs(&mut self, relations: &[Relation]) -> Checked<Vec<Input>> {
        let read: Vec<Checked<Input>> = relations.iter().map(|relation| self.input(relation)).collect();
        read.into_iter().collect()
    }

    pub(crate) fn input(&mut self, relation: &Relation) -> Checked<Input> {
        match relation {
            Relation::Alias(name) => match self.aliases.get(&name.text) {
                Some(Alias::Relation(id)) => Ok(Input { id: *id, name: Some(name.text.clone()) }),
                Some(Alias::Faulty) => Err(Fault),
                None if self.unread.contains(&name.text) => Err(Fault),
                None => {
                    let fault = Diagnostic::invalid(format!("there is no relation {}", name.text), name.span);
                    let meant = did_you_mean(&name.text, self.aliases.keys().map(String::as_str));
                    Err(self.fault(match meant {
                        Some(meant) => fault.with_help(format!("did you mean {meant}?")),
                        None => fault,
                    }))
                }
            },
            Relation::Previous(span) => match self.previous {
                Some(Alias::Relation(id)) => {
                    let name = self.plan.nodes.get(id.0).and_then(|node| node.alias.clone());
                    Ok(Input { id, name })
                }
                Some(Alias::Faulty) => Err(Fault),
                None => Err(self.invalid("@ is the relation made before, and there is none", *span)),
            },
            Relation::Inline(operator) => {
                let made = self.operator(operator)?;
                Ok(Input { id: made.id, name: None })
            }
        }
    }

    pub(crate) fn operator(&mut self, operator: &Operator) -> Checked<Made> {
        let span = operator.span;
        let plain = |id| Made { id, nested: Vec::new() };
        Ok(match &operator.kind {
            OperatorKind::Relation(relation) => plain(self.input(relation)?.id),
            OperatorKind::Load { path, function, schema } => {
                plain(self.load(path, function.as_ref(), schema.as_ref(), span)?)
            }
            OperatorKind::Foreach { input, block, items } => {
                let input = self.input(input)?;
                let (id, nested) = self.foreach(&input, block, items, span)?;
                Made { id, nested }
            }
            OperatorKind::Filter { input, condition } => {
                let input = self.input(input)?;
                plain(
                    self.filter(&input, span, |checker, scope| {
                        checker.condition(condition, scope, "FILTER")
                    })?,
                )
            }
            OperatorKind::Group { inputs, .. } => plain(self.group(inputs, span)?),
            OperatorKind::Join { inputs, join_type, hint, .. } => {
                plain(self.join(inputs, *join_type, hint.as_ref(), span)?)
            }
            OperatorKind::Cross(inputs) => plain(self.cross(inputs, span)?),
            OperatorKind::Union { inputs, on_schema } => plain(self.union(inputs, *on_schema, span)?),
            OperatorKind::Distinct(input) => {
                let input = self.input(input)?;
                plain(self.same_rows(&input, LogicalOperator::Distinct(input.id), span))
            }
            OperatorKind::Limit { input, count } => plain(self.limit(input, count, span)?),
            OperatorKind::Sample { input, share } => plain(self.sample(input, share, span)?),
            OperatorKind::Order { input, keys, comparator } => {
                plain(self.order(input, keys, comparator.as_ref(), span)?)
            }
            OperatorKind::Rank { input, keys } => plain(self.rank(input, keys.as_ref(), span)?),
            OperatorKind::Cube { input, dimensions } => plain(self.cube(input, dimensions, span)?),
            OperatorKind::Stream { input, command, schema } => {
                plain(self.stream(input, command, schema.as_ref(), span)?)
            }
        })
    }

    /// An operator whose rows are rows of its input.
    pub(crate) fn same_rows(&mut self, input: &Input, operator: LogicalOperator, span: Span) -> NodeId {
        let schema = self.schema(input.id).cloned();
        let rows = self.rows_of(input.id);
        self.add(operator, schema, span, rows)
    }

    pub(crate) fn filter(
        &mut self,
        input: &Input,
        span: Span,
        condition: impl FnOnce(&mut Self, &Scope<'_>) -> Checked<crate::logical::TypedExpression>,
    ) -> Checked<NodeId> {
        let schema = self.schema(input.id).cloned();
        let scope = Scope::row(schema.as_ref(), self.rows_of(input.id)).of(input.id);
        let condition = condition(self, &scope)?;
        Ok(self.same_rows(input, LogicalOperator::Filter { input: input.id, condition }, span))
    }
}
