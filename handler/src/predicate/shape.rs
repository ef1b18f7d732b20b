//! Shapes of expressions: runs of one operator, comparison operators, and what gives a truth value.

use datafusion::logical_expr::{Expr, Operator};
use ostracon_compare::CompareOp;

/// The comparison that an operator is.
pub(super) fn compare_op(op: Operator) -> Option<CompareOp> {
    Some(match op {
        Operator::Eq => CompareOp::Equal,
        Operator::NotEq => CompareOp::NotEqual,
        Operator::Lt => CompareOp::LessThan,
        Operator::LtEq => CompareOp::LessThanOrEqual,
        Operator::Gt => CompareOp::GreaterThan,
        Operator::GtEq => CompareOp::GreaterThanOrEqual,
        _ => return None,
    })
}

/// The operands of a run of one operator, from left to right, however it is nested.
pub(super) fn chain(expr: &Expr, op: Operator) -> Vec<&Expr> {
    let mut inputs = Vec::new();
    let mut pending = vec![expr];
    while let Some(expr) = pending.pop() {
        match expr {
            Expr::BinaryExpr(binary) if binary.op == op => pending.extend([&*binary.right, &*binary.left]),
            other => inputs.push(other),
        }
    }
    inputs
}

/// Whether the expression is built by an operator that gives a truth value, so that its NULL is "unknown".
pub(super) fn is_predicate(expr: &Expr) -> bool {
    match expr {
        Expr::Alias(alias) => is_predicate(&alias.expr),
        Expr::BinaryExpr(binary) => {
            matches!(
                binary.op,
                Operator::And | Operator::Or | Operator::IsDistinctFrom | Operator::IsNotDistinctFrom
            ) || compare_op(binary.op).is_some()
        }
        Expr::Not(_)
        | Expr::Like(_)
        | Expr::InList(_)
        | Expr::Between(_)
        | Expr::IsNull(_)
        | Expr::IsNotNull(_)
        | Expr::IsTrue(_)
        | Expr::IsFalse(_)
        | Expr::IsUnknown(_)
        | Expr::IsNotTrue(_)
        | Expr::IsNotFalse(_)
        | Expr::IsNotUnknown(_) => true,
        _ => false,
    }
}
