//! Typed plans as text: a line a relation, a line a step.

use std::fmt::Write as _;

use ostracon_piglatin::ast::CubeKind;
use ostracon_piglatin::logical::*;
use ostracon_piglatin::types::{Caster, PigType, Schema, Unknown, describe_type};
use ostracon_piglatin::value::{Value, to_text};

/// All relations and steps.
pub(crate) fn plan(plan: &LogicalPlan) -> String {
    let mut out = String::new();
    for (number, node) in plan.nodes.iter().enumerate() {
        let alias = node.alias.as_deref().unwrap_or("-");
        let fields = node.schema.as_ref().map_or("?".to_owned(), fields);
        let _ = writeln!(out, "{number} {alias} = {} -> {fields}", operator(&node.operator));
    }
    for step in &plan.steps {
        let text = match &step.kind {
            StepKind::Dump(input) => format!("dump {}", input.0),
            StepKind::Store { input, path, function, arguments } => {
                format!("store {} {path} {function}({})", input.0, arguments.join(", "))
            }
            StepKind::Describe(text) => text.clone(),
            StepKind::Explain { input, brief } => {
                format!("explain {}{}", input.0, if *brief { " brief" } else { "" })
            }
            StepKind::Illustrate(input) => format!("illustrate {}", input.0),
            StepKind::Set { key, value } => format!("set {key} {value}"),
            StepKind::Shell(command) => format!("shell {}", command.command.text),
        };
        let _ = writeln!(out, "{text}");
    }
    out
}

fn fields(schema: &Schema) -> String {
    describe_type(&PigType::Tuple(Some(schema.clone())))
}

/// A type, with what is known of bytes: `raw`, `bare` of a loader without caster, `any`.
fn ty(ty: &PigType) -> String {
    match ty {
        PigType::Bytearray(Unknown::Dynamic) => "any".to_owned(),
        PigType::Bytearray(Unknown::Raw(Caster::Utf8)) => "raw".to_owned(),
        PigType::Bytearray(Unknown::Raw(Caster::None)) => "bare".to_owned(),
        ty => describe_type(ty),
    }
}

fn list<T>(all: &[T], one: impl Fn(&T) -> String) -> String {
    all.iter().map(one).collect::<Vec<_>>().join(", ")
}

fn items(all: &[ForeachItem]) -> String {
    list(all, |item| match &item.flatten {
        None => expression(&item.expression),
        Some(Flatten { width: None }) => format!("flatten {}", expression(&item.expression)),
        Some(Flatten { width: Some(width) }) => format!("flatten[{width}] {}", expression(&item.expression)),
    })
}

fn operator(operator: &LogicalOperator) -> String {
    let keys = |keys: &[TypedExpression]| list(keys, expression);
    let sorted = |keys: &[SortKey]| list(keys, |key| sort_key(&key.expression, key.descending));
    match operator {
        LogicalOperator::Load { path, function, arguments } => {
            format!("load {path} {function}({})", arguments.join(", "))
        }
        LogicalOperator::Foreach { input, bindings, items: all } => {
            let block: String =
                bindings.iter().enumerate().map(|(n, b)| format!("b{n} = {}; ", expression(b))).collect();
            format!("foreach {} [{block}{}]", input.0, items(all))
        }
        LogicalOperator::Filter { input, condition } => {
            format!("filter {} {}", input.0, expression(condition))
        }
        LogicalOperator::Group { inputs, all, tuple_key } => {
            let inputs = list(inputs, |branch| {
                let inner = if branch.inner { " inner" } else { "" };
                format!("{} by [{}]{inner}", branch.input.0, keys(&branch.keys))
            });
            let all = if *all { " all" } else { "" };
            format!("group{all} {inputs}{}", if *tuple_key { " tuple" } else { "" })
        }
        LogicalOperator::Join { inputs, join_type, hint } => {
            let inputs = list(inputs, |(input, by)| format!("{} by [{}]", input.0, keys(by)));
            format!("join {join_type:?} {inputs}{}", hint.as_ref().map_or(String::new(), |h| format!(" {h}")))
        }
        LogicalOperator::Cross(inputs) => format!("cross {}", list(inputs, |input| input.0.to_string())),
        LogicalOperator::Union(inputs) => format!("union {}", list(inputs, |input| input.0.to_string())),
        LogicalOperator::Distinct(input) => format!("distinct {}", input.0),
        LogicalOperator::Limit { input, count } => format!("limit {} {}", input.0, expression(count)),
        LogicalOperator::Sample { input, share } => format!("sample {} {}", input.0, expression(share)),
        LogicalOperator::Order { input, keys } => format!("order {} {}", input.0, sorted(keys)),
        LogicalOperator::Rank { input, keys, dense } => {
            format!("rank {} [{}]{}", input.0, sorted(keys), if *dense { " dense" } else { "" })
        }
        LogicalOperator::Cube { input, dimensions } => {
            let dimensions = list(dimensions, |(kind, width)| {
                format!("{}{width}", if *kind == CubeKind::Cube { "cube" } else { "rollup" })
            });
            format!("cube {} {dimensions}", input.0)
        }
        LogicalOperator::Assert { input, condition, message } => {
            format!("assert {} {} {message:?}", input.0, expression(condition))
        }
        LogicalOperator::Stream { input, command } => {
            format!("stream {} `{}`", input.0, command.command.text)
        }
    }
}

