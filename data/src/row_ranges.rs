//! Sets of rows as intervals, and their algebra.
//!
//! [`RowRange`] is one half-open interval `[start, end)` of row ids, [`RowRanges`] a set of rows kept as sorted,
//! disjoint, non-adjacent intervals. A planner builds them from predicates by union, intersection and complement; a
//! scan reads exactly them. Row ids are bytes compared unsigned; the empty row id is the least.
//!
//! Cells within a row are no concern here: see [`Range`](crate::Range).

use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt;

use crate::KeyExtent;

/// The least row after `row`: `row` and a zero byte.
pub fn row_successor(row: &[u8]) -> Vec<u8> {
    let mut next = Vec::with_capacity(row.len() + 1);
    next.extend_from_slice(row);
    next.push(0);
    next
}

/// The least row after every row that starts with `prefix`; `None` if there is none, that is if the prefix consists of
/// `0xFF` bytes only (or is empty).
///
/// ```
/// use ostracon_data::prefix_end;
///
/// assert_eq!(prefix_end(b"ab"), Some(b"ac".to_vec()));
/// assert_eq!(prefix_end(b"a\xff"), Some(b"b".to_vec()));
/// assert_eq!(prefix_end(b"\xff\xff"), None);
/// ```
pub fn prefix_end(prefix: &[u8]) -> Option<Vec<u8>> {
    let kept = prefix.iter().rposition(|byte| *byte != 0xff)?;
    let mut end = prefix.get(..=kept)?.to_vec();
    if let Some(last) = end.last_mut() {
        *last += 1;
    }
    Some(end)
}

/// The rows in `[start, end)`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RowRange {
    /// First row of the range; empty means from the first row of the table.
    pub start: Vec<u8>,
    /// First row past the range; `None` means to the last row of the table.
    pub end: Option<Vec<u8>>,
}

impl RowRange {
    /// The range `[start, end)`.
    pub fn new(start: impl Into<Vec<u8>>, end: Option<Vec<u8>>) -> Self {
        Self { start: start.into(), end }
    }

    /// Every row.
    pub fn all() -> Self {
        Self { start: Vec::new(), end: None }
    }

    /// One row.
    pub fn point(row: impl Into<Vec<u8>>) -> Self {
        let start = row.into();
        let end = Some(row_successor(&start));
        Self { start, end }
    }

    /// The rows that start with `prefix`.
    pub fn prefix(prefix: impl Into<Vec<u8>>) -> Self {
        let start = prefix.into();
        let end = prefix_end(&start);
        Self { start, end }
    }

    /// Whether no row can be in the range.
    pub fn is_empty(&self) -> bool {
        self.end.as_ref().is_some_and(|end| *end <= self.start)
    }

    /// Whether the range holds every row.
    pub fn is_all(&self) -> bool {
        self.start.is_empty() && self.end.is_none()
    }

    /// The row, if the range can hold that single row only.
    pub fn as_point(&self) -> Option<&[u8]> {
        let (last, row) = self.end.as_ref()?.split_last()?;
        (*last == 0 && row == self.start).then_some(row)
    }

    /// Whether `row` is in the range.
    pub fn contains(&self, row: &[u8]) -> bool {
        self.start.as_slice() <= row && self.end.as_ref().is_none_or(|end| row < end.as_slice())
    }

    /// The rows in both ranges; `None` if there are none.
    pub fn intersect(&self, other: &Self) -> Option<Self> {
        let start = self.start.as_slice().max(other.start.as_slice());
        let end = if compare_ends(&self.end, &other.end).is_le() { &self.end } else { &other.end };
        let range = Self { start: start.to_vec(), end: end.clone() };
        (!range.is_empty()).then_some(range)
    }
}

impl fmt::Display for RowRange {
    /// `[start, end)` with bytes outside ASCII escaped; `*` is an open end.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(row) = self.as_point() {
            return write!(f, "[{}]", row.escape_ascii());
        }
        write!(f, "[{}, ", self.start.escape_ascii())?;
        match &self.end {
            Some(end) => write!(f, "{})", end.escape_ascii()),
            None => write!(f, "*)"),
        }
    }
}

/// An open end is after every row.
fn compare_ends(a: &Option<Vec<u8>>, b: &Option<Vec<u8>>) -> Ordering {
    match (a, b) {
        (None, None) => Ordering::Equal,
        (None, Some(_)) => Ordering::Greater,
        (Some(_), None) => Ordering::Less,
        (Some(a), Some(b)) => a.cmp(b),
    }
}

/// A set of rows.
///
/// Build a `Set` by [`from_ranges`](Self::from_ranges), which sorts and joins; every method relies on it. Equal sets
/// built so are `==`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum RowRanges {
    /// Every row.
    All,
    /// The rows of these ranges: sorted, disjoint, neither adjacent nor empty. No ranges, no rows.
    Set(Vec<RowRange>),
}

impl RowRanges {
    /// Every row.
    pub fn all() -> Self {
        Self::All
    }

    /// No row.
    pub fn none() -> Self {
        Self::Set(Vec::new())
    }

    /// One row.
    pub fn point(row: impl Into<Vec<u8>>) -> Self {
        Self::Set(vec![RowRange::point(row)])
    }

