//! Places, rendering, suggestions.

use ostracon_piglatin::parse_script;
use ostracon_piglatin::source::did_you_mean;
use ostracon_piglatin::source::{CallSite, Diagnostic, DiagnosticKind, Segment, SourceMap, Span};

fn rendered(text: &str) -> String {
    let parsed = parse_script("script.pig", text);
    parsed.diagnostics.iter().map(|found| parsed.sources.render(found)).collect::<Vec<_>>().join("\n")
}

#[test]
fn an_error_shows_its_line_and_its_place() {
    assert_eq!(
        rendered("A = LOAD 'x';\nB = FITLER A BY p;\n"),
        "error: invalid: found 'FITLER', expected an operator such as LOAD, FILTER or FOREACH, did you mean 'FILTER'?\n\
         script.pig:2:5\n  B = FITLER A BY p;\n      ^"
    );
}

#[test]
fn columns_count_characters_and_tabs_stay_tabs() {
    assert_eq!(
        rendered("\tÄé = LOAD \"x\";\r\n"),
        "error: invalid: strings stand in single quotes, not in double quotes, write 'x'\n\
         script.pig:1:12\n  \tÄé = LOAD \"x\";\n  \t          ^"
    );
}

#[test]
fn what_a_parameter_puts_in_does_not_shift_places() {
    let text = "%declare long 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'\nA = LOAD '$long' AS (p:itn);\n";
    assert_eq!(
        rendered(text),
        "error: invalid: found 'itn', expected a type, did you mean 'int'?\nscript.pig:2:24\n  A = LOAD '$long' AS (p:itn);\n                         ^"
    );
}

#[test]
fn an_error_in_a_value_stands_where_the_parameter_stands() {
    let text = "%declare op FITLER\nA = LOAD 'x';\nB = $op A BY p;\n";
    assert!(rendered(text).contains("script.pig:3:5\n  B = $op A BY p;\n      ^"), "{}", rendered(text));
}

#[test]
fn an_error_in_a_macro_tells_who_called() {
    let text = "DEFINE inner(r) RETURNS o {\n  $o = FILTER $r B p;\n};\n\
                DEFINE outer(r) RETURNS o { $o = inner($r); };\nA = LOAD 'x';\nB = outer(A);\n";
    assert_eq!(
        rendered(text),
        "error: invalid: found 'B', expected BY, did you mean 'BY'?\nscript.pig:2:18\n    $o = FILTER $r B p;\n                   ^\n  \
         in macro 'inner' at script.pig:4:29\n  in macro 'outer' at script.pig:6:1"
    );
}

#[test]
fn kinds_have_their_words() {
    let mut sources = SourceMap::new();
    let source = sources.add_file("f.pig", "abc");
    let span = Span { source, start: 1, end: 2 };
    for (kind, first) in [
        (DiagnosticKind::Invalid, "error: invalid: m, h"),
        (DiagnosticKind::NotFound, "error: not_found: m, h"),
        (DiagnosticKind::AlreadyExists, "error: already_exists: m, h"),
        (DiagnosticKind::Unsupported, "error: unsupported: m, h"),
        (DiagnosticKind::Warning, "warning: m, h"),
    ] {
        let mut found = Diagnostic::invalid("m", span).with_help("h");
        found.kind = kind;
        assert_eq!(sources.render(&found), format!("{first}\nf.pig:1:2\n  abc\n   ^"));
    }
}

#[test]
fn places_outside_of_every_text_do_no_harm() {
    let mut sources = SourceMap::new();
    let source = sources.add_file("f.pig", "é");
    for (start, column) in [(0, 1), (1, 1), (2, 2), (77, 2)] {
        assert_eq!(sources.position(Span { source, start, end: start }).column, column);
    }
    let elsewhere = Span { source: ostracon_piglatin::source::SourceId(9), start: 3, end: 4 };
    assert_eq!(sources.position(elsewhere).line, 1);
    assert_eq!(sources.slice(elsewhere), "");
}

#[test]
fn a_derived_text_leads_through_its_parent_to_the_file() {
    let mut sources = SourceMap::new();
    // "ab$pcd" after substitution is "abXYZcd"; of it, "Zcd" with "--" before "d" is derived.
    let plain = |at, origin| Segment { at, origin, replaced: false };
    let value = Segment { at: 2, origin: 2, replaced: true };
    let parent =
        sources.add_substituted("f", "ab$pcd", "abXYZcd", vec![plain(0, 0), value, plain(5, 4)], None);
    let at = Span { source: parent, start: 0, end: 1 };
    let call = CallSite { what: "macro 'm'".to_owned(), at };
    let segments = [plain(0, 4), Segment { at: 2, origin: 6, replaced: true }, plain(4, 6)];
    let derived = sources.add_derived(parent, "Zc--d", &segments, call);
    let columns: Vec<usize> =
        (0..5).map(|start| sources.position(Span { source: derived, start, end: start }).column).collect();
    assert_eq!(columns, [3, 5, 6, 6, 6]);
    assert_eq!(sources.back_trace(derived).len(), 1);
}

#[test]
fn near_words_are_suggested() {
    let words = ["name", "age", "agent", "total_amount", "x"];
    for (word, meant) in [
        ("agee", Some("age")),
        ("naem", Some("name")),
        ("NAME", Some("name")),
        ("total_amuont", Some("total_amount")),
        ("y", None),
        ("zzz", None),
        ("", None),
        ("name", None),
        ("totally", None),
    ] {
        assert_eq!(did_you_mean(word, words).as_deref(), meant, "{word}");
    }
}
