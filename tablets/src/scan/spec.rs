//! All that a scan is, as plain data.

use ostracon_data::{Authorizations, RowRanges};
use ostracon_iterators::{IteratorSetting, RowFilterSpec};

/// All that a scan is: the only type of scans that travels (see [`wire`](crate::wire)).
///
/// `ScanSpec::default()` reads every row that an unlabelled session may see, with every cell's newest version.
#[derive(Debug, Clone, PartialEq)]
pub struct ScanSpec {
    /// The rows looked at.
    pub ranges: RowRanges,
    /// The columns that the reader's table maps: a row exists if it has a visible cell in one of them, or a visible
    /// marker, whatever is projected.
    pub columns: ColumnSelection,
    /// The columns handed out.
    pub projection: ColumnSelection,
    /// The labels of the session.
    pub authorizations: Authorizations,
    /// Rows for which this is not TRUE are left out. It sees all columns, projected or not.
    pub filter: Option<RowFilterSpec>,
    /// Iterators of this scan, besides those of the table's `scan` scope.
    pub iterators: Vec<IteratorSetting>,
    /// Versions of a cell (row, column and label) that are seen, the newest first; at least 1.
    pub max_versions: u32,
    /// Cells whose timestamp is more than this many milliseconds before `now_ms` are not seen.
    pub ttl_ms: Option<u64>,
    /// The time of the scan in milliseconds since 1970: what `ttl_ms` counts from.
    pub now_ms: i64,
    /// Rows handed out at most.
    pub limit: Option<u64>,
    /// Rows come in descending order.
    pub reverse: bool,
    /// Rows that are handed over at once where rows are handed over in batches; at least 1.
    pub batch_rows: usize,
}

impl Default for ScanSpec {
    fn default() -> Self {
        Self {
            ranges: RowRanges::All,
            columns: ColumnSelection::All,
            projection: ColumnSelection::All,
            authorizations: Authorizations::empty(),
            filter: None,
            iterators: Vec::new(),
            max_versions: 1,
            ttl_ms: None,
            now_ms: 0,
            limit: None,
            reverse: false,
            batch_rows: 1024,
        }
    }
}

impl ScanSpec {
    /// The oldest timestamp that is seen.
    pub(crate) fn oldest_time(&self) -> i64 {
        oldest_time(self.ttl_ms, self.now_ms)
    }
}

/// The oldest timestamp that has not expired.
pub(crate) fn oldest_time(ttl_ms: Option<u64>, now_ms: i64) -> i64 {
    ttl_ms.map_or(i64::MIN, |ttl| now_ms.saturating_sub_unsigned(ttl))
}

/// Some of a row's columns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ColumnSelection {
    /// Every column.
    All,
    /// The columns that any of the filters names; none for an empty list.
    Columns(Vec<ColumnFilter>),
}

/// A column, or the columns of a family whose qualifier starts alike.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ColumnFilter {
    /// One column.
    Exact {
        /// The column family.
        family: Vec<u8>,
        /// The column qualifier.
        qualifier: Vec<u8>,
    },
    /// Columns by qualifier prefix; an empty prefix means the whole family.
    Prefix {
        /// The column family.
        family: Vec<u8>,
        /// What the qualifiers start with.
        qualifier_prefix: Vec<u8>,
    },
}

impl ColumnFilter {
    /// One column.
    pub fn exact(family: impl Into<Vec<u8>>, qualifier: impl Into<Vec<u8>>) -> Self {
        Self::Exact { family: family.into(), qualifier: qualifier.into() }
    }

    /// The columns of `family` whose qualifier starts with `qualifier_prefix`.
    pub fn prefix(family: impl Into<Vec<u8>>, qualifier_prefix: impl Into<Vec<u8>>) -> Self {
        Self::Prefix { family: family.into(), qualifier_prefix: qualifier_prefix.into() }
    }

    /// Whether the filter names a column.
    pub fn matches(&self, family: &[u8], qualifier: &[u8]) -> bool {
        match self {
            Self::Exact { family: f, qualifier: q } => f == family && q == qualifier,
            Self::Prefix { family: f, qualifier_prefix } => {
                f == family && qualifier.starts_with(qualifier_prefix)
            }
        }
    }

    /// The family it names.
    pub fn family(&self) -> &[u8] {
        match self {
            Self::Exact { family, .. } | Self::Prefix { family, .. } => family,
        }
    }
}

impl ColumnSelection {
    /// No column.
    pub fn none() -> Self {
        Self::Columns(Vec::new())
    }

    /// Whether a column is selected.
    pub fn matches(&self, family: &[u8], qualifier: &[u8]) -> bool {
        match self {
            Self::All => true,
            Self::Columns(filters) => filters.iter().any(|filter| filter.matches(family, qualifier)),
        }
    }
}
