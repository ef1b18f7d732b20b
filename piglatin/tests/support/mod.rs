//! Trees as text: `(+ a (* b 2))`. One line a statement.
#![allow(dead_code, reason = "each test file uses a part")]

use ostracon_piglatin::Parsed;
use ostracon_piglatin::ast::*;
use ostracon_piglatin::source::{Diagnostic, SourceMap};

pub(crate) mod contract;
pub(crate) mod environment;
mod operators;
pub(crate) mod plan;

pub(crate) use operators::statement;

/// Statements and diagnostics of a script, a line each.
pub(crate) fn show(parsed: &Parsed) -> String {
    let mut text = String::new();
    for one in &parsed.script.statements {
        text += &statement(one);
        text.push('\n');
    }
    text + &diagnostics(&parsed.diagnostics, &parsed.sources)
}

/// What is told, a line each.
pub(crate) fn diagnostics<'a>(all: impl IntoIterator<Item = &'a Diagnostic>, sources: &SourceMap) -> String {
    let mut text = String::new();
    for found in all {
        let at = sources.position(found.span);
        let help = found.help.as_ref().map_or(String::new(), |help| format!(" | {help}"));
        text +=
            &format!("{} {}:{}:{} {}{help}\n", found.kind.word(), at.file, at.line, at.column, found.message);
    }
    text
}

pub(crate) fn joined<T>(all: &[T], one: impl Fn(&T) -> String) -> String {
    all.iter().map(one).collect::<Vec<_>>().join(" ")
}

pub(crate) fn column(column: &Column) -> String {
    match column {
        Column::Name(name) => name.text.clone(),
        Column::Position { index, .. } => format!("${index}"),
    }
}

pub(crate) fn expression(expression: &Expression) -> String {
    let optional = |one: &Option<Column>| one.as_ref().map_or(String::new(), column);
    match &expression.kind {
        ExpressionKind::Constant(value) => constant(value),
        ExpressionKind::Column(one) => column(one),
        ExpressionKind::Star => "*".to_owned(),
        ExpressionKind::Range { from, to } => format!("{}..{}", optional(from), optional(to)),
        ExpressionKind::Dereference { base, fields, parenthesised } => {
            let dot = if *parenthesised { ".()" } else { "." };
            format!("({dot} {} {})", self::expression(base), joined(fields, column))
        }
        ExpressionKind::MapLookup { base, key } => format!("(# {} '{}')", self::expression(base), key.text),
        ExpressionKind::Call { function, arguments } => {
            format!("({}() {})", function.text, joined(arguments, self::expression)).replace(" )", ")")
        }
        ExpressionKind::Cast { to, operand } => format!("(cast {} {})", ty(to), self::expression(operand)),
        ExpressionKind::Unary { op, operand, .. } => {
            let op = if *op == UnaryOp::Not { "NOT" } else { "neg" };
            format!("({op} {})", self::expression(operand))
        }
        ExpressionKind::Binary { op, left, right, .. } => {
            format!("({} {} {})", binary(*op), self::expression(left), self::expression(right))
        }
        ExpressionKind::IsNull { operand, negated } => {
            format!("({} {})", if *negated { "not-null" } else { "null" }, self::expression(operand))
        }
        ExpressionKind::In { operand, list } => {
            format!("(in {} {})", self::expression(operand), joined(list, self::expression))
        }
        ExpressionKind::Bincond { condition, then, otherwise } => {
            let parts = [condition, then, otherwise];
            format!("(? {})", joined(&parts, |part| self::expression(part)))
        }
        ExpressionKind::Case { operand, branches, otherwise } => {
            let operand = operand.as_ref().map_or("-".to_owned(), |one| self::expression(one));
            let branches = joined(branches, |one| {
                format!("[{} {}]", self::expression(&one.when), self::expression(&one.then))
            });
            let otherwise = otherwise.as_ref().map_or("-".to_owned(), |one| self::expression(one));
            format!("(case {operand} {branches} {otherwise})")
        }
        ExpressionKind::Tuple(parts) => {
            format!("(tuple {})", joined(parts, self::expression)).replace(" )", ")")
        }
        ExpressionKind::Bag(parts) => format!("(bag {})", joined(parts, self::expression)).replace(" )", ")"),
        ExpressionKind::Map(entries) => {
            let entries = joined(entries, |(key, value)| {
                format!("[{} {}]", self::expression(key), self::expression(value))
            });
            format!("(map {entries})").replace(" )", ")")
        }
        ExpressionKind::Flatten(inner) => format!("(flatten {})", self::expression(inner)),
    }
}

fn constant(value: &Constant) -> String {
    match value {
        Constant::Null => "null".to_owned(),
        Constant::Boolean(value) => value.to_string(),
        Constant::Int(value) => value.to_string(),
        Constant::Long(value) => format!("{value}L"),
        Constant::Float(value) => format!("{value:?}F"),
        Constant::Double(value) => format!("{value:?}"),
        Constant::BigInteger(value) => format!("{value}BI"),
        Constant::BigDecimal(value) => format!("{value}BD"),
        Constant::Chararray(value) => format!("{value:?}"),
    }
}

fn binary(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Add => "+",
        BinaryOp::Subtract => "-",
        BinaryOp::Multiply => "*",
        BinaryOp::Divide => "/",
        BinaryOp::Modulo => "%",
        BinaryOp::Equal => "==",
        BinaryOp::NotEqual => "!=",
        BinaryOp::Less => "<",
        BinaryOp::LessOrEqual => "<=",
        BinaryOp::Greater => ">",
        BinaryOp::GreaterOrEqual => ">=",
        BinaryOp::Matches => "matches",
        BinaryOp::And => "AND",
        BinaryOp::Or => "OR",
    }
}

pub(crate) fn ty(spec: &TypeSpec) -> String {
    let fields = |fields: &Option<SchemaSpec>| fields.as_ref().map_or("?".to_owned(), schema);
    match &spec.kind {
        TypeKind::Scalar(scalar) => format!("{scalar:?}").to_lowercase(),
        TypeKind::Tuple(inner) => format!("tuple{}", fields(inner)),
        TypeKind::Bag { tuple_name, fields: inner } => {
            let name = tuple_name.as_ref().map_or(String::new(), |name| format!("{}:", name.text));
            format!("bag{{{name}{}}}", fields(inner))
        }
        TypeKind::Map(value) => format!("map[{}]", value.as_ref().map_or("?".to_owned(), |value| ty(value))),
    }
}

pub(crate) fn schema(schema: &SchemaSpec) -> String {
    let fields: Vec<String> = schema.fields.iter().map(field).collect();
    format!("({})", fields.join(","))
}

pub(crate) fn field(field: &FieldSpec) -> String {
    match (&field.name, &field.ty) {
        (Some(name), Some(spec)) => format!("{}:{}", name.text, ty(spec)),
        (Some(name), None) => name.text.clone(),
        (None, Some(spec)) => format!(":{}", ty(spec)),
        (None, None) => "?".to_owned(),
    }
}
