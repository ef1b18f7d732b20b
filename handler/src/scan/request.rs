//! [`ScanRequest`]: everything that a scan is, apart from its ranges.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use datafusion::arrow::compute::SortOptions;
use datafusion::arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use ostracon_data::TableId;
use ostracon_iterators::{OnBadValue, RowFilterSpec};
use ostracon_tablets::{Table, Version};
use parking_lot::Mutex;

use crate::definition::{RowIdLayout, TableDefinition};
use crate::error::{HandlerError, Result};
use crate::predicate::DecomposedPredicate;
use crate::storage::SessionAccess;

/// The hidden column of the row's bytes, for UPDATE and DELETE.
pub(crate) const ROW_COLUMN: &str = "__ostracon_row";

/// The hidden column of the labels that the row's cells carry, for UPDATE and DELETE.
pub(crate) const LABELS_COLUMN: &str = "__ostracon_labels";

/// As of when a scan reads.
#[derive(Debug, Clone)]
pub(crate) enum Snapshot {
    /// As of planning.
    At(Arc<Version>),
    /// As of the moment when the statement that writes what it reads had locked the table.
    OfWrite(WriteVersion),
}

impl Snapshot {
    pub(crate) fn version(&self) -> Result<Arc<Version>> {
        match self {
            Self::At(version) => Ok(Arc::clone(version)),
            Self::OfWrite(write) => write.0.lock().clone().ok_or_else(|| {
                HandlerError::internal(
                    "the scan of a writing statement was started outside of that statement",
                )
            }),
        }
    }
}

/// The versions that one statement reads, by store table: two scans of a table see the same rows.
#[derive(Debug, Default)]
pub(crate) struct StatementVersions(Mutex<HashMap<TableId, Arc<Version>>>);

impl StatementVersions {
    /// The version for a scan of the table.
    pub(crate) fn of(&self, table: &Table) -> Result<Arc<Version>> {
        let mut versions = self.0.lock();
        if let Some(version) = versions.get(&table.id()) {
            return Ok(Arc::clone(version));
        }
        let version = table.version()?;
        versions.insert(table.id(), Arc::clone(&version));
        Ok(version)
    }
}

/// The version that a writing statement reads; set by the statement for the time it runs.
#[derive(Debug, Clone, Default)]
pub(crate) struct WriteVersion(Arc<Mutex<Option<Arc<Version>>>>);

impl WriteVersion {
    pub(crate) fn set(&self, version: Option<Arc<Version>>) {
        *self.0.lock() = version;
    }
}

/// What a scan was given to do with filters.
#[derive(Debug, Clone)]
pub(crate) struct Pushed {
    pub(crate) predicate: DecomposedPredicate,
    /// Whether filters that become known while the query runs may narrow the ranges.
    pub(crate) at_run_time: bool,
}

/// What a scan reads and gives.
#[derive(Debug, Clone)]
pub(crate) struct ScanRequest {
    pub(crate) definition: Arc<TableDefinition>,
    /// Positions of the output columns in the table; those past its end are the hidden ones.
    pub(crate) projection: Vec<usize>,
    pub(crate) pushed: Arc<Pushed>,
    /// What the session may see of this table.
    pub(crate) access: SessionAccess,
    pub(crate) snapshot: Snapshot,
    /// Rows in the table, about; for planning.
    pub(crate) approximate_rows: u64,
    schema: OnceLock<SchemaRef>,
}

impl ScanRequest {
    pub(crate) fn new(
        definition: Arc<TableDefinition>,
        projection: Vec<usize>,
        pushed: Pushed,
        access: SessionAccess,
        snapshot: Snapshot,
        approximate_rows: u64,
    ) -> Self {
        Self {
            definition,
            projection,
            pushed: Arc::new(pushed),
            access,
            snapshot,
            approximate_rows,
            schema: OnceLock::new(),
        }
    }

