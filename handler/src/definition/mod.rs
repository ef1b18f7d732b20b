//! What a table is: its columns, where each lies in the store, and how a row id is made of values.
//!
//! Principal types: [`ColumnSpec`]s (what a `CREATE TABLE` declares) and
//! [`TableProperties`] make a [`TableDefinition`] of
//! [`ColumnDefinition`]s and a [`RowIdLayout`]; [`TableDefinition::to_catalog`] and
//! [`TableDefinition::from_catalog`] are its versioned form at rest.
//!
//! A **typed** table lays its columns out itself: the row id is the PRIMARY KEY in order-preserving encoding (or
//! a hidden ascending number), every other column is a cell of family `c` whose qualifier is the column's id, so
//! that a rename moves nothing. A **mapped** table is what its `columns.mapping` says.
//!
//! A definition knows nothing of the store's state and does no I/O.

mod catalog;
mod change;
mod layout;

use std::sync::Arc;

use arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use ostracon_compare::Encoding;
use ostracon_data::{ROW_MARKER_FAMILY, same_bytes};
use ostracon_iterators::OnBadValue;
use ostracon_tablets::{ColumnFilter, ColumnSelection};

use crate::error::{HandlerError, Result};
use crate::mapping::{ColumnMapping, ColumnTarget};
use crate::properties::TableProperties;

pub use change::ColumnChange;
pub use layout::RowIdLayout;
pub(crate) use layout::map_parts;

/// The family of a typed table's cells.
pub const TYPED_FAMILY: &[u8] = b"c";

/// The bytes that stand for NULL in a text cell, as in Hive.
pub const NULL_SEQUENCE: &[u8] = br"\N";

/// A column as it is declared.
#[derive(Debug, Clone, PartialEq)]
pub struct ColumnSpec {
    /// The name, in the case it is to be shown.
    pub name: String,
    /// The declared type; views and large variants are stored as their plain forms.
    pub data_type: DataType,
    /// Whether NULL may be written.
    pub nullable: bool,
    /// The SQL text of the default value.
    pub default: Option<String>,
}

impl ColumnSpec {
    /// A nullable column without a default.
    pub fn new(name: impl Into<String>, data_type: DataType) -> Self {
        ColumnSpec { name: name.into(), data_type, nullable: true, default: None }
    }

    /// The same column, refusing NULL.
    #[must_use]
    pub fn not_null(mut self) -> Self {
        self.nullable = false;
        self
    }

    /// The same column with a default, as SQL text.
    #[must_use]
    pub fn with_default(mut self, sql: impl Into<String>) -> Self {
        self.default = Some(sql.into());
        self
    }
}

/// A column of a table and what stands behind it.
#[derive(Debug, Clone, PartialEq)]
pub struct ColumnDefinition {
    /// The name.
    pub name: String,
    /// The type that scans give and writes take.
    pub data_type: DataType,
    /// Whether NULL may be written. What is read may be NULL all the same: cells can be absent or hidden.
    pub nullable: bool,
    /// The SQL text of the default value.
    pub default: Option<String>,
    /// Where the values lie.
    pub target: ColumnTarget,
}

/// How the columns of a table came to their places.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TableKind {
    /// By the handler itself; the next column added gets this id.
    Typed {
        /// The id of the next column.
        next_column_id: u32,
    },
    /// By a column mapping.
    Mapped,
}

/// A table: what planning, reading and writing need to know of it.
#[derive(Debug, Clone, PartialEq)]
pub struct TableDefinition {
    /// The SQL name.
    pub name: String,
    /// The table of the store.
    pub store_table: String,
    /// The columns, in their order.
    pub columns: Vec<ColumnDefinition>,
    /// How values become a row id and back.
    pub row_id: RowIdLayout,
    /// Typed or mapped.
    pub kind: TableKind,
    /// Whether DROP keeps the cells.
    pub external: bool,
    /// The properties.
    pub properties: TableProperties,
    /// Where the values of dropped columns lie. Nobody reads them, but a row may have no other cell.
    dropped: Vec<ColumnTarget>,
    schema: SchemaRef,
}

