//! Simple reads that the calling thread does by itself.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use datafusion::arrow::array::RecordBatch;
use datafusion::common::ScalarValue;
use datafusion::logical_expr::{Expr, LogicalPlan};
use ostracon_data::RowRanges;
use ostracon_tablets::TabletStore;

use super::bind;
use super::point::{Point, PointKey};
use super::recognise::{self, SimpleRead};
use crate::error::Result;
use crate::predicate::{DecomposedPredicate, Exactness, PushdownSettings, decompose};
use crate::scan::{DirectScan, IdleScans, Wanted, order_of_rows};
use crate::storage::SessionAccess;

/// Bytes that are read here at most, and as many more for each range: a few thousand rows, a millisecond or two.
const BYTES: u64 = 4 << 20;
const BYTES_A_RANGE: u64 = 1 << 20;

/// More ranges than that are worth several threads.
const MAX_RANGES: usize = 1024;

/// After as many reads in a row that were too large, only every so manyth is tried.
const LARGE: u32 = 3;
const TRIED: u32 = 32;

/// A plan whose rows can be read in the calling thread.
#[derive(Debug)]
pub(super) struct Template {
    read: SimpleRead,
    point: Option<PointKey>,
    scan: DirectScan,
    pushdown: PushdownSettings,
    /// Reads in a row that were too large.
    too_large: AtomicU32,
}

impl Template {
    /// The template of an optimised plan, if it is of the simple kind.
    pub(super) fn of(
        plan: &LogicalPlan,
        pushdown: PushdownSettings,
        access: &SessionAccess,
        idle: &IdleScans,
    ) -> Result<Option<Self>> {
        let Some(read) = recognise::simple_read(plan).filter(|_| pushdown.enabled) else { return Ok(None) };
        let point = PointKey::of(&read.filters, &read.table);
        let authorizations = access.authorizations_of(&read.table);
        let scan = DirectScan::new(
            Arc::clone(&read.table),
            authorizations,
            read.columns.clone(),
            Some(Arc::clone(plan.schema().inner())),
            idle.clone(),
        )?;
        Ok(Some(Self { read, point, scan, pushdown, too_large: AtomicU32::new(0) }))
    }

    /// The rows with these values; `None` if they have to be read in the usual way.
    pub(super) fn run(&self, store: &TabletStore, values: &[ScalarValue]) -> Result<Option<RecordBatch>> {
        let Some(limit) = self.limit(values) else { return Ok(None) };
        if let Some(point) = &self.point {
            match point.bind(values) {
                Point::Row(row) => {
                    let wanted = Wanted {
                        ranges: &RowRanges::point(row),
                        filter: None,
                        reverse: false,
                        limit,
                        byte_limit: None,
                    };
                    return self.scan.read(store, wanted);
                }
                Point::Nowhere => return Ok(Some(RecordBatch::new_empty(Arc::clone(self.scan.schema())))),
                Point::Unknown => {}
            }
        }
        let large = self.too_large.load(Ordering::Relaxed);
        if large >= LARGE && !large.is_multiple_of(TRIED) {
            self.too_large.store(large.wrapping_add(1).max(LARGE), Ordering::Relaxed);
            return Ok(None);
        }
        let Some(predicate) = self.decompose(values) else { return Ok(None) };
        let Some(reverse) = self.direction(&predicate) else { return Ok(None) };
        let ranges = predicate.row_ranges.ranges().len();
        let everything =
            predicate.row_ranges.is_all() && (limit == usize::MAX || predicate.row_filter.is_some());
        if everything || ranges > MAX_RANGES {
            return Ok(None);
        }
        let wanted = Wanted {
            ranges: &predicate.row_ranges,
            filter: predicate.row_filter.as_ref(),
            reverse,
            limit,
            byte_limit: Some(BYTES + BYTES_A_RANGE * ranges as u64),
        };
        let batch = self.scan.read(store, wanted)?;
        let large = if batch.is_none() { large.wrapping_add(1).max(1) } else { 0 };
        self.too_large.store(large, Ordering::Relaxed);
        Ok(batch)
    }

    /// The filters with the values, taken apart; `None` if something of them is left to DataFusion.
    fn decompose(&self, values: &[ScalarValue]) -> Option<DecomposedPredicate> {
        let filters = self.read.filters.iter().map(|filter| bind::values_into_filter(filter, values).ok());
        let filters: Vec<Expr> = filters.collect::<Option<_>>()?;
        let predicate = decompose(&filters, &self.read.table, &self.pushdown);
        let exact = predicate.filters.iter().all(|verdict| verdict.exactness == Exactness::Exact);
        exact.then_some(predicate)
    }

    /// Whether rows have to be read backwards to come in the order asked for; `None` if neither way does.
    fn direction(&self, predicate: &DecomposedPredicate) -> Option<bool> {
        let key = order_of_rows(&self.read.table);
        let (same, behind) = key.split_at_checked(predicate.fixed_key_parts).unwrap_or((&key, &[]));
        // What is the same in every row orders nothing.
        let is_same = |column: usize| same.iter().any(|(fixed, _)| *fixed == column);
        let order = self.read.order.iter().filter(|(column, _)| !is_same(*column));
        let order: Vec<(usize, bool)> = order.copied().collect();
        let Some((_, descends)) = order.first() else { return Some(false) };
        let (_, key_descends) = behind.first()?;
        let reverse = descends != key_descends;
        let matches = |(of_order, of_key): &(&(usize, bool), &(usize, bool))| {
            of_order.0 == of_key.0 && (of_order.1 != of_key.1) == reverse
        };
        let matched = order.iter().zip(behind).take_while(matches).count();
        // No two rows share a whole key: what else they are ordered by does not matter.
        (matched == order.len() || matched == behind.len()).then_some(reverse)
    }

    /// As many rows at most; `None` if that is for the planner to say.
    fn limit(&self, values: &[ScalarValue]) -> Option<usize> {
        let mut least = usize::MAX;
        for limit in &self.read.limits {
            let Ok(Expr::Literal(ScalarValue::Int64(Some(rows)), _)) =
                bind::values_into_filter(limit, values)
            else {
                return None;
            };
            least = least.min(usize::try_from(rows).ok()?);
        }
        Some(least)
    }
}