    /// The union of the ranges, which may come in any order, overlap or be empty.
    pub fn from_ranges(mut ranges: Vec<RowRange>) -> Self {
        ranges.retain(|range| !range.is_empty());
        ranges.sort_by(|a, b| a.start.cmp(&b.start));
        let mut joined: Vec<RowRange> = Vec::with_capacity(ranges.len());
        for range in ranges {
            match joined.last_mut() {
                Some(last) if last.end.as_ref().is_none_or(|end| range.start <= *end) => {
                    if compare_ends(&last.end, &range.end).is_lt() {
                        last.end = range.end;
                    }
                }
                _ => joined.push(range),
            }
        }
        match joined.as_slice() {
            [only] if only.is_all() => Self::All,
            _ => Self::Set(joined),
        }
    }

    /// Whether every row is in the set.
    pub fn is_all(&self) -> bool {
        matches!(self, Self::All)
    }

    /// Whether no row is in the set.
    pub fn is_empty(&self) -> bool {
        matches!(self, Self::Set(ranges) if ranges.is_empty())
    }

    /// The ranges, in order; `All` is one range without bounds.
    pub fn ranges(&self) -> Cow<'_, [RowRange]> {
        match self {
            Self::All => Cow::Owned(vec![RowRange::all()]),
            Self::Set(ranges) => Cow::Borrowed(ranges),
        }
    }

    /// Whether `row` is in the set; a binary search.
    pub fn contains(&self, row: &[u8]) -> bool {
        match self {
            Self::All => true,
            Self::Set(ranges) => {
                let after = ranges.partition_point(|range| range.start.as_slice() <= row);
                after.checked_sub(1).and_then(|at| ranges.get(at)).is_some_and(|range| range.contains(row))
            }
        }
    }

    /// Whether a row of the range is in the set; a binary search.
    pub fn meets(&self, range: &RowRange) -> bool {
        match self {
            Self::All => !range.is_empty(),
            Self::Set(ranges) => {
                // The first that ends behind the range's start is the only one that needs a look.
                let from =
                    ranges.partition_point(|each| each.end.as_ref().is_some_and(|end| *end <= range.start));
                let starts = |each: &RowRange| range.end.as_ref().is_none_or(|end| each.start < *end);
                !range.is_empty() && ranges.get(from).is_some_and(starts)
            }
        }
    }

    /// Whether every row of the range is in the set; a binary search.
    pub fn covers(&self, range: &RowRange) -> bool {
        match self {
            Self::All => true,
            Self::Set(ranges) => {
                // The ranges of a set do not touch: one of them holds it all, or none does.
                let after = ranges.partition_point(|each| each.start <= range.start);
                let last = after.checked_sub(1).and_then(|at| ranges.get(at));
                range.is_empty() || last.is_some_and(|each| compare_ends(&range.end, &each.end).is_le())
            }
        }
    }

    /// The rows in both sets.
    pub fn intersect(&self, other: &Self) -> Self {
        let (a, b) = match (self, other) {
            (Self::All, set) | (set, Self::All) => return set.clone(),
            (Self::Set(a), Self::Set(b)) => (a, b),
        };
        let (mut left, mut right) = (a.iter().peekable(), b.iter().peekable());
        let mut both = Vec::new();
        while let (Some(l), Some(r)) = (left.peek(), right.peek()) {
            both.extend(l.intersect(r));
            // The one that ends first cannot meet anything further.
            if compare_ends(&l.end, &r.end).is_le() {
                left.next();
            } else {
                right.next();
            }
        }
        Self::from_ranges(both)
    }

    /// The rows in either set.
    pub fn union(&self, other: &Self) -> Self {
        match (self, other) {
            (Self::All, _) | (_, Self::All) => Self::All,
            (Self::Set(a), Self::Set(b)) => Self::from_ranges(a.iter().chain(b).cloned().collect()),
        }
    }

    /// The rows not in the set.
    pub fn complement(&self) -> Self {
        let Self::Set(ranges) = self else { return Self::none() };
        let mut gaps = Vec::with_capacity(ranges.len() + 1);
        let mut start = Some(Vec::new());
        for range in ranges {
            if let Some(start) = start.take() {
                gaps.push(RowRange { start, end: Some(range.start.clone()) });
            }
            start = range.end.clone();
        }
        if let Some(start) = start {
            gaps.push(RowRange { start, end: None });
        }
        Self::from_ranges(gaps)
    }

    /// The rows of the set that lie in the tablet.
    pub fn clip(&self, extent: &KeyExtent) -> Self {
        self.intersect(&Self::from_ranges(vec![extent.row_range()]))
    }
}

impl From<RowRange> for RowRanges {
    fn from(range: RowRange) -> Self {
        Self::from_ranges(vec![range])
    }
}

impl fmt::Display for RowRanges {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::All => write!(f, "all rows"),
            Self::Set(ranges) if ranges.is_empty() => write!(f, "no rows"),
            Self::Set(ranges) => {
                for (at, range) in ranges.iter().enumerate() {
                    write!(f, "{}{range}", if at == 0 { "" } else { ", " })?;
                }
                Ok(())
            }
        }
    }
}
