//! The tables, row by row.

use crate::ast::BinaryOp::{self, *};
use crate::types::PigType::{self, *};
use crate::types::*;

fn field(name: &str, ty: PigType) -> Field {
    Field::named(name, ty)
}

fn tuple(types: &[PigType]) -> PigType {
    Tuple(Some(Schema::new(types.iter().cloned().map(Field::unnamed).collect())))
}

fn bag(types: &[PigType]) -> PigType {
    PigType::bag(Schema::new(types.iter().cloned().map(Field::unnamed).collect()))
}

fn map(of: PigType) -> PigType {
    Map(Box::new(of))
}

/// One of each kind.
fn all() -> Vec<PigType> {
    vec![
        Boolean,
        Int,
        Long,
        Float,
        Double,
        BigInteger,
        BigDecimal,
        Datetime,
        Chararray,
        PigType::RAW,
        tuple(&[Int]),
        bag(&[Int]),
        map(Int),
    ]
}

/// What every cell of an operator's table says: the type of the operands, or nothing.
fn table(op: BinaryOp) -> Vec<Vec<Option<PigType>>> {
    let cell = |left: &PigType, right: &PigType| binary(op, left, right).ok().map(|chosen| chosen.operand);
    all().iter().map(|left| all().iter().map(|right| cell(left, right)).collect()).collect()
}

fn show(op: BinaryOp) -> String {
    let name = |ty: &Option<PigType>| ty.as_ref().map_or(".", type_name).to_owned();
    table(op).iter().map(|row| row.iter().map(name).collect::<Vec<_>>().join(" ") + "\n").collect()
}

#[test]
fn plus_minus_times_and_divided_by_have_one_table() {
    let expected = "\
. . . . . . . . . . . . .
. int long float double biginteger bigdecimal . . int . . .
. long long float double biginteger bigdecimal . . long . . .
. float float float double bigdecimal bigdecimal . . float . . .
. double double double double bigdecimal bigdecimal . . double . . .
. biginteger biginteger bigdecimal bigdecimal biginteger bigdecimal . . biginteger . . .
. bigdecimal bigdecimal bigdecimal bigdecimal bigdecimal bigdecimal . . bigdecimal . . .
. . . . . . . . . . . . .
. . . . . . . . . . . . .
. int long float double biginteger bigdecimal . . double . . .
. . . . . . . . . . . . .
. . . . . . . . . . . . .
. . . . . . . . . . . . .
";
    for op in [Add, Subtract, Multiply, Divide] {
        assert_eq!(show(op), expected, "{op:?}");
    }
}

#[test]
fn modulo_is_of_whole_numbers() {
    let expected = "\
. . . . . . . . . . . . .
. int long . . biginteger . . . int . . .
. long long . . biginteger . . . long . . .
. . . . . . . . . . . . .
. . . . . . . . . . . . .
. biginteger biginteger . . biginteger . . . biginteger . . .
. . . . . . . . . . . . .
. . . . . . . . . . . . .
. . . . . . . . . . . . .
. int long . . biginteger . . . . . . .
. . . . . . . . . . . . .
. . . . . . . . . . . . .
. . . . . . . . . . . . .
";
    assert_eq!(show(Modulo), expected);
}

#[test]
fn equality_takes_all_but_bags() {
    let expected = "\
boolean . . . . . . . . boolean . . .
. int long float double biginteger bigdecimal . . int . . .
. long long float double biginteger bigdecimal . . long . . .
. float float float double bigdecimal bigdecimal . . float . . .
. double double double double bigdecimal bigdecimal . . double . . .
. biginteger biginteger bigdecimal bigdecimal biginteger bigdecimal . . biginteger . . .
. bigdecimal bigdecimal bigdecimal bigdecimal bigdecimal bigdecimal . . bigdecimal . . .
. . . . . . . datetime . datetime . . .
. . . . . . . . chararray chararray . . .
boolean int long float double biginteger bigdecimal datetime chararray bytearray tuple . map
. . . . . . . . . tuple tuple . .
. . . . . . . . . . . . .
. . . . . . . . . map . . map
";
    for op in [Equal, NotEqual] {
        assert_eq!(show(op), expected, "{op:?}");
    }
}

#[test]
fn order_is_of_numbers_texts_and_datetimes() {
    for op in [Less, LessOrEqual, Greater, GreaterOrEqual] {
        for (left, row) in all().iter().zip(table(op)) {
            for (right, cell) in all().iter().zip(row) {
                let ordered = |ty: &PigType| ty.is_numeric() || matches!(ty, Chararray | Datetime);
                let same = left == right || (left.is_numeric() && right.is_numeric());
                let expected = match (left, right) {
                    (Bytearray(_), Bytearray(_)) => true,
                    (Bytearray(_), other) | (other, Bytearray(_)) => ordered(other),
                    _ => ordered(left) && same,
                };
                assert_eq!(cell.is_some(), expected, "{left:?} {op:?} {right:?}");
            }
        }
    }
}

