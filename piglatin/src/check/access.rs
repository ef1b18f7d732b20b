use std::collections::BTreeSet;

use crate::ast::{Column, Expression, ExpressionKind};
use crate::check::names::column_span;
use crate::check::operators::boxed;
use crate::check::scope::{Named, Scope};
use crate::check::{Alias, Checked, Checker, Fault};
use crate::logical::{NodeId, TypedExpression, TypedKind};
use crate::source::{Diagnostic, DiagnosticKind, Span};
use crate::types::{Field, PigType, Schema, type_name};

/// Parts of values: `.` and `#`, and the one row of a relation.
impl Checker<'_> {
    pub(crate) fn dereference(
        &mut self,
        span: Span,
        base: &Expression,
        fields: &[Column],
        parenthesised: bool,
        scope: &Scope<'_>,
    ) -> Checked<Named> {
        if let ExpressionKind::Column(Column::Name(name)) = &base.kind
            && scope.binding(&name.text).is_none()
            && matches!(self.find(&name.text, scope), Ok(None))
            && let Some(alias) = self.aliases.get(&name.text).copied()
        {
            return self.scalar(span, alias, &name.text, fields, scope);
        }
        if let ExpressionKind::Column(Column::Name(name)) = &base.kind
            && self.unread.contains(&name.text)
            && matches!(self.find(&name.text, scope), Ok(None))
        {
            return Err(Fault);
        }
        let base = self.expression(base, scope)?;
        let unnamed = |expression| Named { expression, name: None, span };
        match base.ty.clone() {
            PigType::Bag { fields: schema, .. } => {
                let mut indices = Vec::new();
                let mut chosen = Vec::new();
                for field in fields {
                    let (index, ty, name) = self.field_of(field, schema.as_ref(), "the bag")?;
                    indices.push(index);
                    chosen.push(Field { name, ty });
                }
                let kind = TypedKind::BagProject { bag: boxed(base), indices };
                Ok(unnamed(TypedExpression { kind, ty: PigType::bag(Schema::new(chosen)), span }))
            }
            PigType::Tuple(schema) => self.tuple_fields(span, base, schema.as_ref(), fields, parenthesised),
            PigType::Bytearray(_) => {
                // Bytes are read as a tuple by the loader's caster.
                let tuple = base.into_type(&PigType::Tuple(None));
                self.tuple_fields(span, tuple, None, fields, parenthesised)
            }
            ty => {
                let field = fields.first();
                let name = match field {
                    Some(Column::Name(name)) => name.text.clone(),
                    Some(Column::Position { index, .. }) => format!("${index}"),
                    None => String::new(),
                };
                let text = format!("a value of type {} has no field {name}", type_name(&ty));
                Err(self.invalid(text, field.map_or(span, column_span)))
            }
        }
    }

    fn tuple_fields(
        &mut self,
        span: Span,
        tuple: TypedExpression,
        schema: Option<&Schema>,
        fields: &[Column],
        parenthesised: bool,
    ) -> Checked<Named> {
        let mut indices = Vec::new();
        let mut chosen = Vec::new();
        for field in fields {
            let (index, ty, name) = self.field_of(field, schema, "the tuple")?;
            indices.push(index);
            chosen.push(Field { name, ty });
        }
        if let ([index], [field], false) = (indices.as_slice(), chosen.as_slice(), parenthesised) {
            let kind = TypedKind::TupleField { tuple: boxed(tuple), index: *index };
            let expression = TypedExpression { kind, ty: field.ty.clone(), span };
            return Ok(Named { expression, name: field.name.clone(), span });
        }
        let kind = TypedKind::TupleProject { tuple: boxed(tuple), indices };
        let ty = PigType::Tuple(Some(Schema::new(chosen)));
        Ok(Named { expression: TypedExpression { kind, ty, span }, name: None, span })
    }

    /// A field of the one row of a relation.
    fn scalar(
        &mut self,
        span: Span,
        alias: Alias,
        name: &str,
        fields: &[Column],
        scope: &Scope<'_>,
    ) -> Checked<Named> {
        let Alias::Relation(relation) = alias else { return Err(Fault) };
        let [field] = fields else {
            return Err(self.invalid("one field of a relation is used as a value, not several", span));
        };
        let schema = self.schema(relation).cloned();
        let (index, ty, field_name) = self.field_of(field, schema.as_ref(), name)?;
        let ty = if schema.is_some() { ty } else { PigType::Bytearray(self.rows_of(relation)) };
        if let Column::Name(wanted) = field
            && let Some(meant) = self.field_meant(relation, name, &wanted.text, scope)
        {
            let text = format!("{name}.{} reads the one row of relation {name}", wanted.text);
            let lint = Diagnostic::invalid(text, span).with_help(format!("did you mean {meant}?"));
            self.fault(Diagnostic { kind: DiagnosticKind::Warning, ..lint });
        }
        let kind = TypedKind::Scalar { relation, index };
        Ok(Named { expression: TypedExpression { kind, ty, span }, name: field_name, span })
    }

    /// The field at hand that `name.wanted` looks like: `name::wanted`, or what became of it in a relation that is made
    /// from `name`.
    fn field_meant(&self, relation: NodeId, name: &str, wanted: &str, scope: &Scope<'_>) -> Option<String> {
        let full = format!("{name}::{wanted}");
        let schema = scope.schema?;
        if schema.fields.iter().any(|field| field.name.as_deref() == Some(&full)) {
            return Some(full);
        }
        let index = schema.find(wanted).ok()?;
        let mut open = vec![scope.reads()?];
        let mut seen = BTreeSet::new();
        while let Some(id) = open.pop() {
            if id == relation {
                return schema.fields.get(index)?.name.clone();
            }
            // Inputs stand before what reads them.
            if id > relation && seen.insert(id) {
                open.extend(self.plan.nodes.get(id.0)?.operator.inputs());
            }
        }
        None
    }

    pub(crate) fn lookup(
        &mut self,
        span: Span,
        base: &Expression,
        key: &str,
        scope: &Scope<'_>,
    ) -> Checked<TypedExpression> {
        let base_span = base.span;
        let base = self.expression(base, scope)?;
        let base = match &base.ty {
            PigType::Map(_) => base,
            PigType::Bytearray(_) => base.into_type(&PigType::untyped_map()),
            ty => {
                let text = format!("# looks up a key of a map, not of {}", type_name(ty));
                return Err(self.invalid(text, base_span));
            }
        };
        let ty = match &base.ty {
            PigType::Map(value) => value.as_ref().clone(),
            _ => PigType::DYNAMIC,
        };
        Ok(TypedExpression { kind: TypedKind::MapLookup { map: boxed(base), key: key.to_owned() }, ty, span })
    }
}
