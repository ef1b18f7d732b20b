use super::{compute, constant, field, int, ints, outer_field, schema, typed, value};
use crate::evaluate::EvaluateError;
use crate::logical::{Comparison, Flatten, ForeachItem, TypedExpression, TypedKind};
use crate::types::PigType;
use crate::value::Value;

fn bag_type() -> PigType {
    PigType::bag(schema(vec![PigType::Int, PigType::Int]))
}

fn bag(kind: TypedKind) -> TypedExpression {
    typed(kind, bag_type())
}

/// The bag of the row, with its type.
fn items() -> TypedExpression {
    bag(TypedKind::Field { depth: 0, index: 0 })
}

fn row() -> Vec<Value> {
    let items = vec![ints(&[3, 1]), ints(&[1, 2]), Value::Null, ints(&[3, 0]), ints(&[1, 2])];
    vec![Value::Bag(items), Value::Int(2)]
}

/// The items in their order, which equality of bags does not heed.
fn in_order(expression: &TypedExpression) -> Vec<Value> {
    match value(expression, &row()) {
        Value::Bag(items) => items,
        other => panic!("{other:?} is no bag"),
    }
}

#[test]
fn filter_reads_the_tuple_and_what_is_around() {
    let condition = |left| {
        let right = Box::new(outer_field(1, 1));
        Box::new(typed(
            TypedKind::Compare { op: Comparison::Less, left: Box::new(left), right },
            PigType::Boolean,
        ))
    };
    let kept =
        in_order(&bag(TypedKind::BagFilter { bag: Box::new(items()), condition: condition(field(0)) }));
    assert_eq!(kept, [ints(&[1, 2]), ints(&[1, 2])]);
    // Null is not true.
    let kept =
        in_order(&bag(TypedKind::BagFilter { bag: Box::new(items()), condition: condition(field(5)) }));
    assert!(kept.is_empty());
}

#[test]
fn order_is_stable_and_null_is_the_smallest() {
    let order = |keys| in_order(&bag(TypedKind::BagOrder { bag: Box::new(items()), keys }));
    assert_eq!(order(vec![(field(0), false)]), {
        [Value::Null, ints(&[1, 2]), ints(&[1, 2]), ints(&[3, 1]), ints(&[3, 0])]
    });
    assert_eq!(order(vec![(field(0), true), (field(1), false)]), {
        [ints(&[3, 0]), ints(&[3, 1]), ints(&[1, 2]), ints(&[1, 2]), Value::Null]
    });
}

#[test]
fn distinct_and_limit() {
    let distinct = bag(TypedKind::BagDistinct(Box::new(items())));
    assert_eq!(in_order(&distinct), [Value::Null, ints(&[1, 2]), ints(&[3, 0]), ints(&[3, 1])]);
    let limit = |count| TypedKind::BagLimit { bag: Box::new(items()), count: Box::new(constant(count)) };
    assert_eq!(in_order(&bag(limit(Value::Long(2)))), [ints(&[3, 1]), ints(&[1, 2])]);
    assert_eq!(in_order(&bag(limit(Value::Long(99)))).len(), 5);
    assert_eq!(in_order(&bag(limit(Value::Long(0)))).len(), 0);
    for count in [Value::Null, Value::Long(-1)] {
        assert!(matches!(compute(&bag(limit(count)), &row()).0, Err(EvaluateError::Limit(_))));
    }
}

#[test]
fn cross_combines_all_tuples() {
    let two = typed(
        TypedKind::Bag(vec![constant(ints(&[7])), constant(ints(&[8]))]),
        PigType::bag(schema(vec![PigType::Int])),
    );
    let first =
        bag(TypedKind::BagLimit { bag: Box::new(items()), count: Box::new(constant(Value::Long(3))) });
    let rows = in_order(&bag(TypedKind::BagCross(vec![first, two.clone()])));
    let nulls = |last| Value::Tuple(vec![Value::Null, Value::Null, Value::Int(last)]);
    assert_eq!(
        rows,
        [ints(&[3, 1, 7]), ints(&[3, 1, 8]), ints(&[1, 2, 7]), ints(&[1, 2, 8]), nulls(7), nulls(8)]
    );
    let empty = bag(TypedKind::Bag(vec![]));
    assert!(in_order(&bag(TypedKind::BagCross(vec![two, empty]))).is_empty());
}

#[test]
fn foreach_makes_tuples_and_flattens() {
    let inner = typed(
        TypedKind::Bag(vec![
            typed(TypedKind::Tuple(vec![int(8)]), PigType::DYNAMIC),
            typed(TypedKind::Tuple(vec![outer_field(1, 1)]), PigType::DYNAMIC),
        ]),
        PigType::bag(schema(vec![PigType::Int])),
    );
    let generated = vec![
        ForeachItem { expression: field(1), flatten: None },
        ForeachItem { expression: inner, flatten: Some(Flatten { width: Some(1) }) },
    ];
    let limited =
        bag(TypedKind::BagLimit { bag: Box::new(items()), count: Box::new(constant(Value::Long(2))) });
    let made = in_order(&bag(TypedKind::BagForeach { bag: Box::new(limited), items: generated }));
    assert_eq!(made, [ints(&[1, 8]), ints(&[1, 2]), ints(&[2, 8]), ints(&[2, 2])]);
}

#[test]
fn a_null_bag_has_no_items() {
    let null = || Box::new(typed(TypedKind::Constant(Value::Null), bag_type()));
    let yes = Box::new(typed(TypedKind::Constant(Value::Boolean(true)), PigType::Boolean));
    for kind in [
        TypedKind::BagFilter { bag: null(), condition: yes },
        TypedKind::BagOrder { bag: null(), keys: vec![(field(0), false)] },
        TypedKind::BagDistinct(null()),
        TypedKind::BagLimit { bag: null(), count: Box::new(constant(Value::Long(1))) },
        TypedKind::BagCross(vec![items(), *null()]),
        TypedKind::BagForeach { bag: null(), items: vec![] },
    ] {
        assert_eq!(compute(&bag(kind.clone()), &row()), (Ok(Value::Bag(Vec::new())), 0), "{kind:?}");
    }
}
