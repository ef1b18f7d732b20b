//! [`RowPredicate`]: the tree of a row filter, as data.
//!
//! The tree may be as deep as a query is long (`NOT NOT NOT ...`, a left-deep OR of thousands), so everything
//! that walks it (comparing, cloning, printing, dropping) does so by [`RowPredicate::postorder`] or a list of its
//! own, never by recursion. Meaning is given by [`RowFilter`](crate::RowFilter).

use std::fmt;
use std::mem;

use ostracon_compare::{CompareOp, Scalar};

/// A three-valued predicate on one row: TRUE, FALSE or NULL (unknown), by SQL's rules.
///
/// Operands are indexes into [`RowFilterSpec::operands`](crate::RowFilterSpec::operands). Since dropping a deep
/// tree must not recurse, the enum implements `Drop`, so its parts cannot be moved out by a pattern; take them
/// with [`std::mem::take`], or build with [`conjunction`](Self::conjunction), [`disjunction`](Self::disjunction)
/// and `!`.
pub enum RowPredicate {
    /// The same for every row; `None` is NULL.
    Constant(Option<bool>),
    /// FALSE if any input is FALSE, else NULL if any is NULL, else TRUE. TRUE when empty.
    And(Vec<RowPredicate>),
    /// TRUE if any input is TRUE, else NULL if any is NULL, else FALSE. FALSE when empty.
    Or(Vec<RowPredicate>),
    /// TRUE for FALSE, FALSE for TRUE, NULL for NULL.
    Not(Box<RowPredicate>),
    /// `operand op constant`; NULL for a NULL operand.
    Compare {
        /// The left side.
        operand: usize,
        /// The comparison.
        op: CompareOp,
        /// The right side, of the operand's type.
        constant: Scalar,
    },
    /// `operand >= low AND operand <= high`; NULL for a NULL operand.
    Between {
        /// The value tested.
        operand: usize,
        /// The least value accepted.
        low: Scalar,
        /// The greatest value accepted.
        high: Scalar,
    },
    /// Whether the operand equals one of the values: the OR of the equalities, so that an empty list is FALSE
    /// even for a NULL operand.
    In {
        /// The value tested.
        operand: usize,
        /// The values, in any order, repetitions allowed.
        values: Vec<Scalar>,
        /// Whether the list also holds a NULL: then what is not found is NULL instead of FALSE.
        has_null: bool,
    },
    /// SQL LIKE with backslash as the escape; NULL for a NULL operand. The operand is text.
    Like {
        /// The text tested.
        operand: usize,
        /// The pattern.
        pattern: String,
        /// ILIKE.
        case_insensitive: bool,
    },
    /// Whether the operand is NULL: never NULL itself.
    IsNull {
        /// The value tested.
        operand: usize,
    },
    /// NULL for a NULL operand, else `value`: what remains of a comparison with a constant out of range.
    ConstantUnlessNull {
        /// The value tested.
        operand: usize,
        /// The answer for every value.
        value: bool,
    },
    /// `left op right` on two operands of one type, whatever their encodings; NULL if either is NULL.
    CompareOperands {
        /// The left side.
        left: usize,
        /// The comparison.
        op: CompareOp,
        /// The right side.
        right: usize,
    },
    /// `IS TRUE`, `IS FALSE` or (`None`) `IS UNKNOWN`: never NULL itself.
    IsTruth {
        /// The predicate tested.
        input: Box<RowPredicate>,
        /// The answer wanted.
        truth: Option<bool>,
    },
}

impl RowPredicate {
    /// The AND of the parts: nested ANDs are merged, TRUE is left out, a single part stands for itself.
    pub fn conjunction(parts: impl IntoIterator<Item = RowPredicate>) -> Self {
        let mut merged = Vec::new();
        for mut part in parts {
            match &mut part {
                RowPredicate::And(inner) => merged.append(inner),
                RowPredicate::Constant(Some(true)) => {}
                _ => merged.push(part),
            }
        }
        if merged.len() == 1 {
            merged.remove(0)
        } else if merged.is_empty() {
            true.into()
        } else {
            RowPredicate::And(merged)
        }
    }

