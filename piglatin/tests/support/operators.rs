use super::{expression, field, joined, schema, ty};
use ostracon_piglatin::ast::*;

pub(crate) fn statement(statement: &Statement) -> String {
    match &statement.kind {
        StatementKind::Assign { alias, operator: made } => {
            format!("{} = {}", alias.as_ref().map_or("_", |alias| &alias.text), operator(made))
        }
        StatementKind::Split { input, branches, otherwise } => {
            let branches =
                joined(branches, |one| format!("[{} {}]", one.alias.text, expression(&one.condition)));
            let rest = otherwise.as_ref().map_or(String::new(), |rest| {
                format!(" [{} otherwise{}]", rest.alias.text, if rest.all { " all" } else { "" })
            });
            format!("split {} {branches}{rest}", relation(input))
        }
        StatementKind::Assert { alias, input, condition, message } => {
            let alias = alias.as_ref().map_or(String::new(), |alias| format!("{} = ", alias.text));
            let message = message.as_ref().map_or(String::new(), |text| format!(" {:?}", text.text));
            format!("{alias}assert {} {}{message}", relation(input), expression(condition))
        }
        StatementKind::Store { input, path, function } => {
            format!("store {} {:?}{}", relation(input), path.text, using(function))
        }
        StatementKind::Dump(input) => format!("dump {}", relation(input)),
        StatementKind::Describe(name) => format!("describe {}", name.as_ref().map_or("-", |name| &name.text)),
        StatementKind::Explain(target) => {
            let text = |one: &Option<Text>| one.as_ref().map_or("-".to_owned(), |text| text.text.clone());
            format!(
                "explain {} script={} out={} brief={} dot={} [{}]",
                target.relation.as_ref().map_or("-".to_owned(), relation),
                text(&target.script),
                text(&target.out),
                target.brief,
                target.dot,
                joined(&target.parameters, |one| one.text.clone()),
            )
        }
        StatementKind::Illustrate(input) => {
            format!("illustrate {}", input.as_ref().map_or("-".to_owned(), relation))
        }
        StatementKind::Define(definition) => {
            let signature = definition.signature.as_ref().map_or(String::new(), |(arguments, result)| {
                format!(" ({}) -> {}", joined(arguments, ty), ty(result))
            });
            format!("define {} {}{signature}", definition.alias.text, function(&definition.function))
        }
        StatementKind::DefineCommand { alias, command } => {
            let handle = |one: &StreamHandle| format!("{}{}", one.handle.text, using(&one.function));
            format!(
                "define {} `{}` input[{}] output[{}] ship[{}] cache[{}] stderr[{}]",
                alias.text,
                command.command.text,
                joined(&command.input, handle),
                joined(&command.output, handle),
                joined(&command.ship, |one| one.text.clone()),
                joined(&command.cache, |one| one.text.clone()),
                command.stderr.as_ref().map_or("", |one| &one.text),
            )
        }
        StatementKind::Register { path, language, namespace } => {
            let name = |one: &Option<Name>| one.as_ref().map_or("-".to_owned(), |name| name.text.clone());
            format!("register {} using {} as {}", path.text, name(language), name(namespace))
        }
        StatementKind::Set(None) => "set".to_owned(),
        StatementKind::Set(Some((key, value))) => format!("set {} {:?}", key.text, value.text),
        StatementKind::Shell(command) => {
            format!("shell {} [{}]", command.command.text, joined(&command.arguments, |one| one.text.clone()))
        }
        StatementKind::Refused { what } => format!("refused {what}"),
    }
}

fn relation(one: &Relation) -> String {
    match one {
        Relation::Alias(name) => name.text.clone(),
        Relation::Previous(_) => "@".to_owned(),
        Relation::Inline(inner) => format!("({})", operator(inner)),
    }
}

fn function(one: &FunctionSpec) -> String {
    format!("{}({})", one.name.text, joined(&one.arguments, |text| format!("{:?}", text.text)))
}

fn using(one: &Option<FunctionSpec>) -> String {
    one.as_ref().map_or(String::new(), |one| format!(" using {}", function(one)))
}

fn declared(one: &Option<SchemaSpec>) -> String {
    one.as_ref().map_or(String::new(), |one| format!(" as {}", schema(one)))
}

