//! Rows as plain data, and strategies for them.

use std::collections::BTreeMap;

use ostracon_data::CellRef;
use proptest::collection::{btree_map, vec};
use proptest::prelude::*;

use crate::columnar::{
    GroupMember, LocalityGroups, RowLayout, Scratch, Section, Segment, SegmentSummary, SegmentWriter,
};
use crate::{FragmentReader, FragmentWriter, Result, UpdateRef};

/// A cell's label, time and value.
pub(super) type Version = (Vec<u8>, i64, Vec<u8>);
/// A row's cells by family and qualifier, the newest first.
pub(super) type Cells = BTreeMap<(Vec<u8>, Vec<u8>), Vec<Version>>;
/// A table.
pub(super) type Rows = BTreeMap<Vec<u8>, Row>;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Row {
    Cells(Cells),
    /// Handed in as a fragment.
    Fragment(Cells),
}

impl Row {
    pub(super) fn cells(&self) -> &Cells {
        let (Self::Cells(cells) | Self::Fragment(cells)) = self;
        cells
    }
}

fn cell_refs(cells: &Cells) -> impl Iterator<Item = CellRef<'_>> {
    cells.iter().flat_map(|((family, qualifier), versions)| {
        versions.iter().map(move |(visibility, timestamp, value)| CellRef {
            family,
            qualifier,
            visibility,
            timestamp: *timestamp,
            value,
        })
    })
}

pub(super) fn fragment_of(cells: &Cells) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut writer = FragmentWriter::new(&mut bytes, 7, b"");
    for cell in cell_refs(cells) {
        writer.put(cell.family, cell.qualifier, cell.visibility, cell.timestamp, cell.value);
    }
    bytes
}

pub(super) fn push(rows: &Rows, writer: &mut SegmentWriter) {
    for (id, row) in rows {
        match row {
            Row::Cells(cells) => writer.row(id, cell_refs(cells)),
            Row::Fragment(cells) => writer.fragment(id, &fragment_of(cells)),
        }
    }
}

pub(super) fn write(rows: &Rows, layout: &RowLayout) -> (Vec<u8>, SegmentSummary) {
    write_grouped(rows, layout, &LocalityGroups::default())
}

/// As [`write`], with the columns of these groups in sections.
pub(super) fn write_grouped(
    rows: &Rows,
    layout: &RowLayout,
    groups: &LocalityGroups,
) -> (Vec<u8>, SegmentSummary) {
    let mut writer = SegmentWriter::new(layout.clone()).with_groups(groups.clone());
    push(rows, &mut writer);
    assert_eq!(writer.rows(), rows.len());
    let mut bytes = Vec::new();
    let summary = writer.finish(&mut bytes).unwrap();
    assert_eq!((writer.rows(), writer.byte_len()), (0, 0));
    (bytes, summary)
}

/// Opens a segment with all of its sections.
pub(super) fn open_whole<'a>(bytes: &'a [u8], summary: &SegmentSummary) -> Result<Segment<'a>> {
    let mut parts = summary.parts(bytes);
    let mut segment = Segment::open(parts.next().unwrap())?;
    segment.verify()?;
    for (part, number) in parts.zip(1..) {
        let section = Section::open(part, &segment)?;
        section.verify()?;
        assert_eq!(section.number(), number);
        segment.join(section)?;
    }
    Ok(segment)
}

/// Some groups of the names that rows have.
pub(super) fn groups() -> impl Strategy<Value = LocalityGroups> {
    let member = (name(), any::<bool>()).prop_map(|((family, qualifier), all)| GroupMember {
        family,
        qualifier: (!all).then_some(qualifier),
    });
    vec(vec(member, 0..3), 0..4).prop_map(LocalityGroups::new)
}

/// The cells of a row, from wherever they are kept.
pub(super) fn read_row(segment: &Segment<'_>, row: usize, scratch: &mut Scratch) -> Result<Cells> {
    let mut cells = Cells::new();
    let mut push = |family: &[u8], qualifier: &[u8], version: Version| {
        cells.entry((family.to_vec(), qualifier.to_vec())).or_default().push(version);
    };
    if let Some(fragment) = segment.fragment(row, scratch)? {
        for update in FragmentReader::new(fragment)? {
            if let UpdateRef::Put { family, qualifier, visibility, timestamp, value } = update? {
                push(family, qualifier, (visibility.to_vec(), timestamp, value.to_vec()));
            }
        }
    }
    segment.for_each_cell(row, scratch, |cell| {
        push(cell.family, cell.qualifier, (cell.visibility.to_vec(), cell.timestamp, cell.value.to_vec()));
    })?;
    Ok(cells)
}