#[test]
fn matches_is_of_texts_and_bytes_and_logic_of_booleans() {
    for left in all() {
        for right in all() {
            let text = |ty: &PigType| matches!(ty, Chararray | Bytearray(_));
            assert_eq!(binary(Matches, &left, &right).is_ok(), text(&left) && text(&right));
            let both = left == Boolean && right == Boolean;
            assert_eq!(binary(And, &left, &right).is_ok(), both);
            assert_eq!(binary(Or, &left, &right).is_ok(), both);
        }
    }
}

#[test]
fn an_empty_cell_names_operator_and_types() {
    let problem = binary(Subtract, &Datetime, &Int).unwrap_err();
    assert_eq!(problem.message, "- does not take datetime and int");
    assert_eq!(negated(&Chararray).unwrap_err().message, "- does not take chararray");
}

#[test]
fn casts_there_are() {
    let scalars = "boolean int long float double biginteger bigdecimal chararray";
    let expected = [
        (Boolean, scalars),
        (Int, scalars),
        (Long, "boolean int long float double biginteger bigdecimal datetime chararray"),
        (Float, scalars),
        (Double, scalars),
        (BigInteger, scalars),
        (BigDecimal, scalars),
        (Datetime, "int long float double biginteger bigdecimal datetime chararray"),
        (Chararray, "boolean int long float double biginteger bigdecimal datetime chararray"),
        (
            PigType::RAW,
            "boolean int long float double biginteger bigdecimal datetime chararray bytearray tuple bag map",
        ),
        (tuple(&[Int]), "tuple"),
        (bag(&[Int]), "bag"),
        (map(Int), "map"),
    ];
    for (from, to) in expected {
        let all = all();
        let castable = all.iter().filter(|to| check_cast(&from, to).is_ok()).map(type_name);
        assert_eq!(castable.collect::<Vec<_>>().join(" "), to, "{from:?}");
    }
}

#[test]
fn casts_of_structures_go_into_their_parts() {
    let problem = |from: PigType, to: PigType| check_cast(&from, &to).map_err(|problem| problem.message);
    assert_eq!(problem(bag(&[Int]), bag(&[Long])), Ok(()));
    assert_eq!(problem(bag(&[Int]), bag(&[PigType::RAW])), Err("int cannot be cast to bytearray".to_owned()));
    assert_eq!(
        problem(tuple(&[Int, Int]), tuple(&[Int])),
        Err("a tuple of width 2 cannot be cast to a tuple of width 1".to_owned())
    );
    assert_eq!(problem(tuple(&[Int]), Tuple(None)), Ok(()));
    assert_eq!(problem(Tuple(None), tuple(&[Int, Datetime])), Ok(()));
    assert_eq!(problem(map(Int), map(Long)), Ok(()));
    assert_eq!(problem(map(Int), PigType::untyped_map()), Ok(()));
    assert_eq!(problem(map(Int), map(Datetime)), Err("int cannot be cast to datetime".to_owned()));
    assert!(problem(tuple(&[bag(&[Int])]), tuple(&[bag(&[tuple(&[Int])])])).is_err());
}

#[test]
fn bytes_without_a_caster_stay_bytes() {
    let bare = Bytearray(Unknown::Raw(Caster::None));
    assert!(check_cast(&bare, &Int).unwrap_err().message.contains("int"));
    assert_eq!(check_cast(&bare, &PigType::DYNAMIC), Ok(()));
}

#[test]
fn a_cast_to_a_bare_kind_keeps_what_is_known() {
    assert_eq!(cast_result(&map(Int), &PigType::untyped_map()), map(Int));
    assert_eq!(cast_result(&tuple(&[Int]), &Tuple(None)), tuple(&[Int]));
    assert_eq!(cast_result(&PigType::RAW, &Tuple(None)), Tuple(None));
}

#[test]
fn results_of_a_choice_have_one_type() {
    let chosen = |left: &PigType, right: &PigType| either(left, right).ok();
    assert_eq!(chosen(&Int, &Double), Some(Double));
    assert_eq!(chosen(&PigType::RAW, &Chararray), Some(Chararray));
    assert_eq!(chosen(&Datetime, &PigType::DYNAMIC), Some(Datetime));
    assert_eq!(chosen(&Int, &Chararray), None);
    assert_eq!(chosen(&PigType::RAW, &tuple(&[Int])), None);
    assert_eq!(chosen(&tuple(&[Int]), &tuple(&[Long])), None);
    assert_eq!(chosen(&tuple(&[Int]), &Tuple(None)), Some(Tuple(None)));
    assert_eq!(chosen(&PigType::RAW, &PigType::DYNAMIC), Some(PigType::DYNAMIC));
    assert_eq!(chosen(&PigType::RAW, &PigType::RAW), Some(PigType::RAW));
    assert!(either(&Int, &Chararray).unwrap_err().message.contains("int and chararray"));
    let problem = either(&tuple(&[Int]), &tuple(&[Long])).unwrap_err();
    assert_eq!(problem.message, "the results are of type tuple (int) and tuple (long)");
    assert_eq!(chosen(&map(Int), &map(Int)), Some(map(Int)));
    assert_eq!(chosen(&map(Int), &PigType::untyped_map()), Some(PigType::untyped_map()));
    assert_eq!(chosen(&map(Int), &map(Chararray)), None);
}

