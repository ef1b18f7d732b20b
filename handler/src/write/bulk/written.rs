//! [`WrittenIds`]: the row ids that a statement has written, where none may come twice.
//!
//! They are written in order, into a temporary file; what comes out of a sorter later is compared with them in order too.
//! So neither takes memory.

use std::cmp::Ordering;
use std::path::Path;
use std::sync::Arc;

use datafusion::arrow::array::{Array, RecordBatch};
use datafusion::arrow::datatypes::{DataType, Field, Schema, SchemaRef};

use super::key::RowIds;
use super::sorter::ids_of;
use super::spill::{SpillReader, SpillWriter};
use crate::error::Result;

/// Takes ids in ascending order.
pub(super) struct WrittenIds {
    schema: SchemaRef,
    file: SpillWriter,
}

impl WrittenIds {
    /// None yet; they go into a file in a folder, or where the system keeps temporary ones.
    pub(super) fn new(folder: Option<&Path>) -> Result<Self> {
        let schema = Arc::new(Schema::new(vec![Field::new("row id", DataType::Binary, false)]));
        Ok(Self { file: SpillWriter::new(&schema, folder)?, schema })
    }

    pub(super) fn push(&mut self, ids: &RowIds) -> Result<()> {
        self.file.write(&RecordBatch::try_new(Arc::clone(&self.schema), vec![Arc::new(ids.to_array()?)])?)
    }

    /// To ask whether an id is among them.
    pub(super) fn finish(self) -> Result<KnownIds> {
        Ok(KnownIds { batches: SpillReader::new(self.file.finish()?)?, batch: None, row: 0 })
    }
}

/// Ids in ascending order, each looked at once.
pub(super) struct KnownIds {
    batches: SpillReader,
    batch: Option<RecordBatch>,
    row: usize,
}

impl KnownIds {
    /// Whether an id is among them; it lies above those that were asked for before.
    pub(super) fn contains(&mut self, id: &[u8]) -> Result<bool> {
        loop {
            if let Some(ids) = self.batch.as_ref().and_then(ids_of) {
                while self.row < ids.len() {
                    match ids.value(self.row).cmp(id) {
                        Ordering::Less => self.row += 1,
                        Ordering::Equal => return Ok(true),
                        Ordering::Greater => return Ok(false),
                    }
                }
            }
            (self.batch, self.row) = (self.batches.next().transpose()?, 0);
            if self.batch.is_none() {
                return Ok(false);
            }
        }
    }
}
