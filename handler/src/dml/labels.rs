//! [`RowLabels`]: the labels of a row that is about to be changed.

use std::collections::BTreeSet;

use datafusion::arrow::array::{AsArray, BinaryArray, RecordBatch};
use ostracon_data::RowBuffer;

use crate::definition::TableDefinition;
use crate::error::{HandlerError, Result};
use crate::mapping::ColumnTarget;
use crate::rows::visible_labels;
use crate::scan::{LABELS_COLUMN, ROW_COLUMN};

/// The labels of a row's visible cells.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct RowLabels {
    /// All of them, markers' included; `b""` for unlabelled.
    pub(crate) all: BTreeSet<Vec<u8>>,
    /// By column of the table: the label of the cell that SQL sees. Only told where there are several labels.
    pub(crate) by_column: Vec<Option<Vec<u8>>>,
}

impl RowLabels {
    /// The labels of a row.
    pub(crate) fn of(definition: &TableDefinition, row: &RowBuffer) -> Self {
        let all = visible_labels(definition, row);
        if all.len() < 2 {
            return Self { all, by_column: Vec::new() };
        }
        let by_column = definition.columns.iter().map(|column| match &column.target {
            ColumnTarget::Cell { family, qualifier, .. } => {
                row.find(family, qualifier).map(|cell| cell.visibility.to_vec())
            }
            target @ ColumnTarget::Map { .. } => row
                .cells()
                .find(|cell| target.covers(cell.family, cell.qualifier))
                .map(|cell| cell.visibility.to_vec()),
            _ => None,
        });
        let by_column = by_column.collect();
        Self { all, by_column }
    }

    /// The label under which a new value of a column is written: that of the value it replaces; where there is none,
    /// the row's, and of several all at once, so that nobody sees a value who saw only a part of the row.
    pub(crate) fn for_column(&self, column: usize) -> Vec<u8> {
        if let Some(Some(label)) = self.by_column.get(column) {
            return label.clone();
        }
        let mut parts = self.all.iter().filter(|label| !label.is_empty());
        match (parts.next(), parts.next()) {
            (None, _) => Vec::new(),
            (Some(only), None) => only.clone(),
            _ => {
                let parts = self.all.iter().filter(|label| !label.is_empty());
                let parts: Vec<Vec<u8>> =
                    parts.map(|label| [b"(", label.as_slice(), b")"].concat()).collect();
                parts.join(&b'&')
            }
        }
    }

    /// The form in which labels pass through a plan: numbers are u32 big-endian; count and labels, then one plus the
    /// place of each column's label, zero for none.
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        put_number(&mut bytes, self.all.len());
        for label in &self.all {
            put_number(&mut bytes, label.len());
            bytes.extend_from_slice(label);
        }
        for label in &self.by_column {
            let place = label.as_ref().and_then(|label| self.all.iter().position(|other| other == label));
            put_number(&mut bytes, place.map_or(0, |place| place + 1));
        }
        bytes
    }

    /// Reads what [`RowLabels::to_bytes`] wrote.
    pub(crate) fn from_bytes(mut bytes: &[u8]) -> Result<Self> {
        let count = take_number(&mut bytes)?;
        let mut all = Vec::new();
        for _ in 0..count {
            let length = take_number(&mut bytes)?;
            let (label, rest) = bytes.split_at_checked(length).ok_or_else(damaged)?;
            all.push(label.to_vec());
            bytes = rest;
        }
        let mut by_column = Vec::new();
        while !bytes.is_empty() {
            let place = take_number(&mut bytes)?;
            by_column.push(place.checked_sub(1).and_then(|place| all.get(place).cloned()));
        }
        Ok(Self { all: all.into_iter().collect(), by_column })
    }
}

fn put_number(bytes: &mut Vec<u8>, number: usize) {
    bytes.extend_from_slice(&u32::try_from(number).unwrap_or(u32::MAX).to_be_bytes());
}

fn take_number(bytes: &mut &[u8]) -> Result<usize> {
    let (number, rest) = bytes.split_first_chunk::<4>().ok_or_else(damaged)?;
    *bytes = rest;
    usize::try_from(u32::from_be_bytes(*number)).map_err(|_| damaged())
}

fn damaged() -> HandlerError {
    HandlerError::internal("the labels of a row were damaged on their way through the plan")
}

/// The hidden columns of a batch: row bytes and labels.
pub(crate) fn hidden_columns(batch: &RecordBatch) -> Result<(&BinaryArray, &BinaryArray)> {
    let column = |name: &str| {
        let array = batch.column_by_name(name).and_then(|array| array.as_binary_opt::<i32>());
        array.ok_or_else(|| HandlerError::internal(format!("the rows to change came without {name}")))
    };
    Ok((column(ROW_COLUMN)?, column(LABELS_COLUMN)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(all: &[&str], by_column: &[Option<&str>]) -> RowLabels {
        RowLabels {
            all: all.iter().map(|label| label.as_bytes().to_vec()).collect(),
            by_column: by_column.iter().map(|label| label.map(|label| label.as_bytes().to_vec())).collect(),
        }
    }

    #[test]
    fn labels_come_back_from_their_bytes() {
        for row in [
            labels(&[], &[]),
            labels(&[""], &[]),
            labels(&["", "A&B", "C"], &[Some("A&B"), None, Some(""), Some("C")]),
        ] {
            assert_eq!(RowLabels::from_bytes(&row.to_bytes()).unwrap(), row);
        }
        for damaged in [&b""[..], b"\0\0", b"\0\0\0\x01", b"\0\0\0\x01\0\0\0\x05abc", b"\0\0\0\0\0"] {
            assert!(RowLabels::from_bytes(damaged).is_err(), "{damaged:?}");
        }
    }

    #[test]
    fn a_new_value_is_as_guarded_as_what_it_stands_beside() {
        assert_eq!(labels(&[""], &[]).for_column(0), b"");
        assert_eq!(labels(&["A"], &[]).for_column(3), b"A");
        let mixed = labels(&["", "A|B", "C"], &[Some("C"), None, Some("")]);
        assert_eq!(mixed.for_column(0), b"C");
        assert_eq!(mixed.for_column(1), b"(A|B)&(C)");
        assert_eq!(mixed.for_column(2), b"");
    }
}
