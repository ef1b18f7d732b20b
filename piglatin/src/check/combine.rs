use crate::ast::Relation;
use crate::check::group::relation_span;
use crate::check::operators::null;
use crate::check::relation::Input;
use crate::check::{Checked, Checker};
use crate::logical::{ForeachItem, LogicalOperator, NodeId, TypedExpression, TypedKind};
use crate::source::{Diagnostic, Span};
use crate::types::{Field, Schema, Unknown, merge_schemas, merge_union};

impl Checker<'_> {
    /// UNION (N50).
    pub(crate) fn union(&mut self, inputs: &[Relation], on_schema: bool, span: Span) -> Checked<NodeId> {
        let read = self.inputs(inputs)?;
        let spans: Vec<Span> = inputs.iter().map(relation_span).collect();
        if on_schema {
            return self.union_on_schema(&read, &spans, span);
        }
        let mut merged: Option<Schema> = None;
        let mut known = true;
        for (input, at) in read.iter().zip(&spans) {
            let Some(schema) = self.schema(input.id).cloned() else {
                known = false;
                break;
            };
            merged = Some(match merged.take() {
                None => schema,
                Some(before) if before.fields.len() != schema.fields.len() => {
                    known = false;
                    break;
                }
                Some(before) => {
                    merge_schemas(&before, &schema).map_err(|problem| self.problem(problem, *at))?
                }
            });
        }
        let Some(schema) = merged.filter(|_| known) else {
            let rows = self.common_rows(&read);
            let operator = LogicalOperator::Union(read.into_iter().map(|input| input.id).collect());
            return Ok(self.add(operator, None, span, rows));
        };
        let sides =
            read.into_iter().map(|input| self.side(&input, &schema, |index, _| Some(index), span)).collect();
        Ok(self.add(LogicalOperator::Union(sides), Some(schema), span, Unknown::Dynamic))
    }

    fn common_rows(&self, inputs: &[Input]) -> Unknown {
        let raw = inputs.iter().map(|input| match self.schema(input.id) {
            None => self.rows_of(input.id),
            Some(_) => Unknown::Dynamic,
        });
        raw.reduce(crate::types::join_unknown).unwrap_or(Unknown::Dynamic)
    }

    /// An input with the columns of a schema.
    fn side(
        &mut self,
        input: &Input,
        schema: &Schema,
        column: impl Fn(usize, &Schema) -> Option<usize>,
        span: Span,
    ) -> NodeId {
        let Some(own) = self.schema(input.id).cloned() else { return input.id };
        let items: Vec<ForeachItem> = schema
            .fields
            .iter()
            .enumerate()
            .map(|(position, wanted)| {
                let found = column(position, &own).and_then(|index| Some((index, own.fields.get(index)?)));
                let expression = match found {
                    Some((index, field)) => {
                        let kind = TypedKind::Field { depth: 0, index };
                        TypedExpression { kind, ty: field.ty.clone(), span }.into_type(&wanted.ty)
                    }
                    None => null(wanted.ty.clone(), span),
                };
                ForeachItem { expression, flatten: None }
            })
            .collect();
        let same = own.fields.len() == items.len()
            && items.iter().enumerate().all(|(position, item)| {
                matches!(item.expression.kind, TypedKind::Field { index, .. } if index == position)
            });
        if same {
            return input.id;
        }
        let operator = LogicalOperator::Foreach { input: input.id, bindings: Vec::new(), items };
        self.add(operator, Some(schema.clone()), span, Unknown::Dynamic)
    }

    /// Columns are matched by name, the short one too; what an input lacks is null.
    fn union_on_schema(&mut self, inputs: &[Input], spans: &[Span], span: Span) -> Checked<NodeId> {
        let mut fields: Vec<Field> = Vec::new();
        // Which column of each input goes into which field.
        let mut columns: Vec<Vec<usize>> = Vec::new();
        for (input, at) in inputs.iter().zip(spans) {
            let Some(schema) = self.schema(input.id).cloned() else {
                let name = input.name.as_deref().unwrap_or("this relation");
                let fault = Diagnostic::invalid(format!("UNION ONSCHEMA needs the fields of {name}"), *at);
                return Err(self.fault(fault.with_help("declare its fields by AS")));
            };
            let mut taken: Vec<usize> = Vec::new();
            for field in schema.fields {
                let Some(name) = &field.name else {
                    let fault = Diagnostic::invalid("UNION ONSCHEMA needs a name for every field", *at);
                    return Err(self.fault(fault.with_help("name the fields by AS")));
                };
                let named = |test: &dyn Fn(&str) -> bool| -> Vec<usize> {
                    let found = fields.iter().enumerate();
                    let found = found.filter(|(_, field)| field.name.as_deref().is_some_and(test));
                    found.map(|(position, _)| position).collect()
                };
                let same = match named(&|known| known == name) {
                    exact if exact.is_empty() => named(&|known| same_name(known, name)),
                    exact => exact,
                };
                match same.as_slice() {
                    [] => {
                        taken.push(fields.len());
                        fields.push(field);
                    }
                    [position] if !taken.contains(position) => {
                        let known = &mut fields[*position];
                        let ty = merge_union(&known.ty, &field.ty);
                        known.ty = ty.map_err(|problem| self.problem(problem, *at))?;
                        // The name without a prefix is the one that both have.
                        if known.name.as_ref().is_some_and(|known| known.len() > name.len()) {
                            known.name = field.name;
                        }
                        taken.push(*position);
                    }
                    _ => {
                        let fault = format!("UNION ONSCHEMA finds more than one field for {name}");
                        let fault = Diagnostic::invalid(fault, *at);
                        return Err(self.fault(fault.with_help("rename the fields by a FOREACH before")));
                    }
                }
            }
            columns.push(taken);
        }
        let schema = Schema::new(fields);
        self.unique(&schema, &[], span)?;
        let sides = inputs
            .iter()
            .zip(&columns)
            .map(|(input, taken)| {
                let column = |position: usize, _: &Schema| taken.iter().position(|field| *field == position);
                self.side(input, &schema, column, span)
            })
            .collect();
        Ok(self.add(LogicalOperator::Union(sides), Some(schema), span, Unknown::Dynamic))
    }
}

/// Whether one name is the other, or its end behind `::`.
fn same_name(left: &str, right: &str) -> bool {
    let ends =
        |long: &str, short: &str| long.strip_suffix(short).is_some_and(|before| before.ends_with("::"));
    left == right || ends(left, right) || ends(right, left)
}
