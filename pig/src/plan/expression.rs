//! Typed expressions as DataFusion's own, where both mean the same; as calls of the interpreter elsewhere.
//!
//! DataFusion's operators on equal types do what Pig's do: integers wrap, comparisons with null are null, AND, OR and
//! NOT are Kleene's. Casts, division and whatever can warn do not, so they have functions of their own.

use datafusion::common::{Result, ScalarValue};
use datafusion::logical_expr::{Operator, binary_expr, cast, when};
use datafusion::prelude::Expr;
use ostracon_piglatin::logical::{ArithmeticOp, Comparison, TypedExpression, TypedKind};
use ostracon_piglatin::types::{PigType, Unknown};
use ostracon_piglatin::value::Value;
use ostracon_piglatin::value::encode::encode;

use crate::columns::{ColumnBuilder, arrow_type, field_name, is_encoded};
use crate::plan::interpret::{Evaluation, OneExpression, RowShape, binding, interpret};
use crate::plan::kernels;
use crate::plan::references::References;
use crate::plan::{column, field};

/// An expression over the columns of a row of this shape.
pub(crate) fn lower(
    expression: &TypedExpression,
    shape: RowShape<'_>,
    evaluation: &Evaluation,
) -> Result<Expr> {
    let lowering = Expressions { shape, evaluation };
    lowering.lower(expression)
}

struct Expressions<'a> {
    shape: RowShape<'a>,
    evaluation: &'a Evaluation,
}

impl Expressions<'_> {
    fn lower(&self, expression: &TypedExpression) -> Result<Expr> {
        match self.native(expression)? {
            Some(expr) => Ok(expr),
            None => Ok(interpret(
                Box::new(OneExpression(expression.clone())),
                &References::of([expression]),
                self.shape,
                self.evaluation,
            )),
        }
    }

    /// The expression in DataFusion's terms, if there are such.
    fn native(&self, expression: &TypedExpression) -> Result<Option<Expr>> {
        Ok(Some(match &expression.kind {
            TypedKind::Constant(value) => Expr::Literal(constant(value, &expression.ty)?, None),
            TypedKind::Field { depth: 0, index } => column(field(*index)),
            TypedKind::Binding { index } => column(binding(*index)),
            TypedKind::Scalar { relation, index } => {
                let row = self.evaluation.scalars.get(relation);
                let value = row.and_then(|row| row.get(*index)).unwrap_or(&Value::Null);
                Expr::Literal(constant(value, &expression.ty)?, None)
            }
            TypedKind::TupleField { tuple, index } if is_struct(&tuple.ty) => {
                kernels::tuple_field(self.lower(tuple)?, &field_name(*index))
            }
            TypedKind::Arithmetic { op, left, right } => {
                return self.arithmetic(*op, expression, left, right);
            }
            TypedKind::Compare { op, left, right } if is_comparable(&left.ty) => {
                binary_expr(self.lower(left)?, comparison(*op), self.lower(right)?)
            }
            TypedKind::And(left, right) => self.lower(left)?.and(self.lower(right)?),
            TypedKind::Or(left, right) => self.lower(left)?.or(self.lower(right)?),
            TypedKind::Not(inner) => Expr::Not(Box::new(self.lower(inner)?)),
            TypedKind::IsNull(inner) => self.lower(inner)?.is_null(),
            TypedKind::Bincond { condition, then, otherwise } => {
                let condition = self.lower(condition)?;
                // A null condition chooses neither side (N39).
                when(condition.clone(), self.lower(then)?)
                    .when(Expr::Not(Box::new(condition)), self.lower(otherwise)?)
                    .otherwise(Expr::Literal(ScalarValue::try_from(&arrow_type(&expression.ty))?, None))?
            }
            TypedKind::Cast(inner) => return self.cast(inner, &expression.ty),
            _ => return Ok(None),
        }))
    }

    fn arithmetic(
        &self,
        op: ArithmeticOp,
        expression: &TypedExpression,
        left: &TypedExpression,
        right: &TypedExpression,
    ) -> Result<Option<Expr>> {
        if !is_primitive_number(&expression.ty) {
            return Ok(None);
        }
        let op = match op {
            ArithmeticOp::Add => Operator::Plus,
            ArithmeticOp::Subtract => Operator::Minus,
            ArithmeticOp::Multiply => Operator::Multiply,
            ArithmeticOp::Divide | ArithmeticOp::Modulo => {
                let (left, right) = (self.lower(left)?, self.lower(right)?);
                return Ok(Some(kernels::divide(op, left, right, &expression.ty, self.evaluation)));
            }
        };
        Ok(Some(binary_expr(self.lower(left)?, op, self.lower(right)?)))
    }

    fn cast(&self, inner: &TypedExpression, to: &PigType) -> Result<Option<Expr>> {
        if inner.ty.same_shape(to) {
            return self.lower(inner).map(Some);
        }
        if is_exact(&inner.ty, to) {
            return Ok(Some(cast(self.lower(inner)?, arrow_type(to))));
        }
        if *to == PigType::DYNAMIC || kernels::has_cast(&inner.ty, to) {
            return Ok(Some(kernels::cast(self.lower(inner)?, &inner.ty, to, self.evaluation)));
        }
        Ok(None)
    }
}

/// A value as a literal of its type's column.
pub(crate) fn constant(value: &Value, ty: &PigType) -> Result<ScalarValue> {
    Ok(match (value, ty) {
        (Value::Null, ty) => ScalarValue::try_from(&arrow_type(ty))?,
        (value, ty) if is_encoded(ty) => {
            let mut bytes = Vec::new();
            encode(value, &mut bytes);
            ScalarValue::Binary(Some(bytes))
        }
        (value, ty) => {
            let mut builder = ColumnBuilder::new(ty);
            builder.push(value)?;
            ScalarValue::try_from_array(&builder.finish()?, 0)?
        }
    })
}

fn comparison(op: Comparison) -> Operator {
    match op {
        Comparison::Equal => Operator::Eq,
        Comparison::NotEqual => Operator::NotEq,
        Comparison::Less => Operator::Lt,
        Comparison::LessOrEqual => Operator::LtEq,
        Comparison::Greater => Operator::Gt,
        Comparison::GreaterOrEqual => Operator::GtEq,
    }
}

fn is_struct(ty: &PigType) -> bool {
    matches!(ty, PigType::Tuple(Some(_))) && !is_encoded(ty)
}

fn is_primitive_number(ty: &PigType) -> bool {
    matches!(ty, PigType::Int | PigType::Long | PigType::Float | PigType::Double)
}

/// Types whose columns compare as their values do. Datetimes with different offsets are equal as instants, and numbers
/// without a limit with different scales, so these are not among them.
fn is_comparable(ty: &PigType) -> bool {
    is_primitive_number(ty)
        || matches!(ty, PigType::Boolean | PigType::Chararray | PigType::Bytearray(Unknown::Raw(_)))
}

/// Casts of numbers that lose nothing, or round as Java's do.
fn is_exact(from: &PigType, to: &PigType) -> bool {
    use PigType::{Double, Float, Int, Long};
    matches!((from, to), (Int, Long | Float | Double) | (Long, Float | Double) | (Float, Double))
}
