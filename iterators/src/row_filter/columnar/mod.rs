//! The row filter over columns: the same predicate, asked for many rows at a time.
//!
//! A store that keeps values column by column can decide `column < 5` for a whole block without decoding a value, by
//! the byte ranges of the values that satisfy it. [`ColumnarFilter`] is compiled from the [`RowFilterSpec`] that a
//! [`RowFilter`](super::RowFilter) is compiled from and gives the same answers. Its tests, the [`LeafTest`]s, are
//! decided by the store, each by the cheapest means its data allow:
//!
//! * one answer for the block, from what is known of it ([`LeafTest::outcomes`], [`Outcomes::certain`]);
//! * byte ranges ([`LeafTest::accepted`]), then [`LeafTest::settle`] for NULL;
//! * value by value, or entry by entry of a dictionary ([`LeafTest::on_value`]).
//!
//! The filter combines them by three-valued logic on [`TruthMask`]s, or on [`Outcomes`] to pass over a block unread.
//!
//! **Bad values.** All of this speaks of *clean* rows: those in which each operand of the filter (also one that no test
//! uses) is absent or a good value. [`ColumnarOperand::clean_when`] says what makes a block clean; what is not is for the
//! [`RowFilter`](super::RowFilter), which carries out [`OnBadValue`](super::OnBadValue) and names column and row.

mod clean;
mod gather;
mod leaf;
mod mask;
mod operand;
mod outcomes;
mod steps;
mod summary;
mod value_sets;

use std::sync::Arc;

use super::RowFilterSpec;
use crate::Result;

pub use self::clean::CleanWhen;
pub use self::leaf::{LeafScratch, LeafTest};
pub use self::mask::TruthMask;
pub use self::operand::ColumnarOperand;
pub use self::outcomes::Outcomes;
pub use self::summary::ValueSummary;

use self::steps::{Buffers, Plan};

/// A compiled filter for blocks of rows.
///
/// Cloning is cheap: copies share the program and have their own buffers, one for each thread.
///
/// ```
/// use ostracon_compare::{CompareOp, Encoding, PrimitiveType, Scalar};
/// use ostracon_iterators::{
///     ColumnarFilter, OnBadValue, Operand, OperandSource, Outcomes, RowFilterSpec, RowPredicate,
/// };
///
/// let age = Operand {
///     name: "age".into(),
///     source: OperandSource::Cell { family: b"person".to_vec(), qualifier: b"age".to_vec() },
///     ty: PrimitiveType::UInt8,
///     encoding: Encoding::Native,
///     null_sequence: None,
/// };
/// let over_forty = RowPredicate::Compare { operand: 0, op: CompareOp::GreaterThan, constant: Scalar::UInt(40) };
/// let spec =
///     RowFilterSpec { operands: vec![age], predicate: over_forty, on_bad_value: OnBadValue::Error };
/// let mut filter = ColumnarFilter::compile(&spec)?;
///
/// // Three rows, the last of which has no age.
/// let (ages, present) = ([41_u8, 40, 0], [1, 1, 0]);
/// let matches = filter.evaluate(3, |leaf, _wanted, mask| {
///     let accepted = leaf.accepted().ok_or("no ranges")?;
///     for (truth, age) in mask.truth_mut().iter_mut().zip(ages) {
///         *truth = accepted.contains(&[age]).into();
///     }
///     leaf.settle(Some(&present), mask);
///     Ok::<(), &str>(())
/// });
/// assert_eq!(matches, Ok(&[1, 0, 0][..]));
///
/// assert!(!filter.could_match(|_leaf| Outcomes::FALSE | Outcomes::NULL));
/// # Ok::<(), ostracon_iterators::Error>(())
/// ```
#[derive(Debug)]
pub struct ColumnarFilter {
    plan: Arc<Plan>,
    buffers: Buffers,
}

impl Clone for ColumnarFilter {
    fn clone(&self) -> Self {
        Self { plan: Arc::clone(&self.plan), buffers: Buffers::default() }
    }
}