fn sort_key(key: &TypedExpression, descending: bool) -> String {
    format!("{}{}", expression(key), if descending { " desc" } else { "" })
}

fn at(depth: usize, letter: &str) -> String {
    "^".repeat(depth) + letter
}

pub(crate) fn expression(typed: &TypedExpression) -> String {
    let pair = |name: &str, l: &TypedExpression, r: &TypedExpression| {
        format!("({name} {} {})", expression(l), expression(r))
    };
    match &typed.kind {
        TypedKind::Constant(Value::Null) => format!("null:{}", ty(&typed.ty)),
        TypedKind::Constant(Value::Chararray(text)) => format!("'{text}'"),
        TypedKind::Constant(value) => format!("{}:{}", to_text(value), ty(&typed.ty)),
        TypedKind::Field { depth, index } => format!("{}{index}", at(*depth, "$")),
        TypedKind::DynamicField { depth, index } => format!("{}{index}:{}", at(*depth, "?"), ty(&typed.ty)),
        TypedKind::Row { depth, from, to } => {
            format!("{}{from}..{}", at(*depth, "?"), to.map_or(String::new(), |to| to.to_string()))
        }
        TypedKind::Binding { index } => format!("b{index}"),
        TypedKind::TupleField { tuple, index } => format!("{}.{index}", expression(tuple)),
        TypedKind::TupleProject { tuple: inner, indices } | TypedKind::BagProject { bag: inner, indices } => {
            format!("{}.({})", expression(inner), list(indices, ToString::to_string))
        }
        TypedKind::MapLookup { map, key } => format!("{}#{key}", expression(map)),
        TypedKind::Cast(inner) => format!("(cast {} {})", ty(&typed.ty), expression(inner)),
        TypedKind::Arithmetic { op, left, right } => pair(&format!("{op:?}"), left, right),
        TypedKind::Negate(inner) => format!("(- {})", expression(inner)),
        TypedKind::Compare { op, left, right } => pair(&format!("{op:?}"), left, right),
        TypedKind::Matches { value, pattern } => pair("Matches", value, pattern),
        TypedKind::And(left, right) => pair("And", left, right),
        TypedKind::Or(left, right) => pair("Or", left, right),
        TypedKind::Not(inner) => format!("(Not {})", expression(inner)),
        TypedKind::IsNull(inner) => format!("(IsNull {})", expression(inner)),
        TypedKind::Bincond { condition, then, otherwise } => {
            format!("(? {} {} {})", expression(condition), expression(then), expression(otherwise))
        }
        TypedKind::Call { function, arguments } => {
            format!("{}({}):{}", function.name(), list(arguments, expression), ty(&typed.ty))
        }
        TypedKind::Tuple(items) => format!("({})", list(items, expression)),
        TypedKind::Bag(items) => format!("{{{}}}", list(items, expression)),
        TypedKind::Map(entries) => {
            format!("[{}]", list(entries, |(k, v)| format!("{}#{}", expression(k), expression(v))))
        }
        TypedKind::Scalar { relation, index } => format!("scalar({}).{index}:{}", relation.0, ty(&typed.ty)),
        TypedKind::BagFilter { bag, condition } => pair("filter", bag, condition),
        TypedKind::BagOrder { bag, keys } => {
            format!("(order {} {})", expression(bag), list(keys, |(key, down)| sort_key(key, *down)))
        }
        TypedKind::BagDistinct(bag) => format!("(distinct {})", expression(bag)),
        TypedKind::BagLimit { bag, count } => pair("limit", bag, count),
        TypedKind::BagCross(bags) => format!("(cross {})", list(bags, expression)),
        TypedKind::BagForeach { bag, items: all } => {
            format!("(foreach {} [{}])", expression(bag), items(all))
        }
    }
}
