use std::sync::Arc;

use crate::ast::{Expression, Name};
use crate::check::scope::{Named, Scope};
use crate::check::{Checked, Checker, DefinedFunction, Fault};
use crate::logical::{TypedExpression, TypedKind};
use crate::types::{Field, PigType, TypeProblem, check_cast, describe_type, larger, type_name};
use crate::value::{EvalFunc, Value};

impl Checker<'_> {
    pub(crate) fn call(
        &mut self,
        name: &Name,
        arguments: &[Expression],
        scope: &Scope<'_>,
    ) -> Checked<TypedExpression> {
        // Arguments are looked at first, so that they tell their faults whatever the function is.
        let arguments = self.expanded(arguments, scope);
        let defined = self.functions.get(&name.text).cloned();
        let defined = match defined {
            Some(Some(defined)) => defined,
            Some(None) => return Err(Fault),
            None if self.unread.contains(&name.text) => return Err(Fault),
            None => {
                let found = self.environment.function(&name.text, &[]);
                let function = found.map_err(|problem| self.outside(problem, name.span))?;
                DefinedFunction { function, signature: None }
            }
        };
        let mut arguments = arguments?;
        let mut result = None;
        if let Some((types, returns)) = &defined.signature {
            arguments = self.as_declared(name, arguments, types)?;
            result = Some(returns.clone());
        }
        let call = self.resolved(name, defined.function, arguments)?;
        Ok(match result {
            Some(ty) => {
                check_cast(&call.ty, &ty).map_err(|problem| {
                    let text = format!("{} is defined to return {}: ", name.text, describe_type(&ty));
                    self.problem(TypeProblem { message: text + &problem.message, ..problem }, name.span)
                })?;
                TypedExpression { span: name.span, ..call.into_type(&ty) }
            }
            None => call,
        })
    }

    /// Arguments as a typed definition wants them.
    fn as_declared(&mut self, name: &Name, arguments: Vec<Named>, types: &[PigType]) -> Checked<Vec<Named>> {
        let (wants, has) = (types.len(), arguments.len());
        if wants != has {
            let text = format!("{} is defined with {wants} arguments and called with {has}", name.text);
            return Err(self.invalid(text, name.span));
        }
        let mut made = Vec::new();
        for (argument, ty) in arguments.into_iter().zip(types) {
            let has = &argument.expression.ty;
            let fits = has.same_shape(ty)
                || argument.expression.is_null_literal()
                || has.is_unknown()
                || larger(has, ty).as_ref() == Some(ty)
                || (has.is_complex() && check_cast(has, ty).is_ok());
            if !fits {
                let text =
                    format!("{} is defined for {}, not for {}", name.text, type_name(ty), type_name(has));
                return Err(self.invalid(text, argument.span));
            }
            made.push(Named { expression: argument.expression.into_type(ty), ..argument });
        }
        Ok(made)
    }

    fn resolved(
        &mut self,
        name: &Name,
        function: Arc<dyn EvalFunc>,
        arguments: Vec<Named>,
    ) -> Checked<TypedExpression> {
        let said = |reason: String| format!("{} {reason}", name.text);
        let fields: Vec<Field> = arguments
            .iter()
            .map(|argument| Field { name: argument.name.clone(), ty: argument.expression.ty.clone() })
            .collect();
        let bound = function.bind(&fields).map_err(|reason| self.invalid(said(reason), name.span))?;
        let function = bound.unwrap_or(function);
        let types: Vec<PigType> = fields.into_iter().map(|field| field.ty).collect();
        let resolved = function.resolve(&types).map_err(|reason| self.invalid(said(reason), name.span))?;
        let constants: Vec<Option<Value>> = arguments
            .iter()
            .map(|argument| match &argument.expression.kind {
                TypedKind::Constant(value) => Some(value.clone()),
                _ => None,
            })
            .collect();
        function
            .check_constants(&constants)
            .map_err(|reason| self.invalid(format!("{}: {reason}", name.text), name.span))?;
        let arguments = arguments
            .into_iter()
            .zip(&resolved.arguments)
            .map(|(a, ty)| a.expression.into_type(ty))
            .collect();
        let kind = TypedKind::Call { function, arguments };
        Ok(TypedExpression { kind, ty: resolved.result, span: name.span })
    }
}