#[test]
fn columns_of_a_union_are_wide_enough_for_both() {
    let merged = |left: &PigType, right: &PigType| merge_union(left, right).ok();
    assert_eq!(merged(&Int, &Float), Some(Float));
    assert_eq!(merged(&PigType::RAW, &tuple(&[Int])), Some(tuple(&[Int])));
    assert_eq!(merged(&Long, &Chararray), None);
    assert_eq!(merged(&tuple(&[Int]), &tuple(&[Long])), Some(Tuple(None)));
    assert_eq!(merged(&bag(&[Int]), &bag(&[Int])), Some(bag(&[Int])));
    assert_eq!(merged(&tuple(&[Int]), &bag(&[Int])), None);
    let left = Schema::new(vec![field("a", Int), Field::unnamed(PigType::RAW)]);
    let right = Schema::new(vec![field("b", Long), field("a", Chararray)]);
    let both = Schema::new(vec![field("a", Long), Field::unnamed(Chararray)]);
    assert_eq!(merge_schemas(&left, &right), Ok(both));
}

#[test]
fn keys_meet_in_one_type() {
    let merged = |left: &PigType, right: &PigType| merge_keys(left, right).ok();
    assert_eq!(merged(&Int, &Long), Some(Long));
    assert_eq!(merged(&PigType::RAW, &Int), Some(Int));
    assert_eq!(merged(&tuple(&[Int]), &tuple(&[Int])), Some(tuple(&[Int])));
    assert_eq!(merged(&Int, &Chararray), None);
    let problem = merge_keys(&tuple(&[Int]), &tuple(&[Int, Long])).unwrap_err();
    assert_eq!(problem.message, "the keys are tuple (int) and tuple (int,long)");
}

#[test]
fn names_are_found_whole_or_by_their_end() {
    let schema = Schema::new(vec![
        field("A::id", Int),
        field("A::name", Chararray),
        field("J::B::id", Int),
        field("J::B::age", Int),
        field("age", Int),
    ]);
    assert_eq!(schema.find("A::id"), Ok(0));
    assert_eq!(schema.find("name"), Ok(1));
    assert_eq!(schema.find("B::id"), Ok(2));
    assert_eq!(schema.find("age"), Ok(4), "the whole name goes before an end");
    let Err(NameProblem::Ambiguous(problem)) = schema.find("id") else { panic!("id is in it twice") };
    assert_eq!(problem.message, "id may be A::id or J::B::id");
    let Err(NameProblem::Absent(problem)) = schema.find("nam") else { panic!("nam is not in it") };
    assert_eq!(problem.help.as_deref(), Some("did you mean name?"));
    assert!(schema.find("e").is_err(), "a name ends behind ::");
}

#[test]
fn equal_names_are_ambiguous() {
    let schema = Schema::new(vec![field("x", Int), field("x", Int)]);
    assert!(matches!(schema.find("x"), Err(NameProblem::Ambiguous(_))));
}

#[test]
fn descriptions_are_those_of_pig() {
    let schema = Schema::new(vec![
        field("a", Int),
        field("t", Tuple(Some(Schema::new(vec![field("x", Int), Field::unnamed(PigType::RAW)])))),
        field("b", Bag { tuple_name: Some("t".into()), fields: Some(Schema::new(vec![field("n", Int)])) }),
        field("c", bag(&[Int])),
        field("m", map(Int)),
        field("g", PigType::untyped_map()),
        field("h", map(tuple(&[Int]))),
        field("f", Bag { tuple_name: None, fields: None }),
        field("u", Tuple(None)),
        Field::unnamed(Long),
    ]);
    assert_eq!(
        describe("A", Some(&schema)),
        "A: {a: int,t: (x: int,bytearray),b: {t: (n: int)},c: {(int)},m: map[int],g: map[],h: map[(int)],f: {()},u: (),long}"
    );
    assert_eq!(describe("A", None), "Schema for A unknown.");
    assert_eq!(describe("A", Some(&Schema::default())), "A: {}");
}

#[test]
fn shapes_leave_names_out() {
    let named = Tuple(Some(Schema::new(vec![field("x", Int)])));
    assert_ne!(named, tuple(&[Int]));
    assert!(named.same_shape(&tuple(&[Int])));
    assert!(!named.same_shape(&Tuple(None)));
    assert!(!named.same_shape(&tuple(&[Long])));
}
