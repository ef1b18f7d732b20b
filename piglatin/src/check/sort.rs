use crate::ast::{Expression, FunctionSpec, OrderKey, RankKeys, Relation, SchemaSpec, StreamCommand};
use crate::check::scope::Scope;
use crate::check::{Checked, Checker, Fault};
use crate::logical::{LogicalOperator, NodeId, SortKey, TypedExpression, TypedKind};
use crate::source::{Diagnostic, DiagnosticKind, Span};
use crate::types::{Caster, Field, PigType, Unknown, type_name};
use crate::value::Value;

impl Checker<'_> {
    pub(crate) fn limit(&mut self, input: &Relation, count: &Expression, span: Span) -> Checked<NodeId> {
        let input = self.input(input)?;
        let count = self.whole_number(count, &nothing(), "LIMIT")?;
        Ok(self.same_rows(&input, LogicalOperator::Limit { input: input.id, count }, span))
    }

    pub(crate) fn sample(&mut self, input: &Relation, share: &Expression, span: Span) -> Checked<NodeId> {
        let input = self.input(input)?;
        let typed = self.expression(share, &nothing())?;
        if !typed.ty.is_numeric() && !typed.ty.is_unknown() {
            let text = format!("SAMPLE takes a number from 0 to 1, not {}", type_name(&typed.ty));
            return Err(self.invalid(text, share.span));
        }
        let constant = match typed.kind {
            TypedKind::Constant(Value::Int(n)) => Some(f64::from(n)),
            TypedKind::Constant(Value::Float(n)) => Some(f64::from(n)),
            TypedKind::Constant(Value::Double(n)) => Some(n),
            _ => None,
        };
        if constant.is_some_and(|n| !(0.0..=1.0).contains(&n)) {
            return Err(self.invalid("SAMPLE takes a number from 0 to 1", share.span));
        }
        let share = typed.into_type(&PigType::Double);
        Ok(self.same_rows(&input, LogicalOperator::Sample { input: input.id, share }, span))
    }

    pub(crate) fn order(
        &mut self,
        input: &Relation,
        keys: &[OrderKey],
        comparator: Option<&FunctionSpec>,
        span: Span,
    ) -> Checked<NodeId> {
        if let Some(comparator) = comparator {
            let text = format!("ORDER USING {} is not supported", comparator.name.text);
            let fault = Diagnostic::invalid(text, comparator.span).with_help("order by an expression");
            return Err(self.fault(Diagnostic { kind: DiagnosticKind::Unsupported, ..fault }));
        }
        let input = self.input(input)?;
        let keys = self.relation_keys(input.id, keys)?;
        Ok(self.same_rows(&input, LogicalOperator::Order { input: input.id, keys }, span))
    }

    fn relation_keys(&mut self, input: NodeId, keys: &[OrderKey]) -> Checked<Vec<SortKey>> {
        let schema = self.schema(input).cloned();
        let scope = Scope::row(schema.as_ref(), self.rows_of(input)).of(input);
        let keys = self.sort_keys(keys, &scope)?;
        Ok(keys.into_iter().map(|(expression, descending)| SortKey { expression, descending }).collect())
    }

    pub(crate) fn rank(&mut self, input: &Relation, keys: Option<&RankKeys>, span: Span) -> Checked<NodeId> {
        let input = self.input(input)?;
        let (keys, dense) = match keys {
            Some(keys) => (self.relation_keys(input.id, &keys.keys)?, keys.dense),
            None => (Vec::new(), false),
        };
        let Some(mut schema) = self.schema(input.id).cloned() else {
            let fault =
                Diagnostic::invalid("RANK puts a field before others, and the schema is unknown", span);
            return Err(self.fault(fault.with_help("declare the fields by AS")));
        };
        let name = input.name.as_deref().map_or("rank".to_owned(), |name| format!("rank_{name}"));
        schema.fields.insert(0, Field::named(name, PigType::Long));
        self.unique(&schema, &[], span)?;
        let operator = LogicalOperator::Rank { input: input.id, keys, dense };
        Ok(self.add(operator, Some(schema), span, Unknown::Dynamic))
    }

    pub(crate) fn stream(
        &mut self,
        input: &Relation,
        command: &StreamCommand,
        schema: Option<&SchemaSpec>,
        span: Span,
    ) -> Checked<NodeId> {
        let input = self.input(input)?;
        let command = match command {
            StreamCommand::Inline(text) => crate::ast::CommandSpec {
                command: text.clone(),
                input: Vec::new(),
                output: Vec::new(),
                ship: Vec::new(),
                cache: Vec::new(),
                stderr: None,
            },
            StreamCommand::Defined(name) => match self.commands.get(&name.text) {
                Some(command) => command.clone(),
                None if self.unread.contains(&name.text) => return Err(Fault),
                None => {
                    let fault = Diagnostic::invalid(format!("there is no command {}", name.text), name.span);
                    let help = format!("define it by DEFINE {} `program`", name.text);
                    return Err(self.fault(fault.with_help(help)));
                }
            },
        };
        let raw = Unknown::Raw(Caster::Utf8);
        let id = self.add(LogicalOperator::Stream { input: input.id, command }, None, span, raw);
        match schema {
            Some(schema) => self.declare_fields(id, schema, raw, span),
            None => Ok(id),
        }
    }
}

/// The scope of expressions that read no row: scalars and constants.
fn nothing() -> Scope<'static> {
    static NO_FIELDS: crate::types::Schema = crate::types::Schema { fields: Vec::new() };
    Scope::row(Some(&NO_FIELDS), Unknown::Dynamic)
}

impl TypedExpression {
    /// Whether equal rows may give different values.
    pub(crate) fn varies(&self) -> bool {
        let mut varies = false;
        crate::logical::walk(self, &mut |expression| {
            if let TypedKind::Call { function, .. } = &expression.kind {
                varies |= !function.deterministic();
            }
        });
        varies
    }
}
