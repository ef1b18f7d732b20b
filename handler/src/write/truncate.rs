//! [`TruncateSink`]: TRUNCATE.

use std::sync::Arc;

use datafusion::arrow::array::RecordBatch;
use ostracon_tablets::{Statement, Version};

use super::{ActiveWrite, WriteSink, WriteTarget};
use crate::error::Result;
use crate::provider::TabletTableProvider;
use crate::rows::RowEncoder;

/// Deletes all rows that the session sees.
#[derive(Debug)]
pub(crate) struct TruncateSink {
    target: WriteTarget,
}

impl TruncateSink {
    pub(crate) fn try_new(provider: &TabletTableProvider) -> Result<Self> {
        RowEncoder::new(provider.definition(), provider.definition().properties.insert_mode, None)?;
        Ok(Self { target: WriteTarget::of(provider) })
    }
}

impl WriteSink for TruncateSink {
    fn describe(&self) -> String {
        format!("truncate {}", self.target.name())
    }

    fn begin(&self) -> Result<Box<dyn ActiveWrite>> {
        let (mut statement, version) = self.target.begin_reading()?;
        let rows = self.target.delete_all(&mut statement, &version)?;
        Ok(Box::new(Truncate { statement, rows: rows.unwrap_or_default() }))
    }
}

struct Truncate {
    statement: Statement,
    rows: u64,
}

impl ActiveWrite for Truncate {
    fn version(&self) -> Option<Arc<Version>> {
        None
    }

    fn write(&mut self, _batch: &RecordBatch) -> Result<()> {
        Ok(())
    }

    fn commit(self: Box<Self>) -> Result<u64> {
        self.statement.commit()?;
        Ok(self.rows)
    }
}
