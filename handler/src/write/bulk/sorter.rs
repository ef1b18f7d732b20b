//! [`Sorter`]: rows in the order of their ids, however many they are.
//!
//! Rows are gathered up to a bound of memory, sorted, and put into a temporary file; at the end the files are merged. Of
//! rows with one id the last one is kept, or there is an error.

use std::fs::File;
use std::path::PathBuf;
use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef, AsArray, BinaryArray, RecordBatch};
use datafusion::arrow::compute::interleave_record_batch;
use datafusion::arrow::datatypes::{DataType, Field, Schema, SchemaRef};

use super::key::RowIds;
use super::merge::Merge;
use super::spill::{SpillReader, SpillWriter};
use crate::error::{HandlerError, Result};

/// What becomes of rows with one id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SameId {
    /// The last one stays.
    KeepLast,
    /// There is an error.
    Refuse,
}

/// Rows of a sorted batch, and their bytes, at most.
const BATCH_ROWS: usize = 4096;
const BATCH_BYTES: usize = 1 << 20;

/// So many files of one size become one, so that no merge has many more at once.
const FAN_IN: usize = 16;

/// Sorts rows by their ids.
#[derive(Debug)]
pub(super) struct Sorter {
    /// The rows' columns, and their ids behind them.
    schema: SchemaRef,
    same_id: SameId,
    memory: usize,
    folder: Option<PathBuf>,
    chunk: Vec<RecordBatch>,
    chunk_bytes: usize,
    /// In the order of the rows' coming, each with how many merges it has been through; never rising.
    spilled: Vec<(u32, File)>,
}

/// Two rows have one id where that is refused: the row that comes second, as a batch of one row.
#[derive(Debug)]
pub(super) struct Duplicate(pub(super) RecordBatch);

/// Why there is no next batch.
#[derive(Debug)]
pub(super) enum SortFault {
    Duplicate(Duplicate),
    Failed(HandlerError),
}

impl<E: Into<HandlerError>> From<E> for SortFault {
    fn from(error: E) -> Self {
        Self::Failed(error.into())
    }
}

impl Sorter {
    /// A sorter of rows of `schema` that keeps about `memory` bytes in memory and files in `folder`, or where the system
    /// keeps temporary ones.
    pub(super) fn new(schema: &Schema, same_id: SameId, memory: usize, folder: Option<PathBuf>) -> Self {
        let id = Arc::new(Field::new("row id", DataType::Binary, false));
        let fields: Vec<_> = schema.fields().iter().cloned().chain([id]).collect();
        Self {
            schema: Arc::new(Schema::new(fields)),
            same_id,
            memory,
            folder,
            chunk: Vec::new(),
            chunk_bytes: 0,
            spilled: Vec::new(),
        }
    }

    /// Takes rows with their ids.
    pub(super) fn push(&mut self, batch: &RecordBatch, ids: &RowIds) -> std::result::Result<(), SortFault> {
        let ids: ArrayRef = Arc::new(ids.to_array()?);
        let columns: Vec<_> = batch.columns().iter().cloned().chain([ids]).collect();
        let batch = RecordBatch::try_new(Arc::clone(&self.schema), columns)?;
        self.chunk_bytes += bytes_of(&batch);
        self.chunk.push(batch);
        if self.chunk_bytes > self.memory {
            self.spill()?;
        }
        Ok(())
    }

    fn spill(&mut self) -> std::result::Result<(), SortFault> {
        let sorted = self.sorted_chunk();
        self.write(0, sorted)?;
        while let Some(level) = self.full_level() {
            let files = self.spilled.split_off(self.spilled.len() - FAN_IN);
            let merge = self.merge(files)?;
            self.write(level + 1, merge)?;
        }
        Ok(())
    }

    /// The level of the last files, if there are enough of it to be merged.
    fn full_level(&self) -> Option<u32> {
        let (last, _) = self.spilled.last()?;
        let same = self.spilled.iter().rev().take_while(|(level, _)| level == last).count();
        (same >= FAN_IN).then_some(*last)
    }

    fn write(
        &mut self,
        level: u32,
        batches: impl Iterator<Item = std::result::Result<RecordBatch, SortFault>>,
    ) -> std::result::Result<(), SortFault> {
        let mut writer = SpillWriter::new(&self.schema, self.folder.as_deref())?;
        for batch in batches {
            writer.write(&batch?)?;
        }
        self.spilled.push((level, writer.finish()?));
        Ok(())
    }

    fn merge(&self, files: Vec<(u32, File)>) -> std::result::Result<Merge<SpillReader>, SortFault> {
        let readers = files.into_iter().map(|(_, file)| SpillReader::new(file));
        Merge::new(readers.collect::<Result<_>>()?, self.same_id, BATCH_ROWS, BATCH_BYTES)
    }

