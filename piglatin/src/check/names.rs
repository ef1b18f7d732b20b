use crate::ast::{Column, Name};
use crate::check::scope::{Found, Scope};
use crate::check::{Checked, Checker, Fault};
use crate::logical::{TypedExpression, TypedKind};
use crate::source::{Diagnostic, Span};
use crate::types::{Field, NameProblem, PigType, Schema, TypeProblem, Unknown};

/// The place of a column.
pub(crate) fn column_span(column: &Column) -> Span {
    match column {
        Column::Name(name) => name.span,
        Column::Position { span, .. } => *span,
    }
}

impl Checker<'_> {
    /// The field that a name means in a scope or around it; none if there is none.
    pub(crate) fn find(&mut self, name: &str, scope: &Scope<'_>) -> Result<Option<Found>, TypeProblem> {
        let mut depth = 0;
        let mut scope = Some(scope);
        while let Some(here) = scope {
            if let Some(schema) = here.schema {
                match schema.find(name) {
                    Ok(index) => {
                        let field = &schema.fields[index];
                        let (ty, name) = (field.ty.clone(), field.name.clone());
                        return Ok(Some(Found { depth, index, ty, name }));
                    }
                    Err(NameProblem::Ambiguous(problem)) => return Err(problem),
                    Err(NameProblem::Absent(_)) => {}
                }
            }
            depth += 1;
            scope = here.outer;
        }
        Ok(None)
    }

    /// A column of the row, with its name.
    pub(crate) fn column(
        &mut self,
        column: &Column,
        scope: &Scope<'_>,
    ) -> Checked<(TypedExpression, Option<String>)> {
        match column {
            Column::Position { index, span } => {
                let (kind, ty, name) = match scope.schema {
                    Some(schema) => {
                        let index = schema.at(*index).map_err(|problem| self.problem(problem, *span))?;
                        let field = &schema.fields[index];
                        (TypedKind::Field { depth: 0, index }, field.ty.clone(), field.name.clone())
                    }
                    None => {
                        let kind = TypedKind::DynamicField { depth: 0, index: *index };
                        (kind, PigType::Bytearray(scope.unknown), None)
                    }
                };
                Ok((TypedExpression { kind, ty, span: *span }, name))
            }
            Column::Name(name) => self.named_column(name, scope),
        }
    }

    /// Of a bag's tuples, their fields come first; then the names of the block; then the fields around.
    fn named_column(&mut self, name: &Name, scope: &Scope<'_>) -> Checked<(TypedExpression, Option<String>)> {
        let span = name.span;
        let found = self.find(&name.text, scope);
        let inside = scope.outer.is_some() && matches!(&found, Ok(Some(found)) if found.depth == 0);
        if let Some(binding) = scope.binding(&name.text)
            && !inside
        {
            let kind = TypedKind::Binding { index: binding.index };
            let ty = binding.ty.clone().ok_or(Fault)?;
            return Ok((TypedExpression { kind, ty, span }, Some(binding.name.clone())));
        }
        match found {
            Ok(Some(found)) => {
                let kind = TypedKind::Field { depth: found.depth, index: found.index };
                Ok((TypedExpression { kind, ty: found.ty, span }, found.name))
            }
            Err(problem) => Err(self.problem(problem, span)),
            Ok(None) => Err(self.no_such_name(name, scope)),
        }
    }

    pub(crate) fn no_such_name(&mut self, name: &Name, scope: &Scope<'_>) -> Fault {
        if self.aliases.contains_key(&name.text) {
            let text = format!("{} is a relation, not a field", name.text);
            let help = format!("a relation of one row is used as {}.field", name.text);
            return self.fault(Diagnostic::invalid(text, name.span).with_help(help));
        }
        match scope.schema {
            Some(schema) => {
                // The type says nothing here: only names are asked for.
                let names = scope.bindings.iter().map(|b| Field::named(&*b.name, PigType::DYNAMIC));
                let all = Schema::new(schema.fields.iter().cloned().chain(names).collect());
                let problem = match all.find(&name.text) {
                    Err(problem) => problem.into(),
                    Ok(_) => TypeProblem::new(format!("there is no field {}", name.text)),
                };
                self.problem(problem, name.span)
            }
            None => {
                let text = format!("there is no field {}: the schema is unknown", name.text);
                let help = "name the fields by AS, or use $0, $1, ...";
                self.fault(Diagnostic::invalid(text, name.span).with_help(help))
            }
        }
    }

    /// The index of a field of a tuple.
    pub(crate) fn field_of(
        &mut self,
        column: &Column,
        schema: Option<&Schema>,
        what: &str,
    ) -> Checked<(usize, PigType, Option<String>)> {
        let found = match (schema, column) {
            (Some(schema), Column::Name(name)) => schema.find(&name.text).map_err(TypeProblem::from),
            (Some(schema), Column::Position { index, .. }) => schema.at(*index),
            (None, Column::Position { index, .. }) => return Ok((*index, PigType::DYNAMIC, None)),
            (None, Column::Name(name)) => Err(TypeProblem::new(format!(
                "there is no field {}: the fields of {what} are not known",
                name.text
            ))
            .help("use $0, $1, ..., or declare them by AS")),
        };
        match found {
            Ok(index) => {
                let field = schema.and_then(|schema| schema.fields.get(index));
                let ty = field.map_or(PigType::Bytearray(Unknown::Dynamic), |field| field.ty.clone());
                Ok((index, ty, field.and_then(|field| field.name.clone())))
            }
            Err(problem) => Err(self.problem(problem, column_span(column))),
        }
    }

    /// The columns of a range, from the first to the last.
    pub(crate) fn range(
        &mut self,
        from: Option<&Column>,
        to: Option<&Column>,
        schema: &Schema,
        span: Span,
    ) -> Checked<std::ops::RangeInclusive<usize>> {
        let last = schema.fields.len().saturating_sub(1);
        let from = match from {
            Some(column) => self.field_of(column, Some(schema), "the row")?.0,
            None => 0,
        };
        let to = match to {
            Some(column) => self.field_of(column, Some(schema), "the row")?.0,
            None => last,
        };
        match from <= to {
            true => Ok(from..=to),
            false => Err(self.invalid("this range ends before it begins", span)),
        }
    }
}
