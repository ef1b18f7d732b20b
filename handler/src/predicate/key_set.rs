//! Sets of row ids as a filter sees them: unions of boxes, each a set of values for every part of the key.
//!
//! [`KeySet`]s are closed under AND, OR and (where it is known) NOT; they only ever grow when something cannot be
//! expressed, and say so. What a box is in bytes of a row id is [`super::ranges`]' business.

use ostracon_data::RowRanges;
use ostracon_iterators::RowPredicate;

use super::key_space::KeySpace;
use super::operand::Operands;
use super::tree::{Node, Results, Tree};

/// More boxes than this are not multiplied out.
const MAX_BOXES: usize = 4_096;
/// A complement with more intervals than this narrows too little to be worth its seeks.
const MAX_COMPLEMENT: usize = 64;

/// For every part of the key the values it may have, as ranges of the part's bytes; `None` is any.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct KeyBox(Vec<(usize, RowRanges)>);

/// A union of boxes that holds every key for which a predicate is TRUE.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct KeySet {
    boxes: Vec<KeyBox>,
    /// Every key in the set makes the predicate TRUE; but where keys that cannot be read are NULL, some such key
    /// may be in the set too, for which it is NULL.
    exact: bool,
    /// The predicate is never NULL.
    decided: bool,
    /// Nothing was left out for want of space.
    complete: bool,
}

impl KeyBox {
    /// Any key.
    fn any() -> Self {
        KeyBox(Vec::new())
    }

    /// The keys with one part in a set.
    fn part(part: usize, values: RowRanges) -> Self {
        if values.is_all() { Self::any() } else { KeyBox(vec![(part, values)]) }
    }

    /// The values of a part; `None` is any.
    pub(super) fn get(&self, part: usize) -> Option<&RowRanges> {
        self.0.iter().find(|(constrained, _)| *constrained == part).map(|(_, values)| values)
    }

    /// One more than the last part that is constrained.
    pub(super) fn parts_used(&self) -> usize {
        self.0.last().map_or(0, |(part, _)| part + 1)
    }

    fn is_any(&self) -> bool {
        self.0.is_empty()
    }

    /// The keys in both boxes, if there can be any.
    fn intersect(&self, other: &Self) -> Option<Self> {
        let mut parts = self.0.clone();
        for (part, values) in &other.0 {
            match parts.binary_search_by_key(part, |(constrained, _)| *constrained) {
                Ok(at) => {
                    let (_, own) = parts.get_mut(at)?;
                    *own = own.intersect(values);
                    if own.is_empty() {
                        return None;
                    }
                }
                Err(at) => parts.insert(at, (*part, values.clone())),
            }
        }
        Some(KeyBox(parts))
    }
}

impl Default for KeySet {
    fn default() -> Self {
        KeySet::unknown()
    }
}

impl KeySet {
    /// Of a predicate about which nothing is known.
    pub(super) fn unknown() -> Self {
        KeySet { boxes: vec![KeyBox::any()], exact: false, decided: false, complete: true }
    }

    /// Of a constant.
    pub(super) fn constant(truth: Option<bool>) -> Self {
        let boxes = if truth == Some(true) { vec![KeyBox::any()] } else { Vec::new() };
        KeySet { boxes, exact: true, decided: truth.is_some(), complete: true }
    }

    /// Of a predicate on one part that is TRUE in, at most, these values.
    pub(super) fn of_part(part: usize, values: RowRanges, exact: bool, decided: bool) -> Self {
        let boxes = if values.is_empty() { Vec::new() } else { vec![KeyBox::part(part, values)] };
        KeySet { boxes, exact, decided, complete: true }
    }

    pub(super) fn boxes(&self) -> &[KeyBox] {
        &self.boxes
    }

    /// Whether the set is exactly where the predicate is TRUE.
    pub(super) fn is_exact(&self) -> bool {
        self.exact
    }

    /// Whether nothing was left out of an intersection.
    pub(super) fn is_complete(&self) -> bool {
        self.complete
    }

    /// Whether any key is left out.
    pub(super) fn narrows(&self) -> bool {
        !self.boxes.iter().any(KeyBox::is_any)
    }

    /// The first part that every box of the set constrains or a later one; `None` for the empty set.
    pub(super) fn narrowing_part(&self) -> Option<usize> {
        self.boxes.iter().filter_map(|one| one.0.first().map(|(part, _)| *part)).max()
    }

    /// One more than the last part that any box constrains.
    pub(super) fn parts_used(&self) -> usize {
        self.boxes.iter().map(KeyBox::parts_used).max().unwrap_or(0)
    }

    /// The keys in all sets: the AND of predicates.
    pub(super) fn intersection(sets: &[KeySet]) -> KeySet {
        let mut all = KeySet::constant(Some(true));
        for set in sets {
            all.exact &= set.exact;
            all.decided &= set.decided;
            all.complete &= set.complete;
            if set.boxes.iter().any(KeyBox::is_any) {
                continue;
            }
            if all.boxes.len().saturating_mul(set.boxes.len()) > MAX_BOXES && all.boxes.len() > 1 {
                // Either factor alone is a wider set; the one with fewer boxes is as a rule the narrower.
                all.exact = false;
                all.complete = false;
                if set.boxes.len() < all.boxes.len() {
                    all.boxes.clone_from(&set.boxes);
                }
                continue;
            }
            let pairs = all.boxes.iter().flat_map(|a| set.boxes.iter().filter_map(|b| a.intersect(b)));
            all.boxes = pairs.collect();
        }
        all.boxes = merge(all.boxes);
        all
    }

