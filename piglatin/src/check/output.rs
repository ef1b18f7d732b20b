use crate::ast::FieldSpec;
use crate::check::{Checked, Checker};
use crate::logical::TypedExpression;
use crate::source::{Diagnostic, Span};
use crate::types::{Field, PigType, Schema, Unknown, check_cast, type_name};

/// The type of a value that AS gives a type: names are those of AS, types too, but for what AS leaves open (N28).
pub(crate) fn declared_type(from: &PigType, to: &PigType) -> PigType {
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
        if to.is_unknown() {
            if !value.ty.is_unknown() {
                let text = format!("AS bytearray leaves the value {}, as it is", type_name(&value.ty));
                self.warn(text, span);
            }
            return Ok(value);
        }
        check_cast(&value.ty, &to).map_err(|problem| self.problem(problem, span))?;
        let to = declared_type(&value.ty, &to);
        Ok(value.into_type(&to))
    }

    /// Two fields of one name are a fault (ruling 2).
    pub(crate) fn unique(&mut self, schema: &Schema, spans: &[Span], whole: Span) -> Checked<()> {
        for (index, field) in schema.fields.iter().enumerate() {
            let Some(name) = &field.name else { continue };
            if schema.fields[..index].iter().any(|before| before.name.as_ref() == Some(name)) {
                let fault = format!("duplicate field: {name} stands twice");
                let fault = Diagnostic::invalid(fault, spans.get(index).copied().unwrap_or(whole));
                return Err(self.fault(fault.with_help("give one of them another name by AS")));
            }
        }
        Ok(())
    }
}
