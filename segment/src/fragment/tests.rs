//! Fragments against the mutations they were made of, and against hostile bytes.

use ostracon_data::{ColumnUpdate, ErasedColumns, Mutation};
use proptest::collection::vec;
use proptest::prelude::*;

use super::{ErasedColumnsRef, FragmentReader, FragmentWriter, UpdateRef, encode, set_commit_timestamp};
use crate::Error;

/// What reading back a mutation must give: erases first, then columns in order, the newest first.
fn expected(mutation: &Mutation, commit_time: i64) -> Vec<ColumnUpdate> {
    let mut updates = mutation.updates.clone();
    for update in &mut updates {
        if let ColumnUpdate::Put { timestamp, .. } | ColumnUpdate::Delete { timestamp, .. } = update {
            timestamp.get_or_insert(commit_time);
        }
    }
    // A stable sort of the reversed list keeps later updates in front.
    updates.reverse();
    updates.sort_by_key(column);
    updates
}

fn column(update: &ColumnUpdate) -> Option<(Vec<u8>, Vec<u8>)> {
    match update {
        ColumnUpdate::Put { family, qualifier, .. } | ColumnUpdate::Delete { family, qualifier, .. } => {
            Some((family.clone(), qualifier.clone()))
        }
        ColumnUpdate::Erase { .. } => None,
    }
}

fn owned(update: UpdateRef<'_>) -> ColumnUpdate {
    match update {
        UpdateRef::Put { family, qualifier, visibility, timestamp, value } => ColumnUpdate::Put {
            family: family.to_vec(),
            qualifier: qualifier.to_vec(),
            visibility: visibility.to_vec(),
            timestamp: Some(timestamp),
            value: value.to_vec(),
        },
        UpdateRef::Delete { family, qualifier, visibility, timestamp } => ColumnUpdate::Delete {
            family: family.to_vec(),
            qualifier: qualifier.to_vec(),
            visibility: visibility.to_vec(),
            timestamp: Some(timestamp),
        },
        UpdateRef::Erase { columns, label } => ColumnUpdate::Erase {
            columns: match columns {
                ErasedColumnsRef::Exact { family, qualifier } => {
                    ErasedColumns::Exact { family: family.to_vec(), qualifier: qualifier.to_vec() }
                }
                ErasedColumnsRef::Prefix { family, qualifier_prefix } => ErasedColumns::Prefix {
                    family: family.to_vec(),
                    qualifier_prefix: qualifier_prefix.to_vec(),
                },
                ErasedColumnsRef::Row => ErasedColumns::Row,
            },
            label: label.map(<[u8]>::to_vec),
        },
    }
}

fn read(bytes: &[u8]) -> Result<Vec<ColumnUpdate>, Error> {
    FragmentReader::new(bytes)?.map(|update| update.map(owned)).collect()
}

/// Erases of one mutation act alike in any order, so they are compared as a set.
fn erases_sorted(mut updates: Vec<ColumnUpdate>) -> Vec<ColumnUpdate> {
    let erases = updates.iter().take_while(|update| column(update).is_none()).count();
    updates[..erases].sort_by_key(|update| format!("{update:?}"));
    updates
}

fn text() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        Just(b"".to_vec()),
        Just(b"a".to_vec()),
        Just(b"b".to_vec()),
        vec(any::<u8>(), 0..6),
        vec(any::<u8>(), 120..140)
    ]
}

fn time() -> impl Strategy<Value = Option<i64>> {
    prop_oneof![Just(None), Just(Some(7)), any::<Option<i64>>()]
}

fn update() -> impl Strategy<Value = ColumnUpdate> {
    let erased = prop_oneof![
        (text(), text()).prop_map(|(family, qualifier)| ErasedColumns::Exact { family, qualifier }),
        (text(), text())
            .prop_map(|(family, qualifier_prefix)| ErasedColumns::Prefix { family, qualifier_prefix }),
        Just(ErasedColumns::Row),
    ];
    prop_oneof![
        4 => (text(), text(), text(), time(), text()).prop_map(
            |(family, qualifier, visibility, timestamp, value)| {
                ColumnUpdate::Put { family, qualifier, visibility, timestamp, value }
            }
        ),
        1 => (text(), text(), text(), time()).prop_map(|(family, qualifier, visibility, timestamp)| {
            ColumnUpdate::Delete { family, qualifier, visibility, timestamp }
        }),
        1 => (erased, proptest::option::of(text()))
            .prop_map(|(columns, label)| ColumnUpdate::Erase { columns, label }),
    ]
}

fn mutation() -> impl Strategy<Value = Mutation> {
    (vec(update(), 0..12), any::<bool>()).prop_map(|(updates, replaces_older)| {
        let mut mutation = Mutation::new(b"row");
        mutation.updates = updates;
        mutation.replaces_older = replaces_older;
        mutation
    })
}

