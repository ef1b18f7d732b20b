//! Expressions are built by hand here, as the checker would.

mod bag;
mod expression;
mod flatten;

use std::sync::Arc;

use super::{EvaluateContext, EvaluateError, Scope, evaluate};
use crate::logical::{NodeId, TypedExpression, TypedKind};
use crate::source::{SourceId, Span};
use crate::types::{Field, PigType, Schema};
use crate::value::matcher::{Matcher, MatcherCache, PatternProblem};
use crate::value::testing::Recorder;
use crate::value::{CallContext, Value, Warning};

/// Warnings, patterns, and scalars: relation 0 has one row, relation 1 none, others too many.
#[derive(Default)]
struct Context {
    recorder: Recorder,
    cache: MatcherCache,
}

impl CallContext for Context {
    fn started_millis(&self) -> i64 {
        self.recorder.started_millis()
    }

    fn random(&mut self) -> f64 {
        self.recorder.random()
    }

    fn unique(&mut self) -> u64 {
        self.recorder.unique()
    }

    fn warn(&mut self, warning: Warning) {
        self.recorder.warn(warning);
    }
}

impl EvaluateContext for Context {
    fn scalar(&mut self, relation: NodeId, index: usize) -> Result<Value, EvaluateError> {
        match relation.0 {
            0 => Ok(Value::Long(i64::try_from(index).unwrap())),
            1 => Ok(Value::Null),
            _ => Err(EvaluateError::Scalar("the relation has more than one row".to_owned())),
        }
    }

    fn matcher(&mut self, pattern: &str) -> Result<Arc<Matcher>, PatternProblem> {
        self.cache.get(pattern)
    }
}

fn typed(kind: TypedKind, ty: PigType) -> TypedExpression {
    TypedExpression { kind, ty, span: Span { source: SourceId(0), start: 0, end: 0 } }
}

fn boxed(kind: TypedKind, ty: PigType) -> Box<TypedExpression> {
    Box::new(typed(kind, ty))
}

/// A constant; its type does not matter to the interpreter.
fn constant(value: Value) -> TypedExpression {
    typed(TypedKind::Constant(value), PigType::DYNAMIC)
}

fn int(value: i32) -> TypedExpression {
    constant(Value::Int(value))
}

fn field(index: usize) -> TypedExpression {
    outer_field(0, index)
}

fn outer_field(depth: usize, index: usize) -> TypedExpression {
    typed(TypedKind::Field { depth, index }, PigType::DYNAMIC)
}

fn ints(values: &[i32]) -> Value {
    Value::Tuple(values.iter().map(|value| Value::Int(*value)).collect())
}

fn schema(types: Vec<PigType>) -> Schema {
    Schema::new(types.into_iter().map(Field::unnamed).collect())
}

/// The value over a row, and how many warnings there were.
fn compute(expression: &TypedExpression, row: &[Value]) -> (Result<Value, EvaluateError>, usize) {
    let mut context = Context::default();
    let answer = evaluate(expression, &Scope::new(row, &[]), &mut context);
    (answer, context.recorder.warnings.len())
}

fn value(expression: &TypedExpression, row: &[Value]) -> Value {
    compute(expression, row).0.unwrap()
}