    /// The OR of the parts: nested ORs are merged, FALSE is left out, a single part stands for itself.
    pub fn disjunction(parts: impl IntoIterator<Item = RowPredicate>) -> Self {
        let mut merged = Vec::new();
        for mut part in parts {
            match &mut part {
                RowPredicate::Or(inner) => merged.append(inner),
                RowPredicate::Constant(Some(false)) => {}
                _ => merged.push(part),
            }
        }
        if merged.len() == 1 {
            merged.remove(0)
        } else if merged.is_empty() {
            false.into()
        } else {
            RowPredicate::Or(merged)
        }
    }

    /// The inputs of the node itself, in order; empty for a leaf.
    pub fn children(&self) -> &[RowPredicate] {
        match self {
            RowPredicate::And(parts) | RowPredicate::Or(parts) => parts,
            RowPredicate::Not(input) | RowPredicate::IsTruth { input, .. } => std::slice::from_ref(input),
            _ => &[],
        }
    }

    /// Every node, each after its inputs: the walk for all that must not recurse. A node's inputs are the last
    /// `children().len()` results before it that are not yet taken, as on a stack.
    pub fn postorder(&self) -> Postorder<'_> {
        Postorder { path: vec![(self, 0)] }
    }

    /// Calls `visit` with each operand index that the tree refers to, repetitions included.
    pub fn for_each_operand(&self, mut visit: impl FnMut(usize)) {
        for node in self.postorder() {
            match node {
                RowPredicate::Compare { operand, .. }
                | RowPredicate::Between { operand, .. }
                | RowPredicate::In { operand, .. }
                | RowPredicate::Like { operand, .. }
                | RowPredicate::IsNull { operand }
                | RowPredicate::ConstantUnlessNull { operand, .. } => visit(*operand),
                RowPredicate::CompareOperands { left, right, .. } => {
                    visit(*left);
                    visit(*right);
                }
                _ => {}
            }
        }
    }

    fn is_leaf(&self) -> bool {
        self.children().is_empty()
    }

    /// Moves those inputs out that have inputs of their own (only they make a drop recurse).
    fn surrender_deep_children(&mut self, to: &mut Vec<RowPredicate>) {
        match self {
            RowPredicate::And(parts) | RowPredicate::Or(parts)
                if parts.iter().any(|part| !part.is_leaf()) =>
            {
                to.append(parts);
            }
            RowPredicate::Not(input) | RowPredicate::IsTruth { input, .. } if !input.is_leaf() => {
                to.push(mem::take(&mut **input));
            }
            _ => {}
        }
    }

    /// A copy of the node itself over the given inputs; takes the last ones off `inputs`.
    fn rebuild(&self, inputs: &mut Vec<RowPredicate>) -> RowPredicate {
        let first = inputs.len().saturating_sub(self.children().len());
        match self {
            RowPredicate::Constant(truth) => RowPredicate::Constant(*truth),
            RowPredicate::And(_) => RowPredicate::And(inputs.split_off(first)),
            RowPredicate::Or(_) => RowPredicate::Or(inputs.split_off(first)),
            RowPredicate::Not(_) => RowPredicate::Not(Box::new(inputs.pop().unwrap_or_default())),
            RowPredicate::IsTruth { truth, .. } => {
                RowPredicate::IsTruth { input: Box::new(inputs.pop().unwrap_or_default()), truth: *truth }
            }
            RowPredicate::Compare { operand, op, constant } => {
                RowPredicate::Compare { operand: *operand, op: *op, constant: constant.clone() }
            }
            RowPredicate::Between { operand, low, high } => {
                RowPredicate::Between { operand: *operand, low: low.clone(), high: high.clone() }
            }
            RowPredicate::In { operand, values, has_null } => {
                RowPredicate::In { operand: *operand, values: values.clone(), has_null: *has_null }
            }
            RowPredicate::Like { operand, pattern, case_insensitive } => RowPredicate::Like {
                operand: *operand,
                pattern: pattern.clone(),
                case_insensitive: *case_insensitive,
            },
            RowPredicate::IsNull { operand } => RowPredicate::IsNull { operand: *operand },
            RowPredicate::ConstantUnlessNull { operand, value } => {
                RowPredicate::ConstantUnlessNull { operand: *operand, value: *value }
            }
            RowPredicate::CompareOperands { left, op, right } => {
                RowPredicate::CompareOperands { left: *left, op: *op, right: *right }
            }
        }
    }

    /// Whether the nodes themselves are equal: everything but the inputs, of which only the number counts.
    fn same_node(&self, other: &Self) -> bool {
        use RowPredicate::*;
        match (self, other) {
            (Constant(a), Constant(b)) => a == b,
            (And(a), And(b)) | (Or(a), Or(b)) => a.len() == b.len(),
            (Not(_), Not(_)) => true,
            (IsTruth { truth: a, .. }, IsTruth { truth: b, .. }) => a == b,
            (
                Compare { operand, op, constant },
                Compare { operand: operand_b, op: op_b, constant: constant_b },
            ) => operand == operand_b && op == op_b && constant == constant_b,
            (Between { operand, low, high }, Between { operand: operand_b, low: low_b, high: high_b }) => {
                operand == operand_b && low == low_b && high == high_b
            }
            (
                In { operand, values, has_null },
                In { operand: operand_b, values: values_b, has_null: has_null_b },
            ) => operand == operand_b && values == values_b && has_null == has_null_b,
            (
                Like { operand, pattern, case_insensitive },
                Like { operand: operand_b, pattern: pattern_b, case_insensitive: case_b },
            ) => operand == operand_b && pattern == pattern_b && case_insensitive == case_b,
            (IsNull { operand }, IsNull { operand: operand_b }) => operand == operand_b,
            (
                ConstantUnlessNull { operand, value },
                ConstantUnlessNull { operand: operand_b, value: value_b },
            ) => operand == operand_b && value == value_b,
            (
                CompareOperands { left, op, right },
                CompareOperands { left: left_b, op: op_b, right: right_b },
            ) => left == left_b && op == op_b && right == right_b,
            _ => false,
        }
    }
}

