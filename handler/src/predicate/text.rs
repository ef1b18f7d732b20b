//! Filters as SQL, for EXPLAIN.
//!
//! Expressions are printed from the top: a run of ANDs or ORs in a row whatever its depth, everything else down to
//! a fixed depth, and no more than a line or two in all. It is for reading; nothing parses it back.

use std::fmt::Write as _;

use datafusion::functions::core::getfield::GetFieldFunc;
use datafusion::logical_expr::expr::{InList, Like};
use datafusion::logical_expr::{BinaryExpr, Case, Expr, Operator};
use ostracon_compare::LiteralText;

use super::literal;
use super::shape::chain;

/// The longest text.
const MAX_CHARS: usize = 400;
/// How deep an expression is printed.
const MAX_DEPTH: usize = 24;
/// How many items of a list are printed.
const MAX_ITEMS: usize = 16;

/// The filter as SQL.
pub(super) fn of_expr(expr: &Expr) -> String {
    let mut text = String::new();
    write_expr(&mut text, expr, 0);
    shorten(text, MAX_CHARS)
}

/// The text, with `...` for what goes beyond a number of characters.
pub(super) fn shorten(mut text: String, max_chars: usize) -> String {
    if let Some((at, _)) = text.char_indices().nth(max_chars) {
        text.truncate(at);
        text.push_str("...");
    }
    text
}

fn write_expr(text: &mut String, expr: &Expr, depth: usize) {
    if depth > MAX_DEPTH || text.len() > 4 * MAX_CHARS {
        text.push_str("...");
        return;
    }
    let depth = depth + 1;
    match expr {
        Expr::Alias(alias) => write_expr(text, &alias.expr, depth),
        Expr::Column(column) => text.push_str(&column.name),
        Expr::Literal(value, _) => match literal::of_value(value) {
            Some(literal::Literal { value: None, .. }) => text.push_str("NULL"),
            Some(literal::Literal { ty: Some(ty), value: Some(value), .. }) => {
                text.push_str(&shorten(LiteralText::new(ty, &value).to_string(), MAX_CHARS));
            }
            _ => text.push_str(&value.to_string()),
        },
        Expr::BinaryExpr(BinaryExpr { op: op @ (Operator::And | Operator::Or), .. }) => {
            write_chain(text, expr, *op, depth);
        }
        Expr::BinaryExpr(binary) => {
            write_inner(text, &binary.left, depth);
            let _ = write!(text, " {} ", binary.op);
            write_inner(text, &binary.right, depth);
        }
        Expr::Not(input) => {
            text.push_str("NOT ");
            write_inner(text, input, depth);
        }
        Expr::Negative(input) => {
            text.push('-');
            write_inner(text, input, depth);
        }
        Expr::IsNull(input) => write_suffix(text, input, "IS NULL", depth),
        Expr::IsNotNull(input) => write_suffix(text, input, "IS NOT NULL", depth),
        Expr::IsTrue(input) => write_suffix(text, input, "IS TRUE", depth),
        Expr::IsFalse(input) => write_suffix(text, input, "IS FALSE", depth),
        Expr::IsUnknown(input) => write_suffix(text, input, "IS UNKNOWN", depth),
        Expr::IsNotTrue(input) => write_suffix(text, input, "IS NOT TRUE", depth),
        Expr::IsNotFalse(input) => write_suffix(text, input, "IS NOT FALSE", depth),
        Expr::IsNotUnknown(input) => write_suffix(text, input, "IS NOT UNKNOWN", depth),
        Expr::Between(between) => {
            write_inner(text, &between.expr, depth);
            text.push_str(if between.negated { " NOT BETWEEN " } else { " BETWEEN " });
            write_inner(text, &between.low, depth);
            text.push_str(" AND ");
            write_inner(text, &between.high, depth);
        }
        Expr::Like(like) => write_like(text, like, depth),
        Expr::InList(list) => write_in_list(text, list, depth),
        Expr::Case(case) => write_case(text, case, depth),
        Expr::Cast(cast) => {
            text.push_str("CAST(");
            write_expr(text, &cast.expr, depth);
            let _ = write!(text, " AS {})", cast.field.data_type());
        }
        Expr::TryCast(cast) => {
            text.push_str("TRY_CAST(");
            write_expr(text, &cast.expr, depth);
            let _ = write!(text, " AS {})", cast.field.data_type());
        }
        Expr::ScalarFunction(call) if call.func.inner().is::<GetFieldFunc>() => {
            if let [of, path @ ..] = call.args.as_slice() {
                write_inner(text, of, depth);
                for key in path {
                    text.push('[');
                    write_expr(text, key, depth);
                    text.push(']');
                }
            }
        }
        Expr::ScalarFunction(call) => {
            let _ = write!(text, "{}(", call.func.name());
            write_items(text, &call.args, depth);
            text.push(')');
        }
        other => {
            let _ = write!(text, "<{}>", other.variant_name());
        }
    }
}

