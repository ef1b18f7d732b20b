//! [`BulkInsert`]: an INSERT of many rows, as segments.
//!
//! The first batches wait; a statement that ends with them goes the way of all small statements. From then on rows become
//! columns of segments, without a mutation for any of them ([`SegmentRows`]). Rows come in the order of their ids, or
//! they are put into it ([`Sorter`]), in files where they are too many.
//!
//! Whether a segment can stand where it is, or its rows have to replace older ones, is the store's business
//! ([`Statement::write_segment`](ostracon_tablets::Statement::write_segment)).

mod cells;
mod key;
mod layout;
mod merge;
mod rows;
mod sorter;
mod spill;
mod words;
mod written;

use std::cmp::Ordering;
use std::path::Path;
use std::sync::Arc;

use datafusion::arrow::array::{BooleanArray, RecordBatch};
use datafusion::arrow::compute::filter_record_batch;
use ostracon_tablets::Version;

use self::key::RowIds;
pub(super) use self::layout::BulkLayout;
use self::rows::SegmentRows;
use self::sorter::{SameId, SortFault, Sorter};
use self::written::WrittenIds;
use super::ActiveWrite;
use super::insert::Insert;
use crate::error::{HandlerError, Result};

/// A statement with more bytes is a large one, however few its rows are.
const SMALL_BYTES: usize = 8 << 20;

/// An INSERT whose rows are all alike.
pub(super) struct BulkInsert {
    insert: Insert,
    /// A statement with more rows is a large one.
    small_rows: usize,
    state: State,
}

enum State {
    /// Few rows so far.
    Waiting {
        layout: Arc<BulkLayout>,
        batches: Vec<RecordBatch>,
        rows: usize,
        bytes: usize,
    },
    Loading(Box<Loading>),
}

/// Rows on their way into segments.
struct Loading {
    rows: SegmentRows,
    /// What `rows` may hold, as long as nothing has been written.
    unwritten: Vec<(RecordBatch, RowIds)>,
    /// Where no two rows may have one id: those that came in order.
    written: Option<WrittenIds>,
    /// Takes everything from the first row on that did not come in order.
    sorter: Option<Sorter>,
}

impl BulkInsert {
    pub(super) fn new(insert: Insert, layout: BulkLayout, small_rows: usize) -> Self {
        let layout = Arc::new(layout);
        let state = State::Waiting { layout, batches: Vec::new(), rows: 0, bytes: 0 };
        Self { insert, small_rows, state }
    }
}

impl ActiveWrite for BulkInsert {
    fn version(&self) -> Option<Arc<Version>> {
        self.insert.version()
    }

    fn write(&mut self, batch: &RecordBatch) -> Result<()> {
        let loading = match &mut self.state {
            State::Loading(loading) => return loading.take(&mut self.insert, batch),
            State::Waiting { layout, batches, rows, bytes } => {
                batches.push(batch.clone());
                *rows += batch.num_rows();
                *bytes += sorter::bytes_of(batch);
                if *rows <= self.small_rows && *bytes <= SMALL_BYTES {
                    return Ok(());
                }
                let rows = SegmentRows::new(Arc::clone(layout), self.insert.statement.segment_rows());
                let mut loading = Loading { rows, unwritten: Vec::new(), written: None, sorter: None };
                for batch in std::mem::take(batches) {
                    loading.take(&mut self.insert, &batch)?;
                }
                loading
            }
        };
        self.state = State::Loading(Box::new(loading));
        Ok(())
    }

    fn commit(self: Box<Self>) -> Result<u64> {
        let mut insert = self.insert;
        match self.state {
            State::Waiting { batches, .. } => batches.iter().try_for_each(|batch| insert.write(batch))?,
            State::Loading(loading) => loading.finish(&mut insert)?,
        }
        Box::new(insert).commit()
    }
}

impl Loading {
    fn take(&mut self, insert: &mut Insert, batch: &RecordBatch) -> Result<()> {
        if batch.num_rows() == 0 {
            return Ok(());
        }
        let extras = insert.extras(batch.num_rows())?;
        let (batch, ids) = self.rows.layout().take(&insert.encoder, batch, extras)?;
        insert.rows += batch.num_rows() as u64;
        if insert.must_be_new {
            refuse_existing(insert, &batch, &ids)?;
        }
        match &mut self.sorter {
            Some(sorter) => sorter.push(&batch, &ids).map_err(|fault| sort_error(insert, fault)),
            None => self.append(insert, batch, ids),
        }
    }