/// NULL: what is left where a predicate was taken out.
impl Default for RowPredicate {
    fn default() -> Self {
        RowPredicate::Constant(None)
    }
}

impl From<bool> for RowPredicate {
    fn from(value: bool) -> Self {
        RowPredicate::Constant(Some(value))
    }
}

impl std::ops::Not for RowPredicate {
    type Output = RowPredicate;

    /// The NOT of the predicate; a double NOT, a constant and a comparison are resolved at once.
    fn not(mut self) -> RowPredicate {
        match &mut self {
            RowPredicate::Constant(truth) => RowPredicate::Constant(truth.map(|known| !known)),
            RowPredicate::Not(input) => mem::take(&mut **input),
            RowPredicate::Compare { op, .. } => {
                *op = op.negate();
                self
            }
            _ => RowPredicate::Not(Box::new(self)),
        }
    }
}

impl Drop for RowPredicate {
    fn drop(&mut self) {
        let mut pending = Vec::new();
        self.surrender_deep_children(&mut pending);
        while let Some(mut node) = pending.pop() {
            node.surrender_deep_children(&mut pending);
        }
    }
}

impl Clone for RowPredicate {
    fn clone(&self) -> Self {
        let mut built = Vec::new();
        for node in self.postorder() {
            let copy = node.rebuild(&mut built);
            built.push(copy);
        }
        // Exactly the root is left: every other node was taken as an input.
        built.pop().unwrap_or_default()
    }
}

impl PartialEq for RowPredicate {
    fn eq(&self, other: &Self) -> bool {
        // Nodes with their numbers of inputs, in postorder, determine the tree.
        let mut left = self.postorder();
        let mut right = other.postorder();
        loop {
            match (left.next(), right.next()) {
                (None, None) => return true,
                (Some(a), Some(b)) if a.same_node(b) => {}
                _ => return false,
            }
        }
    }
}

impl fmt::Debug for RowPredicate {
    /// The tree with operands as `#0`, `#1`: the form of `RowFilterSpec`'s `Display`, without names.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        super::display::write_predicate(f, self, &[])
    }
}

/// The nodes of a tree, each after its inputs; see [`RowPredicate::postorder`].
pub struct Postorder<'a> {
    /// From the root to the node in hand, each with how many of its inputs are done.
    path: Vec<(&'a RowPredicate, usize)>,
}

impl<'a> Iterator for Postorder<'a> {
    type Item = &'a RowPredicate;

