//! [`DeleteSink`]: DELETE. Its input has two columns: the row's bytes and the labels of its cells.

use std::sync::Arc;

use datafusion::arrow::array::RecordBatch;
use ostracon_tablets::{Statement, Version};

use super::{ActiveWrite, WriteSink, WriteTarget};
use crate::dml::{RowLabels, hidden_columns};
use crate::error::Result;
use crate::provider::TabletTableProvider;
use crate::rows::RowEncoder;

/// Deletes what the session sees of the rows.
#[derive(Debug)]
pub(crate) struct DeleteSink {
    target: WriteTarget,
}

impl DeleteSink {
    pub(crate) fn try_new(provider: &TabletTableProvider) -> Result<Self> {
        RowEncoder::new(provider.definition(), provider.definition().properties.insert_mode, None)?;
        Ok(Self { target: WriteTarget::of(provider) })
    }
}

impl WriteSink for DeleteSink {
    fn describe(&self) -> String {
        format!("delete from {}", self.target.name())
    }

    fn begin(&self) -> Result<Box<dyn ActiveWrite>> {
        let definition = &self.target.definition;
        let encoder = RowEncoder::new(definition, definition.properties.insert_mode, None)?;
        let (statement, version) = self.target.begin_reading()?;
        Ok(Box::new(Delete { encoder, statement, version, rows: 0 }))
    }
}

struct Delete {
    encoder: RowEncoder,
    statement: Statement,
    version: Arc<Version>,
    rows: u64,
}

impl ActiveWrite for Delete {
    fn version(&self) -> Option<Arc<Version>> {
        Some(Arc::clone(&self.version))
    }

    fn write(&mut self, batch: &RecordBatch) -> Result<()> {
        let (rows, labels) = hidden_columns(batch)?;
        for (row, labels) in rows.iter().zip(labels.iter()) {
            let (Some(row), Some(labels)) = (row, labels) else { continue };
            let labels = RowLabels::from_bytes(labels)?;
            self.statement.write(self.encoder.deletion(row, &labels.all))?;
            self.rows += 1;
        }
        Ok(())
    }

    fn commit(self: Box<Self>) -> Result<u64> {
        self.statement.commit()?;
        Ok(self.rows)
    }
}
