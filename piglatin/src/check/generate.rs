use crate::ast::{Expression, ExpressionKind, FieldSpec, GenerateItem, ItemNames};
use crate::check::expression::fields_of;
use crate::check::scope::{Named, Scope};
use crate::check::{Checked, Checker};
use crate::logical::{Flatten, ForeachItem, TypedExpression, TypedKind};
use crate::source::Span;
use crate::types::{Field, PigType, Schema, check_cast};

/// What GENERATE makes.
#[derive(Debug, Default)]
pub(crate) struct Generated {
    pub(crate) items: Vec<ForeachItem>,
    /// The fields, if their number is known.
    pub(crate) schema: Option<Schema>,
    /// Casts of flattened fields, done by a second FOREACH, and the fields before them.
    pub(crate) casts: Option<(Schema, Vec<ForeachItem>)>,
}

/// The fields that items have made so far.
#[derive(Debug, Default)]
struct Fields {
    items: Vec<ForeachItem>,
    fields: Vec<Field>,
    /// The types that flattened fields are cast to.
    to: Vec<Option<PigType>>,
    spans: Vec<Span>,
    open: bool,
}

impl Fields {
    fn push(&mut self, field: Field, to: Option<PigType>, span: Span) {
        self.fields.push(field);
        self.to.push(to);
        self.spans.push(span);
    }

    fn plain(&mut self, value: TypedExpression, name: Option<String>, span: Span) {
        self.push(Field { name, ty: value.ty.clone() }, None, span);
        self.items.push(ForeachItem { expression: value, flatten: None });
    }
}

