//! Runs a program over a block: in 64 bits where bounds prove that they suffice, else in checked 128 bits.

use super::block::{Block, Values};
use super::interval::Interval;
use super::program::{Operation, Program, Step};

/// Why a block cannot be added up. The tally is of no use afterwards.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// A number leaves the range in which DataFusion computes without an error and without wrapping.
    Overflow,
    /// A sum that DataFusion takes in floating point could be rounded.
    Inexact,
    /// A value whose order depends on the order of rows: a NaN, an infinity, a negative zero.
    Unordered,
    /// More groups than are kept.
    Groups,
    /// Columns, groups and program do not belong together.
    Malformed,
}

/// The results of a step.
#[derive(Debug, Clone, Copy)]
pub(super) enum Operand<'a> {
    Narrow(&'a [i64]),
    Wide(&'a [i128]),
    Constant(i128),
}

/// Where the results of a step are.
#[derive(Debug, Clone, Copy)]
enum Place {
    Column(usize),
    Constant(i128),
    Narrow,
    Wide,
}

/// A step's results, and the buffers that are kept from block to block.
#[derive(Debug)]
struct Register {
    place: Place,
    bounds: Interval,
    narrow: Vec<i64>,
    wide: Vec<i128>,
}

/// The results of all steps for one block.
#[derive(Debug, Default)]
pub(super) struct Registers(Vec<Register>);

impl Registers {
    /// Computes every step.
    pub(super) fn evaluate(&mut self, program: &Program, block: &Block<'_>) -> Result<(), Refusal> {
        self.0.resize_with(program.steps().len(), || Register {
            place: Place::Constant(0),
            bounds: Interval::point(0),
            narrow: Vec::new(),
            wide: Vec::new(),
        });
        for (index, step) in program.steps().iter().enumerate() {
            let (earlier, rest) = self.0.split_at_mut(index);
            let register = rest.first_mut().ok_or(Refusal::Malformed)?;
            register.compute(step, earlier, block)?;
        }
        Ok(())
    }

    /// The results of a step for the block that was evaluated last, and their bounds.
    pub(super) fn get<'a>(
        &'a self,
        step: usize,
        block: &Block<'a>,
    ) -> Result<(Operand<'a>, Interval), Refusal> {
        operand(&self.0, step, block)
    }
}

fn operand<'a>(
    registers: &'a [Register],
    step: usize,
    block: &Block<'a>,
) -> Result<(Operand<'a>, Interval), Refusal> {
    let register = registers.get(step).ok_or(Refusal::Malformed)?;
    let operand = match register.place {
        Place::Column(column) => match block.columns.get(column).ok_or(Refusal::Malformed)?.values {
            Values::Narrow(values) => Operand::Narrow(values),
            Values::Wide(values) => Operand::Wide(values),
        },
        Place::Constant(value) => Operand::Constant(value),
        Place::Narrow => Operand::Narrow(&register.narrow),
        Place::Wide => Operand::Wide(&register.wide),
    };
    Ok((operand, register.bounds))
}

