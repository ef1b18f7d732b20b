use crate::ast::{Column, Constant, Expression, ExpressionKind, UnaryOp};
use crate::check::operators::boxed;
use crate::check::scope::{Named, Scope};
use crate::check::{Checked, Checker};
use crate::logical::{TypedExpression, TypedKind};
use crate::source::{Diagnostic, Span};
use crate::types::{Field, PigType, Schema, type_name};
use crate::value::Value;

/// Columns that a range of positions may have where the fields are not known.
const WIDEST: usize = 10_000;

impl Checker<'_> {
    /// An expression that is one value.
    pub(crate) fn expression(
        &mut self,
        expression: &Expression,
        scope: &Scope<'_>,
    ) -> Checked<TypedExpression> {
        self.named(expression, scope).map(|named| named.expression)
    }

    /// An expression, and the name its field gets without AS.
    pub(crate) fn named(&mut self, expression: &Expression, scope: &Scope<'_>) -> Checked<Named> {
        let span = expression.span;
        let unnamed = |expression| Named { expression, name: None, span };
        Ok(match &expression.kind {
            ExpressionKind::Constant(constant) => unnamed(literal(constant, span)),
            ExpressionKind::Column(column) => {
                let (expression, name) = self.column(column, scope)?;
                Named { expression, name, span }
            }
            ExpressionKind::Star | ExpressionKind::Range { .. } => {
                let fault = "several columns stand here where one value is due";
                return Err(self.invalid(fault, span));
            }
            ExpressionKind::Dereference { base, fields, parenthesised } => {
                self.dereference(span, base, fields, *parenthesised, scope)?
            }
            ExpressionKind::MapLookup { base, key } => unnamed(self.lookup(span, base, &key.text, scope)?),
            ExpressionKind::Call { function, arguments } => unnamed(self.call(function, arguments, scope)?),
            ExpressionKind::Cast { to, operand } => {
                let operand = self.named(operand, scope)?;
                // A cast keeps its field's name (ruling 2).
                Named { expression: self.cast(to, operand.expression, span)?, ..operand }
            }
            ExpressionKind::Unary { op: UnaryOp::Negate, op_span, operand } => {
                unnamed(self.negate(*op_span, operand, scope)?)
            }
            ExpressionKind::Unary { op: UnaryOp::Not, op_span, operand } => {
                let operand = self.condition(operand, scope, "NOT")?;
                unnamed(TypedExpression {
                    kind: TypedKind::Not(boxed(operand)),
                    ty: PigType::Boolean,
                    span: *op_span,
                })
            }
            ExpressionKind::Binary { op, op_span, left, right } => {
                unnamed(self.binary(*op, *op_span, left, right, scope)?)
            }
            ExpressionKind::IsNull { operand, negated } => {
                let operand = self.expression(operand, scope)?;
                let test = |kind| TypedExpression { kind, ty: PigType::Boolean, span };
                let is_null = test(TypedKind::IsNull(boxed(operand)));
                unnamed(if *negated { test(TypedKind::Not(boxed(is_null))) } else { is_null })
            }
            ExpressionKind::In { operand, list } => unnamed(self.is_in(span, operand, list, scope)?),
            ExpressionKind::Bincond { condition, then, otherwise } => {
                unnamed(self.bincond(span, [condition, then, otherwise], scope)?)
            }
            ExpressionKind::Case { operand, branches, otherwise } => {
                let (operand, otherwise) = (operand.as_deref(), otherwise.as_deref());
                unnamed(self.case(span, operand, branches, otherwise, scope)?)
            }
            ExpressionKind::Tuple(items) => unnamed(self.tuple(span, items, scope)?),
            ExpressionKind::Bag(items) => unnamed(self.bag(span, items, scope)?),
            ExpressionKind::Map(entries) => unnamed(self.map(span, entries, scope)?),
            ExpressionKind::Flatten(_) => {
                return Err(self.invalid("FLATTEN stands only in GENERATE", span));
            }
        })
    }

    /// Expressions, with `*` and ranges as the columns they stand for.
    pub(crate) fn expanded(&mut self, items: &[Expression], scope: &Scope<'_>) -> Checked<Vec<Named>> {
        // All are looked at, so that all tell their faults.
        let all: Vec<Checked<Vec<Named>>> = items.iter().map(|item| self.columns_of(item, scope)).collect();
        Ok(all.into_iter().collect::<Checked<Vec<_>>>()?.into_iter().flatten().collect())
    }

    /// The columns that an expression stands for.
    fn columns_of(&mut self, item: &Expression, scope: &Scope<'_>) -> Checked<Vec<Named>> {
        let span = item.span;
        match (&item.kind, scope.schema) {
            (ExpressionKind::Star, Some(schema)) => Ok(fields_of(schema, 0..schema.fields.len(), span)),
            (ExpressionKind::Range { from, to }, Some(schema)) => {
                let range = self.range(from.as_ref(), to.as_ref(), schema, span)?;
                Ok(fields_of(schema, *range.start()..*range.end() + 1, span))
            }
            (ExpressionKind::Range { from, to: Some(Column::Position { index: to, .. }) }, None) => {
                let from = match from {
                    None => 0,
                    Some(Column::Position { index, .. }) => *index,
                    Some(Column::Name(name)) => return Err(self.no_such_name(name, scope)),
                };
                if from > *to {
                    return Err(self.invalid("this range ends before it begins", span));
                }
                if *to - from >= WIDEST {
                    return Err(self.invalid(format!("this range has more than {WIDEST} columns"), span));
                }
                let column = |index| {
                    let kind = TypedKind::DynamicField { depth: 0, index };
                    let ty = PigType::Bytearray(scope.unknown);
                    Named { expression: TypedExpression { kind, ty, span }, name: None, span }
                };
                Ok((from..=*to).map(column).collect())
            }
            (ExpressionKind::Star | ExpressionKind::Range { .. }, None) => {
                let fault = Diagnostic::invalid("how many columns this is, is not known", span);
                Err(self.fault(fault.with_help("declare the fields by AS where they are loaded")))
            }
            _ => Ok(vec![self.named(item, scope)?]),
        }
    }

    fn tuple(&mut self, span: Span, items: &[Expression], scope: &Scope<'_>) -> Checked<TypedExpression> {
        let items = self.expanded(items, scope)?;
        let fields =
            items.iter().map(|item| Field { name: item.name.clone(), ty: item.expression.ty.clone() });
        // Of `()` nothing is known, as of `tuple()` (N17).
        let fields = (!items.is_empty()).then(|| Schema::new(fields.collect()));
        let items = items.into_iter().map(|item| item.expression).collect();
        Ok(TypedExpression { kind: TypedKind::Tuple(items), ty: PigType::Tuple(fields), span })
    }

    /// Items that are no tuples become tuples of one field.
    fn bag(&mut self, span: Span, items: &[Expression], scope: &Scope<'_>) -> Checked<TypedExpression> {
        let mut tuples = Vec::new();
        for item in self.expanded(items, scope)? {
            tuples.push(match &item.expression.ty {
                PigType::Tuple(_) => item.expression,
                ty => {
                    let ty = PigType::Tuple(Some(Schema::new(vec![Field::unnamed(ty.clone())])));
                    TypedExpression { kind: TypedKind::Tuple(vec![item.expression]), ty, span: item.span }
                }
            });
        }
        let mut common: Option<PigType> = None;
        for tuple in &tuples {
            common = Some(match common {
                None => tuple.ty.clone(),
                Some(before) if before.same_shape(&tuple.ty) => before,
                Some(_) => PigType::Tuple(None),
            });
        }
        let fields = match common {
            Some(PigType::Tuple(fields)) => fields,
            _ => None,
        };
        let wanted = PigType::Tuple(fields.clone());
        let tuples = tuples.into_iter().map(|tuple| tuple.into_type(&wanted)).collect();
        let ty = PigType::Bag { tuple_name: None, fields };
        Ok(TypedExpression { kind: TypedKind::Bag(tuples), ty, span })
    }

    fn map(
        &mut self,
        span: Span,
        entries: &[(Expression, Expression)],
        scope: &Scope<'_>,
    ) -> Checked<TypedExpression> {
        let mut typed = Vec::new();
        let mut common: Option<PigType> = None;
        for (key, value) in entries {
            let key_span = key.span;
            let key = self.expression(key, scope)?;
            if !matches!(key.ty, PigType::Chararray | PigType::Bytearray(_)) {
                let text = format!("the keys of a map are chararray, not {}", type_name(&key.ty));
                return Err(self.invalid(text, key_span));
            }
            let value = self.expression(value, scope)?;
            common = match common {
                // Null is of every type.
                before if value.is_null_literal() => before,
                None => Some(value.ty.clone()),
                Some(before) if before.same_shape(&value.ty) => Some(before),
                Some(_) => Some(PigType::DYNAMIC),
            };
            typed.push((key.into_type(&PigType::Chararray), value));
        }
        let value = match common {
            None | Some(PigType::Bytearray(_)) => PigType::DYNAMIC,
            Some(ty) => ty,
        };
        let entries = typed.into_iter().map(|(key, item)| (key, item.into_type(&value))).collect();
        let ty = PigType::Map(Box::new(value));
        Ok(TypedExpression { kind: TypedKind::Map(entries), ty, span })
    }
}

