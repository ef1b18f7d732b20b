//! Intervals of keys.
//!
//! [`Range`] is what an iterator is sought with: a start and an end key, each open, inclusive or exclusive. Sets of whole
//! rows are [`RowRanges`](crate::RowRanges).

use std::cmp::Ordering;
use std::fmt;

use crate::{Key, PartialKey, RowRange};

/// The keys between two bounds.
///
/// A missing bound is open. A range whose bounds cross holds no key; that is legal and [`is_empty`](Self::is_empty).
///
/// ```
/// use ostracon_data::{Key, Range};
///
/// let range = Range::rows(Some(b"b"), true, Some(b"d"), false);
/// assert!(range.contains(&Key::new("c", "f", "q", "", 7)));
/// assert!(range.before_start(&Key::new("a", "f", "q", "", 7)));
/// assert!(range.after_end(&Key::new("d", "f", "q", "", 7)));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Range {
    start: Option<Key>,
    start_inclusive: bool,
    end: Option<Key>,
    end_inclusive: bool,
}

impl Range {
    /// Every key.
    pub fn all() -> Self {
        Self { start: None, start_inclusive: true, end: None, end_inclusive: true }
    }

    /// The keys between two keys. The flag of a missing bound has no meaning and is normalised to true.
    pub fn new(start: Option<Key>, start_inclusive: bool, end: Option<Key>, end_inclusive: bool) -> Self {
        Self {
            start_inclusive: start_inclusive || start.is_none(),
            end_inclusive: end_inclusive || end.is_none(),
            start,
            end,
        }
    }

    /// The keys of one row.
    pub fn row(row: &[u8]) -> Self {
        Self::rows(Some(row), true, Some(row), true)
    }

    /// The keys of the rows between two rows. Whole rows: an exclusive bound leaves out the whole row it names.
    pub fn rows(
        start: Option<&[u8]>,
        start_inclusive: bool,
        end: Option<&[u8]>,
        end_inclusive: bool,
    ) -> Self {
        let first = |row: &[u8], past: bool| {
            let key = Key::first_of_row(row);
            if past { key.following(PartialKey::Row) } else { key }
        };
        Self::new(
            start.map(|row| first(row, !start_inclusive)),
            true,
            end.map(|row| first(row, end_inclusive)),
            false,
        )
    }

    /// The keys of the rows of a row range.
    pub fn from_row_range(range: &RowRange) -> Self {
        let start = (!range.start.is_empty()).then_some(range.start.as_slice());
        Self::rows(start, true, range.end.as_deref(), false)
    }

    /// The start key; `None` is open.
    pub fn start(&self) -> Option<&Key> {
        self.start.as_ref()
    }

    /// Whether the start key itself is in the range.
    pub fn start_inclusive(&self) -> bool {
        self.start_inclusive
    }

    /// The end key; `None` is open.
    pub fn end(&self) -> Option<&Key> {
        self.end.as_ref()
    }

    /// Whether the end key itself is in the range.
    pub fn end_inclusive(&self) -> bool {
        self.end_inclusive
    }

    /// Whether the key lies before every key of the range.
    pub fn before_start(&self, key: &Key) -> bool {
        self.start.as_ref().is_some_and(|start| match key.cmp(start) {
            Ordering::Less => true,
            Ordering::Equal => !self.start_inclusive,
            Ordering::Greater => false,
        })
    }

    /// Whether the key lies after every key of the range.
    pub fn after_end(&self, key: &Key) -> bool {
        self.end.as_ref().is_some_and(|end| match key.cmp(end) {
            Ordering::Less => false,
            Ordering::Equal => !self.end_inclusive,
            Ordering::Greater => true,
        })
    }

    /// Whether the key is in the range.
    pub fn contains(&self, key: &Key) -> bool {
        !self.before_start(key) && !self.after_end(key)
    }

    /// Whether the bounds cross, so that no key can be in the range.
    pub fn is_empty(&self) -> bool {
        match (&self.start, &self.end) {
            (Some(start), Some(end)) => match start.cmp(end) {
                Ordering::Less => false,
                Ordering::Equal => !(self.start_inclusive && self.end_inclusive),
                Ordering::Greater => true,
            },
            _ => false,
        }
    }

