use proptest::prelude::*;

use super::{Matcher, MatcherCache, PatternProblem, Replacement};

fn matches(pattern: &str, text: &str) -> bool {
    Matcher::new(pattern).unwrap_or_else(|problem| panic!("{pattern}: {problem}")).matches(text)
}

#[test]
fn the_whole_value_must_match() {
    for (pattern, text, answer) in [
        ("apple", "apple", true),
        ("apple", "pineapple", false),
        ("apple", "apples", false),
        (".*apple.?", "pineapples", true),
        ("a|ab", "ab", true),
        ("a|b", "ab", false),
        ("", "", true),
        ("^a$", "a", true),
        ("a.c", "a\nc", false),
        ("a.c", "a\rc", false),
        ("a.c", "a\u{2028}c", false),
        ("(?s)a.c", "a\nc", true),
        ("a(?s:.)c.", "a\nc\n", false),
        ("(?d)a.c", "a\rc", true),
        ("(?i)AB", "ab", true),
        ("(?i:A)B", "aB", true),
        ("(?i:A)B", "ab", false),
        ("((?i)a)b", "AB", false),
        ("a{2,3}?", "aaa", true),
        ("h.llo", "héllo", true),
        ("\\d+", "١٢", false),
        ("(?U)\\d+", "١٢", true),
        ("\\w+", "naïve", false),
        ("[\\w-]+", "a-b", true),
        ("\\s\\S\\D\\W", " ab!", true),
        ("\\h+", " \t\u{3000}", true),
        ("\\v\\R\\R", "\u{85}\r\n\n", true),
        ("\\H\\V", "ab", true),
        ("\\Qa.b*\\E+", "a.b**", true),
        ("\\Qa.b", "a.b", true),
        ("\\Q\\E", "", true),
        ("\\x41\\u0042\\x{43}\\0104\\cA\\t\\e", "ABCD\u{1}\t\u{1b}", true),
        ("\\uD83D\\uDE00", "😀", true),
        ("\\.\\*\\-\\#\\ \\<\\é", ".*-# <é", true),
        ("a]}", "a]}", true),
        ("(?<year>\\d{4})", "2020", true),
        ("a-#&~", "a-#&~", true),
    ] {
        assert_eq!(matches(pattern, text), answer, "{pattern} on {text:?}");
    }
}

#[test]
fn classes_are_those_of_java() {
    for (pattern, yes, no) in [
        ("[a-c]", "abc", "dA-"),
        ("[^a-c]", "d^\n", "abc"),
        ("[]a]", "]a", "[b"),
        ("[^]a]", "b[", "]a"),
        ("[a-]", "a-", "b"),
        ("[-a]", "a-", "b"),
        ("[a&&b-]", "", "ab-"),
        ("[a-z&&[^bc]]", "adz", "bcA"),
        ("[a-z&&[def]]", "def", "ag"),
        ("[a-c[x-z]]", "abxyz", "dw"),
        ("[\\d\\-.]", "0-.", "a"),
        ("[a~~b]", "a~b", "c"),
        ("[a--b]", "", ""),
        ("[#&]", "#&", "a"),
        ("[\\[\\]\\\\]", "[]\\", "a"),
        ("[\\t\\x41\\u00e9]", "\tAé", "e"),
        ("[^\\s]", "a", " \n"),
        ("[\\w&&[^\\d]]", "a_", "1-"),
        ("\\p{Alpha}", "aZ", "é1"),
        ("\\P{Alpha}", "é1", "aZ"),
        ("[\\p{Punct}&&[^!]]", "[`~/", "!a"),
        ("\\p{Lu}", "AÉ", "a"),
        ("\\pL", "Aé", "1"),
        ("\\p{IsLatin}", "aé", "я"),
        ("\\p{IsAlphabetic}", "aя", "1"),
        ("\\p{script=Greek}", "α", "a"),
        ("\\p{javaUpperCase}", "AÉ", "a"),
        ("[^\\P{L}]", "aé", "1"),
    ] {
        if pattern == "[a--b]" {
            // From 'a' down to '-': an empty range in Java too.
            assert!(matches!(Matcher::new(pattern), Err(PatternProblem::Invalid(_))));
            continue;
        }
        for (texts, answer) in [(yes, true), (no, false)] {
            for letter in texts.chars() {
                assert_eq!(matches(pattern, &letter.to_string()), answer, "{pattern} on {letter:?}");
            }
        }
    }
}

#[test]
fn what_only_java_can_do_is_refused_by_name() {
    for (pattern, construct) in [
        ("a(?=b)", "look-ahead"),
        ("a(?!b)", "look-ahead"),
        ("(?<=a)b", "look-behind"),
        ("(?<!a)b", "look-behind"),
        ("(?>a)", "an atomic group"),
        ("(a)\\1", "a back reference"),
        ("(?<x>a)\\k<x>", "a back reference"),
        ("a*+", "a possessive quantifier"),
        ("a{2}+", "a possessive quantifier"),
        ("\\Ga", "\\G"),
        ("a\\Z", "\\Z"),
        ("\\X", "\\X"),
        ("(?x)a b", "comments"),
        ("\\p{InGreek}", "a block of Unicode"),
        ("\\p{javaMirrored}", "\\p{java...}"),
    ] {
        let problem = Matcher::new(pattern).unwrap_err();
        assert!(matches!(problem, PatternProblem::Unsupported(_)), "{pattern}: {problem}");
        assert!(problem.to_string().contains(construct), "{pattern}: {problem}");
    }
}

