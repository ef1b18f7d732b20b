//! Expressions as steps of a program.
//!
//! What can be computed as whole numbers is: columns, constants, `+`, `-`, `*` of integers or decimals, and casts that
//! only widen. Anything else is not taken, and its aggregate stays with DataFusion.

use std::collections::HashMap;
use std::sync::Arc;

use datafusion::arrow::datatypes::{DataType, SchemaRef};
use datafusion::common::ScalarValue;
use datafusion::logical_expr::Operator;
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_expr::expressions::{BinaryExpr, CastExpr, Column, Literal, NegativeExpr};
use datafusion::physical_plan::projection::ProjectionExec;

use super::kernel::{Interval, Operation, Program};
use super::numbers;

/// Longer labels are cut.
const LABEL: usize = 120;

/// An expression that has become a step.
#[derive(Debug, Clone)]
pub(super) struct Compiled {
    pub(super) step: usize,
    pub(super) data_type: DataType,
    /// The columns that must have a value for the result to have one, ascending.
    pub(super) columns: Vec<usize>,
    pub(super) label: Label,
}

/// An expression as users read it.
#[derive(Debug, Clone)]
pub(super) struct Label {
    pub(super) text: String,
    /// The operator that binds its parts the least.
    operator: Option<Operator>,
}

impl Label {
    fn of(text: impl Into<String>) -> Self {
        Self { text: text.into(), operator: None }
    }

    fn within(&self, operator: Operator, right: bool) -> String {
        let looser = |inner: Operator| {
            inner.precedence() < operator.precedence()
                || (right && inner.precedence() == operator.precedence())
        };
        if self.operator.is_some_and(looser) { format!("({})", self.text) } else { self.text.clone() }
    }
}

/// Turns expressions over the top of a chain of projections into steps over the scan's columns.
pub(super) struct Compiler<'a> {
    /// From the aggregate down to the scan.
    projections: &'a [ProjectionExec],
    scan: SchemaRef,
    pub(super) program: Program,
    /// Expressions of projections that are steps already, or cannot be.
    known: HashMap<(usize, usize), Option<Compiled>>,
}

impl<'a> Compiler<'a> {
    pub(super) fn new(projections: &'a [ProjectionExec], scan: SchemaRef) -> Self {
        Self { projections, scan, program: Program::new(), known: HashMap::new() }
    }

    /// The step of an expression over the aggregate's input.
    pub(super) fn compile(&mut self, expression: &Arc<dyn PhysicalExpr>) -> Option<Compiled> {
        self.at(expression, 0)
    }

    /// The scan's column that an expression is, if it is one.
    pub(super) fn column(&self, expression: &Arc<dyn PhysicalExpr>) -> Option<usize> {
        let mut expression = expression;
        for projection in self.projections {
            let index = expression.downcast_ref::<Column>()?.index();
            expression = &projection.expr().get(index)?.expr;
        }
        Some(expression.downcast_ref::<Column>()?.index())
    }

    /// The schema of the scan.
    pub(super) fn scan_schema(&self) -> &SchemaRef {
        &self.scan
    }

    /// The step of an expression over the output of the projection at `depth`.
    fn at(&mut self, expression: &Arc<dyn PhysicalExpr>, depth: usize) -> Option<Compiled> {
        if let Some(column) = expression.downcast_ref::<Column>() {
            return self.of_column(column.index(), depth);
        }
        if let Some(literal) = expression.downcast_ref::<Literal>() {
            return self.of_literal(literal.value());
        }
        if let Some(binary) = expression.downcast_ref::<BinaryExpr>() {
            let (left, right) = (self.at(binary.left(), depth)?, self.at(binary.right(), depth)?);
            return self.of_operation(left, *binary.op(), right);
        }
        if let Some(negative) = expression.downcast_ref::<NegativeExpr>() {
            let inner = self.at(negative.arg(), depth)?;
            return self.of_negative(inner);
        }
        let cast = expression.downcast_ref::<CastExpr>().filter(|cast| !cast.cast_options().safe)?;
        let inner = self.at(cast.expr(), depth)?;
        self.of_cast(inner, cast.cast_type())
    }

    fn of_column(&mut self, index: usize, depth: usize) -> Option<Compiled> {
        let projections = self.projections;
        let Some(projection) = projections.get(depth) else {
            let field = self.scan.fields().get(index)?;
            let step = self.program.step(Operation::Column(index), Interval::ALL);
            let data_type = field.data_type().clone();
            return numbers::is_number(&data_type).then(|| Compiled {
                step,
                data_type,
                columns: vec![index],
                label: Label::of(field.name()),
            });
        };
        if let Some(known) = self.known.get(&(depth, index)) {
            return known.clone();
        }
        let compiled = self.at(&projection.expr().get(index)?.expr, depth + 1);
        self.known.insert((depth, index), compiled.clone());
        compiled
    }

