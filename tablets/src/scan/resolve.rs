//! Which updates of a row survive each other.
//!
//! The updates of all fragments of a row become [`Entry`]s; [`resolve`] sorts them and hands out the cells that are
//! left. The rules, for a cell of family `f`, qualifier `q`, label `l`, timestamp `t`, written by fragment `n` (0 is the
//! newest):
//!
//! * an erase in a fragment newer than `n` that covers `f:q` and `l` hides it; so does a put of `f:q` and `l` in a newer
//!   fragment that replaces older cells; both hide delete markers too;
//! * a delete marker of `f:q` and `l` that is itself not hidden hides it if `t` is not greater than the marker's time;
//! * it is hidden if it has expired, or if as many newer versions of `f:q` and `l` are left as may be seen.

use std::cmp::Ordering;

use ostracon_data::{compare_bytes, compare_columns, same_bytes, same_columns};
use ostracon_segment::ErasedColumnsRef;

/// What an entry does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EntryKind {
    Put,
    Delete,
    /// Erases the column, cells of the entry's label.
    EraseLabel,
    /// Erases the column, cells of every label.
    EraseEvery,
}

/// An update of one column.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Entry<'a> {
    pub(crate) kind: EntryKind,
    /// A put that also erases older cells of its column and label.
    pub(crate) replaces: bool,
    pub(crate) family: &'a [u8],
    pub(crate) qualifier: &'a [u8],
    pub(crate) label: &'a [u8],
    pub(crate) timestamp: i64,
    pub(crate) value: &'a [u8],
    /// 0 is the newest fragment.
    pub(crate) fragment: u32,
    /// Place in the fragment; of equal columns and timestamps the first one is the newest.
    pub(crate) place: u32,
    pub(crate) roles: u8,
    pub(crate) live: bool,
}

impl<'a> Entry<'a> {
    pub(crate) fn new(
        kind: EntryKind,
        (fragment, place): (u32, u32),
        family: &'a [u8],
        qualifier: &'a [u8],
    ) -> Self {
        Self {
            kind,
            replaces: false,
            family,
            qualifier,
            label: b"",
            timestamp: 0,
            value: b"",
            fragment,
            place,
            roles: 0,
            live: false,
        }
    }

    /// Orders cells as [`ostracon_data::Key`] does, equal keys by commit, the newest first. Erases of a column come
    /// before its cells: of every label at the very front, of a label before the cells of that label.
    fn order(&self, other: &Self) -> Ordering {
        let every = |entry: &Self| entry.kind != EntryKind::EraseEvery;
        let of_label = |entry: &Self| entry.kind != EntryKind::EraseLabel;
        let put = |entry: &Self| entry.kind != EntryKind::Delete;
        compare_columns((self.family, self.qualifier), (other.family, other.qualifier))
            .then_with(|| every(self).cmp(&every(other)))
            .then_with(|| compare_bytes(self.label, other.label))
            .then_with(|| of_label(self).cmp(&of_label(other)))
            .then_with(|| other.timestamp.cmp(&self.timestamp))
            .then_with(|| put(self).cmp(&put(other)))
            .then_with(|| (self.fragment, self.place).cmp(&(other.fragment, other.place)))
    }

    fn same_column(&self, other: &Self) -> bool {
        same_columns((self.family, self.qualifier), (other.family, other.qualifier))
    }
}

/// An erase that covers more than one column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct BroadErase<'a> {
    pub(crate) fragment: u32,
    /// Never `Exact`.
    pub(crate) columns: ErasedColumnsRef<'a>,
    pub(crate) label: Option<&'a [u8]>,
}

impl BroadErase<'_> {
    fn hides(&self, entry: &Entry<'_>) -> bool {
        let covers = match self.columns {
            ErasedColumnsRef::Row => true,
            ErasedColumnsRef::Prefix { family, qualifier_prefix } => {
                same_bytes(family, entry.family) && entry.qualifier.starts_with(qualifier_prefix)
            }
            ErasedColumnsRef::Exact { family, qualifier } => {
                same_columns((family, qualifier), (entry.family, entry.qualifier))
            }
        };
        covers
            && self.fragment < entry.fragment
            && self.label.is_none_or(|label| same_bytes(label, entry.label))
    }
}

/// What is to be left.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Survivors {
    /// Delete markers are applied and left out; otherwise they are handed out with what they hide.
    pub(crate) apply_deletes: bool,
    /// Versions of a cell that are left.
    pub(crate) max_versions: u32,
    /// Cells older than that (ms) have expired.
    pub(crate) oldest_time: i64,
    /// Cells of one column come newest first whatever their label; otherwise label by label.
    pub(crate) mix_labels: bool,
}

/// Hands out the cells that are left, sorted by column and then as `survivors` says.
pub(crate) fn resolve<'a>(
    entries: &mut [Entry<'a>],
    broad: &[BroadErase<'a>],
    survivors: Survivors,
    mut emit: impl FnMut(&Entry<'a>),
) {
    entries.sort_unstable_by(Entry::order);
    for column in entries.chunk_by_mut(Entry::same_column) {
        // Everything from an older fragment than this one is gone.
        let erased_after = column.iter().take_while(|entry| entry.kind == EntryKind::EraseEvery);
        let erased_after = erased_after.map(|entry| entry.fragment).min().unwrap_or(u32::MAX);
        let mut labels = 0;
        for of_label in column.chunk_by_mut(|a, b| same_bytes(a.label, b.label)) {
            labels += usize::from(resolve_label(of_label, erased_after, broad, survivors));
        }
        if survivors.mix_labels && labels > 1 {
            column.sort_unstable_by_key(|entry| {
                (std::cmp::Reverse(entry.timestamp), entry.fragment, entry.place)
            });
        }
        column.iter().filter(|entry| entry.live).for_each(&mut emit);
    }
}

/// Marks the live cells of one column and label; gives whether there are any.
fn resolve_label(
    entries: &mut [Entry<'_>],
    erased_after: u32,
    broad: &[BroadErase<'_>],
    survivors: Survivors,
) -> bool {
    let erases = |entry: &&Entry<'_>| entry.kind == EntryKind::EraseLabel || entry.replaces;
    let newest_erase = entries.iter().filter(erases).map(|entry| entry.fragment).min().unwrap_or(u32::MAX);
    let erased_after = erased_after.min(newest_erase);
    let mut versions = 0;
    for entry in entries {
        if !matches!(entry.kind, EntryKind::Put | EntryKind::Delete) || entry.fragment > erased_after {
            continue;
        }
        if broad.iter().any(|erase| erase.hides(entry)) {
            continue;
        }
        if entry.kind == EntryKind::Delete {
            if survivors.apply_deletes {
                // What follows is not newer than the marker.
                break;
            }
            entry.live = true;
            continue;
        }
        if entry.timestamp < survivors.oldest_time || versions == survivors.max_versions {
            continue;
        }
        versions += 1;
        entry.live = true;
    }
    versions > 0
}