    fn next(&mut self) -> Option<&'a RowPredicate> {
        loop {
            let (node, done) = self.path.last_mut()?;
            let node = *node;
            match node.children().get(*done) {
                Some(child) => {
                    *done += 1;
                    self.path.push((child, 0));
                }
                None => {
                    self.path.pop();
                    return Some(node);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_null(operand: usize) -> RowPredicate {
        RowPredicate::IsNull { operand }
    }

    #[test]
    fn postorder_gives_inputs_first() {
        let tree = RowPredicate::And(vec![is_null(0), RowPredicate::Not(Box::new(is_null(1))), is_null(2)]);
        let seen: Vec<String> = tree.postorder().map(|node| format!("{node:?}")).collect();
        assert_eq!(seen.len(), 5);
        assert_eq!(seen[0], "#0 IS NULL");
        assert_eq!(seen[2], "#1 IS NOT NULL");
        assert_eq!(seen[4], "#0 IS NULL AND #1 IS NOT NULL AND #2 IS NULL");
        let mut operands = Vec::new();
        tree.for_each_operand(|operand| operands.push(operand));
        assert_eq!(operands, [0, 1, 2]);
    }

    #[test]
    fn clones_are_equal_and_differences_are_seen() {
        let tree = RowPredicate::Or(vec![
            RowPredicate::Compare { operand: 0, op: CompareOp::LessThan, constant: Scalar::Int(5) },
            RowPredicate::Between { operand: 1, low: Scalar::Int(1), high: Scalar::Int(2) },
            RowPredicate::In { operand: 1, values: vec![Scalar::Int(1)], has_null: true },
            RowPredicate::Like { operand: 2, pattern: "a%".to_owned(), case_insensitive: false },
            RowPredicate::IsTruth { input: Box::new(RowPredicate::And(vec![])), truth: None },
            RowPredicate::ConstantUnlessNull { operand: 1, value: true },
            RowPredicate::CompareOperands { left: 0, op: CompareOp::Equal, right: 1 },
            RowPredicate::Constant(None),
        ]);
        assert_eq!(tree.clone(), tree);
        let mut other = tree.clone();
        if let RowPredicate::Or(parts) = &mut other {
            parts[7] = RowPredicate::Constant(Some(true));
        }
        assert_ne!(other, tree);
        assert_ne!(RowPredicate::And(vec![]), RowPredicate::Or(vec![]));
        assert_ne!(
            RowPredicate::And(vec![RowPredicate::And(vec![is_null(0)]), is_null(1)]),
            RowPredicate::And(vec![RowPredicate::And(vec![is_null(0), is_null(1)])]),
        );
    }

    #[test]
    fn constructors_simplify() {
        assert_eq!(RowPredicate::conjunction([]), true.into());
        assert_eq!(RowPredicate::disjunction([]), false.into());
        assert_eq!(RowPredicate::conjunction([true.into(), is_null(0)]), is_null(0));
        assert_eq!(
            RowPredicate::disjunction([
                RowPredicate::Or(vec![is_null(0), is_null(1)]),
                false.into(),
                is_null(2)
            ]),
            RowPredicate::Or(vec![is_null(0), is_null(1), is_null(2)])
        );
        assert_eq!(!!is_null(0), is_null(0));
        assert_eq!(!RowPredicate::Constant(None), RowPredicate::Constant(None));
        let less = RowPredicate::Compare { operand: 0, op: CompareOp::LessThan, constant: Scalar::Int(5) };
        let not_less =
            RowPredicate::Compare { operand: 0, op: CompareOp::GreaterThanOrEqual, constant: Scalar::Int(5) };
        assert_eq!(!less, not_less);
    }

    #[test]
    fn deep_trees_are_cloned_compared_printed_and_dropped_without_recursion() {
        let mut deep = is_null(0);
        for _ in 0..100_000 {
            deep = RowPredicate::Not(Box::new(deep));
        }
        let mut wide_and_deep = is_null(0);
        for _ in 0..50_000 {
            wide_and_deep = RowPredicate::Or(vec![wide_and_deep, is_null(1)]);
        }
        for tree in [deep, wide_and_deep] {
            let copy = tree.clone();
            assert_eq!(copy, tree);
            assert!(format!("{copy:?}").len() > 100_000);
        }
    }
}
