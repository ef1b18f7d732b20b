use crate::ast::FieldSpec;
use crate::check::{Checked, Checker};
use crate::logical::TypedExpression;
use crate::source::{Diagnostic, Span};
use crate::types::{Field, PigType, Schema, Unknown, check_cast, type_name};

/// The type of a value that AS gives a type: names are those of AS, types too, but for what AS leaves open (N28).
fn declared_type(from: &PigType, to: &PigType) -> PigType {
    let fields = |from: &Option<Schema>, to: &Option<Schema>| match (from, to) {
        (Some(from), Some(to)) if from.fields.len() == to.fields.len() => Some(Schema::new(
            from.fields
                .iter()
                .zip(&to.fields)
                .map(|(from, to)| Field {
                    name: to.name.clone().or_else(|| from.name.clone()),
                    ty: declared_type(&from.ty, &to.ty),
                })
                .collect(),
        )),
        (Some(from), None) => Some(from.clone()),
        (_, to) => to.clone(),
    };
    match (from, to) {
        (from, PigType::Bytearray(_)) => from.clone(),
        (PigType::Tuple(from), PigType::Tuple(to)) => PigType::Tuple(fields(from, to)),
        (PigType::Bag { fields: from, .. }, PigType::Bag { tuple_name, fields: to }) => {
            PigType::Bag { tuple_name: tuple_name.clone(), fields: fields(from, to) }
        }
        (PigType::Map(from), PigType::Map(to)) => PigType::Map(Box::new(declared_type(from, to))),
        (_, to) => to.clone(),
    }
}

impl Checker<'_> {
    /// A value as AS declares it: cast where the type differs (N30).
    pub(crate) fn declare(
        &mut self,
        value: TypedExpression,
        spec: &FieldSpec,
        span: Span,
    ) -> Checked<TypedExpression> {
        let Some(written) = &spec.ty else { return Ok(value) };
        let unknown = match &value.ty {
            PigType::Bytearray(unknown) => *unknown,
            _ => Unknown::Dynamic,
        };
        let to = PigType::from_spec(written, unknown);
        if value.is_null_literal() {
            return Ok(value.into_type(&to));
        }
        let to = self.declared(&value.ty, &to, span)?;
        Ok(value.into_type(&to))
    }

    /// The type that AS makes of a type. `bytearray` leaves it as it is, inside of tuples too (N28, N30).
    pub(crate) fn declared(&mut self, from: &PigType, to: &PigType, span: Span) -> Checked<PigType> {
        if to.is_unknown() && !from.is_unknown() {
            self.warn(format!("AS bytearray leaves the value {}, as it is", type_name(from)), span);
        }
        let to = declared_type(from, to);
        check_cast(from, &to).map_err(|problem| self.problem(problem, span))?;
        Ok(to)
    }

    /// Two fields of one name are a fault (ruling 2). Where a field has no place of its own, the whole is pointed at.
    pub(crate) fn unique(&mut self, schema: &Schema, spans: &[Span], whole: Span) -> Checked<()> {
        self.unique_but(schema, spans, whole, "give one of them another name by AS")
    }

    /// The same for the fields of several relations.
    pub(crate) fn unique_side_by_side(&mut self, schema: &Schema, whole: Span) -> Checked<()> {
        self.unique_but(schema, &[], whole, "give one of the relations another name: b = a")
    }

    fn unique_but(&mut self, schema: &Schema, spans: &[Span], whole: Span, help: &str) -> Checked<()> {
        for (index, field) in schema.fields.iter().enumerate() {
            let Some(name) = &field.name else { continue };
            if schema.fields[..index].iter().any(|before| before.name.as_ref() == Some(name)) {
                let fault = format!("duplicate field: {name} stands twice");
                let fault = Diagnostic::invalid(fault, spans.get(index).copied().unwrap_or(whole));
                return Err(self.fault(fault.with_help(help)));
            }
        }
        Ok(())
    }
}
