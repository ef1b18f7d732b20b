//! A change of one row.
//!
//! [`Mutation`] carries the [`ColumnUpdate`]s of a single row, applied together or not at all and in their order.
//! It is what writers make; how it lies in storage is the segment crate's business.

use crate::bytes::{same_bytes, same_columns};

/// What one row's change consists of.
///
/// ```
/// use ostracon_data::{ErasedColumns, Mutation};
///
/// let mut mutation = Mutation::new("row");
/// mutation
///     .erase(ErasedColumns::Row, None)
///     .put("f", "q", "", "value")
///     .put_at("f", "old", "A|B", 17, "older value")
///     .delete("f", "gone", "", None);
/// assert_eq!(mutation.updates.len(), 4);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Mutation {
    /// Row id.
    pub row: Vec<u8>,
    /// The updates; a later one is newer than an earlier one.
    pub updates: Vec<ColumnUpdate>,
    /// Whether each put also erases what older commits wrote to its exact family, qualifier and label, whatever
    /// the timestamp. This keeps columns with a single version from growing and makes a put with an old timestamp
    /// win, as SQL expects of an upsert.
    pub replaces_older: bool,
}

/// One update of a row.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ColumnUpdate {
    /// Writes a cell.
    Put {
        /// Column family.
        family: Vec<u8>,
        /// Column qualifier.
        qualifier: Vec<u8>,
        /// Label expression; empty means unlabelled.
        visibility: Vec<u8>,
        /// Milliseconds since 1970-01-01 UTC; `None` is the time of the commit.
        timestamp: Option<i64>,
        /// The cell's bytes.
        value: Vec<u8>,
    },
    /// Accumulo's delete marker: hides the cells of its column and label whose timestamp is not larger than its own.
    Delete {
        /// Column family.
        family: Vec<u8>,
        /// Column qualifier.
        qualifier: Vec<u8>,
        /// The exact label of the cells to hide.
        visibility: Vec<u8>,
        /// Milliseconds since 1970-01-01 UTC; `None` is the time of the commit.
        timestamp: Option<i64>,
    },
    /// SQL's delete: hides what older commits, and earlier updates of this mutation, wrote, whatever the timestamp.
    Erase {
        /// Which columns.
        columns: ErasedColumns,
        /// The exact label of the cells to hide; `None` is every label, `Some` of an empty vector only unlabelled cells.
        label: Option<Vec<u8>>,
    },
}

/// The columns an erase covers.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ErasedColumns {
    /// One column.
    Exact {
        /// Column family.
        family: Vec<u8>,
        /// Column qualifier.
        qualifier: Vec<u8>,
    },
    /// Every column of the family whose qualifier starts with the prefix.
    Prefix {
        /// Column family.
        family: Vec<u8>,
        /// Start of the qualifiers; empty covers the whole family.
        qualifier_prefix: Vec<u8>,
    },
    /// The whole row, the marker cell included.
    Row,
}

impl ErasedColumns {
    /// Whether the column is one of these.
    pub fn covers(&self, family: &[u8], qualifier: &[u8]) -> bool {
        match self {
            Self::Exact { family: f, qualifier: q } => same_columns((f, q), (family, qualifier)),
            Self::Prefix { family: f, qualifier_prefix } => {
                same_bytes(f, family) && qualifier.starts_with(qualifier_prefix)
            }
            Self::Row => true,
        }
    }
}

impl Mutation {
    /// A mutation of `row` without updates.
    pub fn new(row: impl Into<Vec<u8>>) -> Self {
        Self { row: row.into(), updates: Vec::new(), replaces_older: false }
    }

    /// Whether there is nothing to do.
    pub fn is_empty(&self) -> bool {
        self.updates.is_empty()
    }

    /// Adds a cell with the time of the commit.
    pub fn put(
        &mut self,
        family: impl Into<Vec<u8>>,
        qualifier: impl Into<Vec<u8>>,
        visibility: impl Into<Vec<u8>>,
        value: impl Into<Vec<u8>>,
    ) -> &mut Self {
        self.updates.push(ColumnUpdate::Put {
            family: family.into(),
            qualifier: qualifier.into(),
            visibility: visibility.into(),
            timestamp: None,
            value: value.into(),
        });
        self
    }

