//! CASE as a boolean tree.

use datafusion::logical_expr::{Case, Expr};
use ostracon_compare::Scalar;

use super::literal::{self, Literal};
use super::lower::Step;
use super::shape::is_predicate;

/// A CASE of truth values as AND, OR and NOT: each arm is `(condition IS TRUE AND result) OR (condition IS NOT TRUE
/// AND what follows)`. False if the CASE compares a value other than a truth value; then no step is added.
pub(super) fn expand_case<'e>(case: &'e Case, steps: &mut Vec<Step<'e>>) -> bool {
    // `CASE base WHEN true THEN ...` is how DataFusion writes some tests; each WHEN must be such a constant.
    let wanted = |when: &Expr| match literal::of_expr(when) {
        Some(Literal { value: Some(Scalar::Boolean(truth)), .. }) => Some(truth),
        _ => None,
    };
    let arms: Option<Vec<(&'e Expr, bool, &'e Expr)>> = case
        .when_then_expr
        .iter()
        .map(|(when, then)| match &case.expr {
            Some(base) if is_predicate(base) => Some((&**base, wanted(when)?, &**then)),
            Some(_) => None,
            None => Some((&**when, true, &**then)),
        })
        .collect();
    let Some(arms) = arms else {
        return false;
    };
    let mut sequence = Vec::with_capacity(9 * arms.len() + 1);
    for (condition, truth, then) in &arms {
        let visit_condition = || Step::Visit { expr: condition, condition: true };
        sequence.extend([visit_condition(), Step::IsTruth(Some(*truth))]);
        sequence.extend([Step::Visit { expr: then, condition: false }, Step::And(2)]);
        sequence.extend([visit_condition(), Step::IsTruth(Some(*truth)), Step::Not]);
    }
    sequence.push(match &case.else_expr {
        Some(otherwise) => Step::Visit { expr: otherwise, condition: false },
        None => Step::Constant(None),
    });
    for _ in &arms {
        sequence.extend([Step::And(2), Step::Or(2)]);
    }
    // The last step pushed is the first done.
    steps.extend(sequence.into_iter().rev());
    true
}
