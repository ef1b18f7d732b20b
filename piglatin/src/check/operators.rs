use crate::ast::{BinaryOp, Expression, TypeSpec};
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
        if let Some(value) = self.widened(ty) {
            return Self { kind: TypedKind::Constant(value), ty: ty.clone(), span };
        }
        Self { kind: TypedKind::Cast(Box::new(self)), ty: ty.clone(), span }
    }

    /// A literal as one of a larger type, if that loses nothing: engines look for literals beside fields.
    fn widened(&self, ty: &PigType) -> Option<Value> {
        let TypedKind::Constant(value) = &self.kind else { return None };
        Some(match (value, ty) {
            (Value::Int(n), PigType::Long) => Value::Long(i64::from(*n)),
            (Value::Int(n), PigType::Double) => Value::Double(f64::from(*n)),
            (Value::Float(n), PigType::Double) => Value::Double(f64::from(*n)),
            _ => return None,
        })
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
        let (left, right) = (self.expression(left, scope), self.expression(right, scope));
        self.binary_of(op, span, left?, right?)
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
        if !left.ty.same_shape(&chosen.operand)
            && !right.ty.same_shape(&chosen.operand)
            && chosen.operand == PigType::BigDecimal
        {
            let (left, right) = (type_name(&left.ty), type_name(&right.ty));
            self.warn(format!("{left} and {right} meet in bigdecimal, where neither loses digits"), span);
        }
        let (left, right) = (boxed(left.into_type(&chosen.operand)), boxed(right.into_type(&chosen.operand)));
        let kind = match Kind::of(op) {
            Kind::Arithmetic(op) => TypedKind::Arithmetic { op, left, right },
            Kind::Comparison(op) => TypedKind::Compare { op, left, right },
            Kind::And => TypedKind::And(left, right),
            Kind::Or => TypedKind::Or(left, right),
            Kind::Matches => TypedKind::Matches { value: left, pattern: right },
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
}

/// The operators by what they make.
enum Kind {
    Arithmetic(ArithmeticOp),
    Comparison(Comparison),
    And,
    Or,
    Matches,
}

impl Kind {
    fn of(op: BinaryOp) -> Self {
        match op {
            BinaryOp::Add => Self::Arithmetic(ArithmeticOp::Add),
            BinaryOp::Subtract => Self::Arithmetic(ArithmeticOp::Subtract),
            BinaryOp::Multiply => Self::Arithmetic(ArithmeticOp::Multiply),
            BinaryOp::Divide => Self::Arithmetic(ArithmeticOp::Divide),
            BinaryOp::Modulo => Self::Arithmetic(ArithmeticOp::Modulo),
            BinaryOp::Equal => Self::Comparison(Comparison::Equal),
            BinaryOp::NotEqual => Self::Comparison(Comparison::NotEqual),
            BinaryOp::Less => Self::Comparison(Comparison::Less),
            BinaryOp::LessOrEqual => Self::Comparison(Comparison::LessOrEqual),
            BinaryOp::Greater => Self::Comparison(Comparison::Greater),
            BinaryOp::GreaterOrEqual => Self::Comparison(Comparison::GreaterOrEqual),
            BinaryOp::And => Self::And,
            BinaryOp::Or => Self::Or,
            BinaryOp::Matches => Self::Matches,
        }
    }
}
