//! The column path: rows of a segment that no other source has, decided and handed out many at a time.
//!
//! [`ColumnPath`] judges each segment by its summary: it is left out ([`Judgement::Skip`]) if no row of it can pass the
//! filter, read column by column ([`Judgement::Columns`]) if that gives what the row path would, and row by row
//! otherwise. The rows of a segment are then [decided](ColumnPath::decide) once, in however many stretches they are read,
//! and the hits of a stretch taken from that. What is decoded of them, and into what, is the caller's business: see
//! [`SegmentHits`].
//!
//! What was decided of a row still holds when newer fragments of it do not [concern](ColumnPath::concerns) the filter.
//!
//! A segment qualifies if the session sees every label in it, nothing in it has expired, every row is in the columns,
//! and every operand of the filter is known to hold good values only. So there is nothing to resolve: a cell is there
//! or not.

mod hits;
mod leaves;
mod values;
mod verdict;

use std::ops::Range;

use ostracon_compare::BadValue;
use ostracon_data::VisibilityEvaluator;
use ostracon_iterators::{ColumnarFilter, Operand, Outcomes, RowFilterSpec};
use ostracon_segment::{ErasedColumnsRef, FragmentReader, Scratch, Segment, SegmentSummary, UpdateRef};

pub use hits::SegmentHits;
use verdict::Verdict;

use super::columns::{ColumnRoles, MAPPED, PROJECTED};
use super::metrics::ScanMetrics;
use super::spec::ScanSpec;
use crate::sources::SegmentHandle;
use crate::{Error, Result};

/// How a segment is to be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Judgement {
    /// No row of it is a hit.
    Skip,
    Columns,
    Rows,
}

/// Why the hits of a segment could not be found.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Problem {
    #[error(transparent)]
    Damaged(#[from] ostracon_segment::Error),
    /// The segment's summary promised good values.
    #[error("column '{column}': {reason}")]
    BadValue { column: String, reason: String },
}

impl Problem {
    fn bad(operand: &Operand, reason: &BadValue) -> Self {
        Self::BadValue { column: operand.name.clone(), reason: reason.to_string() }
    }

    /// The problem as one of a segment.
    pub(crate) fn of(self, segment: &SegmentHandle) -> Error {
        match self {
            Self::Damaged(source) => segment.damaged(source),
            bad @ Self::BadValue { .. } => {
                let what = format!("summary of segment {} of table {}", segment.id, segment.table);
                Error::corrupt(what, bad.to_string())
            }
        }
    }
}

/// Decides which rows of segments are hits. See the module's page.
///
/// Runs are told apart by their place among the sources of the scan.
pub(crate) struct ColumnPath {
    filter: Option<ColumnarFilter>,
    /// What narrows the scan since it began.
    narrowing: Option<ColumnarFilter>,
    roles: ColumnRoles,
    /// Family and qualifier of the columns that filters look at.
    filtered: Vec<(Vec<u8>, Vec<u8>)>,
    evaluator: VisibilityEvaluator,
    oldest_time: i64,
    /// By run.
    verdicts: Vec<Verdict>,
    scratch: Scratch,
    /// Masks of rows, kept for their memory.
    masks: [Vec<u8>; 2],
    /// Rows of the open stretch that are still to be handed out, in the order of the scan.
    hits: Vec<u32>,
    handed_out: usize,
    /// How many rows are wanted next.
    wanted: usize,
}

impl ColumnPath {
    /// The column path of a scan.
    ///
    /// # Errors
    /// The filter cannot be built.
    pub(crate) fn new(spec: &ScanSpec, roles: &ColumnRoles) -> Result<Self> {
        let filtered = spec.filter.iter().flat_map(RowFilterSpec::columns);
        Ok(Self {
            filter: spec.filter.as_ref().map(ColumnarFilter::compile).transpose()?,
            narrowing: None,
            roles: roles.clone(),
            filtered: filtered.map(|(family, qualifier)| (family.to_vec(), qualifier.to_vec())).collect(),
            evaluator: VisibilityEvaluator::new(spec.authorizations.clone()),
            oldest_time: spec.oldest_time(),
            verdicts: Vec::new(),
            scratch: Scratch::new(),
            masks: Default::default(),
            hits: Vec::new(),
            handed_out: 0,
            wanted: usize::MAX,
        })
    }

    /// Leaves out rows that do not pass this filter either, from the next segment of each run on.
    ///
    /// # Errors
    /// The filter cannot be built.
    pub(crate) fn narrow(&mut self, filter: &RowFilterSpec) -> Result<()> {
        self.narrowing = Some(ColumnarFilter::compile(filter)?);
        // Rows that an earlier one left out may have to be looked at again for its columns.
        for (family, qualifier) in filter.columns() {
            if !self.filtered.iter().any(|column| column.0 == family && column.1 == qualifier) {
                self.filtered.push((family.to_vec(), qualifier.to_vec()));
            }
        }
        self.verdicts.iter_mut().for_each(|verdict| verdict.narrowing = false);
        Ok(())
    }

