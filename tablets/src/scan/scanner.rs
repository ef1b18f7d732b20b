//! The ordered scan of one version.

mod seek;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use ostracon_data::{RowBuffer, VisibilityEvaluator};
use ostracon_iterators::{IteratorScope, RowFilter, RowFilterSpec};
use ostracon_segment::{Scratch, SegmentSummary};

use super::assemble::RowRules;
use super::assembled_rows::{AssembledRows, Next, NextPiece};
use super::cell_rows::CellRows;
use super::column_path::{ColumnPath, SegmentHits};
use super::columns::{ColumnRoles, PROJECTED};
use super::fragments::{FragmentRows, Order};
use super::metrics::ScanMetrics;
use super::spec::ScanSpec;
use crate::version::Version;
use crate::{Error, Result};

/// Reads the rows of a [`ScanSpec`] from a version, in row order.
///
/// Nothing is read before the first [`next_row`](Self::next_row). The scanner may move between threads.
pub struct Scanner {
    path: Path,
    filter: Option<RowFilter>,
    /// What [`narrow`](Self::narrow) was given.
    narrowing: Option<RowFilter>,
    roles: ColumnRoles,
    /// Set if the filter needs cells that are not handed out: rows are read into `unprojected` first.
    projection: Option<ColumnRoles>,
    unprojected: RowBuffer,
    limit: Option<u64>,
    remaining: Option<u64>,
    /// Whether it was made to be sent elsewhere.
    seekable: bool,
    cancelled: Option<Arc<AtomicBool>>,
    /// How many bytes may be read from one seek to the next, and what had been read at the last.
    byte_limit: Option<u64>,
    bytes_before: u64,
    ended: bool,
    metrics: ScanMetrics,
}

enum Path {
    Rows(Box<AssembledRows>, Box<ColumnPath>),
    Cells(Box<CellRows>),
}

/// What a scan has next.
#[derive(Debug, Clone, Copy)]
enum Kind {
    End,
    Row,
    Hits,
}

/// What [`Scanner::next_piece`] came to.
#[derive(Debug)]
pub enum Piece<'s> {
    /// The scan is over.
    End,
    /// One row, in the caller's buffer.
    Row,
    /// Rows of a segment, to be read column by column.
    Hits(SegmentHits<'s>),
}

impl Scanner {
    /// A scan of `version` as `spec` says.
    ///
    /// # Errors
    /// The specification cannot be used: zero versions or batch rows, a filter or iterator that cannot be built.
    pub fn new(version: &Arc<Version>, spec: &ScanSpec) -> Result<Self> {
        check(spec)?;
        if needs_cells(version, spec) {
            return Self::on_cell_path(version, spec);
        }
        let roles = ColumnRoles::of_scan(spec);
        let rows = FragmentRows::new(version, &spec.ranges.ranges(), &roles, Order::of(spec.reverse));
        Self::on_row_path(version, spec, rows, roles)
    }

    /// [`new`](Self::new) on the cell path, whether the row path would do or not.
    #[doc(hidden)]
    pub fn on_cell_path(version: &Arc<Version>, spec: &ScanSpec) -> Result<Self> {
        check(spec)?;
        let projection = unprojected(&ColumnRoles::of_scan(spec));
        Self::over(Path::Cells(Box::new(CellRows::new(version, spec)?)), spec, projection)
    }

    fn on_row_path(
        version: &Version,
        spec: &ScanSpec,
        rows: FragmentRows,
        roles: ColumnRoles,
    ) -> Result<Self> {
        let projection = unprojected(&roles);
        let columns = ColumnPath::new(spec, &roles)?;
        let rules = RowRules {
            roles,
            evaluator: Some(VisibilityEvaluator::new(spec.authorizations.clone())),
            max_versions: spec.max_versions,
            oldest_time: spec.oldest_time(),
        };
        let rows = AssembledRows::new(version, rows, rules);
        Self::over(Path::Rows(Box::new(rows), Box::new(columns)), spec, projection)
    }

    fn over(path: Path, spec: &ScanSpec, projection: Option<ColumnRoles>) -> Result<Self> {
        Ok(Self {
            path,
            filter: spec.filter.as_ref().map(RowFilter::compile).transpose()?,
            narrowing: None,
            roles: ColumnRoles::of_scan(spec),
            projection,
            unprojected: RowBuffer::new(),
            limit: spec.limit,
            remaining: spec.limit,
            seekable: false,
            cancelled: None,
            byte_limit: None,
            bytes_before: 0,
            ended: false,
            metrics: ScanMetrics::default(),
        })
    }

