//! Every `tests/check/*.pig` and what it means, in the `.expected` file beside it: what is told, then a line a relation,
//! then a line a step. `OSTRACON_REWRITE=1` writes the expected files anew; review the difference.

mod support;

use std::fs;
use std::path::Path;

use ostracon_piglatin::check::{Checker, check};
use ostracon_piglatin::parse_script;
use ostracon_piglatin::source::DiagnosticKind;
use support::environment::Files;

fn show(name: &str, text: &str) -> String {
    let parsed = parse_script(name, text);
    let environment = Files::new();
    let checked = check(&parsed.script, &environment, Vec::new());
    let mut out =
        support::diagnostics(parsed.diagnostics.iter().chain(&checked.diagnostics), &parsed.sources);
    // Of a script with a fault nothing is run.
    if checked.diagnostics.iter().all(|told| told.kind == DiagnosticKind::Warning) {
        out += &support::plan::plan(&checked.plan);
        assert_eq!(support::contract::keeps(&checked.plan), Ok(()), "{name}");
    }
    out
}

#[test]
fn every_script_of_the_corpus_means_what_is_written_beside_it() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/check");
    let mut scripts: Vec<_> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    scripts.retain(|path| path.extension().is_some_and(|extension| extension == "pig"));
    scripts.sort();
    assert!(scripts.len() >= 10, "{} scripts in {}", scripts.len(), folder.display());
    for path in scripts {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let found = show(&name, &fs::read_to_string(&path).unwrap());
        let beside = path.with_extension("expected");
        if std::env::var_os("OSTRACON_REWRITE").is_some() {
            fs::write(&beside, &found).unwrap();
        }
        let expected = fs::read_to_string(&beside).unwrap_or_default();
        assert_eq!(found, expected, "{name}");
    }
}

fn told(text: &str) -> String {
    let parsed = parse_script("s.pig", text);
    let checked = check(&parsed.script, &Files::new(), Vec::new());
    support::diagnostics(parsed.diagnostics.iter().chain(&checked.diagnostics), &parsed.sources)
}

#[test]
fn long_lists_are_checked_within_a_small_stack() {
    let items: Vec<String> = (0..20_000).map(|n| n.to_string()).collect();
    let list = format!("a = LOAD 'f' AS (n:int); b = FILTER a BY n IN ({});", items.join(", "));
    assert_eq!(told(&list), "");
    let whens: String = (0..20_000).map(|n| format!("WHEN {n} THEN {n} ")).collect();
    let case = format!("a = LOAD 'f' AS (n:int); b = FOREACH a GENERATE CASE n {whens} END;");
    assert_eq!(
        told(&case),
        "invalid s.pig:1:49 CASE has more than 1000 branches | join with a relation of the values\n"
    );
}

#[test]
fn cases_within_cases_count_together() {
    let whens: String = (0..600).map(|n| format!("WHEN {n} THEN {n} ")).collect();
    let text = format!(
        "a = LOAD 'f' AS (n:int); b = FOREACH a GENERATE CASE n {whens} ELSE (CASE n {whens} END) END;"
    );
    assert!(told(&text).contains("CASE has more than 1000 branches"));
    let text =
        format!("a = LOAD 'f' AS (n:int); b = FOREACH a GENERATE CASE n {whens} END, CASE n {whens} END;");
    assert_eq!(told(&text), "");
}

#[test]
fn those_who_use_what_could_not_be_read_are_not_told() {
    let parsed = parse_script(
        "s.pig",
        "x = FILTER q BY f(n); y = FOREACH (LOAD 'f' AS (n:int)) GENERATE q.n, f(n); z = LOAD 'f' USING f(); \
         v = STREAM z THROUGH q; w = STREAM (LOAD 'f') THROUGH q; STORE (LOAD 'f') INTO 'x' USING f();",
    );
    assert!(!parsed.has_errors());
    let checked = check(&parsed.script, &Files::new(), vec!["q".to_owned(), "f".to_owned()]);
    assert_eq!(support::diagnostics(&checked.diagnostics, &parsed.sources), "");
}

/// A shell checks one statement after another, and asks what is new.
#[test]
fn a_checker_keeps_relations_from_statement_to_statement() {
    let environment = Files::new();
    let mut checker = Checker::new(&environment);
    let mut sources = Vec::new();
    for (text, expected) in [
        ("a = LOAD 'f' AS (n:int);", 0),
        ("b = FILTER a BY m > 1; DUMP b;", 1),
        ("DUMP b;", 1),
        ("b = FILTER a BY n > 1; DUMP b;", 0),
        ("b = FILTER b BY m > 1; c = LIMIT b 1;", 1),
        ("DUMP c;", 1),
        ("DUMP @;", 1),
        ("DEFINE f Nothing(); d = FOREACH b GENERATE f(n);", 1),
        ("d = FOREACH b GENERATE f(n);", 1),
        ("ASSERT b BY n;", 1),
        ("DUMP b;", 0),
    ] {
        let parsed = parse_script("<input>", text);
        parsed.script.statements.iter().for_each(|statement| checker.statement(statement));
        assert_eq!(checker.take_diagnostics().len(), expected, "{text}");
        sources.push(parsed.sources);
    }
    assert_eq!(checker.aliases().collect::<Vec<_>>(), ["a", "b"]);
    assert_eq!(support::plan::plan(checker.plan()).lines().last(), Some("dump 2"));
}
