use crate::ast::{Column, Expression, ExpressionKind, FieldSpec, GenerateItem, ItemNames};
use crate::check::expression::fields_of;
use crate::check::scope::{Named, Scope};
use crate::check::{Checked, Checker};
use crate::logical::{Flatten, ForeachItem, TypedExpression, TypedKind};
use crate::source::{Diagnostic, Span};
use crate::types::{Field, PigType, Schema};

/// What GENERATE makes.
#[derive(Debug, Default)]
pub(crate) struct Generated {
    pub(crate) items: Vec<ForeachItem>,
    /// The fields, if their number is known.
    pub(crate) schema: Option<Schema>,
    /// Casts of flattened fields, done by a second FOREACH.
    pub(crate) casts: Option<Casts>,
}

/// The second FOREACH, and the fields it reads, if their number is known.
#[derive(Debug)]
pub(crate) struct Casts {
    pub(crate) over: Option<Schema>,
    pub(crate) items: Vec<ForeachItem>,
}

impl Generated {
    /// The fields that the items make, before casts.
    pub(crate) fn made(&self) -> Option<Schema> {
        self.casts.as_ref().map_or(&self.schema, |casts| &casts.over).clone()
    }
}

/// The fields that items have made so far.
#[derive(Debug, Default)]
struct Fields {
    items: Vec<ForeachItem>,
    fields: Vec<Field>,
    /// The types that flattened fields are cast to.
    to: Vec<Option<PigType>>,
    spans: Vec<Span>,
    /// How many fields stand before the first item whose number of fields is not known, if there is one.
    open: Option<usize>,
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
        if made.open.is_none() {
            self.unique(&Schema { fields: made.fields.clone() }, &made.spans, span)?;
        }
        if made.to.iter().all(Option::is_none) {
            let schema = made.open.is_none().then_some(Schema { fields: made.fields });
            return Ok(Generated { items: made.items, schema, casts: None });
        }
        self.with_casts(made, span)
    }

    /// The casts of flattened fields. Where an item has any number of fields, those behind it have no place.
    fn with_casts(&mut self, made: Fields, span: Span) -> Checked<Generated> {
        let placed = made.open.unwrap_or(made.fields.len());
        if let Some(index) = (placed..made.to.len()).find(|index| made.to[*index].is_some()) {
            let name = made.fields[index].name.as_deref().unwrap_or("it");
            let text =
                format!("{name} has no place of its own: a FLATTEN before it gives any number of fields");
            let fault = Diagnostic::invalid(text, made.spans[index]);
            return Err(self.fault(fault.with_help("name the fields of that FLATTEN by AS")));
        }
        let mut items = Vec::new();
        let mut fields = Vec::new();
        for (index, (field, to)) in made.fields.iter().zip(&made.to).take(placed).enumerate() {
            let span = made.spans[index];
            let read = match made.open {
                None => {
                    let kind = TypedKind::Field { depth: 0, index };
                    TypedExpression { kind, ty: field.ty.clone(), span }
                }
                Some(_) => {
                    let kind = TypedKind::DynamicField { depth: 0, index };
                    TypedExpression { kind, ty: PigType::DYNAMIC, span }
                }
            };
            let cast = match to {
                Some(to) => read.into_type(to),
                None => read,
            };
            fields.push(Field { name: field.name.clone(), ty: cast.ty.clone() });
            items.push(ForeachItem { expression: cast, flatten: None });
        }
        let Some(from) = made.open else {
            let casts = Some(Casts { over: Some(Schema::new(made.fields)), items });
            return Ok(Generated { items: made.items, schema: Some(Schema::new(fields)), casts });
        };
        let kind = TypedKind::Row { depth: 0, from, to: None };
        let expression = TypedExpression { kind, ty: PigType::Tuple(None), span };
        items.push(ForeachItem { expression, flatten: Some(Flatten { width: None }) });
        Ok(Generated { items: made.items, schema: None, casts: Some(Casts { over: None, items }) })
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
            (ExpressionKind::Star | ExpressionKind::Range { from: None, to: None }, None) => {
                return self.open_row(0, item, made);
            }
            (ExpressionKind::Range { from: Some(Column::Position { index, .. }), to: None }, None) => {
                return self.open_row(*index, item, made);
            }
            (ExpressionKind::Range { from: Some(Column::Name(name)), to: None }, None) => {
                return Err(self.no_such_name(name, scope));
            }
            _ => self.expanded(std::slice::from_ref(&item.expression), scope)?,
        };
        let specs = specs_of(item).unwrap_or_default();
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
        let value = self.named(inner, scope)?;
        self.flatten_value(value, item, made)
    }

    fn flatten_value(&mut self, value: Named, item: &GenerateItem, made: &mut Fields) -> Checked<()> {
        let specs = specs_of(item);
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
                    made.open.get_or_insert(made.fields.len());
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
            match self.flattened_type(spec, &from, at)? {
                // Other names of inner fields are no cast.
                Some(to) if to.same_shape(&from) => made.push(Field { name, ty: to }, None, at),
                to => made.push(Field { name, ty: from }, to, at),
            }
        }
        let flatten = Some(Flatten { width: Some(width) });
        made.items.push(ForeachItem { expression: value.expression, flatten });
        Ok(())
    }

    /// The fields of a row of any width, from one on: a tuple that is flattened, so that AS fixes its width (N27).
    fn open_row(&mut self, from: usize, item: &GenerateItem, made: &mut Fields) -> Checked<()> {
        let span = item.expression.span;
        let kind = TypedKind::Row { depth: 0, from, to: None };
        let expression = TypedExpression { kind, ty: PigType::Tuple(None), span };
        self.flatten_value(Named { expression, name: None, span }, item, made)
    }

    fn flattened_type(&mut self, spec: &FieldSpec, from: &PigType, at: Span) -> Checked<Option<PigType>> {
        let Some(written) = &spec.ty else { return Ok(None) };
        let to = PigType::from_spec(written, crate::types::Unknown::Dynamic);
        let to = self.declared(from, &to, at)?;
        Ok((!to.is_unknown()).then_some(to))
    }
}

/// What AS says of an item's fields.
fn specs_of(item: &GenerateItem) -> Option<Vec<&FieldSpec>> {
    item.names.as_ref().map(|names| match names {
        ItemNames::Field(spec) => vec![spec],
        ItemNames::List(list) => list.fields.iter().collect(),
    })
}
