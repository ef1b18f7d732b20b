//! Segments: what is read against what the directories say.

use std::collections::{BTreeMap, BTreeSet};

use ostracon_data::{ColumnVisibility, TableId};
use ostracon_iterators::BytesText;
use ostracon_segment::{Bound, ColumnSummary, Scratch, Segment, SegmentSummary};
use ostracon_segment::{FragmentReader, UpdateRef};

use super::CheckReport;
use crate::Result;
use crate::engine::Access;
use crate::keys;
use crate::sources::SegmentHandle;
use crate::store::TabletStore;

impl TabletStore {
    pub(super) fn check_segments(&self, report: &mut CheckReport) -> Result<()> {
        // Held until the end: what they name is not deleted meanwhile.
        let directories: Vec<_> =
            self.states(None)?.iter().map(|state| (state.id, state.directory())).collect();
        // Each with the number of its sections.
        let mut known = BTreeMap::new();
        let mut entries = BTreeSet::new();
        for (table, directory) in &directories {
            for run in directory.runs() {
                for segment in run.segments() {
                    known.insert((*table, segment.id), segment.summary.sections.len());
                    entries.insert((*table, run.id, segment.id));
                    check_segment(segment, report)?;
                }
                let overlap = run
                    .segments()
                    .windows(2)
                    .any(|pair| matches!(pair, [a, b] if a.last_row() >= b.first_row()));
                if overlap {
                    report.problem(|| format!("segments of run {} of table {table} overlap", run.id));
                }
            }
        }
        self.check_entries(&entries, report)?;
        self.inner.engine.each(&keys::UNUSED_SEGMENT_PREFIX, |key, value| {
            match (keys::parse_unused_segment_key(key), keys::parse_sections(value)) {
                (Some(segment), Some(sections)) => {
                    known.insert(segment, sections.into());
                }
                _ => report.problem(|| format!("record of an unused segment is bad: {}", BytesText(key))),
            }
            Ok(())
        })?;
        self.check_keys(&known, report)
    }

    fn check_entries(
        &self,
        expected: &BTreeSet<(TableId, u64, u64)>,
        report: &mut CheckReport,
    ) -> Result<()> {
        self.inner.engine.each(&keys::ENTRY_PREFIX, |key, _| {
            match keys::parse_entry_key(key) {
                Some(entry) if expected.contains(&entry) || self.has_entry_now(entry) => {}
                Some((table, run, segment)) => report.problem(|| {
                    format!("entry of segment {segment} of table {table} names run {run}, which lacks it")
                }),
                None => report.problem(|| format!("entry of a segment has a bad key {}", BytesText(key))),
            }
            Ok(())
        })
    }

    /// Looks for segments that belong to nothing.
    fn check_keys(&self, known: &BTreeMap<(TableId, u64), usize>, report: &mut CheckReport) -> Result<()> {
        let (start, end) = keys::segments_range();
        let mut iterator = self.inner.engine.large_values(start.clone(), end)?;
        iterator.seek(&start);
        while let Some(key) = iterator.key() {
            match keys::parse_segment_key(key) {
                Some((table, segment, section))
                    if known
                        .get(&(table, segment))
                        .is_some_and(|sections| usize::from(section) <= *sections)
                        || self.is_segment_known_now((table, segment)) => {}
                Some((table, segment, 0)) => {
                    report.problem(|| format!("segment {segment} of table {table} belongs to no run"));
                }
                Some((table, segment, section)) => {
                    report.problem(|| {
                        format!("section {section} of segment {segment} of table {table} belongs to nothing")
                    });
                }
                None => report.problem(|| format!("key of a segment is bad: {}", BytesText(key))),
            }
            iterator.next();
        }
        iterator.check()
    }

    /// Compactions change runs while the check runs.
    fn has_entry_now(&self, (table, run, segment): (TableId, u64, u64)) -> bool {
        let tables = self.inner.tables.read();
        let state = tables.values().find(|state| state.id == table);
        state.is_some_and(|state| {
            let directory = state.directory();
            directory
                .runs()
                .any(|held| held.id == run && held.segments().iter().any(|held| held.id == segment))
        })
    }

    fn is_segment_known_now(&self, (table, segment): (TableId, u64)) -> bool {
        let unused = self.inner.engine.get(&keys::unused_segment_key(table, segment));
        let tables = self.inner.tables.read();
        let named = tables.values().any(|state| {
            state.id == table
                && state.directory().runs().any(|run| run.segments().iter().any(|held| held.id == segment))
        });
        named || unused.is_ok_and(|record| record.is_some())
    }
}

/// Reads a segment to its end and compares it with its summary.
fn check_segment(handle: &SegmentHandle, report: &mut CheckReport) -> Result<()> {
    report.segments += 1;
    let place = || format!("segment {} of table {}", handle.id, handle.table);
    let open = match handle.open(Access::Once, |_| true) {
        Ok(open) => open,
        Err(error @ (crate::Error::Corrupt { .. } | crate::Error::Segment { .. })) => {
            report.problem(|| error.to_string());
            return Ok(());
        }
        Err(error) => return Err(error),
    };
    report.bytes += handle.bytes;
    let segment = open.segment();
    // It may have been sound when this process read it first.
    let content = open.verify().map_err(|error| error.to_string()).and_then(|()| Content::read(segment));
    match content {
        Ok(content) => {
            report.segment_rows += u64::from(content.rows);
            report.cells += content.cells;
            for difference in content.differences(&handle.summary) {
                report.problem(|| format!("{}: its entry has another {difference}", place()));
            }
        }
        Err(reason) => report.problem(|| format!("{}: {reason}", place())),
    }
    Ok(())
}

