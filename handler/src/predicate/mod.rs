//! Predicate decomposition: what of a filter the store can answer, decided once and purely.
//!
//! Principal type: [`decompose`] takes the filters that DataFusion offers and a
//! [`TableDefinition`] and gives a [`DecomposedPredicate`]: row ranges, one row
//! filter program, and a [`FilterVerdict`] a filter. Planning (`supports_filters_pushdown`) and scanning both call
//! it, so that what is promised is what is done.
//!
//! In the order data meets them: `lower` (with `shape` and `case`) turns expressions into a tree of atoms over operands (`operand`,
//! `subject`, `guarded`, `literal`); `program` makes the row filter of the tree; `key_set` and `key_space` make sets of row
//! ids of it; `ranges` turns those into row ranges; `text` and `range_text` print both for EXPLAIN.
//!
//! The rules:
//! * A filter is [`Exactness::Exact`] only if the store gives exactly the rows where it is TRUE (not FALSE, not
//!   NULL) by DataFusion's own comparison. That depends on the filter and the table alone, never on the other
//!   filters, because it may be asked about in any company.
//! * Row ranges hold every row that all filters accept, and maybe more. A filter is left to the ranges alone only
//!   where they hold no row that it refuses.
//! * What cannot be proven stays with DataFusion; nothing here fails.
//!
//! It reads no data, keeps no state, and knows neither labels nor indexes.

mod case;
mod guarded;
mod key_bytes;
mod key_set;
mod key_space;
mod literal;
mod lower;
mod operand;
mod program;
mod range_text;
mod ranges;
mod shape;
mod subject;
mod text;
mod tree;

use datafusion::logical_expr::Expr;
use ostracon_data::RowRanges;
use ostracon_iterators::{RowFilterSpec, RowPredicate};

use crate::definition::TableDefinition;
pub(crate) use literal::Literal;

use key_set::KeySet;
use key_space::KeySpace;
use lower::Lowering;

/// What a session says about pushdown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PushdownSettings {
    /// `ostracon.iterator_pushdown`: off leaves every filter with DataFusion and scans everything.
    pub enabled: bool,
    /// How many row ranges a scan may have; more are merged into wider ones.
    pub max_ranges: usize,
}

impl Default for PushdownSettings {
    fn default() -> Self {
        PushdownSettings { enabled: true, max_ranges: 10_000 }
    }
}

/// How much of a filter the store answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Exactness {
    /// The store gives exactly the rows where the filter is TRUE.
    Exact,
    /// The store leaves out some rows where it is not TRUE; DataFusion must look at the rest.
    Inexact,
    /// The store does nothing about it.
    Residual,
}

/// What becomes of one filter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FilterVerdict {
    /// How much of it the store answers.
    pub exactness: Exactness,
    /// The filter as SQL, shortened if it is long.
    pub text: String,
    /// Why it is not exact; goes behind `because`.
    pub reason: Option<String>,
    /// Whether it narrows the row ranges.
    pub in_ranges: bool,
}

/// Filters taken apart: what the store does, and what is left.
#[derive(Debug, Clone, PartialEq)]
pub struct DecomposedPredicate {
    /// Every row that all filters accept is in these.
    pub row_ranges: RowRanges,
    /// The program for the rows in the ranges; `None` if there is nothing to ask of them.
    pub row_filter: Option<RowFilterSpec>,
    /// One verdict a filter, in the order they were given.
    pub filters: Vec<FilterVerdict>,
    /// How many leading parts of the key have one and the same value in every row of the ranges; rows are ordered by
    /// the parts behind them.
    pub fixed_key_parts: usize,
    /// The ranges for EXPLAIN: `FULL SCAN`, `EMPTY`, or conditions on key parts separated by commas.
    pub ranges_text: String,
}

/// Takes filters apart for a table. The filters are conjuncts: a row must satisfy all of them.
pub fn decompose<'a>(
    filters: impl IntoIterator<Item = &'a Expr>,
    definition: &TableDefinition,
    settings: &PushdownSettings,
) -> DecomposedPredicate {
    if !(settings.enabled && definition.properties.iterator_pushdown) {
        return everything_residual(
            filters,
            if settings.enabled {
                "the table's iterator.pushdown is off"
            } else {
                "ostracon.iterator_pushdown is off"
            },
        );
    }
    let mut lowering = Lowering::new(definition);
    let mut verdicts = Vec::new();
    let mut roots = Vec::new();
    for filter in filters {
        roots.push(lowering.lower(filter));
        verdicts.push(FilterVerdict {
            exactness: Exactness::Residual,
            text: text::of_expr(filter),
            reason: None,
            in_ranges: false,
        });
    }
    let (tree, operands) = lowering.finish();
    let space = KeySpace::of(definition);

    let mut sets = key_set::of_tree(&tree, &operands, &space);
    let sets: Vec<KeySet> = roots.iter().map(|root| sets.take(*root)).collect();
    let all = KeySet::intersection(&sets);
    let ranges = ranges::of_key_set(&all, &space, settings.max_ranges);

    let mut programs = program::of_tree(&tree);
    let mut parts = Vec::new();
    for ((root, set), verdict) in roots.iter().zip(&sets).zip(&mut verdicts) {
        let pushed = programs.take(*root);
        verdict.in_ranges = set.narrows() && set.narrowing_part().is_none_or(|part| part < ranges.used_parts);
        let left_to_ranges = set.is_exact()
            && space.is_trusted()
            && all.is_complete()
            && set.parts_used() <= ranges.enforced_parts;
        match pushed {
            Some(pushed) => {
                verdict.exactness = if pushed.exact { Exactness::Exact } else { Exactness::Inexact };
                if !(pushed.exact && left_to_ranges) {
                    parts.push(pushed.predicate);
                }
            }
            // Whether a part can narrow the ranges may depend on other filters, what is said of this one may not.
            None if set.narrows() => verdict.exactness = Exactness::Inexact,
            None => {}
        }
        if verdict.exactness != Exactness::Exact {
            verdict.reason = tree.reason(*root).map(str::to_owned);
        }
    }
    let row_filter = match RowPredicate::conjunction(parts) {
        RowPredicate::Constant(Some(true)) => None,
        // Nothing is read, so nothing is asked.
        _ if ranges.row_ranges.is_empty() => None,
        predicate => Some(program::specification(predicate, operands.into_operands(), definition)),
    };
    DecomposedPredicate {
        row_ranges: ranges.row_ranges,
        row_filter,
        filters: verdicts,
        fixed_key_parts: ranges.fixed_parts,
        ranges_text: ranges.text,
    }
}

fn everything_residual<'a>(filters: impl IntoIterator<Item = &'a Expr>, reason: &str) -> DecomposedPredicate {
    let verdict = |filter: &Expr| FilterVerdict {
        exactness: Exactness::Residual,
        text: text::of_expr(filter),
        reason: Some(reason.to_owned()),
        in_ranges: false,
    };
    DecomposedPredicate {
        row_ranges: RowRanges::all(),
        row_filter: None,
        filters: filters.into_iter().map(verdict).collect(),
        fixed_key_parts: 0,
        ranges_text: range_text::FULL_SCAN.to_owned(),
    }
}

#[cfg(test)]
mod oracle;
#[cfg(test)]
mod tests;
