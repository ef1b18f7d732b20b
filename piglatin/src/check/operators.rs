use crate::ast::{BinaryOp, CaseBranch, Expression, TypeSpec};
use crate::check::scope::Scope;
use crate::check::{Checked, Checker};
use crate::logical::{ArithmeticOp, Comparison, TypedExpression, TypedKind};
use crate::source::{Diagnostic, Span};
use crate::types::{self, PigType, Unknown, type_name};
use crate::value::Value;
use crate::value::matcher::Matcher;

impl TypedExpression {
    /// Whether this is the literal null, which takes any type.
    pub(crate) fn is_null_literal(&self) -> bool {
        matches!(self.kind, TypedKind::Constant(Value::Null))
    }

    /// The same value as one of a type: nothing is done where it is one.
    pub(crate) fn into_type(self, ty: &PigType) -> Self {
        if self.is_null_literal() || self.ty.same_shape(ty) {
            return Self { ty: ty.clone(), ..self };
        }
        let span = self.span;
        Self { kind: TypedKind::Cast(Box::new(self)), ty: ty.clone(), span }
    }
}

pub(crate) fn boxed(expression: TypedExpression) -> Box<TypedExpression> {
    Box::new(expression)
}

pub(crate) fn null(ty: PigType, span: Span) -> TypedExpression {
    TypedExpression { kind: TypedKind::Constant(Value::Null), ty, span }
}

