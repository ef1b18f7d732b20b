//! [`Tally`]: counts, sums, least and greatest values by group.

use super::block::{Block, GroupIds};
use super::evaluate::{Operand, Refusal, Registers};
use super::interval::Interval;
use super::program::Program;
use super::scatter;

/// Whole numbers up to this size are exact in floating point.
const EXACT_IN_FLOAT: u128 = 1 << 53;

/// A sum of a step's results over the rows in which columns have values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sum {
    /// The step of the program.
    pub step: usize,
    /// Which rows: a position in [`Measures::presences`].
    pub presence: usize,
    /// Whether DataFusion adds these numbers up in floating point. Then the sum is refused before rounding could begin.
    pub in_float: bool,
}

/// The least or greatest of a step's results over the rows in which columns have values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Extreme {
    /// The step of the program.
    pub step: usize,
    /// Which rows: a position in [`Measures::presences`].
    pub presence: usize,
    /// Whether the greatest is asked for.
    pub greatest: bool,
}

/// What is added up by group.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Measures {
    /// The arithmetic.
    pub program: Program,
    /// Sets of columns: rows are counted in which all columns of a set have a value. All rows for the empty set.
    pub presences: Vec<Vec<usize>>,
    /// The sums.
    pub sums: Vec<Sum>,
    /// The least and greatest values.
    pub extremes: Vec<Extreme>,
}

/// Adds up blocks of rows.
#[derive(Debug)]
pub struct Tally {
    measures: Measures,
    registers: Registers,
    groups: usize,
    counts: Vec<Vec<u64>>,
    sums: Vec<Vec<i128>>,
    /// What the sums could have come to, each number without its sign.
    magnitudes: Vec<u128>,
    extremes: Vec<Vec<i128>>,
    scratch: Scratch,
}

/// What is kept from block to block for its memory alone.
#[derive(Debug, Default)]
struct Scratch {
    /// Group ids by presence, where some row has no value.
    narrowed: Vec<Vec<u16>>,
    /// Rows by presence and group of the block.
    rows: Vec<Vec<i64>>,
    /// Results by group of the block.
    parts: Vec<i64>,
}

impl Tally {
    /// An empty tally.
    pub fn new(measures: Measures) -> Self {
        let (presences, sums, extremes) =
            (measures.presences.len(), measures.sums.len(), measures.extremes.len());
        Self {
            measures,
            registers: Registers::default(),
            groups: 0,
            counts: vec![Vec::new(); presences],
            sums: vec![Vec::new(); sums],
            magnitudes: vec![0; sums],
            extremes: vec![Vec::new(); extremes],
            scratch: Scratch {
                narrowed: vec![Vec::new(); presences],
                rows: vec![Vec::new(); presences],
                parts: Vec::new(),
            },
        }
    }

    /// Makes room for groups below `groups`; those that are new are empty.
    pub fn reserve_groups(&mut self, groups: usize) {
        if groups <= self.groups {
            return;
        }
        self.groups = groups;
        self.counts.iter_mut().for_each(|counts| counts.resize(groups, 0));
        self.sums.iter_mut().for_each(|sums| sums.resize(groups, 0));
        for (extreme, values) in self.measures.extremes.iter().zip(&mut self.extremes) {
            values.resize(groups, if extreme.greatest { i128::MIN } else { i128::MAX });
        }
    }

    /// How many groups there are.
    pub fn groups(&self) -> usize {
        self.groups
    }

    /// Rows of a group that a presence counts.
    pub fn count(&self, presence: usize, group: usize) -> u64 {
        self.counts.get(presence).and_then(|counts| counts.get(group)).copied().unwrap_or(0)
    }

    /// A sum of a group; `None` without rows.
    pub fn sum(&self, sum: usize, group: usize) -> Option<i128> {
        let presence = self.measures.sums.get(sum)?.presence;
        let value = self.sums.get(sum)?.get(group)?;
        (self.count(presence, group) > 0).then_some(*value)
    }

    /// A least or greatest value of a group; `None` without rows.
    pub fn extreme(&self, extreme: usize, group: usize) -> Option<i128> {
        let presence = self.measures.extremes.get(extreme)?.presence;
        let value = self.extremes.get(extreme)?.get(group)?;
        (self.count(presence, group) > 0).then_some(*value)
    }

