//! [`AggregateSpec`]: what a partial aggregate computes of a scan's rows.

use datafusion::arrow::datatypes::SchemaRef;

use super::kernel::Measures;

/// The least or greatest text (or bytes) of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TextExtreme {
    /// The output column of the scan.
    pub(crate) column: usize,
    /// Whether the greatest is asked for.
    pub(crate) greatest: bool,
}

/// One column of the result: a part of an aggregate's state, as DataFusion's partial aggregation gives it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum State {
    /// Rows that a presence counts.
    Count { presence: usize },
    /// The same as an average keeps it: by group, NULL instead of zero.
    AverageCount { presence: usize },
    /// A sum, NULL without rows.
    Sum(usize),
    /// A sum of whole numbers as DataFusion takes it in floating point.
    FloatSum(usize),
    /// The least or greatest number, NULL without rows.
    Extreme(usize),
    /// The least or greatest text, NULL without rows.
    Text(usize),
}

/// What a partial aggregate computes. Columns are the scan's output columns.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct AggregateSpec {
    /// Columns by whose values rows are grouped; none: there is one group, with or without rows.
    pub(crate) groups: Vec<usize>,
    /// Counts, sums, least and greatest numbers; the first presence is that of all rows.
    pub(crate) measures: Measures,
    /// Least and greatest texts.
    pub(crate) texts: Vec<TextExtreme>,
    /// The columns of the result behind the groups.
    pub(crate) states: Vec<State>,
    /// The result: groups, then states.
    pub(crate) schema: SchemaRef,
    /// The aggregates as users read them.
    pub(crate) labels: Vec<String>,
}

impl AggregateSpec {
    /// Whether some sum is one that DataFusion takes in floating point.
    pub(crate) fn adds_in_float(&self) -> bool {
        self.measures.sums.iter().any(|sum| sum.in_float)
    }
}

/// The presence of all rows.
pub(crate) const ROWS: usize = 0;
