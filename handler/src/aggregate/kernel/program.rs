//! [`Program`]: exact whole-number arithmetic over columns.
//!
//! Decimals are whole numbers with a scale; the scale is known when a query is planned, so that here only whole numbers
//! are left. Every step carries the numbers for which DataFusion's answer is the mathematical one; past them its answer
//! is an error, or wraps, and whoever evaluates a step has to stop.

use super::interval::Interval;

/// What a step computes; operands are positions of earlier steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Operation {
    /// The values of a column of the block.
    Column(usize),
    /// One number.
    Constant(i128),
    /// Left plus right.
    Add(usize, usize),
    /// Left minus right.
    Subtract(usize, usize),
    /// Left times right.
    Multiply(usize, usize),
}

/// One step of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Step {
    /// What is computed.
    pub operation: Operation,
    /// The results for which the mathematical answer is the right one.
    pub within: Interval,
}

/// Steps in an order in which every one finds its operands. Equal steps are one.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Program(Vec<Step>);

impl Program {
    /// A program without steps.
    pub fn new() -> Self {
        Self::default()
    }

    /// The position of a step, which is added if it is not there. Operands that are no earlier steps are the caller's
    /// mistake; evaluating such a step is refused.
    pub fn step(&mut self, operation: Operation, within: Interval) -> usize {
        let step = Step { operation, within };
        match self.0.iter().position(|known| *known == step) {
            Some(known) => known,
            None => {
                self.0.push(step);
                self.0.len() - 1
            }
        }
    }

    /// The steps in order.
    pub fn steps(&self) -> &[Step] {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_steps_are_one() {
        let mut program = Program::new();
        let a = program.step(Operation::Column(3), Interval::ALL);
        let b = program.step(Operation::Constant(1), Interval::ALL);
        let c = program.step(Operation::Subtract(b, a), Interval::ALL);
        assert_eq!(program.step(Operation::Subtract(b, a), Interval::ALL), c);
        assert_ne!(program.step(Operation::Subtract(b, a), Interval::NARROW), c);
        assert_ne!(program.step(Operation::Subtract(a, b), Interval::ALL), c);
        assert_eq!(program.steps().len(), 5);
    }
}
