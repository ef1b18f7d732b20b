//! What each iterator means, said on a sorted list of cells: no seeks, no state, no shortcuts.

use std::collections::BTreeSet;

use ostracon_data::{Authorizations, ColumnVisibility, Key, PartialKey, Range, Value};
use ostracon_iterators::contract::Cell;
use ostracon_iterators::{ColumnFamilies, DELETE_ROW_VALUE, DeleteBehavior, encode_row};
use proptest::prelude::*;

/// Whether two cells are of one column, label included.
fn same_column(a: &Key, b: &Key) -> bool {
    a.agrees(b, PartialKey::RowFamilyQualifierVisibility)
}

/// What delete markers leave.
pub(crate) fn deleting(cells: &[Cell], behavior: DeleteBehavior) -> Vec<Cell> {
    let hidden = |key: &Key| {
        cells.iter().any(|(marker, _)| marker.deleted && marker < key && same_column(marker, key))
    };
    let dropped = |key: &Key| key.deleted && behavior == DeleteBehavior::Process;
    cells.iter().filter(|(key, _)| !hidden(key) && !dropped(key)).cloned().collect()
}

/// The newest `max` of each column.
pub(crate) fn versions(cells: &[Cell], max: usize) -> Vec<Cell> {
    let newer = |key: &Key| cells.iter().filter(|(other, _)| other < key && same_column(other, key)).count();
    cells.iter().filter(|(key, _)| newer(key) < max).cloned().collect()
}

/// The versions of each column as one, with the key of the newest; a delete marker ends those that count.
pub(crate) fn combined(cells: &[Cell], combine: impl Fn(&[Cell]) -> Value) -> Vec<Cell> {
    let one_of = |run: &[Cell]| match run {
        [(key, _), ..] if !key.deleted => vec![(key.clone(), combine(run))],
        markers => markers.to_vec(),
    };
    let together = |a: &Key, b: &Key| same_column(a, b) && !a.deleted && !b.deleted;
    cells.chunk_by(|(a, _), (b, _)| together(a, b)).flat_map(one_of).collect()
}

/// What the markers of rows leave.
pub(crate) fn rows_deleted(cells: &[Cell], keeps_markers: bool) -> Vec<Cell> {
    let is_marker = |(key, value): &Cell| {
        !key.deleted
            && key.family.is_empty()
            && key.qualifier.is_empty()
            && key.visibility.is_empty()
            && value.as_bytes() == DELETE_ROW_VALUE
    };
    let hidden = |(key, _): &Cell| {
        let markers = cells.iter().filter(|cell| is_marker(cell) && cell.0.row == key.row);
        markers.map(|(marker, _)| marker.timestamp).max().is_some_and(|newest| key.timestamp <= newest)
    };
    let stays = |cell: &&Cell| if is_marker(cell) { keeps_markers } else { !hidden(cell) };
    cells.iter().filter(stays).cloned().collect()
}

/// The cells whose label the authorizations satisfy.
pub(crate) fn visible(cells: &[Cell], authorizations: &Authorizations) -> Vec<Cell> {
    let sees = |label: &[u8]| {
        label.is_empty() || ColumnVisibility::parse(label).is_ok_and(|label| label.evaluate(authorizations))
    };
    cells.iter().filter(|(key, _)| sees(&key.visibility)).cloned().collect()
}

/// The cells of the rows that `keep` accepts, given all of a row's cells.
pub(crate) fn rows(cells: &[Cell], mut keep: impl FnMut(&[Cell]) -> bool) -> Vec<Cell> {
    cells.chunk_by(|(a, _), (b, _)| a.row == b.row).filter(|row| keep(row)).flatten().cloned().collect()
}

/// Each row as one pair, of those whose bare key is in the range.
pub(crate) fn whole_rows(cells: &[Cell], range: &Range, families: &ColumnFamilies) -> Vec<Cell> {
    let wanted: Vec<Cell> = cells.iter().filter(|(key, _)| families.contains(&key.family)).cloned().collect();
    wanted
        .chunk_by(|(a, _), (b, _)| a.row == b.row)
        .map(|row| {
            let mut encoded = Vec::new();
            encode_row(row, &mut encoded).unwrap();
            (Key::new(row[0].0.row.clone(), "", "", "", i64::MAX), Value::from(encoded))
        })
        .filter(|(key, _)| range.contains(key))
        .collect()
}

/// Short byte strings over few letters, so that cells share rows, columns and prefixes.
fn part(letters: &'static [u8], most: usize) -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(prop::sample::select(letters), 0..=most)
}

/// A key, sometimes of a delete marker.
pub(crate) fn key(deletes: bool) -> impl Strategy<Value = Key> {
    let label = prop::sample::select(vec!["", "", "", "A", "A|B", "B&C", "(", "A&\"x y\""]);
    let timestamp = prop_oneof![4 => -1_i64..4, 1 => Just(i64::MAX), 1 => Just(i64::MIN)];
    (part(b"ab\0\xff", 2), part(b"fg", 1), part(b"q\0", 1), label, timestamp, prop::bool::weighted(0.2))
        .prop_map(move |(row, family, qualifier, label, timestamp, deleted)| Key {
            deleted: deleted && deletes,
            ..Key::new(row, family, qualifier, label, timestamp)
        })
}

/// Sorted cells, each key once.
pub(crate) fn cells(deletes: bool, most: usize) -> impl Strategy<Value = Vec<Cell>> {
    prop::collection::vec(key(deletes), 0..=most).prop_map(|keys| {
        let keys: BTreeSet<Key> = keys.into_iter().collect();
        keys.into_iter().enumerate().map(|(index, key)| (key, Value::from(format!("v{index}")))).collect()
    })
}
