//! From a row's fragments to the row as a session sees it.
//!
//! [`RowAssembler`] fills a [`RowBuffer`]. A row that lies in a segment alone or has one fragment, which is nearly every
//! row, goes straight into it; others are resolved first (see [`resolve`](super::resolve)). Invisible cells are left out before anything looks at
//! them: a put or delete marker concerns cells of its own label only.

use ostracon_data::{Key, RowBuffer, VisibilityEvaluator};
use ostracon_iterators::BytesText;
use ostracon_segment::{ErasedColumnsRef, FragmentReader, UpdateRef};

use super::columnar_row::ColumnarRow;
use super::columns::{self, ColumnRoles};
use super::fragments::RowFragments;
use super::metrics::ScanMetrics;
use super::resolve::{BroadErase, Entry, EntryKind, Survivors, resolve};
use crate::{Error, Result};

/// What a reader sees of a row.
#[derive(Debug)]
pub(crate) struct RowRules {
    pub(crate) roles: ColumnRoles,
    /// `None`: every label is seen.
    pub(crate) evaluator: Option<VisibilityEvaluator>,
    pub(crate) max_versions: u32,
    pub(crate) oldest_time: i64,
}

impl RowRules {
    fn can_see(&mut self, label: &[u8]) -> bool {
        label.is_empty() || self.evaluator.as_mut().is_none_or(|evaluator| evaluator.can_see(label))
    }
}

/// How old a cell's commit is among those of its row: fragment, then place in it; 0, 0 is the newest.
pub(crate) type CellAge = (u32, u32);

/// Assembles rows, one after the other.
pub(crate) struct RowAssembler {
    rules: RowRules,
    table: String,
    /// Kept for their allocations only.
    row: Vec<u8>,
    entries: Vec<Entry<'static>>,
    broad: Vec<BroadErase<'static>>,
}

/// Whether the single fragment of a row could be taken as it lies.
enum Direct {
    Exists(bool),
    /// It holds delete markers, or a column more than once.
    NeedsResolving,
}

impl RowAssembler {
    pub(crate) fn new(rules: RowRules, table: &str) -> Self {
        Self { rules, table: table.to_owned(), row: Vec::new(), entries: Vec::new(), broad: Vec::new() }
    }

    /// Fills `out` with the cells that the scan hands out or filters by; gives whether the row exists.
    pub(crate) fn assemble(
        &mut self,
        fragments: &RowFragments,
        out: &mut RowBuffer,
        metrics: &mut ScanMetrics,
    ) -> Result<bool> {
        out.clear();
        out.set_row(fragments.row());
        if fragments.len() == 1
            && let Some(fragment) = fragments.iter().next()
        {
            let before = metrics.cells_read;
            let direct = direct(&mut self.rules, fragment, out, metrics);
            match direct.map_err(|source| damaged(&self.table, fragments, source))? {
                Direct::Exists(exists) => return Ok(exists),
                Direct::NeedsResolving => {
                    metrics.cells_read = before;
                    out.clear();
                    out.set_row(fragments.row());
                }
            }
        }
        let survivors = Survivors {
            apply_deletes: true,
            max_versions: self.rules.max_versions,
            oldest_time: self.rules.oldest_time,
            mix_labels: true,
        };
        let mut exists = false;
        self.resolve(fragments, survivors, metrics, |entry| {
            exists |= entry.roles & columns::MAPPED != 0;
            if entry.roles & (columns::PROJECTED | columns::FILTERED) != 0 {
                out.push_cell(entry.family, entry.qualifier, entry.label, entry.timestamp, entry.value);
            }
        })?;
        Ok(exists)
    }

    /// Fills `out` as [`assemble`](Self::assemble) does, from a row that lies in a segment alone: it has one cell a column
    /// and nothing that hides others.
    pub(crate) fn assemble_columns(
        &mut self,
        row: &mut ColumnarRow<'_>,
        out: &mut RowBuffer,
        metrics: &mut ScanMetrics,
    ) -> Result<bool> {
        out.clear();
        row.row_into(&mut self.row)?;
        out.set_row(&self.row);
        let mut exists = false;
        for &(column, roles) in row.columns() {
            // Asked only whether the row exists, which is known.
            if exists && roles == columns::MAPPED {
                continue;
            }
            let Some(cell) = row.cell(column)? else { continue };
            metrics.cells_read += 1;
            if cell.timestamp < self.rules.oldest_time || !self.rules.can_see(cell.visibility) {
                continue;
            }
            exists |= roles & columns::MAPPED != 0;
            if roles & (columns::PROJECTED | columns::FILTERED) != 0 {
                out.push_cell(cell.family, cell.qualifier, cell.visibility, cell.timestamp, cell.value);
            }
        }
        Ok(exists)
    }

    /// Appends the row's cells to `out` in key order, delete markers and what they hide included.
    pub(crate) fn cells(
        &mut self,
        fragments: &RowFragments,
        out: &mut Vec<(Key, Vec<u8>, CellAge)>,
        metrics: &mut ScanMetrics,
    ) -> Result<()> {
        let survivors = Survivors {
            apply_deletes: false,
            max_versions: u32::MAX,
            oldest_time: self.rules.oldest_time,
            mix_labels: false,
        };
        self.resolve(fragments, survivors, metrics, |entry| {
            let key = Key {
                row: fragments.row().to_vec(),
                family: entry.family.to_vec(),
                qualifier: entry.qualifier.to_vec(),
                visibility: entry.label.to_vec(),
                timestamp: entry.timestamp,
                deleted: entry.kind == EntryKind::Delete,
            };
            out.push((key, entry.value.to_vec(), (entry.fragment, entry.place)));
        })
    }