/// Values of each way to keep them, mixed within a column or not.
pub(super) fn value() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        4 => any::<u8>().prop_map(|byte| vec![0, 0, 0, byte]),
        2 => any::<u64>().prop_map(|number| number.to_be_bytes().to_vec()),
        1 => (0u128..90).prop_map(|number| (number * 100 + (1 << 127)).to_be_bytes().to_vec()),
        1 => any::<u128>().prop_map(|number| number.to_be_bytes().to_vec()),
        2 => prop::sample::select(vec!["AIR", "RAIL", "REG AIR", ""]).prop_map(|text| text.into()),
        2 => vec(any::<u8>(), 0..40),
        1 => "[a-d ]{0,60}".prop_map(String::into_bytes),
        1 => Just(vec![0xFF; 40]),
    ]
}

fn name() -> impl Strategy<Value = (Vec<u8>, Vec<u8>)> {
    let short = || prop::sample::select(vec![&b""[..], b"\0", b"a", b"ab", b"b"]).prop_map(<[u8]>::to_vec);
    (short(), short())
}

fn version() -> impl Strategy<Value = Version> {
    let label = prop::sample::select(vec![&b""[..], b"", b"", b"A", b"A&B"]).prop_map(<[u8]>::to_vec);
    (label, prop_oneof![3 => Just(1000), 1 => any::<i64>()], value())
}

fn cells() -> impl Strategy<Value = Cells> {
    let one = || vec(version(), 1..2);
    prop_oneof![
        8 => btree_map(name(), one(), 0..5),
        1 => btree_map(name(), vec(version(), 1..3), 1..4),
    ]
}

fn row() -> impl Strategy<Value = Row> {
    prop_oneof![8 => cells().prop_map(Row::Cells), 1 => cells().prop_map(Row::Fragment)]
}

/// Row ids of any kind, of the layouts' lengths often.
pub(super) fn row_id() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        4 => (0u64..40, 0u32..4).prop_map(|(a, b)| [&a.to_be_bytes()[..], &b.to_be_bytes()].concat()),
        1 => vec(any::<u8>(), 0..14),
        1 => vec(prop::sample::select(vec![0, 1, 0xFF]), 10..14),
    ]
}

pub(super) fn layout() -> impl Strategy<Value = RowLayout> {
    prop::sample::select(vec![vec![], vec![8, 4], vec![12], vec![1, 11], vec![4, 4, 4], vec![8]])
        .prop_map(RowLayout::words)
}

/// Tables whose rows have all kinds of cells.
pub(super) fn mixed_rows() -> impl Strategy<Value = Rows> {
    let words = (0u64..1 << 20, 0u32..4).prop_map(|(a, b)| [&a.to_be_bytes()[..], &b.to_be_bytes()].concat());
    prop_oneof![btree_map(row_id(), row(), 0..40), btree_map(words, row(), 0..80)]
}

/// Tables of two columns with values of one kind each, so that every way to keep them comes up with many rows.
pub(super) fn regular_rows() -> impl Strategy<Value = Rows> {
    let kinds = prop_oneof![
        (any::<u32>(), 1u32..1 << 20).prop_map(|(base, span)| (0..span)
            .prop_map(move |v| base.wrapping_add(v).to_be_bytes().to_vec())
            .boxed()),
        Just((0..50u128).prop_map(|v| (v * 100 + (1 << 127)).to_be_bytes().to_vec()).boxed()),
        Just("[a-z]{0,30}".prop_map(String::into_bytes).boxed()),
        Just(prop::sample::select(vec!["AIR", "RAIL", "REG AIR"]).prop_map(|text| text.into()).boxed()),
        Just(vec(any::<u8>(), 0..20).boxed()),
        value().prop_map(|constant| Just(constant).boxed()),
    ];
    (kinds, 0usize..1200).prop_flat_map(|(kind, rows)| {
        let cell = (kind, 0..3u8, prop::bool::weighted(0.9));
        vec(cell, rows).prop_map(|cells| {
            let row = |(index, (value, label, present)): (usize, (Vec<u8>, u8, bool))| {
                let mut cells = Cells::new();
                cells.insert((b"f".to_vec(), b"id".to_vec()), vec![(Vec::new(), 5, vec![label])]);
                if present {
                    cells.insert((b"f".to_vec(), b"v".to_vec()), vec![(Vec::new(), 5, value)]);
                }
                ((index as u64 * 3).to_be_bytes().to_vec(), Row::Cells(cells))
            };
            cells.into_iter().enumerate().map(row).collect()
        })
    })
}