    /// Adds a block. After a refusal the tally is of no use.
    pub fn add(&mut self, block: &Block<'_>) -> Result<(), Refusal> {
        if block.rows == 0 {
            return Ok(());
        }
        self.registers.evaluate(&self.measures.program, block)?;
        let ids = match block.ids {
            GroupIds::One => None,
            GroupIds::Each(ids) if ids.len() == block.rows => Some(ids),
            GroupIds::Each(_) => return Err(Refusal::Malformed),
        };
        if ids.is_none() && block.groups.len() != 1 {
            return Err(Refusal::Malformed);
        }
        let mut scratch = std::mem::take(&mut self.scratch);
        let done = self.add_counted(block, ids, &mut scratch);
        self.scratch = scratch;
        done
    }

    /// Adds rows of the first group of which all is known already: how many each presence counts, and the least or
    /// greatest value by extreme. `None`, and nothing added, if there is no group, sums are asked for, or these are not
    /// as many numbers as are asked for.
    pub fn add_told(&mut self, rows: &[u64], extremes: &[Option<i128>]) -> Option<()> {
        let asked = &self.measures;
        if self.groups == 0
            || !asked.sums.is_empty()
            || (rows.len(), extremes.len()) != (asked.presences.len(), asked.extremes.len())
        {
            return None;
        }
        for (total, rows) in self.counts.iter_mut().filter_map(|counts| counts.first_mut()).zip(rows) {
            *total = total.saturating_add(*rows);
        }
        let known = self.extremes.iter_mut().filter_map(|values| values.first_mut());
        for ((known, extreme), value) in known.zip(&asked.extremes).zip(extremes) {
            if let Some(value) = value {
                *known = if extreme.greatest { *value.max(known) } else { *value.min(known) };
            }
        }
        Some(())
    }

    fn add_counted(
        &mut self,
        block: &Block<'_>,
        ids: Option<&[u16]>,
        scratch: &mut Scratch,
    ) -> Result<(), Refusal> {
        let Scratch { narrowed, rows, parts } = scratch;
        let mut counted: Vec<Counted<'_>> = Vec::with_capacity(self.measures.presences.len());
        for ((columns, narrowed), rows) in self.measures.presences.iter().zip(narrowed).zip(rows) {
            let ids =
                if narrow_ids(columns, block, ids, narrowed)? { Some(narrowed.as_slice()) } else { ids };
            match ids {
                None => {
                    rows.clear();
                    rows.push(i64::try_from(block.rows).map_err(|_| Refusal::Malformed)?);
                }
                // Most presences are every row's.
                Some(ids) => match counted.iter().find(|known| known.is(ids)) {
                    Some(known) => rows.clone_from(known.rows),
                    None => scatter::counts(ids, block.groups.len(), rows),
                },
            }
            counted.push(Counted { ids, rows });
        }
        for (counts, counted) in self.counts.iter_mut().zip(&counted) {
            for (group, rows) in block.groups.iter().zip(counted.rows) {
                let total = counts.get_mut(*group as usize).ok_or(Refusal::Malformed)?;
                *total = total.saturating_add(u64::try_from(*rows).map_err(|_| Refusal::Malformed)?);
            }
        }
        for ((sum, sums), magnitude) in
            self.measures.sums.iter().zip(&mut self.sums).zip(&mut self.magnitudes)
        {
            let counted = counted.get(sum.presence).ok_or(Refusal::Malformed)?;
            let (operand, bounds) = self.registers.get(sum.step, block)?;
            let reach = bounds.magnitude().saturating_mul(block.rows as u128);
            *magnitude = magnitude.saturating_add(reach);
            if sum.in_float && *magnitude > EXACT_IN_FLOAT {
                return Err(Refusal::Inexact);
            }
            counted.add(operand, reach, block, parts, sums)?;
        }
        for (extreme, values) in self.measures.extremes.iter().zip(&mut self.extremes) {
            let counted = counted.get(extreme.presence).ok_or(Refusal::Malformed)?;
            let (operand, _) = self.registers.get(extreme.step, block)?;
            counted.compare(operand, extreme.greatest, block, parts, values)?;
        }
        Ok(())
    }
}

