//! Single cells of a version, through a stack of iterators.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use ostracon_data::{Key, Range, RowRange};
use ostracon_iterators::{
    ColumnFamilies, IteratorEnvironment, IteratorScope, IteratorSetting, IteratorStack, IteratorStackBuilder,
    SortedKeyValueIterator, VisibilityFilter,
};
use parking_lot::Mutex;

use super::assemble::CellAge;
use super::cells::{CellSource, SourceRules};
use super::columns::ColumnRoles;
use super::metrics::ScanMetrics;
use super::scanner::check;
use super::spec::ScanSpec;
use crate::Result;
use crate::version::Version;

/// Accumulo's priority of the versioning iterator.
const VERSIONING_PRIORITY: u32 = 20;

/// Reads single cells of a version, in key order, through the iterators of the table and the scan.
///
/// What it does not do: it applies neither the filter, the limit, the order nor the projection of its [`ScanSpec`];
/// [`Scanner`](super::Scanner) does.
pub struct CellScanner {
    stack: Box<dyn SortedKeyValueIterator>,
    rules: Arc<SourceRules>,
    /// The next one last.
    ranges: Vec<RowRange>,
    /// The stack stands in a range that is being read.
    reading: bool,
    ended: bool,
}

impl CellScanner {
    /// The cells that a session sees: deletes, versions, labels, expiry and iterators applied.
    ///
    /// # Errors
    /// An iterator cannot be built.
    pub fn new(version: &Arc<Version>, spec: &ScanSpec) -> Result<Self> {
        check(spec)?;
        let iterators = scan_iterators(version, spec);
        let environment = IteratorEnvironment::scan(spec.authorizations.clone(), spec.now_ms);
        let rules = source_rules(version, ColumnRoles::of_iterators(spec), spec.oldest_time(), false);
        let builder = IteratorStack::builder(environment).iterators(iterators);
        Self::build(rules, builder, &spec.ranges.ranges())
    }

    /// All cells that are stored and that the session's labels allow: every version, and delete markers together with
    /// what they hide. No iterators run. What an erase has hidden is not shown.
    ///
    /// # Errors
    /// The specification cannot be used.
    pub fn raw(version: &Arc<Version>, spec: &ScanSpec) -> Result<Self> {
        check(spec)?;
        let rules = source_rules(version, ColumnRoles::of_scan(spec), i64::MIN, false);
        let source = Box::new(CellSource::new(Arc::clone(&rules)));
        let stack = Box::new(VisibilityFilter::new(source, spec.authorizations.clone()));
        Ok(Self::over(rules, stack, &spec.ranges.ranges()))
    }

    /// The cells that a full compaction leaves: every label, the iterators of the `majc` scope applied.
    pub(crate) fn compaction(version: &Arc<Version>, oldest_time: i64, now_ms: i64) -> Result<Self> {
        let settings = version.settings();
        let mut iterators = settings.iterators_of(IteratorScope::MajorCompaction);
        add_versioning(&mut iterators, settings.max_versions);
        let environment = IteratorEnvironment::major_compaction(true, now_ms);
        let rules = source_rules(version, ColumnRoles::everything(), oldest_time, true);
        let builder = IteratorStack::builder(environment).iterators(iterators);
        Self::build(rules, builder, &[RowRange::all()])
    }

    /// The cells that joining some sources leaves, delete markers included: every label, the iterators of the `minc` scope
    /// applied.
    pub(crate) fn minor_compaction(version: &Arc<Version>, now_ms: i64) -> Result<Self> {
        let iterators = version.settings().iterators_of(IteratorScope::MinorCompaction);
        let rules = source_rules(version, ColumnRoles::everything(), i64::MIN, true);
        let builder =
            IteratorStack::builder(IteratorEnvironment::minor_compaction(now_ms)).iterators(iterators);
        Self::build(rules, builder, &[RowRange::all()])
    }

    fn build(rules: Arc<SourceRules>, builder: IteratorStackBuilder, ranges: &[RowRange]) -> Result<Self> {
        let source = Box::new(CellSource::new(Arc::clone(&rules)));
        let stack = builder.build(source, &rules.version.store.options.iterators)?;
        Ok(Self::over(rules, Box::new(stack), ranges))
    }

    fn over(rules: Arc<SourceRules>, stack: Box<dyn SortedKeyValueIterator>, ranges: &[RowRange]) -> Self {
        Self { stack, rules, ranges: ranges.iter().rev().cloned().collect(), reading: false, ended: false }
    }