    /// Adds a cell with a timestamp in milliseconds.
    pub fn put_at(
        &mut self,
        family: impl Into<Vec<u8>>,
        qualifier: impl Into<Vec<u8>>,
        visibility: impl Into<Vec<u8>>,
        timestamp: i64,
        value: impl Into<Vec<u8>>,
    ) -> &mut Self {
        self.updates.push(ColumnUpdate::Put {
            family: family.into(),
            qualifier: qualifier.into(),
            visibility: visibility.into(),
            timestamp: Some(timestamp),
            value: value.into(),
        });
        self
    }

    /// Adds a delete marker; a `timestamp` of `None` is the time of the commit.
    pub fn delete(
        &mut self,
        family: impl Into<Vec<u8>>,
        qualifier: impl Into<Vec<u8>>,
        visibility: impl Into<Vec<u8>>,
        timestamp: Option<i64>,
    ) -> &mut Self {
        self.updates.push(ColumnUpdate::Delete {
            family: family.into(),
            qualifier: qualifier.into(),
            visibility: visibility.into(),
            timestamp,
        });
        self
    }

    /// Adds an erase; a `label` of `None` is every label.
    pub fn erase(&mut self, columns: ErasedColumns, label: Option<Vec<u8>>) -> &mut Self {
        self.updates.push(ColumnUpdate::Erase { columns, label });
        self
    }

    /// Sets [`replaces_older`](Self::replaces_older).
    pub fn replacing_older(&mut self, replaces_older: bool) -> &mut Self {
        self.replaces_older = replaces_older;
        self
    }

    /// Bytes of the row and of all updates' variable fields: a measure for buffers, not the size at rest.
    pub fn byte_len(&self) -> usize {
        self.row.len() + self.updates.iter().map(ColumnUpdate::byte_len).sum::<usize>()
    }
}

impl ColumnUpdate {
    /// Bytes of the variable fields.
    pub fn byte_len(&self) -> usize {
        match self {
            Self::Put { family, qualifier, visibility, value, .. } => {
                family.len() + qualifier.len() + visibility.len() + value.len()
            }
            Self::Delete { family, qualifier, visibility, .. } => {
                family.len() + qualifier.len() + visibility.len()
            }
            Self::Erase { columns, label } => {
                let columns = match columns {
                    ErasedColumns::Exact { family, qualifier } => family.len() + qualifier.len(),
                    ErasedColumns::Prefix { family, qualifier_prefix } => {
                        family.len() + qualifier_prefix.len()
                    }
                    ErasedColumns::Row => 0,
                };
                columns + label.as_ref().map_or(0, Vec::len)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn builders_keep_the_order_and_every_field() {
        let mut mutation = Mutation::new("r");
        assert!(mutation.is_empty());
        mutation
            .put("f", "q", "A", [1u8, 2])
            .put_at("f", "q", "", -1, "v")
            .delete("f", "d", "B", Some(9))
            .erase(ErasedColumns::Row, Some(b"L".to_vec()))
            .replacing_older(true);
        assert!(mutation.replaces_older);
        assert_eq!(
            mutation.updates,
            vec![
                ColumnUpdate::Put {
                    family: b"f".to_vec(),
                    qualifier: b"q".to_vec(),
                    visibility: b"A".to_vec(),
                    timestamp: None,
                    value: vec![1, 2],
                },
                ColumnUpdate::Put {
                    family: b"f".to_vec(),
                    qualifier: b"q".to_vec(),
                    visibility: Vec::new(),
                    timestamp: Some(-1),
                    value: b"v".to_vec(),
                },
                ColumnUpdate::Delete {
                    family: b"f".to_vec(),
                    qualifier: b"d".to_vec(),
                    visibility: b"B".to_vec(),
                    timestamp: Some(9),
                },
                ColumnUpdate::Erase { columns: ErasedColumns::Row, label: Some(b"L".to_vec()) },
            ]
        );
        assert_eq!(mutation.byte_len(), 1 + 5 + 3 + 3 + 1);
    }

    #[test]
    fn erased_columns_cover_what_they_say() {
        let exact = ErasedColumns::Exact { family: b"f".to_vec(), qualifier: b"q".to_vec() };
        assert!(exact.covers(b"f", b"q"));
        assert!(!exact.covers(b"f", b"qq"));
        assert!(!exact.covers(b"g", b"q"));
        let prefix = ErasedColumns::Prefix { family: b"f".to_vec(), qualifier_prefix: b"q".to_vec() };
        assert!(prefix.covers(b"f", b"q") && prefix.covers(b"f", b"qq"));
        assert!(!prefix.covers(b"f", b"p") && !prefix.covers(b"ff", b"q"));
        assert!(ErasedColumns::Row.covers(b"", b""));
    }
}