    /// How the segment, in which the run is read now, is to be read, by its summary alone.
    pub(crate) fn judge(&mut self, run: usize, segment: &SegmentHandle) -> Judgement {
        if self.verdicts.len() <= run {
            self.verdicts.resize_with(run + 1, Verdict::default);
        }
        let Some(kept) = self.verdicts.get_mut(run) else { return Judgement::Rows };
        if kept.segment == segment.id {
            return kept.judgement;
        }
        let mut verdict = std::mem::take(kept);
        verdict.clear(segment.id);
        self.judge_summary(&segment.summary, &mut verdict);
        let judgement = verdict.judgement;
        if let Some(kept) = self.verdicts.get_mut(run) {
            *kept = verdict;
        }
        judgement
    }

    fn judge_summary(&mut self, summary: &SegmentSummary, verdict: &mut Verdict) {
        let seen = |label: &Vec<u8>| label.is_empty() || self.evaluator.can_see(label);
        if summary.fragments > 0 || summary.oldest < self.oldest_time || !summary.labels.iter().all(seen) {
            return;
        }
        verdict.all_exist = self.roles.all_exist(summary);
        let Some(filter) = &self.filter else {
            verdict.all_pass = true;
            verdict.judgement = Judgement::Columns;
            return self.judge_narrowing(summary, verdict);
        };
        if !filter.operands().iter().all(|operand| values::may_be_clean(operand, summary)) {
            return;
        }
        let outcomes = filter.outcomes(|leaf| values::outcomes(leaf, summary));
        verdict.all_pass = outcomes == Outcomes::TRUE;
        verdict.judgement = if outcomes.can_be(Some(true)) { Judgement::Columns } else { Judgement::Skip };
        self.judge_narrowing(summary, verdict);
    }

    /// What the narrowing filter makes of a segment. It may be left out, so it is where a value may be a bad one.
    fn judge_narrowing(&self, summary: &SegmentSummary, verdict: &mut Verdict) {
        if let Some(filter) = &self.narrowing
            && filter.operands().iter().all(|operand| values::may_be_clean(operand, summary))
        {
            let outcomes = filter.outcomes(|leaf| values::outcomes(leaf, summary));
            verdict.narrowing = outcomes != Outcomes::TRUE;
            if !outcomes.can_be(Some(true)) {
                verdict.judgement = Judgement::Skip;
            }
        }
        verdict.all_match = verdict.all_pass && !verdict.narrowing;
    }

    /// Whether the run's segment, which was not judged to be read by [`Rows`](Judgement::Rows), can be read by column, now
    /// that it is open: its row ids are good values too, as far as the filter looks at them.
    pub(crate) fn confirm(&mut self, run: usize, segment: &Segment<'_>) -> bool {
        let Some(verdict) = self.verdicts.get_mut(run) else { return false };
        if !verdict.confirmed {
            let clean = |filter: &Option<ColumnarFilter>| {
                filter.as_ref().is_none_or(|filter| {
                    filter.operands().iter().all(|operand| values::is_clean_in_rows(operand, segment))
                })
            };
            if !clean(&self.filter) {
                verdict.judgement = Judgement::Rows;
            }
            if verdict.narrowing && !clean(&self.narrowing) {
                verdict.narrowing = false;
                verdict.all_match = verdict.all_pass;
            }
            verdict.confirmed = true;
        }
        verdict.judgement != Judgement::Rows
    }

    /// Finds out which of `rows` of the run's segment pass the filter and which exist, unless that is known.
    ///
    /// # Errors
    /// The segment is damaged, or a value turns out not to be one.
    pub(crate) fn decide(
        &mut self,
        run: usize,
        segment: &Segment<'_>,
        rows: &Range<usize>,
        metrics: &mut ScanMetrics,
    ) -> Result<(), Problem> {
        let Some(verdict) = self.verdicts.get_mut(run) else { return Ok(()) };
        if verdict.judgement == Judgement::Skip || verdict.covers(rows) {
            return Ok(());
        }
        // Until it is done nothing is known: a failed scan may be sought again.
        verdict.decided = 0..0;
        let [present, other] = &mut self.masks;
        if !verdict.all_exist {
            verdict.exists.clear();
            verdict.exists.resize(rows.len(), 0);
            let mut hint = 0;
            for column in segment.columns() {
                if self.roles.of(column.family(), column.qualifier(), &mut hint) & MAPPED != 0 {
                    present.clear();
                    present.resize(rows.len(), 0);
                    column.chunk().present(rows.clone(), present)?;
                    ostracon_segment::mask::or(&mut verdict.exists, present);
                }
            }
        }
        if !verdict.all_match {
            verdict.matching.clear();
            verdict.matching.resize(rows.len(), 1);
            let filter = self.filter.as_mut().filter(|_| !verdict.all_pass);
            let narrowing = self.narrowing.as_mut().filter(|_| verdict.narrowing);
            for filter in filter.into_iter().chain(narrowing) {
                let (rows, scratch) = (rows.clone(), &mut self.scratch);
                let count = rows.len();
                let mut leaves = leaves::Leaves { segment, rows, scratch, present, other, metrics };
                let matching =
                    filter.evaluate(count, |leaf, wanted, mask| leaves.decide(leaf, wanted, mask))?;
                ostracon_segment::mask::and(&mut verdict.matching, matching);
            }
        }
        verdict.decided = rows.clone();
        Ok(())
    }

