//! The keys of the store's RocksDB: how tables, epochs and rows become bytes.
//!
//! ```text
//! fragment      01 | table u32 BE | epoch u64 BE | locality group u16 BE | row part | !sequence u64 BE | !ordinal u32 BE
//! row part      row with 00 -> 00 FF | 00 01
//! segment       02 | table u32 BE | segment u64 BE     in the column family `segments`
//! meta          00 | kind u8 | ...
//!   format      00 'f'                           version of the store's format
//!   ceilings    00 'h' name                      first number not yet handed out: sequence, row id, table id
//!   table       00 't' | table u32 BE            directory of a table
//!   unused      00 'u' | table u32 BE | epoch u64 BE   the epoch belongs to no directory: delete what it holds
//!   entry       00 'g' | table u32 BE | run u64 BE | segment u64 BE   the segment belongs to the run: its summary
//!   unused      00 's' | table u32 BE | segment u64 BE   the segment belongs to no run: delete it
//!   catalog     00 'c' | key                     records of the upper layers
//! ```
//!
//! The row part keeps the order of rows and no row part is a prefix of another one. Sequence and ordinal are inverted
//! so that the newest fragment of a row comes first. There is one locality group, 0, until tables can name more.

use ostracon_data::TableId;

/// Bytes of a fragment's key before the row part.
pub(crate) const PREFIX_LEN: usize = 15;

const DATA: u8 = 1;
const SEGMENT: u8 = 2;
const META: u8 = 0;

pub(crate) const FORMAT_KEY: [u8; 2] = [META, b'f'];
pub(crate) const SEQUENCE_CEILING: &[u8] = &[META, b'h', b's'];
pub(crate) const ROW_ID_CEILING: &[u8] = &[META, b'h', b'r'];
pub(crate) const TABLE_ID_CEILING: &[u8] = &[META, b'h', b't'];
pub(crate) const TABLE_PREFIX: [u8; 2] = [META, b't'];
pub(crate) const UNUSED_PREFIX: [u8; 2] = [META, b'u'];
pub(crate) const ENTRY_PREFIX: [u8; 2] = [META, b'g'];
pub(crate) const UNUSED_SEGMENT_PREFIX: [u8; 2] = [META, b's'];
pub(crate) const CATALOG_PREFIX: [u8; 2] = [META, b'c'];

pub(crate) type Prefix = [u8; PREFIX_LEN];

/// What the keys of an epoch's only locality group start with.
pub(crate) fn prefix(table: TableId, epoch: u64) -> Prefix {
    let mut prefix = [0; PREFIX_LEN];
    prefix[0] = DATA;
    prefix[1..5].copy_from_slice(&table.0.to_be_bytes());
    prefix[5..13].copy_from_slice(&epoch.to_be_bytes());
    prefix
}

/// The least key after every key that starts with `prefix`.
pub(crate) fn prefix_end(prefix: &[u8]) -> Vec<u8> {
    // No prefix of ours is all FF, so there always is one.
    ostracon_data::prefix_end(prefix).unwrap_or_else(|| vec![0xFF; prefix.len() + 1])
}

/// All keys of an epoch: first and end.
pub(crate) fn epoch_range(table: TableId, epoch: u64) -> (Vec<u8>, Vec<u8>) {
    let start = prefix(table, epoch)[..13].to_vec();
    let end = prefix_end(&start);
    (start, end)
}

/// All keys of all tables' fragments.
pub(crate) fn data_range() -> (Vec<u8>, Vec<u8>) {
    (vec![DATA], vec![DATA + 1])
}

pub(crate) fn table_key(table: TableId) -> Vec<u8> {
    [&TABLE_PREFIX[..], &table.0.to_be_bytes()].concat()
}

pub(crate) fn unused_key(table: TableId, epoch: u64) -> Vec<u8> {
    [&UNUSED_PREFIX[..], &table.0.to_be_bytes(), &epoch.to_be_bytes()].concat()
}

/// The table and epoch of an `unused` key.
pub(crate) fn parse_unused_key(key: &[u8]) -> Option<(TableId, u64)> {
    parse_table_and_number(key.strip_prefix(&UNUSED_PREFIX)?)
}

pub(crate) fn segment_key(table: TableId, segment: u64) -> [u8; 13] {
    let mut key = [SEGMENT; 13];
    key[1..5].copy_from_slice(&table.0.to_be_bytes());
    key[5..].copy_from_slice(&segment.to_be_bytes());
    key
}

/// A section of a segment; the first is 1.
pub(crate) fn section_key(table: TableId, segment: u64, section: u16) -> [u8; 15] {
    let mut key = [0; 15];
    key[..13].copy_from_slice(&segment_key(table, segment));
    key[13..].copy_from_slice(&section.to_be_bytes());
    key
}

