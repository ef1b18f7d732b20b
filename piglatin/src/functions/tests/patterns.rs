use super::{check, check_warned, int, text};
use crate::functions::FunctionRegistry;
use crate::value::Value;
use crate::value::testing::Recorder;

fn texts(values: &[&str]) -> Vec<Value> {
    values.iter().map(|value| text(value)).collect()
}

fn with_int(values: &[&str], number: i32) -> Vec<Value> {
    let mut arguments = texts(values);
    arguments.push(int(number));
    arguments
}

#[test]
fn groups_are_extracted() {
    let line = "key=val;n=42";
    check(&[
        ("REGEX_EXTRACT", with_int(&[line, "(\\w+)=(\\w+)"], 2), "val"),
        ("REGEX_EXTRACT", with_int(&[line, "n=(\\d+)"], 1), "42"),
        ("REGEX_EXTRACT", with_int(&[line, "n=(\\d+)"], 0), "n=42"),
        ("REGEX_EXTRACT", with_int(&["nothing", "n=(\\d+)"], 1), "null"),
        ("REGEX_EXTRACT", with_int(&["b", "(a)?b"], 1), "null"),
        ("REGEX_EXTRACT_ALL", texts(&[line, "(\\w+)=(\\w+);n=(\\d+)"]), "(key,val,42)"),
        ("REGEX_EXTRACT_ALL", texts(&[line, "(\\w+)=(\\w+)"]), "null"),
        ("REGEX_EXTRACT_ALL", texts(&["b", "(a)?(b)"]), "(,b)"),
        ("REGEX_SEARCH", texts(&["a1b22", "(\\d+)"]), "{(1),(22)}"),
        ("REGEX_SEARCH", texts(&["ab", "(\\d+)"]), "null"),
        ("REGEX_EXTRACT_ALL", vec![Value::Null, text("(a)")], "null"),
    ]);
    check_warned(&[
        ("REGEX_EXTRACT", with_int(&[line, "(\\w+)"], 2)),
        ("REGEX_EXTRACT", with_int(&[line, "(\\w+)"], -1)),
        ("REGEX_SEARCH", texts(&["ab", "a"])),
    ]);
}

#[test]
fn constructors_choose_whole_or_part() {
    let registry = FunctionRegistry::default();
    let mut context = Recorder::default();
    let part = registry.create("REGEX_EXTRACT_ALL", &["false".to_owned()]).unwrap();
    let value = part.exec(&texts(&["xab", "(a)(b)"]), &mut context).unwrap();
    assert_eq!(super::shown(&value), "(a,b)");
    let whole = registry.create("REGEX_EXTRACT", &["true".to_owned()]).unwrap();
    let value = whole.exec(&with_int(&["xab", "(a)(b)"], 1), &mut context).unwrap();
    assert_eq!(super::shown(&value), "null");
    assert!(registry.create("REGEX_EXTRACT", &["maybe".to_owned()]).is_err());
}

#[test]
fn matches_are_replaced() {
    check(&[
        ("REPLACE", texts(&["banana", "a", "o"]), "bonono"),
        ("REPLACE", texts(&["banana", "[bn]", ""]), "aaa"),
        ("REPLACE", texts(&["banana", "(a)(n)", "$2$1"]), "bnanaa"),
        ("REPLACE", texts(&["a.b", "\\.", "\\$"]), "a$b"),
        ("REPLACE", texts(&["ab", "", "-"]), "-a-b-"),
        ("REPLACE", vec![text("ab"), text("a"), Value::Null], "null"),
    ]);
    check_warned(&[("REPLACE", texts(&["banana", "(", "o"])), ("REPLACE", texts(&["banana", "a", "$1"]))]);
}