/// An input of an operator: in brackets if it is an operator itself.
fn write_inner(text: &mut String, expr: &Expr, depth: usize) {
    let compound = matches!(
        expr,
        Expr::BinaryExpr(_)
            | Expr::Not(_)
            | Expr::Between(_)
            | Expr::Like(_)
            | Expr::InList(_)
            | Expr::Case(_)
    );
    if compound {
        text.push('(');
    }
    write_expr(text, expr, depth);
    if compound {
        text.push(')');
    }
}

fn write_suffix(text: &mut String, expr: &Expr, suffix: &str, depth: usize) {
    write_inner(text, expr, depth);
    text.push(' ');
    text.push_str(suffix);
}

/// A run of ANDs or ORs.
fn write_chain(text: &mut String, expr: &Expr, op: Operator, depth: usize) {
    let inputs = chain(expr, op);
    for (i, input) in inputs.iter().enumerate() {
        if i > 0 {
            let _ = write!(text, " {op} ");
        }
        if text.len() > MAX_CHARS {
            let _ = write!(text, "... {} more", inputs.len() - i);
            return;
        }
        match input {
            Expr::BinaryExpr(inner) if !matches!(inner.op, Operator::And | Operator::Or) => {
                write_expr(text, input, depth);
            }
            Expr::Like(_) | Expr::InList(_) => write_expr(text, input, depth),
            _ => write_inner(text, input, depth),
        }
    }
}

fn write_items(text: &mut String, items: &[Expr], depth: usize) {
    for (i, item) in items.iter().enumerate() {
        if i > 0 {
            text.push_str(", ");
        }
        if i == MAX_ITEMS && items.len() > MAX_ITEMS + 1 {
            let _ = write!(text, "... {} more", items.len() - i);
            return;
        }
        write_expr(text, item, depth);
    }
}

fn write_in_list(text: &mut String, list: &InList, depth: usize) {
    write_inner(text, &list.expr, depth);
    text.push_str(if list.negated { " NOT IN (" } else { " IN (" });
    write_items(text, &list.list, depth);
    text.push(')');
}

fn write_like(text: &mut String, like: &Like, depth: usize) {
    write_inner(text, &like.expr, depth);
    text.push_str(if like.negated { " NOT " } else { " " });
    text.push_str(if like.case_insensitive { "ILIKE " } else { "LIKE " });
    write_inner(text, &like.pattern, depth);
    if let Some(escape) = like.escape_char {
        let _ = write!(text, " ESCAPE '{escape}'");
    }
}

fn write_case(text: &mut String, case: &Case, depth: usize) {
    text.push_str("CASE");
    if let Some(base) = &case.expr {
        text.push(' ');
        write_expr(text, base, depth);
    }
    for (when, then) in case.when_then_expr.iter().take(MAX_ITEMS) {
        text.push_str(" WHEN ");
        write_expr(text, when, depth);
        text.push_str(" THEN ");
        write_expr(text, then, depth);
    }
    if case.when_then_expr.len() > MAX_ITEMS {
        text.push_str(" ...");
    }
    if let Some(otherwise) = &case.else_expr {
        text.push_str(" ELSE ");
        write_expr(text, otherwise, depth);
    }
    text.push_str(" END");
}