    /// Lets the scan end with [`Error::Cancelled`] soon after the flag is set, also while no row passes the filter.
    pub fn cancelled_by(mut self, flag: Arc<AtomicBool>) -> Self {
        self.cancelled = Some(flag);
        self
    }

    /// Lets rows be left out that do not pass this filter, from here on: whole segments by their summaries, others' rows
    /// by column or one by one. Some that do not pass still come. It takes the place of the filter given before; rows that
    /// were left out do not come back.
    ///
    /// It is for what becomes known while the scan runs, as when a join or a TopK above has seen rows; whoever knows it
    /// still has to apply it.
    ///
    /// # Errors
    /// The filter cannot be built, or looks at a column that is not projected.
    pub fn narrow(&mut self, filter: &RowFilterSpec) -> Result<()> {
        let projected =
            |(family, qualifier): (&[u8], &[u8])| self.roles.of(family, qualifier, &mut 0) & PROJECTED != 0;
        if !filter.columns().all(projected) {
            return Err(Error::invalid(
                "filter that narrows a scan",
                "looks at a column that is not projected",
            ));
        }
        if let Path::Rows(_, columns) = &mut self.path {
            columns.narrow(filter)?;
        }
        self.narrowing = Some(RowFilter::compile(filter)?);
        Ok(())
    }

    /// Reads the next row into `out`; false at the end, with `out` empty.
    ///
    /// The cells are sorted by family and qualifier; the cells of one column by timestamp and then commit, the newest
    /// first, whatever their label.
    ///
    /// # Errors
    /// The disk failed, stored bytes are damaged, the filter met a bad value, or the scan was cancelled. The scan is
    /// over then.
    pub fn next_row(&mut self, out: &mut RowBuffer) -> Result<bool> {
        if self.ended || self.remaining == Some(0) {
            out.clear();
            return Ok(false);
        }
        let found = self.find_row(out);
        if !matches!(found, Ok(true)) {
            self.ended = true;
            out.clear();
        }
        found
    }