    /// Whether a row of the run's segment passes the filter as it lies there. It has been decided.
    pub(crate) fn passes(&self, run: usize, row: usize) -> bool {
        self.verdicts.get(run).is_none_or(|verdict| verdict.passes(row))
    }

    /// Whether what the filter says of a row may change with this fragment of it.
    ///
    /// # Errors
    /// The fragment is damaged.
    pub(crate) fn concerns(&self, fragment: &[u8]) -> Result<bool, ostracon_segment::Error> {
        for update in FragmentReader::new(fragment)? {
            let (family, qualifier) = match update? {
                UpdateRef::Put { family, qualifier, .. }
                | UpdateRef::Delete { family, qualifier, .. }
                | UpdateRef::Erase { columns: ErasedColumnsRef::Exact { family, qualifier }, .. } => {
                    (family, qualifier)
                }
                UpdateRef::Erase { .. } => return Ok(true),
            };
            // There are few, and most names differ in length.
            if self.filtered.iter().any(|column| column.1 == qualifier && column.0 == family) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Takes the hits among `rows` of the run's segment, which have been decided, in descending order if `reverse`.
    pub(crate) fn enter(
        &mut self,
        run: usize,
        segment: &Segment<'_>,
        rows: &Range<usize>,
        reverse: bool,
        metrics: &mut ScanMetrics,
    ) {
        self.forget_hits();
        let Some(verdict) = self.verdicts.get(run) else { return };
        metrics.rows_read += verdict.existing(rows) as u64;
        let [both, _] = &mut self.masks;
        verdict.hits(rows, both, &mut self.hits);
        if reverse {
            self.hits.reverse();
        }
        self.count_cells(segment, metrics);
    }

    /// Takes rows of a segment of which [everything](Self::takes_everything) is a hit.
    pub(crate) fn enter_points(&mut self, segment: &Segment<'_>, rows: &[u32], metrics: &mut ScanMetrics) {
        self.forget_hits();
        metrics.rows_read += rows.len() as u64;
        self.hits.extend_from_slice(rows);
        self.count_cells(segment, metrics);
    }

    /// Counts the cells of the hits.
    fn count_cells(&self, segment: &Segment<'_>, metrics: &mut ScanMetrics) {
        if self.hits.is_empty() {
            return;
        }
        let mut hint = 0;
        let projected = segment
            .columns()
            .iter()
            .filter(|column| self.roles.of(column.family(), column.qualifier(), &mut hint) & PROJECTED != 0);
        metrics.cells_read += (projected.count() * self.hits.len()) as u64;
    }

    /// Whether all rows of the run's segment, which has been judged, are hits, as its summary tells.
    pub(crate) fn takes_all(&self, run: usize) -> bool {
        let told = |filter: &ColumnarFilter| {
            filter.operands().iter().all(|operand| values::is_told_by_summary(operand))
        };
        self.verdicts.get(run).is_some_and(|verdict| verdict.all_match && verdict.all_exist)
            && self.filter.as_ref().is_none_or(told)
    }

    /// Says how many rows are wanted next.
    pub(crate) fn set_wanted(&mut self, rows: usize) {
        self.wanted = rows;
    }

    /// The most rows of the run's segment that are worth looking at now.
    pub(crate) fn most(&self, run: usize) -> usize {
        if self.takes_everything(run) { self.wanted.max(1) } else { usize::MAX }
    }

    /// Whether every row of the run's segment is a hit.
    pub(crate) fn takes_everything(&self, run: usize) -> bool {
        self.verdicts.get(run).is_some_and(|verdict| verdict.all_match && verdict.all_exist)
    }

    /// The roles of columns in the scan.
    pub(crate) fn roles(&self) -> &ColumnRoles {
        &self.roles
    }

    /// Leaves the open stretch.
    pub(crate) fn forget_hits(&mut self) {
        self.hits.clear();
        self.handed_out = 0;
    }

    /// Takes up to `limit` hits of the open stretch.
    pub(crate) fn take(&mut self, limit: usize) -> &[u32] {
        let start = self.handed_out.min(self.hits.len());
        let end = start.saturating_add(limit).min(self.hits.len());
        self.handed_out = end;
        self.hits.get(start..end).unwrap_or_default()
    }

    /// Whether the open stretch has hits that were not taken.
    pub(crate) fn has_hits(&self) -> bool {
        self.handed_out < self.hits.len()
    }
}
