//! [`InsertSink`]: INSERT in its three modes, and INSERT OVERWRITE.

use std::collections::HashSet;
use std::sync::Arc;

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::util::display::array_value_to_string;
use datafusion::logical_expr::dml::InsertOp;
use ostracon_tablets::{Statement, Version};

use super::bulk::{BulkInsert, BulkLayout};
use super::{ActiveWrite, WriteSink, WriteTarget};
use crate::definition::RowIdLayout;
use crate::error::{ErrorKind, HandlerError, Result};
use crate::properties::InsertMode;
use crate::provider::TabletTableProvider;
use crate::rows::{RowEncoder, RowExtras};
use crate::settings::OstraconSettings;

/// Writes rows that have the table's columns.
#[derive(Debug)]
pub(crate) struct InsertSink {
    target: WriteTarget,
    mode: InsertMode,
    /// The columns that the statement names; all if it names none.
    named: Option<Vec<usize>>,
    overwrite: bool,
    /// A statement with more rows is a large one.
    small_rows: usize,
}

impl InsertSink {
    pub(crate) fn try_new(
        provider: &TabletTableProvider,
        named: Option<Vec<usize>>,
        op: InsertOp,
        settings: &OstraconSettings,
    ) -> Result<Self> {
        let mode = provider.definition().properties.insert_mode;
        let (mode, overwrite) = match op {
            InsertOp::Append => (mode, false),
            // Nothing is there that a row could meet, but another row of the statement.
            InsertOp::Overwrite if mode == InsertMode::Merge => (InsertMode::Upsert, true),
            InsertOp::Overwrite => (mode, true),
            InsertOp::Replace => (InsertMode::Upsert, false),
        };
        let small_rows = usize::try_from(settings.bulk_insert_rows).unwrap_or(usize::MAX);
        let sink = Self { target: WriteTarget::of(provider), mode, named, overwrite, small_rows };
        sink.encoder()?;
        Ok(sink)
    }

    fn encoder(&self) -> Result<RowEncoder> {
        RowEncoder::new(&self.target.definition, self.mode, self.named.as_deref())
    }
}

impl WriteSink for InsertSink {
    fn describe(&self) -> String {
        let into = if self.overwrite { "overwrite" } else { "into" };
        let mode = match self.mode {
            InsertMode::Upsert => "upsert",
            InsertMode::Merge => "merge",
            InsertMode::Error => "error",
        };
        format!("insert {into} {}, mode={mode}", self.target.name())
    }

    fn begin(&self) -> Result<Box<dyn ActiveWrite>> {
        let encoder = self.encoder()?;
        let must_be_new = self.mode == InsertMode::Error;
        let (mut statement, version) = if must_be_new || self.overwrite {
            let (statement, version) = self.target.begin_reading()?;
            (statement, Some(version))
        } else {
            (self.target.begin_blind()?, None)
        };
        let mut deletes = 0;
        if let (true, Some(version)) = (self.overwrite, &version) {
            deletes = self.target.delete_all(&mut statement, version)?.unwrap_or(0);
        }
        let insert = Insert {
            target: self.target.clone(),
            encoder,
            statement,
            must_be_new,
            version: version.filter(|_| !self.overwrite),
            written: HashSet::new(),
            rows: 0,
        };
        // Rows that delete others are mutations, and so are those that follow them.
        let layout = BulkLayout::of(&self.target.definition, self.mode, self.named.as_deref());
        Ok(match layout.filter(|_| deletes == 0) {
            Some(layout) => Box::new(BulkInsert::new(insert, layout, self.small_rows)),
            None => Box::new(insert),
        })
    }
}

/// An INSERT under way, a mutation a row.
pub(super) struct Insert {
    pub(super) target: WriteTarget,
    pub(super) encoder: RowEncoder,
    pub(super) statement: Statement,
    pub(super) must_be_new: bool,
    /// Where a row may not exist already: the rows that do.
    version: Option<Arc<Version>>,
    /// The row ids of this statement, where no two rows may share one.
    written: HashSet<Vec<u8>>,
    /// Rows taken so far.
    pub(super) rows: u64,
}

impl Insert {
    /// What is wrong where two rows of one statement have one key.
    pub(super) const TWICE: &str = "two rows of the statement have";

    /// What is known of the next rows.
    pub(super) fn extras(&self, rows: usize) -> Result<RowExtras<'static>> {
        let first_hidden_id = match self.target.definition.row_id {
            RowIdLayout::Hidden if rows > 0 => Some(self.target.store.allocate_row_ids(rows as u64)?),
            _ => None,
        };
        Ok(RowExtras { first_hidden_id, rows_before: self.rows, ..RowExtras::default() })
    }

    fn refuse_known(&mut self, batch: &RecordBatch, ids: &[&[u8]]) -> Result<()> {
        for (row, id) in ids.iter().enumerate() {
            if !self.written.insert(id.to_vec()) {
                return Err(self.exists(batch, row, Self::TWICE));
            }
        }
        self.refuse_existing(batch, ids)
    }

    /// Refuses rows whose ids the table has already.
    pub(super) fn refuse_existing(&self, batch: &RecordBatch, ids: &[&[u8]]) -> Result<()> {
        let Some(version) = &self.version else { return Ok(()) };
        let existing = self.target.existing(version, ids.iter().copied())?;
        match ids.iter().position(|id| existing.contains(*id)) {
            Some(row) => Err(self.exists(batch, row, "there is a row with")),
            None => Ok(()),
        }
    }

    /// The error that names the key of a row.
    pub(super) fn exists(&self, batch: &RecordBatch, row: usize, what: &str) -> HandlerError {
        let name = self.target.name();
        let values = self.target.definition.key_columns().into_iter().filter_map(|column| {
            let (definition, array) =
                (self.target.definition.columns.get(column)?, batch.columns().get(column)?);
            let value = array_value_to_string(array, row).ok()?;
            Some(format!("{} = {value}", definition.name))
        });
        let key = values.collect::<Vec<_>>().join(", ");
        HandlerError::new(
            ErrorKind::AlreadyExists,
            format!(
                "table '{name}' has 'insert.mode' = 'error', and {what} the key {key}; nothing was inserted"
            ),
        )
    }
}

impl ActiveWrite for Insert {
    fn version(&self) -> Option<Arc<Version>> {
        None
    }

    fn write(&mut self, batch: &RecordBatch) -> Result<()> {
        let extras = self.extras(batch.num_rows())?;
        let mutations = self.encoder.encode(batch, extras)?;
        if self.must_be_new {
            let ids: Vec<&[u8]> = mutations.iter().map(|mutation| mutation.row.as_slice()).collect();
            self.refuse_known(batch, &ids)?;
        }
        for mutation in mutations {
            self.statement.write(mutation)?;
        }
        self.rows += batch.num_rows() as u64;
        Ok(())
    }

    fn commit(self: Box<Self>) -> Result<u64> {
        self.statement.commit()?;
        Ok(self.rows)
    }
}
