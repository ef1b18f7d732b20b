//! Any text gives an answer: no panic, no overflow of the stack, every place within its text.

use ostracon_piglatin::{Progress, ScriptParser, parse_script, preprocess::Isolated};
use proptest::prelude::*;

const SOUP: &[&str] = &[
    "A",
    "b",
    "m",
    "FILTER",
    "FOREACH",
    "GENERATE",
    "GROUP",
    "JOIN",
    "BY",
    "LOAD",
    "AS",
    "SPLIT",
    "INTO",
    "IF",
    "CASE",
    "WHEN",
    "THEN",
    "ELSE",
    "END",
    "DEFINE",
    "RETURNS",
    "VOID",
    "IMPORT",
    "NOT",
    "IS",
    "NULL",
    "IN",
    "AND",
    "FLATTEN",
    "DUMP",
    "SET",
    "EXPLAIN",
    "ORDER",
    "CUBE",
    "ROLLUP",
    "RANK",
    "STREAM",
    "THROUGH",
    "OTHERWISE",
    "int",
    "bag",
    "map",
    "tuple",
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    ",",
    ";",
    ";",
    ":",
    "::",
    ".",
    "..",
    "#",
    "?",
    "@",
    "=",
    "=>",
    "==",
    "<",
    ">",
    "-",
    "*",
    "/",
    "%",
    "%declare",
    "%default",
    "'x'",
    "'",
    "`c`",
    "`",
    "\"",
    "--",
    "/*",
    "*/",
    "$0",
    "$p",
    "${p}",
    "\\$",
    "5",
    "5L",
    "1.5",
    "99999999999",
    "\n",
    "\n",
    "DEFINE m(p) RETURNS o { $o = ",
    "A = m(",
    "A = FOREACH B {",
    "é",
    "😀",
    "(int)",
    "USING f('x')",
    "PARALLEL 3",
    "ls",
    "fs -x",
];

fn check(text: &str) {
    let parsed = parse_script("s.pig", text);
    for found in &parsed.diagnostics {
        assert!(!found.message.is_empty());
        let length = parsed.sources.text(found.span.source).len();
        assert!(found.span.start <= found.span.end && found.span.end as usize <= length, "{found:?}");
        assert!(parsed.sources.render(found).contains("s.pig:"));
    }
    for statement in &parsed.script.statements {
        assert!(!parsed.sources.slice(statement.span).is_empty(), "{statement:?}");
    }
    let mut session = ScriptParser::new(&Isolated, &Isolated);
    if session.parse_statements("s.pig", text) == Progress::Incomplete {
        assert!(parsed.has_errors(), "incomplete, but without error: {text}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(400) })]

    #[test]
    fn any_bytes(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        check(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn any_text(text in "\\PC{0,80}") {
        check(&text);
    }

    #[test]
    fn any_tokens(words in proptest::collection::vec(proptest::sample::select(SOUP), 0..60), glue in any::<bool>()) {
        check(&words.join(if glue { "" } else { " " }));
    }

    #[test]
    fn any_part_of_a_script(from in 0usize..1000, to in 0usize..1000) {
        let script = include_str!("parse/macros.pig");
        let (from, to) = (from.min(script.len()), to.min(script.len()));
        if let Some(part) = script.get(from.min(to)..to) {
            check(part);
        }
    }
}

#[test]
fn deep_nesting_is_an_error() {
    for (open, close) in [
        ("(", ")"),
        ("{", "}"),
        ("-", ""),
        ("NOT ", ""),
        ("f(", ")"),
        ("(int)", ""),
        ("[1#", "]"),
        ("(p ? q : ", ")"),
        ("CASE WHEN p THEN ", " END"),
        ("(p, ", ")"),
        ("p + (", ")"),
        ("(tuple(", "))"),
        ("(bag{(", ")})"),
        ("{(", ")}"),
        ("p IN (", ")"),
        ("((", ""),
        ("[", ""),
        ("FLATTEN(", ")"),
    ] {
        for levels in [1_000, 20_000] {
            let text = format!("b = FOREACH a GENERATE {}p{};", open.repeat(levels), close.repeat(levels));
            let parsed = parse_script("s.pig", &text);
            assert!(parsed.has_errors(), "{levels} times {open}");
            assert_eq!(parsed.diagnostics.len(), 1, "{levels} times {open}: {:?}", parsed.diagnostics[0]);
        }
    }
    for operator in ["b = (".repeat(5000), "DUMP ".to_owned() + &"(FILTER ".repeat(5000)] {
        assert!(parse_script("s.pig", &operator).has_errors());
    }
    let types = format!("a = LOAD 'x' AS (t:{});", "(t:".repeat(5000));
    assert!(parse_script("s.pig", &types).has_errors());
}

#[test]
fn long_chains_are_an_error_and_long_lists_are_not() {
    for chain in [" + p", ".p", "#'k'", " OR p", " IS NULL"] {
        assert!(
            parse_script("s.pig", &format!("b = FOREACH a GENERATE p{};", chain.repeat(50_000))).has_errors()
        );
        let short = parse_script("s.pig", &format!("b = FOREACH a GENERATE p{};", chain.repeat(200)));
        assert_eq!(short.diagnostics, [], "{chain}");
    }
    let list = format!("b = FILTER a BY p IN ({}1);", "1,".repeat(20_000));
    assert_eq!(parse_script("s.pig", &list).diagnostics, []);
}
