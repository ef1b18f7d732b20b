use super::{bag, check, check_warned, double, int, map, text, tuple, type_of};
use crate::functions::FunctionRegistry;
use crate::types::{Field, PigType, Schema};
use crate::value::Value;
use crate::value::testing::Recorder;

fn result(name: &str, arguments: &[PigType]) -> PigType {
    FunctionRegistry::default().create(name, &[]).unwrap().resolve(arguments).unwrap().result
}

#[test]
fn bags_are_taken_apart() {
    let pairs = Value::Bag(vec![tuple(&[text("a"), text("b")]), tuple(&[text("c"), Value::Null])]);
    check(&[
        ("BagToString", vec![bag(&[int(1)]), text("_")], "1"),
        ("BagToString", vec![pairs.clone()], "a_b_c_null"),
        ("BagToString", vec![bag(&[text("a"), text("b")]), text("+")], "a+b"),
        ("BagToString", vec![Value::Null], "null"),
        ("BagToTuple", vec![pairs], "(a,b,c,)"),
        ("BagToTuple", vec![Value::Bag(vec![])], "()"),
        ("IsEmpty", vec![Value::Bag(vec![])], "true"),
        ("IsEmpty", vec![map(&[("k", int(1))])], "false"),
    ]);
    assert_eq!(result("BagToTuple", &[type_of(&bag(&[int(1)]))]), PigType::Tuple(None));
}

#[test]
fn differences_of_bags() {
    let (left, right) = (bag(&[int(1), int(2), int(2)]), bag(&[int(2), int(3)]));
    check(&[
        ("DIFF", vec![left.clone(), right.clone()], "{(1),(3)}"),
        ("DIFF", vec![left.clone(), left.clone()], "{}"),
        ("DIFF", vec![int(1), int(2)], "{(1),(2)}"),
        ("DIFF", vec![int(1), int(1)], "{}"),
        ("SUBTRACT", vec![left.clone(), right.clone()], "{(1)}"),
        ("SUBTRACT", vec![left.clone(), Value::Null], "{(1),(2)}"),
        ("SUBTRACT", vec![Value::Null, right.clone()], "{}"),
    ]);
    assert_eq!(result("DIFF", &[type_of(&left), type_of(&right)]), type_of(&left));
    assert_eq!(result("SUBTRACT", &[type_of(&left), type_of(&right)]), type_of(&left));
}

#[test]
fn tuples_and_bags_are_made_with_types() {
    let one = PigType::Tuple(Some(Schema::new(vec![Field::named("x", PigType::Int)])));
    check(&[
        ("TOTUPLE", vec![int(1), text("a"), Value::Null], "(1,a,)"),
        ("TOTUPLE", vec![], "()"),
        ("TOBAG", vec![int(1), int(2)], "{(1),(2)}"),
        ("TOBAG", vec![tuple(&[int(1), int(2)]), int(3)], "{(1,2),(3)}"),
    ]);
    assert_eq!(result("TOBAG", &[PigType::Int, PigType::Int]), type_of(&bag(&[int(1)])));
    let unknown = PigType::Bag { tuple_name: None, fields: None };
    assert_eq!(result("TOBAG", &[PigType::Int, PigType::Long]), unknown);
    assert_eq!(
        result("TOBAG", &[one.clone(), one.clone()]),
        PigType::bag(Schema::new(vec![Field::named("x", PigType::Int)]))
    );
    let other = PigType::Tuple(Some(Schema::new(vec![Field::named("y", PigType::Int)])));
    assert_eq!(result("TOBAG", &[one.clone(), other]), type_of(&bag(&[int(1)])));
    assert_eq!(
        result("TOTUPLE", &[PigType::Int, PigType::RAW]),
        PigType::Tuple(Some(Schema::new(vec![Field::unnamed(PigType::Int), Field::unnamed(PigType::RAW)])))
    );
}

#[test]
fn a_null_tuple_stays_null_in_a_bag_of_tuples() {
    let ty = type_of(&tuple(&[int(1), int(2)]));
    let function = FunctionRegistry::default().create("TOBAG", &[]).unwrap();
    let bound = function.bind(&[Field::unnamed(ty.clone()), Field::unnamed(ty.clone())]).unwrap().unwrap();
    let value = bound.exec(&[tuple(&[int(1), int(2)]), Value::Null], &mut Recorder::default()).unwrap();
    assert!(
        matches!(&value, Value::Bag(items) if matches!(items.as_slice(), [Value::Tuple(_), Value::Null]))
    );
    assert!(function.bind(&[Field::unnamed(ty), Field::unnamed(PigType::Int)]).unwrap().is_none());
    check(&[("TOBAG", vec![Value::Null, int(1)], "{(),(1)}")]);
}

