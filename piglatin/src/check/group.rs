use crate::ast::{Expression, GroupInput, GroupKeys, JoinInput, JoinType, Relation, Text};
use crate::check::relation::Input;
use crate::check::scope::{Named, Scope};
use crate::check::{Checked, Checker};
use crate::logical::{GroupBranch, LogicalOperator, NodeId, TypedExpression};
use crate::source::{Diagnostic, Span};
use crate::types::{Field, PigType, Schema, Unknown, merge_keys, type_name};

impl Checker<'_> {
    pub(crate) fn group(&mut self, inputs: &[GroupInput], span: Span) -> Checked<NodeId> {
        let all = inputs.iter().any(|input| !matches!(input.keys, GroupKeys::By(_)));
        let read: Vec<Checked<(Input, Vec<Named>)>> = inputs
            .iter()
            .map(|input| {
                let relation = self.input(&input.relation)?;
                let keys = match &input.keys {
                    GroupKeys::By(keys) => self.keys(&relation, keys, "GROUP")?,
                    GroupKeys::All(_) | GroupKeys::Any(_) => Vec::new(),
                };
                Ok((relation, keys))
            })
            .collect();
        let (read, keys): (Vec<Input>, Vec<Vec<Named>>) =
            read.into_iter().collect::<Checked<Vec<_>>>()?.into_iter().unzip();
        let spans: Vec<Span> = inputs.iter().map(|input| key_span(&input.keys, span)).collect();
        let names: Vec<Option<String>> =
            keys.first().map_or(Vec::new(), |keys| keys.iter().map(|key| key.name.clone()).collect());
        let keys = self.merged(keys, &spans)?;
        let types: Vec<PigType> =
            keys.first().map_or(Vec::new(), |keys| keys.iter().map(|key| key.ty.clone()).collect());
        let tuple_key = types.len() > 1;
        let group = match (all, types.as_slice()) {
            (true, _) | (_, []) => PigType::Chararray,
            (false, [one]) => one.clone(),
            (false, many) => PigType::Tuple(Some(Schema::new(
                names.into_iter().zip(many).map(|(name, ty)| Field { name, ty: ty.clone() }).collect(),
            ))),
        };
        let mut fields = vec![Field::named("group", group)];
        for input in &read {
            let ty = PigType::Bag { tuple_name: None, fields: self.schema(input.id).cloned() };
            fields.push(Field { name: input.name.clone(), ty });
        }
        let schema = Schema::new(fields);
        self.unique_side_by_side(&schema, span)?;
        let branches = read
            .into_iter()
            .zip(inputs)
            .zip(keys)
            .map(|((input, written), keys)| GroupBranch { input: input.id, keys, inner: written.inner })
            .collect();
        let operator = LogicalOperator::Group { inputs: branches, all, tuple_key };
        Ok(self.add(operator, Some(schema), span, Unknown::Dynamic))
    }

    /// Keys over a relation. Maps and bags are no keys.
    fn keys(&mut self, input: &Input, keys: &[Expression], what: &str) -> Checked<Vec<Named>> {
        let schema = self.schema(input.id).cloned();
        let scope = Scope::row(schema.as_ref(), self.rows_of(input.id)).of(input.id);
        let keys = self.expanded(keys, &scope)?;
        for key in &keys {
            if let PigType::Map(_) | PigType::Bag { .. } = &key.expression.ty {
                let text = format!("{what} does not take a {} as key", type_name(&key.expression.ty));
                return Err(self.invalid(text, key.span));
            }
        }
        Ok(keys)
    }

    /// Keys of several relations, cast to the types they meet in (N48).
    fn merged(&mut self, keys: Vec<Vec<Named>>, spans: &[Span]) -> Checked<Vec<Vec<TypedExpression>>> {
        let mut types: Vec<PigType> = Vec::new();
        for (position, keys) in keys.iter().enumerate() {
            let at = spans.get(position).copied().or_else(|| spans.first().copied());
            if position == 0 {
                types = keys.iter().map(|key| key.expression.ty.clone()).collect();
                continue;
            }
            let at = keys.first().map(|key| key.span).or(at).ok_or(crate::check::Fault)?;
            if keys.len() != types.len() {
                let text = format!("the relations have {} and {} keys", types.len(), keys.len());
                return Err(self.invalid(text, at));
            }
            for (ty, key) in types.iter_mut().zip(keys) {
                *ty =
                    merge_keys(ty, &key.expression.ty).map_err(|problem| self.problem(problem, key.span))?;
            }
        }
        Ok(keys
            .into_iter()
            .map(|keys| keys.into_iter().zip(&types).map(|(key, ty)| key.expression.into_type(ty)).collect())
            .collect())
    }

    pub(crate) fn join(
        &mut self,
        inputs: &[JoinInput],
        join_type: JoinType,
        hint: Option<&Text>,
        span: Span,
    ) -> Checked<NodeId> {
        let read: Vec<Checked<(Input, Vec<Named>)>> = inputs
            .iter()
            .map(|input| {
                let relation = self.input(&input.relation)?;
                let keys = self.keys(&relation, &input.keys, "JOIN")?;
                Ok((relation, keys))
            })
            .collect();
        let (read, keys): (Vec<Input>, Vec<Vec<Named>>) =
            read.into_iter().collect::<Checked<Vec<_>>>()?.into_iter().unzip();
        let spans: Vec<Span> =
            inputs.iter().map(|input| input.keys.first().map_or(span, |key| key.span)).collect();
        let keys = self.merged(keys, &spans)?;
        let without = |side: usize| match join_type {
            JoinType::Inner => false,
            JoinType::Left => side == 1,
            JoinType::Right => side == 0,
            JoinType::Full => true,
        };
        for (side, input) in read.iter().enumerate() {
            if without(side) && self.schema(input.id).is_none() {
                let name = input.name.as_deref().unwrap_or("this relation");
                let text =
                    format!("an outer join must know how many fields {name} has, and its schema is unknown");
                let fault = Diagnostic::invalid(text, relation_span(&inputs[side].relation));
                return Err(self.fault(fault.with_help("declare its fields by AS")));
            }
        }
        let schema = self.side_by_side(&read, span)?;
        let joined = read.into_iter().zip(keys).map(|(input, keys)| (input.id, keys)).collect();
        let hint = hint.map(|hint| hint.text.clone());
        let operator = LogicalOperator::Join { inputs: joined, join_type, hint };
        Ok(self.add(operator, schema, span, Unknown::Dynamic))
    }

    pub(crate) fn cross(&mut self, inputs: &[Relation], span: Span) -> Checked<NodeId> {
        let read = self.inputs(inputs)?;
        let schema = self.side_by_side(&read, span)?;
        let operator = LogicalOperator::Cross(read.into_iter().map(|input| input.id).collect());
        Ok(self.add(operator, schema, span, Unknown::Dynamic))
    }

    /// The fields of all relations, `A::x` (N51); none if one has no schema (N6).
    fn side_by_side(&mut self, inputs: &[Input], span: Span) -> Checked<Option<Schema>> {
        let mut fields = Vec::new();
        for input in inputs {
            let Some(schema) = self.schema(input.id) else { return Ok(None) };
            for field in &schema.fields {
                let name = match (&input.name, &field.name) {
                    (Some(relation), Some(name)) => Some(format!("{relation}::{name}")),
                    (None, name) => name.clone(),
                    (Some(_), None) => None,
                };
                fields.push(Field { name, ty: field.ty.clone() });
            }
        }
        let schema = Schema::new(fields);
        self.unique_side_by_side(&schema, span)?;
        Ok(Some(schema))
    }
}

fn key_span(keys: &GroupKeys, otherwise: Span) -> Span {
    match keys {
        GroupKeys::By(keys) => keys.first().map_or(otherwise, |key| key.span),
        GroupKeys::All(span) | GroupKeys::Any(span) => *span,
    }
}

pub(crate) fn relation_span(relation: &Relation) -> Span {
    match relation {
        Relation::Alias(name) => name.span,
        Relation::Previous(span) => *span,
        Relation::Inline(operator) => operator.span,
    }
}
