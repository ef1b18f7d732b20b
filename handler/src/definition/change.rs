//! `ALTER TABLE ... ADD`, `DROP` and `RENAME COLUMN`: a definition with other columns. No cell is touched.

use super::{ColumnDefinition, ColumnSpec, TYPED_FAMILY, TableDefinition, TableKind, layout};
use crate::error::{ErrorKind, HandlerError, Result};
use crate::mapping::ColumnTarget;
use ostracon_compare::Encoding;

/// A change of a table's columns.
#[derive(Debug, Clone, PartialEq)]
pub enum ColumnChange {
    /// A column is added behind the others; in rows that are there it is NULL.
    Add(ColumnSpec),
    /// A column is taken away. Its cells stay until their rows are written anew, and nobody sees them: a column that
    /// is added later under the same name has an id of its own.
    Drop(String),
    /// A column gets another name. Its cells are found by its id.
    Rename {
        /// The name it has.
        from: String,
        /// The name it gets.
        to: String,
    },
}

impl TableDefinition {
    /// The same table with its columns changed.
    ///
    /// # Errors
    /// `NotFound` for a column that is not there, `AlreadyExists` for a name that is taken, `Invalid` for a column of
    /// the key, the last one, one that a property names, and one added as NOT NULL or with a default. `Unsupported` for
    /// columns of mapped tables, which their `columns.mapping` lays out.
    pub fn with_change(&self, change: &ColumnChange) -> Result<Self> {
        let mut columns = self.columns.clone();
        let mut dropped = self.dropped.clone();
        let mut kind = self.kind;
        match change {
            ColumnChange::Add(spec) => {
                let TableKind::Typed { next_column_id } = &mut kind else {
                    return Err(self.laid_out_by_mapping("added"));
                };
                self.refuse_taken(&spec.name)?;
                if !spec.nullable || spec.default.is_some() {
                    return Err(HandlerError::invalid(format!(
                        "table '{}': the column '{}' is NULL in the rows that are there, so it cannot be added as \
                         NOT NULL or with a default; add it without, then UPDATE the table",
                        self.name, spec.name
                    )));
                }
                let target = ColumnTarget::Cell {
                    family: TYPED_FAMILY.to_vec(),
                    qualifier: layout::column_qualifier(*next_column_id),
                    encoding: Encoding::Native,
                };
                columns.push(layout::column(&self.name, spec.clone(), true, target)?);
                *next_column_id += 1;
            }
            ColumnChange::Drop(name) => {
                if kind == TableKind::Mapped {
                    return Err(self.laid_out_by_mapping("dropped"));
                }
                let index = self.changeable(name, "dropped")?;
                if self.row_id.columns().contains(&index) {
                    return Err(HandlerError::invalid(format!(
                        "table '{}': '{name}' is part of the PRIMARY KEY, which rows are found by; make a new table \
                         with CREATE TABLE ... AS SELECT",
                        self.name
                    )));
                }
                if columns.len() == 1 {
                    return Err(HandlerError::invalid(format!(
                        "table '{}': '{name}' is its only column; DROP TABLE takes the table away",
                        self.name
                    )));
                }
                dropped.push(columns.remove(index).target);
            }
            ColumnChange::Rename { from, to } => {
                let index = self.changeable(from, "renamed")?;
                if from != to {
                    self.refuse_taken(to)?;
                }
                if let Some(column) = columns.get_mut(index) {
                    column.name.clone_from(to);
                }
            }
        }
        let row_id = match &change {
            ColumnChange::Drop(name) => {
                let gone = self.column_index(name).unwrap_or(usize::MAX);
                self.row_id.without_column(gone)
            }
            _ => self.row_id.clone(),
        };
        let properties = self.properties.clone();
        let changed = Self::assemble(self.name.clone(), columns, row_id, kind, self.external, properties)?;
        Ok(TableDefinition { store_table: self.store_table.clone(), dropped, ..changed })
    }

    fn laid_out_by_mapping(&self, done: &str) -> HandlerError {
        HandlerError::unsupported(format!(
            "table '{}' is laid out by its columns.mapping: no column can be {done}; DROP the table (an external one \
             keeps its cells) and make it anew with another mapping",
            self.name
        ))
    }

    fn refuse_taken(&self, name: &str) -> Result<()> {
        match self.column_index(name) {
            None => Ok(()),
            Some(_) => Err(HandlerError::new(
                ErrorKind::AlreadyExists,
                format!("table '{}' has a column '{name}' already", self.name),
            )),
        }
    }

    /// The place of a column that no property names.
    fn changeable(&self, name: &str, done: &str) -> Result<usize> {
        let Some(index) = self.column_index(name) else {
            let names = self.columns.iter().map(|column: &ColumnDefinition| column.name.as_str());
            let hint = match crate::suggest::nearest(name, names) {
                Some(near) => format!("; did you mean {near}?"),
                None => String::new(),
            };
            let text = format!("table '{}' has no column '{name}'{hint}", self.name);
            return Err(HandlerError::new(ErrorKind::NotFound, text));
        };
        let groups = &self.properties.locality_groups;
        let group = groups.iter().find(|(_, parts)| parts.iter().any(|part| part == name));
        let property = match group {
            Some((group, _)) => Some(format!("locality.group.{group}")),
            None if self.properties.visibility_columns.contains_key(name) => {
                Some(format!("visibility.column.{name}"))
            }
            None if self.properties.composite_row_id.is_some() => Some("composite.rowid".to_owned()),
            None => None,
        };
        match property {
            None => Ok(index),
            Some(property) => Err(HandlerError::invalid(format!(
                "table '{}': the property '{property}' names columns, so '{name}' cannot be {done}; take the property \
                 away first: ALTER TABLE ... UNSET TBLPROPERTIES ('{property}')",
                self.name
            ))),
        }
    }
}
