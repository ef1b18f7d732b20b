use std::collections::BTreeMap;
use std::sync::Arc;

use super::{Context, boxed, compute, constant, field, int, ints, outer_field, schema, typed, value};
use crate::evaluate::{EvaluateError, Scope, bind, evaluate};
use crate::logical::{ArithmeticOp, Comparison, NodeId, TypedExpression, TypedKind};
use crate::types::PigType;
use crate::value::testing::text;
use crate::value::{CallContext, EvalFunc, FunctionError, Resolved, Value};

fn boolean(kind: TypedKind) -> TypedExpression {
    typed(kind, PigType::Boolean)
}

fn dynamic(kind: TypedKind) -> TypedExpression {
    typed(kind, PigType::DYNAMIC)
}

#[test]
fn fields_come_from_their_scope_and_missing_ones_are_null() {
    let row = [Value::Int(1), text("a"), Value::Int(3)];
    assert_eq!(value(&field(1), &row), text("a"));
    assert_eq!(value(&field(7), &row), Value::Null);
    assert_eq!(value(&dynamic(TypedKind::DynamicField { depth: 0, index: 9 }), &row), Value::Null);
    let range = |from, to| value(&dynamic(TypedKind::Row { depth: 0, from, to }), &row);
    assert_eq!(range(1, None), Value::Tuple(vec![text("a"), Value::Int(3)]));
    assert_eq!(range(2, Some(3)), Value::Tuple(vec![Value::Int(3), Value::Null]));
    assert_eq!(range(0, Some(0)), ints(&[1]));
    assert_eq!(range(5, None), Value::Tuple(vec![]));

    let outer = Scope::new(&row, &[]);
    let inner_row = [Value::Int(9)];
    let inner = Scope::inside(&inner_row, &outer);
    let mut context = Context::default();
    assert_eq!(evaluate(&field(0), &inner, &mut context), Ok(Value::Int(9)));
    assert_eq!(evaluate(&outer_field(1, 2), &inner, &mut context), Ok(Value::Int(3)));
    assert!(matches!(evaluate(&outer_field(2, 0), &inner, &mut context), Err(EvaluateError::Type { .. })));
}

#[test]
fn bindings_see_those_before_them() {
    let add = |left, right| {
        let op = ArithmeticOp::Add;
        typed(TypedKind::Arithmetic { op, left: Box::new(left), right: Box::new(right) }, PigType::Int)
    };
    let binding = |index| typed(TypedKind::Binding { index }, PigType::Int);
    let bindings = [add(field(0), int(1)), add(binding(0), binding(0))];
    let row = [Value::Int(4)];
    let mut context = Context::default();
    let values = bind(&bindings, &row, &mut context).unwrap();
    assert_eq!(values, [Value::Int(5), Value::Int(10)]);
    let outer = Scope::new(&row, &values);
    let inner = Scope::inside(&[], &outer);
    assert_eq!(evaluate(&binding(1), &inner, &mut context), Ok(Value::Int(10)));
    assert!(bind(&[binding(0)], &row, &mut context).is_err());
}

#[test]
fn parts_of_complex_values_are_null_where_there_is_none() {
    let map = Value::Map(BTreeMap::from([("k".to_owned(), Value::Int(5))]));
    let row = [ints(&[1, 2, 3]), map, Value::Bag(vec![ints(&[1, 2]), Value::Null, ints(&[3])]), Value::Null];
    let part = |tuple: usize, index| {
        value(&dynamic(TypedKind::TupleField { tuple: Box::new(field(tuple)), index }), &row)
    };
    assert_eq!(part(0, 1), Value::Int(2));
    assert_eq!(part(0, 5), Value::Null);
    assert_eq!(part(3, 0), Value::Null);
    let made = dynamic(TypedKind::Tuple(vec![int(7), int(8)]));
    for (index, answer) in [(1, Value::Int(8)), (2, Value::Null)] {
        let kind = TypedKind::TupleField { tuple: Box::new(made.clone()), index };
        assert_eq!(value(&dynamic(kind), &row), answer);
    }
    let project =
        |tuple: usize| TypedKind::TupleProject { tuple: Box::new(field(tuple)), indices: vec![2, 0, 9] };
    assert_eq!(
        value(&dynamic(project(0)), &row),
        Value::Tuple(vec![Value::Int(3), Value::Int(1), Value::Null])
    );
    assert_eq!(value(&dynamic(project(3)), &row), Value::Null);
    let project = |bag: usize| TypedKind::BagProject { bag: Box::new(field(bag)), indices: vec![1] };
    let one = |value| Value::Tuple(vec![value]);
    assert_eq!(value(&dynamic(project(2)), &row), {
        Value::Bag(vec![one(Value::Int(2)), one(Value::Null), one(Value::Null)])
    });
    assert_eq!(value(&dynamic(project(3)), &row), Value::Null);
    let look = |map: usize, key: &str| {
        value(&dynamic(TypedKind::MapLookup { map: Box::new(field(map)), key: key.to_owned() }), &row)
    };
    assert_eq!(look(1, "k"), Value::Int(5));
    assert_eq!(look(1, "x"), Value::Null);
    assert_eq!(look(3, "k"), Value::Null);
    let made = TypedKind::Map(vec![(constant(text("k")), int(1)), (constant(Value::Null), int(2))]);
    let kind = TypedKind::MapLookup { map: Box::new(dynamic(made)), key: "k".to_owned() };
    assert_eq!(value(&dynamic(kind), &row), Value::Int(1));
}