impl TableDefinition {
    /// A typed table. `primary_key` names its key columns in order; none means a hidden row id.
    ///
    /// # Errors
    /// `Invalid`: no columns, a name twice, a key column that is not there, properties that only a mapped table
    /// has. `Unsupported`: a type the store has no encoding for.
    pub fn typed(
        name: impl Into<String>,
        columns: Vec<ColumnSpec>,
        primary_key: &[String],
        properties: TableProperties,
    ) -> Result<Self> {
        let name = name.into();
        for (set, key) in [
            (properties.columns_mapping.is_some(), "columns.mapping"),
            (properties.composite_row_id.is_some(), "composite.rowid"),
        ] {
            if set {
                return Err(HandlerError::invalid(format!(
                    "table '{name}': the property '{key}' is for mapped tables; \
                     use CREATE EXTERNAL TABLE ... STORED AS TABLET without a PRIMARY KEY"
                )));
            }
        }
        let mut key = Vec::with_capacity(primary_key.len());
        for part in primary_key {
            let column = columns.iter().position(|column| column.name == *part).ok_or_else(|| {
                HandlerError::invalid(format!(
                    "table '{name}': the PRIMARY KEY names '{part}', which is no column"
                ))
            })?;
            if key.contains(&column) {
                return Err(HandlerError::invalid(format!(
                    "table '{name}': the PRIMARY KEY names '{part}' twice"
                )));
            }
            key.push(column);
        }
        let ids: Vec<u32> = (1..).take(columns.len()).collect();
        Self::typed_with_ids(name, columns, &key, &ids, properties)
    }

    /// A typed table whose columns have ids already. `ids` is as long as `columns`.
    fn typed_with_ids(
        name: String,
        columns: Vec<ColumnSpec>,
        key: &[usize],
        ids: &[u32],
        properties: TableProperties,
    ) -> Result<Self> {
        let columns = columns
            .into_iter()
            .zip(ids)
            .enumerate()
            .map(|(i, (column, id))| {
                let target = if key.contains(&i) {
                    ColumnTarget::RowId { encoding: Encoding::Native }
                } else {
                    ColumnTarget::Cell {
                        family: TYPED_FAMILY.to_vec(),
                        qualifier: layout::column_qualifier(*id),
                        encoding: Encoding::Native,
                    }
                };
                let nullable = column.nullable && !key.contains(&i);
                layout::column(&name, column, nullable, target)
            })
            .collect::<Result<Vec<_>>>()?;
        let row_id = RowIdLayout::of_key(&name, &columns, key)?;
        let next_column_id = ids.iter().max().map_or(1, |last| last + 1);
        Self::assemble(name, columns, row_id, TableKind::Typed { next_column_id }, false, properties)
    }

    /// A mapped table: what `columns.mapping` says of the columns.
    ///
    /// # Errors
    /// `Invalid`: a bad mapping (with its position), no mapping at all, a struct row id without
    /// `composite.rowid`, a `visibility.column.NAME` that is no cell.
    pub fn mapped(
        name: impl Into<String>,
        columns: Vec<ColumnSpec>,
        external: bool,
        properties: TableProperties,
    ) -> Result<Self> {
        let name = name.into();
        let Some(mapping) = &properties.columns_mapping else {
            return Err(HandlerError::invalid(format!(
                "table '{name}': the property 'columns.mapping' is missing; \
                 it has one entry a column, for example ':rowid,family:qualifier'"
            )));
        };
        let declared: Vec<(String, DataType)> = columns
            .iter()
            .map(|column| (column.name.clone(), layout::stored_type(&column.data_type)))
            .collect();
        let mapping = ColumnMapping::parse(mapping, &declared, properties.default_storage)?;
        let columns = columns
            .into_iter()
            .zip(mapping.into_targets())
            .map(|(column, target)| {
                let nullable = column.nullable && !matches!(target, ColumnTarget::RowId { .. });
                layout::column(&name, column, nullable, target)
            })
            .collect::<Result<Vec<_>>>()?;
        let row_id = RowIdLayout::of_mapping(&name, &columns, properties.composite_row_id.as_ref())?;
        Self::assemble(name, columns, row_id, TableKind::Mapped, external, properties)
    }

    fn assemble(
        name: String,
        columns: Vec<ColumnDefinition>,
        row_id: RowIdLayout,
        kind: TableKind,
        external: bool,
        properties: TableProperties,
    ) -> Result<Self> {
        if columns.is_empty() {
            return Err(HandlerError::invalid(format!(
                "table '{name}' has no columns; declare at least one"
            )));
        }
        for (i, column) in columns.iter().enumerate() {
            if columns.iter().take(i).any(|earlier| earlier.name == column.name) {
                return Err(HandlerError::invalid(format!(
                    "table '{name}' has two columns '{}'",
                    column.name
                )));
            }
        }
        for labelled in properties.visibility_columns.keys() {
            let column = columns.iter().find(|column| column.name == *labelled);
            if !column.is_some_and(|column| column.is_stored_in_cells()) {
                return Err(HandlerError::invalid(format!(
                    "table '{name}': the property 'visibility.column.{labelled}' names no column that is kept in cells"
                )));
            }
        }
        let store_table = properties.table_name.clone().unwrap_or_else(|| name.clone());
        let readable_keys = properties.on_bad_value == OnBadValue::Null && kind == TableKind::Mapped;
        let fields: Vec<Field> = columns
            .iter()
            .map(|column| {
                // A cell may be absent or hidden whatever was declared; a key that is read at all is there, unless
                // key bytes that are no value are to be read as NULL.
                let nullable = readable_keys || !matches!(column.target, ColumnTarget::RowId { .. });
                Field::new(&column.name, column.data_type.clone(), nullable)
            })
            .collect();
        let schema = Arc::new(Schema::new(fields));
        let dropped = Vec::new();
        Ok(TableDefinition {
            name,
            store_table,
            columns,
            row_id,
            kind,
            external,
            properties,
            dropped,
            schema,
        })
    }

