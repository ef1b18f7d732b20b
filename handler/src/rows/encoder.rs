//! Record batches to mutations: what INSERT, UPDATE and DELETE write.
//!
//! A [`RowEncoder`] is made once per statement from the table, the insert mode and the columns that the statement
//! names; each row of a batch becomes one [`Mutation`]. With [`InsertMode::Upsert`] and [`InsertMode::Error`] the
//! mutation replaces the row as SQL sees it, *under the label it writes*: a column that is NULL has no cell
//! afterwards, and a row whose columns are all NULL is kept alive by a marker cell. With [`InsertMode::Merge`]
//! columns that the statement does not name are left alone.
//!
//! It does not look at the store: whether a key exists, and which of two rows of one key wins, is decided by the
//! writer of the mutations.

use std::collections::{BTreeSet, HashSet};

use arrow::array::{Array, RecordBatch};
use arrow::datatypes::{DataType, TimeUnit};
use ostracon_compare::{ScalarRef, encode};
use ostracon_data::{ColumnUpdate, ColumnVisibility, ErasedColumns, Mutation, ROW_MARKER_FAMILY};

use super::row_reader::{Reader, entries};
use crate::definition::{RowIdLayout, TableDefinition};
use crate::error::{HandlerError, Result};
use crate::mapping::ColumnTarget;
use crate::properties::InsertMode;

/// Makes mutations of rows. See the module's words for what a mutation replaces.
#[derive(Debug)]
pub struct RowEncoder {
    pub(super) definition: TableDefinition,
    mode: InsertMode,
    /// By column: whether the statement names it.
    present: Vec<bool>,
    /// By column: its own label, which wins over the row's.
    column_labels: Vec<Option<Vec<u8>>>,
    table_label: Vec<u8>,
}

/// What a statement knows of the rows of a batch beside their columns. Everything absent is the default.
#[derive(Debug, Clone, Copy, Default)]
pub struct RowExtras<'a> {
    /// Tables with a hidden row id: the first of as many fresh ids as there are rows.
    pub first_hidden_id: Option<u64>,
    /// The rows' ids where they are known and kept (UPDATE of a table with a hidden row id), one a row.
    pub row_ids: Option<&'a [Vec<u8>]>,
    /// The rows' labels where the statement keeps those that the rows had (UPDATE), one a row. A `:visibility`
    /// column that the statement names wins.
    pub row_labels: Option<&'a [Vec<u8>]>,
    /// How many rows of the statement came before this batch; error messages count on.
    pub rows_before: u64,
}

impl RowEncoder {
    /// An encoder for rows of `definition`. `present` holds the columns that the statement names; `None` is all.
    ///
    /// # Errors
    /// `Unsupported` if the table maps no row id and so cannot be written.
    pub fn new(definition: &TableDefinition, mode: InsertMode, present: Option<&[usize]>) -> Result<Self> {
        if matches!(definition.row_id, RowIdLayout::None) {
            return Err(HandlerError::unsupported(format!(
                "table '{}' maps no column to :rowid and can only be read",
                definition.name
            )));
        }
        let properties = &definition.properties;
        Ok(RowEncoder {
            present: (0..definition.columns.len())
                .map(|i| present.is_none_or(|present| present.contains(&i)))
                .collect(),
            column_labels: definition
                .columns
                .iter()
                .map(|column| properties.visibility_columns.get(&column.name).cloned())
                .collect(),
            table_label: properties.visibility_label.clone().unwrap_or_default(),
            mode,
            definition: definition.clone(),
        })
    }

    /// The mutations of a batch's rows, in their order. The batch has the table's columns in the table's order.
    ///
    /// # Errors
    /// `Invalid`, naming column and row: NULL in a key or NOT NULL column, a label that is no visibility
    /// expression, a value that has no bytes in its column's encoding, a part of a key that holds the delimiter.
    pub fn encode(&self, batch: &RecordBatch, extras: RowExtras<'_>) -> Result<Vec<Mutation>> {
        let readers = self.readers(batch)?;
        let mut labels = HashSet::new();
        (0..batch.num_rows()).map(|row| self.encode_row(&readers, row, extras, &mut labels)).collect()
    }

