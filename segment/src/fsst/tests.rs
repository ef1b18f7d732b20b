//! Strings through tables of any symbols.

use proptest::collection::vec;
use proptest::prelude::*;

use super::{Matcher, Symbol, Symbols, Trainer};

fn text() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        3 => "[ab ]{0,40}".prop_map(String::into_bytes),
        2 => vec(prop::sample::select(vec![0, 1, b'a', 0xFF]), 0..20),
        1 => vec(any::<u8>(), 0..20),
        1 => Just(b"http://example.org/path/to/page".to_vec()),
    ]
}

/// Any symbols, as no training would choose them.
fn symbols() -> impl Strategy<Value = Vec<Vec<u8>>> {
    let symbol = (text(), any::<u8>(), 0..8usize).prop_map(|(mut bytes, last, len)| {
        bytes.truncate(len);
        bytes.push(last);
        bytes
    });
    vec(symbol, 0..300)
}

fn table_of(matcher: &Matcher) -> Vec<u8> {
    let mut table = Vec::new();
    matcher.append_table(&mut table);
    table
}

fn assert_comes_back(matcher: &Matcher, table: &[u8], string: &[u8]) -> usize {
    let symbols = Symbols::new(table, matcher.len() as u8).unwrap();
    // Another string's bytes behind it are not to be taken for its own.
    for behind in [&[][..], &string.repeat(2)] {
        let (mut codes, mut ends) = (Vec::new(), Vec::new());
        let len = string.len() as u32;
        matcher.compress(
            &[0, len, len + behind.len() as u32],
            &[string, behind].concat(),
            &mut codes,
            &mut ends,
        );
        assert_eq!(ends.len(), 2);
        let mut room = vec![0xAA; Symbols::room_for(codes.len())];
        let own = &codes[..ends[0] as usize];
        let length = symbols.decode(own, &mut room).unwrap();
        assert_eq!(&room[..length], string);
        let length = symbols.decode(&codes[ends[0] as usize..], &mut room).unwrap();
        assert_eq!(&room[..length], behind);
    }
    let (mut codes, mut ends) = (Vec::new(), Vec::new());
    matcher.compress(&[0, string.len() as u32], string, &mut codes, &mut ends);
    let mut room = vec![0xAA; Symbols::room_for(codes.len())];
    let length = symbols.decode(&codes, &mut room).unwrap();
    assert_eq!(&room[..length], string);
    codes.len()
}

proptest! {
    #[test]
    fn any_table_gives_strings_back(symbols in symbols(), strings in vec(text(), 1..20)) {
        let mut matcher = Matcher::default();
        let symbol = |bytes: &Vec<u8>| Symbol {
            bytes: bytes.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte)),
            len: bytes.len() as u8,
        };
        matcher.rebuild(symbols.iter().map(symbol));
        let table = table_of(&matcher);
        prop_assert_eq!(table.len(), Symbols::byte_len(matcher.len() as u8));
        for string in strings.iter().chain(&symbols) {
            assert_comes_back(&matcher, &table, string);
        }
    }

    #[test]
    fn a_trained_table_gives_strings_back(sample in vec(text(), 0..60), strings in vec(text(), 1..20)) {
        let mut matcher = Matcher::default();
        let sample: Vec<&[u8]> = sample.iter().map(Vec::as_slice).collect();
        Trainer::default().train(&sample, 10, &mut matcher);
        let table = table_of(&matcher);
        for string in strings.iter().map(Vec::as_slice).chain(sample) {
            assert_comes_back(&matcher, &table, string);
        }
    }

    #[test]
    fn any_codes_decode_or_are_refused(table in vec(any::<u8>(), 0..200), codes in vec(any::<u8>(), 0..60), room in 0usize..600) {
        let count = (table.len() / 9) as u8;
        let table = &table[..usize::from(count) * 9];
        let symbols = Symbols::new(table, count).unwrap();
        let mut room = vec![0; room];
        if let Some(length) = symbols.decode(&codes, &mut room) {
            prop_assert!(length <= room.len());
        }
        prop_assert!(Symbols::new(table, count + 1).is_none());
    }
}

#[test]
fn text_of_few_words_becomes_a_third() {
    let words = ["carefully ", "final ", "deposits ", "sleep ", "quickly ", "above ", "the ", "ironic "];
    let strings: Vec<String> = (0..200usize)
        .map(|at| (0..4).map(|word| words[(at * 7 + word * word * 3 + at / 5) % 8]).collect())
        .collect();
    let sample: Vec<&[u8]> = strings.iter().map(|string| string.as_bytes()).collect();
    let mut matcher = Matcher::default();
    Trainer::default().train(&sample, 1, &mut matcher);
    let table = table_of(&matcher);
    let raw: usize = sample.iter().map(|string| string.len()).sum();
    let coded: usize = sample.iter().map(|string| assert_comes_back(&matcher, &table, string)).sum();
    assert!(coded * 3 < raw, "{coded} of {raw}");
}
