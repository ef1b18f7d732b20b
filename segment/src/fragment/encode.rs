//! Packing: mutations as they arrive, and resolved cells as a compaction leaves them.

use ostracon_data::{ColumnUpdate, ErasedColumns, Mutation, same_bytes};

use super::{
    COMMON_LABEL, COMMON_TIME, ERASE_EXACT, ERASE_PREFIX, ERASE_ROW, EVERY_LABEL, FLAG_GIVEN_TIME,
    FLAG_REPLACES_OLDER, HEADER_LEN, KIND_DELETE, KIND_ERASE, KIND_PUT, SAME_FAMILY, TIME_OFFSET, VERSION,
};
use crate::varint;

/// Appends the fragment of `mutation` to `out`.
///
/// Updates without a timestamp get `commit_timestamp_ms`, which [`set_commit_timestamp`] may still change. The row is
/// not part of a fragment: it is in the key.
pub fn encode(mutation: &Mutation, commit_timestamp_ms: i64, out: &mut Vec<u8>) {
    let (common_time, given) = match given_time(&mutation.updates) {
        Some(time) => (time, true),
        None => (commit_timestamp_ms, false),
    };
    let label = mutation.updates.iter().find_map(label_of).unwrap_or(b"");
    let mut flags = 0;
    if mutation.replaces_older {
        flags |= FLAG_REPLACES_OLDER;
    }
    if given {
        flags |= FLAG_GIVEN_TIME;
    }
    let mut writer = FragmentWriter::with_flags(out, flags, common_time, label);
    if in_order(&mutation.updates) {
        for update in &mutation.updates {
            writer.update(update, given);
        }
    } else {
        let mut order: Vec<usize> = (0..mutation.updates.len()).collect();
        // Later updates of a mutation are newer, and the newest of a column comes first.
        order.sort_by(|&a, &b| {
            position(&mutation.updates, a).cmp(&position(&mutation.updates, b)).then(b.cmp(&a))
        });
        for update in order.iter().filter_map(|&index| mutation.updates.get(index)) {
            writer.update(update, given);
        }
    }
}

/// Fills in the commit's time of a fragment that [`encode`] made, in milliseconds.
///
/// Timestamps that the writer gave stay. Bytes that are no fragment stay untouched.
pub fn set_commit_timestamp(fragment: &mut [u8], commit_timestamp_ms: i64) {
    let Some([_, flags, ..]) = fragment.first_chunk::<HEADER_LEN>() else { return };
    if flags & FLAG_GIVEN_TIME != 0 {
        return;
    }
    if let Some(time) = fragment.get_mut(TIME_OFFSET..HEADER_LEN) {
        time.copy_from_slice(&commit_timestamp_ms.to_be_bytes());
    }
}

/// The timestamp to store once if the writer gave every one.
fn given_time(updates: &[ColumnUpdate]) -> Option<i64> {
    let mut first = None;
    for update in updates {
        match update {
            ColumnUpdate::Put { timestamp, .. } | ColumnUpdate::Delete { timestamp, .. } => {
                first = first.or(Some((*timestamp)?));
            }
            ColumnUpdate::Erase { .. } => {}
        }
    }
    first
}

fn label_of(update: &ColumnUpdate) -> Option<&[u8]> {
    match update {
        ColumnUpdate::Put { visibility, .. } | ColumnUpdate::Delete { visibility, .. } => Some(visibility),
        ColumnUpdate::Erase { label, .. } => label.as_deref(),
    }
}

/// Where an update belongs in a fragment; `None`, for erases, sorts first.
fn column_of(update: &ColumnUpdate) -> Option<(&[u8], &[u8])> {
    match update {
        ColumnUpdate::Put { family, qualifier, .. } | ColumnUpdate::Delete { family, qualifier, .. } => {
            Some((family, qualifier))
        }
        ColumnUpdate::Erase { .. } => None,
    }
}

fn position(updates: &[ColumnUpdate], index: usize) -> Option<(&[u8], &[u8])> {
    updates.get(index).and_then(column_of)
}

fn in_order(updates: &[ColumnUpdate]) -> bool {
    updates.windows(2).all(|pair| match pair {
        [a, b] => match (column_of(a), column_of(b)) {
            (Some(a), Some(b)) => a < b,
            (Some(_), None) => false,
            (None, _) => true,
        },
        _ => true,
    })
}

/// Packs one row's updates, one call at a time, at the end of a buffer.
///
/// The caller keeps the order that the format asks for: erases first, then cells by family and qualifier, the newest
/// first. There is nothing to finish: the fragment is whole after each call.
pub struct FragmentWriter<'o, 'c> {
    out: &'o mut Vec<u8>,
    common_time: i64,
    common_label: &'c [u8],
    /// Where the family written last lies in `out`; the format leaves out a repeated one.
    family: Option<std::ops::Range<usize>>,
}

