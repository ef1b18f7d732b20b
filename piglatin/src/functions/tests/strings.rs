use super::{check, check_warned, int, text, type_of};
use crate::functions::FunctionRegistry;
use crate::types::PigType;
use crate::value::Value;

#[test]
fn case_and_blanks() {
    check(&[
        ("UPPER", vec![text("straße")], "STRASSE"),
        ("LOWER", vec![text("MiXeD")], "mixed"),
        ("UCFIRST", vec![text("éa")], "Éa"),
        ("UCFIRST", vec![text("ßa")], "ßa"),
        ("UCFIRST", vec![text("")], ""),
        ("LCFIRST", vec![text("Hello World")], "hello World"),
        ("TRIM", vec![text(" \t\u{1}x y\n")], "x y"),
        // As in Java, a no-break space is no blank.
        ("TRIM", vec![text("\u{a0}x")], "\u{a0}x"),
        ("LTRIM", vec![text("  x ")], "x "),
        ("LTRIM", vec![text(" \tx")], "\tx"),
        ("RTRIM", vec![text("  x ")], "  x"),
        ("UPPER", vec![Value::Bytearray("ab".into())], "AB"),
        ("UPPER", vec![Value::Null], "null"),
    ]);
}

#[test]
fn substrings_count_utf16_units() {
    check(&[
        ("SUBSTRING", vec![text("banana"), int(1), int(4)], "ana"),
        ("SUBSTRING", vec![text("banana"), int(4), int(99)], "na"),
        ("SUBSTRING", vec![text("banana"), int(6), int(6)], ""),
        ("SUBSTRING", vec![text("héé"), int(1), int(2)], "é"),
        ("SUBSTRING", vec![text("a😀b"), int(1), int(3)], "😀"),
        ("SUBSTRING", vec![text("a😀b"), int(3), int(4)], "b"),
        ("SUBSTRING", vec![Value::Null, int(3), int(4)], "null"),
    ]);
    check_warned(&[
        ("SUBSTRING", vec![text("banana"), int(-1), int(4)]),
        ("SUBSTRING", vec![text("banana"), int(3), int(2)]),
        ("SUBSTRING", vec![text("banana"), int(7), int(9)]),
        ("SUBSTRING", vec![text("banana"), int(0), int(-1)]),
    ]);
}

#[test]
fn places_count_utf16_units() {
    check(&[
        ("INDEXOF", vec![text("banana"), text("an")], "1"),
        ("INDEXOF", vec![text("banana"), text("an"), int(2)], "3"),
        ("INDEXOF", vec![text("banana"), text("an"), int(-5)], "1"),
        ("INDEXOF", vec![text("banana"), text("an"), int(99)], "-1"),
        ("INDEXOF", vec![text("banana"), text(""), int(99)], "6"),
        ("INDEXOF", vec![text("😀😀b"), text("b"), int(1)], "4"),
        ("INDEXOF", vec![text("😀😀b"), text("😀"), int(1)], "2"),
        ("LAST_INDEX_OF", vec![text("banana"), text("an")], "3"),
        ("LAST_INDEX_OF", vec![text("😀b"), text("b")], "2"),
        ("LAST_INDEX_OF", vec![text("banana"), text("x")], "-1"),
        ("INDEXOF", vec![text("banana"), Value::Null], "null"),
    ]);
}

#[test]
fn tests_of_texts() {
    check(&[
        ("STARTSWITH", vec![text("banana"), text("ban")], "true"),
        ("ENDSWITH", vec![text("banana"), text("ban")], "false"),
        ("EqualsIgnoreCase", vec![text("bÄn"), text("BäN")], "true"),
        ("EqualsIgnoreCase", vec![text("ban"), text("bana")], "false"),
        ("STARTSWITH", vec![text("banana"), Value::Null], "null"),
        ("UniqueID", vec![], "0-1"),
    ]);
}

#[test]
fn tokens_are_split_at_a_set_of_letters() {
    check(&[
        ("TOKENIZE", vec![text("the (quick), \"brown\"*fox jumps")], "{(the),(quick),(brown),(fox),(jumps)}"),
        ("TOKENIZE", vec![text("a\tb\nc d")], "{(a\tb\nc),(d)}"),
        ("TOKENIZE", vec![text("a-b_c"), text("-_")], "{(a),(b),(c)}"),
        ("TOKENIZE", vec![text("a b"), text("")], "{(a b)}"),
        ("TOKENIZE", vec![text(" ,")], "{}"),
        ("TOKENIZE", vec![Value::Null], "null"),
    ]);
}

#[test]
fn concat_joins_texts_or_bytes() {
    let bytes = |value: &str| Value::Bytearray(value.into());
    check(&[
        ("CONCAT", vec![text("a"), text("b"), text("c")], "abc"),
        ("CONCAT", vec![text("a"), bytes("b")], "ab"),
        ("CONCAT", vec![bytes("a"), bytes("b")], "ab"),
        ("CONCAT", vec![text("a"), Value::Null], "null"),
    ]);
    let concat = FunctionRegistry::default().create("CONCAT", &[]).unwrap();
    let result = |types: &[PigType]| concat.resolve(types).map(|resolved| resolved.result);
    let chararray = type_of(&text(""));
    assert_eq!(result(&[PigType::RAW, chararray.clone()]), Ok(PigType::Chararray));
    assert_eq!(result(&[PigType::RAW, PigType::RAW, PigType::RAW]), Ok(PigType::RAW));
    assert_eq!(result(&[PigType::RAW, PigType::DYNAMIC]), Ok(PigType::DYNAMIC));
    assert!(result(std::slice::from_ref(&chararray)).is_err());
    assert!(
        result(&[chararray, PigType::Int]).unwrap_err().contains("(chararray, chararray, chararray ...)")
    );
}