    fn resolve<'f>(
        &mut self,
        fragments: &'f RowFragments,
        survivors: Survivors,
        metrics: &mut ScanMetrics,
        emit: impl FnMut(&Entry<'f>),
    ) -> Result<()> {
        let mut entries = reuse(std::mem::take(&mut self.entries));
        let mut broad = reuse(std::mem::take(&mut self.broad));
        let gathered = gather(&mut self.rules, fragments, &mut entries, &mut broad, metrics);
        gathered.map_err(|source| damaged(&self.table, fragments, source))?;
        resolve(&mut entries, &broad, survivors, emit);
        self.entries = reuse(entries);
        self.broad = reuse(broad);
        Ok(())
    }
}

fn damaged(table: &str, fragments: &RowFragments, source: ostracon_segment::Error) -> Error {
    Error::Fragment { table: table.to_owned(), row: BytesText(fragments.row()).to_string(), source }
}

/// Takes a row's only fragment as it lies, if its columns come one by one and in order.
fn direct(
    rules: &mut RowRules,
    fragment: &[u8],
    out: &mut RowBuffer,
    metrics: &mut ScanMetrics,
) -> Result<Direct, ostracon_segment::Error> {
    let mut exists = false;
    let mut hint = 0;
    let mut last: Option<(&[u8], &[u8])> = None;
    for update in FragmentReader::new(fragment)? {
        metrics.cells_read += 1;
        match update? {
            UpdateRef::Put { family, qualifier, visibility, timestamp, value } => {
                if last.is_some_and(|last| last >= (family, qualifier)) {
                    return Ok(Direct::NeedsResolving);
                }
                last = Some((family, qualifier));
                let roles = rules.roles.of(family, qualifier, &mut hint);
                if roles == 0 || timestamp < rules.oldest_time || !rules.can_see(visibility) {
                    continue;
                }
                exists |= roles & columns::MAPPED != 0;
                if roles & (columns::PROJECTED | columns::FILTERED) != 0 {
                    out.push_cell(family, qualifier, visibility, timestamp, value);
                }
            }
            UpdateRef::Delete { .. } => return Ok(Direct::NeedsResolving),
            // It concerns older fragments, of which there are none.
            UpdateRef::Erase { .. } => {}
        }
    }
    Ok(Direct::Exists(exists))
}

/// Gathers the updates of all fragments that the reader may see and needs.
fn gather<'f>(
    rules: &mut RowRules,
    fragments: &'f RowFragments,
    entries: &mut Vec<Entry<'f>>,
    broad: &mut Vec<BroadErase<'f>>,
    metrics: &mut ScanMetrics,
) -> Result<(), ostracon_segment::Error> {
    for (fragment, bytes) in (0u32..).zip(fragments.iter()) {
        let reader = FragmentReader::new(bytes)?;
        let replaces = reader.replaces_older();
        let mut hint = 0;
        let mut row_erased = false;
        for (place, update) in (0u32..).zip(reader) {
            metrics.cells_read += 1;
            let mut entry = match update? {
                UpdateRef::Put { family, qualifier, visibility, timestamp, value } => Entry {
                    label: visibility,
                    timestamp,
                    value,
                    replaces,
                    ..Entry::new(EntryKind::Put, (fragment, place), family, qualifier)
                },
                UpdateRef::Delete { family, qualifier, visibility, timestamp } => Entry {
                    label: visibility,
                    timestamp,
                    ..Entry::new(EntryKind::Delete, (fragment, place), family, qualifier)
                },
                UpdateRef::Erase { columns: ErasedColumnsRef::Exact { family, qualifier }, label } => {
                    let kind = if label.is_some() { EntryKind::EraseLabel } else { EntryKind::EraseEvery };
                    let label = label.unwrap_or_default();
                    Entry { label, ..Entry::new(kind, (fragment, place), family, qualifier) }
                }
                UpdateRef::Erase { columns: ErasedColumnsRef::Row, label: None } => {
                    row_erased = true;
                    continue;
                }
                UpdateRef::Erase { columns, label } => {
                    // A newer erase of the same columns does what this one would.
                    if !broad.iter().any(|newer| newer.columns == columns && newer.label == label) {
                        broad.push(BroadErase { fragment, columns, label });
                    }
                    continue;
                }
            };
            entry.roles = rules.roles.of(entry.family, entry.qualifier, &mut hint);
            if entry.roles != 0 && (entry.kind == EntryKind::EraseEvery || rules.can_see(entry.label)) {
                entries.push(entry);
            }
        }
        // Nothing older is left.
        if row_erased {
            break;
        }
    }
    Ok(())
}

/// An empty vector of another lifetime that keeps the allocation: collecting in place allocates nothing.
fn reuse<T: Reborrow<U>, U>(mut items: Vec<T>) -> Vec<U> {
    items.clear();
    items.into_iter().filter_map(T::reborrow).collect()
}

/// Types that differ in a lifetime only. There is nothing to convert, since only empty vectors are reused.
trait Reborrow<U> {
    fn reborrow(self) -> Option<U>;
}

impl<'b> Reborrow<Entry<'b>> for Entry<'_> {
    fn reborrow(self) -> Option<Entry<'b>> {
        None
    }
}

impl<'b> Reborrow<BroadErase<'b>> for BroadErase<'_> {
    fn reborrow(self) -> Option<BroadErase<'b>> {
        None
    }
}