    /// Takes a batch whose rows may ascend.
    fn append(&mut self, insert: &mut Insert, batch: RecordBatch, ids: RowIds) -> Result<()> {
        let first = match self.rows.ids() {
            Some(before) => before.compare(before.len() - 1, &ids, 0),
            None => Ordering::Less,
        };
        let steps = (1..ids.len()).map(|row| ids.compare(row - 1, &ids, row));
        let mut replacing = Vec::new();
        for (row, order) in std::iter::once(first).chain(steps).enumerate() {
            match order {
                Ordering::Less => {}
                Ordering::Equal if insert.must_be_new => {
                    return Err(insert.exists(&batch, row, Insert::TWICE));
                }
                Ordering::Equal => replacing.push(row),
                Ordering::Greater => return self.start_sorting(insert, &batch, &ids),
            }
        }
        if replacing.first() == Some(&0) {
            self.rows.pop();
        }
        let (batch, ids) = match replacing.iter().any(|row| *row > 0) {
            true => without_replaced(&batch, &ids, &replacing)?,
            false => (batch, ids),
        };
        if insert.must_be_new && !self.rows.layout().makes_ids() {
            let written = match self.written.take() {
                Some(written) => written,
                None => WrittenIds::new(insert.target.store.folder())?,
            };
            self.written.insert(written).push(&ids)?;
        }
        self.rows.push(&batch, &ids, &mut insert.statement)?;
        match self.rows.has_written() {
            true => self.unwritten.clear(),
            false => self.unwritten.push((batch, ids)),
        }
        Ok(())
    }

    /// Lets everything from this batch on be sorted, and what has not been written yet too.
    fn start_sorting(&mut self, insert: &mut Insert, batch: &RecordBatch, ids: &RowIds) -> Result<()> {
        let same_id = if insert.must_be_new { SameId::Refuse } else { SameId::KeepLast };
        let (memory, folder) =
            (insert.statement.memory_limit(), insert.target.store.folder().map(Path::to_path_buf));
        let mut sorter = Sorter::new(&batch.schema(), same_id, memory, folder);
        match self.rows.has_written() {
            true => self.rows.flush(&mut insert.statement)?,
            false => {
                self.rows.clear();
                self.written = None;
            }
        }
        for (batch, ids) in self.unwritten.drain(..) {
            sorter.push(&batch, &ids).map_err(|fault| sort_error(insert, fault))?;
        }
        sorter.push(batch, ids).map_err(|fault| sort_error(insert, fault))?;
        self.sorter = Some(sorter);
        Ok(())
    }

    /// Writes all rows that are left.
    fn finish(mut self, insert: &mut Insert) -> Result<()> {
        if let Some(sorter) = self.sorter.take() {
            let mut known = self.written.take().map(WrittenIds::finish).transpose()?;
            for batch in sorter.finish().map_err(|fault| sort_error(insert, fault))? {
                let batch = batch.map_err(|fault| sort_error(insert, fault))?;
                let ids = self.rows.layout().ids(&insert.encoder, &batch)?;
                if let Some(known) = &mut known {
                    for row in 0..ids.len() {
                        if known.contains(&ids.bytes(row))? {
                            return Err(insert.exists(&batch, row, Insert::TWICE));
                        }
                    }
                }
                self.rows.push(&batch, &ids, &mut insert.statement)?;
            }
        }
        self.rows.flush(&mut insert.statement)
    }
}

/// The rows but those that the next one replaces; `replacing` holds the replacing ones.
fn without_replaced(batch: &RecordBatch, ids: &RowIds, replacing: &[usize]) -> Result<(RecordBatch, RowIds)> {
    let mut kept = vec![true; batch.num_rows()];
    let mut kept_ids = ids.empty();
    let mut start = 0;
    for replaced in replacing.iter().filter_map(|row| row.checked_sub(1)) {
        if let Some(kept) = kept.get_mut(replaced) {
            *kept = false;
        }
        kept_ids.extend_from(ids, start..replaced)?;
        start = replaced + 1;
    }
    kept_ids.extend_from(ids, start..ids.len())?;
    Ok((filter_record_batch(batch, &BooleanArray::from(kept))?, kept_ids))
}

/// Refuses rows whose ids the table has already.
fn refuse_existing(insert: &Insert, batch: &RecordBatch, ids: &RowIds) -> Result<()> {
    let Some((first, last)) = ids.extremes() else { return Ok(()) };
    if insert.statement.holds_nothing(&first, &last)? {
        return Ok(());
    }
    let all: Vec<Vec<u8>> = (0..ids.len()).map(|row| ids.bytes(row)).collect();
    let all: Vec<&[u8]> = all.iter().map(Vec::as_slice).collect();
    insert.refuse_existing(batch, &all)
}

fn sort_error(insert: &Insert, fault: SortFault) -> HandlerError {
    match fault {
        SortFault::Failed(error) => error,
        SortFault::Duplicate(duplicate) => insert.exists(&duplicate.0, 0, Insert::TWICE),
    }
}

#[cfg(test)]
mod tests;