#[test]
fn texts_are_split_as_java_does() {
    check(&[
        ("STRSPLIT", with_int(&["boo:and:foo", ":"], 2), "(boo,and:foo)"),
        ("STRSPLIT", with_int(&["boo:and:foo", ":"], 5), "(boo,and,foo)"),
        ("STRSPLIT", with_int(&["boo:and:foo", ":"], -2), "(boo,and,foo)"),
        ("STRSPLIT", with_int(&["boo:and:foo", "o"], 5), "(b,,:and:f,,)"),
        ("STRSPLIT", with_int(&["boo:and:foo", "o"], -2), "(b,,:and:f,,)"),
        ("STRSPLIT", with_int(&["boo:and:foo", "o"], 0), "(b,,:and:f)"),
        ("STRSPLIT", texts(&["a b\tc"]), "(a,b,c)"),
        ("STRSPLIT", texts(&["abc", ""]), "(a,b,c)"),
        ("STRSPLIT", texts(&["", ","]), "()"),
        ("STRSPLIT", texts(&[",a", ","]), "(,a)"),
        ("STRSPLIT", texts(&[",", ","]), "()"),
        ("STRSPLIT", with_int(&["a,b", ","], 1), "(a,b)"),
        ("STRSPLITTOBAG", texts(&["a:b", ":"]), "{(a),(b)}"),
        ("STRSPLITTOBAG", texts(&[",", ","]), "{}"),
        ("STRSPLIT", vec![text("a"), Value::Null], "null"),
    ]);
    check_warned(&[("STRSPLIT", texts(&["a", "["]))]);
}

#[test]
fn constant_patterns_are_checked_before_the_run() {
    let registry = FunctionRegistry::default();
    let patterned =
        ["REGEX_EXTRACT", "REGEX_EXTRACT_ALL", "REGEX_SEARCH", "REPLACE", "STRSPLIT", "STRSPLITTOBAG"];
    for name in patterned {
        let function = registry.create(name, &[]).unwrap();
        assert!(function.check_constants(&[None, Some(text("("))]).is_err(), "{name}");
        assert!(function.check_constants(&[None, Some(text("(?=a)"))]).is_err(), "{name}");
        assert_eq!(function.check_constants(&[None, Some(text("(a)"))]), Ok(()), "{name}");
        assert_eq!(function.check_constants(&[Some(text("(")), None]), Ok(()), "{name}");
    }
    let to_date = registry.create("ToDate", &[]).unwrap();
    assert!(to_date.check_constants(&[None, Some(text("bb"))]).is_err());
    assert!(to_date.check_constants(&[None, Some(text("yyyy")), Some(text("Mars"))]).is_err());
    assert_eq!(to_date.check_constants(&[None, Some(text("yyyy")), Some(text("UTC"))]), Ok(()));
    let to_string = registry.create("ToString", &[]).unwrap();
    assert!(to_string.check_constants(&[None, Some(text("bb"))]).is_err());
}

#[test]
fn patterns_that_only_java_can_match_end_the_run() {
    let registry = FunctionRegistry::default();
    let mut context = Recorder::default();
    for (name, pattern) in [("REPLACE", "(?=a)"), ("STRSPLIT", "(?=a)"), ("REGEX_EXTRACT_ALL", "(")] {
        let mut arguments = texts(&["a", pattern]);
        if name == "REPLACE" {
            arguments.push(text(""));
        }
        let function = registry.create(name, &[]).unwrap();
        let error = function.exec(&arguments, &mut context).unwrap_err();
        assert!(error.to_string().starts_with(&format!("{name}: ")), "{error}");
    }
    assert_eq!(context.warnings, []);
}

#[test]
fn a_pattern_of_each_row_is_matched_too() {
    let function = FunctionRegistry::default().create("REGEX_EXTRACT", &[]).unwrap();
    let mut context = Recorder::default();
    for round in 0..3 {
        for letter in 'a'..='z' {
            let arguments = with_int(&["abcdefghijklmnopqrstuvwxyz", &format!("({letter})")], 1);
            let value = function.exec(&arguments, &mut context).unwrap();
            assert_eq!(super::shown(&value), letter.to_string(), "{round}");
        }
    }
}