    /// The keys in any set: the OR of predicates.
    fn union(sets: Vec<KeySet>) -> KeySet {
        let mut any = KeySet::constant(Some(false));
        for set in sets {
            any.exact &= set.exact;
            any.decided &= set.decided;
            any.complete &= set.complete;
            any.boxes.extend(set.boxes);
        }
        any.boxes = merge(any.boxes);
        if any.boxes.len() > MAX_BOXES {
            any.boxes = vec![KeyBox::any()];
            any.exact = false;
        }
        any
    }

    /// The NOT of the predicate.
    fn negate(self) -> KeySet {
        // Where the predicate is FALSE is known only if the set is exactly where it is TRUE. (Where it is NULL its
        // negation is not TRUE either, so the complement is wide enough.)
        if !self.exact {
            return KeySet::unknown();
        }
        let exact = self.decided;
        let mut outside = KeySet { exact, decided: self.decided, ..KeySet::constant(Some(true)) };
        for one in &self.boxes {
            let mut sides = Vec::with_capacity(one.0.len());
            for (part, values) in &one.0 {
                let complement = values.complement();
                if complement.ranges().len() > MAX_COMPLEMENT {
                    return KeySet { decided: self.decided, ..KeySet::unknown() };
                }
                if !complement.is_empty() {
                    sides.push(KeyBox::part(*part, complement));
                }
            }
            let side = KeySet { boxes: sides, exact, decided: self.decided, complete: true };
            outside = KeySet::intersection(&[outside, side]);
        }
        outside
    }
}

/// Fewer boxes for the same keys: boxes that constrain one and the same part become one.
fn merge(boxes: Vec<KeyBox>) -> Vec<KeyBox> {
    if boxes.len() < 2 {
        return boxes;
    }
    if boxes.iter().any(KeyBox::is_any) {
        return vec![KeyBox::any()];
    }
    let mut merged: Vec<KeyBox> = Vec::new();
    let mut singles: Vec<(usize, Vec<ostracon_data::RowRange>)> = Vec::new();
    for one in boxes {
        match one.0.as_slice() {
            [(part, values)] => {
                let ranges = values.ranges().into_owned();
                match singles.iter_mut().find(|(of, _)| of == part) {
                    Some((_, all)) => all.extend(ranges),
                    None => singles.push((*part, ranges)),
                }
            }
            _ if merged.len() < 64 && merged.contains(&one) => {}
            _ => merged.push(one),
        }
    }
    for (part, ranges) in singles {
        let values = RowRanges::from_ranges(ranges);
        if values.is_all() {
            return vec![KeyBox::any()];
        }
        merged.push(KeyBox::part(part, values));
    }
    merged
}

/// The key sets of all nodes.
pub(super) fn of_tree(tree: &Tree, operands: &Operands, space: &KeySpace) -> Results<KeySet> {
    Results::compute(tree, |node, results| match node {
        Node::Atom(predicate) => of_atom(predicate, operands, space),
        Node::Opaque { .. } => KeySet::unknown(),
        Node::And(inputs) => {
            let inputs: Vec<KeySet> = inputs.iter().map(|input| results.take(*input)).collect();
            KeySet::intersection(&inputs)
        }
        Node::Or(inputs) => KeySet::union(inputs.iter().map(|input| results.take(*input)).collect()),
        Node::Not(input) => results.take(*input).negate(),
        Node::IsTruth(input, truth) => {
            let input = results.take(*input);
            match truth {
                // NULL becomes FALSE here, so that keys for which the input is NULL may not be in an exact set.
                Some(true) => {
                    let exact = input.exact && (input.decided || !space.has_nulls());
                    KeySet { exact, decided: true, ..input }
                }
                Some(false) => {
                    let negated = input.negate();
                    KeySet { decided: true, ..negated }
                }
                // A predicate that is never NULL is never unknown.
                None if input.decided => KeySet::constant(Some(false)),
                None => KeySet { decided: true, ..KeySet::unknown() },
            }
        }
    })
}

fn of_atom(predicate: &RowPredicate, operands: &Operands, space: &KeySpace) -> KeySet {
    let operand = match predicate {
        RowPredicate::Constant(truth) => return KeySet::constant(*truth),
        RowPredicate::Compare { operand, .. }
        | RowPredicate::Between { operand, .. }
        | RowPredicate::In { operand, .. }
        | RowPredicate::Like { operand, .. }
        | RowPredicate::IsNull { operand }
        | RowPredicate::ConstantUnlessNull { operand, .. } => *operand,
        _ => return KeySet::unknown(),
    };
    let Some(part) = operands.key_part(operand) else {
        return KeySet::unknown();
    };
    let never_null = !space.has_nulls();
    match predicate {
        RowPredicate::IsNull { .. } if never_null => KeySet::constant(Some(false)),
        RowPredicate::IsNull { .. } => KeySet { decided: true, ..KeySet::unknown() },
        RowPredicate::ConstantUnlessNull { value, .. } if never_null => KeySet::constant(Some(*value)),
        RowPredicate::ConstantUnlessNull { value: false, .. } => KeySet::constant(None),
        RowPredicate::In { values, has_null, .. } => match space.any_of(part, values) {
            Some(set) => KeySet::of_part(part, set.values, set.exact, never_null && !has_null),
            None => KeySet { decided: never_null && !has_null, ..KeySet::unknown() },
        },
        other => match space.values_of(part, other) {
            Some(set) => KeySet::of_part(part, set.values, set.exact, never_null),
            None => KeySet { decided: never_null, ..KeySet::unknown() },
        },
    }
}
