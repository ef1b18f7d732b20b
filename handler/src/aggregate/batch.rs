//! [`PartialStates`]: adds record batches of a scan up, and gives the states of the groups.

use datafusion::arrow::array::{Array, ArrayRef, RecordBatch, RecordBatchOptions};
use datafusion::arrow::datatypes::DataType;

use super::groups::GroupTable;
use super::kernel::{Block, Column, GroupIds, Operation, Refusal, Tally};
use super::numbers::Numbers;
use super::spec::AggregateSpec;
use super::stored::{Asked, StoredBuffers};
use super::summaries;
use super::texts::TextTally;
use crate::error::{HandlerError, Result};

/// What has been added up of one partition.
#[derive(Debug)]
pub(super) struct PartialStates {
    pub(super) spec: AggregateSpec,
    /// Output columns of the scan that arithmetic reads.
    numbers: Vec<usize>,
    /// What is asked of each output column of the scan, but which group its rows are in.
    pub(super) asked: Vec<Asked>,
    pub(super) groups: GroupTable,
    pub(super) tally: Tally,
    pub(super) stored: StoredBuffers,
    pub(super) texts: TextTally,
    /// Whether summaries of segments may tell all that is asked.
    pub(super) told: bool,
    /// The group of every row of a batch.
    rows: Vec<u32>,
}

impl PartialStates {
    /// Nothing added up yet. `input` are the types of the scan's output.
    pub(super) fn new(spec: &AggregateSpec, input: &[DataType]) -> Result<Self> {
        let misfit = || HandlerError::internal("an aggregate groups by a column that the scan does not give");
        let types = spec.groups.iter().map(|column| input.get(*column).cloned().ok_or_else(misfit));
        let read = spec.measures.program.steps().iter().filter_map(|step| match step.operation {
            Operation::Column(column) => Some(column),
            _ => None,
        });
        let numbers: Vec<usize> = read.collect();
        let present: Vec<usize> = spec.measures.presences.iter().flatten().copied().collect();
        let asked = (0..input.len()).map(|column| match column {
            column if numbers.contains(&column) => Asked::Numbers,
            column if present.contains(&column) => Asked::Presence,
            _ => Asked::Nothing,
        });
        let mut states = Self {
            groups: GroupTable::new(types.collect::<Result<Vec<_>>>()?),
            asked: asked.collect(),
            stored: StoredBuffers::default(),
            told: summaries::may_tell(spec),
            numbers,
            tally: Tally::new(spec.measures.clone()),
            texts: TextTally::new(&spec.texts),
            spec: spec.clone(),
            rows: Vec::new(),
        };
        states.tally.reserve_groups(states.groups.len());
        Ok(states)
    }

    /// Adds the rows of a batch. The inner error: nothing of the batch counts, and if the refusal is not
    /// [`Refusal::Groups`], nothing of what came before it either.
    pub(super) fn add(&mut self, batch: &RecordBatch) -> Result<std::result::Result<(), Refusal>> {
        let mut rows = std::mem::take(&mut self.rows);
        let done = self.add_rows(batch, &mut rows);
        self.rows = rows;
        done
    }

    fn add_rows(
        &mut self,
        batch: &RecordBatch,
        rows: &mut Vec<u32>,
    ) -> Result<std::result::Result<(), Refusal>> {
        let misfit = || HandlerError::internal("an aggregate reads a column that the scan does not give");
        let keys = self.spec.groups.iter().map(|column| batch.columns().get(*column).cloned());
        let keys = keys.collect::<Option<Vec<ArrayRef>>>().ok_or_else(misfit)?;
        let mut numbers: Vec<Option<Numbers>> = vec![None; batch.num_columns()];
        for column in &self.numbers {
            let array = batch.columns().get(*column).ok_or_else(misfit)?;
            let read = match Numbers::read(array)? {
                Ok(read) => read,
                Err(refusal) => return Ok(Err(refusal)),
            };
            *numbers.get_mut(*column).ok_or_else(misfit)? = Some(read);
        }
        if !keys.is_empty()
            && let Err(refusal) = self.groups.groups_of(&keys, rows)?
        {
            return Ok(Err(refusal));
        }
        self.tally.reserve_groups(self.groups.len());
        let present: Vec<Option<Vec<u8>>> = batch.columns().iter().map(presence).collect();
        let columns: Vec<Column<'_>> = numbers
            .iter()
            .zip(&present)
            .map(|(numbers, present)| match numbers {
                Some(numbers) => numbers.column(present.as_deref()),
                None => Column { present: present.as_deref(), ..Column::EMPTY },
            })
            .collect();
        let block = Block { rows: batch.num_rows(), columns: &columns, ids: GroupIds::One, groups: &[0] };
        let added = if keys.is_empty() {
            self.tally.add(&block)
        } else {
            let (ids, groups) = dense(rows, self.groups.len());
            self.tally.add(&Block { ids: GroupIds::Each(&ids), groups: &groups, ..block })
        };
        if let Err(refusal) = added {
            return Ok(Err(refusal));
        }
        self.texts.add(batch, (!keys.is_empty()).then_some(rows), self.groups.len())?;
        Ok(Ok(()))
    }

    /// The states of all groups that have rows; without columns to group by, of the one group.
    pub(super) fn finish(self) -> Result<RecordBatch> {
        let grouped = !self.spec.groups.is_empty();
        let has_rows = |group: &usize| !grouped || self.tally.count(super::spec::ROWS, *group) > 0;
        let groups: Vec<usize> = (0..self.groups.len()).filter(has_rows).collect();
        let mut columns = self.groups.arrays(&groups)?;
        for (state, field) in
            self.spec.states.iter().zip(self.spec.schema.fields().iter().skip(columns.len()))
        {
            columns.push(state.array(field.data_type(), grouped, &groups, &self.tally, &self.texts)?);
        }
        let options = RecordBatchOptions::new().with_row_count(Some(groups.len()));
        let schema = std::sync::Arc::clone(&self.spec.schema);
        Ok(RecordBatch::try_new_with_options(schema, columns, &options)?)
    }
}

/// Where an array has values; `None`: everywhere.
fn presence(array: &ArrayRef) -> Option<Vec<u8>> {
    let nulls = array.logical_nulls().filter(|nulls| nulls.null_count() > 0)?;
    Some(nulls.iter().map(u8::from).collect())
}

/// The groups of rows as numbers from zero, and which groups these are.
fn dense(rows: &[u32], groups: usize) -> (Vec<u16>, Vec<u32>) {
    let mut numbers: Vec<Option<u16>> = vec![None; groups];
    let mut met = Vec::new();
    let ids = rows.iter().map(|group| {
        let Some(number) = numbers.get_mut(*group as usize) else { return u16::MAX };
        *number.get_or_insert_with(|| {
            met.push(*group);
            u16::try_from(met.len() - 1).unwrap_or(u16::MAX)
        })
    });
    (ids.collect(), met)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_of_a_block_are_numbered_from_zero() {
        assert_eq!(dense(&[7, 2, 7, 9, 2], 10), (vec![0, 1, 0, 2, 1], vec![7, 2, 9]));
        assert_eq!(dense(&[], 0), (vec![], vec![]));
    }
}