    /// The next cell: key and value. `None` at the end.
    ///
    /// # Errors
    /// The disk failed, stored bytes are damaged, or an iterator failed. The scan is over then.
    pub fn next_cell(&mut self) -> Result<Option<(&Key, &[u8])>> {
        self.advance()?;
        Ok(self.top())
    }

    /// Moves on to the next cell.
    pub(super) fn advance(&mut self) -> Result<()> {
        let moved = self.try_advance();
        self.ended |= moved.is_err();
        moved
    }

    fn try_advance(&mut self) -> Result<()> {
        if self.ended {
            return Ok(());
        }
        if self.reading && self.stack.has_top() {
            self.stack.next()?;
        }
        while !(self.reading && self.stack.has_top()) {
            let Some(range) = self.ranges.pop() else {
                self.ended = true;
                break;
            };
            self.stack.seek(&Range::from_row_range(&range), &ColumnFamilies::all())?;
            self.reading = true;
        }
        Ok(())
    }

    /// Goes on with other ranges, which are in order and disjoint, anywhere in the table.
    pub(super) fn set_ranges(&mut self, ranges: &[RowRange]) {
        self.ranges.clear();
        self.ranges.extend(ranges.iter().rev().cloned());
        self.reading = false;
        self.ended = false;
        self.rules.report.lock().ages.clear();
    }

    /// Goes to the first cell of one row, of the ranges or not, and ends after its last one.
    pub(super) fn seek_row(&mut self, row: &[u8]) -> Result<()> {
        self.stack.seek(&Range::row(row), &ColumnFamilies::all())?;
        self.ranges.clear();
        self.reading = true;
        self.ended = !self.stack.has_top();
        Ok(())
    }

    /// The current cell.
    pub(super) fn top(&self) -> Option<(&Key, &[u8])> {
        if self.ended { None } else { self.stack.top_key().zip(self.stack.top_value()) }
    }

    /// Takes the commit ages of the row's cells that were noted, and forgets those of earlier rows.
    pub(super) fn take_ages(&self, row: &[u8]) -> HashMap<Key, VecDeque<CellAge>> {
        let mut report = self.rules.report.lock();
        if report.ages.is_empty() {
            return HashMap::new();
        }
        let (of_row, mut others): (HashMap<_, _>, HashMap<_, _>) =
            report.ages.drain().partition(|(key, _)| key.row == row);
        others.retain(|key, _| key.row.as_slice() > row);
        report.ages = others;
        of_row
    }

    /// What the scan has read so far; rows are not counted.
    pub fn metrics(&self) -> ScanMetrics {
        self.rules.report.lock().metrics
    }
}

fn source_rules(
    version: &Arc<Version>,
    roles: ColumnRoles,
    oldest_time: i64,
    once: bool,
) -> Arc<SourceRules> {
    let version = Arc::clone(version);
    Arc::new(SourceRules { version, roles, oldest_time, once, report: Mutex::default() })
}

/// The iterators of the table's scan scope, of the scan itself, and the one that keeps the newest versions.
fn scan_iterators(version: &Version, spec: &ScanSpec) -> Vec<IteratorSetting> {
    let mut iterators = version.settings().iterators_of(IteratorScope::Scan);
    iterators.extend(spec.iterators.iter().cloned());
    add_versioning(&mut iterators, spec.max_versions);
    iterators
}

/// Adds Accumulo's default iterator, unless the settings have one of their own or every version is wanted.
fn add_versioning(iterators: &mut Vec<IteratorSetting>, max_versions: u32) {
    const CLASS: &str = "VersioningIterator";
    let simple = |class: &str| class.rsplit('.').next() == Some(CLASS);
    if max_versions >= i32::MAX as u32 || iterators.iter().any(|setting| simple(&setting.class)) {
        return;
    }
    // Names and priorities are unique in a scope, and the user's come first.
    let mut name = "vers".to_owned();
    while iterators.iter().any(|setting| setting.name == name) {
        name.push('_');
    }
    let mut priority = VERSIONING_PRIORITY;
    while iterators.iter().any(|setting| setting.priority == priority) {
        priority += 1;
    }
    let versions = max_versions.to_string();
    iterators.push(IteratorSetting::new(name, priority, CLASS).with_option("maxVersions", versions));
}