    /// Reads the next row into `out`, or finds rows of a segment, `limit` at most; `out` is empty unless there is a row.
    ///
    /// The pieces are in the order of the scan, and together they are the rows that [`next_row`](Self::next_row) would
    /// give. Both may be called in turn.
    ///
    /// # Errors
    /// As [`next_row`](Self::next_row).
    pub fn next_piece(&mut self, limit: usize, out: &mut RowBuffer) -> Result<Piece<'_>> {
        self.next_piece_or_summary(limit, out, &mut |_| false)
    }

    /// As [`next_piece`](Self::next_piece), but where every row of a segment is one of the scan's, and no other source has
    /// any, `take` is shown the segment's summary before the segment is read. If it answers true, these rows count as
    /// handed out and are in no piece.
    ///
    /// The summary speaks of all columns, projected or not; every cell in it is seen by the scan. In a scan with a limit
    /// nothing is shown.
    ///
    /// # Errors
    /// As [`next_row`](Self::next_row).
    pub fn next_piece_or_summary(
        &mut self,
        limit: usize,
        out: &mut RowBuffer,
        take: &mut dyn FnMut(&SegmentSummary) -> bool,
    ) -> Result<Piece<'_>> {
        let found = if self.ended || self.remaining == Some(0) {
            Ok(Kind::End)
        } else {
            self.find_piece(limit, out, take)
        };
        if !matches!(found, Ok(Kind::Row)) {
            out.clear();
        }
        match found {
            Ok(Kind::Row) => return Ok(Piece::Row),
            Ok(Kind::Hits) => {}
            Ok(Kind::End) => {
                self.ended = true;
                return Ok(Piece::End);
            }
            Err(error) => {
                self.ended = true;
                return Err(error);
            }
        }
        let most =
            self.remaining.map_or(limit, |left| limit.min(usize::try_from(left).unwrap_or(usize::MAX)));
        let Path::Rows(rows, columns) = &mut self.path else { return Ok(Piece::End) };
        let Some(segment) = rows.segment() else { return Ok(Piece::End) };
        let hits = columns.take(most);
        self.metrics.rows_returned += hits.len() as u64;
        if let Some(remaining) = &mut self.remaining {
            *remaining = remaining.saturating_sub(hits.len() as u64);
        }
        Ok(Piece::Hits(SegmentHits::new(segment, hits)))
    }

    fn find_piece(
        &mut self,
        limit: usize,
        out: &mut RowBuffer,
        take: &mut dyn FnMut(&SegmentSummary) -> bool,
    ) -> Result<Kind> {
        let limited = self.remaining.is_some();
        let mut take = |summary: &SegmentSummary| !limited && take(summary);
        loop {
            self.check_wanted()?;
            let Path::Rows(rows, columns) = &mut self.path else { break };
            if columns.has_hits() {
                return Ok(Kind::Hits);
            }
            columns.set_wanted(
                self.remaining.map_or(limit, |left| limit.min(usize::try_from(left).unwrap_or(limit))),
            );
            let buffer = if self.projection.is_some() { &mut self.unprojected } else { &mut *out };
            match rows.next_piece(columns, &mut take, buffer, &mut self.metrics)? {
                NextPiece::Stretch | NextPiece::One(Next::Absent) => {}
                NextPiece::One(Next::End) => return Ok(Kind::End),
                NextPiece::One(Next::Row) => {
                    if self.keep(out)? {
                        return Ok(Kind::Row);
                    }
                }
            }
        }
        Ok(if self.find_row(out)? { Kind::Row } else { Kind::End })
    }

    fn find_row(&mut self, out: &mut RowBuffer) -> Result<bool> {
        loop {
            self.check_wanted()?;
            // What is left of a piece that was found before.
            if let Path::Rows(rows, columns) = &mut self.path
                && columns.has_hits()
            {
                if let (Some(segment), &[row]) = (rows.segment(), columns.take(1)) {
                    SegmentHits::new(segment, &[row]).row_into(
                        row,
                        &mut Scratch::new(),
                        &mut self.unprojected,
                    )?;
                }
                project(&self.unprojected, columns.roles(), out);
                self.count_returned();
                return Ok(true);
            }
            let buffer = if self.projection.is_some() { &mut self.unprojected } else { &mut *out };
            let next = match &mut self.path {
                Path::Rows(rows, _) => rows.next_row(buffer, &mut self.metrics)?,
                Path::Cells(rows) => rows.next_row(buffer, &mut self.metrics)?,
            };
            match next {
                Next::End => return Ok(false),
                Next::Absent => {}
                Next::Row => {
                    if self.keep(out)? {
                        return Ok(true);
                    }
                }
            }
        }
    }

    /// Counts the row that was read, and puts it into `out` if it passes the filter.
    fn keep(&mut self, out: &mut RowBuffer) -> Result<bool> {
        self.metrics.rows_read += 1;
        let row = if self.projection.is_some() { &self.unprojected } else { &*out };
        if let Some(filter) = &mut self.filter
            && !filter.matches(row)?
        {
            return Ok(false);
        }
        if let Some(narrowing) = &mut self.narrowing
            && !narrowing.matches(row)?
        {
            return Ok(false);
        }
        if let Some(roles) = &self.projection {
            project(&self.unprojected, roles, out);
        }
        self.count_returned();
        Ok(true)
    }

    fn count_returned(&mut self) {
        self.metrics.rows_returned += 1;
        if let Some(remaining) = &mut self.remaining {
            *remaining -= 1;
        }
    }

    /// Whether to go on, asked from row to row.
    fn check_wanted(&self) -> Result<()> {
        if self.cancelled.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed)) {
            return Err(Error::Cancelled);
        }
        match self.byte_limit {
            Some(limit) if self.metrics.bytes_read - self.bytes_before > limit => {
                Err(Error::ReadLimit { limit })
            }
            _ => Ok(()),
        }
    }

    /// What the scan did so far.
    pub fn metrics(&self) -> ScanMetrics {
        self.metrics
    }
}

/// Whether iterators must see the cells one by one.
fn needs_cells(version: &Version, spec: &ScanSpec) -> bool {
    !spec.iterators.is_empty()
        || version.settings().iterators.iter().any(|(scope, _)| *scope == IteratorScope::Scan)
}

/// Refuses specifications that make no sense.
pub(crate) fn check(spec: &ScanSpec) -> Result<()> {
    if spec.max_versions == 0 {
        return Err(Error::invalid("max_versions of a scan", "must be at least 1, not 0"));
    }
    if spec.batch_rows == 0 {
        return Err(Error::invalid("batch_rows of a scan", "must be at least 1, not 0"));
    }
    Ok(())
}

/// The roles by which rows are cut down after the filter has seen them, if it sees more than is handed out.
fn unprojected(roles: &ColumnRoles) -> Option<ColumnRoles> {
    (!roles.projects_what_it_reads()).then(|| roles.clone())
}

fn project(from: &RowBuffer, roles: &ColumnRoles, out: &mut RowBuffer) {
    out.clear();
    out.set_row(from.row());
    let mut hint = 0;
    for cell in from.cells() {
        if roles.of(cell.family, cell.qualifier, &mut hint) & PROJECTED != 0 {
            out.push_cell(cell.family, cell.qualifier, cell.visibility, cell.timestamp, cell.value);
        }
    }
}