    /// All rows in the order of their ids, without the ids.
    pub(super) fn finish(
        mut self,
    ) -> std::result::Result<
        Box<dyn Iterator<Item = std::result::Result<RecordBatch, SortFault>> + Send>,
        SortFault,
    > {
        let width = self.schema.fields().len() - 1;
        let without_ids = move |batch: std::result::Result<RecordBatch, SortFault>| {
            let columns: Vec<usize> = (0..width).collect();
            Ok(batch?.project(&columns)?)
        };
        if self.spilled.is_empty() {
            return Ok(Box::new(self.sorted_chunk().map(without_ids)));
        }
        if !self.chunk.is_empty() {
            self.spill()?;
        }
        let files = std::mem::take(&mut self.spilled);
        Ok(Box::new(self.merge(files)?.map(without_ids)))
    }

    /// The rows in memory, sorted; none are left there.
    fn sorted_chunk(
        &mut self,
    ) -> impl Iterator<Item = std::result::Result<RecordBatch, SortFault>> + Send + use<> {
        let batches = std::mem::take(&mut self.chunk);
        let bytes_per_row =
            self.chunk_bytes / batches.iter().map(RecordBatch::num_rows).sum::<usize>().max(1);
        self.chunk_bytes = 0;
        let rows_at_once = (BATCH_BYTES / bytes_per_row.max(1)).clamp(1, BATCH_ROWS);
        let places = sorted_places(&batches, self.same_id);
        let mut next = 0;
        std::iter::from_fn(move || {
            let places = match &places {
                Ok(places) => places,
                Err((batch, row)) if next == 0 => {
                    next = 1;
                    return Some(Err(duplicate(batches.get(*batch), *row)));
                }
                Err(_) => return None,
            };
            let part = places.get(next..)?;
            let part = part.get(..rows_at_once).unwrap_or(part);
            next += part.len();
            let batches: Vec<&RecordBatch> = batches.iter().collect();
            (!part.is_empty()).then(|| Ok(interleave_record_batch(&batches, part)?))
        })
    }
}

/// The error that names a row.
pub(super) fn duplicate(batch: Option<&RecordBatch>, row: usize) -> SortFault {
    match batch {
        Some(batch) if row < batch.num_rows() => SortFault::Duplicate(Duplicate(batch.slice(row, 1))),
        _ => SortFault::Failed(HandlerError::internal("a row that comes twice is nowhere")),
    }
}

/// Bytes of a batch's rows. Its arrays may be parts of larger ones.
pub(super) fn bytes_of(batch: &RecordBatch) -> usize {
    let bytes = |array: &ArrayRef| array.to_data().get_slice_memory_size().unwrap_or_default();
    batch.columns().iter().map(bytes).sum()
}

/// The ids of a batch of sorted or sortable rows: its last column.
pub(super) fn ids_of(batch: &RecordBatch) -> Option<&BinaryArray> {
    batch.columns().last()?.as_binary_opt::<i32>()
}

/// Batch and row of all rows in the order of their ids, one for each id; or the second one of an id that comes twice.
fn sorted_places(
    batches: &[RecordBatch],
    same_id: SameId,
) -> std::result::Result<Vec<(usize, usize)>, (usize, usize)> {
    let ids: Vec<Option<&BinaryArray>> = batches.iter().map(ids_of).collect();
    let id = |batch: usize, row: usize| match ids.get(batch) {
        Some(Some(ids)) if row < ids.len() => ids.value(row),
        _ => &[],
    };
    // The first bytes of an id decide most comparisons.
    let mut keyed = Vec::with_capacity(batches.iter().map(RecordBatch::num_rows).sum());
    for (batch, rows) in batches.iter().enumerate() {
        keyed.extend((0..rows.num_rows()).map(|row| (prefix(id(batch, row)), batch, row)));
    }
    keyed.sort_unstable_by(|a, b| {
        let by_id = || id(a.1, a.2).cmp(id(b.1, b.2));
        a.0.cmp(&b.0).then_with(by_id).then_with(|| (a.1, a.2).cmp(&(b.1, b.2)))
    });
    let mut places: Vec<(usize, usize)> = Vec::with_capacity(keyed.len());
    let mut before = None;
    for (prefix, batch, row) in keyed {
        let same = before == Some(prefix)
            && places
                .last()
                .is_some_and(|(last_batch, last_row)| id(*last_batch, *last_row) == id(batch, row));
        before = Some(prefix);
        match (same, same_id) {
            (true, SameId::Refuse) => return Err((batch, row)),
            (true, SameId::KeepLast) => {
                places.pop();
            }
            (false, _) => {}
        }
        places.push((batch, row));
    }
    Ok(places)
}

fn prefix(id: &[u8]) -> u64 {
    match id.first_chunk::<8>() {
        Some(first) => u64::from_be_bytes(*first),
        None => {
            let mut bytes = [0; 8];
            bytes.iter_mut().zip(id).for_each(|(byte, from)| *byte = *from);
            u64::from_be_bytes(bytes)
        }
    }
}

#[cfg(test)]
mod tests;