impl ColumnarFilter {
    /// Compiles a filter; fails where [`RowFilter::compile`](super::RowFilter::compile) does.
    pub fn compile(spec: &RowFilterSpec) -> Result<Self> {
        let plan = Arc::new(Plan::new(spec)?);
        Ok(Self { plan, buffers: Buffers::default() })
    }

    /// The operands of the description, in its order.
    pub fn operands(&self) -> &[Arc<ColumnarOperand>] {
        &self.plan.operands
    }

    /// The tests, in the order in which they are asked for: that of the predicate, but that what an AND or OR says of one
    /// operand is one test where possible, and that tests without ranges come behind the others of their AND or OR.
    pub fn leaves(&self) -> &[LeafTest] {
        &self.plan.leaves
    }

    /// Asks `leaf` for each test's answers in a block of clean rows, and gives 1 for each row that matches, else 0.
    ///
    /// `leaf` gets a mask of FALSE. Its second argument is 1 for the rows whose answer still matters, `None` is all rows;
    /// the others may be left as they are. A test is not asked for when it matters for no row: an AND ends once nothing
    /// can be TRUE any more. The first error ends the evaluation.
    pub fn evaluate<E>(
        &mut self,
        rows: usize,
        leaf: impl FnMut(&LeafTest, Option<&[u8]>, &mut TruthMask) -> Result<(), E>,
    ) -> Result<&[u8], E> {
        self.plan.evaluate(rows, &mut self.buffers, leaf)
    }

    /// Whether any row of a block of clean rows could match, from what each test could answer.
    pub fn could_match(&self, leaf: impl FnMut(&LeafTest) -> Outcomes) -> bool {
        self.outcomes(leaf).can_be(Some(true))
    }

    /// Whether every row of a block of clean rows matches for certain, from what each test could answer.
    pub fn always_matches(&self, leaf: impl FnMut(&LeafTest) -> Outcomes) -> bool {
        let outcomes = self.outcomes(leaf);
        !outcomes.can_be(Some(false)) && !outcomes.can_be(None)
    }

    /// What the predicate could answer for any row of a block of clean rows, from what each test could answer.
    pub fn outcomes(&self, leaf: impl FnMut(&LeafTest) -> Outcomes) -> Outcomes {
        self.plan.outcomes(leaf)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{OnBadValue, Operand, OperandSource, RowPredicate};
    use ostracon_compare::{Encoding, PrimitiveType};

    #[test]
    fn buffers_grow_with_the_first_blocks_and_then_stay() {
        let operand = |name: &str| Operand {
            name: name.to_owned(),
            source: OperandSource::Cell { family: b"f".to_vec(), qualifier: name.into() },
            ty: PrimitiveType::Int64,
            encoding: Encoding::Native,
            null_sequence: None,
        };
        let null = |operand| RowPredicate::IsNull { operand };
        let either = |left, right| RowPredicate::Or(vec![null(left), null(right)]);
        let spec = RowFilterSpec {
            operands: ["a", "b", "c", "d"].map(operand).to_vec(),
            predicate: RowPredicate::And(vec![either(0, 1), !either(2, 3)]),
            on_bad_value: OnBadValue::Error,
        };
        let mut filter = ColumnarFilter::compile(&spec).unwrap();
        let mut memory = Vec::new();
        for block in 0..20 {
            let rows = if block % 3 == 0 { 1000 } else { 1000 - block };
            let mut test = 0;
            let matches = filter.evaluate(rows, |_, wanted, mask| {
                assert!(wanted.is_none_or(|wanted| wanted.len() == rows));
                // Nothing is decided for all rows, so that every buffer is needed.
                mask.masks_mut().0.iter_mut().skip(test * rows / 5).take(rows / 2).for_each(|row| *row = 1);
                test += 1;
                if block % 4 == 1 && test == 4 { Err("no") } else { Ok(()) }
            });
            assert!(matches.is_ok_and(|matches| matches.len() == rows) || block % 4 == 1);
            assert_eq!(test, 4);
            let mut held = filter.buffers.memory();
            held.sort_unstable();
            memory.push(held);
        }
        // Masks change their places, so it takes some blocks until each has had the greatest size.
        memory.drain(..10);
        memory.dedup();
        assert_eq!(memory.len(), 1, "{memory:?}");
    }
}
