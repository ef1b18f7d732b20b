//! The row interpreter as a DataFusion function: whatever an expression is, its meaning is at hand.

use std::collections::HashMap;
use std::sync::Arc;

use arrow::array::ArrayRef;
use arrow::datatypes::DataType;
use datafusion::common::{DataFusionError, Result};
use datafusion::logical_expr::Volatility;
use datafusion::prelude::Expr;
use ostracon_piglatin::evaluate::{EvaluateContext, EvaluateError, Scope, evaluate};
use ostracon_piglatin::logical::{NodeId, TypedExpression};
use ostracon_piglatin::types::{PigType, Schema};
use ostracon_piglatin::value::matcher::{Matcher, MatcherCache, PatternProblem};
use ostracon_piglatin::value::{CallContext, Value, Warning};

use parking_lot::Mutex;

use crate::columns::{ColumnBuilder, arrow_type, value_at};
use crate::plan::function::{Body, call};
use crate::plan::references::References;
use crate::plan::{ROW, column, field};
use crate::warnings::RunContext;

/// What the evaluation of a script's expressions needs besides their rows.
#[derive(Debug, Clone)]
pub struct Evaluation {
    /// Warnings, time, random numbers.
    pub context: RunContext,
    /// The one row of each relation that is used as a scalar.
    pub scalars: Arc<HashMap<NodeId, Vec<Value>>>,
    /// Patterns that were compiled.
    pub matchers: Arc<Mutex<MatcherCache>>,
}

impl Evaluation {
    /// For the casts of what is loaded, which need no other relations.
    pub(crate) fn of_load(run: &RunContext) -> Self {
        Self { context: run.clone(), scalars: Arc::default(), matchers: Arc::default() }
    }
}

impl CallContext for Evaluation {
    fn started_millis(&self) -> i64 {
        self.context.started_millis()
    }
    fn random(&mut self) -> f64 {
        self.context.random()
    }
    fn unique(&mut self) -> u64 {
        self.context.unique()
    }
    fn warn(&mut self, warning: Warning) {
        self.context.warn(warning);
    }
}

impl EvaluateContext for Evaluation {
    fn scalar(&mut self, relation: NodeId, index: usize) -> std::result::Result<Value, EvaluateError> {
        let row = self.scalars.get(&relation);
        Ok(row.and_then(|row| row.get(index)).cloned().unwrap_or(Value::Null))
    }

    fn matcher(&mut self, pattern: &str) -> std::result::Result<Arc<Matcher>, PatternProblem> {
        self.matchers.lock().get(pattern)
    }
}

/// What an expression's row is made of.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RowShape<'a> {
    /// The fields, if they are known.
    pub(crate) schema: Option<&'a Schema>,
    /// The types of the bindings.
    pub(crate) bindings: &'a [PigType],
}

/// The rows of a batch, one after the other, as values; only what is read is filled in.
struct Rows<'a> {
    columns: Vec<(Target, &'a PigType, &'a ArrayRef)>,
    row: Vec<Value>,
    bindings: Vec<Value>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Target {
    Field(usize),
    Row,
    Binding(usize),
}

/// One argument of an interpreted function: where it goes, and its type.
#[derive(Debug, Clone)]
struct Argument {
    target: Target,
    ty: PigType,
}

/// The columns that expressions read, as arguments.
fn arguments(references: &References, shape: RowShape<'_>) -> (Vec<Argument>, Vec<Expr>) {
    let mut arguments = Vec::new();
    let mut columns = Vec::new();
    let mut add = |target, ty, name: String| {
        arguments.push(Argument { target, ty });
        columns.push(column(name));
    };
    match shape.schema {
        Some(schema) => {
            for (index, field_of) in schema.fields.iter().enumerate() {
                if references.row || references.fields.contains(&index) {
                    add(Target::Field(index), field_of.ty.clone(), field(index));
                }
            }
        }
        None => add(Target::Row, PigType::Tuple(None), ROW.to_owned()),
    }
    for &index in &references.bindings {
        if let Some(ty) = shape.bindings.get(index) {
            add(Target::Binding(index), ty.clone(), binding(index));
        }
    }
    (arguments, columns)
}

/// The column of a binding.
pub(crate) fn binding(index: usize) -> String {
    format!("b{index}")
}

impl<'a> Rows<'a> {
    fn new(arguments: &'a [Argument], width: usize, bindings: usize, arrays: &'a [ArrayRef]) -> Self {
        let columns = arguments.iter().zip(arrays).map(|(a, array)| (a.target, &a.ty, array)).collect();
        Self { columns, row: vec![Value::Null; width], bindings: vec![Value::Null; bindings] }
    }

    fn seek(&mut self, at: usize) -> Result<()> {
        for (target, ty, array) in &self.columns {
            let value = value_at(array.as_ref(), ty, at)?;
            match target {
                Target::Field(index) => self.row[*index] = value,
                Target::Binding(index) => self.bindings[*index] = value,
                Target::Row => {
                    self.row = match value {
                        Value::Tuple(fields) => fields,
                        _ => Vec::new(),
                    }
                }
            }
        }
        Ok(())
    }
}

/// What an interpreted function makes of each row.
pub(crate) trait RowProgram: std::fmt::Debug + Send + Sync {
    /// The type of the results.
    fn result(&self) -> PigType;
    /// The result for one row.
    fn run(&self, scope: &Scope<'_>, evaluation: &mut Evaluation) -> Result<Value>;
}

/// One expression.
#[derive(Debug)]
pub(crate) struct OneExpression(pub(crate) TypedExpression);

impl RowProgram for OneExpression {
    fn result(&self) -> PigType {
        self.0.ty.clone()
    }
    fn run(&self, scope: &Scope<'_>, evaluation: &mut Evaluation) -> Result<Value> {
        evaluate(&self.0, scope, evaluation).map_err(|error| DataFusionError::External(Box::new(error)))
    }
}

/// A row program over the columns that it reads.
#[derive(Debug)]
struct Interpreted {
    arguments: Vec<Argument>,
    width: usize,
    bindings: usize,
    program: Box<dyn RowProgram>,
    evaluation: Evaluation,
    result: PigType,
}

/// A call of a program over the columns that its references name.
pub(crate) fn interpret(
    program: Box<dyn RowProgram>,
    references: &References,
    shape: RowShape<'_>,
    evaluation: &Evaluation,
) -> Expr {
    let (arguments, columns) = arguments(references, shape);
    let result = program.result();
    let body = Interpreted {
        width: shape.schema.map_or(0, |schema| schema.fields.len()),
        bindings: shape.bindings.len(),
        arguments,
        program,
        evaluation: evaluation.clone(),
        result,
    };
    call(body, Volatility::Volatile, columns)
}

impl Body for Interpreted {
    fn name(&self) -> &str {
        "pig"
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        Ok(arrow_type(&self.result))
    }

    fn invoke(&self, arguments: &[ArrayRef], count: usize) -> Result<ArrayRef> {
        let mut rows = Rows::new(&self.arguments, self.width, self.bindings, arguments);
        let mut evaluation = self.evaluation.clone();
        let mut builder = ColumnBuilder::new(&self.result);
        for at in 0..count {
            rows.seek(at)?;
            let scope = Scope::new(&rows.row, &rows.bindings);
            builder.push(&self.program.run(&scope, &mut evaluation)?)?;
        }
        Ok(builder.finish()?)
    }
}