impl Register {
    fn compute(&mut self, step: &Step, earlier: &[Register], block: &Block<'_>) -> Result<(), Refusal> {
        let (left, right) = match step.operation {
            Operation::Column(column) => {
                let found = block.columns.get(column).ok_or(Refusal::Malformed)?;
                let rows = match found.values {
                    Values::Narrow(values) => values.len(),
                    Values::Wide(values) => values.len(),
                };
                if rows != block.rows {
                    return Err(Refusal::Malformed);
                }
                (self.place, self.bounds) = (Place::Column(column), found.bounds);
                return if step.within.covers(&self.bounds) { Ok(()) } else { Err(Refusal::Overflow) };
            }
            Operation::Constant(value) => {
                (self.place, self.bounds) = (Place::Constant(value), Interval::point(value));
                return if step.within.contains(value) { Ok(()) } else { Err(Refusal::Overflow) };
            }
            Operation::Add(left, right)
            | Operation::Subtract(left, right)
            | Operation::Multiply(left, right) => (left, right),
        };
        let (left, left_bounds) = operand(earlier, left, block)?;
        let (right, right_bounds) = operand(earlier, right, block)?;
        let bounds = match step.operation {
            Operation::Add(..) => left_bounds.plus(&right_bounds),
            Operation::Subtract(..) => left_bounds.minus(&right_bounds),
            _ => left_bounds.times(&right_bounds),
        };
        let proven = bounds.filter(|bounds| step.within.covers(bounds));
        if let (Operand::Constant(_), Operand::Constant(_)) = (left, right) {
            // The bounds of a point are exact.
            self.bounds = proven.ok_or(Refusal::Overflow)?;
            self.place = Place::Constant(self.bounds.low);
            return Ok(());
        }
        let sides = (Side::of(left), Side::of(right));
        if let (Some(bounds), (Some(left), Some(right))) = (proven.filter(Interval::is_narrow), sides) {
            self.narrow.clear();
            let small = Interval::new(0, i128::from(u32::MAX));
            match step.operation {
                Operation::Add(..) => narrow(left, right, i64::wrapping_add, &mut self.narrow),
                Operation::Subtract(..) => narrow(left, right, i64::wrapping_sub, &mut self.narrow),
                // Of two halves the vector units of every machine can take products.
                _ if small.covers(&left_bounds) && small.covers(&right_bounds) => {
                    narrow(left, right, product_of_halves, &mut self.narrow);
                }
                _ => narrow(left, right, i64::wrapping_mul, &mut self.narrow),
            }
            (self.place, self.bounds) = (Place::Narrow, bounds);
            return Ok(());
        }
        self.bounds = match step.operation {
            Operation::Add(..) => self.checked(left, right, block.rows, step, i128::checked_add)?,
            Operation::Subtract(..) => self.checked(left, right, block.rows, step, i128::checked_sub)?,
            _ => self.checked(left, right, block.rows, step, i128::checked_mul)?,
        };
        self.place = Place::Wide;
        Ok(())
    }

    /// Computes in 128 bits, checks every result, and gives the bounds that were found.
    fn checked(
        &mut self,
        left: Operand<'_>,
        right: Operand<'_>,
        rows: usize,
        step: &Step,
        operation: impl Fn(i128, i128) -> Option<i128>,
    ) -> Result<Interval, Refusal> {
        self.wide.clear();
        self.wide.reserve(rows);
        let mut found: Option<Interval> = None;
        for row in 0..rows {
            let (left, right) = (left.at(row)?, right.at(row)?);
            let result = operation(left, right).filter(|result| step.within.contains(*result));
            let result = result.ok_or(Refusal::Overflow)?;
            let bounds = found.get_or_insert(Interval::point(result));
            *bounds = Interval::new(bounds.low.min(result), bounds.high.max(result));
            self.wide.push(result);
        }
        Ok(found.unwrap_or(Interval::point(0)))
    }
}

impl Operand<'_> {
    /// The result in a row.
    pub(super) fn at(&self, row: usize) -> Result<i128, Refusal> {
        match self {
            Self::Narrow(values) => values.get(row).map(|value| i128::from(*value)),
            Self::Wide(values) => values.get(row).copied(),
            Self::Constant(value) => Some(*value),
        }
        .ok_or(Refusal::Malformed)
    }
}

/// An operand of 64 bits.
#[derive(Clone, Copy)]
enum Side<'a> {
    Each(&'a [i64]),
    One(i64),
}

impl<'a> Side<'a> {
    fn of(operand: Operand<'a>) -> Option<Self> {
        match operand {
            Operand::Narrow(values) => Some(Self::Each(values)),
            Operand::Wide(_) => None,
            Operand::Constant(value) => i64::try_from(value).ok().map(Self::One),
        }
    }
}

/// One operation, row by row; of two constants nothing is left to compute.
fn narrow(left: Side<'_>, right: Side<'_>, operation: impl Fn(i64, i64) -> i64, out: &mut Vec<i64>) {
    match (left, right) {
        (Side::Each(left), Side::Each(right)) => {
            out.extend(left.iter().zip(right).map(|(left, right)| operation(*left, *right)));
        }
        (Side::Each(left), Side::One(right)) => {
            out.extend(left.iter().map(|left| operation(*left, right)));
        }
        (Side::One(left), Side::Each(right)) => {
            out.extend(right.iter().map(|right| operation(left, *right)));
        }
        (Side::One(_), Side::One(_)) => {}
    }
}

/// The product of two numbers from 0 to 2^32 - 1, if it is less than 2^63.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_possible_wrap,
    reason = "the caller has shown that both numbers are halves and the product a whole"
)]
fn product_of_halves(left: i64, right: i64) -> i64 {
    (u64::from(left as u32) * u64::from(right as u32)) as i64
}
