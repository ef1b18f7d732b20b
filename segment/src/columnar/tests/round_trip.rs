//! What goes in comes out.

use proptest::prelude::*;

use super::model::{
    Row, Rows, Version, groups, layout, mixed_rows, open_whole, push, read_row, regular_rows, row_id, write,
    write_grouped,
};
use crate::Error;
use crate::columnar::{LocalityGroups, RowLayout, Scratch, Segment, SegmentSummary, SegmentWriter};

fn assert_same(rows: &Rows, layout: &RowLayout) {
    assert_same_grouped(rows, layout, &LocalityGroups::default());
}

fn assert_same_grouped(rows: &Rows, layout: &RowLayout, groups: &LocalityGroups) {
    let (bytes, summary) = write_grouped(rows, layout, groups);
    assert_holds(rows, &bytes, &summary);
}

/// Whether a segment and its summary tell these rows, in every way to ask.
pub(super) fn assert_holds(rows: &Rows, bytes: &[u8], summary: &SegmentSummary) {
    let segment = open_whole(bytes, summary).unwrap();
    assert_eq!(segment.rows(), rows.len());
    let (mut scratch, mut id) = (Scratch::new(), Vec::new());
    for (index, (wanted, row)) in rows.iter().enumerate() {
        segment.row_into(index, &mut id).unwrap();
        assert_eq!(&id, wanted);
        assert_eq!(segment.lower_bound(wanted).unwrap(), index);
        assert_eq!(&read_row(&segment, index, &mut scratch).unwrap(), row.cells(), "row {index}");
    }
    // Backwards, so that blocks are opened in another order.
    for (index, row) in rows.values().enumerate().rev() {
        assert_eq!(&read_row(&segment, index, &mut scratch).unwrap(), row.cells(), "row {index}");
    }
    for from in [0, rows.len() / 3, rows.len()] {
        let mut ids = Vec::new();
        segment.for_each_row(from..rows.len(), |row, id| ids.push((row, id.to_vec()))).unwrap();
        assert!(ids.into_iter().eq(rows.keys().cloned().enumerate().skip(from)));
    }
    assert_summary(rows, &segment, summary);
}

fn assert_summary(rows: &Rows, segment: &Segment<'_>, summary: &SegmentSummary) {
    let mut stored = Vec::new();
    summary.to_bytes(&mut stored);
    assert_eq!(&SegmentSummary::from_bytes(&stored).unwrap(), summary);
    assert_eq!(summary.rows as usize, rows.len());
    assert_eq!(summary.first_row, rows.keys().next().cloned().unwrap_or_default());
    assert_eq!(summary.last_row, rows.keys().last().cloned().unwrap_or_default());
    assert_eq!(summary.fragments as usize, segment.fragments());
    let fragment_rows: Vec<usize> =
        segment.fragment_rows(0..rows.len()).unwrap().collect::<Result<_, _>>().unwrap();
    assert_eq!(fragment_rows.len(), segment.fragments());
    let versions = || rows.values().flat_map(|row| row.cells().values().flatten());
    let mut labels: Vec<_> = versions().map(|version| version.0.clone()).collect();
    labels.sort();
    labels.dedup();
    assert_eq!(summary.labels, labels);
    assert_eq!(summary.oldest, versions().map(|version| version.1).min().unwrap_or(i64::MAX));
    assert_eq!(summary.newest, versions().map(|version| version.1).max().unwrap_or(i64::MIN));
    assert_eq!(summary.columns.len(), segment.columns().len());
    for (known, column) in summary.columns.iter().zip(segment.columns()) {
        assert_eq!(
            (known.family.as_slice(), known.qualifier.as_slice()),
            (column.family(), column.qualifier())
        );
        assert!(std::ptr::eq(segment.column(&known.family, &known.qualifier).unwrap(), column));
        assert_eq!(summary.column(&known.family, &known.qualifier), Some(known));
        let name = (known.family.clone(), known.qualifier.clone());
        let columnar = |(index, row): (usize, &'_ Row)| {
            let value = row.cells().get(&name)?.first()?.2.clone();
            fragment_rows.binary_search(&index).is_err().then_some(value)
        };
        let values: Vec<_> = rows.values().enumerate().filter_map(columnar).collect();
        let chunk = column.chunk();
        assert_eq!(
            (known.absent as usize, chunk.absent()),
            (rows.len() - values.len(), rows.len() - values.len())
        );
        let utf8 = values.iter().all(|value| std::str::from_utf8(value).is_ok());
        assert_eq!((known.utf8, chunk.is_utf8()), (utf8, utf8));
        if let Some(width) = known.width {
            assert!(values.iter().all(|value| value.len() == width as usize));
        }
        let (min, max) = (values.iter().min().unwrap(), values.iter().max().unwrap());
        assert!(if known.min.attained { known.min.bytes == *min } else { known.min.bytes < *min });
        if let Some(bound) = &known.max {
            assert!(if bound.attained { bound.bytes == *max } else { bound.bytes > *max });
        }
        assert!(known.max.is_some() || max.starts_with(&[0xFF; 32]));
    }
}

