//! [`UpdateSink`]: UPDATE. Its input has the table's columns with their new values, the row's bytes and the labels of
//! its cells.
//!
//! A row keeps what the statement does not assign: other columns, their labels and times, cells that no column maps. A
//! new value is written under the label of the one it replaces. Where the key is assigned, the row moves: what the
//! session sees of it is deleted and written again under the new id. All moves are made at once, so that keys can be
//! shifted past each other; two rows cannot end up with one key.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;

use datafusion::arrow::array::{Array, RecordBatch};
use ostracon_data::{ErasedColumns, Mutation};
use ostracon_iterators::BytesText;
use ostracon_tablets::{Statement, Version};

use super::{ActiveWrite, WriteSink, WriteTarget};
use crate::dml::{RowLabels, hidden_columns};
use crate::error::{ErrorKind, HandlerError, Result};
use crate::mapping::ColumnTarget;
use crate::properties::InsertMode;
use crate::provider::TabletTableProvider;
use crate::rows::{RowEncoder, RowExtras};

/// Bytes of moved rows that a statement may hold.
const MAX_MOVED_BYTES: usize = 1 << 30;

/// Ids that are looked up at once.
const LOOKUP_ROWS: usize = 4096;

/// Gives rows new values.
#[derive(Debug)]
pub(crate) struct UpdateSink {
    target: WriteTarget,
    assigned: Vec<usize>,
    joined: bool,
}

impl UpdateSink {
    pub(crate) fn try_new(
        provider: &TabletTableProvider,
        assigned: Vec<usize>,
        joined: bool,
    ) -> Result<Self> {
        let target = WriteTarget::of(provider);
        RowEncoder::new(&target.definition, InsertMode::Merge, Some(&assigned))?;
        Ok(Self { target, assigned, joined })
    }

    fn assigns(&self, wanted: impl Fn(&ColumnTarget) -> bool) -> bool {
        let columns = &self.target.definition.columns;
        self.assigned.iter().filter_map(|column| columns.get(*column)).any(|column| wanted(&column.target))
    }
}

impl WriteSink for UpdateSink {
    fn describe(&self) -> String {
        let columns = &self.target.definition.columns;
        let names =
            self.assigned.iter().filter_map(|column| columns.get(*column)).map(|column| column.name.as_str());
        format!("update {}, set=[{}]", self.target.name(), names.collect::<Vec<_>>().join(", "))
    }

    fn begin(&self) -> Result<Box<dyn ActiveWrite>> {
        let key = self.target.definition.key_columns();
        let relabels = self.assigns(|target| matches!(target, ColumnTarget::Visibility));
        let retimes = self.assigns(|target| matches!(target, ColumnTarget::Timestamp));
        let moves = self.assigned.iter().any(|column| key.contains(column));
        // A row that moves, or whose label or time changes, is written anew.
        let whole = moves || relabels || retimes;
        let written = if whole {
            let columns = self.target.definition.columns.iter().enumerate();
            columns
                .filter(|(column, definition)| match definition.target {
                    ColumnTarget::Visibility | ColumnTarget::Timestamp => self.assigned.contains(column),
                    _ => true,
                })
                .map(|(column, _)| column)
                .collect()
        } else {
            self.assigned.clone()
        };
        let (statement, version) = self.target.begin_reading()?;
        let encoder = RowEncoder::new(&self.target.definition, InsertMode::Merge, Some(&written))?;
        Ok(Box::new(Update {
            target: self.target.clone(),
            statement,
            version,
            encoder,
            written,
            whole,
            moves,
            relabels,
            seen: self.joined.then(HashSet::new),
            left: BTreeSet::new(),
            moved: Vec::new(),
            moved_bytes: 0,
            rows: 0,
        }))
    }
}

/// An UPDATE under way.
struct Update {
    target: WriteTarget,
    statement: Statement,
    version: Arc<Version>,
    encoder: RowEncoder,
    written: Vec<usize>,
    whole: bool,
    moves: bool,
    relabels: bool,
    /// The rows that came, where one may come again.
    seen: Option<HashSet<Vec<u8>>>,
    /// The ids that rows have left.
    left: BTreeSet<Vec<u8>>,
    /// Rows under their new ids, written when all have left.
    moved: Vec<Mutation>,
    moved_bytes: usize,
    rows: u64,
}

impl Update {
    /// The mutation that writes the new values of one row, kept under the labels that its values had.
    fn new_values(&self, batch: &RecordBatch, row: usize, id: &[u8], labels: &RowLabels) -> Result<Mutation> {
        let one = batch.slice(row, 1);
        let ids = [id.to_vec()];
        let encode = |encoder: &RowEncoder, label: Vec<u8>| {
            let row_labels = [label];
            let extras = RowExtras {
                row_ids: Some(&ids),
                row_labels: Some(&row_labels),
                rows_before: self.rows,
                ..RowExtras::default()
            };
            let mutation = encoder.encode(&one, extras)?.pop();
            mutation.ok_or_else(|| HandlerError::internal("one row gave no mutation"))
        };
        if labels.all.len() < 2 || self.relabels {
            return encode(&self.encoder, labels.all.iter().next().cloned().unwrap_or_default());
        }
        // Columns of different labels are encoded apart, and stay apart.
        let mut groups: BTreeMap<Vec<u8>, Vec<usize>> = BTreeMap::new();
        for column in &self.written {
            groups.entry(labels.for_column(*column)).or_default().push(*column);
        }
        let mut mutation = Mutation::new(id);
        for (label, columns) in groups {
            let encoder = RowEncoder::new(&self.target.definition, InsertMode::Merge, Some(&columns))?;
            let part = encode(&encoder, label)?;
            mutation.replaces_older = part.replaces_older;
            mutation.updates.extend(part.updates);
        }
        Ok(mutation)
    }

