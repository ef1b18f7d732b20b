//! What the suite tries: cells, ranges and families that lie where iterators go wrong.

use std::collections::BTreeSet;

use ostracon_data::{Key, PartialKey, Range, Value};

use super::Cell;
use crate::ColumnFamilies;

/// How many pairs of a start and an end are tried at most.
const MAX_PAIRS: usize = 600;

/// Cells for a first check: several rows, families, qualifiers, labels and versions, delete markers before, between
/// and behind what they hide, empty parts, the bytes 0x00 and 0xFF, rows that are prefixes of each other, and runs of
/// versions and of one family that are long enough for iterators that seek over such runs, with neighbours that a seek
/// too far would miss.
pub fn sample_cells() -> Vec<Cell> {
    let mut cells = Vec::new();
    let mut put = |row: &[u8], family: &[u8], qualifier: &[u8], label: &[u8], timestamp: i64| {
        let value = format!("v{}", cells.len());
        cells.push((Key::new(row, family, qualifier, label, timestamp), Value::from(value)));
    };
    put(b"", b"", b"", b"", 0);
    put(b"a", b"", b"", b"", i64::MAX);
    put(b"a", b"f", b"q", b"", 9);
    put(b"a", b"f", b"q", b"", 7);
    put(b"a", b"f", b"q", b"", 5);
    put(b"a", b"f", b"q", b"A", 8);
    put(b"a", b"f", b"q", b"A&B", 3);
    put(b"a", b"f", b"q\0", b"", 1);
    put(b"a", b"f\0", b"q", b"", 1);
    put(b"a", b"g", b"", b"", -5);
    put(b"a\0", b"f", b"q", b"", 2);
    put(b"b", b"\xff", b"\xff", b"", i64::MIN);
    for timestamp in (1..=14).rev() {
        put(b"c", b"f", b"q", b"", timestamp);
    }
    put(b"c", b"f", b"q", b"A", 4);
    put(b"c", b"g", b"r", b"B", 4);
    for qualifier in 0..12 {
        put(b"c", b"x", &[qualifier], b"", 3);
    }
    put(b"c\0", b"f", b"q", b"", 5);
    put(b"c\0", b"g", b"q", b"", 5);
    put(b"d", b"h", b"q", b"malformed&", 4);
    put(b"\xff\xff", b"f", b"q", b"", 6);
    for (row, timestamp) in [(&b"a"[..], 7), (b"c", 5), (b"e", 5)] {
        let marker = Key { deleted: true, ..Key::new(row, "f", "q", "", timestamp) };
        cells.push((marker, Value::default()));
    }
    cells.sort();
    cells
}

/// Ranges that start and end before, at and behind every key and row of the cells, and the crossed and empty ones.
pub fn range_cases(cells: &[Cell]) -> Vec<Range> {
    let keys = bound_keys(cells);
    let bounds: Vec<(&Key, bool)> = keys.iter().flat_map(|key| [(key, true), (key, false)]).collect();
    let mut ranges = vec![Range::all()];
    for &(key, inclusive) in &bounds {
        ranges.push(Range::new(Some(key.clone()), inclusive, None, true));
        ranges.push(Range::new(None, true, Some(key.clone()), inclusive));
    }
    let pairs = bounds.len() * bounds.len();
    // A stride that shares no factor with the number of bounds visits all starts and all ends.
    let mut stride = (pairs / MAX_PAIRS).max(1);
    while gcd(stride, bounds.len().max(1)) != 1 {
        stride += 1;
    }
    for pair in (0..pairs).step_by(stride) {
        if let (Some((start, from)), Some((end, to))) =
            (bounds.get(pair / bounds.len()), bounds.get(pair % bounds.len()))
        {
            ranges.push(Range::new(Some((*start).clone()), *from, Some((*end).clone()), *to));
        }
    }
    let rows: BTreeSet<&[u8]> = cells.iter().map(|(key, _)| key.row.as_slice()).collect();
    for row in rows {
        ranges.push(Range::row(row));
        ranges.push(Range::rows(Some(row), false, None, true));
        ranges.push(Range::rows(None, true, Some(row), false));
    }
    ranges
}

/// Every key of the cells, and for each what lies at its edges: the first key of its row, the bare row, and the keys
/// behind its column.
fn bound_keys(cells: &[Cell]) -> BTreeSet<Key> {
    let mut keys = BTreeSet::new();
    for (key, _) in cells {
        keys.insert(key.clone());
        keys.insert(Key::first_of_row(key.row.clone()));
        keys.insert(Key::new(key.row.clone(), "", "", "", i64::MAX));
        keys.insert(key.following(PartialKey::RowFamilyQualifierVisibility));
    }
    keys
}

/// Sets of families: all, none, each alone, all but each, a family that is not there, and each with that one.
pub fn family_cases(cells: &[Cell]) -> Vec<ColumnFamilies> {
    let families: BTreeSet<&[u8]> = cells.iter().map(|(key, _)| key.family.as_slice()).collect();
    let absent = &b"no such family"[..];
    let mut cases = vec![
        ColumnFamilies::all(),
        ColumnFamilies::only(Vec::<Vec<u8>>::new()),
        ColumnFamilies::only([absent]),
        ColumnFamilies::except([absent]),
        ColumnFamilies::only(families.iter().copied()),
        ColumnFamilies::except(families.iter().copied()),
    ];
    for family in families {
        cases.push(ColumnFamilies::only([family]));
        cases.push(ColumnFamilies::except([family]));
        cases.push(ColumnFamilies::only([family, absent]));
    }
    cases
}

fn gcd(a: usize, b: usize) -> usize {
    if b == 0 { a } else { gcd(b, a % b) }
}