#[test]
fn what_is_no_pattern_is_an_error() {
    for pattern in [
        "(",
        ")",
        "[",
        "[a",
        "*a",
        "a**",
        "+",
        "a{",
        "a{,3}",
        "a{x}",
        "a{3,2}",
        "a|*",
        "\\",
        "\\y",
        "\\x",
        "[\\y]",
        "[b-a]",
        "(?<1>a)",
        "(?q)",
        "\\p{Nonsense}",
        "\\p{",
        "a{2000000000}",
        "(?i",
        "\\p{a b}",
        "\\x{110000}",
    ] {
        let problem = Matcher::new(pattern).unwrap_err();
        assert!(matches!(problem, PatternProblem::Invalid(_)), "{pattern}: {problem}");
        assert_eq!(problem.to_string().lines().count(), 1, "{problem}");
    }
    let deep = "[".repeat(100_000);
    assert!(Matcher::new(&deep).is_err());
    assert!(Matcher::new(&"(".repeat(100_000)).is_err());
}

#[test]
fn bytes_are_text_if_they_can_be() {
    let dot = Matcher::new("h.llo").unwrap();
    assert_eq!(dot.matches_bytes("héllo".as_bytes()), Ok(true));
    assert_eq!(dot.matches_bytes(b"h\xE9llo"), Ok(true));
    assert_eq!(dot.matches_bytes(b"h\xE9\xE9llo"), Ok(false));
    let class = Matcher::new("[^a-z]+\\w*").unwrap();
    assert_eq!(class.matches_bytes(b"\xFF\xFEab"), Ok(true));
    // Classes of letters match the letters there are.
    let letters = Matcher::new("[é]+").unwrap();
    assert_eq!(letters.matches_bytes("éé".as_bytes()), Ok(true));
    assert_eq!(letters.matches_bytes(b"\xE9"), Ok(false));
    let literal = Matcher::new("é.*").unwrap();
    assert_eq!(literal.matches_bytes(b"\xC3\xA9\xFF"), Ok(true));
}

#[test]
fn find_goes_on_as_in_java() {
    let matcher = Matcher::new("(\\w+)=(\\w+)").unwrap();
    assert_eq!(matcher.groups(), 2);
    let captures = matcher.find("key=val;n=42", 0).unwrap();
    assert_eq!(&captures[2], "val");
    assert_eq!(&matcher.find("key=val;n=42", 4).unwrap()[0], "n=42");
    assert!(matcher.find("a=b", 99).is_none());
    assert!(matcher.captures_whole("key=val;").is_none());
    assert_eq!(&matcher.captures_whole("key=val").unwrap()[1], "key");
}

#[test]
fn replacements_are_those_of_java() {
    for (pattern, replacement, text, answer) in [
        ("a", "o", "banana", "bonono"),
        ("[bn]", "", "banana", "aaa"),
        ("(a)(n)", "$2$1", "banana", "bnanaa"),
        ("(a)", "<$12>", "ab", "<a2>b"),
        ("a", "\\$1\\\\", "ab", "$1\\b"),
        ("a*", "X", "aaa", "XX"),
        ("a*", "X", "baé", "XbXXéX"),
        ("(?<v>[aeiou])", "[${v}]", "pig", "p[i]g"),
        ("(x)?b", "<$1>", "ab", "a<>"),
        ("$", "!", "ab", "ab!"),
        ("\\b", "|", "ab cd", "|ab| |cd|"),
    ] {
        let matcher = Matcher::new(pattern).unwrap();
        let replacement = Replacement::new(replacement, &matcher).unwrap();
        assert_eq!(matcher.replace_all(text, &replacement), answer, "{pattern} in {text}");
    }
    let matcher = Matcher::new("(a)").unwrap();
    for replacement in ["$2", "$", "$x", "\\", "${b}", "${b"] {
        assert!(Replacement::new(replacement, &matcher).is_err(), "{replacement}");
    }
}

#[test]
fn patterns_used_last_are_kept() {
    let mut cache = MatcherCache::new(2);
    let first = cache.get("a").unwrap();
    cache.get("b").unwrap();
    assert!(std::sync::Arc::ptr_eq(&first, &cache.get("a").unwrap()));
    cache.get("c").unwrap();
    assert!(std::sync::Arc::ptr_eq(&first, &cache.get("a").unwrap()));
    cache.get("b").unwrap();
    cache.get("c").unwrap();
    assert!(!std::sync::Arc::ptr_eq(&first, &cache.get("a").unwrap()));
    assert!(cache.get("(").is_err());
}

proptest! {
    #[test]
    fn no_pattern_ends_the_process(pattern in "[a\\\\\\[\\](){}?*+^$.|&<>=!:,0-9QEpdwZGix~#-]{0,16}", text in "[ab\\n-]{0,6}") {
        if let Ok(matcher) = Matcher::new(&pattern) {
            let _ = matcher.matches(&text);
            let _ = matcher.matches_bytes(b"\xFFa");
            matcher.each_match(&text, |_| {});
        }
    }

    #[test]
    fn quoted_text_is_itself(text in "\\PC{0,8}") {
        prop_assume!(!text.contains("\\E"));
        let pattern = format!("\\Q{text}\\E");
        prop_assert!(matches(&pattern, &text));
    }
}