    /// The row ids of a batch's rows, in their order.
    ///
    /// # Errors
    /// As [`RowEncoder::encode`], of the key columns.
    pub fn row_ids(&self, batch: &RecordBatch, extras: RowExtras<'_>) -> Result<Vec<Vec<u8>>> {
        let readers = self.key_readers(batch)?;
        (0..batch.num_rows()).map(|row| self.row_id(&readers, row, extras)).collect()
    }

    /// The mutation that deletes what a session sees of a row: every mapped cell and the marker under each of
    /// `labels` (those that [`super::visible_labels`] found). Cells that the table does not map stay.
    pub fn deletion(&self, row: &[u8], labels: &BTreeSet<Vec<u8>>) -> Mutation {
        let mut mutation = Mutation::new(row);
        for label in labels {
            for target in self.definition.targets() {
                if let Some(columns) = erased_columns(target) {
                    mutation.erase(columns, Some(label.clone()));
                }
            }
            let marker = ErasedColumns::Exact { family: ROW_MARKER_FAMILY.to_vec(), qualifier: Vec::new() };
            mutation.erase(marker, Some(label.clone()));
        }
        mutation
    }

    fn readers(&self, batch: &RecordBatch) -> Result<Vec<Reader>> {
        self.readers_of(batch, |_| true)
    }

    /// Readers of the columns that the row id is made of; the others may be of any type.
    pub(super) fn key_readers(&self, batch: &RecordBatch) -> Result<Vec<Reader>> {
        let key = self.definition.key_columns();
        self.readers_of(batch, |column| key.contains(&column))
    }

    fn readers_of(&self, batch: &RecordBatch, is_read: impl Fn(usize) -> bool) -> Result<Vec<Reader>> {
        if batch.num_columns() != self.definition.columns.len() {
            return Err(HandlerError::internal(format!(
                "table '{}' has {} columns, the rows to write have {}",
                self.definition.name,
                self.definition.columns.len(),
                batch.num_columns()
            )));
        }
        let columns = self.definition.columns.iter().zip(batch.columns()).enumerate();
        let readers = columns.map(|(i, (column, array))| match is_read(i) {
            true => Reader::new(array, column),
            false => Ok(Reader::Unread),
        });
        readers.collect()
    }

    fn encode_row(
        &self,
        readers: &[Reader],
        row: usize,
        extras: RowExtras<'_>,
        labels: &mut HashSet<Vec<u8>>,
    ) -> Result<Mutation> {
        let mut mutation = Mutation::new(self.row_id(readers, row, extras)?);
        let row_label = self.row_label(readers, row, extras, labels)?;
        let timestamp = self.timestamp(readers, row, extras)?;
        let mut puts = Vec::with_capacity(self.definition.columns.len());
        for (i, (column, reader)) in self.definition.columns.iter().zip(readers).enumerate() {
            let present = self.present.get(i).copied().unwrap_or(true);
            if self.mode == InsertMode::Merge && !present {
                continue;
            }
            let label = self.column_labels.get(i).and_then(Option::as_ref).unwrap_or(&row_label);
            let mut put = |family: &[u8], qualifier: Vec<u8>, value: Vec<u8>| {
                puts.push(ColumnUpdate::Put {
                    family: family.to_vec(),
                    qualifier,
                    visibility: label.clone(),
                    timestamp,
                    value,
                });
            };
            match (&column.target, reader) {
                (ColumnTarget::Cell { family, qualifier, encoding }, reader) => {
                    match self.cell_bytes(i, *encoding, reader, row, extras)? {
                        Some(bytes) => put(family, qualifier.clone(), bytes),
                        None if !column.nullable => {
                            return Err(self.null_error(i, row, extras, "is NOT NULL"));
                        }
                        None => {
                            let columns =
                                ErasedColumns::Exact { family: family.clone(), qualifier: qualifier.clone() };
                            mutation.erase(columns, Some(label.clone()));
                        }
                    }
                }
                (
                    ColumnTarget::Map { family, prefix, key_encoding, value_encoding },
                    Reader::Map { array, keys, values, key_type, value_type },
                ) => {
                    if !column.nullable && array.is_null(row) {
                        return Err(self.null_error(i, row, extras, "is NOT NULL"));
                    }
                    let columns =
                        ErasedColumns::Prefix { family: family.clone(), qualifier_prefix: prefix.clone() };
                    mutation.erase(columns, Some(label.clone()));
                    for entry in entries(array, row) {
                        let (Some(key), Some(value)) = (keys.get(entry), values.get(entry)) else {
                            // A key with NULL behind it is a cell that is not there.
                            continue;
                        };
                        let mut qualifier = prefix.clone();
                        encode(*key_type, *key_encoding, key, &mut qualifier)
                            .map_err(|error| self.value_error(i, row, extras, &error))?;
                        let bytes = self.typed_bytes(i, *value_type, *value_encoding, value, row, extras)?;
                        put(family, qualifier, bytes);
                    }
                }
                _ => {}
            }
        }
        if puts.is_empty() {
            puts.push(ColumnUpdate::Put {
                family: ROW_MARKER_FAMILY.to_vec(),
                qualifier: Vec::new(),
                visibility: row_label,
                timestamp,
                value: Vec::new(),
            });
        }
        // The erases come first: an erase also hides what stands before it in its own mutation.
        mutation.updates.append(&mut puts);
        mutation.replaces_older = self.definition.properties.max_versions == 1;
        Ok(mutation)
    }