/// The fields of a row as expressions.
pub(crate) fn fields_of(schema: &Schema, range: std::ops::Range<usize>, span: Span) -> Vec<Named> {
    range
        .filter_map(|index| {
            let field = schema.fields.get(index)?;
            let kind = TypedKind::Field { depth: 0, index };
            let expression = TypedExpression { kind, ty: field.ty.clone(), span };
            Some(Named { expression, name: field.name.clone(), span })
        })
        .collect()
}

fn literal(constant: &Constant, span: Span) -> TypedExpression {
    let (value, ty) = match constant {
        Constant::Null => (Value::Null, PigType::DYNAMIC),
        Constant::Boolean(value) => (Value::Boolean(*value), PigType::Boolean),
        Constant::Int(value) => (Value::Int(*value), PigType::Int),
        Constant::Long(value) => (Value::Long(*value), PigType::Long),
        Constant::Float(value) => (Value::Float(*value), PigType::Float),
        Constant::Double(value) => (Value::Double(*value), PigType::Double),
        Constant::BigInteger(value) => (Value::BigInteger(value.clone()), PigType::BigInteger),
        Constant::BigDecimal(value) => (Value::BigDecimal(value.clone()), PigType::BigDecimal),
        Constant::Chararray(value) => (Value::Chararray(value.clone()), PigType::Chararray),
    };
    TypedExpression { kind: TypedKind::Constant(value), ty, span }
}
