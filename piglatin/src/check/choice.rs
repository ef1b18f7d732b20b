use crate::ast::{BinaryOp, CaseBranch, Expression};
use crate::check::operators::{boxed, null};
use crate::check::scope::Scope;
use crate::check::{Checked, Checker, Fault};
use crate::logical::{TypedExpression, TypedKind};
use crate::source::{Diagnostic, Span};
use crate::types::{self, PigType};

/// Branches of CASE: each stands within the one before.
const MAX_BRANCHES: usize = 1000;

/// What a CASE is made of.
struct CaseParts {
    conditions: Vec<TypedExpression>,
    results: Vec<TypedExpression>,
    /// ELSE.
    last: TypedExpression,
}

/// IN, bincond and CASE.
impl Checker<'_> {
    /// OR of == (N40).
    pub(crate) fn is_in(
        &mut self,
        span: Span,
        operand: &Expression,
        list: &[Expression],
        scope: &Scope<'_>,
    ) -> Checked<TypedExpression> {
        let operand = self.expression(operand, scope);
        let found: Vec<Checked<TypedExpression>> = list
            .iter()
            .map(|item| {
                let value = self.expression(item, scope)?;
                self.binary_of(BinaryOp::Equal, item.span, operand.clone()?, value)
            })
            .collect();
        any_of(found.into_iter().collect::<Checked<Vec<_>>>()?, span).ok_or(Fault)
    }

    pub(crate) fn bincond(
        &mut self,
        span: Span,
        parts: [&Expression; 3],
        scope: &Scope<'_>,
    ) -> Checked<TypedExpression> {
        let [condition, then, otherwise] = parts;
        let condition = self.condition(condition, scope, "a bincond");
        let (then, otherwise) = (self.expression(then, scope), self.expression(otherwise, scope));
        let (condition, then, otherwise) = (condition?, then?, otherwise?);
        let ty = self.common(span, &then, &otherwise)?;
        Ok(choose(condition, then, otherwise, ty, span))
    }

    /// A chain of binconds: a null condition makes the whole null (N39).
    pub(crate) fn case(
        &mut self,
        span: Span,
        operand: Option<&Expression>,
        branches: &[CaseBranch],
        otherwise: Option<&Expression>,
        scope: &Scope<'_>,
    ) -> Checked<TypedExpression> {
        // A CASE within a CASE stands as deep as the branches of both.
        self.branches += branches.len();
        let parts = self.case_parts(span, operand, branches, otherwise, scope);
        self.branches -= branches.len();
        let CaseParts { conditions, results, last } = parts?;
        // The type that all results have in common; null literals have none.
        let mut ty = (!last.is_null_literal()).then(|| last.ty.clone());
        for result in results.iter().filter(|result| !result.is_null_literal()) {
            ty = Some(match ty {
                None => result.ty.clone(),
                Some(before) => types::either(&result.ty, &before)
                    .map_err(|problem| self.problem(problem, result.span))?,
            });
        }
        let ty = ty.unwrap_or(PigType::DYNAMIC);
        let mut chain = last.into_type(&ty);
        for (condition, result) in conditions.into_iter().zip(results).rev() {
            chain = choose(condition, result, chain, ty.clone(), span);
        }
        Ok(chain)
    }

    fn case_parts(
        &mut self,
        span: Span,
        operand: Option<&Expression>,
        branches: &[CaseBranch],
        otherwise: Option<&Expression>,
        scope: &Scope<'_>,
    ) -> Checked<CaseParts> {
        if self.branches > MAX_BRANCHES {
            let fault = Diagnostic::invalid(format!("CASE has more than {MAX_BRANCHES} branches"), span);
            return Err(self.fault(fault.with_help("join with a relation of the values")));
        }
        // All parts are looked at, so that all tell their faults.
        let operand = operand.map(|operand| self.expression(operand, scope));
        let mut conditions: Vec<Checked<TypedExpression>> = Vec::new();
        let mut results: Vec<Checked<TypedExpression>> = Vec::new();
        for branch in branches {
            conditions.push(match &operand {
                None => self.condition(&branch.when, scope, "WHEN"),
                Some(operand) => self.expression(&branch.when, scope).and_then(|when| {
                    self.binary_of(BinaryOp::Equal, branch.when.span, operand.clone()?, when)
                }),
            });
            results.push(self.expression(&branch.then, scope));
        }
        let last = match otherwise {
            Some(otherwise) => self.expression(otherwise, scope)?,
            None => null(PigType::DYNAMIC, span),
        };
        let conditions = conditions.into_iter().collect::<Checked<Vec<_>>>()?;
        let results = results.into_iter().collect::<Checked<Vec<_>>>()?;
        Ok(CaseParts { conditions, results, last })
    }

    fn common(&mut self, span: Span, left: &TypedExpression, right: &TypedExpression) -> Checked<PigType> {
        match (left.is_null_literal(), right.is_null_literal()) {
            (true, _) => Ok(right.ty.clone()),
            (_, true) => Ok(left.ty.clone()),
            _ => types::either(&left.ty, &right.ty).map_err(|problem| self.problem(problem, span)),
        }
    }
}

/// OR of all, as a tree whose depth grows with the logarithm: lists may be long.
pub(crate) fn any_of(mut all: Vec<TypedExpression>, span: Span) -> Option<TypedExpression> {
    while all.len() > 1 {
        let mut pairs = Vec::with_capacity(all.len().div_ceil(2));
        let mut rest = all.into_iter();
        while let Some(left) = rest.next() {
            pairs.push(match rest.next() {
                None => left,
                Some(right) => {
                    let kind = TypedKind::Or(boxed(left), boxed(right));
                    TypedExpression { kind, ty: PigType::Boolean, span }
                }
            });
        }
        all = pairs;
    }
    all.pop()
}

fn choose(
    condition: TypedExpression,
    then: TypedExpression,
    otherwise: TypedExpression,
    ty: PigType,
    span: Span,
) -> TypedExpression {
    let kind = TypedKind::Bincond {
        condition: boxed(condition),
        then: boxed(then.into_type(&ty)),
        otherwise: boxed(otherwise.into_type(&ty)),
    };
    TypedExpression { kind, ty, span }
}