#[test]
fn fields_are_plucked_by_their_names() {
    let names = ["a::x", "a::y", "b::x", "b::y"];
    let fields: Vec<Field> = names.iter().map(|name| Field::named(*name, PigType::Int)).collect();
    let values: Vec<Value> = (1..=4).map(int).collect();
    let plucked = |constructor: &[&str]| {
        let constructor: Vec<String> = constructor.iter().map(|text| (*text).to_owned()).collect();
        let function = FunctionRegistry::default().create("PluckTuple", &constructor).unwrap();
        assert!(function.resolve(&[PigType::Int]).is_err());
        let bound = function.bind(&fields).unwrap().unwrap();
        let types: Vec<PigType> = fields.iter().map(|field| field.ty.clone()).collect();
        let PigType::Tuple(Some(schema)) = bound.resolve(&types).unwrap().result else { panic!() };
        let names: Vec<String> = schema.fields.into_iter().filter_map(|field| field.name).collect();
        let value = bound.exec(&values, &mut Recorder::default()).unwrap();
        format!("{} {}", names.join(","), super::shown(&value))
    };
    assert_eq!(plucked(&["a::"]), "a::x,a::y (1,2)");
    assert_eq!(plucked(&[".*::y"]), "a::y,b::y (2,4)");
    assert_eq!(plucked(&["a::", "false"]), "b::x,b::y (3,4)");
    assert_eq!(plucked(&["c"]), " ()");
    assert!(FunctionRegistry::default().create("PluckTuple", &[]).is_err());
    assert!(FunctionRegistry::default().create("PluckTuple", &["(".to_owned()]).is_err());
}

#[test]
fn maps_are_typed_if_all_values_have_one_type() {
    let pairs = Value::Bag(vec![tuple(&[text("a"), int(1)]), tuple(&[text("b"), int(2)])]);
    check(&[
        ("TOMAP", vec![text("a"), int(2)], "[a#2]"),
        ("TOMAP", vec![text("a"), int(2), text("b"), text("x")], "[a#2,b#x]"),
        ("TOMAP", vec![Value::Null, int(2)], "[]"),
        ("TOMAP", vec![Value::Bytearray("k".into()), int(2)], "[k#2]"),
        ("TOMAP", vec![pairs], "[a#1,b#2]"),
    ]);
    let map_of = |ty: PigType| PigType::Map(Box::new(ty));
    let text = PigType::Chararray;
    assert_eq!(result("TOMAP", &[text.clone(), PigType::Int]), map_of(PigType::Int));
    assert_eq!(result("TOMAP", &[text.clone(), PigType::RAW]), PigType::untyped_map());
    let mixed = [text.clone(), PigType::Int, text.clone(), PigType::Long];
    assert_eq!(result("TOMAP", &mixed), PigType::untyped_map());
    let to_map = FunctionRegistry::default().create("TOMAP", &[]).unwrap();
    assert!(to_map.resolve(&[text.clone(), PigType::Int, text]).is_err());
    assert!(to_map.resolve(&[PigType::Int, PigType::Int]).is_err());
}

#[test]
fn maps_are_taken_apart() {
    let m = map(&[("a", int(1)), ("b", int(2)), ("c", int(1))]);
    check(&[
        ("KEYSET", vec![m.clone()], "{(a),(b),(c)}"),
        ("VALUELIST", vec![m.clone()], "{(1),(2),(1)}"),
        ("VALUESET", vec![m.clone()], "{(1),(2)}"),
        ("INVERSEMAP", vec![m.clone()], "[1#{(a),(c)},2#{(b)}]"),
        ("KEYSET", vec![Value::Null], "null"),
    ]);
    check_warned(&[("INVERSEMAP", vec![map(&[("a", tuple(&[int(1)]))])])]);
    assert_eq!(result("VALUESET", &[type_of(&m)]), type_of(&bag(&[int(1)])));
}

#[test]
fn sizes() {
    check(&[
        ("SIZE", vec![text("héé")], "3"),
        ("SIZE", vec![text("a😀")], "3"),
        ("SIZE", vec![Value::Bytearray("héé".into())], "5"),
        ("SIZE", vec![tuple(&[int(1), int(2), int(3)])], "3"),
        ("SIZE", vec![map(&[("a", int(1))])], "1"),
        ("SIZE", vec![double(12345.0)], "1"),
        ("SIZE", vec![Value::Null], "null"),
    ]);
}
