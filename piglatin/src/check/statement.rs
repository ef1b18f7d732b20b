use crate::ast::{
    ExplainTarget, Expression, FunctionDefinition, FunctionSpec, Name, Otherwise, Relation, SplitBranch,
    Statement, StatementKind, Text,
};
use crate::check::choice::any_of;
use crate::check::load::function_of;
use crate::check::operators::boxed;
use crate::check::{Alias, Checked, Checker, DefinedFunction, Fault};
use crate::logical::{LogicalOperator, NodeId, Step, StepKind, TypedExpression, TypedKind};
use crate::source::{Diagnostic, DiagnosticKind, Span};
use crate::types::{PigType, Unknown, describe, describe_type};

impl Checker<'_> {
    pub(crate) fn check_statement(&mut self, statement: &Statement) -> Checked<()> {
        let span = statement.span;
        match &statement.kind {
            StatementKind::Assign { alias, operator } => {
                let made = self.operator(operator);
                let nested = made.as_ref().map(|made| made.nested.clone()).unwrap_or_default();
                if let Some(alias) = alias {
                    self.nested.retain(|(relation, _), _| *relation != alias.text);
                    self.nested.extend(nested.into_iter().map(|(n, ty)| ((alias.text.clone(), n), ty)));
                }
                let id = made.map(|made| made.id);
                self.name(alias.as_ref(), id);
                Ok(())
            }
            StatementKind::Split { input, branches, otherwise } => {
                self.split(input, branches, otherwise.as_ref(), span);
                Ok(())
            }
            StatementKind::Assert { alias, input, condition, message } => {
                let checked = self.assert(input, condition, message.as_ref(), span);
                let named = match (alias, input) {
                    (Some(alias), _) => Some(alias),
                    (None, Relation::Alias(name)) => Some(name),
                    _ => None,
                };
                self.name(named, checked);
                Ok(())
            }
            StatementKind::Store { input, path, function } => {
                self.store(input, path, function.as_ref(), span)
            }
            StatementKind::Dump(input) => {
                let input = self.input(input)?;
                self.step(StepKind::Dump(input.id), span);
                Ok(())
            }
            StatementKind::Describe(name) => self.describe(name.as_ref(), span),
            StatementKind::Explain(target) => self.explain(target, span),
            StatementKind::Illustrate(input) => {
                let input = match input {
                    Some(input) => self.input(input)?,
                    None => self.input(&Relation::Previous(span))?,
                };
                self.step(StepKind::Illustrate(input.id), span);
                Ok(())
            }
            StatementKind::Define(definition) => self.define(definition),
            StatementKind::DefineCommand { alias, command } => {
                self.commands.insert(alias.text.clone(), command.clone());
                Ok(())
            }
            StatementKind::Register { path, .. } => {
                let text =
                    format!("{} cannot be registered: functions are not loaded from files here", path.text);
                let fault = Diagnostic::invalid(text, path.span)
                    .with_help("built-in functions need no REGISTER; programs in Rust register their own");
                Err(self.fault(Diagnostic { kind: DiagnosticKind::Unsupported, ..fault }))
            }
            StatementKind::Set(None) => Ok(()),
            StatementKind::Set(Some((key, value))) => {
                let (key, value) = (key.text.to_lowercase(), value.text.clone());
                self.step(StepKind::Set { key, value }, span);
                Ok(())
            }
            StatementKind::Shell(command) => {
                self.environment.shell(command);
                self.step(StepKind::Shell(command.clone()), span);
                Ok(())
            }
            StatementKind::Refused { what } => {
                let fault =
                    Diagnostic::invalid(format!("{what} runs jobs of Hadoop, which is not here"), span);
                let fault = fault.with_help("STREAM runs a program of this machine");
                Err(self.fault(Diagnostic { kind: DiagnosticKind::Unsupported, ..fault }))
            }
        }
    }

    fn step(&mut self, kind: StepKind, span: Span) {
        self.plan.steps.push(Step { kind, span });
    }

    /// Gives a relation its name; a faulty one too, so that its readers are passed over.
    fn name(&mut self, alias: Option<&Name>, made: Checked<NodeId>) {
        let made = match made {
            Ok(id) => {
                if let Some(alias) = alias
                    && let Some(node) = self.plan.nodes.get_mut(id.0)
                    && node.alias.is_none()
                {
                    node.alias = Some(alias.text.clone());
                }
                Alias::Relation(id)
            }
            Err(Fault) => Alias::Faulty,
        };
        self.previous = Some(made);
        if let Some(alias) = alias
            && let Some(Alias::Relation(before)) = self.aliases.insert(alias.text.clone(), made)
            && made == Alias::Faulty
        {
            self.replaced.insert(alias.text.clone(), before);
        }
    }

    fn split(
        &mut self,
        input: &Relation,
        branches: &[SplitBranch],
        otherwise: Option<&Otherwise>,
        span: Span,
    ) {
        let input = self.input(input);
        let mut conditions: Vec<Checked<TypedExpression>> = Vec::new();
        for branch in branches {
            let made = input.clone().and_then(|input| {
                let mut kept = Err(Fault);
                let made = self.filter(&input, span, |checker, scope| {
                    let condition = checker.condition(&branch.condition, scope, "SPLIT")?;
                    kept = Ok(condition.clone());
                    Ok(condition)
                });
                conditions.push(kept);
                made
            });
            self.name(Some(&branch.alias), made);
        }
        let Some(otherwise) = otherwise else { return };
        let made = input.and_then(|input| {
            let conditions = conditions.into_iter().collect::<Checked<Vec<_>>>()?;
            if conditions.iter().any(TypedExpression::varies) {
                let text = "OTHERWISE needs conditions that give the same answer each time";
                return Err(self.invalid(text, otherwise.alias.span));
            }
            let condition = none_of(conditions, otherwise, span).ok_or(Fault)?;
            Ok(self.same_rows(&input, LogicalOperator::Filter { input: input.id, condition }, span))
        });
        self.name(Some(&otherwise.alias), made);
    }

    fn assert(
        &mut self,
        input: &Relation,
        condition: &Expression,
        message: Option<&Text>,
        span: Span,
    ) -> Checked<NodeId> {
        let input = self.input(input)?;
        let schema = self.schema(input.id).cloned();
        let scope = crate::check::scope::Scope::row(schema.as_ref(), self.rows_of(input.id)).of(input.id);
        let condition = self.condition(condition, &scope, "ASSERT")?;
        let message = message.map(|message| message.text.clone());
        let operator = LogicalOperator::Assert { input: input.id, condition, message };
        Ok(self.same_rows(&input, operator, span))
    }

    fn store(
        &mut self,
        input: &Relation,
        path: &Text,
        function: Option<&FunctionSpec>,
        span: Span,
    ) -> Checked<()> {
        let input = self.input(input)?;
        let (name, arguments) = self.defined_storage(function_of(&path.text, function, "TableStorer"))?;
        let schema = self.schema(input.id).cloned();
        let place = function.map_or(path.span, |function| function.span);
        self.environment.store(&path.text, &name, &arguments, schema.as_ref()).map_err(|problem| {
            let at = if problem.kind == DiagnosticKind::AlreadyExists { path.span } else { place };
            self.outside(problem, at)
        })?;
        self.step(
            StepKind::Store { input: input.id, path: path.text.clone(), function: name, arguments },
            span,
        );
        Ok(())
    }

    /// `r`, or `r::x` for a name of the block that made r.
    fn describe(&mut self, name: Option<&Name>, span: Span) -> Checked<()> {
        let Some(name) = name else {
            let input = self.input(&Relation::Previous(span))?;
            let text = describe(input.name.as_deref().unwrap_or("relation"), self.schema(input.id));
            self.step(StepKind::Describe(text), span);
            return Ok(());
        };
        let nested = name.text.split_once("::").and_then(|(relation, inner)| {
            self.nested.get(&(relation.to_owned(), inner.to_owned())).map(|ty| (inner.to_owned(), ty.clone()))
        });
        let text = match nested {
            Some((inner, PigType::Bag { fields, .. })) => describe(&inner, fields.as_ref()),
            Some((inner, ty)) => format!("{inner}: {}", describe_type(&ty)),
            None => {
                let input = self.input(&Relation::Alias(name.clone()))?;
                describe(&name.text, self.schema(input.id))
            }
        };
        self.step(StepKind::Describe(text), span);
        Ok(())
    }

    fn explain(&mut self, target: &ExplainTarget, span: Span) -> Checked<()> {
        if let Some(refused) = target.script.as_ref().or(target.out.as_ref()) {
            let fault =
                Diagnostic::invalid("EXPLAIN explains a relation of this script to stdout", refused.span);
            return Err(self.fault(Diagnostic { kind: DiagnosticKind::Unsupported, ..fault }));
        }
        let input = match &target.relation {
            Some(input) => self.input(input)?,
            None => self.input(&Relation::Previous(span))?,
        };
        self.step(StepKind::Explain { input: input.id, brief: target.brief }, span);
        Ok(())
    }

    fn define(&mut self, definition: &FunctionDefinition) -> Checked<()> {
        let arguments: Vec<String> =
            definition.function.arguments.iter().map(|argument| argument.text.clone()).collect();
        let name = &definition.function.name;
        match self.environment.function(&name.text, &arguments) {
            Ok(function) => {
                let signature = definition.signature.as_ref().map(|(arguments, result)| {
                    let ty = |spec| PigType::from_spec(spec, Unknown::Dynamic);
                    (arguments.iter().map(ty).collect(), ty(result))
                });
                let defined = DefinedFunction { function, signature };
                self.functions.insert(definition.alias.text.clone(), Some(defined));
                Ok(())
            }
            Err(_) if self.environment.is_storage(&name.text) => {
                self.storages.insert(definition.alias.text.clone(), (name.text.clone(), arguments));
                Ok(())
            }
            Err(problem) => {
                self.functions.insert(definition.alias.text.clone(), None);
                Err(self.outside(problem, name.span))
            }
        }
    }
}

/// The condition of OTHERWISE (N44).
fn none_of(conditions: Vec<TypedExpression>, otherwise: &Otherwise, span: Span) -> Option<TypedExpression> {
    let boolean = |kind| TypedExpression { kind, ty: PigType::Boolean, span };
    let any = any_of(conditions, span)?;
    let none = boolean(TypedKind::Not(boxed(any.clone())));
    Some(match otherwise.all {
        false => none,
        true => boolean(TypedKind::Or(boxed(none), boxed(boolean(TypedKind::IsNull(boxed(any)))))),
    })
}
