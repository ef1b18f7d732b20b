//! The row filter: one three-valued program for all that a scan pushes down.
//!
//! In the order data meets them: [`RowFilterSpec`] (operands and a [`RowPredicate`], plain data) is compiled once
//! per scan into a [`RowFilter`], which answers for each [`RowBuffer`] whether the row matches. NULL follows
//! SQL: a missing cell is NULL, and only TRUE matches. A [`ColumnarFilter`], compiled from the same description, answers
//! for many rows at a time whose values lie column by column.
//!
//! What it does not do: it reads nothing, allocates nothing per row for fixed-width types, knows no column
//! mapping and decides nothing about exactness; that is `decompose`'s task in the handler.

mod columnar;
mod compile;
mod display;
mod operands;
mod predicate;
mod run;
mod spec;
mod test;

use std::mem;
use std::sync::Arc;

use ostracon_compare::BadValue;
use ostracon_data::RowBuffer;

pub use self::columnar::{
    CleanWhen, ColumnarFilter, ColumnarOperand, LeafScratch, LeafTest, Outcomes, TruthMask, ValueSummary,
};
pub use self::predicate::{Postorder, RowPredicate};
pub use self::spec::{OnBadValue, Operand, OperandSource, RowFilterSpec};

use self::compile::Program;
use self::operands::{BoundOperand, Scratch, Slot, recycle};
use self::run::run;
use crate::error::BytesText;
use crate::{Error, Result};

/// A compiled row filter.
///
/// Cloning is cheap: copies share the program and have their own buffers, one for each thread.
///
/// ```
/// use ostracon_compare::{CompareOp, Encoding, PrimitiveType, Scalar};
/// use ostracon_data::RowBuffer;
/// use ostracon_iterators::{OnBadValue, Operand, OperandSource, RowFilter, RowFilterSpec, RowPredicate};
///
/// let spec = RowFilterSpec {
///     operands: vec![Operand {
///         name: "age".into(),
///         source: OperandSource::Cell { family: b"person".to_vec(), qualifier: b"age".to_vec() },
///         ty: PrimitiveType::Int32,
///         encoding: Encoding::String,
///         null_sequence: None,
///     }],
///     predicate: RowPredicate::Compare { operand: 0, op: CompareOp::GreaterThan, constant: Scalar::Int(40) },
///     on_bad_value: OnBadValue::Error,
/// };
/// assert_eq!(spec.to_string(), "age > 40");
///
/// let mut filter = RowFilter::compile(&spec)?;
/// let mut row = RowBuffer::new();
/// row.set_row(b"alice");
/// assert_eq!(filter.evaluate(&row)?, None, "no cell is NULL");
/// row.push_cell(b"person", b"age", b"", 7, b"041");
/// assert!(filter.matches(&row)?, "text compares as the number it is");
/// # Ok::<(), ostracon_iterators::Error>(())
/// ```
#[derive(Debug)]
pub struct RowFilter {
    program: Arc<Program>,
    /// Empty between rows; keeps the memory for one slot per operand.
    slots: Vec<Slot<'static>>,
    /// Where each operand's cell was in the row before.
    hints: Vec<usize>,
    scratch: Scratch,
    /// Answers put aside by the program.
    stack: Vec<Option<bool>>,
}

impl Clone for RowFilter {
    fn clone(&self) -> Self {
        Self::over(Arc::clone(&self.program))
    }
}

impl RowFilter {
    /// Compiles a filter; fails on what can never run (an operand that is not there, a constant of another type).
    pub fn compile(spec: &RowFilterSpec) -> Result<Self> {
        Ok(Self::over(Arc::new(Program::compile(spec)?)))
    }

    fn over(program: Arc<Program>) -> Self {
        let hints = vec![0; program.operands.len()];
        Self { program, slots: Vec::new(), hints, scratch: Scratch::default(), stack: Vec::new() }
    }

    /// Whether the predicate is TRUE for the row. NULL does not match.
    pub fn matches(&mut self, row: &RowBuffer) -> Result<bool> {
        Ok(self.evaluate(row)? == Some(true))
    }

