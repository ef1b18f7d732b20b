use crate::ast::{FunctionSpec, SchemaSpec, Text};
use crate::check::operators::null;
use crate::check::{Checked, Checker, Fault};
use crate::logical::{ForeachItem, LogicalOperator, NodeId, TypedExpression, TypedKind};
use crate::source::Span;
use crate::types::{Field, PigType, Schema, Unknown};

/// What `USING` says, or the function that a path without it is read or written by.
pub(crate) fn function_of(path: &str, function: Option<&FunctionSpec>, table: &str) -> (String, Vec<String>) {
    match function {
        Some(spec) => {
            (spec.name.text.clone(), spec.arguments.iter().map(|argument| argument.text.clone()).collect())
        }
        None if path.starts_with("table:") => (table.to_owned(), Vec::new()),
        None => ("PigStorage".to_owned(), Vec::new()),
    }
}

impl Checker<'_> {
    pub(crate) fn load(
        &mut self,
        path: &Text,
        function: Option<&FunctionSpec>,
        schema: Option<&SchemaSpec>,
        span: Span,
    ) -> Checked<NodeId> {
        let (name, arguments) = self.defined_storage(function_of(&path.text, function, "TableLoader"))?;
        let place = function.map_or(path.span, |function| function.span);
        let loaded = self.environment.load(&path.text, &name, &arguments);
        let loaded = loaded.map_err(|problem| {
            let missing = problem.kind == crate::source::DiagnosticKind::NotFound;
            let at = if missing { path.span } else { place };
            self.outside(problem, at)
        })?;
        let operator = LogicalOperator::Load { path: path.text.clone(), function: name, arguments };
        let unknown = Unknown::Raw(loaded.caster);
        let id = self.add(operator, loaded.schema, span, unknown);
        match schema {
            Some(schema) => self.declare_fields(id, schema, unknown, span),
            None => Ok(id),
        }
    }

    /// A function of DEFINE may be a load or store function with its arguments.
    pub(crate) fn defined_storage(
        &self,
        (name, arguments): (String, Vec<String>),
    ) -> Checked<(String, Vec<String>)> {
        match self.storages.get(&name) {
            Some((defined, given)) if arguments.is_empty() => Ok((defined.clone(), given.clone())),
            None if matches!(self.functions.get(&name), Some(None)) || self.unread.contains(&name) => {
                Err(Fault)
            }
            _ => Ok((name, arguments)),
        }
    }

    /// AS: every row gets just these fields (N26).
    pub(crate) fn declare_fields(
        &mut self,
        input: NodeId,
        spec: &SchemaSpec,
        unknown: Unknown,
        span: Span,
    ) -> Checked<NodeId> {
        let before = self.schema(input).cloned();
        let mut items = Vec::new();
        let mut fields = Vec::new();
        let mut spans = Vec::new();
        let mut faulty = None;
        for (index, field) in spec.fields.iter().enumerate() {
            let at = field.name.as_ref().map_or(field.span, |name| name.span);
            let value = match &before {
                None => {
                    let kind = TypedKind::DynamicField { depth: 0, index };
                    TypedExpression { kind, ty: PigType::Bytearray(unknown), span: at }
                }
                Some(schema) => match schema.fields.get(index) {
                    Some(known) => {
                        let kind = TypedKind::Field { depth: 0, index };
                        TypedExpression { kind, ty: known.ty.clone(), span: at }
                    }
                    None => null(PigType::DYNAMIC, at),
                },
            };
            let value = match self.declare(value, field, at) {
                Ok(value) => value,
                Err(fault) => {
                    faulty = Some(fault);
                    continue;
                }
            };
            let name = field.name.as_ref().map(|name| name.text.clone());
            fields.push(Field { name, ty: value.ty.clone() });
            spans.push(at);
            items.push(ForeachItem { expression: value, flatten: None });
        }
        if let Some(fault) = faulty {
            return Err(fault);
        }
        let schema = Schema::new(fields);
        self.unique(&schema, &spans, span)?;
        let operator = LogicalOperator::Foreach { input, bindings: Vec::new(), items };
        Ok(self.add(operator, Some(schema), span, Unknown::Dynamic))
    }
}