/// All keys of all tables' segments and their sections.
pub(crate) fn segments_range() -> (Vec<u8>, Vec<u8>) {
    (vec![SEGMENT], vec![SEGMENT + 1])
}

/// The table and number of a segment's key or a section's, and the section's number; 0: the segment itself.
pub(crate) fn parse_segment_key(key: &[u8]) -> Option<(TableId, u64, u16)> {
    let (segment, section) = key.strip_prefix(&[SEGMENT])?.split_at_checked(12)?;
    let section = match section {
        [] => 0,
        section => u16::from_be_bytes(section.try_into().ok()?),
    };
    let (table, number) = parse_table_and_number(segment)?;
    Some((table, number, section))
}

pub(crate) fn entry_key(table: TableId, run: u64, segment: u64) -> Vec<u8> {
    [&ENTRY_PREFIX[..], &table.0.to_be_bytes(), &run.to_be_bytes(), &segment.to_be_bytes()].concat()
}

/// What the entries of a run start with.
pub(crate) fn run_prefix(table: TableId, run: u64) -> Vec<u8> {
    [&ENTRY_PREFIX[..], &table.0.to_be_bytes(), &run.to_be_bytes()].concat()
}

/// The table, run and segment of an entry's key.
pub(crate) fn parse_entry_key(key: &[u8]) -> Option<(TableId, u64, u64)> {
    let (head, segment) = key.strip_prefix(&ENTRY_PREFIX)?.split_last_chunk::<8>()?;
    let (table, run) = parse_table_and_number(head)?;
    Some((table, run, u64::from_be_bytes(*segment)))
}

pub(crate) fn unused_segment_key(table: TableId, segment: u64) -> Vec<u8> {
    [&UNUSED_SEGMENT_PREFIX[..], &table.0.to_be_bytes(), &segment.to_be_bytes()].concat()
}

/// The table and number of an unused segment's key.
pub(crate) fn parse_unused_segment_key(key: &[u8]) -> Option<(TableId, u64)> {
    parse_table_and_number(key.strip_prefix(&UNUSED_SEGMENT_PREFIX)?)
}

/// How many sections an unused segment has: the value of its key.
pub(crate) fn parse_sections(value: &[u8]) -> Option<u16> {
    Some(u16::from_be_bytes(value.try_into().ok()?))
}

fn parse_table_and_number(bytes: &[u8]) -> Option<(TableId, u64)> {
    let (table, number) = bytes.split_first_chunk::<4>()?;
    Some((TableId(u32::from_be_bytes(*table)), u64::from_be_bytes(number.try_into().ok()?)))
}

pub(crate) fn catalog_key(key: &str) -> Vec<u8> {
    [&CATALOG_PREFIX[..], key.as_bytes()].concat()
}

/// Appends the row part of `row`.
pub(crate) fn put_row_part(out: &mut Vec<u8>, row: &[u8]) {
    let mut rest = row;
    while let Some(zero) = rest.iter().position(|&byte| byte == 0) {
        let (before, after) = rest.split_at(zero + 1);
        out.extend_from_slice(before);
        out.push(0xFF);
        rest = after;
    }
    out.extend_from_slice(rest);
    out.extend_from_slice(&[0, 1]);
}

/// Appends the row that `row_part` stands for; false if it is none.
pub(crate) fn take_row(row_part: &[u8], out: &mut Vec<u8>) -> bool {
    let Some(mut rest) = row_part.strip_suffix(&[0, 1]) else { return false };
    while let Some(zero) = rest.iter().position(|&byte| byte == 0) {
        let (before, after) = rest.split_at(zero + 1);
        out.extend_from_slice(before);
        match after.strip_prefix(&[0xFF]) {
            Some(after) => rest = after,
            None => return false,
        }
    }
    out.extend_from_slice(rest);
    true
}

/// Appends the rest of a fragment's key.
pub(crate) fn put_suffix(out: &mut Vec<u8>, sequence: u64, ordinal: u32) {
    out.extend_from_slice(&(!sequence).to_be_bytes());
    out.extend_from_slice(&(!ordinal).to_be_bytes());
}

/// A fragment's key, taken apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FragmentKey<'a> {
    pub(crate) row_part: &'a [u8],
    pub(crate) sequence: u64,
    pub(crate) ordinal: u32,
}

