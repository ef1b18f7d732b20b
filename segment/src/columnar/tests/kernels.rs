//! Masks and hits against evaluating row by row.

use ostracon_data::{RowRange, RowRanges};
use proptest::collection::vec;
use proptest::prelude::*;

use super::model::{Rows, mixed_rows, regular_rows, value, write};
use crate::Error;
use crate::columnar::{RowLayout, Scratch, Segment, Values};

fn wanted(values: Vec<Vec<u8>>) -> impl Strategy<Value = RowRanges> {
    // Bounds next to values that are there, and any others.
    let near = move || {
        let known = if values.is_empty() { vec![Vec::new()] } else { values.clone() };
        let cut = (prop::sample::select(known), any::<prop::sample::Index>(), vec(any::<u8>(), 0..2));
        prop_oneof![
            4 => cut.prop_map(|(mut value, at, tail)| {
                if at.index(3) > 0 { value.truncate(at.index(value.len() + 1)) }
                value.extend(tail);
                value
            }),
            1 => value(),
        ]
    };
    let range = prop_oneof![
        2 => near().prop_map(RowRange::point),
        2 => (near(), near()).prop_map(|(a, b)| RowRange::new(a.clone().min(b.clone()), Some(a.max(b)))),
        1 => near().prop_map(|start| RowRange::new(start, None)),
        1 => near().prop_map(|end| RowRange::new(Vec::new(), Some(end))),
    ];
    prop_oneof![
        1 => Just(RowRanges::All),
        9 => vec(range, 0..6).prop_map(RowRanges::from_ranges),
    ]
}

fn with_wanted(rows: impl Strategy<Value = Rows>) -> impl Strategy<Value = (Rows, RowRanges)> {
    rows.prop_flat_map(|rows| {
        let all =
            rows.values().flat_map(|row| row.cells().values().flatten()).map(|version| version.2.clone());
        let values = all.take(50).collect();
        (Just(rows), wanted(values))
    })
}

/// Every kernel of every column over one range of rows, and over hits in it.
fn assert_kernels(rows: &Rows, wanted: &RowRanges, from: usize, hits: &[u32]) {
    let (bytes, _) = write(rows, &RowLayout::words([8, 4]));
    let segment = Segment::open(&bytes).unwrap();
    let mut scratch = Scratch::new();
    let rows = from..segment.rows();
    for column in segment.columns() {
        let chunk = column.chunk();
        let mut naive: Vec<Option<Vec<u8>>> = Vec::new();
        for row in 0..segment.rows() {
            naive.push(chunk.value(row, &mut scratch).unwrap().map(<[u8]>::to_vec));
        }
        let mut mask = vec![9; rows.len()];
        chunk.present(rows.clone(), &mut mask).unwrap();
        let expected: Vec<u8> = naive[rows.clone()].iter().map(|value| u8::from(value.is_some())).collect();
        assert_eq!(mask, expected);
        mask.fill(9);
        chunk.contains(wanted, rows.clone(), &mut scratch, &mut mask).unwrap();
        let holds =
            |value: &Option<Vec<u8>>| u8::from(value.as_ref().is_some_and(|value| wanted.contains(value)));
        let expected: Vec<u8> = naive[rows.clone()].iter().map(holds).collect();
        assert_eq!(mask, expected, "{wanted}");
        let mut found = Vec::new();
        chunk
            .bytes_at(hits, &mut scratch, |place, value| found.push((place, value.map(<[u8]>::to_vec))))
            .unwrap();
        let expected: Vec<_> =
            hits.iter().enumerate().map(|(place, hit)| (place, naive[*hit as usize].clone())).collect();
        assert_eq!(found, expected);
        match chunk.values() {
            Values::Integers(integers) => {
                let mut reduced = Vec::new();
                integers.gather(hits, &mut reduced).unwrap();
                integers.unpack_u64(rows.clone(), &mut reduced).unwrap();
                let all = hits.iter().map(|hit| *hit as usize).chain(rows.clone());
                for (row, v) in all.zip(reduced) {
                    let bytes = integers.value_of(v).to_be_bytes();
                    if let Some(value) = &naive[row] {
                        assert_eq!(&bytes[16 - integers.width()..], value);
                    }
                }
            }
            Values::Dictionary(dictionary) => {
                let mut entries = Vec::new();
                dictionary
                    .for_each_entry(|_, entry| {
                        entries.push(entry.to_vec());
                        Ok::<(), Error>(())
                    })
                    .unwrap();
                let mut distinct: Vec<_> = naive.iter().flatten().cloned().collect();
                distinct.sort();
                distinct.dedup();
                assert_eq!(entries, distinct);
            }
            Values::Bytes(strings) => {
                let (mut ends, mut data) = (vec![0], Vec::new());
                strings.append(rows.clone(), &mut scratch, &mut ends, &mut data).unwrap();
                for (row, pair) in rows.clone().zip(ends.windows(2)) {
                    let value = &data[pair[0] as usize..pair[1] as usize];
                    assert_eq!(value, naive[row].as_deref().unwrap_or_default());
                }
            }
        }
    }
}

proptest! {
    #[test]
    fn kernels_of_mixed_rows((rows, wanted) in with_wanted(mixed_rows()), from: prop::sample::Index,
                             hits in vec(any::<prop::sample::Index>(), 0..30)) {
        let mut hits: Vec<u32> = hits.iter().filter(|_| !rows.is_empty()).map(|at| at.index(rows.len()) as u32).collect();
        assert_kernels(&rows, &wanted, from.index(rows.len() + 1), &hits);
        hits.sort();
        assert_kernels(&rows, &wanted, from.index(rows.len() + 1), &hits);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn kernels_of_regular_rows((rows, wanted) in with_wanted(regular_rows()), from: prop::sample::Index, step in 1u32..300) {
        let hits: Vec<u32> = (0..rows.len() as u32).step_by(step as usize).collect();
        assert_kernels(&rows, &wanted, from.index(rows.len() + 1), &hits);
    }
}
