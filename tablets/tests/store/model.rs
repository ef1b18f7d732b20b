//! The store in the simplest way: every commit kept in a list, every scan computed from the rules alone.
//!
//! Quadratic, allocating and without a thought of speed. What a compaction may forget is forgotten here too.

use std::collections::BTreeSet;

use ostracon_data::{
    Authorizations, ColumnUpdate, ColumnVisibility, ErasedColumns, Mutation, ROW_MARKER_FAMILY,
};
use ostracon_tablets::ScanSpec;

use crate::harness::{Cell, Row};

/// Place in the order of all updates: commit, mutation of the commit, update of the mutation. Larger is newer.
type Age = (u64, u64, u64);

#[derive(Debug, Clone)]
struct Update {
    row: Vec<u8>,
    age: Age,
    /// With the commit's time filled in.
    what: ColumnUpdate,
    replaces: bool,
}

#[derive(Debug, Clone, Default)]
pub(crate) struct Model {
    updates: Vec<Update>,
    commits: u64,
}

impl Model {
    pub(crate) fn commit(&mut self, mutations: &[Mutation], time_ms: i64, replaces_all: bool) {
        if replaces_all {
            self.updates.clear();
        }
        self.commits += 1;
        for (nth, mutation) in mutations.iter().enumerate() {
            for (place, update) in mutation.updates.iter().enumerate() {
                let mut what = update.clone();
                if let ColumnUpdate::Put { timestamp, .. } | ColumnUpdate::Delete { timestamp, .. } =
                    &mut what
                {
                    timestamp.get_or_insert(time_ms);
                }
                let age = (self.commits, nth as u64, place as u64);
                let replaces = mutation.replaces_older && matches!(what, ColumnUpdate::Put { .. });
                self.updates.push(Update { row: mutation.row.clone(), age, what, replaces });
            }
        }
    }

    /// Keeps what a compaction must keep.
    pub(crate) fn compact(&mut self, max_versions: u32, oldest_time: i64) {
        let mut left = Vec::new();
        for row in self.rows() {
            left.extend(self.live(&row, max_versions, oldest_time));
        }
        // A commit's mutations become one; what is left has no effect on anything but itself.
        for update in &mut left {
            update.replaces = false;
        }
        self.updates = left;
    }

    fn rows(&self) -> BTreeSet<Vec<u8>> {
        self.updates.iter().map(|update| update.row.clone()).collect()
    }

    /// The puts of a row that nothing hides, under any label.
    fn live(&self, row: &[u8], max_versions: u32, oldest_time: i64) -> Vec<Update> {
        let of_row: Vec<&Update> = self.updates.iter().filter(|update| update.row == row).collect();
        let erased = |hidden: &Update| of_row.iter().any(|update| erases(update, hidden));
        let deleted = |put: &Update| of_row.iter().any(|update| deletes(update, put) && !erased(update));
        let mut puts: Vec<Update> = of_row
            .iter()
            .filter(|update| {
                matches!(update.what, ColumnUpdate::Put { .. }) && !erased(update) && !deleted(update)
            })
            .filter(|update| time(update) >= oldest_time)
            .map(|update| Update::clone(update))
            .collect();
        puts.sort_by_key(|put| std::cmp::Reverse((time(put), put.age)));
        let mut kept: Vec<Update> = Vec::new();
        for put in puts {
            let newer = kept.iter().filter(|other| name(other) == name(&put)).count();
            if newer < max_versions as usize {
                kept.push(put);
            }
        }
        kept
    }

    pub(crate) fn scan(&self, spec: &ScanSpec) -> Vec<Row> {
        let oldest_time = spec.ttl_ms.map_or(i64::MIN, |ttl| spec.now_ms - ttl as i64);
        let mut rows = Vec::new();
        for row in self.rows().into_iter().filter(|row| spec.ranges.contains(row)) {
            let mut cells: Vec<(Update, Cell)> = self
                .live(&row, spec.max_versions, oldest_time)
                .into_iter()
                .filter_map(|put| Some((put.clone(), cell(&put)?)))
                .filter(|(_, cell)| visible(&cell.2, &spec.authorizations))
                .collect();
            cells.sort_by(|(a, x), (b, y)| {
                (&x.0, &x.1).cmp(&(&y.0, &y.1)).then(y.3.cmp(&x.3)).then(b.age.cmp(&a.age))
            });
            let exists = cells.iter().any(|(_, cell)| {
                spec.columns.matches(&cell.0, &cell.1) || (cell.0 == ROW_MARKER_FAMILY && cell.1.is_empty())
            });
            if exists {
                let cells = cells.into_iter().map(|(_, cell)| cell);
                rows.push((row, cells.filter(|cell| spec.projection.matches(&cell.0, &cell.1)).collect()));
            }
        }
        if spec.reverse {
            rows.reverse();
        }
        rows.truncate(spec.limit.map_or(usize::MAX, |limit| limit as usize));
        rows
    }
}

fn cell(put: &Update) -> Option<Cell> {
    match &put.what {
        ColumnUpdate::Put { family, qualifier, visibility, timestamp, value } => {
            Some((family.clone(), qualifier.clone(), visibility.clone(), (*timestamp)?, value.clone()))
        }
        _ => None,
    }
}

fn name(update: &Update) -> Option<(&[u8], &[u8], &[u8])> {
    match &update.what {
        ColumnUpdate::Put { family, qualifier, visibility, .. }
        | ColumnUpdate::Delete { family, qualifier, visibility, .. } => Some((family, qualifier, visibility)),
        ColumnUpdate::Erase { .. } => None,
    }
}

fn time(update: &Update) -> i64 {
    match &update.what {
        ColumnUpdate::Put { timestamp, .. } | ColumnUpdate::Delete { timestamp, .. } => timestamp.unwrap(),
        ColumnUpdate::Erase { .. } => i64::MIN,
    }
}

/// Whether `by`, in a newer mutation, hides `hidden` by commit order.
fn erases(by: &Update, hidden: &Update) -> bool {
    if (by.age.0, by.age.1) <= (hidden.age.0, hidden.age.1) {
        return false;
    }
    let Some((family, qualifier, label)) = name(hidden) else { return false };
    match &by.what {
        ColumnUpdate::Erase { columns, label: of_label } => {
            let covers = match columns {
                ErasedColumns::Exact { family: f, qualifier: q } => f == family && q == qualifier,
                ErasedColumns::Prefix { family: f, qualifier_prefix } => {
                    f == family && qualifier.starts_with(qualifier_prefix)
                }
                ErasedColumns::Row => true,
            };
            covers && of_label.as_ref().is_none_or(|of_label| of_label == label)
        }
        ColumnUpdate::Put { .. } => by.replaces && name(by) == name(hidden),
        ColumnUpdate::Delete { .. } => false,
    }
}

/// Whether `by` is a delete marker that covers `put` by time.
fn deletes(by: &Update, put: &Update) -> bool {
    matches!(by.what, ColumnUpdate::Delete { .. }) && name(by) == name(put) && time(by) >= time(put)
}

fn visible(label: &[u8], authorizations: &Authorizations) -> bool {
    ColumnVisibility::parse(label).unwrap().evaluate(authorizations)
}
