//! The algebra of row ranges against a brute-force model: the set of all rows of up to three bytes over a small alphabet
//! with the hard bytes 0x00 and 0xFF, each asked by itself.

use std::collections::BTreeSet;

use ostracon_data::{KeyExtent, RowRange, RowRanges, TableId, prefix_end, row_successor};
use proptest::prelude::*;

const ALPHABET: [u8; 4] = [0x00, b'a', b'b', 0xff];
/// The alphabet and what prefixes of it end with: a range between two bounds that differ has a row in it.
const BYTES: [u8; 6] = [0x00, 0x01, b'a', b'b', b'c', 0xff];

/// Every row of up to three bytes.
fn universe() -> Vec<Vec<u8>> {
    let mut rows = vec![Vec::new()];
    let mut last = rows.clone();
    for _ in 0..3 {
        last = last
            .iter()
            .flat_map(|row| BYTES.iter().map(|byte| [row.as_slice(), &[*byte]].concat()))
            .collect();
        rows.extend(last.iter().cloned());
    }
    rows
}

fn members(set: &RowRanges) -> BTreeSet<Vec<u8>> {
    universe().into_iter().filter(|row| set.contains(row)).collect()
}

/// Membership by the definition of each range, without the set's own search.
fn model(ranges: &[RowRange]) -> BTreeSet<Vec<u8>> {
    let inside = |row: &Vec<u8>| {
        ranges.iter().any(|range| *row >= range.start && range.end.as_ref().is_none_or(|end| row < end))
    };
    universe().into_iter().filter(inside).collect()
}

fn row() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(prop::sample::select(ALPHABET.to_vec()), 0..3)
}

fn ranges() -> impl Strategy<Value = Vec<RowRange>> {
    let range = (row(), prop::option::weighted(0.9, row())).prop_map(|(start, end)| RowRange { start, end });
    let point = row().prop_map(RowRange::point);
    let prefix = row().prop_map(RowRange::prefix);
    prop::collection::vec(prop_oneof![3 => range, 1 => point, 1 => prefix], 0..5)
}

fn normal_form(set: &RowRanges) -> Result<(), TestCaseError> {
    let RowRanges::Set(ranges) = set else { return Ok(()) };
    for range in ranges {
        prop_assert!(!range.is_empty() && !range.is_all(), "{set}");
    }
    for pair in ranges.windows(2) {
        // A gap, not only disjoint: the end of one is strictly before the start of the next.
        prop_assert!(pair[0].end.as_ref().is_some_and(|end| *end < pair[1].start), "{set}");
    }
    Ok(())
}

#[test]
fn a_range_beyond_the_end_of_a_prefix_is_not_covered() {
    let set = RowRanges::from_ranges(vec![RowRange::prefix(*b"\0")]);
    let range = RowRange::new(*b"\0", Some(b"a".to_vec()));
    assert!(set.meets(&range) && !set.covers(&range));
    assert!(set.covers(&RowRange::new(*b"\0", Some(b"\x01".to_vec()))));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn a_range_is_met_or_covered_as_its_rows_are(set in ranges(), range in ranges()) {
        let set = RowRanges::from_ranges(set);
        for range in range {
            // Between two bounds there is a row of the universe, so that the model sees every difference.
            let (inside, of_set) = (model(std::slice::from_ref(&range)), members(&set));
            prop_assert_eq!(set.meets(&range), !inside.is_disjoint(&of_set), "{} {}", &set, &range);
            prop_assert_eq!(set.covers(&range), inside.is_subset(&of_set), "{} {}", &set, &range);
        }
    }

    #[test]
    fn from_ranges_is_the_union(ranges in ranges()) {
        let set = RowRanges::from_ranges(ranges.clone());
        normal_form(&set)?;
        prop_assert_eq!(members(&set), model(&ranges));
        prop_assert_eq!(RowRanges::from_ranges(set.ranges().into_owned()), set);
    }

    #[test]
    fn algebra_is_that_of_sets(a in ranges(), b in ranges()) {
        let (a, b) = (RowRanges::from_ranges(a), RowRanges::from_ranges(b));
        let (rows_a, rows_b) = (members(&a), members(&b));
        for (set, expected) in [
            (a.intersect(&b), rows_a.intersection(&rows_b).cloned().collect::<BTreeSet<_>>()),
            (a.union(&b), rows_a.union(&rows_b).cloned().collect()),
            (a.complement(), universe().into_iter().filter(|row| !rows_a.contains(row)).collect()),
        ] {
            normal_form(&set)?;
            prop_assert_eq!(members(&set), expected);
        }
    }

    #[test]
    fn algebra_has_its_laws(a in ranges(), b in ranges(), c in ranges()) {
        let [a, b, c] = [a, b, c].map(RowRanges::from_ranges);
        prop_assert_eq!(a.complement().complement(), a.clone());
        prop_assert_eq!(a.union(&b).complement(), a.complement().intersect(&b.complement()));
        prop_assert_eq!(a.intersect(&b.union(&c)), a.intersect(&b).union(&a.intersect(&c)));
        prop_assert_eq!(a.intersect(&b), b.intersect(&a));
        prop_assert!(a.intersect(&a.complement()).is_empty());
        prop_assert!(a.union(&a.complement()).is_all());
    }

    #[test]
    fn clip_is_the_tablet_s_share(a in ranges(), splits in prop::collection::vec(row(), 0..3)) {
        let set = RowRanges::from_ranges(a);
        let extents = KeyExtent::split_at(TableId(1), splits);
        let mut together = RowRanges::none();
        for extent in &extents {
            let share = set.clip(extent);
            normal_form(&share)?;
            let expected: BTreeSet<_> = members(&set).into_iter().filter(|row| extent.contains(row)).collect();
            prop_assert_eq!(members(&share), expected);
            prop_assert!(together.intersect(&share).is_empty());
            together = together.union(&share);
        }
        prop_assert_eq!(together, set);
    }

    #[test]
    fn prefix_end_bounds_the_prefix(prefix in row()) {
        let range = RowRange::prefix(prefix.clone());
        for row in universe() {
            prop_assert_eq!(range.contains(&row), row.starts_with(&prefix));
        }
        prop_assert_eq!(prefix_end(&prefix).is_none(), prefix.iter().all(|byte| *byte == 0xff));
    }

    #[test]
    fn successor_is_the_next_row(row in row(), other in row()) {
        let next = row_successor(&row);
        prop_assert!(next > row);
        prop_assert!(other <= row || other >= next);
        let point = RowRange::point(row.clone());
        prop_assert_eq!(point.as_point(), Some(row.as_slice()));
    }
}

#[test]
fn shown_in_readable_form() {
    assert_eq!(RowRanges::all().to_string(), "all rows");
    assert_eq!(RowRanges::none().to_string(), "no rows");
    let set = RowRanges::from_ranges(vec![
        RowRange::new("x", None),
        RowRange::point("k\u{0}"),
        RowRange::new("a", Some(b"b\xff".to_vec())),
    ]);
    assert_eq!(set.to_string(), "[a, b\\xff), [k\\x00], [x, *)");
}

#[test]
fn the_empty_row_is_a_row() {
    let set = RowRanges::point("");
    assert!(set.contains(b"") && !set.contains(b"\0") && !set.is_empty() && !set.is_all());
    assert_eq!(set.complement().ranges().as_ref(), [RowRange::new([0u8], None)]);
}
