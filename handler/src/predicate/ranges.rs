//! From sets of keys to ranges of rows.
//!
//! A box whose first parts are single values is a range below their common prefix; every further part that is
//! constrained narrows it, up to and including the first one that is not a list of (few) single values. What a part
//! behind that asks for is not in the ranges: `enforced_parts` tells how far they can be relied on.

use ostracon_data::{RowRange, RowRanges, prefix_end};

use super::key_bytes::PartBytes;
use super::key_set::{KeyBox, KeySet};
use super::key_space::KeySpace;
use super::range_text;

/// A range of more values than this is not taken apart for what follows: that many seeks may cost more than they save.
const MAX_VALUES: usize = 256;

/// Ranges of rows and what they stand for.
#[derive(Debug)]
pub(super) struct Narrowed {
    pub(super) row_ranges: RowRanges,
    /// What the parts before this one may be is said by the ranges in full.
    pub(super) enforced_parts: usize,
    /// Some range depends on the parts before this one.
    pub(super) used_parts: usize,
    /// The parts before this one have one and the same value in every row of the ranges.
    pub(super) fixed_parts: usize,
    /// For EXPLAIN.
    pub(super) text: String,
}

/// The rows of a box.
struct BoxRanges {
    ranges: Vec<RowRange>,
    enforced_parts: usize,
    used_parts: usize,
}

/// The rows whose keys are in a set.
pub(super) fn of_key_set(set: &KeySet, space: &KeySpace, max_ranges: usize) -> Narrowed {
    let max_ranges = max_ranges.max(1);
    if set.boxes().is_empty() {
        let enforced_parts = usize::MAX;
        let text = range_text::EMPTY.to_owned();
        return Narrowed {
            row_ranges: RowRanges::none(),
            enforced_parts,
            used_parts: usize::MAX,
            fixed_parts: 0,
            text,
        };
    }
    let mut ranges = Vec::new();
    let mut enforced_parts = usize::MAX;
    // By box: what it uses is what is shown of it.
    let mut used = Vec::with_capacity(set.boxes().len());
    for one in set.boxes() {
        let rows = of_box(one, space, max_ranges);
        ranges.extend(rows.ranges);
        enforced_parts = enforced_parts.min(rows.enforced_parts);
        used.push((one, rows.used_parts));
    }
    let mut row_ranges = RowRanges::from_ranges(ranges);
    if row_ranges.ranges().len() > max_ranges {
        row_ranges = widen(&row_ranges, max_ranges);
        enforced_parts = 0;
    }
    if row_ranges.is_all() {
        let text = range_text::FULL_SCAN.to_owned();
        return Narrowed { row_ranges, enforced_parts, used_parts: 0, fixed_parts: 0, text };
    }
    let text = range_text::of_boxes(&used, space);
    let used_parts = used.iter().map(|(_, used_parts)| *used_parts).max().unwrap_or(0);
    let fixed_parts = match used.as_slice() {
        [(one, used_parts)] => fixed_parts(one, *used_parts, space),
        _ => 0,
    };
    Narrowed { row_ranges, enforced_parts, used_parts, fixed_parts, text }
}

/// How many leading parts of a box are single values, of those that its ranges are made of.
fn fixed_parts(one: &KeyBox, used_parts: usize, space: &KeySpace) -> usize {
    let is_single = |part: &usize| {
        let (Some(values), Some(bytes)) = (one.get(*part), space.part(*part)) else { return false };
        let values = values.ranges();
        matches!(&*values, [value] if bytes.is_value(&value.start, value.end.as_deref()))
    };
    (0..used_parts.min(space.len())).take_while(is_single).count()
}

fn of_box(one: &KeyBox, space: &KeySpace, max_ranges: usize) -> BoxRanges {
    let mut ranges = Vec::new();
    // The prefixes of which the parts before the one in hand can consist.
    let mut prefixes: Vec<Vec<u8>> = vec![Vec::new()];
    let mut enforced_parts = usize::MAX;
    let mut used_parts = 0;
    for part in 0..space.len() {
        let later = one.parts_used() > part + 1;
        let (Some(values), Some(bytes)) = (one.get(part), space.part(part)) else {
            ranges.extend(prefixes.drain(..).map(RowRange::prefix));
            if later {
                enforced_parts = enforced_parts.min(part);
            }
            break;
        };
        let room = max_ranges.saturating_sub(ranges.len()) / prefixes.len().max(1);
        let pieces = pieces(bytes, &values.ranges(), one.get(part + 1).is_some(), room);
        if pieces.len() > room && part > 0 {
            ranges.extend(prefixes.drain(..).map(RowRange::prefix));
            enforced_parts = enforced_parts.min(part);
            break;
        }
        used_parts = part + 1;
        let mut longer = Vec::new();
        for prefix in &prefixes {
            for piece in &pieces {
                match piece {
                    Piece::Value(value) => longer.push([prefix.as_slice(), value].concat()),
                    Piece::Range(range) => {
                        if later {
                            enforced_parts = enforced_parts.min(part + 1);
                        }
                        let start = [prefix.as_slice(), &range.start].concat();
                        let end = match &range.end {
                            Some(end) => Some([prefix.as_slice(), end].concat()),
                            None => prefix_end(prefix),
                        };
                        ranges.push(RowRange::new(start, end));
                    }
                }
            }
        }
        prefixes = longer;
        if prefixes.is_empty() {
            break;
        }
    }
    ranges.extend(prefixes.into_iter().map(RowRange::prefix));
    BoxRanges { ranges, enforced_parts, used_parts }
}

/// What a part may be: single values, below which the next part narrows further, and ranges.
enum Piece {
    Value(Vec<u8>),
    Range(RowRange),
}

/// The ranges of a part in pieces. Where another constrained part follows, a range of few values is each of them: the
/// neighbours of an IN list were joined, and `y BETWEEN 2019 AND 2020 AND m = 2` is two months rather than two years.
fn pieces(bytes: &PartBytes, ranges: &[RowRange], followed: bool, room: usize) -> Vec<Piece> {
    let whole = |range: &RowRange| {
        if followed && bytes.is_value(&range.start, range.end.as_deref()) {
            Piece::Value(range.start.clone())
        } else {
            Piece::Range(range.clone())
        }
    };
    if !followed {
        return ranges.iter().map(whole).collect();
    }
    let mut pieces = Vec::with_capacity(ranges.len());
    for range in ranges {
        match bytes.values_between(&range.start, range.end.as_deref(), MAX_VALUES) {
            Some(values) => pieces.extend(values.into_iter().map(Piece::Value)),
            None => pieces.push(Piece::Range(range.clone())),
        }
    }
    if pieces.len() > room { ranges.iter().map(whole).collect() } else { pieces }
}

/// Fewer, wider ranges: neighbours are joined.
fn widen(ranges: &RowRanges, max_ranges: usize) -> RowRanges {
    let ranges = ranges.ranges();
    let group = ranges.len().div_ceil(max_ranges.max(1)).max(1);
    let joined = ranges.chunks(group).filter_map(|group| match (group.first(), group.last()) {
        (Some(first), Some(last)) => Some(RowRange::new(first.start.clone(), last.end.clone())),
        _ => None,
    });
    RowRanges::from_ranges(joined.collect())
}