    /// Takes away what the session sees in the assigned columns, whatever its label.
    fn erase_assigned(&self, mutation: &mut Mutation, labels: &RowLabels) {
        let columns = self.written.iter().filter_map(|column| self.target.definition.columns.get(*column));
        for column in columns {
            let erased = match &column.target {
                ColumnTarget::Cell { family, qualifier, .. } => {
                    ErasedColumns::Exact { family: family.clone(), qualifier: qualifier.clone() }
                }
                ColumnTarget::Map { family, prefix, .. } => {
                    ErasedColumns::Prefix { family: family.clone(), qualifier_prefix: prefix.clone() }
                }
                _ => continue,
            };
            for label in &labels.all {
                mutation.erase(erased.clone(), Some(label.clone()));
            }
        }
    }

    fn update_row(
        &mut self,
        batch: &RecordBatch,
        row: usize,
        old: &[u8],
        new: &[u8],
        labels: &RowLabels,
    ) -> Result<()> {
        if let Some(seen) = &mut self.seen
            && !seen.insert(old.to_vec())
        {
            return Err(HandlerError::invalid(format!(
                "UPDATE of table '{}': the row with id {} is joined to several rows, which would give it several values",
                self.target.name(),
                BytesText(old)
            )));
        }
        let values = self.new_values(batch, row, new, labels)?;
        if old != new {
            self.statement.write(self.encoder.deletion(old, &labels.all))?;
            self.left.insert(old.to_vec());
            self.moved_bytes += values.byte_len();
            if self.moved_bytes > MAX_MOVED_BYTES {
                return Err(HandlerError::new(
                    ErrorKind::Resource,
                    format!(
                        "UPDATE of table '{}' moves rows of more than {MAX_MOVED_BYTES} bytes to new keys; \
                         move them in several statements, by ranges of the key",
                        self.target.name()
                    ),
                ));
            }
            self.moved.push(values);
            return Ok(());
        }
        let mut mutation =
            if self.whole { self.encoder.deletion(old, &labels.all) } else { Mutation::new(old) };
        if !self.whole {
            self.erase_assigned(&mut mutation, labels);
        }
        mutation.replaces_older = values.replaces_older;
        mutation.updates.extend(values.updates);
        Ok(self.statement.write(mutation)?)
    }

    /// Two rows may not end up with one key: neither two that moved, nor one that moved onto one that stayed.
    fn check_moves(&self) -> Result<()> {
        let conflict = |id: &[u8]| {
            HandlerError::new(
                ErrorKind::AlreadyExists,
                format!(
                    "UPDATE of table '{}': two rows would have the row id {}; nothing was changed",
                    self.target.name(),
                    BytesText(id)
                ),
            )
        };
        let mut arrived = BTreeSet::new();
        for mutation in &self.moved {
            if !arrived.insert(mutation.row.as_slice()) {
                return Err(conflict(&mutation.row));
            }
        }
        let taken: Vec<&[u8]> = arrived.into_iter().filter(|id| !self.left.contains(*id)).collect();
        for ids in taken.chunks(LOOKUP_ROWS) {
            if let Some(id) = self.target.existing(&self.version, ids.iter().copied())?.first() {
                return Err(conflict(id));
            }
        }
        Ok(())
    }
}

impl ActiveWrite for Update {
    fn version(&self) -> Option<Arc<Version>> {
        Some(Arc::clone(&self.version))
    }

    fn write(&mut self, batch: &RecordBatch) -> Result<()> {
        let (old, labels) = hidden_columns(batch)?;
        let width = self.target.definition.columns.len();
        let values = batch.project(&(0..width).collect::<Vec<_>>())?;
        let old: Vec<Vec<u8>> = old.iter().flatten().map(<[u8]>::to_vec).collect();
        let new = if self.moves {
            let extras = RowExtras { rows_before: self.rows, ..RowExtras::default() };
            self.encoder.row_ids(&values, extras)?
        } else {
            old.clone()
        };
        for (row, (old, new)) in old.iter().zip(&new).enumerate() {
            let bytes = if labels.is_valid(row) { labels.value(row) } else { &[] };
            self.update_row(&values, row, old, new, &RowLabels::from_bytes(bytes)?)?;
            self.rows += 1;
        }
        Ok(())
    }

    fn commit(mut self: Box<Self>) -> Result<u64> {
        self.check_moves()?;
        for mutation in std::mem::take(&mut self.moved) {
            self.statement.write(mutation)?;
        }
        self.statement.commit()?;
        Ok(self.rows)
    }
}