    fn of_literal(&mut self, value: &ScalarValue) -> Option<Compiled> {
        let number = match value {
            ScalarValue::Int8(Some(number)) => i128::from(*number),
            ScalarValue::Int16(Some(number)) => i128::from(*number),
            ScalarValue::Int32(Some(number)) => i128::from(*number),
            ScalarValue::Int64(Some(number)) => i128::from(*number),
            ScalarValue::UInt8(Some(number)) => i128::from(*number),
            ScalarValue::UInt16(Some(number)) => i128::from(*number),
            ScalarValue::UInt32(Some(number)) => i128::from(*number),
            ScalarValue::UInt64(Some(number)) => i128::from(*number),
            ScalarValue::Decimal128(Some(number), ..) => *number,
            _ => return None,
        };
        Some(Compiled {
            step: self.program.step(Operation::Constant(number), Interval::ALL),
            data_type: value.data_type(),
            columns: Vec::new(),
            label: Label::of(value.to_string()),
        })
    }

    fn of_operation(&mut self, left: Compiled, operator: Operator, right: Compiled) -> Option<Compiled> {
        use DataType::Decimal128;
        let text = format!(
            "{} {operator} {}",
            left.label.within(operator, false),
            right.label.within(operator, true)
        );
        let (mut left_step, mut right_step) = (left.step, right.step);
        let (data_type, within) = match (&left.data_type, &right.data_type) {
            (Decimal128(_, left_scale), Decimal128(_, right_scale)) => {
                let data_type = datafusion::logical_expr::binary::BinaryTypeCoercer::new(
                    &left.data_type,
                    &operator,
                    &right.data_type,
                )
                .get_result_type()
                .ok()?;
                let Decimal128(_, scale) = data_type else { return None };
                match operator {
                    Operator::Plus | Operator::Minus => {
                        left_step = self.scaled(left_step, *left_scale, scale, Interval::ALL)?;
                        right_step = self.scaled(right_step, *right_scale, scale, Interval::ALL)?;
                    }
                    Operator::Multiply if left_scale + right_scale == scale => {}
                    _ => return None,
                }
                (data_type, Interval::ALL)
            }
            // What leaves the type wraps, and is not ours to compute.
            (left, right) if left == right => (left.clone(), numbers::integers(left)?),
            _ => return None,
        };
        let operation = match operator {
            Operator::Plus => Operation::Add(left_step, right_step),
            Operator::Minus => Operation::Subtract(left_step, right_step),
            Operator::Multiply => Operation::Multiply(left_step, right_step),
            _ => return None,
        };
        let mut columns = left.columns;
        columns.extend(right.columns);
        columns.sort_unstable();
        columns.dedup();
        Some(Compiled {
            step: self.program.step(operation, within),
            data_type,
            columns,
            label: Label { text: cut(text), operator: Some(operator) },
        })
    }

    fn of_negative(&mut self, inner: Compiled) -> Option<Compiled> {
        let within = match &inner.data_type {
            DataType::Decimal128(..) => Interval::ALL,
            integer => numbers::integers(integer)?,
        };
        let zero = self.program.step(Operation::Constant(0), Interval::ALL);
        let text = format!("-{}", inner.label.within(Operator::Multiply, true));
        Some(Compiled {
            step: self.program.step(Operation::Subtract(zero, inner.step), within),
            label: Label { text: cut(text), operator: Some(Operator::Multiply) },
            ..inner
        })
    }

    fn of_cast(&mut self, inner: Compiled, to: &DataType) -> Option<Compiled> {
        let step = match (&inner.data_type, to) {
            (from, to) if from == to => inner.step,
            (DataType::Decimal128(precision, scale), DataType::Decimal128(wider, finer)) => {
                if scale == finer && precision <= wider {
                    inner.step
                } else {
                    self.scaled(inner.step, *scale, *finer, Interval::digits(*wider))?
                }
            }
            (from, DataType::Decimal128(precision, scale)) => {
                let from = numbers::integers(from)?;
                let within = Interval::digits(*precision);
                if *scale == 0 && within.covers(&from) {
                    inner.step
                } else {
                    self.scaled(inner.step, 0, *scale, within)?
                }
            }
            (from, to) => {
                let wider = numbers::integers(to)?.covers(&numbers::integers(from)?);
                wider.then_some(inner.step)?
            }
        };
        Some(Compiled { step, data_type: to.clone(), ..inner })
    }

    /// A decimal's whole number at a finer scale.
    fn scaled(&mut self, step: usize, from: i8, to: i8, within: Interval) -> Option<usize> {
        let finer = u32::try_from(to.checked_sub(from)?).ok()?;
        if finer == 0 && within == Interval::ALL {
            return Some(step);
        }
        let power = self.program.step(Operation::Constant(10_i128.checked_pow(finer)?), Interval::ALL);
        Some(self.program.step(Operation::Multiply(step, power), within))
    }
}

/// A text that is not too long to be read.
pub(super) fn cut(text: String) -> String {
    match text.char_indices().nth(LABEL) {
        Some((end, _)) => format!("{}...", text.get(..end).unwrap_or_default()),
        None => text,
    }
}