    /// The keys of this range that are in `fence` too; `None` if the bounds then cross.
    pub fn clip(&self, fence: &Self) -> Option<Self> {
        let (start, start_inclusive) = match (&self.start, &fence.start) {
            (Some(a), Some(b)) => match a.cmp(b) {
                Ordering::Less => (Some(b), fence.start_inclusive),
                Ordering::Equal => (Some(a), self.start_inclusive && fence.start_inclusive),
                Ordering::Greater => (Some(a), self.start_inclusive),
            },
            (None, Some(b)) => (Some(b), fence.start_inclusive),
            (a, None) => (a.as_ref(), self.start_inclusive),
        };
        let (end, end_inclusive) = match (&self.end, &fence.end) {
            (Some(a), Some(b)) => match a.cmp(b) {
                Ordering::Less => (Some(a), self.end_inclusive),
                Ordering::Equal => (Some(a), self.end_inclusive && fence.end_inclusive),
                Ordering::Greater => (Some(b), fence.end_inclusive),
            },
            (None, Some(b)) => (Some(b), fence.end_inclusive),
            (a, None) => (a.as_ref(), self.end_inclusive),
        };
        let range = Self::new(start.cloned(), start_inclusive, end.cloned(), end_inclusive);
        (!range.is_empty()).then_some(range)
    }

    /// What is left of the range after `last` was returned: the range a torn-down iterator is sought with again.
    pub fn continuing_after(&self, last: &Key) -> Self {
        Self { start: Some(last.clone()), start_inclusive: false, ..self.clone() }
    }
}

impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.start {
            Some(key) => write!(f, "{}{key}", if self.start_inclusive { '[' } else { '(' })?,
            None => write!(f, "(-inf")?,
        }
        match &self.end {
            Some(key) => write!(f, ", {key}{}", if self.end_inclusive { ']' } else { ')' }),
            None => write!(f, ", +inf)"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn key() -> impl Strategy<Value = Key> {
        let bytes = || prop::collection::vec(prop::sample::select(vec![0u8, b'a', 0xff]), 0..3);
        (bytes(), bytes(), -1i64..2, any::<bool>()).prop_map(|(row, family, timestamp, deleted)| Key {
            row,
            family,
            timestamp,
            deleted,
            ..Key::default()
        })
    }

    fn range() -> impl Strategy<Value = Range> {
        (prop::option::of(key()), any::<bool>(), prop::option::of(key()), any::<bool>())
            .prop_map(|(start, from, end, to)| Range::new(start, from, end, to))
    }

    #[test]
    fn rows_are_whole() {
        let range = Range::rows(Some(b"a"), false, Some(b"c"), true);
        for (row, inside) in [("a", false), ("a\0", true), ("b", true), ("c", true), ("c\0", false)] {
            for timestamp in [i64::MIN, 0, i64::MAX] {
                for deleted in [false, true] {
                    let key = Key { deleted, ..Key::new(row, "", "", "", timestamp) };
                    assert_eq!(range.contains(&key), inside, "{key}");
                }
            }
        }
        assert!(Range::rows(Some(b"b"), true, Some(b"a"), true).is_empty());
        assert!(Range::rows(Some(b"a"), false, Some(b"a"), true).is_empty());
        assert!(!Range::row(b"").is_empty());
    }

    #[test]
    fn display_shows_bounds() {
        let range = Range::all().continuing_after(&Key::new("r", "f", "q", "", 1));
        assert_eq!(range.to_string(), "(r f:q [] 1, +inf)");
    }

    proptest! {
        #[test]
        fn a_key_is_before_inside_or_after(range in range(), key in key()) {
            if !range.is_empty() {
                let states = [range.before_start(&key), range.contains(&key), range.after_end(&key)];
                prop_assert_eq!(states.iter().filter(|s| **s).count(), 1);
            } else {
                prop_assert!(!range.contains(&key));
            }
        }

        #[test]
        fn clip_is_intersection(a in range(), b in range(), key in key()) {
            let clipped = a.clip(&b);
            let inside = clipped.as_ref().is_some_and(|range| range.contains(&key));
            prop_assert_eq!(inside, a.contains(&key) && b.contains(&key));
            prop_assert!(clipped.is_none_or(|range| !range.is_empty()));
        }

        #[test]
        fn continuing_drops_what_was_returned(range in range(), last in key(), key in key()) {
            prop_assume!(range.contains(&last));
            let rest = range.continuing_after(&last);
            prop_assert_eq!(rest.contains(&key), range.contains(&key) && key > last);
        }
    }
}
