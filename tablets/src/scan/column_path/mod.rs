//! The column path: rows of a segment that no other source has, decided and handed out many at a time.
//!
//! [`ColumnPath`] judges each segment by its summary: it is left out ([`Judgement::Skip`]) if no row of it can pass the
//! filter, read column by column ([`Judgement::Columns`]) if that gives what the row path would, and row by row
//! otherwise. It then says which rows of a stretch are hits. What is decoded of them, and into what, is the caller's
//! business: see [`SegmentHits`].
//!
//! A segment qualifies if the session sees every label in it, nothing in it has expired, every row is in the columns,
//! and every operand of the filter is known to hold good values only. So there is nothing to resolve: a cell is there
//! or not.

mod hits;
mod leaves;
mod values;

use std::ops::Range;

use ostracon_compare::BadValue;
use ostracon_data::VisibilityEvaluator;
use ostracon_iterators::{ColumnarFilter, Operand, Outcomes};
use ostracon_segment::{Scratch, Segment, SegmentSummary};

pub use hits::SegmentHits;

use super::columns::{ColumnRoles, MAPPED, PROJECTED};
use super::scanner::ScanMetrics;
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
pub(crate) struct ColumnPath {
    filter: Option<ColumnarFilter>,
    roles: ColumnRoles,
    evaluator: VisibilityEvaluator,
    oldest_time: i64,
    /// The segment judged last, and what came of it.
    judged: Option<(u64, Judgement)>,
    /// Every row of the segment judged last passes the filter.
    all_match: bool,
    /// Every row of the segment judged last exists.
    all_exist: bool,
    scratch: Scratch,
    masks: Masks,
    /// Rows of the open stretch that are still to be handed out, in the order of the scan.
    hits: Vec<u32>,
    handed_out: usize,
    /// How many rows are wanted next.
    wanted: usize,
}

/// Masks of rows, kept for their memory.
#[derive(Debug, Default)]
struct Masks {
    exists: Vec<u8>,
    present: Vec<u8>,
    other: Vec<u8>,
}

impl ColumnPath {
    /// The column path of a scan.
    ///
    /// # Errors
    /// The filter cannot be built.
    pub(crate) fn new(spec: &ScanSpec, roles: &ColumnRoles) -> Result<Self> {
        Ok(Self {
            filter: spec.filter.as_ref().map(ColumnarFilter::compile).transpose()?,
            roles: roles.clone(),
            evaluator: VisibilityEvaluator::new(spec.authorizations.clone()),
            oldest_time: spec.oldest_time(),
            judged: None,
            all_match: false,
            all_exist: false,
            scratch: Scratch::new(),
            masks: Masks::default(),
            hits: Vec::new(),
            handed_out: 0,
            wanted: usize::MAX,
        })
    }

    /// How the segment is to be read, by its summary alone.
    pub(crate) fn judge(&mut self, segment: &SegmentHandle) -> Judgement {
        match self.judged {
            Some((id, judgement)) if id == segment.id => judgement,
            _ => {
                let judgement = self.judge_summary(&segment.summary);
                self.judged = Some((segment.id, judgement));
                judgement
            }
        }
    }

    fn judge_summary(&mut self, summary: &SegmentSummary) -> Judgement {
        let seen = |label: &Vec<u8>| label.is_empty() || self.evaluator.can_see(label);
        if summary.fragments > 0 || summary.oldest < self.oldest_time || !summary.labels.iter().all(seen) {
            return Judgement::Rows;
        }
        self.all_exist = self.all_exist(summary);
        let Some(filter) = &self.filter else {
            self.all_match = true;
            return Judgement::Columns;
        };
        if !filter.operands().iter().all(|operand| values::may_be_clean(operand, summary)) {
            return Judgement::Rows;
        }
        let outcomes = filter.outcomes(|leaf| values::outcomes(leaf, summary));
        self.all_match = outcomes == Outcomes::TRUE;
        if outcomes.can_be(Some(true)) { Judgement::Columns } else { Judgement::Skip }
    }

    /// Whether every row exists for the scan, whatever it has: some mapped column is never absent.
    fn all_exist(&self, summary: &SegmentSummary) -> bool {
        let mut hint = 0;
        summary.columns.iter().any(|column| {
            let roles = self.roles.of(&column.family, &column.qualifier, &mut hint);
            column.absent == 0 && roles & MAPPED != 0
        }) || self.roles.maps_everything()
    }

    /// Whether the segment that was judged [`Columns`](Judgement::Columns) can be read so, now that it is open: its row ids
    /// are good values too, as far as the filter looks at them.
    pub(crate) fn confirm(&mut self, segment: &Segment<'_>) -> bool {
        let clean = self.filter.as_ref().is_none_or(|filter| {
            filter.operands().iter().all(|operand| values::is_clean_in_rows(operand, segment))
        });
        if !clean && let Some((_, judgement)) = &mut self.judged {
            *judgement = Judgement::Rows;
        }
        clean
    }

    /// Finds the hits among `rows` of the segment that was judged last, in descending order if `reverse`.
    ///
    /// # Errors
    /// The segment is damaged, or a value turns out not to be one.
    pub(crate) fn enter(
        &mut self,
        segment: &Segment<'_>,
        rows: Range<usize>,
        reverse: bool,
        metrics: &mut ScanMetrics,
    ) -> Result<(), Problem> {
        self.forget_hits();
        let mut existing = rows.len();
        let Masks { exists, present, other } = &mut self.masks;
        if !self.all_exist {
            exists.clear();
            exists.resize(rows.len(), 0);
            for column in segment.columns() {
                if self.roles.of(column.family(), column.qualifier(), &mut 0) & MAPPED != 0 {
                    present.clear();
                    present.resize(rows.len(), 0);
                    column.chunk().present(rows.clone(), present)?;
                    ostracon_segment::mask::or(exists, present);
                }
            }
            existing = ostracon_segment::mask::count_ones(exists);
        }
        metrics.rows_read += existing as u64;
        let matching = match &mut self.filter {
            Some(filter) if !self.all_match => {
                let mut leaves = leaves::Leaves {
                    segment,
                    rows: rows.clone(),
                    scratch: &mut self.scratch,
                    present,
                    other,
                    metrics,
                };
                Some(filter.evaluate(rows.len(), |leaf, wanted, mask| leaves.decide(leaf, wanted, mask))?)
            }
            _ => None,
        };
        let first = u32::try_from(rows.start).unwrap_or(u32::MAX);
        match (matching, self.all_exist) {
            (None, true) => self.hits.extend((first..).take(rows.len())),
            (None, false) => ostracon_segment::mask::hits(exists, first, &mut self.hits),
            (Some(matching), true) => ostracon_segment::mask::hits(matching, first, &mut self.hits),
            (Some(matching), false) => {
                ostracon_segment::mask::and(exists, matching);
                ostracon_segment::mask::hits(exists, first, &mut self.hits);
            }
        }
        if reverse {
            self.hits.reverse();
        }
        let mut hint = 0;
        let projected = segment
            .columns()
            .iter()
            .filter(|column| self.roles.of(column.family(), column.qualifier(), &mut hint) & PROJECTED != 0);
        metrics.cells_read += (projected.count() * self.hits.len()) as u64;
        Ok(())
    }

    /// Says how many rows are wanted next.
    pub(crate) fn set_wanted(&mut self, rows: usize) {
        self.wanted = rows;
    }

    /// The most rows of the segment judged last that are worth looking at now.
    pub(crate) fn most(&self) -> usize {
        if self.all_match && self.all_exist { self.wanted.max(1) } else { usize::MAX }
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