impl<'o, 'c> FragmentWriter<'o, 'c> {
    /// Starts a fragment of resolved cells. `common_time` (ms) and `common_label` are stored once and are best those
    /// that most cells have.
    pub fn new(out: &'o mut Vec<u8>, common_time: i64, common_label: &'c [u8]) -> Self {
        Self::with_flags(out, FLAG_GIVEN_TIME, common_time, common_label)
    }

    fn with_flags(out: &'o mut Vec<u8>, flags: u8, common_time: i64, common_label: &'c [u8]) -> Self {
        out.push(VERSION);
        out.push(flags);
        out.extend_from_slice(&common_time.to_be_bytes());
        varint::put_bytes(out, common_label);
        Self { out, common_time, common_label, family: None }
    }

    /// Adds a cell; `timestamp` in milliseconds.
    pub fn put(&mut self, family: &[u8], qualifier: &[u8], visibility: &[u8], timestamp: i64, value: &[u8]) {
        self.cell(KIND_PUT, family, qualifier, visibility, self.unless_common(timestamp));
        varint::put_bytes(self.out, value);
    }

    /// Adds a delete marker, which hides the cells of its column and label that are not newer than `timestamp` (ms).
    pub fn delete(&mut self, family: &[u8], qualifier: &[u8], visibility: &[u8], timestamp: i64) {
        self.cell(KIND_DELETE, family, qualifier, visibility, self.unless_common(timestamp));
    }

    fn unless_common(&self, timestamp: i64) -> Option<i64> {
        (timestamp != self.common_time).then_some(timestamp)
    }

    /// `given`: the common time is the writer's, so an equal timestamp may refer to it. Otherwise the common time is
    /// the commit's, which may yet change.
    fn update(&mut self, update: &ColumnUpdate, given: bool) {
        let stored = |timestamp: &Option<i64>, common: i64| match timestamp {
            Some(time) if given && *time == common => None,
            other => *other,
        };
        match update {
            ColumnUpdate::Put { family, qualifier, visibility, timestamp, value } => {
                let time = stored(timestamp, self.common_time);
                self.cell(KIND_PUT, family, qualifier, visibility, time);
                varint::put_bytes(self.out, value);
            }
            ColumnUpdate::Delete { family, qualifier, visibility, timestamp } => {
                let time = stored(timestamp, self.common_time);
                self.cell(KIND_DELETE, family, qualifier, visibility, time);
            }
            ColumnUpdate::Erase { columns, label } => self.erase(columns, label.as_deref()),
        }
    }

    fn cell(&mut self, kind: u8, family: &[u8], qualifier: &[u8], visibility: &[u8], timestamp: Option<i64>) {
        let mut tag = kind;
        if same_bytes(visibility, self.common_label) {
            tag |= COMMON_LABEL;
        }
        if timestamp.is_none() {
            tag |= COMMON_TIME;
        }
        self.tag_and_family(tag, family);
        varint::put_bytes(self.out, qualifier);
        if tag & COMMON_LABEL == 0 {
            varint::put_bytes(self.out, visibility);
        }
        if let Some(timestamp) = timestamp {
            varint::put_signed(self.out, timestamp);
        }
    }

    /// Adds an erase, which hides the cells of older fragments in these columns, those of one label or (`None`) of every.
    pub fn erase(&mut self, columns: &ErasedColumns, label: Option<&[u8]>) {
        let mut tag = KIND_ERASE;
        match label {
            None => tag |= EVERY_LABEL,
            Some(label) if same_bytes(label, self.common_label) => tag |= COMMON_LABEL,
            Some(_) => {}
        }
        match columns {
            ErasedColumns::Exact { family, qualifier } => {
                self.tag_and_family(tag | ERASE_EXACT, family);
                varint::put_bytes(self.out, qualifier);
            }
            ErasedColumns::Prefix { family, qualifier_prefix } => {
                self.tag_and_family(tag | ERASE_PREFIX, family);
                varint::put_bytes(self.out, qualifier_prefix);
            }
            ErasedColumns::Row => self.out.push(tag | ERASE_ROW),
        }
        if let Some(label) = label
            && tag & COMMON_LABEL == 0
        {
            varint::put_bytes(self.out, label);
        }
    }

    fn tag_and_family(&mut self, tag: u8, family: &[u8]) {
        let last = self.family.clone().and_then(|range| self.out.get(range));
        if last == Some(family) {
            self.out.push(tag | SAME_FAMILY);
            return;
        }
        self.out.push(tag);
        varint::put_bytes(self.out, family);
        self.family = Some(self.out.len() - family.len()..self.out.len());
    }
}