#[test]
fn a_plan_with_wrong_types_is_an_error_and_no_answer() {
    let row = [Value::Int(1)];
    for kind in [
        TypedKind::TupleField { tuple: Box::new(field(0)), index: 0 },
        TypedKind::TupleProject { tuple: Box::new(field(0)), indices: vec![0] },
        TypedKind::BagProject { bag: Box::new(field(0)), indices: vec![0] },
        TypedKind::MapLookup { map: Box::new(field(0)), key: String::new() },
        TypedKind::Negate(Box::new(constant(text("x")))),
        TypedKind::Not(Box::new(field(0))),
        TypedKind::And(Box::new(field(0)), Box::new(field(0))),
        TypedKind::Arithmetic {
            op: ArithmeticOp::Add,
            left: Box::new(field(0)),
            right: Box::new(constant(Value::Long(1))),
        },
        TypedKind::Matches { value: Box::new(field(0)), pattern: Box::new(field(0)) },
        TypedKind::Map(vec![(field(0), field(0))]),
        TypedKind::BagDistinct(Box::new(field(0))),
        TypedKind::Binding { index: 0 },
    ] {
        let answer = compute(&dynamic(kind.clone()), &row).0;
        assert!(matches!(answer, Err(EvaluateError::Type { .. })), "{kind:?}: {answer:?}");
    }
}

#[test]
fn casts_look_at_the_value() {
    let cast = |inner: TypedExpression, ty| typed(TypedKind::Cast(Box::new(inner)), ty);
    let row = [Value::Bytearray(b"x".to_vec()), text("7"), Value::Double(2.5)];
    assert_eq!(compute(&cast(field(0), PigType::Int), &row), (Ok(Value::Null), 1));
    assert_eq!(compute(&cast(field(1), PigType::Int), &row), (Ok(Value::Int(7)), 0));
    assert_eq!(compute(&cast(field(2), PigType::DYNAMIC), &row), (Ok(Value::Double(2.5)), 0));
    let twice = cast(cast(field(2), PigType::Int), PigType::Chararray);
    assert_eq!(compute(&twice, &row), (Ok(text("2")), 0));
}

#[test]
fn logic_is_that_of_kleene() {
    let of = |value: Option<bool>| Box::new(constant(value.map_or(Value::Null, Value::Boolean)));
    let answer = |kind| match value(&boolean(kind), &[]) {
        Value::Boolean(value) => Some(value),
        Value::Null => None,
        other => panic!("{other:?}"),
    };
    for (p, q, and, or) in [
        (Some(true), Some(true), Some(true), Some(true)),
        (Some(true), Some(false), Some(false), Some(true)),
        (Some(true), None, None, Some(true)),
        (Some(false), Some(false), Some(false), Some(false)),
        (Some(false), None, Some(false), None),
        (None, None, None, None),
    ] {
        for (p, q) in [(p, q), (q, p)] {
            assert_eq!(answer(TypedKind::And(of(p), of(q))), and, "{p:?} and {q:?}");
            assert_eq!(answer(TypedKind::Or(of(p), of(q))), or, "{p:?} or {q:?}");
        }
    }
    assert_eq!(answer(TypedKind::Not(of(None))), None);
    assert_eq!(answer(TypedKind::Not(of(Some(true)))), Some(false));
    assert_eq!(answer(TypedKind::IsNull(of(None))), Some(true));
    assert_eq!(answer(TypedKind::IsNull(of(Some(false)))), Some(false));
    let bincond = |condition| {
        let kind = TypedKind::Bincond {
            condition: of(condition),
            then: Box::new(int(1)),
            otherwise: Box::new(int(2)),
        };
        value(&dynamic(kind), &[])
    };
    assert_eq!(bincond(Some(true)), Value::Int(1));
    assert_eq!(bincond(Some(false)), Value::Int(2));
    assert_eq!(bincond(None), Value::Null);
}