/// Puts the ids of the rows in which all columns have a value into `out`; says whether some row has none.
fn narrow_ids(
    columns: &[usize],
    block: &Block<'_>,
    ids: Option<&[u16]>,
    out: &mut Vec<u16>,
) -> Result<bool, Refusal> {
    let apart = u16::try_from(block.groups.len()).map_err(|_| Refusal::Groups)?;
    let mut narrowed = false;
    for column in columns {
        let Some(present) = block.columns.get(*column).ok_or(Refusal::Malformed)?.present else { continue };
        if present.len() != block.rows {
            return Err(Refusal::Malformed);
        }
        if !narrowed {
            out.clear();
            match ids {
                Some(ids) => out.extend_from_slice(ids),
                None => out.resize(block.rows, 0),
            }
            narrowed = true;
        }
        for (id, present) in out.iter_mut().zip(present) {
            *id = if *present == 0 { apart } else { *id };
        }
    }
    Ok(narrowed)
}

/// The rows that a presence counts in a block; no ids: all of them, in the one group.
struct Counted<'a> {
    ids: Option<&'a [u16]>,
    /// How many, by group of the block.
    rows: &'a Vec<i64>,
}

impl Counted<'_> {
    fn is(&self, ids: &[u16]) -> bool {
        self.ids.is_some_and(|known| std::ptr::eq(known, ids))
    }

    /// Adds a step's results to the groups' sums. `reach` is as far from zero as the sum of the whole block can be.
    fn add(
        &self,
        operand: Operand<'_>,
        reach: u128,
        block: &Block<'_>,
        parts: &mut Vec<i64>,
        sums: &mut [i128],
    ) -> Result<(), Refusal> {
        let mut at = |group: usize, part: i128| {
            let group = block.groups.get(group).ok_or(Refusal::Malformed)?;
            let sum = sums.get_mut(*group as usize).ok_or(Refusal::Malformed)?;
            *sum = sum.checked_add(part).ok_or(Refusal::Overflow)?;
            Ok(())
        };
        let short = reach <= Interval::NARROW.high.unsigned_abs();
        match (operand, self.ids) {
            (Operand::Constant(value), _) => {
                let parts = self.rows.iter().map(|rows| value.checked_mul(i128::from(*rows)));
                parts.enumerate().try_for_each(|(group, part)| at(group, part.ok_or(Refusal::Overflow)?))
            }
            (Operand::Narrow(values), None) if short => {
                at(0, i128::from(values.iter().fold(0_i64, |sum, value| sum.wrapping_add(*value))))
            }
            (Operand::Narrow(values), Some(ids)) if short => {
                scatter::sums(ids, values, block.groups.len(), parts);
                parts.iter().enumerate().try_for_each(|(group, part)| at(group, i128::from(*part)))
            }
            (operand, _) => self.each(operand, block, at),
        }
    }

    /// Compares a step's results with the groups' least or greatest values.
    fn compare(
        &self,
        operand: Operand<'_>,
        greatest: bool,
        block: &Block<'_>,
        parts: &mut Vec<i64>,
        values: &mut [i128],
    ) -> Result<(), Refusal> {
        let mut at = |group: usize, value: i128| {
            let group = block.groups.get(group).ok_or(Refusal::Malformed)?;
            let known = values.get_mut(*group as usize).ok_or(Refusal::Malformed)?;
            *known = if greatest { value.max(*known) } else { value.min(*known) };
            Ok(())
        };
        match (operand, self.ids) {
            (Operand::Narrow(numbers), None) => {
                let best = if greatest { numbers.iter().max() } else { numbers.iter().min() };
                best.map_or(Ok(()), |best| at(0, i128::from(*best)))
            }
            (Operand::Narrow(numbers), Some(ids)) => {
                let by_group = if greatest { scatter::greatest } else { scatter::least };
                by_group(ids, numbers, block.groups.len(), parts);
                let found = parts.iter().zip(self.rows).enumerate();
                found
                    .filter(|(_, (_, rows))| **rows > 0)
                    .try_for_each(|(group, (value, _))| at(group, i128::from(*value)))
            }
            (operand, _) => self.each(operand, block, at),
        }
    }

    /// Visits every counted row's group in the block, and result.
    fn each(
        &self,
        operand: Operand<'_>,
        block: &Block<'_>,
        mut visit: impl FnMut(usize, i128) -> Result<(), Refusal>,
    ) -> Result<(), Refusal> {
        for row in 0..block.rows {
            let group = match self.ids {
                Some(ids) => usize::from(*ids.get(row).ok_or(Refusal::Malformed)?),
                None => 0,
            };
            if group < block.groups.len() {
                visit(group, operand.at(row)?)?;
            }
        }
        Ok(())
    }
}