    /// The predicate's answer for the row, `None` for NULL; FALSE for a row that is skipped for a bad value.
    pub fn evaluate(&mut self, row: &RowBuffer) -> Result<Option<bool>> {
        let mut slots = recycle(mem::take(&mut self.slots));
        self.scratch.native.clear();
        let answer = match self.resolve(row, &mut slots) {
            Ok(true) => self.run(row, &slots),
            Ok(false) => Ok(Some(false)),
            Err(error) => Err(error),
        };
        self.slots = recycle(slots);
        answer
    }

    /// Looks every operand up. False if the row is to be skipped.
    fn resolve<'a>(&mut self, row: &'a RowBuffer, slots: &mut Vec<Slot<'a>>) -> Result<bool> {
        for (operand, hint) in self.program.operands.iter().zip(&mut self.hints) {
            let slot = match operand.resolve(row, hint, &mut self.scratch) {
                Ok(slot) => slot,
                Err(reason) => match self.program.on_bad_value {
                    OnBadValue::Error => return Err(bad_value(Some(operand), row, reason)),
                    OnBadValue::Null => Slot::Null,
                    OnBadValue::SkipRow => return Ok(false),
                },
            };
            slots.push(slot);
        }
        Ok(true)
    }

    fn run(&mut self, row: &RowBuffer, slots: &[Slot<'_>]) -> Result<Option<bool>> {
        let Self { program, scratch, stack, .. } = self;
        let slot = |operand: usize| slots.get(operand).copied().unwrap_or(Slot::Null);
        run(&program.steps, stack, |index| match program.tests.get(index) {
            // Checked values do not fail; if one does, that is reported and not ignored.
            Some(test) => test
                .apply(slot, &scratch.native)
                .map_err(|reason| bad_value(program.operands.get(test.operand()), row, reason)),
            None => Ok(None),
        })
    }
}

fn bad_value(operand: Option<&BoundOperand>, row: &RowBuffer, reason: BadValue) -> Error {
    Error::BadValue {
        column: operand.map(BoundOperand::name).unwrap_or_default().to_owned(),
        row: BytesText(row.row()).to_string(),
        reason,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ostracon_compare::{CompareOp, Encoding, PrimitiveType, Scalar};

    #[test]
    fn buffers_grow_with_the_first_row_and_then_stay() {
        let operand = |qualifier: &str, ty, encoding| Operand {
            name: qualifier.to_owned(),
            source: OperandSource::Cell { family: b"f".to_vec(), qualifier: qualifier.into() },
            ty,
            encoding,
            null_sequence: None,
        };
        let equal = |operand, constant| RowPredicate::Compare { operand, op: CompareOp::NotEqual, constant };
        let spec = RowFilterSpec {
            operands: vec![
                operand("a", PrimitiveType::Int64, Encoding::String),
                operand("b", PrimitiveType::Int32, Encoding::Binary),
                operand("c", PrimitiveType::Utf8, Encoding::String),
            ],
            predicate: RowPredicate::And(vec![
                equal(0, Scalar::Int(-1)),
                equal(1, Scalar::Int(-1)),
                RowPredicate::Or(vec![
                    equal(2, Scalar::Utf8("x".into())),
                    RowPredicate::IsNull { operand: 2 },
                ]),
            ]),
            on_bad_value: OnBadValue::Error,
        };
        let mut filter = RowFilter::compile(&spec).unwrap();
        let mut memory = Vec::new();
        for n in 0..1000_u32 {
            let mut row = RowBuffer::new();
            row.push_cell(b"f", b"a", b"", 1, n.to_string().as_bytes());
            row.push_cell(b"f", b"b", b"", 1, &n.to_be_bytes());
            row.push_cell(b"f", b"c", b"", 1, b"text");
            assert!(filter.matches(&row).unwrap());
            memory.push((
                (filter.slots.as_ptr() as usize, filter.slots.capacity()),
                (filter.scratch.native.as_ptr() as usize, filter.scratch.native.capacity()),
                (filter.stack.as_ptr() as usize, filter.stack.capacity()),
            ));
        }
        memory.dedup();
        assert_eq!(memory.len(), 1, "{memory:?}");
    }
}