#[test]
fn comparisons_and_arithmetic_take_null() {
    let compare = |op, left, right| {
        value(&boolean(TypedKind::Compare { op, left: Box::new(left), right: Box::new(right) }), &[])
    };
    assert_eq!(compare(Comparison::Less, int(1), int(2)), Value::Boolean(true));
    assert_eq!(compare(Comparison::NotEqual, constant(Value::Null), int(2)), Value::Null);
    let divide = |right| {
        let kind = TypedKind::Arithmetic {
            op: ArithmeticOp::Divide,
            left: Box::new(int(7)),
            right: Box::new(right),
        };
        compute(&typed(kind, PigType::Int), &[])
    };
    assert_eq!(divide(int(2)), (Ok(Value::Int(3)), 0));
    assert_eq!(divide(int(0)), (Ok(Value::Null), 1));
    assert_eq!(divide(constant(Value::Null)), (Ok(Value::Null), 0));
    assert_eq!(value(&dynamic(TypedKind::Negate(Box::new(int(5)))), &[]), Value::Int(-5));
}

#[test]
fn matches_reads_text_bytes_and_what_has_a_text() {
    let matches = |tested: Value, pattern: Value| {
        let kind =
            TypedKind::Matches { value: Box::new(constant(tested)), pattern: Box::new(constant(pattern)) };
        compute(&boolean(kind), &[])
    };
    assert_eq!(matches(text("apples"), text("apple.")), (Ok(Value::Boolean(true)), 0));
    assert_eq!(matches(text("apples"), text("apple")), (Ok(Value::Boolean(false)), 0));
    assert_eq!(matches(Value::Bytearray(b"a\xFFb".to_vec()), text("a.b")), (Ok(Value::Boolean(true)), 0));
    assert_eq!(matches(Value::Int(42), text("\\d+")), (Ok(Value::Boolean(true)), 0));
    assert_eq!(matches(ints(&[1]), text(".*")), (Ok(Value::Null), 1));
    assert_eq!(matches(Value::Null, text(".*")), (Ok(Value::Null), 0));
    assert_eq!(matches(text("a"), Value::Null), (Ok(Value::Null), 0));
    assert!(matches!(matches(text("a"), text("(")).0, Err(EvaluateError::Pattern(_))));
}

/// Adds up longs; fails for a negative one.
#[derive(Debug)]
struct Total;

impl EvalFunc for Total {
    fn name(&self) -> &str {
        "Total"
    }

    fn resolve(&self, arguments: &[PigType]) -> Result<Resolved, String> {
        Ok(Resolved { arguments: arguments.to_vec(), result: PigType::Long })
    }

    fn exec(&self, arguments: &[Value], _: &mut dyn CallContext) -> Result<Value, FunctionError> {
        let mut total = 0;
        for argument in arguments {
            match argument {
                Value::Long(value) if *value >= 0 => total += value,
                other => return Err(FunctionError(format!("{other:?} is negative"))),
            }
        }
        Ok(Value::Long(total))
    }
}

#[test]
fn functions_get_their_arguments_and_may_fail() {
    let call = |values: &[i64]| {
        let arguments = values.iter().map(|value| constant(Value::Long(*value))).collect();
        compute(&typed(TypedKind::Call { function: Arc::new(Total), arguments }, PigType::Long), &[]).0
    };
    assert_eq!(call(&[1, 2, 3]), Ok(Value::Long(6)));
    let error = call(&[-1]).unwrap_err();
    assert_eq!(error.to_string(), "Total: Long(-1) is negative");
}

#[test]
fn constructors_and_scalars() {
    let row = [Value::Int(3), Value::Int(7)];
    let pair = dynamic(TypedKind::Tuple(vec![field(0), field(1)]));
    assert_eq!(value(&pair, &row), ints(&[3, 7]));
    let kind = TypedKind::Bag(vec![pair, dynamic(TypedKind::Tuple(vec![field(1)]))]);
    assert_eq!(value(&dynamic(kind), &row), Value::Bag(vec![ints(&[3, 7]), ints(&[7])]));
    let scalar =
        |relation| compute(&dynamic(TypedKind::Scalar { relation: NodeId(relation), index: 4 }), &row).0;
    assert_eq!(scalar(0), Ok(Value::Long(4)));
    assert_eq!(scalar(1), Ok(Value::Null));
    assert!(matches!(scalar(2), Err(EvaluateError::Scalar(_))));
    let cast = TypedKind::Cast(boxed(
        TypedKind::Tuple(vec![field(0)]),
        PigType::Tuple(Some(schema(vec![PigType::Int]))),
    ));
    assert_eq!(value(&typed(cast, PigType::Tuple(Some(schema(vec![PigType::Long])))), &row), {
        Value::Tuple(vec![Value::Long(3)])
    });
}