fn hints(hint: &Option<Text>, parallel: &Option<u32>) -> String {
    let hint = hint.as_ref().map_or(String::new(), |text| format!(" using '{}'", text.text));
    parallel.map_or(hint.clone(), |number| format!("{hint} parallel {number}"))
}

fn keys(keys: &[OrderKey]) -> String {
    joined(keys, |key| {
        format!("[{}{}]", expression(&key.expression), if key.descending { " desc" } else { "" })
    })
}

fn item(item: &GenerateItem) -> String {
    let names = match &item.names {
        Some(ItemNames::Field(one)) => format!(" as {}", field(one)),
        Some(ItemNames::List(list)) => format!(" as {}", schema(list)),
        None => String::new(),
    };
    format!("[{}{names}]", expression(&item.expression))
}

fn operator(operator: &Operator) -> String {
    match &operator.kind {
        OperatorKind::Relation(input) => relation(input),
        OperatorKind::Load { path, function, schema } => {
            format!("load {:?}{}{}", path.text, using(function), declared(schema))
        }
        OperatorKind::Foreach { input, block, items } => {
            let block = joined(block, |one| format!("{{{} = {}}} ", one.alias.text, nested(&one.operator)));
            format!("foreach {} {block}{}", relation(input), joined(items, item))
        }
        OperatorKind::Filter { input, condition } => {
            format!("filter {} {}", relation(input), expression(condition))
        }
        OperatorKind::Group { inputs, hint, parallel } => {
            let inputs = joined(inputs, |one| {
                let by = match &one.keys {
                    GroupKeys::By(keys) => joined(keys, expression),
                    GroupKeys::All(_) => "ALL".to_owned(),
                    GroupKeys::Any(_) => "ANY".to_owned(),
                };
                format!("[{} {by}{}]", relation(&one.relation), if one.inner { " inner" } else { "" })
            });
            format!("group {inputs}{}", hints(hint, parallel))
        }
        OperatorKind::Join { inputs, join_type, hint, parallel } => {
            let inputs = joined(inputs, |one| {
                format!("[{} {}]", relation(&one.relation), joined(&one.keys, expression))
            });
            format!("join {join_type:?} {inputs}{}", hints(hint, parallel))
        }
        OperatorKind::Cross(inputs) => format!("cross {}", joined(inputs, relation)),
        OperatorKind::Union { inputs, on_schema } => {
            format!("union{} {}", if *on_schema { " onschema" } else { "" }, joined(inputs, relation))
        }
        OperatorKind::Distinct(input) => format!("distinct {}", relation(input)),
        OperatorKind::Limit { input, count } => format!("limit {} {}", relation(input), expression(count)),
        OperatorKind::Sample { input, share } => format!("sample {} {}", relation(input), expression(share)),
        OperatorKind::Order { input, keys: by, comparator } => {
            format!("order {} {}{}", relation(input), keys(by), using(comparator))
        }
        OperatorKind::Rank { input, keys: by } => {
            let by = by.as_ref().map_or(String::new(), |by| {
                format!(" {}{}", keys(&by.keys), if by.dense { " dense" } else { "" })
            });
            format!("rank {}{by}", relation(input))
        }
        OperatorKind::Cube { input, dimensions } => {
            let dimensions = joined(dimensions, |one| {
                format!("[{:?} {}]", one.kind, joined(&one.expressions, expression))
            });
            format!("cube {} {dimensions}", relation(input))
        }
        OperatorKind::Stream { input, command, schema } => {
            let command = match command {
                StreamCommand::Inline(text) => format!("`{}`", text.text),
                StreamCommand::Defined(name) => name.text.clone(),
            };
            format!("stream {} {command}{}", relation(input), declared(schema))
        }
    }
}

fn nested(operator: &NestedOperator) -> String {
    match operator {
        NestedOperator::Expression(one) => expression(one),
        NestedOperator::Filter { input, condition } => {
            format!("filter {} {}", expression(input), expression(condition))
        }
        NestedOperator::Order { input, keys: by } => format!("order {} {}", expression(input), keys(by)),
        NestedOperator::Distinct { input } => format!("distinct {}", expression(input)),
        NestedOperator::Limit { input, count } => {
            format!("limit {} {}", expression(input), expression(count))
        }
        NestedOperator::Cross { inputs } => format!("cross {}", joined(inputs, expression)),
        NestedOperator::Foreach { input, items } => {
            format!("foreach {} {}", expression(input), joined(items, item))
        }
    }
}