    /// The label of the row: what `:visibility` says, else what the statement keeps, else the table's.
    fn row_label(
        &self,
        readers: &[Reader],
        row: usize,
        extras: RowExtras<'_>,
        known: &mut HashSet<Vec<u8>>,
    ) -> Result<Vec<u8>> {
        let kept = || extras.row_labels.and_then(|labels| labels.get(row)).unwrap_or(&self.table_label);
        for (i, (column, reader)) in self.definition.columns.iter().zip(readers).enumerate() {
            let named = self.present.get(i).copied().unwrap_or(true);
            let (ColumnTarget::Visibility, Reader::Plain(reader), true) = (&column.target, reader, named)
            else {
                continue;
            };
            let Some(ScalarRef::Utf8(label)) = reader.get(row) else {
                return Ok(kept().clone());
            };
            if !known.contains(label.as_bytes()) {
                ColumnVisibility::parse(label.as_bytes()).map_err(|error| {
                    self.row_error(i, row, extras, format!("'{label}' is no visibility expression: {error}"))
                        .with_source(error)
                })?;
                known.insert(label.as_bytes().to_vec());
            }
            return Ok(label.as_bytes().to_vec());
        }
        Ok(kept().clone())
    }

    /// The time of the row's cells in milliseconds, if `:timestamp` says one.
    fn timestamp(&self, readers: &[Reader], row: usize, extras: RowExtras<'_>) -> Result<Option<i64>> {
        for (i, (column, reader)) in self.definition.columns.iter().zip(readers).enumerate() {
            let named = self.present.get(i).copied().unwrap_or(true);
            let (ColumnTarget::Timestamp, Reader::Plain(reader), true) = (&column.target, reader, named)
            else {
                continue;
            };
            let Some(ScalarRef::Int(value)) = reader.get(row) else {
                return Ok(None);
            };
            // The time of a cell is kept in milliseconds: what is finer is cut off, towards the past.
            return Ok(Some(match &column.data_type {
                DataType::Timestamp(TimeUnit::Second, _) => value.checked_mul(1_000).ok_or_else(|| {
                    self.row_error(i, row, extras, "the time is out of range in milliseconds".to_owned())
                })?,
                DataType::Timestamp(TimeUnit::Microsecond, _) => value.div_euclid(1_000),
                DataType::Timestamp(TimeUnit::Nanosecond, _) => value.div_euclid(1_000_000),
                _ => value,
            }));
        }
        Ok(None)
    }
}

/// What a target's cells are to an erase.
fn erased_columns(target: &ColumnTarget) -> Option<ErasedColumns> {
    match target {
        ColumnTarget::Cell { family, qualifier, .. } => {
            Some(ErasedColumns::Exact { family: family.clone(), qualifier: qualifier.clone() })
        }
        ColumnTarget::Map { family, prefix, .. } => {
            Some(ErasedColumns::Prefix { family: family.clone(), qualifier_prefix: prefix.clone() })
        }
        ColumnTarget::RowId { .. } | ColumnTarget::Timestamp | ColumnTarget::Visibility => None,
    }
}
