use crate::ast::{CubeDimension, Relation};
use crate::check::operators::boxed;
use crate::check::scope::{Named, Scope};
use crate::check::{Checked, Checker};
use crate::logical::{ForeachItem, LogicalOperator, NodeId, TypedExpression, TypedKind};
use crate::source::{Diagnostic, Span};
use crate::types::{Field, PigType, Schema, Unknown, type_name};
use crate::value::Value;

impl Checker<'_> {
    /// CUBE: the dimensions come first; a null text among them is 'unknown', so that it is not taken for a total (N45).
    pub(crate) fn cube(
        &mut self,
        input: &Relation,
        dimensions: &[CubeDimension],
        span: Span,
    ) -> Checked<NodeId> {
        let input = self.input(input)?;
        let Some(schema) = self.schema(input.id).cloned() else {
            let fault =
                Diagnostic::invalid("CUBE needs the fields of its input, and the schema is unknown", span);
            return Err(self.fault(fault.with_help("declare the fields by AS")));
        };
        let scope = Scope::row(Some(&schema), Unknown::Dynamic).of(input.id);
        let mut kinds = Vec::new();
        let mut items = Vec::new();
        let mut group = Vec::new();
        let mut used = Vec::new();
        for dimension in dimensions {
            let columns = self.expanded(&dimension.expressions, &scope)?;
            kinds.push((dimension.kind, columns.len()));
            for column in columns {
                let TypedKind::Field { index, .. } = column.expression.kind else {
                    return Err(self.invalid("the dimensions of CUBE are fields", column.span));
                };
                if column.expression.ty.is_complex() {
                    let text = format!("a {} is no dimension", type_name(&column.expression.ty));
                    return Err(self.invalid(text, column.span));
                }
                used.push(index);
                group.push(Field { name: column.name.clone(), ty: column.expression.ty.clone() });
                items.push(ForeachItem { expression: known(column), flatten: None });
            }
        }
        let mut fields = group.clone();
        for (index, field) in schema.fields.iter().enumerate().filter(|(index, _)| !used.contains(index)) {
            let kind = TypedKind::Field { depth: 0, index };
            let expression = TypedExpression { kind, ty: field.ty.clone(), span };
            items.push(ForeachItem { expression, flatten: None });
            fields.push(field.clone());
        }
        let fields = Schema::new(fields);
        self.unique(&fields, &[], span)?;
        let operator = LogicalOperator::Foreach { input: input.id, bindings: Vec::new(), items };
        let ordered = self.add(operator, Some(fields.clone()), span, Unknown::Dynamic);
        // One dimension is bare, as a single key of GROUP is (N51).
        let key = match group.as_slice() {
            [one] => one.ty.clone(),
            _ => PigType::Tuple(Some(Schema::new(group))),
        };
        let schema =
            Schema::new(vec![Field::named("group", key), Field::named("cube", PigType::bag(fields))]);
        let operator = LogicalOperator::Cube { input: ordered, dimensions: kinds };
        Ok(self.add(operator, Some(schema), span, Unknown::Dynamic))
    }
}

fn known(column: Named) -> TypedExpression {
    let value = column.expression;
    if value.ty != PigType::Chararray {
        return value;
    }
    let (ty, span) = (value.ty.clone(), value.span);
    let is_null = TypedKind::IsNull(boxed(value.clone()));
    let unknown = TypedKind::Constant(Value::Chararray("unknown".to_owned()));
    let kind = TypedKind::Bincond {
        condition: boxed(TypedExpression { kind: is_null, ty: PigType::Boolean, span }),
        then: boxed(TypedExpression { kind: unknown, ty: ty.clone(), span }),
        otherwise: boxed(value),
    };
    TypedExpression { kind, ty, span }
}
