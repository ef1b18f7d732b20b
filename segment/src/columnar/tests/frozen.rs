//! Segments of a frozen version are read for ever: bytes written once, kept beside this file. They are never written
//! again, whatever the encoder does meanwhile.

use super::model::{Cells, Row, Rows};
use super::round_trip::assert_holds;
use crate::columnar::{SegmentSummary, Values};

/// What looks random and is the same in every run.
fn mixed(n: u64) -> u64 {
    let n = (n + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    (n ^ n >> 29).wrapping_mul(0xBF58_476D_1CE4_E5B9) >> 13
}

fn sentence(n: u64, words: u64) -> String {
    const WORDS: [&str; 8] =
        ["carefully ", "final ", "deposits ", "sleep ", "furiously ", "among ", "the ", "ironic requests "];
    (0..words).map(|word| WORDS[mixed(n * 31 + word) as usize % WORDS.len()]).collect()
}

fn put(cells: &mut Cells, qualifier: &str, version: (&str, i64, Vec<u8>)) {
    let (label, time, value) = version;
    let name = (b"c".to_vec(), qualifier.as_bytes().to_vec());
    cells.entry(name).or_default().push((label.as_bytes().to_vec(), time, value));
}

/// Row ids of two words; a column of each way to keep values, some of them in sections.
fn rows_by_words() -> Rows {
    let row = |n: u64| {
        let mut cells = Cells::new();
        let mut one =
            |qualifier: &str, value: Vec<u8>| put(&mut cells, qualifier, ("", 1_700_000_000_000, value));
        one("integer", (100 + 3 * (mixed(n) as u32 % 5000)).to_be_bytes().to_vec());
        one("decimal", ((1u128 << 127) + u128::from(mixed(n) % 50) * 100).to_be_bytes().to_vec());
        one("far apart", [3u64, 1 << 40, 1 << 60][mixed(n) as usize % 3].to_be_bytes().to_vec());
        one("constant", b"always".to_vec());
        one("few", ["AIR", "RAIL", "REG AIR"][mixed(n) as usize % 3].into());
        one("text", sentence(n, 4 + n % 4).into_bytes());
        one("repeated", format!("{}{n}", "=".repeat(300)).into_bytes());
        if !n.is_multiple_of(7) {
            one("bytes", (0..3 + n % 9).map(|byte| mixed(n * 16 + byte) as u8).collect());
        }
        let id = [&(7 + n / 4).to_be_bytes()[..], &((n % 4) as u32).to_be_bytes()].concat();
        (id, Row::Cells(cells))
    };
    (0..600).map(row).collect()
}

/// Row ids of any length; labels and times of rows and of cells; rows kept as fragments.
fn rows_by_bytes() -> Rows {
    let row = |n: u64| {
        let mut cells = Cells::new();
        let label = ["", "A", "A&B"][n as usize % 3];
        put(&mut cells, "a", (label, 1000 + n as i64 % 5, n.to_string().into_bytes()));
        let own_label = if n == 40 { "B" } else { label };
        put(&mut cells, "b", (own_label, -5, sentence(n, n % 3).into_bytes()));
        if n % 31 == 7 {
            put(&mut cells, "b", (label, -6, b"older".to_vec()));
        }
        let id = format!("row {}{}", 1000 + n, "x".repeat(n as usize % 4)).into_bytes();
        (id, if n % 50 == 9 { Row::Fragment(cells) } else { Row::Cells(cells) })
    };
    (0..150).map(row).collect()
}

fn is_kept(values: &Values<'_>, kind: &str) -> bool {
    // The forms of byte strings are nobody's business but the decoder's: it shows them for debugging.
    format!("{values:?}").contains(kind)
}

#[test]
fn segments_of_version_1_are_read() {
    let bytes = include_bytes!("fixtures/words-v1.segment");
    let summary = SegmentSummary::from_bytes(include_bytes!("fixtures/words-v1.summary")).unwrap();
    assert_holds(&rows_by_words(), bytes, &summary);
    let segment = super::model::open_whole(bytes, &summary).unwrap();
    assert_eq!(summary.parts(bytes).count(), 3, "two sections");
    assert_eq!(segment.row_words().map(<[_]>::len), Some(2));
    for (qualifier, kind) in [
        ("integer", "Integers"),
        ("decimal", "Integers"),
        ("far apart", "Dictionary"),
        ("few", "Dictionary"),
        ("text", "Coded"),
        ("repeated", "Blocks"),
        ("bytes", "Blocks"),
    ] {
        let column = segment.column(b"c", qualifier.as_bytes()).unwrap();
        assert!(is_kept(column.chunk().values(), kind), "{qualifier} is not kept as {kind}");
    }

    let bytes = include_bytes!("fixtures/bytes-v1.segment");
    let summary = SegmentSummary::from_bytes(include_bytes!("fixtures/bytes-v1.summary")).unwrap();
    assert_holds(&rows_by_bytes(), bytes, &summary);
    let segment = super::model::open_whole(bytes, &summary).unwrap();
    assert!(segment.row_words().is_none(), "ids of any length");
    assert_eq!((segment.columns().len(), segment.labels().len(), segment.fragments()), (2, 4, 8));
    assert!(segment.columns().iter().any(|column| column.times().is_some()), "times of its own");
    assert!(segment.columns().iter().any(|column| column.label_codes().is_some()), "labels of its own");
}
