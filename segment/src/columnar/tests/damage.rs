//! Bytes that no encoder wrote.

use ostracon_data::{RowRange, RowRanges};
use proptest::collection::vec;
use proptest::prelude::*;

use super::model::{groups, mixed_rows, open_whole, regular_rows, write, write_grouped};
use crate::columnar::{RowLayout, Scratch, Section, Segment, SegmentSummary, Values};

/// Calls everything that reads; only that it returns is asserted.
fn walk(bytes: &[u8]) {
    let Ok(segment) = Segment::open(bytes) else { return };
    walk_segment(&segment);
}

fn walk_segment(segment: &Segment<'_>) {
    let (mut scratch, mut id) = (Scratch::new(), Vec::new());
    let rows = segment.rows();
    let some: Vec<usize> = (0..rows.min(40)).chain(rows.saturating_sub(3)..rows + 2).collect();
    for &row in &some {
        let _ = segment.row_into(row, &mut id);
        let _ = segment.lower_bound(&id);
        let _ = segment.fragment(row, &mut scratch).map(|fragment| fragment.map(<[u8]>::len));
        let _ = segment.for_each_cell(row, &mut scratch, |_| {});
    }
    let _ = segment.labels().count();
    let _ = segment.fragment_rows(0..rows).map(|rows| rows.count());
    let wanted = RowRanges::from_ranges(vec![
        RowRange::new(*b"\0\0\x01", Some(b"b".to_vec())),
        RowRange::point(*b"z"),
    ]);
    let hits: Vec<u32> = some.iter().map(|row| *row as u32).collect();
    for column in segment.columns() {
        let chunk = column.chunk();
        let mut mask = vec![0; rows];
        let _ = chunk.contains(&wanted, 0..rows, &mut scratch, &mut mask);
        let _ = chunk.present(0..rows, &mut mask);
        let _ = chunk.bytes_at(&hits, &mut scratch, |_, _| {});
        if let Values::Bytes(strings) = chunk.values() {
            let _ = strings.append(0..rows, &mut scratch, &mut vec![0], &mut Vec::new());
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn any_flipped_byte_is_noticed(rows in mixed_rows(), flip in 1u8..) {
        let (mut bytes, _) = write(&rows, &RowLayout::words([8, 4]));
        for at in 0..bytes.len() {
            bytes[at] ^= flip;
            prop_assert!(Segment::open(&bytes).and_then(|segment| segment.verify()).is_err(), "byte {}", at);
            bytes[at] ^= flip;
        }
    }

    #[test]
    fn any_flipped_byte_of_a_section_is_noticed(rows in mixed_rows(), groups in groups(), flip in 1u8..) {
        let (mut bytes, summary) = write_grouped(&rows, &RowLayout::bytes(), &groups);
        let sections: usize = summary.sections.iter().map(|length| *length as usize).sum();
        for at in bytes.len() - sections..bytes.len() {
            bytes[at] ^= flip;
            prop_assert!(open_whole(&bytes, &summary).is_err(), "byte {}", at);
            bytes[at] ^= flip;
        }
    }

    #[test]
    fn damaged_sections_never_panic(rows in mixed_rows(), groups in groups(), at: prop::sample::Index, flip in 1u8..) {
        let (mut bytes, summary) = write_grouped(&rows, &RowLayout::bytes(), &groups);
        let at = at.index(bytes.len());
        bytes[at] ^= flip;
        let mut parts = summary.parts(&bytes);
        let Ok(mut segment) = Segment::open(parts.next().unwrap()) else { return Ok(()) };
        for part in parts {
            if let Ok(section) = Section::open(part, &segment) {
                let _ = segment.join(section);
            }
        }
        walk_segment(&segment);
    }

    #[test]
    fn flipped_bytes_never_panic(rows in mixed_rows(), at: prop::sample::Index, flip in 1u8..) {
        let (mut bytes, _) = write(&rows, &RowLayout::words([8, 4]));
        let at = at.index(bytes.len());
        bytes[at] ^= flip;
        walk(&bytes);
    }

    #[test]
    fn damaged_headers_never_panic(rows in mixed_rows(), places in vec(any::<prop::sample::Index>(), 1..4),
                                   byte in prop::sample::select(vec![0, 1, 0x7F, 0x80, 0xFF])) {
        let (mut bytes, summary) = write(&rows, &RowLayout::words([8, 4]));
        let headers = 48 + 72 * summary.columns.len();
        for place in places {
            let at = place.index(headers.min(bytes.len()));
            bytes[at] = byte;
        }
        bytes[0] = 1;
        walk(&bytes);
    }

    #[test]
    fn every_beginning_is_refused(rows in mixed_rows()) {
        let (mut bytes, _) = write(&rows, &RowLayout::words([8, 4]));
        for cut in 0..bytes.len() {
            prop_assert!(Segment::open(&bytes[..cut]).is_err());
        }
        bytes.push(0);
        prop_assert!(Segment::open(&bytes).is_err());
    }

    #[test]
    fn damaged_summaries_are_read_or_refused(rows in mixed_rows(), at: prop::sample::Index, flip in 1u8..) {
        let (_, summary) = write(&rows, &RowLayout::bytes());
        let mut bytes = Vec::new();
        summary.to_bytes(&mut bytes);
        for cut in 0..bytes.len() {
            prop_assert!(SegmentSummary::from_bytes(&bytes[..cut]).is_err());
        }
        let at = at.index(bytes.len());
        bytes[at] ^= flip;
        let _ = SegmentSummary::from_bytes(&bytes);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn flipped_bytes_of_regular_rows_never_panic(rows in regular_rows(), flips in vec((any::<prop::sample::Index>(), 1u8..), 1..8)) {
        let (bytes, _) = write(&rows, &RowLayout::words([8]));
        for (at, flip) in flips {
            let mut damaged = bytes.clone();
            damaged[at.index(bytes.len())] ^= flip;
            walk(&damaged);
        }
    }
}
