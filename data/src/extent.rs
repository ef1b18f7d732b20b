//! The rows of one tablet.
//!
//! [`TableId`] names a store table by number, [`KeyExtent`] one of its tablets by the rows it covers. Extents only say
//! which rows; where a tablet's data lies is the tablet server's business.

use std::cmp::Ordering;
use std::fmt;

use crate::{RowRange, row_successor};

/// Number of a store table, never reused within a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TableId(pub u32);

impl fmt::Display for TableId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// The rows in `(prev_end_row, end_row]` of a table: Accumulo's convention, by which a split point is the last row of
/// the lower tablet.
///
/// Extents order by table, then end row (the last tablet, which has none, comes last), then previous end row.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct KeyExtent {
    /// The table.
    pub table: TableId,
    /// Last row of the tablet before this one, not in this one; `None` for the first tablet.
    pub prev_end_row: Option<Vec<u8>>,
    /// Last row of this tablet; `None` for the last tablet.
    pub end_row: Option<Vec<u8>>,
}

impl KeyExtent {
    /// The extent of a table with a single tablet.
    pub fn whole(table: TableId) -> Self {
        Self { table, prev_end_row: None, end_row: None }
    }

    /// The extents of a table split at the given rows, which may come in any order and repeat.
    pub fn split_at(table: TableId, split_points: impl IntoIterator<Item = Vec<u8>>) -> Vec<Self> {
        let mut points: Vec<Vec<u8>> = split_points.into_iter().collect();
        points.sort();
        points.dedup();
        let mut extents = Vec::with_capacity(points.len() + 1);
        let mut prev_end_row = None;
        for point in points {
            extents.push(Self { table, prev_end_row, end_row: Some(point.clone()) });
            prev_end_row = Some(point);
        }
        extents.push(Self { table, prev_end_row, end_row: None });
        extents
    }

    /// Whether the row belongs to the tablet.
    pub fn contains(&self, row: &[u8]) -> bool {
        self.prev_end_row.as_ref().is_none_or(|before| before.as_slice() < row)
            && self.end_row.as_ref().is_none_or(|last| row <= last.as_slice())
    }

    /// The same rows as a half-open range.
    pub fn row_range(&self) -> RowRange {
        RowRange {
            start: self.prev_end_row.as_deref().map(row_successor).unwrap_or_default(),
            end: self.end_row.as_deref().map(row_successor),
        }
    }
}

impl Ord for KeyExtent {
    fn cmp(&self, other: &Self) -> Ordering {
        let ends = match (&self.end_row, &other.end_row) {
            (None, None) => Ordering::Equal,
            (None, Some(_)) => Ordering::Greater,
            (Some(_), None) => Ordering::Less,
            (Some(a), Some(b)) => a.cmp(b),
        };
        // `None` sorts first among options, and the first tablet has no previous end row.
        self.table.cmp(&other.table).then(ends).then_with(|| self.prev_end_row.cmp(&other.prev_end_row))
    }
}

impl PartialOrd for KeyExtent {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for KeyExtent {
    /// `table;end;previous end` with `<` for a missing row, as Accumulo prints extents.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.table)?;
        for row in [&self.end_row, &self.prev_end_row] {
            match row {
                Some(row) => write!(f, ";{}", row.escape_ascii())?,
                None => write!(f, "<")?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_split_point_belongs_to_the_lower_tablet() {
        let extents = KeyExtent::split_at(TableId(3), [b"m".to_vec(), b"c".to_vec(), b"m".to_vec()]);
        assert_eq!(extents.len(), 3);
        assert!(extents.is_sorted());
        for (row, at) in [(&b""[..], 0), (b"c", 0), (b"c\0", 1), (b"m", 1), (b"m\0", 2), (b"\xff", 2)] {
            let holders: Vec<usize> = (0..3).filter(|i| extents[*i].contains(row)).collect();
            assert_eq!(holders, vec![at], "{}", row.escape_ascii());
            assert!(extents[at].row_range().contains(row));
        }
        let shown: Vec<String> = extents.iter().map(ToString::to_string).collect();
        assert_eq!(shown, ["3;c<", "3;m;c", "3<;m"]);
        assert_eq!(KeyExtent::whole(TableId(1)).row_range(), RowRange::all());
    }

    #[test]
    fn order_is_table_then_end_then_previous_end() {
        let extent = |table, prev: Option<&[u8]>, end: Option<&[u8]>| KeyExtent {
            table: TableId(table),
            prev_end_row: prev.map(<[u8]>::to_vec),
            end_row: end.map(<[u8]>::to_vec),
        };
        let sorted = [
            extent(1, None, Some(b"b")),
            extent(1, Some(b"a"), Some(b"b")),
            extent(1, None, None),
            extent(1, Some(b"b"), None),
            extent(2, None, Some(b"a")),
        ];
        assert!(sorted.is_sorted());
    }
}
