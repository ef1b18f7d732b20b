//! Going through the parts of expressions.

use crate::logical::{TypedExpression, TypedKind};

/// Calls `visit` for an expression and all of its parts, whatever scope they stand in.
pub fn walk<'a>(expression: &'a TypedExpression, visit: &mut impl FnMut(&'a TypedExpression)) {
    visit(expression);
    for_each_child(expression, |child, _| walk(child, visit));
}

/// The parts of an expression, each with whether it stands one scope further in: once for reading, once for changing.
macro_rules! visit_parts {
    ($kind:expr, $visit:ident, $iter:ident $(, $mutable:tt)?) => {
        match $kind {
                TypedKind::Constant(_)
                | TypedKind::Field { .. }
                | TypedKind::DynamicField { .. }
                | TypedKind::Row { .. }
                | TypedKind::Binding { .. }
                | TypedKind::Scalar { .. } => {}
                TypedKind::TupleField { tuple: inner, .. }
                | TypedKind::TupleProject { tuple: inner, .. }
                | TypedKind::BagProject { bag: inner, .. }
                | TypedKind::MapLookup { map: inner, .. }
                | TypedKind::Cast(inner)
                | TypedKind::Negate(inner)
                | TypedKind::Not(inner)
                | TypedKind::IsNull(inner)
                | TypedKind::BagDistinct(inner) => $visit(inner, false),
                TypedKind::Arithmetic { left, right, .. }
                | TypedKind::Compare { left, right, .. }
                | TypedKind::Matches { value: left, pattern: right }
                | TypedKind::And(left, right)
                | TypedKind::Or(left, right)
                | TypedKind::BagLimit { bag: left, count: right } => {
                    $visit(left, false);
                    $visit(right, false);
                }
                TypedKind::Bincond { condition, then, otherwise } => {
                    $visit(condition, false);
                    $visit(then, false);
                    $visit(otherwise, false);
                }
                TypedKind::Call { arguments: items, .. }
                | TypedKind::Tuple(items)
                | TypedKind::Bag(items)
                | TypedKind::BagCross(items) => items.$iter().for_each(|item| $visit(item, false)),
                TypedKind::Map(entries) => {
                    for (key, value) in entries {
                        $visit(key, false);
                        $visit(value, false);
                    }
                }
                TypedKind::BagFilter { bag, condition } => {
                    $visit(bag, false);
                    $visit(condition, true);
                }
                TypedKind::BagOrder { bag, keys } => {
                    $visit(bag, false);
                    keys.$iter().for_each(|(key, _)| $visit(key, true));
                }
                TypedKind::BagForeach { bag, items } => {
                    $visit(bag, false);
                    items.$iter().for_each(|item| $visit(&$($mutable)? item.expression, true));
                }
            }
    };
}

/// Calls `visit` for every part of an expression, and tells whether the part stands one scope further in.
pub fn for_each_child<'a>(expression: &'a TypedExpression, mut visit: impl FnMut(&'a TypedExpression, bool)) {
    visit_parts!(&expression.kind, visit, iter)
}

/// As [`for_each_child`], to change the parts in place.
pub fn for_each_child_mut(
    expression: &mut TypedExpression,
    mut visit: impl FnMut(&mut TypedExpression, bool),
) {
    visit_parts!(&mut expression.kind, visit, iter_mut, mut)
}