    /// The same table with other properties (`ALTER TABLE ... SET TBLPROPERTIES`).
    ///
    /// # Errors
    /// `Invalid` if the properties do not fit the columns.
    pub fn with_properties(&self, properties: TableProperties) -> Result<Self> {
        let changed = Self::assemble(
            self.name.clone(),
            self.columns.clone(),
            self.row_id.clone(),
            self.kind,
            self.external,
            properties,
        )?;
        let dropped = self.dropped.clone();
        Ok(TableDefinition { store_table: self.store_table.clone(), dropped, ..changed })
    }

    /// The schema that scans give.
    pub fn arrow_schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }

    /// The schema that writes take: NULL may arrive anywhere and is refused by the row encoder, which can say
    /// which column and row it is.
    pub fn write_schema(&self) -> SchemaRef {
        let fields = self.schema.fields().iter().map(|field| field.as_ref().clone().with_nullable(true));
        Arc::new(Schema::new(fields.collect::<Vec<_>>()))
    }

    /// The position of a column, by its exact name.
    pub fn column_index(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| column.name == name)
    }

    /// The columns that the row id is made of, in key order.
    pub fn key_columns(&self) -> Vec<usize> {
        self.row_id.columns()
    }

    /// Whether key bytes, and those of cells, can be nothing but what this definition's encoder wrote.
    pub fn keys_are_trusted(&self) -> bool {
        matches!(self.kind, TableKind::Typed { .. }) && !self.external
    }

    /// The cells of all columns, dropped ones included: what decides whether a row exists.
    pub fn mapped_columns(&self) -> ColumnSelection {
        ColumnSelection::Columns(self.targets().filter_map(cells_of_target).collect())
    }

    /// Where values lie, or lay before their column was dropped.
    pub(crate) fn targets(&self) -> impl Iterator<Item = &ColumnTarget> {
        self.columns.iter().map(|column| &column.target).chain(&self.dropped)
    }

    /// The cells of some columns (positions); pseudo-columns and key parts have none.
    pub fn cells_of(&self, columns: impl IntoIterator<Item = usize>) -> ColumnSelection {
        let columns = columns.into_iter().filter_map(|i| self.columns.get(i));
        ColumnSelection::Columns(columns.filter_map(|column| cells_of_target(&column.target)).collect())
    }

    /// Whether a cell belongs to this table: it is mapped, or it is a row marker.
    pub fn maps_cell(&self, family: &[u8], qualifier: &[u8]) -> bool {
        family == ROW_MARKER_FAMILY || self.targets().any(|target| target.covers(family, qualifier))
    }
}

/// The cells of a column that has some.
fn cells_of_target(target: &ColumnTarget) -> Option<ColumnFilter> {
    match target {
        ColumnTarget::Cell { family, qualifier, .. } => {
            Some(ColumnFilter::Exact { family: family.clone(), qualifier: qualifier.clone() })
        }
        ColumnTarget::Map { family, prefix, .. } => {
            Some(ColumnFilter::Prefix { family: family.clone(), qualifier_prefix: prefix.clone() })
        }
        ColumnTarget::RowId { .. } | ColumnTarget::Timestamp | ColumnTarget::Visibility => None,
    }
}

impl ColumnDefinition {
    /// Whether the values are kept in cells (rather than in the row id, or derived).
    pub fn is_stored_in_cells(&self) -> bool {
        matches!(self.target, ColumnTarget::Cell { .. } | ColumnTarget::Map { .. })
    }
}

impl ColumnTarget {
    /// Whether the cell of this family and qualifier belongs to the target.
    pub fn covers(&self, cell_family: &[u8], cell_qualifier: &[u8]) -> bool {
        match self {
            ColumnTarget::Cell { family, qualifier, .. } => {
                same_bytes(family, cell_family) && same_bytes(qualifier, cell_qualifier)
            }
            ColumnTarget::Map { family, prefix, .. } => {
                same_bytes(family, cell_family) && cell_qualifier.starts_with(prefix)
            }
            ColumnTarget::RowId { .. } | ColumnTarget::Timestamp | ColumnTarget::Visibility => false,
        }
    }
}

#[cfg(test)]
mod tests;