proptest! {
    #[test]
    fn a_mutation_comes_back(mutation in mutation(), time: i64) {
        let mut bytes = Vec::new();
        encode(&mutation, time, &mut bytes);
        prop_assert_eq!(FragmentReader::new(&bytes).unwrap().replaces_older(), mutation.replaces_older);
        prop_assert_eq!(erases_sorted(read(&bytes).unwrap()), erases_sorted(expected(&mutation, time)));
    }

    #[test]
    fn the_commit_time_can_be_filled_in_later(mutation in mutation(), first: i64, second: i64) {
        let mut patched = Vec::new();
        encode(&mutation, first, &mut patched);
        set_commit_timestamp(&mut patched, second);
        let mut direct = Vec::new();
        encode(&mutation, second, &mut direct);
        prop_assert_eq!(patched, direct);
    }

    #[test]
    fn every_prefix_is_read_or_refused(mutation in mutation(), cut: prop::sample::Index) {
        let mut bytes = Vec::new();
        encode(&mutation, 5, &mut bytes);
        let whole = read(&bytes).unwrap();
        let cut = cut.index(bytes.len());
        if let Ok(updates) = read(&bytes[..cut]) {
            prop_assert_eq!(&whole[..updates.len()], &updates[..]);
        }
    }

    #[test]
    fn flipped_bytes_never_panic(mutation in mutation(), at: prop::sample::Index, flip in 1u8..) {
        let mut bytes = Vec::new();
        encode(&mutation, 5, &mut bytes);
        let at = at.index(bytes.len());
        bytes[at] ^= flip;
        if let Ok(updates) = read(&bytes) {
            prop_assert!(updates.len() <= bytes.len());
        }
    }

    #[test]
    fn random_bytes_never_panic(tail in vec(any::<u8>(), 0..80)) {
        let mut bytes = vec![1, 0];
        bytes.extend(tail);
        if let Ok(updates) = read(&bytes) {
            prop_assert!(updates.len() <= bytes.len());
        }
    }
}

#[test]
fn resolved_cells_come_back() {
    let mut bytes = vec![0xAA];
    let mut writer = FragmentWriter::new(&mut bytes, 10, b"A");
    writer.erase(&ErasedColumns::Row, Some(b"A"));
    writer.put(b"f", b"q", b"A", 10, b"1");
    writer.put(b"f", b"q", b"B", 9, b"2");
    writer.delete(b"g", b"", b"A", 3);
    let updates = FragmentReader::new(&bytes[1..]).unwrap().collect::<Result<Vec<_>, _>>().unwrap();
    assert_eq!(
        updates,
        [
            UpdateRef::Erase { columns: ErasedColumnsRef::Row, label: Some(b"A") },
            UpdateRef::Put { family: b"f", qualifier: b"q", visibility: b"A", timestamp: 10, value: b"1" },
            UpdateRef::Put { family: b"f", qualifier: b"q", visibility: b"B", timestamp: 9, value: b"2" },
            UpdateRef::Delete { family: b"g", qualifier: b"", visibility: b"A", timestamp: 3 },
        ]
    );
}

#[test]
fn a_typical_row_costs_four_bytes_a_cell_and_eleven_a_row() {
    let mut mutation = Mutation::new(b"row");
    for column in 0..10u8 {
        mutation.put(b"c", [column], b"", b"12345678");
    }
    let mut bytes = Vec::new();
    encode(&mutation, 1_700_000_000_000, &mut bytes);
    // header 10, label length 1, the family once 2; a cell is tag, qualifier length and byte, value length and bytes
    assert_eq!(bytes.len(), 11 + 2 + 10 * (4 + 8));
}

#[test]
fn damage_is_named() {
    assert_eq!(read(&[]), Err(Error::Truncated { item: "version", offset: 0 }));
    assert_eq!(read(&[9]), Err(Error::UnknownVersion { found: 9, known: 1 }));
    assert_eq!(read(&[1, 0, 0]), Err(Error::Truncated { item: "header", offset: 0 }));
    let header = [1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    let with = |tail: &[u8]| [&header[..], tail].concat();
    assert_eq!(read(&with(&[])), Ok(Vec::new()));
    assert_eq!(read(&with(&[3])), Err(Error::Malformed { item: "update tag", offset: 11 }));
    assert_eq!(read(&with(&[0x80])), Err(Error::Malformed { item: "update tag", offset: 11 }));
    assert_eq!(
        read(&with(&[super::SAME_FAMILY])),
        Err(Error::Malformed { item: "family reference", offset: 11 })
    );
    assert_eq!(read(&with(&[0, 1])), Err(Error::Truncated { item: "family", offset: 12 }));
    assert_eq!(
        read(&with(&[0, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01])),
        Err(Error::Truncated { item: "family", offset: 12 })
    );
    assert_eq!(
        read(&with(&[super::KIND_ERASE | super::ERASE_MASK])),
        Err(Error::Malformed { item: "erase tag", offset: 11 })
    );
    let mut flags = with(&[]);
    flags[1] = 0x80;
    assert_eq!(read(&flags), Err(Error::Malformed { item: "flags", offset: 1 }));
}

/// The example of `docs/format.md`: bytes that are on people's disks.
#[test]
fn the_documented_bytes_are_the_bytes() {
    let documented = [
        1, 0, // version, flags
        0, 0, 0, 0, 0, 0, 0x03, 0xE8, // time
        0,    // label
        0x18, // common label, common time
        1, b'f', 1, b'q', 1, b'v',
    ];
    let mut mutation = Mutation::new(b"row");
    mutation.put(b"f", b"q", b"", b"v");
    let mut bytes = Vec::new();
    encode(&mutation, 1000, &mut bytes);
    assert_eq!(bytes, documented);
}