impl Checker<'_> {
    pub(crate) fn binary(
        &mut self,
        op: BinaryOp,
        span: Span,
        left: &Expression,
        right: &Expression,
        scope: &Scope<'_>,
    ) -> Checked<TypedExpression> {
        if let BinaryOp::And | BinaryOp::Or = op {
            // Both sides are looked at, so that both tell their faults.
            let left = self.condition(left, scope, types::operator_sign(op));
            let right = self.condition(right, scope, types::operator_sign(op))?;
            let left = left?;
            let kind = match op {
                BinaryOp::And => TypedKind::And(boxed(left), boxed(right)),
                _ => TypedKind::Or(boxed(left), boxed(right)),
            };
            return Ok(TypedExpression { kind, ty: PigType::Boolean, span });
        }
        let left = self.expression(left, scope);
        let right = self.expression(right, scope)?;
        self.binary_of(op, span, left?, right)
    }

    /// An operator over two values.
    pub(crate) fn binary_of(
        &mut self,
        op: BinaryOp,
        span: Span,
        left: TypedExpression,
        right: TypedExpression,
    ) -> Checked<TypedExpression> {
        let chosen = types::binary(op, &left.ty, &right.ty).map_err(|problem| self.problem(problem, span))?;
        if op == BinaryOp::Matches {
            return self.matches(span, left, right);
        }
        let (left, right) = (boxed(left.into_type(&chosen.operand)), boxed(right.into_type(&chosen.operand)));
        let arithmetic = |op| TypedKind::Arithmetic { op, left: left.clone(), right: right.clone() };
        let compare = |op| TypedKind::Compare { op, left: left.clone(), right: right.clone() };
        let kind = match op {
            BinaryOp::Add => arithmetic(ArithmeticOp::Add),
            BinaryOp::Subtract => arithmetic(ArithmeticOp::Subtract),
            BinaryOp::Multiply => arithmetic(ArithmeticOp::Multiply),
            BinaryOp::Divide => arithmetic(ArithmeticOp::Divide),
            BinaryOp::Modulo => arithmetic(ArithmeticOp::Modulo),
            BinaryOp::Equal => compare(Comparison::Equal),
            BinaryOp::NotEqual => compare(Comparison::NotEqual),
            BinaryOp::Less => compare(Comparison::Less),
            BinaryOp::LessOrEqual => compare(Comparison::LessOrEqual),
            BinaryOp::Greater => compare(Comparison::Greater),
            BinaryOp::GreaterOrEqual => compare(Comparison::GreaterOrEqual),
            BinaryOp::And => TypedKind::And(left, right),
            BinaryOp::Or => TypedKind::Or(left, right),
            BinaryOp::Matches => return Err(self.invalid("MATCHES stands alone", span)),
        };
        Ok(TypedExpression { kind, ty: chosen.result, span })
    }

    fn matches(
        &mut self,
        span: Span,
        value: TypedExpression,
        pattern: TypedExpression,
    ) -> Checked<TypedExpression> {
        if let TypedKind::Constant(Value::Chararray(text)) = &pattern.kind
            && let Err(problem) = Matcher::new(text)
        {
            return Err(self.invalid(format!("'{text}': {problem}"), pattern.span));
        }
        let pattern = boxed(pattern.into_type(&PigType::Chararray));
        let kind = TypedKind::Matches { value: boxed(value), pattern };
        Ok(TypedExpression { kind, ty: PigType::Boolean, span })
    }

    /// An expression that must be a boolean.
    pub(crate) fn condition(
        &mut self,
        expression: &Expression,
        scope: &Scope<'_>,
        what: &str,
    ) -> Checked<TypedExpression> {
        let typed = self.expression(expression, scope)?;
        if typed.is_null_literal() {
            return Ok(typed.into_type(&PigType::Boolean));
        }
        match &typed.ty {
            PigType::Boolean => Ok(typed),
            ty => {
                let fault = format!("{what} takes a boolean, not {}", type_name(ty));
                let fault = Diagnostic::invalid(fault, expression.span);
                let help = match ty.is_unknown() {
                    true => "cast it to boolean",
                    false => "compare it with something",
                };
                Err(self.fault(fault.with_help(help)))
            }
        }
    }

    pub(crate) fn negate(
        &mut self,
        span: Span,
        operand: &Expression,
        scope: &Scope<'_>,
    ) -> Checked<TypedExpression> {
        let operand = self.expression(operand, scope)?;
        let negative = match &operand.kind {
            TypedKind::Constant(Value::Int(n)) => Some(Value::Int(n.wrapping_neg())),
            TypedKind::Constant(Value::Long(n)) => Some(Value::Long(n.wrapping_neg())),
            TypedKind::Constant(Value::Float(n)) => Some(Value::Float(-n)),
            TypedKind::Constant(Value::Double(n)) => Some(Value::Double(-n)),
            _ => None,
        };
        if let Some(value) = negative {
            return Ok(TypedExpression { kind: TypedKind::Constant(value), ..operand });
        }
        let ty = types::negated(&operand.ty).map_err(|problem| self.problem(problem, span))?;
        Ok(TypedExpression { kind: TypedKind::Negate(boxed(operand.into_type(&ty))), ty, span })
    }

    pub(crate) fn cast(
        &mut self,
        to: &TypeSpec,
        operand: TypedExpression,
        span: Span,
    ) -> Checked<TypedExpression> {
        let unknown = match &operand.ty {
            PigType::Bytearray(unknown) => *unknown,
            _ => Unknown::Dynamic,
        };
        let to = PigType::from_spec(to, unknown);
        if operand.is_null_literal() {
            return Ok(operand.into_type(&to));
        }
        types::check_cast(&operand.ty, &to).map_err(|problem| self.problem(problem, span))?;
        let to = types::cast_result(&operand.ty, &to);
        Ok(TypedExpression { span, ..operand.into_type(&to) })
    }

    /// OR of == (N40).
    pub(crate) fn is_in(
        &mut self,
        span: Span,
        operand: &Expression,
        list: &[Expression],
        scope: &Scope<'_>,
    ) -> Checked<TypedExpression> {
        let operand = self.expression(operand, scope)?;
        let mut any: Option<TypedExpression> = None;
        for item in list {
            let item_span = item.span;
            let item = self.expression(item, scope)?;
            let equal = self.binary_of(BinaryOp::Equal, item_span, operand.clone(), item)?;
            any = Some(match any {
                None => equal,
                Some(before) => {
                    let kind = TypedKind::Or(boxed(before), boxed(equal));
                    TypedExpression { kind, ty: PigType::Boolean, span }
                }
            });
        }
        any.ok_or(crate::check::Fault)
    }

    pub(crate) fn bincond(
        &mut self,
        span: Span,
        parts: [&Expression; 3],
        scope: &Scope<'_>,
    ) -> Checked<TypedExpression> {
        let [condition, then, otherwise] = parts;
        let condition = self.condition(condition, scope, "a bincond");
        let then = self.expression(then, scope);
        let otherwise = self.expression(otherwise, scope)?;
        let (condition, then) = (condition?, then?);
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
        let operand = operand.map(|operand| self.expression(operand, scope)).transpose()?;
        let mut conditions = Vec::new();
        let mut results = Vec::new();
        for branch in branches {
            conditions.push(match &operand {
                None => self.condition(&branch.when, scope, "WHEN")?,
                Some(operand) => {
                    let when = self.expression(&branch.when, scope)?;
                    self.binary_of(BinaryOp::Equal, branch.when.span, operand.clone(), when)?
                }
            });
            results.push(self.expression(&branch.then, scope)?);
        }
        let last = match otherwise {
            Some(otherwise) => self.expression(otherwise, scope)?,
            None => null(PigType::DYNAMIC, span),
        };
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

    fn common(&mut self, span: Span, left: &TypedExpression, right: &TypedExpression) -> Checked<PigType> {
        match (left.is_null_literal(), right.is_null_literal()) {
            (true, _) => Ok(right.ty.clone()),
            (_, true) => Ok(left.ty.clone()),
            _ => types::either(&left.ty, &right.ty).map_err(|problem| self.problem(problem, span)),
        }
    }
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