impl Checker<'_> {
    pub(crate) fn generate(
        &mut self,
        items: &[GenerateItem],
        scope: &Scope<'_>,
        span: Span,
    ) -> Checked<Generated> {
        let mut made = Fields::default();
        let mut faulty = None;
        for item in items {
            // All items are looked at, whatever the first is like.
            if let Err(fault) = self.item(item, scope, &mut made) {
                faulty = Some(fault);
            }
        }
        if let Some(fault) = faulty {
            return Err(fault);
        }
        if made.open {
            return Ok(Generated { items: made.items, schema: None, casts: None });
        }
        let schema = Schema::new(made.fields);
        self.unique(&schema, &made.spans, span)?;
        if made.to.iter().all(Option::is_none) {
            return Ok(Generated { items: made.items, schema: Some(schema), casts: None });
        }
        let mut casts = Vec::new();
        let mut fields = Vec::new();
        for (index, (field, to)) in schema.fields.iter().zip(&made.to).enumerate() {
            let read = TypedExpression {
                kind: TypedKind::Field { depth: 0, index },
                ty: field.ty.clone(),
                span: made.spans[index],
            };
            let cast = match to {
                Some(to) => read.into_type(to),
                None => read,
            };
            fields.push(Field { name: field.name.clone(), ty: cast.ty.clone() });
            casts.push(ForeachItem { expression: cast, flatten: None });
        }
        Ok(Generated { items: made.items, schema: Some(Schema::new(fields)), casts: Some((schema, casts)) })
    }

    fn item(&mut self, item: &GenerateItem, scope: &Scope<'_>, made: &mut Fields) -> Checked<()> {
        match &item.expression.kind {
            ExpressionKind::Flatten(inner) => self.flatten(inner, item, scope, made),
            ExpressionKind::Star | ExpressionKind::Range { .. } => self.columns(item, scope, made),
            _ => {
                let value = self.named(&item.expression, scope)?;
                let spec = match &item.names {
                    None => None,
                    Some(ItemNames::Field(spec)) => Some(spec),
                    Some(ItemNames::List(list)) => match list.fields.as_slice() {
                        [spec] => Some(spec),
                        _ => {
                            let text =
                                "AS names one field here; a list of names is for FLATTEN, * and ranges";
                            return Err(self.invalid(text, list.span));
                        }
                    },
                };
                self.plain(value, spec, item.span, made)
            }
        }
    }

    fn plain(
        &mut self,
        value: Named,
        spec: Option<&FieldSpec>,
        span: Span,
        made: &mut Fields,
    ) -> Checked<()> {
        let (expression, name, at) = match spec {
            None => (value.expression, value.name, value.span),
            Some(spec) => {
                let name = spec.name.as_ref().map(|name| name.text.clone()).or(value.name);
                let at = spec.name.as_ref().map_or(span, |name| name.span);
                (self.declare(value.expression, spec, span)?, name, at)
            }
        };
        made.plain(expression, name, at);
        Ok(())
    }

    /// `*` and ranges, with AS for all of their columns.
    fn columns(&mut self, item: &GenerateItem, scope: &Scope<'_>, made: &mut Fields) -> Checked<()> {
        let columns = match (&item.expression.kind, scope.schema) {
            (ExpressionKind::Star, Some(schema)) => fields_of(schema, 0..schema.fields.len(), item.span),
            (ExpressionKind::Star, None) => {
                open_row(0, item.span, made);
                return Ok(());
            }
            (ExpressionKind::Range { from, to: None }, None) => {
                let from = match from {
                    Some(crate::ast::Column::Position { index, .. }) => *index,
                    _ => {
                        return Err(self.invalid("the schema is unknown: ranges are of positions", item.span));
                    }
                };
                open_row(from, item.span, made);
                return Ok(());
            }
            (ExpressionKind::Range { from: None, to: Some(to) }, None) => {
                let span = item.expression.span;
                let from = Some(crate::ast::Column::Position { index: 0, span });
                let kind = ExpressionKind::Range { from, to: Some(to.clone()) };
                self.expanded(&[Expression { kind, span }], scope)?
            }
            _ => self.expanded(std::slice::from_ref(&item.expression), scope)?,
        };
        let specs: Vec<&FieldSpec> = match &item.names {
            None => Vec::new(),
            Some(ItemNames::Field(spec)) => vec![spec],
            Some(ItemNames::List(list)) => list.fields.iter().collect(),
        };
        if !specs.is_empty() && specs.len() != columns.len() {
            let text = format!("AS names {} fields, and these are {} columns", specs.len(), columns.len());
            return Err(self.invalid(text, item.span));
        }
        let mut specs = specs.into_iter();
        for column in columns {
            self.plain(column, specs.next(), item.span, made)?;
        }
        Ok(())
    }

    fn flatten(
        &mut self,
        inner: &Expression,
        item: &GenerateItem,
        scope: &Scope<'_>,
        made: &mut Fields,
    ) -> Checked<()> {
        let specs: Option<Vec<&FieldSpec>> = item.names.as_ref().map(|names| match names {
            ItemNames::Field(spec) => vec![spec],
            ItemNames::List(list) => list.fields.iter().collect(),
        });
        let value = self.named(inner, scope)?;
        let prefix = |name: &Option<String>| match (&value.name, name) {
            (Some(prefix), Some(name)) => Some(format!("{prefix}::{name}")),
            (None, name) => name.clone(),
            (Some(_), None) => None,
        };
        let inner_fields = |schema: &Schema| -> Vec<Field> {
            schema.fields.iter().map(|f| Field { name: prefix(&f.name), ty: f.ty.clone() }).collect()
        };
        // The fields that come out; without, their number is not known.
        let known: Option<Vec<Field>> = match &value.expression.ty {
            PigType::Tuple(Some(schema)) | PigType::Bag { fields: Some(schema), .. } => {
                Some(inner_fields(schema))
            }
            PigType::Map(of) => Some(vec![
                Field { name: prefix(&Some("key".to_owned())), ty: PigType::Chararray },
                Field { name: prefix(&Some("value".to_owned())), ty: of.as_ref().clone() },
            ]),
            PigType::Tuple(None)
            | PigType::Bag { .. }
            | PigType::Bytearray(crate::types::Unknown::Dynamic) => None,
            ty => Some(vec![Field { name: value.name.clone(), ty: ty.clone() }]),
        };
        let is_flat = matches!(&value.expression.ty, ty if !ty.is_complex() && *ty != PigType::DYNAMIC);
        let Some(specs) = specs else {
            match known {
                Some(fields) => {
                    let flatten = (!is_flat).then_some(Flatten { width: Some(fields.len()) });
                    fields.into_iter().for_each(|field| made.push(field, None, item.span));
                    made.items.push(ForeachItem { expression: value.expression, flatten });
                }
                None => {
                    made.open = true;
                    let flatten = Some(Flatten { width: None });
                    made.items.push(ForeachItem { expression: value.expression, flatten });
                }
            }
            return Ok(());
        };
        if let Some(known) = &known
            && known.len() != specs.len()
        {
            let (has, wants) = (known.len(), specs.len());
            self.warn(format!("AS names {wants} fields where FLATTEN gives {has}"), item.span);
        }
        if is_flat && specs.len() == 1 {
            return self.plain(value, specs.first().copied(), item.span, made);
        }
        let width = specs.len();
        for (index, spec) in specs.into_iter().enumerate() {
            let before = known.as_ref().and_then(|known| known.get(index));
            let from = before.map_or(PigType::DYNAMIC, |field| field.ty.clone());
            let name = match &spec.name {
                Some(name) => Some(name.text.clone()),
                None => before.and_then(|field| field.name.clone()),
            };
            let at = spec.name.as_ref().map_or(item.span, |name| name.span);
            let to = self.flattened_type(spec, &from, at)?;
            made.push(Field { name, ty: from }, to, at);
        }
        let flatten = Some(Flatten { width: Some(width) });
        made.items.push(ForeachItem { expression: value.expression, flatten });
        Ok(())
    }

    fn flattened_type(&mut self, spec: &FieldSpec, from: &PigType, at: Span) -> Checked<Option<PigType>> {
        let Some(written) = &spec.ty else { return Ok(None) };
        let to = PigType::from_spec(written, crate::types::Unknown::Dynamic);
        if to.is_unknown() {
            return Ok(None);
        }
        check_cast(from, &to).map_err(|problem| self.problem(problem, at))?;
        Ok(Some(crate::check::output::declared_type(from, &to)))
    }
}

/// The fields of a row of any width, from one on.
fn open_row(from: usize, span: Span, made: &mut Fields) {
    let kind = TypedKind::Row { depth: 0, from, to: None };
    let expression = TypedExpression { kind, ty: PigType::Tuple(None), span };
    made.items.push(ForeachItem { expression, flatten: Some(Flatten { width: None }) });
    made.open = true;
}