/// What a segment holds, found by reading all of it.
#[derive(Debug, Default)]
struct Content {
    rows: u32,
    fragments: u32,
    cells: u64,
    first_row: Vec<u8>,
    last_row: Vec<u8>,
    times: Option<(i64, i64)>,
    labels: BTreeSet<Vec<u8>>,
    columns: BTreeMap<(Vec<u8>, Vec<u8>), ColumnContent>,
}

#[derive(Debug)]
struct ColumnContent {
    present: u32,
    width: Option<usize>,
    utf8: bool,
    min: Vec<u8>,
    max: Vec<u8>,
}

impl Content {
    fn read(segment: &Segment<'_>) -> std::result::Result<Self, String> {
        let mut content = Self::default();
        let mut scratch = Scratch::new();
        let mut row = Vec::new();
        for place in 0..segment.rows() {
            let told = |error: ostracon_segment::Error| format!("row {place}: {error}");
            segment.row_into(place, &mut row).map_err(told)?;
            if place > 0 && content.last_row >= row {
                return Err(format!("row {} is not after the one before it", BytesText(&row)));
            }
            if place == 0 {
                content.first_row.clone_from(&row);
            }
            content.last_row.clone_from(&row);
            content.rows += 1;
            if let Some(fragment) = segment.fragment(place, &mut scratch).map_err(told)? {
                content.fragments += 1;
                let fragment = fragment.to_vec();
                content
                    .add_fragment(&fragment)
                    .map_err(|reason| format!("row {}: {reason}", BytesText(&row)))?;
                continue;
            }
            segment
                .for_each_cell(place, &mut scratch, |cell| {
                    content.add(cell.visibility, cell.timestamp);
                    let name = (cell.family.to_vec(), cell.qualifier.to_vec());
                    match content.columns.get_mut(&name) {
                        Some(column) => column.add(cell.value),
                        None => {
                            content.columns.insert(name, ColumnContent::of(cell.value));
                        }
                    }
                })
                .map_err(told)?;
        }
        for label in &content.labels {
            ColumnVisibility::parse(label).map_err(|error| format!("label {}: {error}", BytesText(label)))?;
        }
        Ok(content)
    }

    fn add_fragment(&mut self, fragment: &[u8]) -> std::result::Result<(), String> {
        for update in FragmentReader::new(fragment).map_err(|error| error.to_string())? {
            match update.map_err(|error| error.to_string())? {
                UpdateRef::Put { visibility, timestamp, .. } => self.add(visibility, timestamp),
                UpdateRef::Delete { .. } | UpdateRef::Erase { .. } => {
                    return Err("it holds a delete, which no compaction leaves".to_owned());
                }
            }
        }
        Ok(())
    }

    fn add(&mut self, label: &[u8], timestamp: i64) {
        self.cells += 1;
        if !self.labels.contains(label) {
            self.labels.insert(label.to_vec());
        }
        let (oldest, newest) = self.times.unwrap_or((timestamp, timestamp));
        self.times = Some((oldest.min(timestamp), newest.max(timestamp)));
    }

    /// In what a summary is wrong.
    fn differences(&self, summary: &SegmentSummary) -> Vec<String> {
        let mut wrong = Vec::new();
        let mut compare = |what: &str, same: bool| {
            if !same {
                wrong.push(what.to_owned());
            }
        };
        compare("number of rows", self.rows == summary.rows);
        compare("number of fragments", self.fragments == summary.fragments);
        compare("first row", self.first_row == summary.first_row);
        compare("last row", self.last_row == summary.last_row);
        // A label too many is no more than a reason to look.
        compare("set of labels", self.labels.iter().all(|label| summary.labels.contains(label)));
        let (oldest, newest) = self.times.unwrap_or((i64::MAX, i64::MIN));
        compare("span of times", (oldest, newest) == (summary.oldest, summary.newest));
        let names = summary.columns.iter().map(|column| (&column.family, &column.qualifier));
        compare(
            "set of columns",
            names.eq(self.columns.keys().map(|(family, qualifier)| (family, qualifier))),
        );
        for column in &summary.columns {
            let name = (column.family.clone(), column.qualifier.clone());
            let sound = self.columns.get(&name).is_none_or(|content| content.agrees(column, self.rows));
            compare(&format!("view of column {}:{}", BytesText(&name.0), BytesText(&name.1)), sound);
        }
        wrong
    }
}

impl ColumnContent {
    fn of(value: &[u8]) -> Self {
        Self {
            present: 1,
            width: Some(value.len()),
            utf8: std::str::from_utf8(value).is_ok(),
            min: value.to_vec(),
            max: value.to_vec(),
        }
    }

    fn add(&mut self, value: &[u8]) {
        self.present += 1;
        self.width = self.width.filter(|width| *width == value.len());
        self.utf8 = self.utf8 && std::str::from_utf8(value).is_ok();
        if value < self.min.as_slice() {
            self.min = value.to_vec();
        }
        if value > self.max.as_slice() {
            self.max = value.to_vec();
        }
    }

    /// Whether nothing that a summary says of the column is untrue.
    fn agrees(&self, summary: &ColumnSummary, rows: u32) -> bool {
        let attained = |bound: &Bound, value: &[u8]| (bound.bytes == value) == bound.attained;
        summary.absent == rows - self.present
            && summary.width.is_none_or(|width| self.width == Some(width as usize))
            && (self.utf8 || !summary.utf8)
            && summary.min.bytes <= self.min
            && attained(&summary.min, &self.min)
            && summary.max.as_ref().is_none_or(|max| max.bytes >= self.max && attained(max, &self.max))
    }
}