proptest! {
    #[test]
    fn rows_in_sections_come_back(rows in mixed_rows(), layout in layout(), groups in groups()) {
        assert_same_grouped(&rows, &layout, &groups);
    }

    #[test]
    fn a_segment_agrees_with_the_groups_it_was_written_by(rows in mixed_rows(), groups in groups(), others in groups()) {
        let (_, summary) = write_grouped(&rows, &RowLayout::bytes(), &groups);
        prop_assert!(groups.agree(&summary));
        let place = |groups: &LocalityGroups| {
            let of = |column: &crate::ColumnSummary| groups.group_of(&column.family, &column.qualifier);
            let all: Vec<_> = summary.columns.iter().map(of).collect();
            // Which columns lie together, whatever the groups' places.
            let together = |at: usize| all.iter().map(|group| *group == all[at]).collect::<Vec<_>>();
            (0..all.len()).map(|at| (all[at].is_some(), together(at))).collect::<Vec<_>>()
        };
        prop_assert_eq!(others.agree(&summary), place(&groups) == place(&others));
    }

    #[test]
    fn a_segment_without_its_sections_has_the_columns_of_no_group(rows in mixed_rows(), groups in groups()) {
        let (bytes, summary) = write_grouped(&rows, &RowLayout::bytes(), &groups);
        let segment = Segment::open(summary.parts(&bytes).next().unwrap()).unwrap();
        segment.verify().unwrap();
        let shown: Vec<_> = segment.columns().iter().map(|column| (column.family(), column.qualifier())).collect();
        for column in &summary.columns {
            let grouped = groups.group_of(&column.family, &column.qualifier).is_some();
            prop_assert_eq!(column.section > 0, grouped);
        }
        let ungrouped = summary.columns.iter().filter(|column| column.section == 0);
        let ungrouped: Vec<_> = ungrouped.map(|column| (column.family.as_slice(), column.qualifier.as_slice())).collect();
        prop_assert_eq!(shown, ungrouped);
    }

    #[test]
    fn mixed_rows_come_back(rows in mixed_rows(), layout in layout()) {
        assert_same(&rows, &layout);
    }

    #[test]
    fn lower_bound_is_that_of_a_sorted_list(rows in mixed_rows(), layout in layout(), wanted in row_id()) {
        let (bytes, _) = write(&rows, &layout);
        let segment = Segment::open(&bytes).unwrap();
        let ids: Vec<_> = rows.keys().collect();
        prop_assert_eq!(segment.lower_bound(&wanted).unwrap(), ids.partition_point(|id| **id < wanted));
        prop_assert_eq!(segment.lower_bound(&[]).unwrap(), 0);
        // Beginnings and continuations of rows that are there.
        for id in ids.iter().take(20) {
            for near in [&id[..id.len() / 2], &[id, &[0][..]].concat(), &[id, &[0xFF; 3][..]].concat()] {
                let bound = ids.partition_point(|id| id.as_slice() < near);
                prop_assert_eq!(segment.lower_bound(near).unwrap(), bound);
                for from in [0, bound.saturating_sub(3), bound, bound + 1, ids.len()] {
                    prop_assert_eq!(segment.lower_bound_near(from, near).unwrap(), bound, "from {}", from);
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn regular_rows_come_back(rows in regular_rows()) {
        assert_same(&rows, &RowLayout::words([8]));
    }
}

fn cell(family: &str, qualifier: String, label: &str, time: i64) -> ((Vec<u8>, Vec<u8>), Vec<Version>) {
    let value = qualifier.as_bytes().repeat(2);
    ((family.into(), qualifier.into()), vec![(label.into(), time, value)])
}

/// Rows of `columns(row)`, with fragments among them.
fn rows_of(rows: usize, columns: impl Fn(usize) -> Vec<usize>) -> Rows {
    let row = |row: usize| {
        let cells = columns(row).into_iter().map(|column| {
            cell(
                "map",
                format!("q{column:05}"),
                ["", "A"][usize::from(row.is_multiple_of(7) && column.is_multiple_of(3))],
                5 + (row % 2) as i64,
            )
        });
        let cells = cells.collect();
        (
            format!("row{row:06}").into_bytes(),
            if row % 50 == 3 { Row::Fragment(cells) } else { Row::Cells(cells) },
        )
    };
    (0..rows).map(row).collect()
}

#[test]
fn rows_of_a_map_family_become_fragments() {
    // Each row has some of 900 qualifiers, every fourth only one that all have.
    let rows =
        rows_of(
            400,
            |row| if row % 4 == 0 { vec![0] } else { vec![0, 1 + row * 7 % 900, 1 + row * 13 % 900] },
        );
    assert_same(&rows, &RowLayout::bytes());
    let (bytes, summary) = write(&rows, &RowLayout::bytes());
    assert_eq!(summary.columns.len(), 1);
    let fragments = (0..400).filter(|row| row % 4 != 0 || row % 50 == 3).count();
    assert_eq!(Segment::open(&bytes).unwrap().fragments(), fragments);
}

#[test]
fn more_columns_than_a_segment_has_become_fragments() {
    let rows = rows_of(30, |row| (row * 100..row * 100 + 100).collect());
    assert_same(&rows, &RowLayout::bytes());
    assert!(write(&rows, &RowLayout::bytes()).1.columns.len() <= 1024);
}

#[test]
fn wide_rows_stay_columns() {
    let rows = rows_of(60, |row| (0..300).filter(|column| (row + column) % 5 > 0).collect());
    assert_same(&rows, &RowLayout::bytes());
    let (_, summary) = write(&rows, &RowLayout::bytes());
    assert_eq!((summary.columns.len(), summary.fragments), (300, 2));
}

#[test]
fn a_writer_writes_the_next_segment_as_a_new_one_would() {
    let tables = [
        rows_of(50, |row| vec![0, row % 3, 7]),
        rows_of(400, |row| vec![1 + row * 7 % 900]),
        rows_of(20, |_| vec![3]),
        Rows::new(),
        rows_of(50, |row| vec![0, row % 3, 7]),
    ];
    let mut writer = SegmentWriter::new(RowLayout::bytes());
    for rows in &tables {
        push(rows, &mut writer);
        let mut bytes = Vec::new();
        let summary = writer.finish(&mut bytes).unwrap();
        assert_eq!((bytes, summary), write(rows, &RowLayout::bytes()));
    }
}

#[test]
fn what_a_segment_cannot_hold_is_refused() {
    let mut out = vec![1, 2];
    let mut writer = SegmentWriter::new(RowLayout::bytes());
    for row in [b"a", b"c", b"b"] {
        writer.row(row, std::iter::empty());
    }
    assert_eq!(
        writer.finish(&mut out),
        Err(Error::Unencodable { what: "rows are not in ascending order", row: 2 })
    );
    writer.row(b"a", std::iter::empty());
    writer.row(b"a", std::iter::empty());
    assert!(writer.finish(&mut out).is_err());
    writer.fragment(b"a", b"no fragment");
    assert!(matches!(writer.finish(&mut out), Err(Error::UnknownVersion { .. })));
    assert_eq!(out, [1, 2]);
    // It starts anew after an error.
    writer.row(b"a", std::iter::empty());
    assert_eq!(writer.finish(&mut out).unwrap().rows, 1);
    assert_eq!(Segment::open(&out[2..]).unwrap().rows(), 1);
}