impl<'a> FragmentKey<'a> {
    /// `None`: the key is too short to be one.
    #[inline]
    pub(crate) fn parse(key: &'a [u8]) -> Option<Self> {
        let (_, rest) = key.split_first_chunk::<PREFIX_LEN>()?;
        let (rest, ordinal) = rest.split_last_chunk::<4>()?;
        let (row_part, sequence) = rest.split_last_chunk::<8>()?;
        Some(Self {
            row_part,
            sequence: !u64::from_be_bytes(*sequence),
            ordinal: !u32::from_be_bytes(*ordinal),
        })
    }
}

/// The table and epoch of a data key.
pub(crate) fn parse_epoch(key: &[u8]) -> Option<(TableId, u64)> {
    let (head, _) = key.split_first_chunk::<PREFIX_LEN>()?;
    let (&kind, rest) = head.split_first()?;
    let (table, rest) = rest.split_first_chunk::<4>()?;
    let (epoch, _) = rest.split_first_chunk::<8>()?;
    (kind == DATA).then(|| (TableId(u32::from_be_bytes(*table)), u64::from_be_bytes(*epoch)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn full_key(row: &[u8], sequence: u64, ordinal: u32) -> Vec<u8> {
        let mut key = prefix(TableId(7), 9).to_vec();
        put_row_part(&mut key, row);
        put_suffix(&mut key, sequence, ordinal);
        key
    }

    fn row() -> impl Strategy<Value = Vec<u8>> {
        proptest::collection::vec(prop_oneof![Just(0u8), Just(1), Just(0xFF), any::<u8>()], 0..8)
    }

    proptest! {
        #[test]
        fn keys_sort_by_row_then_newest_first(a in row(), b in row(), s: u64, t: u64, o: u32, p: u32) {
            let order = a.cmp(&b).then(t.cmp(&s)).then(p.cmp(&o));
            prop_assert_eq!(full_key(&a, s, o).cmp(&full_key(&b, t, p)), order);
        }

        #[test]
        fn keys_come_apart_again(row in row(), sequence: u64, ordinal: u32) {
            let key = full_key(&row, sequence, ordinal);
            let parsed = FragmentKey::parse(&key).unwrap();
            prop_assert_eq!((parsed.sequence, parsed.ordinal), (sequence, ordinal));
            let mut back = Vec::new();
            prop_assert!(take_row(parsed.row_part, &mut back));
            prop_assert_eq!(back, row);
            prop_assert_eq!(parse_epoch(&key), Some((TableId(7), 9)));
        }

        #[test]
        fn any_bytes_are_taken_or_refused(bytes: Vec<u8>) {
            let mut row = Vec::new();
            if take_row(&bytes, &mut row) {
                let mut again = Vec::new();
                put_row_part(&mut again, &row);
                prop_assert_eq!(again, bytes.clone());
            }
            if let Some(parsed) = FragmentKey::parse(&bytes) {
                prop_assert_eq!(parsed.row_part.len() + PREFIX_LEN + 12, bytes.len());
            }
        }
    }

    /// The example of `docs/format.md`: bytes that are on people's disks.
    #[test]
    fn the_documented_key_is_the_key() {
        let mut key = prefix(TableId(7), 2).to_vec();
        put_row_part(&mut key, b"a\0b");
        put_suffix(&mut key, 5, 0);
        let documented: &[&[u8]] = &[
            &[1, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0],
            b"a\0\xFFb\0\x01",
            &[0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFA, 0xFF, 0xFF, 0xFF, 0xFF],
        ];
        assert_eq!(key, documented.concat());
    }

    #[test]
    fn unused_keys_come_apart_again() {
        assert_eq!(parse_unused_key(&unused_key(TableId(3), 4)), Some((TableId(3), 4)));
        assert_eq!(parse_unused_key(b"\x00u\x01"), None);
        assert_eq!(parse_unused_segment_key(&unused_segment_key(TableId(3), 4)), Some((TableId(3), 4)));
        assert_eq!(parse_unused_segment_key(&unused_key(TableId(3), 4)), None);
    }

    #[test]
    fn keys_of_segments_come_apart_again() {
        assert_eq!(parse_segment_key(&segment_key(TableId(3), 4)), Some((TableId(3), 4, 0)));
        assert_eq!(parse_segment_key(&section_key(TableId(3), 4, 5)), Some((TableId(3), 4, 5)));
        assert_eq!(parse_segment_key(&segment_key(TableId(3), 4)[..12]), None);
        assert_eq!(parse_segment_key(&section_key(TableId(3), 4, 5)[..14]), None);
        let entry = entry_key(TableId(3), 4, 5);
        assert!(entry.starts_with(&run_prefix(TableId(3), 4)));
        assert_eq!(parse_entry_key(&entry), Some((TableId(3), 4, 5)));
        assert_eq!(parse_entry_key(&run_prefix(TableId(3), 4)), None);
    }
}
