//! Segments and their summaries.

use ostracon_data::{CellRef, RowRange, RowRanges};
use ostracon_segment::{GroupMember, LocalityGroups, RowLayout, Scratch, Section, Segment, SegmentSummary, SegmentWriter, Values};

/// Where a segment keeps its length.
const LENGTH: std::ops::Range<usize> = 8..12;

/// Any bytes as a segment and as a summary: they are read or refused.
pub fn segment(bytes: &[u8]) {
    walk(bytes);
    // Past the version and the length, so that more is looked at than these.
    let mut dressed = bytes.to_vec();
    if let Some(version) = dressed.first_mut() {
        *version = 1;
    }
    let length = u32::try_from(bytes.len()).expect("inputs are small").to_le_bytes();
    if let Some(field) = dressed.get_mut(LENGTH) {
        field.copy_from_slice(&length);
    }
    walk(&dressed);
    if let Ok(summary) = SegmentSummary::from_bytes(bytes) {
        let mut again = Vec::new();
        summary.to_bytes(&mut again);
        assert_eq!(SegmentSummary::from_bytes(&again).expect("written bytes are read"), summary);
    }
}

/// Rows made of the input are read as they were written, and a segment of them with some bytes changed is read or refused.
pub fn segment_rows(bytes: &[u8]) {
    let rows: Vec<Row<'_>> = bytes.chunks(6).enumerate().map(|(at, piece)| Row::of(at, piece)).collect();
    let member = |qualifier: &[u8]| vec![GroupMember { family: b"f".to_vec(), qualifier: Some(qualifier.to_vec()) }];
    let apart = LocalityGroups::new(vec![member(b"text"), member(b"few")]);
    for (layout, groups) in [(RowLayout::bytes(), apart), (RowLayout::words([8]), LocalityGroups::default())] {
        let mut writer = SegmentWriter::new(layout).with_groups(groups);
        rows.iter().for_each(|row| writer.row(&row.id, row.cells()));
        let mut written = Vec::new();
        let summary = writer.finish(&mut written).expect("rows in order are written");
        assert_eq!(summary.rows as usize, rows.len());
        {
            let mut parts = summary.parts(&written);
            let mut segment = Segment::open(parts.next().expect("a segment comes first")).expect("a written segment opens");
            segment.verify().expect("its checksum is right");
            for part in parts {
                let section = Section::open(part, &segment).expect("a written section opens");
                section.verify().expect("its checksum is right");
                segment.join(section).expect("its columns are its own");
            }
            rows.iter().enumerate().for_each(|(at, row)| row.check(&segment, at));
        }
        for change in bytes.chunks_exact(3).take(8) {
            let at = (usize::from(change[0]) << 8 | usize::from(change[1])) % written.len();
            written[at] ^= change[2];
            let mut parts = summary.parts(&written);
            let Ok(mut segment) = Segment::open(parts.next().expect("a segment comes first")) else { continue };
            for part in parts {
                if let Ok(section) = Section::open(part, &segment) {
                    let _ = segment.join(section);
                }
            }
            walk_segment(&segment);
        }
    }
}

/// A row with a text of the input, one of few texts, and now and then a number.
struct Row<'a> {
    id: [u8; 8],
    values: [(&'static [u8], &'a [u8]); 3],
    label: &'static [u8],
}

impl<'a> Row<'a> {
    fn of(at: usize, piece: &'a [u8]) -> Self {
        let first = usize::from(piece[0]);
        let few: [&[u8]; 3] = [b"AIR", b"RAIL", b""];
        let number = piece.get(..4).filter(|_| first % 4 > 0);
        Self {
            id: (at as u64 * 3).to_be_bytes(),
            values: [(b"few", few[first % 3]), (b"number", number.unwrap_or(&[0; 4])), (b"text", piece)],
            label: if first % 16 == 7 { b"A" } else { b"" },
        }
    }

    fn cells(&self) -> impl Iterator<Item = CellRef<'_>> {
        self.values.iter().map(|(qualifier, value)| CellRef {
            family: b"f",
            qualifier,
            visibility: self.label,
            timestamp: 1000,
            value,
        })
    }

    fn check(&self, segment: &Segment<'_>, at: usize) {
        let mut id = Vec::new();
        segment.row_into(at, &mut id).expect("a written row has an id");
        assert_eq!(id, self.id);
        let mut left = self.cells();
        let read = segment.for_each_cell(at, &mut Scratch::new(), |cell| assert_eq!(Some(cell), left.next()));
        read.expect("a written row is read");
        assert_eq!(left.next(), None);
    }
}

/// Calls everything that reads. Of damaged bytes any answer will do, but no panic.
fn walk(bytes: &[u8]) {
    if let Ok(segment) = Segment::open(bytes) {
        walk_segment(&segment);
    }
}

fn walk_segment(segment: &Segment<'_>) {
    let (mut scratch, mut id) = (Scratch::new(), Vec::new());
    let rows = segment.rows().min(1 << 12);
    let _ = segment.verify();
    for row in (0..rows.min(40)).chain(rows.saturating_sub(2)..rows + 2) {
        let _ = segment.row_into(row, &mut id);
        let _ = segment.lower_bound(&id);
        let _ = segment.lower_bound_near(row / 2, &id);
        let _ = segment.fragment(row, &mut scratch).map(|fragment| fragment.map(<[u8]>::len));
        let _ = segment.for_each_cell(row, &mut scratch, |_| {});
    }
    let _ = segment.labels().count();
    let _ = segment.fragment_rows(0..rows).map(|rows| rows.count());
    let wanted = RowRanges::from_ranges(vec![RowRange::new(*b"\0\0\x01", Some(b"R".to_vec())), RowRange::point(*b"z")]);
    for column in segment.columns() {
        let mut mask = vec![0; rows];
        let _ = column.chunk().contains(&wanted, 0..rows, &mut scratch, &mut mask);
        let _ = column.chunk().present(0..rows, &mut mask);
        let _ = column.chunk().bytes_at(&[0, 1], &mut scratch, |_, _| {});
        if let Values::Bytes(strings) = column.chunk().values() {
            let _ = strings.append(0..rows, &mut scratch, &mut vec![0], &mut Vec::new());
        }
    }
}