    /// The table's columns that are in the output, in the output's order.
    pub(crate) fn table_columns(&self) -> Vec<usize> {
        let width = self.definition.columns.len();
        self.projection.iter().copied().filter(|column| *column < width).collect()
    }

    /// Whether the hidden columns are asked for.
    pub(crate) fn for_write(&self) -> bool {
        matches!(self.snapshot, Snapshot::OfWrite(_))
    }

    /// Whether the scan may compute the first half of aggregates, as far as it is asked to.
    pub(crate) fn takes_aggregates(&self) -> bool {
        !self.for_write() && self.pushed.at_run_time && self.definition.properties.partial_aggregates
    }

    pub(crate) fn schema(&self) -> SchemaRef {
        let schema = self.schema.get_or_init(|| {
            let all = extended_schema(&self.definition);
            let fields: Vec<Field> = self
                .projection
                .iter()
                .filter_map(|i| all.fields().get(*i))
                .map(|f| f.as_ref().clone())
                .collect();
            Arc::new(Schema::new(fields))
        });
        Arc::clone(schema)
    }

    pub(crate) fn row_filter(&self) -> Option<&RowFilterSpec> {
        self.pushed.predicate.row_filter.as_ref()
    }

    /// The output columns that rows are ordered by, as far as the row id's bytes sort as the values do, with the order
    /// of a forward scan. Leading parts of the key that the ranges fix to one value order nothing: they are left out.
    pub(crate) fn key_order(&self) -> Vec<(usize, SortOptions)> {
        let mut order = Vec::new();
        for (column, descending) in order_of_rows(&self.definition).into_iter().skip(self.fixed_parts()) {
            match self.output_of(column) {
                Some(output) => order.push((output, SortOptions { descending, nulls_first: descending })),
                None => break,
            }
        }
        order
    }

    /// The output columns that have one and the same value in every row.
    pub(crate) fn constant_outputs(&self) -> Vec<usize> {
        let fixed = order_of_rows(&self.definition).into_iter().take(self.fixed_parts());
        fixed.filter_map(|(column, _)| self.output_of(column)).collect()
    }

    /// Whether the order of rows is decided by the first `parts` columns of [`key_order`](Self::key_order): no two rows
    /// are alike in them.
    pub(crate) fn is_whole_key(&self, parts: usize) -> bool {
        parts > 0 && self.fixed_parts() + parts == order_of_rows(&self.definition).len()
    }

    fn fixed_parts(&self) -> usize {
        self.pushed.predicate.fixed_key_parts
    }

    fn output_of(&self, column: usize) -> Option<usize> {
        self.projection.iter().position(|projected| *projected == column)
    }
}

/// The table's schema and the hidden columns behind it.
pub(crate) fn extended_schema(definition: &TableDefinition) -> SchemaRef {
    let mut fields: Vec<Field> =
        definition.arrow_schema().fields().iter().map(|field| field.as_ref().clone()).collect();
    fields.push(Field::new(ROW_COLUMN, DataType::Binary, false));
    fields.push(Field::new(LABELS_COLUMN, DataType::Binary, false));
    Arc::new(Schema::new(fields))
}

/// The key columns whose values ascend (or descend) with the row id's bytes, and whether they descend.
pub(crate) fn order_of_rows(definition: &TableDefinition) -> Vec<(usize, bool)> {
    // Bytes that are no value may be read as NULL, anywhere in the order.
    if definition.properties.on_bad_value == OnBadValue::Null && !definition.keys_are_trusted() {
        return Vec::new();
    }
    match &definition.row_id {
        RowIdLayout::Native { columns, lexicoder } => {
            columns.iter().zip(lexicoder.parts()).map(|(column, part)| (*column, part.descending)).collect()
        }
        RowIdLayout::Single { column, ty, encoding }
            if ostracon_compare::is_order_preserving(*ty, *encoding) =>
        {
            vec![(*column, false)]
        }
        _ => Vec::new(),
    }
}
