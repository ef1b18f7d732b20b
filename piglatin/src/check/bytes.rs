use crate::check::Checker;
use crate::logical::{LogicalOperator, NodeId, TypedExpression, TypedKind, walk};
use crate::types::{Caster, PigType, Unknown, type_name};

/// Bytes that nobody turns into values.
pub(crate) const BARE: PigType = PigType::Bytearray(Unknown::Raw(Caster::None));

impl Checker<'_> {
    /// Casts that operators, keys and functions ask for, of bytes whose load function has no caster (N9). Those that the
    /// script asks for were refused before.
    pub(crate) fn casts_of_bytes(&mut self, operator: &LogicalOperator) {
        let mut refused = Vec::new();
        each_expression(operator, |input, expression| {
            walk(expression, &mut |part| {
                if let TypedKind::Cast(value) = &part.kind
                    && value.ty == BARE
                    && !part.ty.is_unknown()
                {
                    let name = match value.kind {
                        TypedKind::Field { depth: 0, index } => self.field_name(input, index),
                        TypedKind::DynamicField { index, .. } => format!("${index}"),
                        _ => "the value".to_owned(),
                    };
                    let to = type_name(&part.ty);
                    refused.push((
                        format!(
                            "{name} cannot become {to}: its load function does not turn bytes into values"
                        ),
                        value.span,
                    ));
                }
            });
        });
        for (text, span) in refused {
            self.invalid(text, span);
        }
    }

    fn field_name(&self, input: NodeId, index: usize) -> String {
        let field = self.schema(input).and_then(|schema| schema.fields.get(index));
        field.and_then(|field| field.name.clone()).unwrap_or_else(|| format!("${index}"))
    }
}

/// The expressions of an operator, each with the relation whose rows it reads.
fn each_expression<'a>(operator: &'a LogicalOperator, mut visit: impl FnMut(NodeId, &'a TypedExpression)) {
    match operator {
        LogicalOperator::Foreach { input, bindings, items } => {
            bindings.iter().for_each(|value| visit(*input, value));
            items.iter().for_each(|item| visit(*input, &item.expression));
        }
        LogicalOperator::Filter { input, condition } | LogicalOperator::Assert { input, condition, .. } => {
            visit(*input, condition);
        }
        LogicalOperator::Group { inputs, .. } => {
            inputs.iter().for_each(|branch| branch.keys.iter().for_each(|key| visit(branch.input, key)));
        }
        LogicalOperator::Join { inputs, .. } => {
            inputs.iter().for_each(|(input, keys)| keys.iter().for_each(|key| visit(*input, key)));
        }
        LogicalOperator::Limit { input, count: value } | LogicalOperator::Sample { input, share: value } => {
            visit(*input, value);
        }
        LogicalOperator::Order { input, keys } | LogicalOperator::Rank { input, keys, .. } => {
            keys.iter().for_each(|key| visit(*input, &key.expression));
        }
        LogicalOperator::Load { .. }
        | LogicalOperator::Cross(_)
        | LogicalOperator::Union(_)
        | LogicalOperator::Distinct(_)
        | LogicalOperator::Cube { .. }
        | LogicalOperator::Stream { .. } => {}
    }
}
